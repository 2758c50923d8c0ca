package sofab

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"

	"github.com/sofab-go/sofab/stream"
	"github.com/sofab-go/sofab/tags"
	"github.com/sofab-go/sofab/wire"
)

// A RawMessage is the body of a nested message as it stands on the wire: its fields,
// without the sequence around them. It defers decoding, or holds what was encoded
// before. As the value that is marshalled or unmarshalled it is the whole message.
//
// On encode it must be a well-formed message, which is checked once, in linear time; it
// is then written as it is. A nil or empty RawMessage is absent. On decode it is a copy
// of what arrived, unless [Options] Alias is set; only its framing was checked. If a
// message holds the field more than once, the bodies stand one behind the other, which
// makes them one (section 1.9). All of it is bounded like a blob: by the tag option
// maxlen, else by Limits.Blob.
type RawMessage []byte

// MarshalSofab returns m itself.
func (m RawMessage) MarshalSofab() ([]byte, error) { return m, nil }

// UnmarshalSofab sets *m to a copy of data. It is an error, and changes nothing, when
// data is not a well-formed message.
func (m *RawMessage) UnmarshalSofab(data []byte) error {
	if m == nil {
		return errors.New("sofab: UnmarshalSofab on a nil *RawMessage")
	}
	if err := checkBody(data, 0); err != nil {
		return err
	}
	*m = append((*m)[:0], data...)
	return nil
}

// A RawField is one field of any wire type as it stands on the wire, but for its id,
// which is that of the Go field that holds it: a value passes through, also to another
// id, without being understood.
//
// The bytes are those of a message with the value at id 0, as [Marshal] makes it of any
// value that is not a struct, and as [Unmarshal] reads it into one:
//
//	f, err := sofab.Marshal(uint64(5)) // RawField(f) is the unsigned 5
//
// An empty RawField is absent. It cannot be the last element of an array, nor stand
// behind a pointer. If a message holds the field more than once, the last one counts;
// but a sequence behind a sequence is kept beside it, because it may continue it. On
// decode, a RawField is always a copy, and bounded as a [RawMessage] is.
type RawField []byte

// Type is the wire type of the field; ok is false if there is none.
func (f RawField) Type() (t wire.Type, ok bool) {
	_, t, n := wire.ConsumeHeader(f)
	return t, n > 0
}

// wireAny is the wire type of a form whose fields may arrive with any.
const wireAny wire.Type = 0xff

// A rawForm is how values of kindRaw get to their bytes and come from them. Where the
// wire type of the form is SequenceStart, these are the body of a nested message; where
// it is wireAny, a whole field with its header.
type rawForm struct {
	// body returns the bytes of a nested message. They are checked afterwards.
	body func(f *form, p pointer) ([]byte, error)
	// field writes the value as a field of any wire type.
	field func(s *encodeState, f *form, id wire.ID, p pointer, keep bool) error
	// store continues the value with bytes that arrived, which it may keep.
	store func(d *decodeState, f *form, p pointer, b []byte) stream.Status

	// held is how many bytes the value holds that those of the field at hand are added
	// to. It may be nil.
	held func(d *decodeState, p pointer) int

	keepsID bool // the header of a field keeps its id, else it gets 0
	aliases bool // the bytes may be part of the input, with Options.Alias
}

var (
	rawMessageForm = rawForm{body: bodyOfRawMessage, store: storeRawMessage, held: heldByRawMessage, aliases: true}
	rawFieldForm   = rawForm{field: encodeRawField, store: storeRawField, held: heldByRawField}
)

func init() {
	specialTypes[reflect.TypeFor[RawMessage]()] = func(c *compiler, f *form, t reflect.Type, o *tags.Options, s site) bool {
		f.raw, f.kind, f.wire, f.maxlen = &rawMessageForm, kindRaw, wire.SequenceStart, o.MaxLen
		return c.fits(o, "raw", t, s)
	}
	specialTypes[reflect.TypeFor[RawField]()] = func(c *compiler, f *form, t reflect.Type, o *tags.Options, s site) bool {
		f.raw, f.kind, f.wire, f.maxlen = &rawFieldForm, kindRaw, wireAny, o.MaxLen
		return c.fits(o, "X", t, s)
	}
}

