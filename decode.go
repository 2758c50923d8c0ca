package sofab

import (
	"slices"
	"sync"

	"github.com/sofab-go/sofab/stream"
	"github.com/sofab-go/sofab/wire"
)

// A decodeState decodes one message into a value. It stands on a stream.Parser and
// can stop at every byte: run returns More when the bytes at hand are used up, and
// goes on from there. A slice, a reader and chunks differ only in who fetches more.
//
// Each field takes up to four steps: its header finds the row; its words, where it has
// some, decide whether it is what the row declares and within its bounds (admit); then
// the value is stored, or the field is skipped.
type decodeState struct {
	fastState
	memory slab // that slab points to
	p      stream.Parser
	step   fieldStep
	headAt int64   // offset of its header
	form   *form   // of the value at hand, behind pointers
	dst    pointer // where it goes
	stands []stand // stand-ins on the way to dst and in open scopes
	stored int     // elements of the array at hand that are stored
	part   []byte  // bytes of the payload at hand, where it came in pieces
	raw    capture // of the value at hand, where it is read as it is

	sizeEnd int64 // offset that no open struct may reach beyond

	complete map[string]struct{} // structs of which no required field is missing, by scopeKey
	openings int                 // of wrappers

	chunks  chunks
	startAt int64 // offset of the message in the input
	skipped int   // fields that arrived with another type
	fault   error // what a layer above the parser found wrong
}

// fieldStep is what comes next for the current field.
type fieldStep uint8

const (
	atHeader fieldStep = iota
	atWords
	atValue
	atSkip
	atWhole
)

// A frame is an open scope: the message, a struct, or a wrapper.
type frame struct {
	table *table  // of a struct
	form  *form   // of a wrapper
	dst   pointer // the struct, slice or array
	row   *row    // the field at hand, nil for an unknown one
	next  int     // index of the row that is expected next; in a wrapper the number of its opening
	index int     // of the element at hand, in a wrapper
	room  int     // elements that growing the slice of the wrapper was charged for
	seen  []int   // indexes of the required rows that arrived
	from  int     // the stand-ins of this scope are stands[from:]
	// leavable: nothing has to be done about the scope when it is closed, and it is
	// not the message.
	leavable bool

	outerEnd int64 // sizeEnd around a struct with a maxsize
}

var decodeStates = sync.Pool{New: func() any { return new(decodeState) }}

// firstFrames is how many frames there is room for at first. What there is room for later is
// kept for the next message; there are no more than the depth of a message allows.
const firstFrames = 8

// begin makes the state ready for a message of table t into the struct at p, which is
// reset to its defaults.
func (d *decodeState) begin(t *table, p pointer, o *settings) {
	d.clear(o)
	d.frames, d.deepest = d.frames[:1], max(d.deepest, 1)
	d.frames[0].open(t, nil, p, 0)
	d.memory.table, d.memory.own = t, o.ownMemory
	if t.maxsize > 0 {
		d.openSized(&d.frames[0])
	}
	if !o.merge {
		d.resetStruct(t, p)
	}
	if t.whole != nil {
		d.beginWhole(t.whole, p)
	}
}

// clear makes the state that of a message of which nothing was decoded.
func (d *decodeState) clear(o *settings) {
	d.options, d.slab = o, &d.memory
	if cap(d.frames) == 0 {
		d.frames = make([]frame, 0, firstFrames)
	}
	d.step, d.from, d.stored, d.charged, d.skipped, d.fault = atHeader, 0, 0, 0, 0, nil
	d.sizeEnd = noSizeEnd
}

// release makes the state ready to be kept, without holding on to the value or the
// input, and gives it back.
func (d *decodeState) release() {
	d.forget()
	d.p.ResetBytes(nil)
	d.options = nil
	decodeStates.Put(d)
}

