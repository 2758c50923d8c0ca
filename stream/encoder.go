package stream

import (
	"io"

	"github.com/sofab-go/sofab/wire"
)

const (
	// MinOutputBuffer is the smallest buffer, behind its start offset, that works
	// together with a sink: any unit is split at any byte.
	MinOutputBuffer = 1
	// writeSize is how long a message may be that is passed on to a writer in one
	// piece.
	writeSize = 64 << 10
	// writeLimit is where the buffer of a writer is passed on. Behind writeSize there is
	// room for what counts before it is written or is never written: the largest
	// Reserve, and the headers of 255 sequences.
	writeLimit = writeSize + 4<<10
	// partSize is the size from which on what is appended is set aside in parts instead
	// of being copied into ever larger buffers. The last part is half empty on average.
	partSize = 256 << 10
	// borrowSize is the length from which on a payload is rather borrowed than copied.
	borrowSize = 8 << 10
	// firstBuffer is the first buffer of an encoder that has none.
	firstBuffer = 512
)

// An Encoder writes the fields of messages. No defaults are known here: every call
// writes its field, also a zero or an empty array, and neither the order of ids nor
// their repetition is policed.
//
// Sequences are lazy (section 4.2): BeginSequence writes nothing that stays unless a
// field follows inside. EndSequence drops a sequence without content,
// EndSequenceKeep keeps it as an empty frame.
//
// The first error sticks: every later call returns it and writes nothing. A call
// that is refused ([ErrArgument]) has written no byte of its field.
//
// An Encoder is not safe for concurrent use.
type Encoder struct {
	w        Window   // what is written and not passed on
	passed   int64    // bytes that left buf
	out      output   // nil: appends
	dst      []byte   // what is appended to; buf is its free part until that is too small
	scratch  []byte   // buf from then on, kept for the next message
	moved    bool     // buf is not the free part of dst any more
	inPlace  bool     // the first of parts is the start of the free part of dst
	parts    [][]byte // of a large message that is appended, in front of buf; may share scratch
	pages    []*page  // that some of the parts, and buf, stand in
	limit    int      // with out: buf is passed on rather than grown beyond this
	eager    bool     // buf is passed on after every field
	verbatim bool
	err      error
}

// NewEncoder returns an Encoder that writes to w. Bytes are passed on when some
// 64 KiB have gathered, and by Flush. An error of w is returned as it is.
func NewEncoder(w io.Writer) *Encoder {
	return &Encoder{out: writerOutput{w}, limit: writeLimit}
}

// NewAppendEncoder returns an Encoder that appends to dst; see [Encoder.Bytes].
func NewAppendEncoder(dst []byte) *Encoder {
	e := new(Encoder)
	e.ResetAppend(dst)
	return e
}

// NewBufferEncoder returns an Encoder that writes into buf from the given offset on.
// The bytes before the offset are not touched, buf is never grown.
//
// Without a sink the message must fit the buffer, which may be filled to its last
// byte; a field that does not fit is [ErrBufferFull], and nothing partial is ever
// reported as success. With a sink a full buffer is handed to it; see [Sink]. The
// offset counts for this installation only: after a flush, writing goes on at the
// start of the buffer.
func NewBufferEncoder(buf []byte, offset int, sink Sink) (*Encoder, error) {
	e := new(Encoder)
	if err := e.ResetBuffer(buf, offset, sink); err != nil {
		return nil, err
	}
	return e, nil
}

func checkBuffer(buf []byte, offset int, sink Sink) error {
	if offset < 0 || offset > len(buf) {
		return argumentError("offset %d is not within a buffer of %d bytes", offset, len(buf))
	}
	if sink != nil && len(buf)-offset < MinOutputBuffer {
		return argumentError("a buffer with a sink needs at least %d byte behind its offset", MinOutputBuffer)
	}
	return nil
}