func bodyOfRawMessage(_ *form, p pointer) ([]byte, error) { return *at[RawMessage](p), nil }

func storeRawMessage(_ *decodeState, f *form, p pointer, b []byte) stream.Status {
	switch m := at[RawMessage](p); {
	case *m != nil:
		*m = append(*m, b...)
	case len(b) > 0 || f.presence:
		*m = b
	}
	return stream.Done
}

func heldByRawMessage(_ *decodeState, p pointer) int { return len(*at[RawMessage](p)) }

func encodeRawField(s *encodeState, f *form, id wire.ID, p pointer, keep bool) error {
	field := *at[RawField](p)
	if len(field) == 0 {
		if keep {
			return &UnsupportedValueError{Value: p.value(f.typ), Str: "empty RawField where a field must be written: as last element of an array, or behind a pointer"}
		}
		return nil
	}
	if f.maxlen > 0 && len(field)-1 > f.maxlen {
		return overMaxlen(f, len(field)-1)
	}
	if err := checkRawField(field, s.Depth()); err != nil {
		return &UnsupportedValueError{Value: p.value(f.typ), Str: fmt.Sprintf("malformed RawField: %v", unprefixed(err))}
	}
	var w fieldWalk
	for w.reset(field, s.Depth()); w.next(); {
		s.Header(id, w.typ)
		s.Raw(field[w.value:w.end])
	}
	return nil
}

// checkRawField checks that the bytes are a field with id 0, or several sequences.
func checkRawField(field []byte, depth int) error {
	var w fieldWalk
	n := 0
	for w.reset(field, depth); w.next(); n++ {
		switch {
		case w.id != 0:
			return fmt.Errorf("its id is %d; it must be 0, as in Marshal(value)", w.id)
		case n > 0 && w.typ != wire.SequenceStart:
			return errors.New("more than one field")
		}
	}
	return w.err
}

// heldByRawField is not 0 for a sequence behind a sequence.
func heldByRawField(d *decodeState, p pointer) int {
	field := *at[RawField](p)
	if was, ok := field.Type(); ok && was == wire.SequenceStart && d.p.Type() == was {
		return len(field)
	}
	return 0
}

func storeRawField(d *decodeState, _ *form, p pointer, b []byte) stream.Status {
	field := at[RawField](p)
	if d.raw.held > 0 {
		*field = append(*field, b...)
	} else {
		*field = b
	}
	return stream.Done
}

// overMaxlen is the error of a value that has too many bytes to be written.
func overMaxlen(f *form, got int) error {
	return &BoundError{Offset: -1, Bound: "maxlen", Limit: int64(f.maxlen), Got: int64(got)}
}

// raw writes a value that stands on the wire as bytes that exist already.
func (s *encodeState) raw(f *form, id wire.ID, p pointer, keep bool) error {
	if f.raw.field != nil {
		return f.raw.field(s, f, id, p, keep)
	}
	b, err := f.raw.body(f, p)
	if err != nil {
		return err
	}
	if len(b) == 0 && !keep && !(f.presence && !p.slice().isNil()) {
		return nil
	}
	if f.maxlen > 0 && len(b) > f.maxlen {
		return overMaxlen(f, len(b))
	}
	if err := s.begin(id); err != nil {
		return err
	}
	if err := checkBody(b, s.Depth()); err != nil {
		return methodError(f, "MarshalSofab", err)
	}
	s.Raw(b)
	s.end(true)
	return nil
}

// whole writes a message that is one value: its body or its fields.
func (s *encodeState) whole(f *form, p pointer) error {
	if f.kind == kindFields {
		return s.treeFields(f, *at[Fields](p))
	}
	b, err := f.raw.body(f, p)
	if err != nil {
		return err
	}
	if err := checkBody(b, 0); err != nil {
		return methodError(f, "MarshalSofab", err)
	}
	s.Raw(b)
	return nil
}