// forget lets go of the value, and of what is half decoded.
func (d *decodeState) forget() {
	d.memory.forget()
	d.chunks.forget()
	frames := d.frames[:d.deepest]
	for i := range frames {
		fr := &frames[i]
		fr.row, fr.dst = nil, pointer{} // what the codec has compiled may stay
	}
	d.frames, d.deepest = d.frames[:0], 0
	clear(d.stands)
	d.stands = d.stands[:0]
	d.form, d.dst, d.part, d.fault = nil, pointer{}, nil, nil
	d.raw, d.complete, d.openings = capture{}, nil, 0
}

// run decodes as far as the bytes at hand go. Done is only returned for a framed
// message whose end was read.
func (d *decodeState) run() stream.Status {
	for {
		d.memory.hand = len(d.p.Window())
		var status stream.Status
		switch d.step {
		case atHeader:
			if fastPaths {
				if d.fast(); len(d.p.Window()) == 0 {
					return d.checkSize(stream.More)
				}
			}
			status = d.header()
			if status == stream.Done && d.p.Finished() {
				if d.headAt > d.sizeEnd {
					return d.oversize()
				}
				return d.endMessage()
			}
		case atWords:
			status = d.words()
		case atValue:
			if status = d.value(); status == stream.Done {
				status = d.endValue()
			}
		case atSkip:
			if status = d.p.Skip(); status == stream.Done {
				d.step = atHeader
			}
		case atWhole:
			if status = d.captureMessage(); status == stream.Done {
				return d.endMessage()
			}
		}
		if status != stream.Done {
			return d.checkSize(status)
		}
	}
}

// endValue ends a field whose value was stored, or whose scope was opened.
func (d *decodeState) endValue() stream.Status {
	if d.form.wire != wire.SequenceStart || d.form.kind == kindRaw {
		if err := d.settle(d.from); err != nil {
			return d.fail(d.locatedError(err))
		}
	}
	d.step = atHeader
	return stream.Done
}

// header reads a header and finds what it belongs to.
func (d *decodeState) header() stream.Status {
	d.headAt = d.p.Offset()
	if status := d.p.Head(); status != stream.Done {
		return status
	}
	fr := &d.frames[len(d.frames)-1]
	id := d.p.ID()
	if d.p.Type() == wire.SequenceEnd {
		if d.p.Finished() {
			return stream.Done
		}
		return d.closeScope()
	}
	if fr.table == nil {
		if fr.form.kind == kindFields {
			return d.treeHeader(fr)
		}
		fr.index = int(id)
		d.form = fr.form.elem
		d.step = atWords
		return stream.Done
	}
	if fr.next < len(fr.table.rows) && fr.table.rows[fr.next].id == id {
		fr.row = &fr.table.rows[fr.next]
	} else if fr.row = fr.table.find(id); fr.row == nil {
		return d.unknown(id)
	}
	fr.next = fr.row.index + 1
	d.form = fr.row.form
	d.step = atWords
	return stream.Done
}

// unknown handles a field that the struct does not declare.
func (d *decodeState) unknown(id wire.ID) stream.Status {
	fr := &d.frames[len(d.frames)-1]
	if r := fr.table.unknown; r != nil {
		fr.row, d.form, d.step = r, r.form, atWords
		return stream.Done
	}
	if d.options.rejectUnknown {
		return d.fail(&UnknownFieldError{Path: d.path(), Offset: d.headAt, ID: id})
	}
	d.step = atSkip
	return stream.Done
}

// words reads the words of a field and decides about it.
func (d *decodeState) words() stream.Status {
	switch d.form.wire {
	case d.p.Type():
		if status := d.p.Words(); status != stream.Done {
			return status
		}
	case wireAny:
	default:
		return d.mismatch()
	}
	switch d.form.wire {
	case wire.Fixlen, wire.FixlenArray:
		switch {
		case d.form.variants != nil:
			d.form = d.form.variants[d.p.Subtype()]
		case d.form.subtype != d.p.Subtype():
			return d.mismatch()
		}
	}
	if status := d.admit(); status != stream.Done {
		return status
	}
	if !d.locate() {
		return stream.Failed
	}
	if d.form.kind == kindRaw {
		d.beginCapture()
	}
	d.step = atValue
	return stream.Done
}

