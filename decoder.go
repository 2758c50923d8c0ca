package sofab

import (
	"bytes"
	"errors"
	"io"
	"math"

	"github.com/sofab-go/sofab/stream"
	"github.com/sofab-go/sofab/wire"
)

// A Decoder reads messages from a stream that an [Encoder] wrote. Each one ends with
// its terminator, a sequence end at depth 0; [Options] Framing changes that. The end of
// the input ends a message, too, if it is the first and the input holds no terminator,
// so that the output of [Marshal] can be read, unless [Options] RequireTerminator is
// set.
//
// A Decoder reads ahead, but only waits for bytes that the message at hand needs.
//
// What follows an error depends on what it is about:
//
//   - [io.EOF] itself is the end of the stream between two messages.
//   - A value that the destination refuses: a bound or limit of one field, a string that
//     is not UTF-8, an unknown, mistyped or missing field where that is an error, an
//     error of a method of its type. The next call goes on behind the message.
//   - An error of the reader, such as a deadline, is returned as it is. If nothing of a
//     message was consumed, all is as before the call. Else the message is half decoded,
//     and Decode with the same v goes on with it. With another v it is refused; Skip
//     leaves the message.
//   - Malformed bytes, a message over Limits.Message, and an input that ends inside a
//     message are final: every later call returns the error again until Reset.
//
// A Decoder is not safe for concurrent use.
type Decoder struct {
	codec      *Codec
	settings   settings
	d          decodeState
	place      place
	v          any   // what is decoded into, when inside
	end        int64 // of the last message
	terminated bool  // a terminator was read
	unreported error // of the reader, which More met
	err        error // final
}

// place is where on the stream a Decoder stands.
type place uint8

const (
	between  place = iota // in front of a message or the end
	inside                // in a message that is decoded into v
	skipping              // in a message that Skip skips
	refused               // in the rest of a message that Decode has refused
)

var errInside = errors.New("sofab: an earlier Decode stopped inside a message; go on with the same value, or Skip the message")

// NewDecoder returns a Decoder that reads from r. It does not read yet.
func NewDecoder(r io.Reader) *Decoder { return std.NewDecoder(r) }

// NewDecoder is the function [NewDecoder] with the options of the codec.
func (c *Codec) NewDecoder(r io.Reader) *Decoder {
	d := &Decoder{codec: c, settings: c.settings}
	d.d.options = &d.settings
	d.d.p.SetFramed(c.settings.framing == Terminated)
	d.Reset(r)
	return d
}

// Reset makes the decoder read from r, as if it were new, but for
// DisallowUnknownFields. What it read ahead is dropped.
func (d *Decoder) Reset(r io.Reader) {
	d.leave(between)
	d.d.p.ResetReader(r)
	d.end, d.terminated, d.unreported, d.err = 0, false, nil, nil
}

// DisallowUnknownFields makes it an error, [ErrUnknownField], when a message has a
// field that the destination does not declare.
func (d *Decoder) DisallowUnknownFields() { d.settings.rejectUnknown = true }

// Decode reads the next message into the value that v points to, as [Unmarshal] does.
// At the end of the stream it returns [io.EOF] and leaves the value alone; at an end
// inside a message, [ErrIncomplete].
func (d *Decoder) Decode(v any) error {
	v = targetOf(v)
	t, p, err := d.codec.destination(v)
	if err != nil {
		return err
	}
	resumed := d.place == inside && d.err == nil
	switch {
	case resumed && v == d.v:
		return d.goOn()
	case resumed && d.d.p.Offset() != d.d.startAt:
		return errInside
	case resumed:
	default:
		d.d.skipped = 0
		if err := d.next(); err != nil {
			return err
		}
	}
	d.d.into(t, p, &d.settings)
	d.place, d.v = inside, v
	return d.goOn()
}

// Skip reads over the next message, looking at its framing only; if Decode has stopped
// inside a message because of its reader, over the rest of that. Its errors are those
// of Decode.
func (d *Decoder) Skip() error {
	switch {
	case d.err != nil || d.place == between || d.place == refused:
		if err := d.next(); err != nil {
			return err
		}
		fallthrough
	case d.place == inside:
		d.leave(skipping)
	}
	return d.goOn()
}

// More reports whether there is another message, or more of one that Decode or Skip has
// stopped in, and waits for a byte of it. It is false at the end of the stream and
// after an error; Decode tells which.
func (d *Decoder) More() bool {
	d.unreported = nil
	var err error
	if d.err == nil && (d.place == inside || d.place == skipping) {
		err = d.moreInside()
	} else {
		err = d.nextByte()
	}
	if err != nil && err != io.EOF {
		d.unreported = err
	}
	return err == nil
}

// moreInside gets a byte more of the message at hand than was there when it stopped.
func (d *Decoder) moreInside() error {
	if len(d.d.p.Window()) >= wire.MaxVarintLen {
		return nil // more than the start of a unit, so that it came after the stop
	}
	more, err := d.d.p.Fetch()
	if err == nil && !more {
		err = d.fail(d.d.incomplete())
	}
	return err
}

// Skipped is the number of fields that the last Decode skipped because they arrived
// with another type than the destination declares.
func (d *Decoder) Skipped() int { return d.d.skipped }

