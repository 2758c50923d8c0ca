package sofab

import (
	"encoding/binary"
	"math"
	"reflect"

	"github.com/sofab-go/sofab/stream"
	"github.com/sofab-go/sofab/wire"
)

// An op says what the fast prefix does with a value.
type op uint8

const (
	opNone op = iota // nothing: the general steps take it
	opBool
	opUnsigned
	opSigned
	opFloat32
	opFloat64
	opString
	opBytes
	opNative
	opPointer // a number behind a pointer
	opStruct
	opWrapper
	opAny // a scalar in an any
)

// opOf is the operation for the values of a form.
func opOf(f *form) op {
	switch f.kind {
	case kindBool:
		return opBool
	case kindInteger:
		switch {
		case f.mixed:
			return opNone
		case f.wire == wire.Signed:
			return opSigned
		}
		return opUnsigned
	case kindFloat32:
		return opFloat32
	case kindFloat64:
		return opFloat64
	case kindString:
		return opString
	case kindBytes:
		return opBytes
	case kindNative:
		if f.elem.isPlain() {
			return opNative
		}
	case kindStruct:
		if f.table.maxsize > 0 {
			return opNone
		}
		return opStruct
	case kindWrapper:
		return opWrapper
	case kindProxy:
		if f.proxy.form.typ == reflect.TypeFor[anyValue]() {
			return opAny
		}
	}
	return opNone
}

// linkFast prepares a form for the fast prefix: it looks through pointers.
func (f *form) linkFast() {
	f.target = f
	for f.target.kind == kindPointer {
		f.target = f.target.elem
		f.pointees += max(f.target.footprint(), 1)
	}
	f.op = opOf(f.target)
	f.weight = max(f.footprint(), 1)
}

// A fastRow is what the fast prefix needs to know of a field of a struct.
type fastRow struct {
	head   uint64  // the header that announces the field, or noHead
	offset uintptr // of the value
	form   *form
	op     op    // opPointer for a number behind a pointer
	word   byte  // the fixlen word of a float
	size   uint8 // of a number, in bytes
	width  uint8 // of a varint, in bits
}

// noHead is no header: its id would be above wire.MaxID, which is looked at before.
const noHead = math.MaxUint64

// fastRow is what the fast prefix needs to know of a value of the form.
func (f *form) fastRow() fastRow {
	r := fastRow{head: noHead, form: f, op: f.op, size: uint8(f.size), width: uint8(f.width)}
	switch f.op {
	case opBool:
		r.width = 64
	case opFloat32, opFloat64:
		r.word = byte(f.size)<<3 | byte(f.subtype)
	}
	return r
}

// linkFast makes the rows for the fast prefix.
func (t *table) linkFast() {
	t.fast = make([]fastRow, len(t.rows))
	for i := range t.rows {
		r := &t.rows[i]
		q := r.form.fastRow()
		q.offset = r.offset
		if q.op != opNone && r.via == nil && !r.tracked() && t.arms == nil {
			q.head = uint64(r.id)<<3 | uint64(r.form.wire)
		}
		if r.form.kind == kindPointer && q.op <= opFloat64 {
			q.op = opPointer
		}
		t.fast[i] = q
	}
}

// fast decodes fields as long as each of them is at hand as a whole and nothing about
// it is out of the ordinary: it is known, has the declared type, is within bounds, caps
// and budget, and is valid. It stops in front of the first other one, with nothing of
// it consumed or stored, and leaves it to the general steps, which also find the words
// for what is wrong. It runs the same rows, and the checks of package wire.
func (d *decodeState) fast() {
	win := d.p.Window()
	pos := 0 // of the field at hand
	fr := &d.frames[len(d.frames)-1]
	t, next := fr.table, fr.next
fields:
	for pos < len(win) {
		head, q := uint64(win[pos]), pos+1 // q is behind the unit at hand
		if head >= 0x80 {
			if q < len(win) && win[q] < 0x80 {
				head = head&0x7f | uint64(win[q])<<7
				q++
			} else {
				var n int
				if head, n = wire.ConsumeVarint(win[pos:]); n < 0 || head>>3 > wire.MaxID {
					break
				}
				q = pos + n
			}
		}
		var r *fastRow
		var f *form
		var dst pointer
		switch {
		case t != nil && next < len(t.fast) && t.fast[next].head == head:
			r = &t.fast[next]
			next++
		case head == uint64(wire.SequenceEnd):
			if !d.leave(fr) {
				break fields
			}
			fr = &d.frames[len(d.frames)-1]
			t, next = fr.table, fr.next
			pos = q
			continue
		case t == nil:
			if f = d.fastElement(fr, head); f == nil {
				break fields
			}
		default:
			found := t.find(wire.ID(head >> 3))
			if found == nil || t.fast[found.index].head != head {
				break fields
			}
			r = &t.fast[found.index]
			next = found.index + 1
		}
		op := opNone
		if r != nil {
			f, op, dst = r.form, r.op, fr.dst.add(r.offset)
			if op != opNone && op <= opFloat64 {
				n := fastNumber(r, dst, win[q:])
				if n == 0 {
					break fields
				}
				pos = q + n
				continue
			}
		} else {
			op = f.op
		}
		var ok bool
		switch op {
		case opPointer:
			q, ok = d.fastNumberBehind(fr, f, dst, win, q)
		case opString:
			if q, ok = d.fastString(fr, f, dst, win, q); !ok {
				q, ok = d.fastPayload(fr, f, dst, win, q)
			}
		case opBytes:
			q, ok = d.fastPayload(fr, f, dst, win, q)
		case opNative:
			q, ok = d.fastNative(fr, f, dst, win, q)
		case opAny:
			q, ok = d.fastAny(fr, f, dst, win, q)
		case opStruct, opWrapper:
			fr.next = next
			if r != nil {
				fr.row = &t.rows[next-1]
			}
			if ok = d.fastOpen(fr, f, dst); ok {
				fr = &d.frames[len(d.frames)-1]
				t, next = fr.table, fr.next
			}
		}
		if !ok {
			break
		}
		pos = q
	}
	fr.next = next
	d.p.Advance(pos)
	d.headAt = d.p.Offset()
}