// mismatch handles a field that arrived with another type than its row declares: it
// is skipped like an unknown one (section 3.6).
func (d *decodeState) mismatch() stream.Status {
	d.skipped++
	if d.options.strict {
		return d.fail(d.typeError())
	}
	d.step = atSkip
	return stream.Done
}

// admit judges the bounds of a field that is what its row declares: first the index in
// a wrapper, then the length or count. A bound of the tag comes before a cap of the
// receiver, which holds only where there is no bound.
func (d *decodeState) admit() stream.Status {
	if fr := &d.frames[len(d.frames)-1]; fr.table == nil {
		switch limit := fr.form.count; {
		case fr.form.length >= 0 && fr.index >= fr.form.length:
			return d.bound("count", fr.form.length, fr.index+1)
		case limit > 0 && fr.index >= limit:
			return d.bound("count", limit, fr.index+1)
		case limit == 0 && fr.form.length < 0 && fr.index >= d.options.limits.Array:
			return d.overLimit("Array", int64(d.options.limits.Array), int64(fr.index)+1)
		}
	}
	f := d.form
	left := d.p.Left()
	switch f.wire {
	case wire.Fixlen:
		switch {
		case f.subtype <= wire.FP64:
		case f.length >= 0 && left != f.length:
			return d.bound("len", f.length, left)
		case f.length >= 0:
		case f.maxlen > 0 && left > f.maxlen:
			return d.bound("maxlen", f.maxlen, left)
		case f.maxlen > 0:
		case f.subtype == wire.String && left > d.options.limits.String:
			return d.overLimit("String", int64(d.options.limits.String), int64(left))
		case f.subtype == wire.Blob && left > d.options.limits.Blob:
			return d.overLimit("Blob", int64(d.options.limits.Blob), int64(left))
		}
	case wire.UnsignedArray, wire.SignedArray, wire.FixlenArray:
		switch {
		case f.length >= 0 && left > f.length:
			return d.bound("count", f.length, left)
		case f.length >= 0:
		case f.count > 0 && left > f.count:
			return d.bound("count", f.count, left)
		case f.count == 0 && left > d.options.limits.Array:
			return d.overLimit("Array", int64(d.options.limits.Array), int64(left))
		}
	}
	return stream.Done
}

// locate sets dst to where the value at hand goes, and form to what is there: it
// allocates embedded and other pointers on the way, and the elements of a wrapper up
// to the index.
func (d *decodeState) locate() bool {
	d.from = len(d.stands)
	fr := &d.frames[len(d.frames)-1]
	if fr.table == nil {
		if !d.element(fr) {
			return false
		}
	} else {
		p := fr.dst
		if fr.row.via != nil {
			if p = d.passAllocating(fr); p.isNil() {
				return false
			}
		}
		d.dst = p.add(fr.row.offset)
		if fr.row.tracked() && !slices.Contains(fr.seen, fr.row.index) {
			fr.seen = append(fr.seen, fr.row.index)
		}
		if fr.table.arms != nil {
			d.selectArm(fr)
		}
	}
	var ok bool
	d.form, d.dst, ok = d.enter(d.form, d.dst)
	return ok
}

// enter follows pointers and proxies from the value at p to where its content goes. It
// allocates pointers that are nil, and puts stand-ins on the stack.
func (d *decodeState) enter(f *form, p pointer) (*form, pointer, bool) {
	for {
		switch f.kind {
		case kindPointer:
			if !d.allocate(p, f.elem) {
				return f, p, false
			}
			f, p = f.elem, p.load()
		case kindProxy:
			standIn, err := d.open(f, p)
			if err != nil {
				d.fail(d.locatedError(err))
				return f, p, false
			}
			d.stands = append(d.stands, stand{form: f, value: p, standIn: standIn})
			f, p = f.proxy.form, standIn
		default:
			return f, p, true
		}
	}
}