// InputOffset is the offset behind the last message and its terminator, in bytes from
// the start of the input.
func (d *Decoder) InputOffset() int64 { return d.end }

// Buffered is what was read ahead and not used, after a message the bytes behind it.
// It is valid until the next call of another method.
func (d *Decoder) Buffered() io.Reader { return bytes.NewReader(d.d.p.Ahead()) }

// next gets to the start of the next message.
func (d *Decoder) next() error {
	if err := d.unreported; err != nil {
		d.unreported = nil
		return err
	}
	if err := d.nextByte(); err != nil {
		return err
	}
	if d.settings.framing == LengthPrefixed {
		return d.length()
	}
	d.limit()
	return nil
}

// nextByte gets the first byte of the next message to hand: leaves the rest of one
// before it, and waits. Without framing the message may have no bytes.
func (d *Decoder) nextByte() error {
	if d.err == nil && d.place != between {
		if err := d.goOn(); err != nil {
			return err
		}
	}
	switch {
	case d.err != nil:
		return d.err
	case d.settings.framing == None || len(d.d.p.Window()) > 0:
		return nil
	}
	more, err := d.d.p.Fetch()
	if err == nil && !more {
		err = io.EOF
	}
	return err
}

// limit makes the message end where Limits.Message wants it to. There is room for the
// terminator, so that a message that fills the room is over the limit.
func (d *Decoder) limit() {
	d.d.startAt = d.d.p.Offset()
	limit := d.settings.limits.Message
	if d.settings.framing == Terminated && limit < math.MaxInt64 {
		limit++
	}
	d.d.p.SetEnd(limit)
}

// length reads the length of the next message.
func (d *Decoder) length() error {
	p := &d.d.p
	for {
		offset := p.Offset()
		length, status := p.Varint()
		switch status {
		case stream.Done:
			d.d.startAt = p.Offset()
			if limit := d.settings.limits.Message; length > uint64(limit) {
				got := int64(min(length, math.MaxInt64))
				return d.fail(&LimitError{Offset: offset, Kind: "Message", Limit: limit, Got: got})
			}
			p.SetEnd(int64(length))
			return nil
		case stream.Failed:
			return d.fail(d.d.failure())
		}
		if more, err := p.Fetch(); err != nil {
			return err
		} else if !more {
			return d.fail(d.d.incomplete())
		}
	}
}

// goOn goes on with the message at hand to its end. After an error of the reader it
// can be called again.
func (d *Decoder) goOn() error {
	for {
		switch d.step() {
		case stream.Done:
			d.terminated = true
			d.endMessage()
			return nil
		case stream.Failed:
			return d.failed()
		}
		more, err := d.d.p.Fetch()
		if err == nil && !more {
			more, err = d.beyond()
		}
		switch {
		case d.err != nil:
			return d.err
		case err != nil:
			return err
		case !more:
			return d.atEnd()
		}
	}
}

// step goes on with the message at hand as far as the bytes at hand go.
func (d *Decoder) step() stream.Status {
	if d.place == inside {
		return d.d.run()
	}
	return d.d.skipMessage()
}

// skipMessage consumes the rest of the message at hand. As run does, it returns Done
// only for a framed message.
func (d *decodeState) skipMessage() stream.Status {
	for !d.p.Finished() {
		if status := d.p.Skip(); status != stream.Done {
			return status
		}
		if status := d.p.Head(); status != stream.Done {
			return status
		}
	}
	return stream.Done
}

// beyond fails for good when the message goes on behind Limits.Message.
func (d *Decoder) beyond() (bool, error) {
	if !d.d.p.AtEnd() || d.settings.framing == LengthPrefixed {
		return false, nil
	}
	on := d.settings.framing == Terminated
	var err error
	if !on {
		left := d.d.startAt + d.settings.limits.Message - d.d.p.Offset()
		on, err = d.d.p.GoesOn()
		d.d.p.SetEnd(left)
	}
	if on {
		d.fail(d.d.messageOverLimit())
	}
	return false, err
}

// atEnd ends a message that ends with the input, or where its length says.
func (d *Decoder) atEnd() error {
	p := &d.d.p
	framing := d.settings.framing
	switch {
	case !p.Complete(),
		framing == LengthPrefixed && !p.AtEnd(),
		framing == Terminated && (d.terminated || d.settings.requireTerminator):
		return d.fail(d.d.incomplete())
	}
	var err error
	if d.place == inside && d.d.endMessage() != stream.Done {
		err = d.d.failure()
	}
	d.endMessage()
	if framing != LengthPrefixed {
		d.err = io.EOF
	}
	return err
}

// failed is the error of a message at which step returned Failed. What is malformed
// behind something that is refused counts when the message is left.
func (d *Decoder) failed() error {
	err := d.d.failure()
	if d.d.fault == nil {
		return d.fail(err)
	}
	d.leave(refused)
	return err
}

// fail makes err final.
func (d *Decoder) fail(err error) error {
	d.err = err
	d.leave(between)
	return err
}

// endMessage gets behind the message at hand.
func (d *Decoder) endMessage() {
	d.end = d.d.p.Offset()
	d.d.p.NextMessage()
	d.d.p.SetEnd(-1)
	d.leave(between)
}

// leave gets to another place and lets go of the value that was decoded into.
func (d *Decoder) leave(to place) {
	d.place, d.v = to, nil
	d.d.forget()
}
