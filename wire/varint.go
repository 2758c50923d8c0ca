package wire

import "math/bits"

// AppendVarint appends v in its shortest form, 1 to 10 bytes (section 1.3).
func AppendVarint(b []byte, v uint64) []byte {
	for v >= 0x80 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v))
}

// PutVarint writes v at the start of b, which must have room for it, and returns
// the number of bytes written.
func PutVarint(b []byte, v uint64) int {
	if v < 0x80 {
		b[0] = byte(v)
		return 1
	}
	return putLongVarint(b, v)
}

func putLongVarint(b []byte, v uint64) int {
	n := 0
	for v >= 0x80 {
		b[n] = byte(v) | 0x80
		v >>= 7
		n++
	}
	b[n] = byte(v)
	return n + 1
}

// ConsumeVarint reads a varint of any spelling of at most 64 bits. The tenth byte
// may only be 00 or 01 and is judged as soon as it is there: nine continuation
// bytes are [More], ten are [BadVarint].
func ConsumeVarint(b []byte) (v uint64, n int) {
	if len(b) > 0 && b[0] < 0x80 {
		return uint64(b[0]), 1
	}
	return consumeLongVarint(b)
}

func consumeLongVarint(b []byte) (v uint64, n int) {
	if wordAtATime && len(b) >= MaxVarintLen {
		return consumeWord((*[MaxVarintLen]byte)(b))
	}
	for i, c := range b {
		if i == MaxVarintLen-1 {
			if c > 1 {
				return 0, BadVarint
			}
			return v | uint64(c)<<63, MaxVarintLen
		}
		v |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			return v, i + 1
		}
	}
	return 0, More
}

// SizeVarint is the length of v in its shortest form.
func SizeVarint(v uint64) int {
	return (9*bits.Len64(v|1) + 64) / 64 // what (bits + 6) / 7 is, without a division
}

// Zigzag maps a signed integer to the unsigned one that stands on the wire
// (section 1.4): 0, −1, 1, −2 become 0, 1, 2, 3.
func Zigzag(v int64) uint64 {
	return uint64(v<<1) ^ uint64(v>>63)
}

// Unzigzag is the inverse of [Zigzag].
func Unzigzag(u uint64) int64 {
	return int64(u>>1) ^ -int64(u&1)
}

// AppendSigned appends the zig-zag varint of v.
func AppendSigned(b []byte, v int64) []byte { return AppendVarint(b, Zigzag(v)) }

// ConsumeSigned reads a zig-zag varint.
func ConsumeSigned(b []byte) (v int64, n int) {
	u, n := ConsumeVarint(b)
	return Unzigzag(u), n
}

// SizeSigned is the length of the zig-zag varint of v.
func SizeSigned(v int64) int { return SizeVarint(Zigzag(v)) }

// Fits reports whether u, the varint of an unsigned or zig-zag integer, is within
// a declared width of the given number of bits (section 3.1). One test serves both
// signs, because zig-zag maps the range of an n-bit integer onto n bits.
func Fits(u uint64, width uint) bool { return u>>width == 0 }
