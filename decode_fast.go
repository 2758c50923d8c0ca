package sofab

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/sofab-go/sofab/wire"
)

// fastPaths lets decoding take the fast prefix below. With false everything goes
// through the general steps, with the same results.
const fastPaths = true

// An op says what the fast prefix does with a value.
type op uint8

const (
	opNone op = iota // nothing: the general steps take it
	// Varints, by the Go type that they are stored in.
	opBool
	opUint8
	opUint16
	opUint32
	opUint64
	opInt8
	opInt16
	opInt32
	opInt64
	opFloat32
	opFloat64
	opString
	opBytes
	opNative
	opPointer // a number, string or array behind a pointer
	opStruct
	opWrapper
	opEnd // the sequence end behind the last field
)

// opOf is the operation for the values of a form.
func opOf(f *form) op {
	switch f.kind {
	case kindBool:
		return opBool
	case kindInteger:
		if f.mixed {
			return opNone
		}
		first := opUint8
		if f.wire == wire.Signed {
			first = opInt8
		}
		return first + op(bits.TrailingZeros(uint(f.size)))
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
	}
	return opNone
}

// linkFast prepares a form for the fast prefix: it looks through pointers.
func (f *form) linkFast() {
	f.target = f
	for f.target.kind == kindPointer {
		f.target = f.target.elem
		f.pointees += int(f.target.footprint())
	}
	f.op = opOf(f.target)
	f.weight = f.footprint()
	f.fresh = f.hasDefaults()
}

// A fastRow is what the fast prefix needs to know of a field of a struct.
type fastRow struct {
	head     uint32 // the bytes of its header, the first lowest
	mask     uint32 // 0xff for each of them; 0 where the general steps take the field
	over     uint64 // bits that are too high for the varint of a number, or of an element; of a string its maxlen
	offset   uintptr
	form     *form
	index    int32
	op       op
	headSize uint8
	wire     wire.Type
	word     byte // the fixlen word of a float, also of those in an array; the subtype of a string
	elem     op   // of an array
	elemSize uint8
}

// setHead sets the header that the row is found by, if it is not too long.
func (r *fastRow) setHead(id wire.ID, t wire.Type) {
	var b [4]byte
	if wire.SizeHeader(id) > len(b) {
		r.head = 1 // which no header is with a mask of 0
		return
	}
	n := wire.PutHeader(b[:], id, t)
	r.head, r.mask = binary.LittleEndian.Uint32(b[:]), 1<<(8*n)-1
	r.wire, r.headSize = t, uint8(n)
}

// overBits are the bits of a varint that a number of the form cannot have.
func (f *form) overBits() uint64 {
	if f.kind != kindInteger || f.width >= 64 {
		return 0
	}
	return math.MaxUint64 << f.width
}

// linkFast makes the rows for the fast prefix.
func (t *table) linkFast() {
	t.fast = make([]fastRow, len(t.rows)+1)
	for i := range t.rows {
		r, q := &t.rows[i], &t.fast[i]
		*q = fastRow{head: 1, form: r.form, op: r.form.op, offset: r.offset, index: int32(i)}
		if q.op == opNone || r.via != nil || r.required || t.arms != nil {
			continue
		}
		q.setHead(r.id, r.form.wire)
		switch q.op {
		case opFloat32, opFloat64:
			q.word = byte(r.form.target.size)<<3 | byte(r.form.subtype)
		case opNative:
			elem := r.form.target.elem
			q.elem, q.elemSize, q.over = elem.op, uint8(elem.size), elem.overBits()
			q.word = byte(elem.size)<<3 | byte(r.form.subtype)
		case opString:
			q.word, q.over = byte(r.form.subtype), maxSlabPart
			if n := r.form.target.maxlen; n > 0 {
				q.over = min(uint64(n), maxSlabPart)
			}
		default:
			q.over = r.form.target.overBits()
		}
		if r.form.kind == kindPointer && (q.op <= opString || q.op == opNative) {
			q.op = opPointer
		}
	}
	end := &t.fast[len(t.rows)]
	end.op, end.index = opEnd, int32(len(t.rows))
	end.setHead(0, wire.SequenceEnd)
}

// unitRoom is more than the longest field that is a number takes: a header of four
// bytes at most, and a varint.
const unitRoom = 16

