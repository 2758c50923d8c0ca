// Package stream reads and writes SofaBuffers messages field by field, without a
// Go struct and in memory that does not grow with the message.
//
// An [Encoder] writes fields into a slice that it appends to, a buffer of the
// caller, a buffer that a sink empties, or an [io.Writer].
//
// A [Decoder] is asked for the next field and its value (pull). A [Feeder] is given
// chunks and calls a [Visitor] (push). Both, and the decoder of package sofab,
// stand on one [Parser], the only place that knows in which order units follow each
// other. It works on a window of bytes and keeps one contract: a unit that does not
// fit the window is not consumed at all; a long value (a payload, the elements of an
// array, a skipped subtree) consumes what is there and remembers what is left. What
// differs between a slice, a reader and chunks is only where more bytes come from.
//
// Errors carry the absolute offset of the unit that is wrong; for an input that ends
// too early it is the length of the input.
package stream