// fastElement is the form of the element that a header announces in a wrapper, nil if
// it is out of the ordinary.
func (d *decodeState) fastElement(fr *frame, head uint64) *form {
	f := fr.form.elem
	if wire.Type(head&7) != f.wire || head>>3 >= uint64(d.indexLimit(fr.form)) {
		return nil
	}
	fr.index = int(head >> 3)
	return f
}

// fastNumber stores the integer, boolean or float at the start of b and returns its
// length, 0 if it is not whole or does not fit.
func fastNumber(r *fastRow, dst pointer, b []byte) int {
	if len(b) == 0 {
		return 0
	}
	u, n := uint64(b[0]), 1
	switch {
	case r.op >= opFloat32:
		size := int(r.size)
		if b[0] != r.word || len(b) <= size {
			return 0
		}
		if size == 4 {
			*at[uint32](dst) = binary.LittleEndian.Uint32(b[1:])
		} else {
			*at[uint64](dst) = binary.LittleEndian.Uint64(b[1:])
		}
		return 1 + size
	case u < 0x80:
	case len(b) >= wire.MaxVarintLen:
		u, n = wire.ConsumeLong((*[wire.MaxVarintLen]byte)(b))
		if n < 0 || !wire.Fits(u, uint(r.width)) {
			return 0
		}
	default:
		u, n = wire.ConsumeVarint(b)
		if n < 0 || !wire.Fits(u, uint(r.width)) {
			return 0
		}
	}
	switch r.op {
	case opSigned:
		u = uint64(wire.Unzigzag(u))
	case opBool:
		u = min(u, 1)
	}
	switch r.size {
	case 1:
		*at[uint8](dst) = uint8(u)
	case 2:
		*at[uint16](dst) = uint16(u)
	case 4:
		*at[uint32](dst) = uint32(u)
	default:
		*at[uint64](dst) = u
	}
	return n
}

// indexLimit is the least index that is over the bound or cap of a wrapper.
func (d *decodeState) indexLimit(f *form) int {
	switch {
	case f.length >= 0:
		return f.length
	case f.count > 0:
		return f.count
	}
	return d.options.limits.Array
}

// affordable reports whether size more bytes are within the budget. It may not count
// all that was read.
func (d *decodeState) affordable(size int64) bool {
	return d.charged+size-d.options.limits.Memory <= stream.MemoryPerByte*(d.p.Offset()-d.startAt)
}

// reach is where the value at hand goes, now that it is known to be good: it makes the
// element and allocates pointers. Together with size bytes that must be affordable.
func (d *decodeState) reach(fr *frame, f *form, dst pointer, payload int) (pointer, bool) {
	size := int64(payload)
	if fr.table != nil && f.kind != kindPointer {
		return dst, d.affordable(size)
	}
	size += f.pointees
	if fr.table == nil {
		if fr.form.kind == kindWrapper {
			size += int64(fr.growth(fr.dst.slice().len)) * f.weight
		}
		if !d.affordable(size) {
			return dst, false
		}
		d.element(fr)
		dst = d.dst
	} else if !d.affordable(size) {
		return dst, false
	}
	for ; f.kind == kindPointer; f = f.elem {
		d.allocate(dst, f.elem)
		dst = dst.load()
	}
	return dst, true
}

// fastNumberBehind stores a number behind a pointer. It looks at the value first,
// because nothing may be allocated for one that is out of the ordinary.
func (d *decodeState) fastNumberBehind(fr *frame, f *form, dst pointer, win []byte, q int) (int, bool) {
	r := f.target.fastRow()
	var trial uint64
	n := fastNumber(&r, addressOf(&trial), win[q:])
	if n == 0 {
		return q, false
	}
	dst, ok := d.reach(fr, f, dst, 0)
	if !ok {
		return q, false
	}
	return q + fastNumber(&r, dst, win[q:]), true
}