// SetBuffer installs another buffer, with its own start offset, on an encoder made
// by NewBufferEncoder. Called by the sink, it replaces the buffer that the sink was
// given. Called at another time, what stands in the old buffer goes to the sink first.
func (e *Encoder) SetBuffer(buf []byte, offset int) error {
	o, ok := e.out.(*bufferOutput)
	if !ok {
		return argumentError("the encoder does not write into a buffer of the caller")
	}
	if err := checkBuffer(buf, offset, o.sink); err != nil {
		return err
	}
	if !o.flushing {
		if err := e.Flush(); err != nil {
			return err
		}
	}
	o.install(buf, offset)
	return nil
}

// ResetBuffer makes the encoder write into buf as [NewBufferEncoder] says, with no error
// and no open sequence. When the buffer is refused the encoder stays as it was.
func (e *Encoder) ResetBuffer(buf []byte, offset int, sink Sink) error {
	if err := checkBuffer(buf, offset, sink); err != nil {
		return err
	}
	out := &bufferOutput{buf: buf, from: offset, to: offset, sink: sink}
	*e = Encoder{w: WindowOf(e.scratch), scratch: e.scratch, out: out, eager: true, verbatim: e.verbatim}
	return nil
}

// ResetWriter makes the encoder write to w, with no error and no open sequence.
func (e *Encoder) ResetWriter(w io.Writer) {
	*e = Encoder{w: WindowOf(e.scratch), scratch: e.scratch, out: writerOutput{w}, limit: writeLimit, verbatim: e.verbatim}
}

// Restart makes an encoder to a writer, or one that appends, start again: no error, no
// open sequence, and what was not passed on is dropped.
func (e *Encoder) Restart() {
	if e.out == nil {
		e.ResetAppend(e.dst)
		return
	}
	*e = Encoder{w: WindowOf(e.scratch), scratch: e.scratch, out: e.out, limit: e.limit, verbatim: e.verbatim}
}

// DropScratch makes an encoder ready to be kept: it lets go of everything but a scratch
// buffer of at most size bytes.
func (e *Encoder) DropScratch(size int) {
	if len(e.scratch) > size {
		e.scratch = nil
	}
	if len(e.parts) > 0 {
		e.freeParts()
	}
	e.w = Window{}
	e.dst, e.out, e.err = nil, nil, nil
	e.verbatim = false
}

// SetVerbatim lets strings pass that are not UTF-8 (section 6, "off").
func (e *Encoder) SetVerbatim(on bool) { e.verbatim = on }

// Gathered is what was written and not passed on yet, without headers of sequences that
// have no content. It is valid until the next call.
func (e *Encoder) Gathered() []byte { return e.w.buf[:e.w.Settled()] }

// Len is the number of bytes written since the start, without the headers of
// sequences that have no content yet.
func (e *Encoder) Len() int64 { return e.passed + int64(e.w.Settled()) }

// Written is the number of bytes written since the start, with the headers of sequences
// that have no content yet.
func (e *Encoder) Written() int64 { return e.passed + int64(e.w.n) }

// Window is the encoder's window on its buffer, for a caller that writes many fields
// straight into it; see [Window]. It is valid until the encoder is reset. Programs
// rarely need it.
func (e *Encoder) Window() *Window { return &e.w }

// Depth is the number of open sequences.
func (e *Encoder) Depth() int { return e.w.depth }

// Err is the error that sticks.
func (e *Encoder) Err() error { return e.err }

// fail makes err stick.
func (e *Encoder) fail(err error) error {
	if e.err == nil {
		e.err = err
	}
	return e.err
}

// Reserve returns the free part of the buffer, at least size bytes. The caller writes
// units at its start and then calls [Encoder.Advance]. After an error the bytes go
// nowhere, so that only the end of a message needs a look at Err.
func (e *Encoder) Reserve(size int) []byte {
	if len(e.w.buf)-e.w.n < size {
		e.makeRoom(size)
	}
	return e.w.buf[e.w.n:]
}

// Advance says that n bytes of the part that Reserve returned are written.
func (e *Encoder) Advance(n int) { e.w.n += n }

