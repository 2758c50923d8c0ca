package wire

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// AppendCount appends the number of elements of an array (section 1.7), at most
// [MaxArray].
func AppendCount(b []byte, count int) []byte { return AppendVarint(b, uint64(count)) }

// ConsumeCount reads a count; above [MaxArray] it is [BadCount].
func ConsumeCount(b []byte) (count, n int) {
	u, n := ConsumeVarint(b)
	if n < 0 {
		return 0, n
	}
	if u > MaxArray {
		return 0, BadCount
	}
	return int(u), n
}

// SizeCount is the length of a count.
func SizeCount(count int) int { return SizeVarint(uint64(count)) }

// AppendElementWord appends the word between the count and the elements of a
// fixlen array; s is [FP32] or [FP64].
func AppendElementWord(b []byte, s Subtype) []byte {
	return AppendFixlenWord(b, s.Width(), s)
}

// ConsumeElementWord reads an element word. Only the two words of fp32 and fp64
// exist; anything else is [BadElement].
func ConsumeElementWord(b []byte) (s Subtype, n int) {
	u, n := ConsumeVarint(b)
	if n < 0 {
		return 0, n
	}
	switch u {
	case 4<<3 | uint64(FP32):
		return FP32, n
	case 8<<3 | uint64(FP64):
		return FP64, n
	}
	return 0, BadElement
}

// SizeElementWord is the length of an element word.
func SizeElementWord() int { return 1 }

// Integer is a Go type that the elements of an integer array are read into.
type Integer interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~int | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uint
}

// ConsumeUnsigneds reads varints from b into dst until dst is full, b ends or a
// varint is wrong. It returns the number of elements stored and of bytes they
// took; code is 0 when dst is full, [More] when b ended first, else what is wrong
// with the next element. An element of more than width bits is [BadWidth]; the width
// must not be above that of T.
func ConsumeUnsigneds[T Integer](b []byte, dst []T, width uint) (elements, n, code int) {
	if wordAtATime {
		elements, n = consumeWords(b, dst, width, 0)
	}
	for ; elements < len(dst); elements++ {
		u, m := ConsumeVarint(b[n:])
		if m < 0 {
			return elements, n, m
		}
		if !Fits(u, width) {
			return elements, n, BadWidth
		}
		dst[elements] = T(u)
		n += m
	}
	return elements, n, 0
}

// consumeWords reads elements, with a sign of 1 zig-zag ones, as long as b has room behind
// them for the longest varint. It stops in front of one that is wrong, and may stop in
// front of a few that are not.
func consumeWords[T Integer](b []byte, dst []T, width uint, sign uint64) (elements, n int) {
	over := uint64(math.MaxUint64) << width // bits that are too high
	short := uint64(continued)
	if width < 7 {
		short = 0
	}
	for {
		some, size := consumeLonger(b[n:], dst[elements:], over, short, sign)
		elements, n = elements+some, n+size
		if short == 0 {
			return elements, n
		}
		some = consumeShort(b[n:], dst[elements:], sign)
		elements, n = elements+some, n+some
		if some == 0 {
			return elements, n
		}
	}
}

// consumeShort reads elements of one byte, eight or a multiple of it.
func consumeShort[T Integer](b []byte, dst []T, sign uint64) (elements int) {
	most := min(len(b), len(dst))
	for elements <= most-8 && binary.LittleEndian.Uint64(b[elements:])&continued == 0 {
		elements += 8
	}
	dst = dst[:elements]
	for i, c := range b[:elements] {
		u := uint64(c)
		if sign != 0 {
			u = u>>1 ^ -(u & 1)
		}
		dst[i] = T(u)
	}
	return elements
}

// consumeLonger is consumeWords for elements of any length. Where eight bytes in a row
// have the continuation bits short, inverted, it stops for consumeShort.
//
// The time goes by from one position to the next, not by the work on the elements: the
// next position is added up so that the last step waits for the length and for nothing
// else, k - ^n for n + 1 + k. Lengths up to eight bytes are told apart without a branch,
// as are nine and ten; numbers at random are as fast as ones that a branch predictor
// learns, but for the branch between the two.
func consumeLonger[T Integer](b []byte, dst []T, over, short, sign uint64) (elements, n int) {
	for uint(elements) < uint(len(dst)) && n <= len(b)-MaxVarintLen {
		x := binary.LittleEndian.Uint64(b[n:]) ^ continued
		last := x & continued // bytes that end a varint
		var next int
		var high uint64
		if last == 0 {
			ninth := uint64(b[n+8])
			tenth := ninth >> 7 // 1 if there is one
			if (uint64(b[n+9])^1)&-tenth != 0 {
				break // not 01: LongVarint judges it
			}
			high = ninth << 56 // bit 63 stands where the continuation bit does
			next = int(tenth) - ^(n + 8)
		} else {
			if last == short {
				break
			}
			end := bits.TrailingZeros64(last)
			x &= 1<<(end&63) - 1
			next = end>>3 - ^n
		}
		u := gather(x) | high
		if u&over != 0 {
			break
		}
		if sign != 0 {
			u = u>>1 ^ -(u & 1)
		}
		dst[elements] = T(u)
		elements++
		n = next
	}
	return elements, n
}

