package sofab

import (
	"encoding/binary"

	"github.com/sofab-go/sofab/wire"
)

// fast decodes fields as long as each of them is at hand as a whole and nothing about
// it is out of the ordinary: it is known, has the declared type, is within bounds, caps
// and budget, and is valid. It stops in front of the first other one, with nothing of
// it consumed or stored, and leaves it to the general steps, which also find the words
// for what is wrong. It runs the same rows, and the checks of package wire.
func (d *decodeState) fast() {
	win := d.p.Window()
	if len(win) == 0 {
		return
	}
	w := bytesData(win)
	pos := 0 // of the field at hand
	fr := &d.frames[len(d.frames)-1]
	t, r := fr.expected()
	open := len(d.frames)
	d.setBudget(d.read())
	d.from, d.memory.hand = len(d.stands), len(win)
	d.memory.expect()
	for pos < len(win) {
		var q int // behind the unit at hand
		var f *form
		var dst pointer
		code := opEnd
		if t != nil {
			why := atEnd
			d.limitTexts()
			if pos < len(win)-unitRoom {
				fr, r, pos, q, why = d.simple(d, fr, r, w, pos, len(win)-unitRoom, len(win))
			}
			if why == atEnd {
				fr, r, pos, q, why = d.lastSimple(d, fr, r, win, pos)
			}
			d.chargeTexts()
			if why == inWrapper {
				t = nil
				continue
			}
			fr, r = d.openScopes(fr, r)
			t = fr.table
			if why == atField {
				if r.op == opString {
					r, pos, q = d.fastTexts(r, fr.dst, win, pos, q)
				}
				if q == pos {
					continue
				}
			} else {
				if why == unexpected {
					if found := t.seek(win[pos:]); found != nil {
						r = found
						continue
					}
				}
				break
			}
			f, code, dst = r.form, r.op, fr.dst.add(r.offset)
		} else {
			if fr.form.kind == kindWrapper {
				switch fr.form.elem.kind {
				case kindString:
					if q, fr.room = d.fastTextElements(fr.form, fr.dst, fr.room, win, pos); q > pos {
						pos, fr.index = q, fr.dst.slice().len-1
					}
				case kindStruct:
					if q = d.fastStructElement(fr, bytesData(win), pos, len(win)); q > 0 {
						pos = q
						fr = &d.frames[len(d.frames)-1]
						t, r = fr.expected()
						continue
					}
				}
			}
			if f, q = d.fastElement(fr, win, pos); q == 0 {
				break
			}
			if f != nil {
				code = f.op
			}
		}
		ok := false
		switch code {
		case opStruct, opWrapper, opEnter:
			if t != nil {
				fr.row = &t.rows[r.index]
				fr.next = int(r.index) + 1
				if f.kind == kindWrapper && f.elem.kind == kindString && !d.atMaxDepth() {
					pos = d.fastTextList(f, dst, win, q)
					fr = &d.frames[len(d.frames)-1]
					t, r = fr.expected()
					continue
				}
			}
			if ok = d.fastOpen(fr, f, dst); ok {
				fr = &d.frames[len(d.frames)-1]
				t, r = fr.expected()
				pos = q
				continue
			}
		case opEnd:
			if ok = fr.leavable; ok {
				d.leave(fr)
				fr = &d.frames[len(d.frames)-1]
				t, r = fr.expected()
				pos = q
				continue
			}
		default:
			q, ok = d.fastValue(code, fr, f, dst, win, q)
		}
		if !ok {
			break
		}
		pos = q
		if t != nil {
			r = r.following()
		}
	}
	if t != nil {
		fr.next = int(r.index)
	}
	d.p.Advance(pos, len(d.frames)-open)
	d.headAt = d.p.Offset()
}

// fastValue decodes a value that is no scope, or what a pointer points to. It is at win[q:].
func (d *decodeState) fastValue(code op, fr *frame, f *form, dst pointer, win []byte, q int) (int, bool) {
	if code == opPointer {
		if code = f.op; code < opString {
			return d.fastNumberBehind(fr, f, dst, win, q)
		}
	}
	switch code {
	case opString:
		return d.fastString(fr, f, dst, win, q)
	case opBytes:
		return d.fastLong(fr, f, dst, win, q)
	case opNative:
		return d.fastNative(fr, f, dst, win, q)
	case opAny:
		return d.fastAny(fr, f, dst, win, q)
	}
	return q, false
}

// fastElement reads the header of an element of a wrapper and returns its form and the
// offset behind the header, 0 if it is out of the ordinary. The form is nil at the end
// of the wrapper.
func (d *decodeState) fastElement(fr *frame, win []byte, pos int) (*form, int) {
	if pos >= len(win) {
		return nil, 0
	}
	head, n := uint64(win[pos]), 1
	if head >= 0x80 {
		if head, n = wire.ConsumeVarint(win[pos:]); n < 0 || head>>3 > wire.MaxID {
			return nil, 0
		}
	}
	if head == uint64(wire.SequenceEnd) {
		return nil, pos + n
	}
	f := fr.form.elem
	if f == nil || wire.Type(head&7) != f.wire || head>>3 >= uint64(d.indexLimit(fr.form)) {
		return nil, 0
	}
	fr.index = int(head >> 3)
	return f, pos + n
}

