package sofab

import (
	"fmt"

	"github.com/sofab-go/sofab/stream"
)

// Limits are the caps of a receiver; see [stream.Limits] for their meaning and
// defaults.
type Limits = stream.Limits

// Unknown says what happens to fields that the destination does not declare.
type Unknown uint8

const (
	Ignore Unknown = iota // they are skipped
	Reject                // they are an error, [ErrUnknownField]
)

// Framing says how messages follow each other on a stream of an [Encoder] or
// [Decoder].
type Framing uint8

const (
	// Terminated: a message is followed by the byte 07, which no bare message can
	// contain at that place.
	Terminated Framing = iota
	// LengthPrefixed: a message follows a varint with its length in bytes.
	LengthPrefixed
	// None: there is one message, and it ends with the stream.
	None
)

// Options change how values are marshalled and unmarshalled. The zero value is how
// the package functions behave.
type Options struct {
	// Limits are the caps of the receiver.
	Limits Limits
	// Strict makes a field of another wire type than its Go type an
	// *UnmarshalTypeError, and a map key that arrives twice an error. By default such
	// a field is skipped, as the format demands of readers that may be older than the
	// writer.
	Strict bool
	// Unknown says what happens to fields that the destination does not declare.
	Unknown Unknown
	// Merge keeps what is in the destination instead of resetting it to its defaults.
	// Structs and maps are merged, also inside; every other value that arrives, slices
	// and arrays included, replaces what is there.
	Merge bool
	// Alias lets decoded strings and blobs point into the input of Unmarshal, which
	// the caller then must not change.
	Alias bool
	// Reuse lets decoded slices use the memory of the slices in the destination. One
	// that is absent is then empty, not nil, and keeps its memory.
	Reuse bool
	// OwnMemory gives every decoded value an allocation of its own. By default small
	// ones share allocations of at most 8 KiB, which live as long as one of them is
	// referenced.
	OwnMemory bool
	// VerbatimUTF8 lets strings pass that are not UTF-8, in both directions.
	VerbatimUTF8 bool
	// Framing is that of the encoders and decoders of the codec.
	Framing Framing
	// RequireTerminator makes the end of the input before the terminator of the first
	// message an error, too.
	RequireTerminator bool
}

// A Codec marshals and unmarshals with fixed options. It is immutable, and safe for
// concurrent use. It keeps what it has learnt about types for as long as it lives.
type Codec struct {
	settings settings
	types    cache
}

// settings are the options of a codec as the decoder uses them.
type settings struct {
	limits            Limits
	strict            bool
	rejectUnknown     bool
	merge             bool
	alias             bool
	reuse             bool
	ownMemory         bool
	verbatim          bool
	framing           Framing
	requireTerminator bool
	plain             bool // the options are such that unmarshalSimple knows
}

// Codec returns a codec with these options. It is an error, with the name of the
// field, when one of them is out of range.
func (o Options) Codec() (*Codec, error) {
	limits, err := o.Limits.WithDefaults()
	if err != nil {
		return nil, err
	}
	if o.Unknown > Reject {
		return nil, fmt.Errorf("sofab: Options.Unknown is %d; use Ignore or Reject", o.Unknown)
	}
	if o.Framing > None {
		return nil, fmt.Errorf("sofab: Options.Framing is %d; use Terminated, LengthPrefixed or None", o.Framing)
	}
	return &Codec{settings: settings{
		limits: limits, strict: o.Strict, rejectUnknown: o.Unknown == Reject, merge: o.Merge, alias: o.Alias, reuse: o.Reuse,
		ownMemory: o.OwnMemory,
		verbatim:  o.VerbatimUTF8, framing: o.Framing, requireTerminator: o.RequireTerminator,
		plain: !o.Merge && !o.Alias && !o.Reuse,
	}}, nil
}

// std is the codec of the package functions.
var std = func() *Codec {
	c, err := Options{}.Codec()
	if err != nil {
		panic(err) // the zero Options are valid
	}
	return c
}()
