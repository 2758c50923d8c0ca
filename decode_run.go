package sofab

import (
	"math"

	"github.com/sofab-go/sofab/stream"
	"github.com/sofab-go/sofab/wire"
)

// A fastState is what the fast prefix of decoding needs as long as it meets numbers,
// strings that fit the slab, short arrays, and structs in structs. It is part of a
// decodeState; a message of nothing else is decoded with one on the stack.
type fastState struct {
	slab    *slab
	options *settings
	alias   bool    // strings and blobs may point into the input
	frames  []frame // open scopes; the first is the message
	deepest int     // most frames that were open at once
	from    int     // stands[from:] are those of the value at hand
	charged int64   // bytes of memory that this message has asked for
	budget  int64   // most that it may ask for, as far as the bytes count that were read before
	plenty  int64   // as long as that is not passed, texts may be cut without a look at options and budget
}

// setBudget makes the budget that of a message of which so many bytes were read.
func (d *fastState) setBudget(read int64) {
	d.budget = min(d.options.limits.Memory, math.MaxInt64/2) + stream.MemoryPerByte*read
	d.plenty = d.budget - maxSlab
	if l := &d.options.limits; d.alias || min(l.String, l.Blob) < maxSlabPart || l.Array < fewElements {
		d.plenty = -1
	}
}

// affordable reports whether size more bytes are within the budget.
func (d *fastState) affordable(size int64) bool { return d.charged+size <= d.budget }

// atMaxDepth reports whether no sequence may be opened in the innermost frame.
func (d *fastState) atMaxDepth() bool { return len(d.frames) > wire.MaxDepth }

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
	inWrapper                // an element of a wrapper was left, and the next was not entered
)

// simple decodes a run of fields that are numbers, strings and blobs that fit the slab, short
// arrays, and structs in structs: from w[pos:] on, into the struct of the innermost frame fr.
// It expects row r next, which may be one of a struct in that struct. Others it leaves to
// full, if there is one. It begins no field at the limit or behind it, and takes none beyond
// the end; unitRoom bytes behind the limit must be readable. It returns the innermost frame,
// the row and the offset of the first field that it cannot read, and the offset behind its
// header; for that row, see openScopes.
func (d *fastState) simple(full *decodeState, fr *frame, r *fastRow, w pointer, pos, limit, end int) (*frame, *fastRow, int, int, ending) {
	for pos < limit {
		x := w.get64(pos)
		if uint32(x)&r.mask != r.head {
			if next := r.next; uint32(x)&next.mask == next.head {
				r = next // one field is absent
			} else if s := r.scope; x&0xff == uint64(wire.SequenceEnd) {
				r = &s.rows[len(s.rows)-1]
			} else {
				head := x & 0x7f
				if x&0x80 != 0 {
					head |= x >> 1 & 0x3f80
				}
				id := head >> 3
				if x&0x8080 == 0x8080 || id >= uint64(len(s.places)) || s.places[id] == 0 {
					return fr, r, pos, pos, unexpected
				}
				r = &s.rows[s.places[id]-1]
				if uint32(x)&r.mask != r.head {
					return fr, r, pos, pos, unusual
				}
			}
		}
		if r.op <= opFloat64 {
			var q int
			if r, pos, q = numbers(r, fr.dst, w, pos, limit, end); q > 0 {
				return fr, r, pos, q, unusual
			}
			continue
		}
		q := pos + int(r.headSize)
		switch code := r.op; {
		case code == opString:
			if r, pos, q = d.texts(r, fr.dst, w, pos, limit, end); q > 0 {
				return fr, r, pos, q, atField
			}
			continue
		case code == opEnter && len(d.frames) <= wire.MaxDepth-maxFlatDepth || code == opLeave:
			r, pos = r.following(), q
			continue
		case code == opBytes:
			behind := d.shortBytes(r, fr.dst, w, q, end)
			if behind == 0 {
				return fr, r, pos, q, atField
			}
			r, pos = r.following(), behind
			continue
		case code == opNative:
			next, behind := d.fewNumbers(r, fr.dst, w, q, end)
			if behind == 0 {
				return fr, r, pos, q, atField
			}
			r, pos = next, behind
			continue
		case code == opEnd && fr.leavable:
			d.frames = d.frames[:len(d.frames)-1]
			fr = d.innermost()
		default:
			if full == nil || limit == end || code == opEnd { // others must not see the copy of the last bytes
				return fr, r, pos, q, atField
			}
			if code < opStruct {
				behind := full.otherField(fr, r, q)
				if behind == 0 {
					return fr, r, pos, q, atField
				}
				r, pos = r.following(), behind
				continue
			}
			fr, r = d.openScopes(fr, r)
			behind := full.otherScope(fr, r, q)
			if behind == 0 {
				return fr, r, pos, q, atField
			}
			fr, q = d.innermost(), behind
		}
		if fr.table == nil {
			var ok bool
			if fr, q, ok = full.intoStruct(w, q, end); !ok {
				return fr, nil, q, q, inWrapper
			}
		}
		r = fr.table.rowAt(fr.next)
		pos = q
	}
	return fr, r, pos, pos, atEnd
}