// settle gives the values on the stack, from the given height on, what their stand-ins
// have got.
func (d *decodeState) settle(from int) error {
	for i := len(d.stands) - 1; i >= from; i-- {
		s := &d.stands[i]
		if err := s.form.proxy.store(d, s.form, s.value, s.standIn); err != nil {
			return err
		}
		s.form.proxy.close(s.standIn)
		*s = stand{}
	}
	d.stands = d.stands[:from]
	return nil
}

// locatedError gives an error of a value the path of the value at hand.
func (d *decodeState) locatedError(err error) error { return within(err, d.path()) }

// passAllocating follows the embedded pointers to the struct that holds the field at
// hand and allocates those that are nil. It is nil when the budget is used up.
func (d *decodeState) passAllocating(fr *frame) pointer {
	p := fr.dst
	via := fr.row.via
	for i := range via {
		at := p.add(via[i].offset)
		if p = at.load(); p.isNil() {
			if !d.charge(int64(via[i].typ.Size()) + fr.table.promotedHeap(via[:i+1])) {
				return pointer{}
			}
			p = newValue(via[i].typ)
			d.setPromotedDefaults(fr.table, via[:i+1], p)
			at.store(p)
		}
	}
	return p
}

// allocate makes the pointer at p point to a value of form f at its default, unless
// it points to one already.
func (d *decodeState) allocate(p pointer, f *form) bool {
	if !p.load().isNil() {
		return true
	}
	if !d.charge(f.weight) {
		return false
	}
	target := d.newTarget(f)
	d.setDefaults(f, target)
	p.store(target)
	return true
}

// charge counts memory that decoding allocates. It is charged when it is known what
// the input asks for and before it is allocated, unless the input has paid for it
// byte by byte.
func (d *decodeState) charge(size int64) bool {
	d.charged += size
	if d.charged <= d.options.limits.Memory {
		return true
	}
	if d.setBudget(d.read()); d.charged <= d.budget {
		return true
	}
	d.overLimit("Memory", d.budget, d.charged)
	return false
}

// read is how many bytes of the message were read.
func (d *decodeState) read() int64 { return d.p.Offset() - d.startAt }

// openScope enters the struct or wrapper whose header was read.
func (d *decodeState) openScope() {
	if d.form.kind == kindStruct {
		d.push(d.form.table, nil, d.dst)
		if d.form.table.maxsize > 0 {
			d.openSized(&d.frames[len(d.frames)-1])
		}
		return
	}
	d.openWrapper(d.form, d.dst)
}

// openWrapper enters the wrapper at p.
func (d *decodeState) openWrapper(f *form, p pointer) {
	d.clearWrapper(f, p)
	d.push(nil, f, p)
	d.openings++
	d.frames[len(d.frames)-1].next = d.openings
}

// push opens a frame: of a struct with a table, or of a wrapper with a form.
func (d *decodeState) push(t *table, f *form, dst pointer) {
	fr := d.addFrame()
	fr.open(t, f, dst, d.from)
	if d.from == len(d.stands) {
		fr.leavable = t != nil && t.leavable || f != nil && !f.noGaps
	}
}

// addFrame adds a frame, in which something old stands.
func (d *fastState) addFrame() *frame {
	n := len(d.frames)
	if n == cap(d.frames) {
		d.frames = append(make([]frame, 0, 2*n), d.frames...)
	}
	d.frames = d.frames[:n+1]
	d.deepest = max(d.deepest, n+1)
	return &d.frames[n]
}

// open makes the frame one of a struct with a table, or of a wrapper with a form, whose
// stand-ins are those from the given one on.
func (fr *frame) open(t *table, f *form, dst pointer, from int) {
	fr.table, fr.form, fr.dst, fr.row = t, f, dst, nil
	fr.next, fr.index, fr.room, fr.from = 0, 0, 0, from
	fr.leavable = false
	fr.seen = fr.seen[:0]
}

