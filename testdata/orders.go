// Package testdata holds the data that the demo and the benchmarks share.
package testdata

import _ "embed"

//go:generate go run ./gen -o orders.json

// Orders is an order book of a fictitious shop as JSON: one object with the
// shop's name, its currency and a list of orders, written by the program in gen.
//
//go:embed orders.json
var Orders []byte