// numbers decodes numbers in the order of the rows into fields of the struct at base: the
// first is that of row r and has its header at w[pos:]. It begins none at the limit or
// behind it. It returns the row and the offset of the first other field, and 0, or the
// offset behind the header of a number that is out of the ordinary.
func numbers(r *fastRow, base, w pointer, pos, limit, end int) (*fastRow, int, int) {
	for {
		q := pos + int(r.headSize)
		u := w.get64(q)
		dst := base.add(r.offset)
		if r.op >= opFloat32 {
			size := int(u & 0xff >> 3)
			if q+size >= end {
				return r, pos, q
			}
			if q += 1 + size; size == 4 {
				*at[uint32](dst) = uint32(u >> 8)
			} else {
				*at[uint64](dst) = w.get64(q - 8)
			}
		} else {
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
				if v, n = wire.LongVarint(v, uint64(w.get16(q+8))); n == 0 {
					return r, pos, q
				}
				q += n
				u = v
			}
			if q > end || u&r.over != 0 {
				return r, pos, q
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
		}
		pos = q
		r = r.following()
		if pos >= limit || uint32(w.get64(pos))&r.mask != r.head || r.op > opFloat64 {
			return r, pos, 0
		}
	}
}

// texts is numbers for strings that fit the slab. They are checked while they are copied.
func (d *fastState) texts(r *fastRow, base, w pointer, pos, limit, end int) (*fastRow, int, int) {
	m := d.slab
	for {
		q := pos + int(r.headSize)
		word, from := shortWord(w, q)
		n := word >> 3
		if n == 0 || from+n > end || uint64(n) > r.over || m.at+n > m.room {
			return r, pos, q
		}
		src, text := w.add(uintptr(from)), m.base.add(uintptr(m.at))
		var all uint64
		switch {
		case n > 16:
			for i := 0; i < n-8; i += 8 {
				u := src.get64(i)
				all |= u
				text.put64(i, u)
			}
			u := src.get64(n - 8)
			all |= u
			text.put64(n-8, u)
		case n >= 8:
			a, b := src.get64(0), src.get64(n-8)
			all = a | b
			text.put64(0, a)
			text.put64(n-8, b)
		case n >= 4:
			a, b := src.get32(0), src.get32(n-4)
			all = uint64(a | b)
			text.put32(0, a)
			text.put32(n-4, b)
		default:
			a, b, c := src.get8(0), src.get8(n>>1), src.get8(n-1)
			all = uint64(a | b | c)
			text.put8(0, a)
			text.put8(n>>1, b)
			text.put8(n-1, c)
		}
		if all&0x8080808080808080 != 0 && !d.keepText(r, src, text, n) {
			return r, pos, q
		}
		*at[string](base.add(r.offset)) = stringAt(text, n)
		m.at += n
		pos = from + n
		r = r.following()
		if pos >= limit || uint32(w.get64(pos))&r.mask != r.head || r.op != opString {
			return r, pos, 0
		}
	}
}

// shortWord is the fixlen word at w[q:], as far as it is in two bytes, and the offset behind
// it. Of a longer one it has bits that are too high for any length in the slab.
func shortWord(w pointer, q int) (word, behind int) {
	u := int(w.get16(q))
	if u&0x80 == 0 {
		return u & 0x7f, q + 1
	}
	return u&0x7f | u>>1&0x7f80, q + 2
}

// shortBytes decodes a blob that fits the slab into the field of row r in the struct at
// base. Its word is at w[q:end]. It returns the offset behind it, 0 if it is out of the
// ordinary.
func (d *fastState) shortBytes(r *fastRow, base, w pointer, q, end int) int {
	word, from := shortWord(w, q)
	n, m := word>>3, d.slab
	if n == 0 || from+n > end || uint64(n) > r.over || m.at+n > m.room || d.options.reuse {
		return 0
	}
	src, dst := elements[byte](w.add(uintptr(from)), n), elements[byte](m.base.add(uintptr(m.at)), n)
	if d.checksText(r.form.subtype) && !wire.ValidUTF8(src) {
		return 0
	}
	copy(dst, src)
	*at[[]byte](base.add(r.offset)) = dst
	m.at += n
	return from + n
}

// innermost is the innermost scope.
func (d *fastState) innermost() *frame { return &d.frames[len(d.frames)-1] }

