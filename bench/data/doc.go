// Package data is the one set of types and values that every contender of the
// benchmarks encodes and decodes. The types carry the tags of all of them:
// SofaBuffers, CBOR and MessagePack name fields by number, JSON by the names of Go.
//
// The MessagePack methods are written by msgp and the wide struct by the program in
// gen; ../generate runs both.
package data
