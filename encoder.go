package sofab

import (
	"errors"
	"io"

	"github.com/sofab-go/sofab/wire"
)

// An Encoder writes messages to a stream. Each one is followed by the byte 07, which
// tells a [Decoder] where it ends; [Options] Framing changes that.
//
// Up to 64 KiB a message leaves in one Write together with what frames it, when it is
// complete, so that nothing is written of a value that turns out to have no encoding.
// A longer one leaves in pieces, in memory that does not grow with it. An error of the
// writer is returned, as it is, by the Encode that met it. It is final, and so is any
// error behind the first piece of a message, which then is [ErrPartialMessage] as well
// as its cause: every later Encode returns it again until Reset.
//
// An Encoder is not safe for concurrent use.
type Encoder struct {
	codec *Codec
	out   pieceWriter
	s     encodeState
	err   error // final
	used  bool  // None: the message is written
}

var errSecondMessage = errors.New("sofab: with Framing None a stream holds one message, and it is written")

// lengthRoom is the room in front of a message for its length.
const lengthRoom = wire.MaxVarintLen

// NewEncoder returns an Encoder that writes to w.
func NewEncoder(w io.Writer) *Encoder { return std.NewEncoder(w) }

// NewEncoder is the function [NewEncoder] with the options of the codec.
func (c *Codec) NewEncoder(w io.Writer) *Encoder {
	e := &Encoder{codec: c}
	e.s.ResetWriter(&e.out)
	e.Reset(w)
	return e
}

// Reset makes the encoder write to w, as if it were new.
func (e *Encoder) Reset(w io.Writer) {
	e.out = pieceWriter{w: w, left: -1}
	e.err, e.used = nil, false
}

// Encode writes the message of v, as [Marshal] makes it, and its terminator or length.
// After an error that comes before anything is written, the encoder can be used again.
func (e *Encoder) Encode(v any) error {
	if e.err != nil {
		return e.err
	}
	if e.used {
		return errSecondMessage
	}
	if e.out.pieces > 0 {
		return e.finish(errPanicked)
	}
	e.start(-1)
	var err error
	switch e.codec.settings.framing {
	case LengthPrefixed:
		err = e.prefixed(v)
	case None:
		if err = e.body(v); err == nil {
			e.used = true
		}
	default:
		err = e.terminated(v)
	}
	return e.finish(err)
}

// start begins a message, or the second pass over one. At most left bytes are written
// of it; a negative number stands for any.
func (e *Encoder) start(left int64) {
	e.s.Restart()
	e.out.left, e.out.pieces, e.out.counting = left, 0, false
}

// finish is what Encode returns, given what went wrong.
func (e *Encoder) finish(err error) error {
	if e.out.err != nil {
		err = e.out.err
	}
	if err != nil && e.out.pieces > 0 {
		err = &partialError{cause: err}
	}
	if err != nil && (e.out.err != nil || e.out.pieces > 0) {
		e.err = err
	}
	e.out.pieces = 0
	return err
}

// body writes the message of v, bare.
func (e *Encoder) body(v any) error {
	if err := e.codec.encode(&e.s, v); err != nil {
		return err
	}
	return e.s.Flush()
}

// terminated writes the message of v and a sequence end that opens nothing.
func (e *Encoder) terminated(v any) error {
	if err := e.codec.encode(&e.s, v); err != nil {
		return err
	}
	e.s.Header(0, wire.SequenceEnd)
	return e.s.Flush()
}

// prefixed writes the length of the message of v and the message. A message that fits
// the buffer gets its length in front when it is complete; the first pass over a longer
// one only counts its bytes.
func (e *Encoder) prefixed(v any) error {
	e.out.counting = true
	e.s.Reserve(lengthRoom)
	e.s.Advance(lengthRoom)
	if err := e.codec.encode(&e.s, v); err != nil {
		return err
	}
	length := e.s.Len() - lengthRoom
	front := wire.SizeVarint(uint64(length))
	if message := e.s.Gathered(); int64(len(message)) == lengthRoom+length {
		e.out.counting = false
		wire.PutVarint(message[lengthRoom-front:], uint64(length))
		_, err := e.out.Write(message[lengthRoom-front:])
		return err
	}
	e.start(int64(front) + length)
	wire.PutVarint(e.s.Reserve(front), uint64(length))
	e.s.Advance(front)
	if err := e.body(v); err != nil {
		return err
	}
	if e.out.left > 0 {
		return errChanged
	}
	return nil
}

var errChanged = errors.New("sofab: the value changed while it was encoded")

// errPanicked is the error behind a panic that has left a message unfinished.
var errPanicked = errors.New("sofab: a panic ended Encode")

// A pieceWriter passes pieces of one message on to a writer and keeps its error.
type pieceWriter struct {
	w        io.Writer
	err      error
	pieces   int   // that were written as a whole, of a message that has not ended
	left     int64 // bytes that may follow, -1 for any number
	counting bool  // nothing is written
}

func (o *pieceWriter) Write(p []byte) (int, error) {
	switch {
	case o.err != nil:
		return 0, o.err
	case o.counting:
		return len(p), nil
	case o.left >= 0 && int64(len(p)) > o.left:
		return 0, errChanged
	}
	o.err = errPanicked // unless it returns
	n, err := o.w.Write(p)
	if err == nil && n != len(p) {
		err = io.ErrShortWrite
	}
	if o.err = err; err == nil {
		o.pieces++
		o.left = max(-1, o.left-int64(len(p)))
	}
	return n, err
}