// closeScope leaves a struct or wrapper at its sequence end.
func (d *decodeState) closeScope() stream.Status {
	if fr := &d.frames[len(d.frames)-1]; fr.table != nil && fr.table.maxsize > 0 {
		if d.headAt > d.sizeEnd {
			return d.oversize()
		}
		d.sizeEnd = fr.outerEnd
	}
	if missing := d.missing(); missing != nil {
		return d.fail(missing)
	}
	if fr := &d.frames[len(d.frames)-1]; fr.table == nil {
		d.trim(fr.form, fr.dst)
	}
	if !d.noteComplete() {
		return stream.Failed
	}
	from := d.frames[len(d.frames)-1].from
	d.frames = d.frames[:len(d.frames)-1]
	d.step = atValue // of the field whose scope this was
	if err := d.settle(from); err != nil {
		return d.fail(d.locatedError(err))
	}
	d.step = atHeader
	return stream.Done
}

// endMessage ends a message that is complete.
func (d *decodeState) endMessage() stream.Status {
	if t := d.frames[0].table; !t.required && t.whole == nil && len(d.frames) == 1 {
		return stream.Done
	}
	if missing := d.missing(); missing != nil {
		return d.fail(missing)
	}
	return d.storeWhole(false)
}

// fail ends decoding with a fault that the parser could not see.
func (d *decodeState) fail(err error) stream.Status {
	if d.fault == nil {
		d.fault = err
	}
	return stream.Failed
}

func (d *decodeState) typeError() error {
	e := &UnmarshalTypeError{Value: d.p.Type().String(), Type: d.form.typ, Offset: d.headAt, Field: d.path(), ID: d.p.ID()}
	if t := d.p.Type(); (t == wire.Fixlen || t == wire.FixlenArray) && t == d.form.wire {
		e.Value = d.p.Subtype().String()
	}
	for _, fr := range d.frames {
		if fr.table != nil {
			e.Struct = fr.table.typ.Name()
		}
	}
	return e
}

func (d *decodeState) bound(name string, limit, got int) stream.Status {
	return d.fail(&BoundError{Path: d.path(), Offset: d.judgedAt(), Bound: name, Limit: int64(limit), Got: int64(got)})
}

// messageOverLimit is the error of a message that goes on behind the limit.
func (d *decodeState) messageOverLimit() error {
	limit := d.options.limits.Message
	return &LimitError{Path: d.path(), Offset: d.startAt + limit, Kind: "Message", Limit: limit, Got: limit + 1}
}

func (d *decodeState) overLimit(kind string, limit, got int64) stream.Status {
	return d.fail(&LimitError{Path: d.path(), Offset: d.judgedAt(), Kind: kind, Limit: limit, Got: got})
}

// judgedAt is the offset of the word that a bound of the field at hand is judged by:
// its length or count word, or the header where there is none or it is not looked at.
func (d *decodeState) judgedAt() int64 {
	if d.form != nil && d.form.wire == wireAny {
		return d.headAt
	}
	switch d.p.Type() {
	case wire.Unsigned, wire.Signed, wire.SequenceStart, wire.SequenceEnd:
		return d.headAt
	}
	return d.p.WordOffset()
}

// failure is the error of a message at which run returned Failed.
func (d *decodeState) failure() error {
	if d.fault != nil {
		return d.fault
	}
	offset, err := d.p.Err()
	if d.p.Unbalanced() {
		err = strayEnd{err}
	}
	return &SyntaxError{Offset: offset, Path: d.path(), Err: err}
}

// incomplete is the error of a message that ends too early.
func (d *decodeState) incomplete() error {
	return &SyntaxError{Offset: d.p.InputEnd(), Path: d.path(), Err: ErrIncomplete}
}