// An ending says why a run of fields ended.
type ending uint8

const (
	atEnd      ending = iota // no field begins before the limit
	atField                  // a field for others, or a sequence end
	unexpected               // the header is none that it knows
	unusual                  // the number is not whole or does not fit
)

// simple decodes a run of fields that are numbers, ASCII strings that fit the slab, or
// structs in structs: from w[pos:] on, into the innermost scope fr, a struct, of which it
// expects row r next. It begins none at the limit or behind it, and takes none beyond the
// end; unitRoom bytes behind the limit must be readable. It returns the innermost scope,
// the row and the offset of the first other field, and the offset behind its header.
// There are no calls in it, so that its variables stay in registers.
func (d *decodeState) simple(fr *frame, r *fastRow, w pointer, pos, limit, end int) (*frame, *fastRow, int, int, ending) {
	t, base, m := fr.table, fr.dst, &d.mem
	for pos < limit {
		// Numbers in the order of the rows.
		for pos < limit {
			q := pos + int(r.headSize)
			if uint32(w.get64(pos))&r.mask != r.head || r.op > opFloat64 {
				break
			}
			u := w.get64(q)
			dst := base.add(r.offset)
			if r.op >= opFloat32 {
				if byte(u) != r.word {
					return fr, r, pos, q, unusual
				}
				if r.op == opFloat32 {
					if q += 5; q > end {
						return fr, r, pos, q, unusual
					}
					*at[uint32](dst) = uint32(u >> 8)
				} else {
					if q += 9; q > end {
						return fr, r, pos, q, unusual
					}
					*at[uint64](dst) = w.get64(q - 8)
				}
				pos = q
				r = r.following()
				continue
			}
			if u&0x80 == 0 {
				q++
				u &= 0x7f
			} else if u&0x8000 == 0 {
				q += 2
				u = u&0x7f | u>>1&0x3f80
			} else if v, n := wire.WordVarint(u); n > 0 {
				q += n
				u = v
			} else {
				high := uint64(w.get16(q + 8))
				u = v | high&0x7f<<56
				q += 9
				if high&0x80 != 0 {
					u |= high >> 8 << 63
					q++
					if high > 0x1ff {
						return fr, r, pos, q, unusual
					}
				}
			}
			if q > end || u&r.over != 0 {
				return fr, r, pos, q, unusual
			}
			switch r.op {
			case opBool:
				*at[uint8](dst) = uint8(min(u, 1))
			case opUint8:
				*at[uint8](dst) = uint8(u)
			case opUint16:
				*at[uint16](dst) = uint16(u)
			case opUint32:
				*at[uint32](dst) = uint32(u)
			case opUint64:
				*at[uint64](dst) = u
			case opInt8:
				*at[int8](dst) = int8(wire.Unzigzag(u))
			case opInt16:
				*at[int16](dst) = int16(wire.Unzigzag(u))
			case opInt32:
				*at[int32](dst) = int32(wire.Unzigzag(u))
			case opInt64:
				*at[int64](dst) = wire.Unzigzag(u)
			}
			pos = q
			r = r.following()
		}
		if pos >= limit {
			break
		}
		x := w.get64(pos)
		if uint32(x)&r.mask != r.head {
			head := x & 0x7f
			if x&0x80 != 0 {
				head |= x >> 1 & 0x3f80
			}
			if head == uint64(wire.SequenceEnd) {
				r = &t.fast[len(t.fast)-1]
			} else if id := head >> 3; x&0x8080 == 0x8080 || id >= uint64(len(t.dense)) || t.dense[id] == 0 {
				return fr, r, pos, pos, unexpected
			} else {
				r = &t.fast[t.dense[id]-1]
			}
			if uint32(x)&r.mask != r.head {
				return fr, r, pos, pos, unusual
			}
			if r.op <= opFloat64 {
				continue
			}
		}
		q := pos + int(r.headSize)
		switch code := r.op; {
		case code == opString:
			u := w.get64(q)
			from, word := q+1, int(u&0xff)
			if word >= 0x80 {
				from, word = q+2, int(u&0x7f|u>>1&0x7f80)
			}
			n := word >> 3
			if word&7 != int(r.word) || from+n > end || uint64(n) > r.over || m.at+n > m.room {
				return fr, r, pos, q, atField
			}
			src, text := w.add(uintptr(from)), m.slab.add(uintptr(m.at))
			var all uint64
			switch {
			case n >= 8:
				for i := 0; i < n-8; i += 8 {
					u := src.get64(i)
					all |= u
					text.put64(i, u)
				}
				u := src.get64(n - 8)
				all |= u
				text.put64(n-8, u)
			case n >= 4:
				a, b := src.get32(0), src.get32(n-4)
				all = uint64(a | b)
				text.put32(0, a)
				text.put32(n-4, b)
			case n > 0:
				a, b, c := src.get8(0), src.get8(n>>1), src.get8(n-1)
				all = uint64(a | b | c)
				text.put8(0, a)
				text.put8(n>>1, b)
				text.put8(n-1, c)
			default:
				return fr, r, pos, q, atField
			}
			if all&0x8080808080808080 != 0 {
				return fr, r, pos, q, atField
			}
			*at[string](base.add(r.offset)) = stringOf(elements[byte](text, n))
			m.at += n
			pos = from + n
			r = r.following()
			continue
		case code == opStruct && r.form.kind == kindStruct && len(d.frames) < cap(d.frames) && d.p.Depth() < wire.MaxDepth:
			n := len(d.frames)
			d.p.Enter()
			d.frames = d.frames[:n+1]
			d.deepest = max(d.deepest, n+1)
			fr.row, fr.next = &t.rows[r.index], int(r.index)+1
			base = base.add(r.offset)
			t = r.form.table
			r = &t.fast[0]
			fr = &d.frames[n]
			fr.open(t, nil, base, len(d.stands))
		case code == opEnd && d.canLeave(fr) && d.frames[len(d.frames)-2].table != nil:
			n := len(d.frames) - 1
			d.p.Leave()
			d.frames = d.frames[:n]
			fr = &d.frames[n-1]
			t, base = fr.table, fr.dst
			r = &t.fast[fr.next]
		default:
			return fr, r, pos, q, atField
		}
		pos = q
	}
	return fr, r, pos, pos, atEnd
}