// intoStruct opens elements of wrappers and leaves wrappers at their ends, from w[q:end] on,
// until the innermost scope is a struct. It returns that and the offset that it got to, and
// false if it came to something else.
func (d *decodeState) intoStruct(w pointer, q, end int) (*frame, int, bool) {
	for {
		fr := d.innermost()
		switch {
		case fr.table != nil:
			return fr, q, true
		case q >= end || fr.form.kind != kindWrapper:
			return fr, q, false
		case w.get8(q) == byte(wire.SequenceEnd):
			if !fr.leavable {
				return fr, q, false
			}
			d.leave(fr)
			q++
		case fr.form.elem.kind != kindStruct:
			return fr, q, false
		default:
			d.chargeTexts()
			behind := d.fastStructElement(fr, w, q, end)
			if d.limitTexts(); behind == 0 {
				return fr, q, false
			}
			q = behind
		}
	}
}

// openScopes opens frames for the structs inside fr, the innermost scope, down to the one
// that row r belongs to, and returns the frame of that, and the row in its table.
func (d *fastState) openScopes(fr *frame, r *fastRow) (*frame, *fastRow) {
	s := r.scope
	if s.outer == nil {
		return fr, r
	}
	return d.openScope(fr, s), s.table.rowAt(int(r.index))
}

// openScope opens the frame of a struct inside fr, and before that those between them.
func (d *fastState) openScope(fr *frame, s *fastScope) *frame {
	if s.outer == nil {
		return fr
	}
	fr = d.openScope(fr, s.outer)
	fr.row, fr.next = &fr.table.rows[s.index], s.index+1
	dst := fr.dst.add(s.offset)
	inner := d.addFrame()
	inner.open(s.table, nil, dst, d.from)
	inner.leavable = s.table.leavable
	return inner
}

// otherField decodes a field that is none for simple, and no scope, into the struct of
// frame fr or one that is part of it. Its header is that of row r and ends at offset q of the
// window. It returns the offset behind it, 0 if it is out of the ordinary.
func (d *decodeState) otherField(fr *frame, r *fastRow, q int) int {
	d.chargeTexts()
	q, ok := d.fastValue(r.op, fr, r.form, fr.dst.add(r.offset), d.p.Window(), q)
	d.limitTexts()
	if !ok {
		return 0
	}
	return q
}

// otherScope opens the scope of a field of the innermost struct, or decodes all of it. Its
// header is that of row r and ends at offset q of the window. It returns the offset that it
// got to, 0 if it is out of the ordinary.
func (d *decodeState) otherScope(fr *frame, r *fastRow, q int) int {
	f, dst := r.form, fr.dst.add(r.offset)
	fr.row, fr.next = &fr.table.rows[r.index], int(r.index)+1
	d.chargeTexts()
	ok := true
	if f.kind == kindWrapper && f.elem.kind == kindString && !d.atMaxDepth() {
		q = d.fastTextList(f, dst, d.p.Window(), q)
	} else {
		ok = d.fastOpen(fr, f, dst)
	}
	d.limitTexts()
	if !ok {
		return 0
	}
	return q
}

// chargeTexts charges the texts that simple has cut out of the slab, so that others may
// look at the budget and cut.
func (d *fastState) chargeTexts() {
	m := d.slab
	d.charged += int64(m.at - m.paid)
	m.paid = m.at
}

// limitTexts lets simple cut texts out of the slab after others have charged or cut: none
// if the budget is nearly used up.
func (d *fastState) limitTexts() {
	m := d.slab
	m.paid, m.room = m.at, m.size
	if d.charged > d.plenty {
		m.room = 0
	}
}

// keepText reports whether the n bytes at src, not all ASCII, may be a value of row r. If
// not, their copy at text, the front of what is free of the slab, is cleared again, because
// that must be zero. It does not look at the copy: loads that reach over several stores wait
// for them.
func (d *fastState) keepText(r *fastRow, src, text pointer, n int) bool {
	if d.checksText(r.form.subtype) && !wire.ValidUTF8(elements[byte](src, n)) {
		clear(elements[byte](text, n))
		return false
	}
	return true
}

// lastSimple is simple for the last bytes of the window, which are copied to where there
// is room behind them.
func (d *fastState) lastSimple(full *decodeState, fr *frame, r *fastRow, win []byte, pos int) (*frame, *fastRow, int, int, ending) {
	var room [3 * unitRoom]byte
	from := pos
	if len(win) >= unitRoom {
		from = len(win) - unitRoom
		*(*[unitRoom]byte)(room[:]) = [unitRoom]byte(win[from:])
	} else {
		copy(room[:unitRoom], win[from:])
	}
	end := len(win) - from
	fr, r, pos, q, why := d.simple(full, fr, r, addressOf(&room[0]), pos-from, end, end)
	return fr, r, from + pos, from + q, why
}
