package stream

import (
	"io"

	"github.com/sofab-go/sofab/wire"
)

// Field is the header of a field: what [Decoder.Next] returns.
type Field struct {
	ID   wire.ID   // within the innermost open sequence; 0 at a sequence end
	Type wire.Type // says which read is the right one
}

// A Decoder reads a message field by field (section 5.1): Next returns a header, then
// the value is read by the method of its type, or stepped over by the following Next.
// Values come from a reader, from a slice, or from chunks.
//
// An error is one of these:
//
//   - [ErrArgument], [ErrMismatch]: the call does not fit the field. Nothing was
//     consumed and another call may follow.
//   - [ErrIncomplete], or the reader's own error, as it is: the bytes at hand end
//     inside the message. The same call can be repeated when more bytes may have
//     arrived and goes on where it stopped.
//   - [ErrInvalid], [ErrLimit]: final, every later call returns it again.
//
// ErrIncomplete, ErrInvalid and ErrLimit come as a [SyntaxError], whose offset does not
// depend on how the input was cut.
//
// Nothing is allocated on the strength of a length or count alone: a value grows with
// the bytes that arrive. What a read returns shares no memory with the input, but for
// [Decoder.Chunk].
//
// The zero Decoder is ready after a Reset method. A Decoder is not safe for concurrent
// use and must not be copied.
type Decoder struct {
	p        Parser
	fed      chunkQueue
	limits   Limits
	verbatim bool
	push     bool // ErrIncomplete is returned as it is
	fault    *SyntaxError

	// The current field.
	field   Field
	pending bool  // its value was not read to the end
	valueAt int64 // offset behind its header
	worded  bool  // its words were read, length and bodyAt are known
	length  int   // bytes or elements of its value
	bodyAt  int64 // offset behind its words
	bound   int   // what the schema allows as length, or -1
	partial any   // *[]T: the elements (bytes, T) that an unfinished read has so far
	pieces  bool  // it is being read in pieces or runs
	text    textCheck

	scratch []byte // the bytes of a string that did not come in one piece
}

// NewDecoder returns a Decoder that reads one message from r, up to its end. It reads
// ahead, but never before it needs a byte, nor while those at hand suffice.
func NewDecoder(r io.Reader) *Decoder {
	d := new(Decoder)
	d.ResetReader(r)
	return d
}

// NewBytesDecoder returns a Decoder for a message that is data as a whole, which it
// borrows.
func NewBytesDecoder(data []byte) *Decoder {
	d := new(Decoder)
	d.ResetBytes(data)
	return d
}

// NewChunkDecoder returns a Decoder for a message that arrives through [Decoder.Feed].
func NewChunkDecoder() *Decoder {
	d := new(Decoder)
	d.ResetChunks()
	return d
}

// ResetReader starts a message that is read from r. Limits and SetVerbatim stay.
func (d *Decoder) ResetReader(r io.Reader) {
	d.p.ResetReader(r)
	d.restart()
	d.p.SetEnd(d.limits.Message)
}

// ResetBytes starts a message that is data as a whole; see NewBytesDecoder.
func (d *Decoder) ResetBytes(data []byte) {
	d.p.ResetBytes(data)
	d.restart()
}

// ResetChunks starts a message that arrives through Feed. What was fed before and not
// read is dropped.
func (d *Decoder) ResetChunks() {
	d.fed.reset()
	d.ResetReader(&d.fed)
}

// resetPush starts a message that arrives through Parser.Feed.
func (d *Decoder) resetPush() {
	d.ResetBytes(nil)
	d.push = true
}

func (d *Decoder) restart() {
	if d.limits == (Limits{}) {
		d.limits, _ = d.limits.WithDefaults()
	}
	d.fault = nil
	d.pending, d.pieces, d.partial = false, false, nil
}