// makeRoom passes bytes on where there is an output and the buffer is at its limit,
// and grows the buffer where that is not enough.
func (e *Encoder) makeRoom(size int) {
	if e.out != nil && e.w.n+size > e.limit {
		e.passOn()
	}
	if len(e.w.buf)-e.w.n >= size {
		return
	}
	if e.out == nil && e.w.Settled() > 0 && (e.w.n+size > partSize || !e.moved) {
		e.setAside(size)
	} else {
		e.grow(size)
	}
}

// passOn gives the output everything but held-back headers.
func (e *Encoder) passOn() {
	k := e.w.Settled()
	if k > 0 {
		e.pass(e.w.buf[:k])
	}
	held := copy(e.w.buf, e.w.buf[k:e.w.n])
	e.w.n, e.w.heldFrom, e.w.heldTo = held, 0, held
}

// pass gives p to the output, unless an error sticks.
func (e *Encoder) pass(p []byte) {
	if e.err != nil {
		return
	}
	if e.err = e.out.write(e, p); e.err == nil {
		e.passed += int64(len(p))
	}
}

// Raw writes bytes of a payload behind what stands in the buffer. Where they would go
// beyond the limit of a writer they pass the buffer by.
func (e *Encoder) Raw(p []byte) {
	if e.out != nil && len(p) > e.limit-e.w.n && len(p) > 0 {
		e.w.heldFrom = e.w.heldTo // headers in front of p stay
		e.passOn()
		e.pass(p)
		return
	}
	copyPayloadOf(e, p)
}

// RawString is Raw for the bytes of a string.
func (e *Encoder) RawString(s string) { copyPayloadOf(e, s) }

// copyPayloadOf copies a payload behind what stands in the buffer. One that does not fit
// is split rather than given a buffer that is larger than others are.
func copyPayloadOf[P []byte | string](e *Encoder, p P) {
	most, next := e.limit, 1
	if e.out == nil {
		most, next = partSize, partSize
	}
	if len(p) <= max(len(e.w.buf), most)-e.w.n {
		e.Advance(copy(e.Reserve(len(p)), p))
		return
	}
	for len(p) > 0 {
		if e.w.n == len(e.w.buf) {
			e.makeRoom(min(len(p), next))
		}
		n := copy(e.w.buf[e.w.n:], p)
		e.w.n += n
		p = p[n:]
	}
}

// done ends a call that wrote a field.
func (e *Encoder) done() error {
	if e.eager {
		e.passOn()
	}
	return e.err
}

// Flush passes on everything that was written, and hands a partly filled buffer to
// the sink. Headers of sequences without content stay held back. It returns the error
// that sticks.
func (e *Encoder) Flush() error {
	if e.out == nil || e.err != nil {
		return e.err
	}
	e.passOn()
	if o, ok := e.out.(*bufferOutput); ok && e.err == nil {
		if err := o.flush(e); err != nil {
			e.err = err
		}
	}
	return e.err
}

// Header writes a header of its own, for a value that the caller writes with Reserve
// and Raw. The id must not be above wire.MaxID.
func (e *Encoder) Header(id wire.ID, t wire.Type) {
	e.Advance(wire.PutHeader(e.Reserve(wire.MaxVarintLen), id, t))
}

// start begins a call that writes a field: no error sticks and the id is one.
func (e *Encoder) start(id wire.ID) error {
	if e.err != nil {
		return e.err
	}
	if id > wire.MaxID {
		return e.fail(argumentError("id %d is above %d", id, wire.MaxID))
	}
	return nil
}

// BeginSequence opens a sequence. At most 255 may be open at once.
func (e *Encoder) BeginSequence(id wire.ID) error {
	if err := e.start(id); err != nil {
		return err
	}
	if e.w.depth == wire.MaxDepth {
		return e.fail(argumentError("more than %d sequences are open", wire.MaxDepth))
	}
	n := wire.PutHeader(e.Reserve(wire.MaxVarintLen), id, wire.SequenceStart)
	e.w.BeginAt(e.w.n, n)
	e.w.n += n
	return nil
}