// indexLimit is the least index that is over the bound or cap of a wrapper.
func (d *fastState) indexLimit(f *form) int {
	switch {
	case f.length >= 0:
		return f.length
	case f.count > 0:
		return f.count
	}
	return d.options.limits.Array
}

// reach is where the value at hand goes, now that it is known to be good: it makes the
// element and allocates pointers. Together with size bytes that must be affordable.
func (d *decodeState) reach(fr *frame, f *form, dst pointer, payload int) (pointer, bool) {
	size := int64(payload)
	if fr.table != nil && f.kind != kindPointer {
		return dst, d.affordable(size)
	}
	size += f.pointees
	if fr.table != nil {
		if !d.affordable(size) {
			return dst, false
		}
	} else if fr.form.kind == kindWrapper {
		s := fr.dst.slice()
		if fr.index >= s.len {
			room := fr.growth(s.len)
			weight := int64(room) * f.weight
			if !d.affordable(size + weight) {
				return dst, false
			}
			d.charged += weight
			fr.room = max(fr.room, room)
			d.extend(fr.form, fr.dst, fr.index+1)
		} else if !d.affordable(size) {
			return dst, false
		}
		dst = s.index(fr.index, f.size)
	} else {
		if !d.affordable(size) {
			return dst, false
		}
		d.element(fr)
		dst = d.dst
	}
	for ; f.kind == kindPointer; f = f.elem {
		target := dst.load()
		if target.isNil() { // as in allocate
			d.charged += f.elem.weight
			target = d.newTarget(f.elem)
			if f.elem.fresh {
				d.setDefaults(f.elem, target)
			}
			dst.store(target)
		}
		dst = target
	}
	return dst, true
}

// fastNumberBehind stores a number behind a pointer. It looks at the value first,
// because nothing may be allocated for one that is out of the ordinary.
func (d *decodeState) fastNumberBehind(fr *frame, f *form, dst pointer, win []byte, q int) (int, bool) {
	g := f.target
	if q >= len(win) {
		return q, false
	}
	var u uint64
	var n int
	switch g.op {
	case opFloat32, opFloat64:
		size := int(g.size)
		if win[q] != byte(size)<<3|byte(g.subtype) || len(win)-q <= size {
			return q, false
		}
		if n = 1 + size; size == 4 {
			u = uint64(binary.LittleEndian.Uint32(win[q+1:]))
		} else {
			u = binary.LittleEndian.Uint64(win[q+1:])
		}
	default:
		u, n = wire.ConsumeVarint(win[q:])
		if n < 0 || u&g.overBits() != 0 {
			return q, false
		}
	}
	dst, ok := d.reach(fr, f, dst, 0)
	if !ok {
		return q, false
	}
	switch {
	case g.op == opBool:
		u = min(u, 1)
	case g.op >= opInt8 && g.op <= opInt64:
		u = uint64(wire.Unzigzag(u))
	}
	switch g.size {
	case 1:
		*at[uint8](dst) = uint8(u)
	case 2:
		*at[uint16](dst) = uint16(u)
	case 4:
		*at[uint32](dst) = uint32(u)
	default:
		*at[uint64](dst) = u
	}
	return q + n, true
}

// fastStructElement opens the element of a wrapper of structs whose header is at
// w[pos:end], if it is the one behind the last, and returns the offset behind the header,
// else 0.
func (d *decodeState) fastStructElement(fr *frame, w pointer, pos, end int) int {
	f, s := fr.form.elem, fr.dst.slice()
	head, q := 0, pos+1
	if q < end {
		if head = int(w.get8(pos)); head >= 0x80 {
			head = head&0x7f | int(w.get8(q))<<7
			if q++; head >= 0x80<<7 {
				return 0
			}
		}
	}
	index := s.len
	if head != index<<3|int(wire.SequenceStart) || f.op != opStruct || index >= d.indexLimit(fr.form) ||
		d.atMaxDepth() {
		return 0
	}
	fr.index = index
	room := fr.growth(index)
	weight := int64(room) * f.weight
	if !d.affordable(weight) {
		return 0
	}
	d.charged += weight
	fr.room = max(fr.room, room)
	if index == s.cap {
		d.makeRoom(fr.form, fr.dst, index+1)
	}
	s.len = index + 1
	dst := s.index(index, f.size)
	if f.fresh || d.options.reuse {
		d.resetStruct(f.table, dst)
	}
	d.push(f.table, nil, dst)
	return q
}

// fastOpen opens the scope of a struct or wrapper.
func (d *decodeState) fastOpen(fr *frame, f *form, dst pointer) bool {
	if d.atMaxDepth() {
		return false
	}
	if fr.table == nil || f.kind == kindPointer {
		var ok bool
		if dst, ok = d.reach(fr, f, dst, 0); !ok {
			return false
		}
	}
	g := f.target
	if g.kind == kindStruct {
		d.push(g.table, nil, dst)
		return true
	}
	d.openWrapper(g, dst)
	return true
}

// leave closes the innermost scope, which is leavable, at its sequence end.
func (d *decodeState) leave(fr *frame) {
	if fr.table == nil {
		d.trim(fr.form, fr.dst)
	}
	d.frames = d.frames[:len(d.frames)-1]
}
