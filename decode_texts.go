package sofab

import (
	"encoding/binary"

	"github.com/sofab-go/sofab/wire"
)

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
	if word&7 != int(g.subtype) || length > len(win)-q || length > d.lengthLimit(g) || !d.affordable(int64(length)) {
		return "", 0
	}
	m := d.slab
	if d.alias || length-1 >= m.free() || length == 0 {
		s, ok := d.textElsewhere(g, win[q:q+length])
		if !ok {
			return "", 0
		}
		return s, q + length
	}
	text := m.base.add(uintptr(m.at))
	if !copyText(text, stringAt(bytesData(win).add(uintptr(q)), length)) && d.checksText(g.subtype) &&
		!wire.ValidUTF8(elements[byte](text, length)) {
		clear(elements[byte](text, length)) // what is free of the slab is zero
		return "", 0
	}
	m.at += length
	d.charged += int64(length)
	return stringAt(text, length), q + length
}

// textElsewhere makes a string of b, part of the window, that does not fit the slab,
// unless it is not UTF-8.
func (d *decodeState) textElsewhere(g *form, b []byte) (string, bool) {
	if d.checksText(g.subtype) && !wire.ValidUTF8(b) {
		return "", false
	}
	d.charged += int64(len(b))
	if d.alias {
		return stringOf(b), true
	}
	return d.slab.newString(b), true
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
	f, s, m := fr.form, fr.dst.slice(), d.slab
	g, limit, longest := f.elem, d.indexLimit(f), d.lengthLimit(f.elem)
	checked := d.checksText(g.subtype)
	w := bytesData(win)
	for pos+4 <= len(win) {
		// A header and a word of two bytes at most.
		x, q := w.get32(pos), pos+2
		head := int(x & 0xff)
		if x >>= 8; head >= 0x80 {
			if x&0x80 != 0 {
				break
			}
			head = head&0x7f | int(x&0x7f)<<7
			x >>= 8
			q++
		}
		word := int(x & 0xff)
		if word >= 0x80 {
			if x&0x8000 != 0 {
				break
			}
			word = word&0x7f | int(x>>8&0x7f)<<7
			q++
		}
		index, length := head>>3, word>>3
		if head&7 != int(wire.Fixlen) || word&7 != int(g.subtype) || index != s.len && (index < s.len || d.options.reuse) ||
			index >= limit || length > len(win)-q || length > longest {
			break
		}
		fr.index = index
		room, size := fr.growth(s.len), int64(length)
		if room > 0 {
			size += int64(room) * g.weight
		}
		if d.charged+size > d.budget {
			break
		}
		text := ""
		if length > 0 {
			text = stringAt(w.add(uintptr(q)), length)
			if length <= m.room-m.at {
				data := m.base.add(uintptr(m.at))
				if !copyText(data, text) && checked && !wire.ValidUTF8(elements[byte](data, length)) {
					clear(elements[byte](data, length))
					break
				}
				m.at += length
				text = stringAt(data, length)
			} else if checked && !wire.ValidUTF8(win[q:q+length]) {
				break
			} else if !d.alias {
				text = m.newString(win[q : q+length])
				d.limitTexts()
			}
		}
		if index >= s.cap {
			d.makeRoom(f, fr.dst, index+1)
		}
		s.len = index + 1
		*at[string](s.index(index, g.size)) = text
		d.charged += size
		if room > 0 {
			fr.room = room
		}
		pos = q + length
	}
	return pos
}

// fastTextList reads a wrapper of strings whose header was read. If it cannot read all of
// it, the wrapper is left open.
func (d *decodeState) fastTextList(f *form, dst pointer, win []byte, q int) int {
	d.openWrapper(f, dst)
	fr := &d.frames[len(d.frames)-1]
	if q == len(win) {
		return q
	}
	q = d.fastTextElements(fr, win, q)
	if q < len(win) && win[q] == byte(wire.SequenceEnd) && fr.leavable {
		d.leave(fr)
		q++
	}
	return q
}

// checksText reports whether a payload of the subtype must be UTF-8.
func (d *fastState) checksText(t wire.Subtype) bool {
	return t == wire.String && !d.options.verbatim
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
	if d.checksText(g.subtype) && !wire.ValidUTF8(payload) {
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