// EndSequence closes the innermost sequence. Without content it leaves no trace.
func (e *Encoder) EndSequence() error { return e.end(false) }

// EndSequenceKeep closes the innermost sequence and keeps its frame, also when it is
// empty: the last element of a wrapper, or a struct with presence.
func (e *Encoder) EndSequenceKeep() error { return e.end(true) }

func (e *Encoder) end(keep bool) error {
	if e.err != nil {
		return e.err
	}
	if e.w.depth == 0 {
		return e.fail(argumentError("no sequence is open"))
	}
	e.w.depth--
	if !keep && !e.w.HasContent() {
		e.takeBack()
		return nil
	}
	e.Reserve(1)[0] = byte(wire.SequenceEnd)
	e.w.n++
	return e.done()
}

// takeBack removes the last held-back header. Its first byte is found backwards: all
// bytes of a varint but the last have the top bit set.
func (e *Encoder) takeBack() {
	e.w.n--
	for e.w.n > e.w.heldFrom && e.w.buf[e.w.n-1] >= 0x80 {
		e.w.n--
	}
	e.w.heldTo = e.w.n
}

// Unsigned writes an unsigned integer.
func (e *Encoder) Unsigned(id wire.ID, v uint64) error {
	return e.varint(id, wire.Unsigned, v)
}

// Signed writes a signed integer.
func (e *Encoder) Signed(id wire.ID, v int64) error {
	return e.varint(id, wire.Signed, wire.Zigzag(v))
}

// Bool writes a boolean, as an unsigned 0 or 1.
func (e *Encoder) Bool(id wire.ID, v bool) error {
	return e.varint(id, wire.Unsigned, uint64(wire.BoolByte(v)))
}

func (e *Encoder) varint(id wire.ID, t wire.Type, u uint64) error {
	if err := e.start(id); err != nil {
		return err
	}
	b := e.Reserve(2 * wire.MaxVarintLen)
	n := wire.PutHeader(b, id, t)
	e.w.n += n + wire.PutVarint(b[n:], u)
	return e.done()
}

// Float32 writes an fp32, every bit as it is.
func (e *Encoder) Float32(id wire.ID, v float32) error {
	if err := e.fixlen(id, wire.FP32, 4); err != nil {
		return err
	}
	wire.AppendFloat32(e.Reserve(4)[:0], v)
	e.w.n += 4
	return e.done()
}

// Float64 writes an fp64, every bit as it is.
func (e *Encoder) Float64(id wire.ID, v float64) error {
	if err := e.fixlen(id, wire.FP64, 8); err != nil {
		return err
	}
	wire.AppendFloat64(e.Reserve(8)[:0], v)
	e.w.n += 8
	return e.done()
}

// String writes a string, which must be UTF-8 unless SetVerbatim is on.
func (e *Encoder) String(id wire.ID, s string) error {
	if e.err == nil && !e.verbatim {
		if i := wire.BadUTF8(s); i >= 0 {
			return e.fail(argumentError("string of field %d is not UTF-8 at byte %d", id, i))
		}
	}
	if err := e.fixlen(id, wire.String, len(s)); err != nil {
		return err
	}
	e.RawString(s)
	return e.done()
}

// Blob writes a blob.
func (e *Encoder) Blob(id wire.ID, p []byte) error {
	if err := e.fixlen(id, wire.Blob, len(p)); err != nil {
		return err
	}
	e.Raw(p)
	return e.done()
}

// fixlen writes the header and the word of a fixlen value.
func (e *Encoder) fixlen(id wire.ID, s wire.Subtype, length int) error {
	if err := e.start(id); err != nil {
		return err
	}
	if length > wire.MaxFixlen {
		return e.fail(argumentError("%s of field %d has more than %d bytes", s, id, wire.MaxFixlen))
	}
	b := e.Reserve(2 * wire.MaxVarintLen)
	n := wire.PutHeader(b, id, wire.Fixlen)
	e.w.n += n + wire.PutFixlenWord(b[n:], length, s)
	return nil
}

