package stream

import (
	"errors"
	"io"

	"github.com/sofab-go/sofab/wire"
)

// runLength is how many elements of an array a visitor gets at most at once.
const runLength = 64

// A Visitor is told what a [Feeder] finds, in the order of the message. Where a string,
// blob, array or sequence is declined, nothing of it is reported: it is skipped, with
// a look at framing only.
//
// An error that a method returns ends the message: Feed returns it, as it is, from then
// on. If it is [ErrInvalid] or [ErrLimit], such as wire.Err(wire.BadWidth), it comes as a
// [SyntaxError] with the offset behind the header of the field.
//
// Embed [Discard] to implement only some of the methods.
type Visitor interface {
	// Unsigned, Signed, Float32 and Float64 are fields with their values. Booleans
	// are unsigned: any value but 0 is true.
	Unsigned(id wire.ID, v uint64) error
	Signed(id wire.ID, v int64) error
	Float32(id wire.ID, v float32) error
	Float64(id wire.ID, v float64) error

	// BeginPayload is a string or blob, which s says, of length bytes. If it is
	// taken, the bytes follow through Payload, if there are any, and EndPayload.
	BeginPayload(id wire.ID, s wire.Subtype, length int) Take
	// Payload is the next piece. It is only lent. Where pieces end depends on the
	// chunks, also within a character: a string is known to be UTF-8 at EndPayload.
	Payload(piece []byte) error
	EndPayload() error

	// BeginArray is an array of count elements; s says which floats a FixlenArray
	// has. If it is taken, its elements follow through the method of their type, if
	// there are any, and EndArray.
	BeginArray(f Field, s wire.Subtype, count int) Take
	// Unsigneds, Signeds, Float32s and Float64s are the next elements, at most 64.
	// The slice is only lent. Where runs end depends on the chunks.
	Unsigneds(run []uint64) error
	Signeds(run []int64) error
	Float32s(run []float32) error
	Float64s(run []float64) error
	EndArray() error

	// BeginSequence is a sequence start; false declines the sequence. Otherwise its
	// fields and EndSequence follow.
	BeginSequence(id wire.ID) bool
	EndSequence() error
}

// Take says what a [Visitor] wants of a string, blob or array. The zero Take declines.
type Take struct {
	// Want is true if the value shall be reported.
	Want bool
	// Bound is the most bytes or elements that the schema allows: more is ErrInvalid.
	// 0 stands for no bound, then the cap of the receiver holds (section 5.4).
	Bound int
	// Width is the declared width of the elements of an integer array in bits, 1 to
	// 64: an element that does not fit is ErrInvalid. 0 stands for 64.
	Width uint
}

// Discard is a [Visitor] that declines everything.
type Discard struct{}

// Unsigned ignores the field.
func (Discard) Unsigned(wire.ID, uint64) error { return nil }

// Signed ignores the field.
func (Discard) Signed(wire.ID, int64) error { return nil }

// Float32 ignores the field.
func (Discard) Float32(wire.ID, float32) error { return nil }

// Float64 ignores the field.
func (Discard) Float64(wire.ID, float64) error { return nil }

// BeginPayload declines.
func (Discard) BeginPayload(wire.ID, wire.Subtype, int) Take { return Take{} }

// Payload ignores the piece.
func (Discard) Payload([]byte) error { return nil }

// EndPayload does nothing.
func (Discard) EndPayload() error { return nil }

// BeginArray declines.
func (Discard) BeginArray(Field, wire.Subtype, int) Take { return Take{} }

// Unsigneds ignores the run.
func (Discard) Unsigneds([]uint64) error { return nil }

// Signeds ignores the run.
func (Discard) Signeds([]int64) error { return nil }

// Float32s ignores the run.
func (Discard) Float32s([]float32) error { return nil }

// Float64s ignores the run.
func (Discard) Float64s([]float64) error { return nil }

// EndArray does nothing.
func (Discard) EndArray() error { return nil }

// BeginSequence declines.
func (Discard) BeginSequence(wire.ID) bool { return false }

// EndSequence does nothing.
func (Discard) EndSequence() error { return nil }

// stage is what a Feeder does next.
type stage uint8

const (
	nextField stage = iota
	itsValue
	itsPayload
	itsElements
	skipped
)

// A Feeder decodes a message that arrives in chunks of any size and reports what it
// finds to a [Visitor] (section 5.1, push). It keeps no chunk, and its memory does not
// grow with the message. What the visitor is told does not depend on how the message
// was cut, except for where pieces of a payload and runs of an array end.
//
// A Feeder is not safe for concurrent use and must not be copied.
type Feeder struct {
	d     Decoder
	v     Visitor
	stage stage
	field Field
	at    int64 // offset behind its header
	width uint  // of the elements of the array
	err   error // final

	unsigneds [runLength]uint64
	signeds   [runLength]int64
	float32s  [runLength]float32
	float64s  [runLength]float64
}

// NewFeeder returns a Feeder that reports to v.
func NewFeeder(v Visitor) *Feeder {
	f := &Feeder{v: v}
	f.Reset()
	return f
}

// Reset starts the next message, for the same visitor.
func (f *Feeder) Reset() {
	f.d.resetPush()
	f.stage, f.err = nextField, nil
}

// SetLimits sets the caps of the receiver (section 5.4). It is an error, and changes
// nothing, when one of them is out of its range.
func (f *Feeder) SetLimits(l Limits) error { return f.d.SetLimits(l) }

