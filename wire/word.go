package wire

import (
	"encoding/binary"
	"math/bits"
)

// continued has the top bit of every byte of a word: the continuation bits.
const continued = 0x8080808080808080

// gather moves the seven low bits of each byte of a word together, the first byte
// lowest. The top bit of each byte must be 0.
func gather(x uint64) uint64 {
	x -= x & 0x7f007f007f007f00 >> 1     // what was h<<8 is to be h<<7
	x -= x & 0x3fff00003fff0000 >> 2 * 3 // what was h<<16 is to be h<<14
	return uint64(uint32(x)) | x>>32<<28
}

// spread is the inverse of gather, for the low 56 bits of a number.
func spread(v uint64) uint64 {
	v = v&0xfffffff | v<<8>>36<<32
	v += v & 0x0fffc0000fffc000 * 3 // what was h<<14 is to be h<<16
	return v + v&0x3f803f803f803f80 // what was h<<7 is to be h<<8
}

func consumeWord(b *[MaxVarintLen]byte) (v uint64, n int) {
	v, n = WordVarint(binary.LittleEndian.Uint64(b[:]))
	if n == 0 {
		if v, n = LongVarint(v, uint64(binary.LittleEndian.Uint16(b[8:]))); n == 0 {
			return 0, BadVarint
		}
	}
	return v, n
}

// LongVarint completes a varint of 9 or 10 bytes: low is what its first eight bytes hold,
// 56 bits, and tail its last two, the first lowest. The length is 0 if it is longer than
// 64 bits. Of nine bytes the tail may hold anything behind them.
func LongVarint(low, tail uint64) (v uint64, n int) {
	v = low | tail&0x7f<<56
	if tail&0x80 == 0 {
		return v, MaxVarintLen - 1
	}
	if tail > 0x1ff {
		return 0, 0
	}
	return v | tail>>8<<63, MaxVarintLen
}

// WordVarint reads a varint of at most eight bytes from a word, the first byte lowest.
// Of a longer one it returns the low 56 bits, and a length of 0.
func WordVarint(x uint64) (v uint64, n int) {
	last := ^x & continued
	v = gather(x & (last ^ (last - 1)) &^ continued)
	if last == 0 {
		return v, 0
	}
	return v, bits.TrailingZeros64(last)>>3 + 1
}

// PutLong is [PutVarint] where there is room for the longest varint. Bytes behind the
// varint may be overwritten.
func PutLong(b *[MaxVarintLen]byte, v uint64) int {
	if wordAtATime {
		return putWord(b, v)
	}
	return PutVarint(b[:], v)
}

// continuations has for each length of a varint, up to eight bytes, its continuation bits.
var continuations = [16]uint64{
	2: 0x80, 3: 0x8080, 4: 0x808080, 5: 0x80808080, 6: 0x8080808080, 7: 0x808080808080, 8: 0x80808080808080,
}

// VarintWord is the varint of a number of at most 56 bits as it stands in memory, the
// first byte lowest, and its length.
func VarintWord(v uint64) (word uint64, n int) {
	n = SizeVarint(v)
	return spread(v) | continuations[n&15], n
}

// VarintHalf is [VarintWord] for a number of at least 7 and at most 28 bits.
func VarintHalf(v uint32) (word uint32, n int) {
	// What is carried into bit 28 tells whether there is another byte.
	third := (v + (1<<28 - 1<<14)) >> 28
	fourth := (v + (1<<28 - 1<<21)) >> 28
	v += v & 0x0fffc000 * 3
	v += v & 0x3f803f80
	return v | 0x80 | third<<15 | fourth<<23, 2 + int(third+fourth)
}

func putWord(b *[MaxVarintLen]byte, v uint64) int {
	if v < 1<<56 {
		word, n := VarintWord(v)
		binary.LittleEndian.PutUint64(b[:], word)
		return n
	}
	return putLongest(b, v)
}

// putLongest writes the varint of a number of more than 56 bits. Its bits 56 to 63 are
// the ninth byte as it is: bit 63 stands where the continuation bit does, and if it is
// set there is a tenth byte.
func putLongest(b *[MaxVarintLen]byte, v uint64) int {
	binary.LittleEndian.PutUint64(b[:], spread(v)|continued)
	b[8] = byte(v >> 56)
	b[9] = byte(v >> 63)
	return 9 + int(v>>63)
}
