package sofab

import (
	"math"

	"github.com/sofab-go/sofab/wire"
)

// putVarint writes a varint at w[n:], which has room for the longest one, and returns
// the offset behind it.
func putVarint(w pointer, n int, u uint64) int {
	switch {
	case u < 1<<7:
		w.put8(n, byte(u))
		return n + 1
	case u < 1<<14:
		w.put16(n, uint16(u&0x7f|u<<1&0x7f00|0x80))
		return n + 2
	}
	return n + wire.PutLong(at[[wire.MaxVarintLen]byte](w.add(uintptr(n))), u)
}

// putText writes the word and the bytes of a string or blob at w[n:] and returns the
// offset behind it, 0 if it is to be UTF-8 and is not.
func putText(w pointer, n int, x string, subtype wire.Subtype) int {
	size := len(x)
	word := uint64(size)<<3 | uint64(subtype)
	switch {
	case word < 1<<7:
		w.put8(n, byte(word))
		n++
	case word < 1<<14:
		w.put16(n, uint16(word&0x7f|word<<1&0x7f00|0x80))
		n += 2
	default:
		n = putVarint(w, n, word)
	}
	dst := w.add(uintptr(n))
	// The check reads where the text comes from: words that were just written in other
	// pieces are slow to read.
	if !copyText(dst, x) && subtype == wire.String && !wire.ValidUTF8(elements[byte](stringData(x), size)) {
		return 0
	}
	return n + size
}

// copyText copies a string to dst and reports whether it is ASCII. Copies of words that
// overlap spare loops over bytes.
func copyText(dst pointer, x string) bool {
	src, size := stringData(x), len(x)
	var all uint64
	switch {
	case size > 32:
		for i := 0; i < size-8; i += 8 {
			u := src.get64(i)
			all |= u
			dst.put64(i, u)
		}
		u := src.get64(size - 8)
		all |= u
		dst.put64(size-8, u)
	case size > 16:
		a, b, c, d := src.get64(0), src.get64(8), src.get64(size-16), src.get64(size-8)
		all = a | b | c | d
		dst.put64(0, a)
		dst.put64(8, b)
		dst.put64(size-16, c)
		dst.put64(size-8, d)
	case size >= 8:
		a, b := src.get64(0), src.get64(size-8)
		all = a | b
		dst.put64(0, a)
		dst.put64(size-8, b)
	case size >= 4:
		a, b := src.get32(0), src.get32(size-4)
		all = uint64(a | b)
		dst.put32(0, a)
		dst.put32(size-4, b)
	case size > 0:
		a, b, c := x[0], x[size>>1], x[size-1]
		all = uint64(a | b | c)
		dst.put8(0, a)
		dst.put8(size>>1, b)
		dst.put8(size-1, c)
	}
	return all&0x8080808080808080 == 0
}

// copyShort copies up to 15 bytes to dst and reports whether they are ASCII and characters
// of two bytes. It has looked at the words that it copies when it still has them.
func copyShort(dst pointer, x string) bool {
	src, size := stringData(x), len(x)
	var a, b uint64
	switch {
	case size >= 8:
		a, b = src.get64(0), src.get64(size-8)
		dst.put64(0, a)
		dst.put64(size-8, b)
		if (a|b)&0x8080808080808080 == 0 {
			return true
		}
		b = b >> 8 >> (8 * (15 - size) & 63)
	case size >= 4:
		first, last := src.get32(0), src.get32(size-4)
		dst.put32(0, first)
		dst.put32(size-4, last)
		if (first|last)&0x80808080 == 0 {
			return true
		}
		a = uint64(first) | uint64(last)<<(8*(size-4)&63)
	case size > 0:
		middle := size >> 1
		a = uint64(x[0]) | uint64(x[middle])<<(8*middle&63) | uint64(x[size-1])<<(8*(size-1)&63)
		dst.put32(0, uint32(a))
	}
	return wire.ValidPairs(a, b)
}

// putTexts writes the elements of a wrapper of strings from list[i] on at w[n:], as the
// function wrapper does. It returns the offset behind them and the index of the first
// that it leaves to others: because it is refused, or because there is no room.
func putTexts(f *form, w pointer, n, room int, list []string, i int) (end, next int) {
	for ; i < len(list); i++ {
		x := list[i]
		if x == "" && i < len(list)-1 {
			continue
		}
		if len(x) > room-n || f.maxlen > 0 && len(x) > f.maxlen {
			break
		}
		if i < 16 && len(x) < 16 {
			w.put16(n, uint16(len(x)<<11|int(wire.String)<<8|i<<3|int(wire.Fixlen)))
			if !copyShort(w.add(uintptr(n+2)), x) && !wire.ValidLonger(elements[byte](stringData(x), len(x))) {
				break
			}
			n += 2 + len(x)
			continue
		}
		m := n
		if head := i<<3 | int(wire.Fixlen); head < 1<<7 {
			w.put8(n, byte(head))
			m++
		} else {
			m = putVarint(w, n, uint64(head))
		}
		if m = putText(w, m, x, wire.String); m == 0 {
			break
		}
		n = m
	}
	return n, i
}

// putElements writes the elements of a short array at w[n:], behind its count, and
// returns the offset behind them.
func putElements(code encodeCode, w pointer, n int, p pointer, count int) int {
	switch code {
	case encBool, encUint8:
		return putIntegers(w, n, elements[uint8](p, count))
	case encUint16:
		return putIntegers(w, n, elements[uint16](p, count))
	case encUint32:
		return putIntegers(w, n, elements[uint32](p, count))
	case encUint64:
		return putIntegers(w, n, elements[uint64](p, count))
	case encInt8:
		return putIntegers(w, n, elements[int8](p, count))
	case encInt16:
		return putIntegers(w, n, elements[int16](p, count))
	case encInt32:
		return putIntegers(w, n, elements[int32](p, count))
	case encInt64:
		return putIntegers(w, n, elements[int64](p, count))
	case encFloat32:
		w.put8(n, 4<<3|byte(wire.FP32))
		for i, x := range elements[float32](p, count) {
			w.put32(n+1+4*i, math.Float32bits(x))
		}
		return n + 1 + 4*count
	}
	w.put8(n, 8<<3|byte(wire.FP64))
	for i, x := range elements[float64](p, count) {
		w.put64(n+1+8*i, math.Float64bits(x))
	}
	return n + 1 + 8*count
}

// putIntegers writes integers, signed ones as zig-zag varints. Which they are is known
// where the compiler makes the function for T.
func putIntegers[T wire.Integer](w pointer, n int, v []T) int {
	for _, x := range v {
		u := uint64(x)
		if ^T(0) < 0 {
			u = wire.Zigzag(int64(x))
		}
		switch {
		case u < 1<<7:
			w.put8(n, byte(u))
			n++
		case u < 1<<28:
			word, size := wire.VarintHalf(uint32(u))
			w.put32(n, word)
			n += size
		default:
			n += wire.PutLong(at[[wire.MaxVarintLen]byte](w.add(uintptr(n))), u)
		}
	}
	return n
}
