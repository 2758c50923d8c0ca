// Package wire reads and writes the smallest units of the SofaBuffers format:
// varints, headers, fixlen words, counts, element words and floats.
//
// It has functions and no state. Every unit comes as three of them:
//
//	AppendX(b, …) []byte   appends the unit in its shortest form
//	ConsumeX(b) (…, n)     reads the unit at the start of b; n is its length in bytes
//	SizeX(…) int           the length that AppendX would append
//
// A negative n means that nothing was consumed and says why: [More] when b ends
// inside the unit, another code when the bytes are malformed whatever follows.
// [Err] turns a code into an error. No function allocates, and none reads a byte
// behind the unit.
//
// Every rule of the format that one unit can break is checked here, at the byte
// that completes the unit: the 64-bit limit of a varint, the id ceiling, reserved
// subtypes, the widths of floats, the length and count ceilings. The rules that
// need more than one unit (balance and depth of sequences) belong to package
// stream; bounds that a schema declares belong to package sofab.
package wire

import "strconv"

// Ceilings of the format (section 1.2).
const (
	MaxID        = 1<<31 - 1 // largest id of a field
	MaxFixlen    = 1<<31 - 1 // most bytes of one string or blob
	MaxArray     = 1<<31 - 1 // most elements of one array
	MaxDepth     = 255       // most sequences that are open at once
	MaxVarintLen = 10        // longest varint, in bytes
)

// ID is the number of a field within its scope: 0 to [MaxID].
type ID uint32

// Type is the wire type of a field, the low three bits of its header.
type Type uint8

// The eight wire types.
const (
	Unsigned      Type = iota // one varint
	Signed                    // one zig-zag varint
	Fixlen                    // fixlen word, then that many bytes
	UnsignedArray             // count, then that many varints
	SignedArray               // count, then that many zig-zag varints
	FixlenArray               // count, element word, then count elements of that width
	SequenceStart             // opens a scope
	SequenceEnd               // closes the innermost scope
)

var typeNames = [...]string{
	"unsigned", "signed", "fixlen", "array of unsigned", "array of signed",
	"array of fixlen", "sequence", "sequence end",
}

func (t Type) String() string {
	if int(t) < len(typeNames) {
		return typeNames[t]
	}
	return "wire type " + strconv.Itoa(int(t))
}

// Subtype says what the bytes of a fixlen value are, the low three bits of its
// fixlen word. The elements of a fixlen array are FP32 or FP64.
type Subtype uint8

// The subtypes; 4 to 7 are reserved and never valid.
const (
	FP32   Subtype = iota // 4 bytes
	FP64                  // 8 bytes
	String                // UTF-8 text
	Blob                  // bytes
)

var subtypeNames = [...]string{"fp32", "fp64", "string", "blob"}

func (s Subtype) String() string {
	if int(s) < len(subtypeNames) {
		return subtypeNames[s]
	}
	return "subtype " + strconv.Itoa(int(s))
}

// Width is the number of bytes of a float of subtype FP32 or FP64, else 0.
func (s Subtype) Width() int {
	switch s {
	case FP32:
		return 4
	case FP64:
		return 8
	}
	return 0
}