// array writes the header and the count of an array.
func (e *Encoder) array(id wire.ID, t wire.Type, count int) error {
	if err := e.start(id); err != nil {
		return err
	}
	if count > wire.MaxArray {
		return e.fail(argumentError("array of field %d has more than %d elements", id, wire.MaxArray))
	}
	b := e.Reserve(3 * wire.MaxVarintLen)
	n := wire.PutHeader(b, id, t)
	e.w.n += n + wire.PutVarint(b[n:], uint64(count))
	return nil
}

// WriteUnsigneds writes an array of unsigned integers.
func WriteUnsigneds[T wire.Integer](e *Encoder, id wire.ID, v []T) error {
	if err := e.array(id, wire.UnsignedArray, len(v)); err != nil {
		return err
	}
	PutUnsigneds(e, v)
	return e.done()
}

// WriteSigneds writes an array of signed integers.
func WriteSigneds[T wire.Integer](e *Encoder, id wire.ID, v []T) error {
	if err := e.array(id, wire.SignedArray, len(v)); err != nil {
		return err
	}
	PutSigneds(e, v)
	return e.done()
}

// Bools writes an array of booleans.
func (e *Encoder) Bools(id wire.ID, v []bool) error {
	if err := e.array(id, wire.UnsignedArray, len(v)); err != nil {
		return err
	}
	e.PutBools(v)
	return e.done()
}

// Float32s writes an array of fp32.
func (e *Encoder) Float32s(id wire.ID, v []float32) error {
	if err := e.array(id, wire.FixlenArray, len(v)); err != nil {
		return err
	}
	e.PutFloat32s(v)
	return e.done()
}

// Float64s writes an array of fp64.
func (e *Encoder) Float64s(id wire.ID, v []float64) error {
	if err := e.array(id, wire.FixlenArray, len(v)); err != nil {
		return err
	}
	e.PutFloat64s(v)
	return e.done()
}

// elementRoom is how much of the buffer is asked for to write elements into: enough
// for some dozens, so that a buffer that would have fitted is not grown for nothing.
const elementRoom = 256

// PutUnsigneds writes the elements of an array of unsigned behind its count.
func PutUnsigneds[T wire.Integer](e *Encoder, v []T) {
	for len(v) > 0 {
		elements, n := wire.PutUnsigneds(e.Reserve(min(elementRoom, wire.MaxVarintLen*len(v))), v)
		e.w.n += n
		v = v[elements:]
	}
}

// PutSigneds writes the elements of an array of signed behind its count.
func PutSigneds[T wire.Integer](e *Encoder, v []T) {
	for len(v) > 0 {
		elements, n := wire.PutSigneds(e.Reserve(min(elementRoom, wire.MaxVarintLen*len(v))), v)
		e.w.n += n
		v = v[elements:]
	}
}

// PutBools writes the elements of an array of booleans behind its count.
func (e *Encoder) PutBools(v []bool) {
	for len(v) > 0 {
		elements, n := wire.PutBools(e.Reserve(min(elementRoom, len(v))), v)
		e.w.n += n
		v = v[elements:]
	}
}

// PutFloat32s writes the element word and the elements of an fp32 array behind its
// count.
func (e *Encoder) PutFloat32s(v []float32) {
	wire.AppendElementWord(e.Reserve(1)[:0], wire.FP32)
	e.w.n++
	for len(v) > 0 {
		elements, n := wire.PutFloat32s(e.Reserve(min(elementRoom, 4*len(v))), v)
		e.w.n += n
		v = v[elements:]
	}
}

// PutFloat64s writes the element word and the elements of an fp64 array behind its
// count.
func (e *Encoder) PutFloat64s(v []float64) {
	wire.AppendElementWord(e.Reserve(1)[:0], wire.FP64)
	e.w.n++
	for len(v) > 0 {
		elements, n := wire.PutFloat64s(e.Reserve(min(elementRoom, 8*len(v))), v)
		e.w.n += n
		v = v[elements:]
	}
}
