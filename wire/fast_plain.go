//go:build sofab_plain

package wire

const wordAtATime = false // varints and strings go byte by byte