// isWhole reports whether a message of such a value is the value itself, instead of
// having it at id 0.
func (f *form) isWhole() bool {
	return f.kind == kindFields || f.kind == kindRaw && f.wire == wire.SequenceStart
}

// A fieldWalk goes over the fields of a body and checks it: that it is well-formed, and
// not too deep where it stands.
type fieldWalk struct {
	p     stream.Parser
	depth int // sequences around the body
	err   error

	// The field at hand.
	id                wire.ID
	typ               wire.Type
	start, value, end int // where its header and value start, and where it ends
}

// reset starts a walk over b, around which depth sequences are open.
func (w *fieldWalk) reset(b []byte, depth int) {
	w.p.ResetBytes(b)
	w.depth, w.err = depth, nil
}

// next gets to the next field. It returns false at the end, and at a fault.
func (w *fieldWalk) next() bool {
	w.start = int(w.p.Offset())
	status := w.p.Head()
	if status == stream.More && w.p.Complete() {
		return false
	}
	w.id, w.typ, w.value = w.p.ID(), w.p.Type(), int(w.p.Offset())
	for status == stream.Done {
		switch t := w.p.Type(); {
		case t == wire.SequenceStart && w.depth+w.p.Depth() > wire.MaxDepth:
			w.err = errTooDeep
			return false
		case t < wire.SequenceStart:
			status = w.p.Skip()
		}
		if status == stream.Done && w.p.Depth() == 0 {
			w.end = int(w.p.Offset())
			return true
		}
		if status == stream.Done {
			status = w.p.Head()
		}
	}
	offset, err := w.p.Err()
	if status == stream.More {
		err, offset = ErrIncomplete, w.p.InputEnd()
	}
	w.err = &SyntaxError{Offset: offset, Err: err}
	return false
}

var errTooDeep = errors.New("more than 255 sequences deep, together with those around it")

// checkBody is an error unless b is a well-formed body that fits into depth sequences.
func checkBody(b []byte, depth int) error {
	var w fieldWalk
	for w.reset(b, depth); w.next(); {
	}
	return w.err
}

// A capture is where a value stands that is read as it is.
type capture struct {
	at      int64 // offset behind its header
	held    int   // bytes that the value held before
	inField bool  // within a body: the header of a field was read
	stored  int   // bytes of a message as a whole that were stored
	over    int64 // offset at which it is over its bound or cap, else 0
}

// beginCapture starts to read the value at hand, whose header was read, as it is.
func (d *decodeState) beginCapture() {
	d.raw = capture{at: d.p.Offset()}
	if held := d.form.raw.held; held != nil {
		d.raw.held = held(d, d.dst)
	}
	if d.form.wire != wireAny {
		return
	}
	id := wire.ID(0)
	if d.form.raw.keepsID {
		id = d.p.ID()
	}
	d.part = wire.AppendHeader(nil, id, d.p.Type())
}

// capture reads the value at hand as it is and stores it. The bytes gather in part as
// they arrive.
func (d *decodeState) capture(f *form) stream.Status {
	piece, status := d.captured(f.wire == wireAny)
	if d.overCaptured(f, len(piece)) {
		return stream.Failed
	}
	switch {
	case status != stream.Done:
		d.part = append(d.part, piece...)
		return status
	case len(d.part) > 0 || len(piece) == 0:
		piece = append(d.part, piece...)
		d.part = nil
	case !d.alias || !f.raw.aliases:
		piece = bytes.Clone(piece)
	}
	if piece == nil {
		piece = []byte{}
	}
	if !d.charge(int64(len(piece))) {
		return stream.Failed
	}
	return f.raw.store(d, f, d.dst, piece[:len(piece):len(piece)])
}

