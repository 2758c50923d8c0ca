package sofab

import (
	"math"

	"github.com/sofab-go/sofab/wire"
)

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
	if count > d.indexLimit(g) || count > len(win)-q || !g.isAllocatable(count) || !d.affordable(int64(size)) {
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
		data = d.slab.cut(size)
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
		d.clearNative(g, s, count)
	default:
		s.set(data, count, room)
	}
	return behind, true
}

// fewNumbers decodes a run of arrays of a few numbers each, which fit the slab, into fields
// of the struct at base: the first is that of row r and has its count at w[q:end]. It
// returns the row and the offset behind the last, an offset of 0 if already the first is
// out of the ordinary.
func (d *fastState) fewNumbers(r *fastRow, base, w pointer, q, end int) (*fastRow, int) {
	pos, m := 0, d.slab
	for end >= 8 && q < end {
		count := int(w.get8(q))
		if uint(count-1) >= uint(r.few) {
			break
		}
		size, from := count*int(r.elemSize), q+1
		if r.wire != wire.FixlenArray {
			if count > end-from {
				break
			}
		} else if from == end || w.get8(from) != r.word || size >= end-from {
			break
		} else {
			from++
		}
		s := base.add(r.offset).slice()
		data, room := s.first(), s.cap
		if d.options.reuse && room >= count {
			if count > d.indexLimit(r.form) || !d.affordable(int64(size)) {
				break
			}
		} else if data, room = m.cutInRoom(size), count; data.isNil() {
			break
		}
		behind := shortElements(r.elem, w, from, end, data, count, r.over)
		if behind == 0 {
			break
		}
		d.charged += int64(size)
		s.set(data, count, room)
		pos, q = behind, behind
		r = r.following()
		if r.op != opNative || end-pos < 4 || w.get32(pos)&r.mask != r.head {
			break
		}
		q += int(r.headSize)
	}
	return r, pos
}

// fewElements is the most elements that are read by shortElements, without looking for
// runs of short ones.
const fewElements = 16

// shortElements reads n numbers from w[q:end] into memory at p and returns the offset
// behind them, 0 if one is not whole or does not fit.
func shortElements(code op, w pointer, q, end int, p pointer, n int, over uint64) int {
	switch code {
	case opUint8:
		return varints(w, q, end, elements[uint8](p, n), over)
	case opUint16:
		return varints(w, q, end, elements[uint16](p, n), over)
	case opUint32:
		return varints(w, q, end, elements[uint32](p, n), over)
	case opUint64:
		return varints(w, q, end, elements[uint64](p, n), over)
	case opInt8:
		return varints(w, q, end, elements[int8](p, n), over)
	case opInt16:
		return varints(w, q, end, elements[int16](p, n), over)
	case opInt32:
		return varints(w, q, end, elements[int32](p, n), over)
	case opInt64:
		return varints(w, q, end, elements[int64](p, n), over)
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

// varints is shortElements for integers, signed ones from zig-zag varints.
func varints[T wire.Integer](w pointer, q, end int, dst []T, over uint64) int {
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
			if v, n = wire.LongVarint(v, uint64(w.get16(q+8))); n == 0 {
				return 0
			}
			q += n
			u = v
		}
		if u&over != 0 {
			return 0
		}
		if ^T(0) < 0 {
			u = uint64(wire.Unzigzag(u))
		}
		dst[i] = T(u)
	}
	return q
}

// peek is the eight bytes of w from n on, the first lowest, with 0xff for those behind
// the end, so that no varint ends there. At least eight bytes stand before the end, and n
// is not behind it.
func peek(w pointer, n, end int) uint64 {
	if n <= end-8 {
		return w.get64(n)
	}
	return peekLast(w, n, end)
}

func peekLast(w pointer, n, end int) uint64 {
	bits := 8 * uint(end-n)
	return w.get64(end-8)>>(64-bits) | math.MaxUint64<<bits
}