// fastString reads a string of at most maxSlabPart bytes into the slab: it is checked
// while it is copied. Without success it has done nothing, and q is as it was.
func (d *decodeState) fastString(fr *frame, f *form, dst pointer, win []byte, q int) (int, bool) {
	if len(win)-q < 2 {
		return q, false
	}
	word, next := int(win[q]), q+1
	if word >= 0x80 {
		if win[next] >= 0x80 {
			return q, false
		}
		word = word&0x7f | int(win[next])<<7
		next++
	}
	g := f.target
	length := word >> 3
	if word&7 != int(g.subtype) || length-1 >= min(d.lengthLimit(g), len(win)-next, len(d.mem.slab)) || length == 0 || d.alias {
		return q, false
	}
	text := stringOf(win[next : next+length])
	slab := addressOf(&d.mem.slab[0])
	if !copyText(slab, text) && g.subtype == wire.String && !d.options.verbatim && wire.BadUTF8(text) >= 0 {
		return q, false
	}
	if fr.table == nil || f != g || !d.affordable(int64(length)) {
		var ok bool
		if dst, ok = d.reach(fr, f, dst, length); !ok {
			return q, false
		}
	}
	d.charged += int64(length)
	*at[string](dst) = stringOf(elements[byte](slab, length))
	d.mem.slab = d.mem.slab[length:]
	d.mem.slabbed += length
	return next + length, true
}

// fastPayload reads a string or blob.
func (d *decodeState) fastPayload(fr *frame, f *form, dst pointer, win []byte, q int) (int, bool) {
	length, subtype, n := wire.ConsumeFixlenWord(win[q:])
	g := f.target
	q += n
	if n < 0 || subtype != g.subtype || length > d.lengthLimit(g) || length > len(win)-q {
		return q, false
	}
	payload := win[q : q+length : q+length]
	if g.subtype == wire.String && !d.options.verbatim && wire.BadUTF8(stringOf(payload)) >= 0 {
		return q, false
	}
	dst, ok := d.reach(fr, f, dst, length)
	if !ok {
		return q, false
	}
	d.charged += int64(length)
	if f.op == opString {
		d.setString(dst, payload, true)
	} else {
		d.setBytes(g, dst, payload, true)
	}
	return q + length, true
}

// lengthLimit is the bound or cap of a string or blob.
func (d *decodeState) lengthLimit(f *form) int {
	switch {
	case f.maxlen > 0:
		return f.maxlen
	case f.subtype == wire.String:
		return d.options.limits.String
	}
	return d.options.limits.Blob
}

// fastNative reads an array of integers, booleans or floats.
func (d *decodeState) fastNative(fr *frame, f *form, dst pointer, win []byte, q int) (int, bool) {
	count, n := wire.ConsumeCount(win[q:])
	g := f.target
	q += n
	if n < 0 || count > d.indexLimit(g) || count > len(win)-q || !d.affordable(int64(count)*int64(g.elem.size)) {
		return q, false
	}
	if g.wire == wire.FixlenArray {
		subtype, n := wire.ConsumeElementWord(win[q:])
		q += n
		if n < 0 || subtype != g.subtype || count*subtype.Width() > len(win)-q {
			return q, false
		}
	}
	size := count * int(g.elem.size)
	reuse := d.options.reuse && fr.table != nil && g == f && dst.slice().cap >= count
	var data pointer
	switch {
	case count == 0:
	case reuse:
		data = dst.slice().first()
	default:
		data = d.cut(size)
	}
	_, n, code := consumeElements(g, data, count, win[q:])
	if code != 0 {
		return q, false
	}
	dst, ok := d.reach(fr, f, dst, size)
	if !ok {
		return q, false
	}
	d.charged += int64(size)
	if s := dst.slice(); count > 0 {
		s.set(data, count, max(count, s.cap*int(wire.BoolByte(reuse))))
	} else {
		d.clearNative(g, s)
	}
	return q + n, true
}

// fastOpen opens the scope of a struct or wrapper.
func (d *decodeState) fastOpen(fr *frame, f *form, dst pointer) bool {
	if d.p.Depth() == wire.MaxDepth {
		return false
	}
	dst, ok := d.reach(fr, f, dst, 0)
	if !ok {
		return false
	}
	d.p.Enter()
	d.form, d.dst, d.from = f.target, dst, len(d.stands)
	d.openScope()
	return true
}

// leave closes the innermost scope at its sequence end, unless it is the message or
// something has to be done about it.
func (d *decodeState) leave(fr *frame) bool {
	if d.p.Depth() == 0 || len(d.stands) > fr.from || fr.table != nil && (fr.table.required || fr.table.maxsize > 0) {
		return false
	}
	d.p.Leave()
	d.frames = d.frames[:len(d.frames)-1]
	return true
}