// lastSimple is simple for the last bytes of the window, which are copied to where there
// is room behind them.
func (d *decodeState) lastSimple(fr *frame, r *fastRow, win []byte, pos int) (*frame, *fastRow, int, int, ending) {
	var room [3 * unitRoom]byte
	from := pos
	if len(win) >= unitRoom {
		from = len(win) - unitRoom
		*(*[unitRoom]byte)(room[:]) = [unitRoom]byte(win[from:])
	} else {
		copy(room[:unitRoom], win[from:])
	}
	end := len(win) - from
	fr, r, pos, q, why := d.simple(fr, r, addressOf(&room[0]), pos-from, end, end)
	return fr, r, from + pos, from + q, why
}

// seek is the row that the header at the start of b announces, or -1.
func (t *table) seek(b []byte) int {
	id, _, n := wire.ConsumeHeader(b)
	if n < 0 {
		return -1
	}
	r := t.find(id)
	if r == nil || int(t.fast[r.index].headSize) != n {
		return -1
	}
	var head [4]byte
	copy(head[:], b)
	if f := &t.fast[r.index]; binary.LittleEndian.Uint32(head[:])&f.mask != f.head {
		return -1
	}
	return r.index
}

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
	d.expectSlab()
	plenty := d.options.limits.Memory - maxSlab
	d.mem.room = d.roomInSlab()
	for pos < len(win) {
		var q int // behind the unit at hand
		var f *form
		var dst pointer
		code := opEnd
		if t != nil {
			m := &d.mem
			before, why := m.at, atEnd
			if d.charged > plenty {
				m.room = 0
			}
			if pos < len(win)-unitRoom {
				fr, r, pos, q, why = d.simple(fr, r, w, pos, len(win)-unitRoom, len(win))
			}
			if why == atEnd {
				fr, r, pos, q, why = d.lastSimple(fr, r, win, pos)
			}
			t = fr.table
			d.charged += int64(m.at - before)
			if why == atField {
				switch r.op {
				case opString:
					r, pos, q = d.fastTexts(r, fr.dst, win, pos, q)
				case opNative:
					r, pos, q = d.fastArrays(r, fr.dst, win, pos, q)
				}
				if q == pos {
					continue
				}
			} else {
				if why == unexpected {
					if i := t.seek(win[pos:]); i >= 0 {
						r = &t.fast[i]
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
					pos = d.fastTextElements(fr, win, pos)
				case kindStruct:
					if q = d.fastStructElement(fr, win, pos); q > 0 {
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
		case opPointer:
			switch f.op {
			case opString:
				q, ok = d.fastString(fr, f, dst, win, q)
			case opNative:
				q, ok = d.fastNative(fr, f, dst, win, q)
			default:
				q, ok = d.fastNumberBehind(fr, f, dst, win, q)
			}
		case opString:
			q, ok = d.fastString(fr, f, dst, win, q)
		case opBytes:
			q, ok = d.fastLong(fr, f, dst, win, q)
		case opNative:
			q, ok = d.fastNative(fr, f, dst, win, q)
		case opStruct, opWrapper:
			if t != nil {
				fr.row = &t.rows[r.index]
				fr.next = int(r.index) + 1
				if f.kind == kindWrapper && f.elem.kind == kindString && d.p.Depth() < wire.MaxDepth {
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
			if ok = d.leave(fr); ok {
				fr = &d.frames[len(d.frames)-1]
				t, r = fr.expected()
				pos = q
				continue
			}
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
	d.p.Advance(pos)
	d.headAt = d.p.Offset()
}

// expected is the table of a struct and the row that is expected next.
func (fr *frame) expected() (*table, *fastRow) {
	if fr.table == nil {
		return nil, nil
	}
	return fr.table, &fr.table.fast[fr.next]
}

// fastTexts decodes a run of string fields of the struct at base: the first has its header
// at win[pos:] and its word at win[q:]. It returns the row of the first field that is
// none, or none that it can read, and these two offsets; where it does not know the
// field, the second one is the first.
func (d *decodeState) fastTexts(r *fastRow, base pointer, win []byte, pos, q int) (*fastRow, int, int) {
	for {
		text, behind := d.fastText(r.form, win, q)
		if behind == 0 {
			return r, pos, q
		}
		*at[string](base.add(r.offset)) = text
		pos, q = behind, behind
		r = r.following()
		if r.op != opString || len(win)-pos < 4 || binary.LittleEndian.Uint32(win[pos:])&r.mask != r.head {
			return r, pos, q
		}
		q += int(r.headSize)
	}
}

// fastText reads a string with a short word at win[q:] and returns it and the offset behind
// it, 0 if it is out of the ordinary. It is checked while it is copied.
func (d *decodeState) fastText(g *form, win []byte, q int) (string, int) {
	if len(win)-q < 2 {
		return "", 0
	}
	word := int(win[q])
	q++
	if word >= 0x80 {
		if win[q] >= 0x80 {
			return "", 0
		}
		word = word&0x7f | int(win[q])<<7
		q++
	}
	length := word >> 3
	if word&7 != int(g.subtype) || length > len(win)-q || length > d.lengthLimit(g) || !d.affordable(length) {
		return "", 0
	}
	m := &d.mem
	if d.alias || length-1 >= m.free() || length == 0 {
		s, ok := d.textElsewhere(g, win[q:q+length])
		if !ok {
			return "", 0
		}
		return s, q + length
	}
	text := m.slab.add(uintptr(m.at))
	if !copyText(text, stringOf(elements[byte](bytesData(win).add(uintptr(q)), length))) && g.subtype == wire.String && !d.options.verbatim {
		// The rest of the slab is zero. With some of that behind the string, all of its
		// characters can be checked four bytes at a time.
		if wire.BadUTF8(stringOf(elements[byte](text, min(length+3, m.free())))) >= 0 {
			clear(elements[byte](text, length))
			return "", 0
		}
	}
	m.at += length
	d.charged += int64(length)
	return stringOf(elements[byte](text, length)), q + length
}

// textElsewhere makes a string of b, part of the window, that does not fit the slab,
// unless it is not UTF-8.
func (d *decodeState) textElsewhere(g *form, b []byte) (string, bool) {
	if g.subtype == wire.String && !d.options.verbatim && wire.BadUTF8(stringOf(b)) >= 0 {
		return "", false
	}
	d.charged += int64(len(b))
	if d.alias {
		return stringOf(b), true
	}
	return d.newString(b), true
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
		if head, n = wire.ConsumeVarint(win[pos:]); n < 0 {
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
func (d *decodeState) indexLimit(f *form) int {
	switch {
	case f.length >= 0:
		return f.length
	case f.count > 0:
		return f.count
	}
	return d.options.limits.Array
}

// affordable reports whether size more bytes are within the part of the budget that
// does not depend on the input.
func (d *decodeState) affordable(size int) bool {
	return d.charged+int64(size) <= d.options.limits.Memory
}

// reach is where the value at hand goes, now that it is known to be good: it makes the
// element and allocates pointers. Together with size bytes that must be affordable.
func (d *decodeState) reach(fr *frame, f *form, dst pointer, size int) (pointer, bool) {
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
		if more := fr.index + 1 - s.len; more > 0 {
			weight := more * int(f.weight)
			if !d.affordable(size + weight) {
				return dst, false
			}
			d.charged += int64(weight)
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
		d.allocate(dst, f.elem)
		dst = dst.load()
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

// fastString reads a string that is an element or behind a pointer.
func (d *decodeState) fastString(fr *frame, f *form, dst pointer, win []byte, q int) (int, bool) {
	before := d.charged
	text, behind := d.fastText(f.target, win, q)
	if behind == 0 {
		return d.fastLong(fr, f, dst, win, q)
	}
	dst, ok := d.reach(fr, f, dst, 0)
	if !ok {
		d.charged = before
		return q, false
	}
	*at[string](dst) = text
	return behind, true
}

// fastTextElements reads the elements of a wrapper of strings from win[pos:] on that come in
// order, and returns the offset of the first unit that is not one.
func (d *decodeState) fastTextElements(fr *frame, win []byte, pos int) int {
	f, s, m := fr.form, fr.dst.slice(), &d.mem
	g, limit, longest := f.elem, d.indexLimit(f), d.lengthLimit(f.elem)
	anyBytes := g.subtype != wire.String || d.options.verbatim
	w := bytesData(win)
	for pos < len(win) {
		head, q := int(win[pos]), pos+1
		if head >= 0x80 {
			if q == len(win) || win[q] >= 0x80 {
				break
			}
			head = head&0x7f | int(win[q])<<7
			q++
		}
		index := head >> 3
		if head&7 != int(wire.Fixlen) || index >= limit || index < s.len || d.options.reuse && index > s.len || len(win)-q < 2 {
			break
		}
		word := int(win[q])
		q++
		if word >= 0x80 {
			if win[q] >= 0x80 {
				break
			}
			word = word&0x7f | int(win[q])<<7
			q++
		}
		length := word >> 3
		size := length + (index+1-s.len)*int(g.weight)
		if word&7 != int(g.subtype) || length > len(win)-q || length > longest || !d.affordable(size) {
			break
		}
		text := ""
		if length > 0 {
			text = stringOf(elements[byte](w.add(uintptr(q)), length))
		}
		if length-1 < m.room-m.at && length > 0 {
			data := m.slab.add(uintptr(m.at))
			if !copyText(data, text) && !anyBytes && wire.BadUTF8(stringOf(elements[byte](data, min(length+3, m.free())))) >= 0 {
				clear(elements[byte](data, length))
				break
			}
			m.at += length
			text = stringOf(elements[byte](data, length))
		} else if !anyBytes && wire.BadUTF8(text) >= 0 {
			break
		} else if !d.alias {
			text = d.newString(elements[byte](stringData(text), length))
		}
		if index >= s.cap {
			d.makeRoom(f, fr.dst, index+1)
		}
		s.len = index + 1
		*at[string](s.index(index, g.size)) = text
		d.charged += int64(size)
		pos = q + length
	}
	fr.index = max(0, s.len-1)
	return pos
}

// fastStructElement opens the element of a wrapper of structs whose header is at
// win[pos:], if it is the one behind the last, and returns the offset behind the header,
// else 0.
func (d *decodeState) fastStructElement(fr *frame, win []byte, pos int) int {
	f, s := fr.form.elem, fr.dst.slice()
	head, q := 0, pos+1
	if q < len(win) {
		if head = int(win[pos]); head >= 0x80 {
			head = head&0x7f | int(win[q])<<7
			if q++; head >= 0x80<<7 {
				return 0
			}
		}
	}
	index := s.len
	if head != index<<3|int(wire.SequenceStart) || f.op != opStruct || index >= d.indexLimit(fr.form) ||
		!d.affordable(int(f.weight)) || d.p.Depth() == wire.MaxDepth {
		return 0
	}
	d.charged += f.weight
	if index == s.cap {
		d.makeRoom(fr.form, fr.dst, index+1)
	}
	s.len = index + 1
	dst := s.index(index, f.size)
	if f.fresh || d.options.reuse {
		d.resetStruct(f.table, dst)
	}
	fr.index = index
	d.p.Enter()
	d.from = len(d.stands)
	d.push(f.table, nil, dst)
	return q
}

// fastTextList reads a wrapper of strings whose header was read. If it cannot read all of
// it, the wrapper is left open.
func (d *decodeState) fastTextList(f *form, dst pointer, win []byte, q int) int {
	d.p.Enter()
	d.from = len(d.stands)
	d.openWrapper(f, dst)
	fr := &d.frames[len(d.frames)-1]
	if q == len(win) {
		return q
	}
	q = d.fastTextElements(fr, win, q)
	if q < len(win) && win[q] == byte(wire.SequenceEnd) && d.leave(fr) {
		q++
	}
	return q
}

// fastLong reads a string or blob with a word of any length.
func (d *decodeState) fastLong(fr *frame, f *form, dst pointer, win []byte, q int) (int, bool) {
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
	if q >= len(win) {
		return q, false
	}
	count := int(win[q])
	q++
	if count >= 0x80 {
		var n int
		if count, n = wire.ConsumeCount(win[q-1:]); n < 0 {
			return q, false
		}
		q += n - 1
	}
	g := f.target
	size := count * int(g.elem.size)
	if count > d.indexLimit(g) || count > len(win)-q || !d.affordable(size) {
		return q, false
	}
	if g.wire == wire.FixlenArray {
		width := int(g.elem.size)
		if q == len(win) || int(win[q]) != width<<3|int(g.subtype) || count*width > len(win)-q-1 {
			return q, false
		}
		q++
	}
	direct := fr.table != nil && g == f
	if d.options.reuse && fr.table == nil && g == f && fr.form.kind == kindWrapper {
		if s := fr.dst.slice(); fr.index < s.cap {
			dst = s.index(fr.index, g.size) // where reach will find it
		}
	}
	reuse := d.options.reuse && g == f && !dst.isNil() && dst.slice().cap >= count
	data, room := pointer{}, count
	switch {
	case count == 0:
	case reuse:
		data, room = dst.slice().first(), dst.slice().cap
	default:
		data = d.cut(size)
	}
	behind := 0
	if _, n, code := consumeElements(g, data, count, win[q:]); code == 0 {
		behind = q + n
	}
	if behind == 0 {
		return q, false
	}
	if !direct {
		var ok bool
		if dst, ok = d.reach(fr, f, dst, size); !ok {
			return q, false
		}
	}
	d.charged += int64(size)
	switch s := dst.slice(); {
	case count == 0:
		d.clearNative(g, s)
	default:
		s.set(data, count, room)
	}
	return behind, true
}

// fastArrays is fastTexts for arrays of a few numbers.
func (d *decodeState) fastArrays(r *fastRow, base pointer, win []byte, pos, q int) (*fastRow, int, int) {
	w, end := bytesData(win), len(win)
	for end >= 8 && q < end {
		count := int(win[q])
		size := count * int(r.elemSize)
		if count > fewElements || count == 0 || count > d.indexLimit(r.form) || !d.affordable(size) {
			break
		}
		from := q + 1
		if r.wire == wire.FixlenArray {
			if from == end || win[from] != r.word || size > end-from-1 {
				break
			}
			from++
		} else if count > end-from {
			break
		}
		s := base.add(r.offset).slice()
		data, room := s.first(), s.cap
		if !d.options.reuse || room < count {
			data, room = d.cut(size), count
		}
		behind := shortElements(r.elem, w, from, end, data, count, r.over)
		if behind == 0 {
			break
		}
		d.charged += int64(size)
		s.set(data, count, room)
		pos, q = behind, behind
		r = r.following()
		if r.op != opNative || end-pos < 4 || binary.LittleEndian.Uint32(win[pos:])&r.mask != r.head {
			break
		}
		q += int(r.headSize)
	}
	return r, pos, q
}

// fewElements is the most elements that are read by shortElements, without looking for
// runs of short ones.
const fewElements = 16

// shortElements reads n numbers from w[q:end] into memory at p and returns the offset
// behind them, 0 if one is not whole or does not fit.
func shortElements(code op, w pointer, q, end int, p pointer, n int, over uint64) int {
	switch code {
	case opUint8:
		return varints(w, q, end, elements[uint8](p, n), over, 0)
	case opUint16:
		return varints(w, q, end, elements[uint16](p, n), over, 0)
	case opUint32:
		return varints(w, q, end, elements[uint32](p, n), over, 0)
	case opUint64:
		return varints(w, q, end, elements[uint64](p, n), over, 0)
	case opInt8:
		return varints(w, q, end, elements[uint8](p, n), over, 1)
	case opInt16:
		return varints(w, q, end, elements[uint16](p, n), over, 1)
	case opInt32:
		return varints(w, q, end, elements[uint32](p, n), over, 1)
	case opInt64:
		return varints(w, q, end, elements[uint64](p, n), over, 1)
	case opBool:
		_, size, code := wire.ConsumeBools(elements[byte](w, end)[q:], elements[bool](p, n))
		if code != 0 {
			return 0
		}
		return q + size
	case opFloat32:
		for i, dst := 0, elements[uint32](p, n); i < len(dst); i++ {
			dst[i] = w.get32(q + 4*i)
		}
		return q + 4*n
	}
	for i, dst := 0, elements[uint64](p, n); i < len(dst); i++ {
		dst[i] = w.get64(q + 8*i)
	}
	return q + 8*n
}

// varints is shortElements for integers: unsigned ones, or with a sign of 1 zig-zag ones.
func varints[T uint8 | uint16 | uint32 | uint64](w pointer, q, end int, dst []T, over, sign uint64) int {
	for i := range dst {
		u := peek(w, q, end)
		if u&0x80 == 0 {
			q++
			u &= 0x7f
		} else if u&0x8000 == 0 {
			q += 2
			u = u&0x7f | u>>1&0x3f80
		} else if v, n := wire.WordVarint(u); n > 0 {
			q += n
			u = v
		} else {
			if end-q < wire.MaxVarintLen {
				return 0
			}
			high := uint64(w.get16(q + 8))
			u = v | high&0x7f<<56
			q += 9
			if high&0x80 != 0 {
				u |= high >> 8 << 63
				q++
				if high > 0x1ff {
					return 0
				}
			}
		}
		if q > end || u&over != 0 {
			return 0
		}
		dst[i] = T(u>>(sign&1) ^ -(u & sign))
	}
	return q
}

// peek is the eight bytes of w from n on, the first lowest, with zeros for those behind
// the end. At least eight bytes stand before the end, and n is not behind it.
func peek(w pointer, n, end int) uint64 {
	if n+8 <= end {
		return w.get64(n)
	}
	return peekLast(w, n, end)
}

func peekLast(w pointer, n, end int) uint64 {
	return w.get64(end-8) >> (64 - 8*uint(end-n))
}

// fastOpen opens the scope of a struct or wrapper.
func (d *decodeState) fastOpen(fr *frame, f *form, dst pointer) bool {
	if d.p.Depth() == wire.MaxDepth {
		return false
	}
	if fr.table == nil || f.kind == kindPointer {
		var ok bool
		if dst, ok = d.reach(fr, f, dst, 0); !ok {
			return false
		}
	}
	d.p.Enter()
	d.from = len(d.stands)
	g := f.target
	if g.kind == kindStruct {
		d.push(g.table, nil, dst)
		return true
	}
	d.openWrapper(g, dst)
	return true
}

// leave closes the innermost scope at its sequence end, unless it is the message or
// something has to be done about it.
func (d *decodeState) leave(fr *frame) bool {
	if !d.canLeave(fr) {
		return false
	}
	if fr.table == nil {
		d.trim(fr.form, fr.dst)
	}
	d.p.Leave()
	d.frames = d.frames[:len(d.frames)-1]
	return true
}

// canLeave reports whether the innermost scope is none of these.
func (d *decodeState) canLeave(fr *frame) bool {
	return d.p.Depth() > 0 && len(d.stands) <= fr.from && (fr.table == nil || !fr.table.required && fr.table.maxsize == 0)
}