// SetVerbatim lets strings pass that are not UTF-8 (section 6, "off").
func (f *Feeder) SetVerbatim(on bool) { f.d.SetVerbatim(on) }

// Depth is the number of open sequences.
func (f *Feeder) Depth() int { return f.d.Depth() }

// Feed decodes a chunk, which may be empty and is only lent. It returns nil when the
// message may end here, and [ErrIncomplete], as it is, when it may not. Every other
// error is final: all later calls return it, until Reset. What is malformed or over a
// limit comes as a [SyntaxError].
func (f *Feeder) Feed(chunk []byte) error {
	if f.err != nil {
		return f.err
	}
	room := f.d.limits.Message - f.d.p.InputEnd()
	over := int64(len(chunk)) > room
	if over {
		chunk = chunk[:max(0, room)]
	}
	f.d.p.Feed(chunk)
	err := f.drive()
	f.d.p.Release()
	if over && (err == nil || err == ErrIncomplete) {
		err = f.d.fail(ErrLimit, f.d.limits.Message)
	}
	if err != nil && err != ErrIncomplete {
		f.err = err
	}
	return err
}

// drive reports everything that the chunk completes.
func (f *Feeder) drive() error {
	for {
		if f.stage == nextField {
			field, err := f.d.Next()
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return err
			}
			f.field, f.at, f.stage = field, f.d.p.Offset(), itsValue
		}
		if err := f.step(); err != nil {
			return err
		}
	}
}

// step takes the field one stage further.
func (f *Feeder) step() error {
	switch f.stage {
	case itsPayload:
		return f.payload()
	case itsElements:
		return f.elements()
	case skipped:
		if err := f.d.Skip(); err != nil {
			return err
		}
		f.stage = nextField
		return nil
	}
	switch id := f.field.ID; f.field.Type {
	case wire.Unsigned:
		v, err := f.d.Unsigned()
		if err != nil {
			return err
		}
		return f.told(f.v.Unsigned(id, v))
	case wire.Signed:
		v, err := f.d.Signed()
		if err != nil {
			return err
		}
		return f.told(f.v.Signed(id, v))
	case wire.Fixlen:
		return f.fixlen()
	case wire.SequenceStart:
		f.stage = nextField
		if !f.v.BeginSequence(id) {
			f.stage = skipped
		}
		return nil
	case wire.SequenceEnd:
		return f.told(f.v.EndSequence())
	}
	count, err := f.d.PeekLen()
	if err != nil {
		return err
	}
	var s wire.Subtype
	if f.field.Type == wire.FixlenArray {
		s = f.d.p.Subtype()
	}
	return f.begin(f.v.BeginArray(f.field, s, count), itsElements)
}

func (f *Feeder) fixlen() error {
	s, err := f.d.PeekSubtype()
	if err != nil {
		return err
	}
	switch s {
	case wire.FP32:
		v, err := f.d.Float32()
		if err != nil {
			return err
		}
		return f.told(f.v.Float32(f.field.ID, v))
	case wire.FP64:
		v, err := f.d.Float64()
		if err != nil {
			return err
		}
		return f.told(f.v.Float64(f.field.ID, v))
	}
	length, err := f.d.PeekLen()
	if err != nil {
		return err
	}
	return f.begin(f.v.BeginPayload(f.field.ID, s, length), itsPayload)
}

// begin goes on with a value as the visitor wants.
func (f *Feeder) begin(t Take, next stage) error {
	if !t.Want {
		f.stage = skipped
		return nil
	}
	if t.Bound > 0 {
		f.d.Bound(t.Bound)
	}
	f.width = t.Width
	if f.width == 0 {
		f.width = 64
	}
	f.stage = next
	return nil
}

func (f *Feeder) payload() error {
	piece, err := f.d.Chunk()
	switch err {
	case nil:
		return f.verdict(f.v.Payload(piece))
	case io.EOF:
		return f.told(f.v.EndPayload())
	}
	return err
}

func (f *Feeder) elements() error {
	var n int
	var err error
	switch {
	case f.field.Type == wire.UnsignedArray:
		if n, err = UnsignedRun(&f.d, f.unsigneds[:], f.width); err == nil {
			return f.verdict(f.v.Unsigneds(f.unsigneds[:n]))
		}
	case f.field.Type == wire.SignedArray:
		if n, err = SignedRun(&f.d, f.signeds[:], f.width); err == nil {
			return f.verdict(f.v.Signeds(f.signeds[:n]))
		}
	case f.d.p.Subtype() == wire.FP32:
		if n, err = f.d.Float32Run(f.float32s[:]); err == nil {
			return f.verdict(f.v.Float32s(f.float32s[:n]))
		}
	default:
		if n, err = f.d.Float64Run(f.float64s[:]); err == nil {
			return f.verdict(f.v.Float64s(f.float64s[:n]))
		}
	}
	if err == io.EOF {
		return f.told(f.v.EndArray())
	}
	return err
}

// told ends a field with the answer of the visitor.
func (f *Feeder) told(err error) error {
	f.stage = nextField
	return f.verdict(err)
}

// verdict is the answer of the visitor as Feed returns it, final if it is an error.
func (f *Feeder) verdict(err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, ErrInvalid) || errors.Is(err, ErrLimit) {
		err = &SyntaxError{Offset: f.at, Err: err}
	}
	f.err = err
	return err
}