// SetLimits sets the caps of the receiver (section 5.4), from the next value on. It
// is an error, and changes nothing, when one of them is out of its range.
func (d *Decoder) SetLimits(l Limits) error {
	l, err := l.WithDefaults()
	if err != nil {
		return err
	}
	d.limits = l
	if d.streams() {
		d.p.SetEnd(max(0, l.Message-d.p.Offset()))
	}
	return nil
}

// SetVerbatim lets strings pass that are not UTF-8 (section 6, "off").
func (d *Decoder) SetVerbatim(on bool) { d.verbatim = on }

// Feed adds a chunk to a decoder made for chunks. It is copied. A call that returned
// ErrIncomplete, or the [io.EOF] of Next, can then be repeated.
func (d *Decoder) Feed(chunk []byte) error {
	if d.p.r != io.Reader(&d.fed) {
		return argumentError("the decoder was not made for chunks")
	}
	d.fed.add(chunk)
	return nil
}

// Depth is the number of open sequences.
func (d *Decoder) Depth() int { return d.p.Depth() }

// InputOffset is the absolute offset behind what was read so far, in bytes. As long as
// nothing of the current value was read, that is the end of its header, also when its
// length was asked for.
func (d *Decoder) InputOffset() int64 {
	if d.pending && (!d.worded || d.p.Offset() == d.bodyAt) {
		return d.valueAt
	}
	return d.p.Offset()
}

// Next steps over what was not read of the current value and returns the header of
// the next field. Behind a sequence start, that is the first field inside; use Skip to
// step over the sequence. A sequence end is a field of its own. At the end of the
// message the error is [io.EOF], bare.
func (d *Decoder) Next() (Field, error) {
	if !d.p.Between() {
		if err := d.skip(); err != nil {
			return Field{}, err
		}
	}
	d.end()
	if err := d.latched(); err != nil {
		return Field{}, err
	}
	for {
		status := d.p.Head()
		if status == Done {
			break
		}
		ok, err := d.fetch(status)
		switch {
		case err != nil:
			return Field{}, err
		case !ok && d.p.Complete():
			return Field{}, io.EOF
		case !ok:
			return Field{}, d.incomplete()
		}
	}
	f := Field{d.p.ID(), d.p.Type()}
	if f.Type == wire.SequenceEnd {
		return Field{0, wire.SequenceEnd}, nil
	}
	d.field, d.pending, d.valueAt = f, true, d.p.Offset()
	d.worded, d.pieces, d.partial, d.bound = false, false, nil, -1
	return f, nil
}

// Skip steps over what was not read of the current value; behind a sequence start,
// over everything up to the matching end, which is then not returned by Next. It looks
// at framing only (section 2.3). With no value pending it does nothing.
func (d *Decoder) Skip() error {
	if !d.pending && d.p.Between() {
		return d.latched()
	}
	return d.skip()
}

func (d *Decoder) skip() error {
	d.end()
	for {
		status := d.p.Skip()
		if status == Done {
			return nil
		}
		if err := d.more(status); err != nil {
			return err
		}
	}
}

// end says that the value is read or given up.
func (d *Decoder) end() {
	d.pending, d.partial = false, nil
}

// PeekLen is the number of bytes of the pending fixlen value, or of elements of the
// pending array. It checks neither bound nor cap. Nothing is consumed; a value without
// a length is ErrMismatch.
func (d *Decoder) PeekLen() (int, error) {
	if err := d.words(); err != nil {
		return 0, err
	}
	return d.length, nil
}

// PeekSubtype is the subtype of the pending fixlen value or fixlen array. Nothing is
// consumed; any other value is ErrMismatch.
func (d *Decoder) PeekSubtype() (wire.Subtype, error) {
	if d.field.Type != wire.Fixlen && d.field.Type != wire.FixlenArray {
		if err := d.ready(); err != nil {
			return 0, err
		}
		return 0, ErrMismatch
	}
	if err := d.words(); err != nil {
		return 0, err
	}
	return d.p.Subtype(), nil
}