// captured consumes what is at hand of a value that is read as it is, and returns it. Of
// the sequence around a body, the end is consumed and not returned.
func (d *decodeState) captured(field bool) ([]byte, stream.Status) {
	window, from := d.p.Window(), d.p.Offset()
	if field {
		status := d.p.Skip()
		return window[:d.p.Offset()-from], status
	}
	for {
		if d.raw.inField {
			status := d.p.Skip()
			if status != stream.Done {
				return window[:d.p.Offset()-from], status
			}
			d.raw.inField = false
		}
		end := d.p.Offset()
		status := d.p.Head()
		if status != stream.Done || d.p.Type() == wire.SequenceEnd {
			return window[:end-from], status
		}
		d.raw.inField = true
	}
}

// overCaptured fails if the value at hand, with a new piece of n bytes, is over its
// bound or over the cap of the receiver. That counts before anything that is wrong
// behind it, so that it does not depend on how the input was cut.
func (d *decodeState) overCaptured(f *form, n int) bool {
	got := int64(d.raw.held + len(d.part) + n)
	if f.wire == wireAny && len(d.part) > 0 {
		_, _, head := wire.ConsumeHeader(d.part)
		got -= int64(head)
	}
	limit := int64(d.options.limits.Blob)
	if f.maxlen > 0 {
		limit = int64(f.maxlen)
	}
	if got <= limit {
		return false
	}
	switch d.raw.over = d.raw.at + max(0, limit-int64(d.raw.held)); {
	case f.maxlen > 0:
		d.fault = &BoundError{Path: d.path(), Offset: d.raw.over, Bound: "maxlen", Limit: limit, Got: limit + 1}
	default:
		d.fault = &LimitError{Path: d.path(), Offset: d.raw.over, Kind: "Blob", Limit: limit, Got: limit + 1}
	}
	return true
}

// beginWhole starts a message that is one value as a whole, at p.
func (d *decodeState) beginWhole(f *form, p pointer) {
	if !d.options.merge {
		f.mem.reset(p)
	}
	if f.kind == kindFields {
		d.push(nil, f, p)
		d.frames[1].leavable = false // it is the message
		return
	}
	d.step, d.raw, d.part = atWhole, capture{at: d.p.Offset()}, nil
	d.headAt = d.p.Offset()
}

// captureMessage reads a message that is one value as it is. Done is only returned for
// a framed message whose end was read.
func (d *decodeState) captureMessage() stream.Status {
	piece, status := d.captured(false)
	if d.alias && len(d.part) == 0 {
		d.part = piece[:len(piece):len(piece)]
	} else {
		d.part = append(d.part, piece...)
	}
	return status
}

// storeWhole gives a value that is a message as a whole what has arrived of it. It may
// be called again when more has.
func (d *decodeState) storeWhole(more bool) stream.Status {
	fr := &d.frames[0]
	f := fr.table.whole
	if f == nil || f.kind != kindRaw {
		return stream.Done
	}
	b := d.part[:len(d.part):len(d.part)]
	if d.options.merge {
		b = b[d.raw.stored:]
	} else {
		f.mem.reset(fr.dst)
	}
	d.raw.stored = len(d.part)
	if (more || d.alias) && !f.raw.aliases {
		b = bytes.Clone(b)
	}
	return f.raw.store(d, f, fr.dst, b)
}

// soFar ends a message that is complete so far and may go on. What it lacks for now is
// no failure: more may bring it.
func (d *decodeState) soFar() error {
	if missing := d.missing(); missing != nil {
		missing.open = true
		return missing
	}
	if d.storeWhole(true) == stream.Done {
		return nil
	}
	refused, ok := d.fault.(*MarshalerError)
	if !ok {
		return d.fault
	}
	d.fault = nil
	return &SyntaxError{Offset: d.p.Offset(), Err: unfinished{refused}}
}

// unfinished says why a message that is complete so far is refused as it is.
type unfinished struct{ err error }

func (e unfinished) Error() string        { return unprefixed(e.err) }
func (e unfinished) Is(target error) bool { return isIncomplete(target) }
