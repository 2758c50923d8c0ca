package wire

import (
	"math/bits"
	"unicode/utf8"
)

// BadUTF8 returns the index of the first byte of s that is not part of valid UTF-8
// (section 6: no overlong forms, no surrogates, nothing above U+10FFFF), or -1.
func BadUTF8(s string) int {
	i := 0
	if wordAtATime {
		i = validPrefix(s)
	}
	for i < len(s) {
		if s[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// load32 is four bytes of s as one number, the first lowest.
func load32(s string, i int) uint32 {
	s = s[i : i+4]
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}

// load64 is eight bytes of s as one number, the first lowest.
func load64(s string, i int) uint64 {
	s = s[i : i+8]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// validPrefix is the length of a valid part at the start of s: all of it but for the
// last characters, or up to the first character that is wrong. It compares each
// character as one number of four bytes with the patterns of the four lengths; the
// bytes of the constants are in reverse order, since the first byte is the lowest.
func validPrefix(s string) int {
	i := 0
	for i+4 <= len(s) {
		switch x := load32(s, i); {
		case x&0x80 == 0:
			i++
			for i+8 <= len(s) {
				if other := load64(s, i) & continued; other != 0 {
					i += bits.TrailingZeros64(other) >> 3
					break
				}
				i += 8
			}
		case x&0xc0e0c0e0 == 0x80c080c0 && x&0x1e != 0 && x&0x1e0000 != 0:
			i += 4 // two characters of two bytes
		case x&0xc0e0 == 0x80c0 && x&0x1e != 0:
			i += 2
		case x&0xc0c0f0 == 0x8080e0 && x&0x200f != 0 && x&0x200f != 0x200d:
			// Not E0 with 80–9F (overlong), not ED with A0–BF (a surrogate).
			i += 3
		case x&0xc0c0c0f8 == 0x808080f0 && x&0x3007 != 0 && (x&0x7 < 4 || x&0x3007 == 4):
			// Not F0 with 80–8F (overlong), nothing above F4 8F.
			i += 4
		default:
			return i
		}
	}
	return i
}