// Bound says that the schema bounds the pending string or blob to n bytes, or the
// pending array to n elements (section 5.4): more is ErrInvalid, and no cap of the
// receiver holds. It counts for this value only. A negative n takes it back.
func (d *Decoder) Bound(n int) { d.bound = max(n, -1) }

// ready is an error when there is no value to read.
func (d *Decoder) ready() error {
	if err := d.latched(); err != nil {
		return err
	}
	if !d.pending {
		return argumentError("no value is pending")
	}
	return nil
}

// words reads the words of the pending value.
func (d *Decoder) words() error {
	if err := d.ready(); err != nil {
		return err
	}
	if d.worded {
		return nil
	}
	if d.field.Type < wire.Fixlen || d.field.Type > wire.FixlenArray {
		return ErrMismatch
	}
	for {
		status := d.p.Words()
		if status == Done {
			break
		}
		if err := d.more(status); err != nil {
			return err
		}
	}
	d.worded, d.length, d.bodyAt = true, d.p.Left(), d.p.Offset()
	d.text = textCheck{}
	return nil
}

// admit checks the length of the pending value against the bound of the schema or
// else the cap of the receiver.
func (d *Decoder) admit(limit int) error {
	switch {
	case d.bound >= 0:
		if d.length > d.bound {
			return d.fail(errBound, d.p.WordOffset())
		}
	case d.length > limit:
		return d.fail(ErrLimit, d.p.WordOffset())
	}
	return nil
}

// streams reports whether Limits.Message holds for the input.
func (d *Decoder) streams() bool { return d.p.r != nil }

// fetch gets bytes for a step that returned status, and reports whether there were any.
func (d *Decoder) fetch(status Status) (bool, error) {
	if status == Failed {
		return false, d.latched()
	}
	ok, err := d.p.Fetch()
	if !ok && err == nil && d.streams() && d.p.AtEnd() {
		return d.beyond()
	}
	return ok, err
}

// more is fetch for a step inside a field, which must not end there.
func (d *Decoder) more(status Status) error {
	ok, err := d.fetch(status)
	if ok || err != nil {
		return err
	}
	return d.incomplete()
}

func (d *Decoder) incomplete() error {
	if d.push {
		return ErrIncomplete
	}
	return &SyntaxError{Offset: d.p.InputEnd(), Err: ErrIncomplete}
}

// beyond is a fault if the input goes on behind Limits.Message bytes.
func (d *Decoder) beyond() (bool, error) {
	on, err := d.p.GoesOn()
	if on {
		return false, d.fail(ErrLimit, d.limits.Message)
	}
	d.p.SetEnd(max(0, d.limits.Message-d.p.Offset()))
	return false, err
}

// fail latches a fault.
func (d *Decoder) fail(err error, offset int64) error {
	d.p.Fail(err, offset)
	return d.latched()
}

// latched is the fault that the parser has, or nil.
func (d *Decoder) latched() error {
	offset, err := d.p.Err()
	if err == nil {
		return nil
	}
	if d.fault == nil {
		d.fault = &SyntaxError{Offset: offset, Err: err}
	}
	return d.fault
}

// chunkQueue holds what was fed to a Decoder and not read yet. At its end it says
// io.EOF, for now.
type chunkQueue struct {
	buf []byte
	pos int
}

func (q *chunkQueue) reset() { q.buf, q.pos = q.buf[:0], 0 }

func (q *chunkQueue) add(chunk []byte) {
	if len(q.buf)+len(chunk) > cap(q.buf) {
		q.buf = q.buf[:copy(q.buf, q.buf[q.pos:])]
		q.pos = 0
	}
	q.buf = append(q.buf, chunk...)
}

func (q *chunkQueue) Read(p []byte) (int, error) {
	n := copy(p, q.buf[q.pos:])
	q.pos += n
	if q.pos == len(q.buf) {
		q.reset()
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}