// ConsumeSigneds is [ConsumeUnsigneds] for zig-zag varints.
func ConsumeSigneds[T Integer](b []byte, dst []T, width uint) (elements, n, code int) {
	if wordAtATime {
		elements, n = consumeWords(b, dst, width, 1)
	}
	for ; elements < len(dst); elements++ {
		u, m := ConsumeVarint(b[n:])
		if m < 0 {
			return elements, n, m
		}
		if !Fits(u, width) {
			return elements, n, BadWidth
		}
		dst[elements] = T(Unzigzag(u))
		n += m
	}
	return elements, n, 0
}

// ConsumeBools is [ConsumeUnsigneds] for booleans: any value but 0 reads as true.
func ConsumeBools(b []byte, dst []bool) (elements, n, code int) {
	for i := range dst {
		u, m := ConsumeVarint(b[n:])
		if m < 0 {
			return i, n, m
		}
		dst[i] = u != 0
		n += m
	}
	return len(dst), n, 0
}

// SkipVarints steps over at most count varints, with the results of
// [ConsumeUnsigneds].
func SkipVarints(b []byte, count int) (elements, n, code int) {
	if wordAtATime {
		elements, n = skipWords(b, count)
	}
	for elements < count {
		_, m := ConsumeVarint(b[n:])
		if m < 0 {
			return elements, n, m
		}
		n += m
		elements++
	}
	return elements, n, 0
}

// skipWords steps over varints eight bytes at a time: each byte without a continuation
// bit ends one. It stops where b is nearly at its end, and in front of a varint that is
// wrong.
func skipWords(b []byte, count int) (elements, n int) {
	run := 0 // bytes in front of n that begin a varint
	for count-elements >= 8 && len(b)-n >= MaxVarintLen {
		last := ^binary.LittleEndian.Uint64(b[n:]) & continued
		if long := run + bits.TrailingZeros64(last)>>3; long >= MaxVarintLen-1 && (long >= MaxVarintLen || b[n-run+MaxVarintLen-1] > 1) {
			break
		}
		elements += bits.OnesCount64(last)
		n += 8
		begun := bits.LeadingZeros64(last) >> 3
		if last == 0 {
			begun += run
		}
		run = begun
	}
	n -= run
	for elements < count && len(b)-n >= 8 {
		last := ^binary.LittleEndian.Uint64(b[n:]) & continued
		if last == 0 {
			break
		}
		ends := bits.OnesCount64(last)
		for ; elements+ends > count; ends-- {
			last &^= 1 << (63 - bits.LeadingZeros64(last))
		}
		elements += ends
		n += 8 - bits.LeadingZeros64(last)>>3
	}
	return elements, n
}

// PutUnsigneds writes the varints of as many elements of src as surely fit b,
// one for every ten bytes at least, and returns how many elements and bytes that was.
func PutUnsigneds[T Integer](b []byte, src []T) (elements, n int) {
	for i, v := range src {
		if n > len(b)-MaxVarintLen {
			return i, n
		}
		word := (*[MaxVarintLen]byte)(b[n:])
		switch u := uint64(v); {
		case !wordAtATime:
			n += PutVarint(word[:], u)
		case u < 1<<56:
			x, size := VarintWord(u)
			binary.LittleEndian.PutUint64(word[:], x)
			n += size
		default:
			n += putLongest(word, u)
		}
	}
	return len(src), n
}

// PutSigneds is [PutUnsigneds] for zig-zag varints. It is a loop of its own, because one for
// both, told the sign, takes 6 % longer for numbers of 64 bits and 13 % for those at random.
func PutSigneds[T Integer](b []byte, src []T) (elements, n int) {
	for i, v := range src {
		if n > len(b)-MaxVarintLen {
			return i, n
		}
		word := (*[MaxVarintLen]byte)(b[n:])
		switch u := Zigzag(int64(v)); {
		case !wordAtATime:
			n += PutVarint(word[:], u)
		case u < 1<<56:
			x, size := VarintWord(u)
			binary.LittleEndian.PutUint64(word[:], x)
			n += size
		default:
			n += putLongest(word, u)
		}
	}
	return len(src), n
}

// PutBools is [PutUnsigneds] for booleans, written as 0 and 1.
func PutBools(b []byte, src []bool) (elements, n int) {
	n = min(len(src), len(b))
	for i, v := range src[:n] {
		b[i] = BoolByte(v)
	}
	return n, n
}

// BoolByte is the varint of a boolean.
func BoolByte(v bool) byte {
	if v {
		return 1
	}
	return 0
}
