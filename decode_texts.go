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
	text, ok := d.newText(g, win[q:q+length])
	if !ok {
		return "", 0
	}
	return text, q + length
}

// newText makes a string of b, part of the window, and charges it, unless it is not UTF-8. It is
// checked when it was copied, if it is not ASCII.
func (d *decodeState) newText(g *form, b []byte) (string, bool) {
	n, m := len(b), d.slab
	if d.alias || n > m.free() || n > maxSlabPart || n == 0 {
		if d.checksText(g.subtype) && !wire.ValidUTF8(b) {
			return "", false
		}
		d.charged += int64(n)
		if d.alias {
			return stringOf(b), true
		}
		return m.newString(b), true
	}
	text := m.base.add(uintptr(m.at))
	if !copyText(text, stringOf(b)) && d.checksText(g.subtype) && !wire.ValidUTF8(b) {
		clear(elements[byte](text, n)) // what is free of the slab is zero
		return "", false
	}
	m.at += n
	d.charged += int64(n)
	return stringAt(text, n), true
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

// A textRun is elements of a wrapper of strings that stand in the window one behind the
// other. They are checked together, and are parts of one copy of it.
type textRun struct {
	pos, end int     // what is left of the window, up to where the elements may go
	win      pointer // the window
	shift    int     // offset in the window of what the copy begins with
	texts    pointer // the copy
	list     pointer // elements of the slice
	count    int     // of them that are there
	limit    int     // of the count
	longest  int     // length of a text
	room     int     // elements that the slice is charged for
	charge   int64   // for the texts, and for growing the slice
}

// grow charges for a slice of form f that has got count elements, one by one.
func (t *textRun) grow(f *form, count int) {
	for t.room < count {
		t.growTo(f, roomFor(t.room+1, t.room, f.elem.size))
	}
}

// growTo charges for a slice of form f that gets room.
func (t *textRun) growTo(f *form, room int) {
	t.room = room
	t.charge += int64(room) * f.elem.weight
}

// fastTextElements reads the elements of a wrapper of strings that come in order, from
// win[pos:] on, into the slice at dst, which was charged for room elements. It returns the
// offset of the first unit that is no such element, and for how many the slice is charged
// now. What does not fit the slab, or the memory that the slice has or the chunk of its
// type, is for others, and so are strings that stand as blobs.
func (d *decodeState) fastTextElements(f *form, dst pointer, room int, win []byte, pos int) (int, int) {
	s, m := dst.slice(), d.slab
	if f.elem.subtype != wire.String {
		return pos, room
	}
	var t textRun
	t.pos, t.win, t.longest = pos, bytesData(win), min(d.lengthLimit(f.elem), maxSlabPart)
	for t.pos < len(win) && win[t.pos]&7 == byte(wire.Fixlen) {
		from, had := t.pos, s.len
		if t.end = len(win); d.alias {
			t.texts = t.win.add(uintptr(from))
		} else if free := m.free(); free > 0 && shareMemory && !d.options.ownMemory {
			t.end, t.texts = min(t.end, from+free), m.base.add(uintptr(m.at))
		} else {
			break
		}
		c := d.chunkOf(f.elem)
		begun := false // with a chunk of which nothing is cut off
		t.list, t.count, t.limit, t.shift = s.first(), had, s.cap, from
		if s.cap == 0 {
			if begun = c.free == 0 || c.isLarge(); begun {
				d.newChunk(c, 1)
			}
			t.list, t.limit = c.next, c.free
		} else if s.endsAt(c.next, stringSize) {
			t.limit += c.free
		}
		t.limit = min(t.limit, d.indexLimit(f))
		t.room, t.charge = room, 0
		bad := d.takeTexts(&t, f, win)
		stored := t.count
		if bad >= 0 {
			t.pos, t.end, t.count = from, bad, had
			t.room, t.charge = room, 0
			d.takeTexts(&t, f, win)
		}
		if !d.affordable(t.charge) {
			t.pos, t.count = from, had
		}
		if stored > t.count {
			clear(elements[string](t.list, stored)[t.count:]) // free elements are zero
		}
		if t.pos == from {
			if begun {
				c.advance(1) // the free part never begins an allocation, see makeRoom
			}
			return from, room
		}
		d.charged += t.charge
		room = t.room
		if !d.alias {
			copy(elements[byte](t.texts, t.pos-from), win[from:])
			m.at += t.pos - from
			m.spare = slabSpare
		}
		if more := t.count - s.cap; more > 0 {
			if c.used += more; s.cap == 0 {
				c.cuts++
			}
			c.advance(more)
			s.set(t.list, t.count, t.count)
		}
		s.len = t.count
	}
	return t.pos, room
}

// takeTexts stores elements in the list as far as they are whole, in the order of their
// indexes, below the limit and not too long. It returns where they are not UTF-8, a
// negative number if they are. Headers and words of a byte are ASCII, so that they are
// checked together with the texts around them: that is valid if and only if each text is.
func (d *decodeState) takeTexts(t *textRun, f *form, win []byte) int {
	checked := t.pos // the offset behind what was checked
	units := 0       // bytes of headers and words
	for {
		if t.count < 16 {
			n := t.count
			t.takeShort()
			units += 2 * (t.count - n)
		}
		if t.pos+4 > t.end || win[t.pos]&7 != byte(wire.Fixlen) {
			break
		}
		index, length, size := textWords(t.win.get32(t.pos))
		q := t.pos + size
		if index < t.count || index > t.count && d.options.reuse || index >= t.limit || length > t.longest || length > t.end-q {
			break
		}
		if size > 2 {
			if checked < t.pos && !d.validTexts(win[checked:t.pos]) {
				return checked + wire.BadUTF8(stringOf(win[checked:t.pos]))
			}
			checked = q
		}
		if index > t.count {
			if t.grow(f, t.count); index >= t.room {
				t.growTo(f, roomFor(index+1, t.count, f.elem.size))
			}
		}
		text := ""
		if length > 0 {
			text = stringAt(t.texts.add(uintptr(q-t.shift)), length)
		}
		*at[string](t.list.arrayIndex(index, stringSize)) = text
		units += size
		t.pos, t.count = q+length, index+1
	}
	if checked < t.pos && !d.validTexts(win[checked:t.pos]) {
		return checked + wire.BadUTF8(stringOf(win[checked:t.pos]))
	}
	t.grow(f, t.count)
	t.charge += int64(t.pos - t.shift - units)
	return -1
}

// takeShort is takeTexts for texts whose headers and words are a byte each. It does not
// check them.
func (t *textRun) takeShort() {
	pos, count, win, list := t.pos, t.count, t.win, t.list
	limit := min(t.limit, 16)
	for count < limit && pos+4 <= t.end {
		x := win.get32(pos)
		length := int(x >> 11 & 0xf)
		end := pos + 2 + length
		if x&0x87ff != uint32(count<<3|int(wire.String)<<8|int(wire.Fixlen)) || end > t.end || length > t.longest || length == 0 {
			break
		}
		*at[string](list.arrayIndex(count, stringSize)) = stringAt(t.texts.add(uintptr(pos+2-t.shift)), length)
		pos = end
		count++
	}
	t.pos, t.count = pos, count
}

// validTexts reports whether b is UTF-8, if that is looked at.
func (d *decodeState) validTexts(b []byte) bool { return d.options.verbatim || wire.ValidUTF8(b) }

// textWords is the index and the length in the header and the word of a text at the start
// of x, and the size of both. The index is negative if there are none, or longer ones than
// two bytes.
func textWords(x uint32) (index, length, size int) {
	head, size := int(x&0x7f), 2
	if x&0x80 != 0 {
		if x&0x8000 != 0 {
			return -1, 0, 0
		}
		head |= int(x >> 1 & 0x3f80)
		x >>= 8
		size++
	}
	word := int(x >> 8 & 0x7f)
	if x&0x8000 != 0 {
		if x&0x800000 != 0 {
			return -1, 0, 0
		}
		word |= int(x >> 9 & 0x3f80)
		size++
	}
	if head&7 != int(wire.Fixlen) || word&7 != int(wire.String) {
		return -1, 0, 0
	}
	return head >> 3, word >> 3, size
}

// fastTextList reads a wrapper of strings whose header was read. If it cannot read all of
// it, the wrapper is left open.
func (d *decodeState) fastTextList(f *form, dst pointer, win []byte, q int) int {
	s := dst.slice()
	if !s.isNil() || f.presence {
		d.clearWrapper(f, dst)
	}
	d.openings++
	q, room := d.fastTextElements(f, dst, 0, win, q)
	if q < len(win) && win[q] == byte(wire.SequenceEnd) {
		if s.cap > s.len {
			d.trim(f, dst)
		}
		return q + 1
	}
	d.push(nil, f, dst)
	fr := &d.frames[len(d.frames)-1]
	fr.next, fr.index, fr.room = d.openings, max(s.len-1, 0), room
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
