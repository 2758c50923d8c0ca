package wire

import (
	"encoding/binary"
	"unicode/utf8"
)

// BadUTF8 returns the index of the first byte of s that is not part of valid UTF-8
// (section 6: no overlong forms, no surrogates, nothing above U+10FFFF), or -1.
func BadUTF8(s string) int {
	if wordAtATime && validWords(s) {
		return -1
	}
	i := 0
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

// ValidPadded reports whether b without its last eight bytes is valid UTF-8. These
// eight must be 0.
func ValidPadded(b []byte) bool {
	if !wordAtATime {
		return utf8.Valid(b)
	}
	var c utf8Check
	for len(b) > 8 {
		if !c.word(binary.LittleEndian.Uint64(b)) {
			return false
		}
		b = b[8:]
	}
	return c.complete()
}

// validWords is BadUTF8(s) < 0.
func validWords(s string) bool {
	var c utf8Check
	for ; len(s) >= 8; s = s[8:] {
		if x := load64(s); !c.word(x) {
			return false
		}
	}
	var rest uint64
	for i := range len(s) {
		rest |= uint64(s[i]) << (8 * i)
	}
	return c.word(rest) && c.complete()
}

// load64 is the first eight bytes of s as one number, the first lowest.
func load64(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// A utf8Check checks text eight bytes at a time, all at once and without looking for
// the starts of characters: bytes that go on a character must stand where leading bytes
// ask for them, and nowhere else.
type utf8Check struct {
	last  uint64 // the word before
	owing uint64 // what it asks for in the next one, as top bits
}

// word checks the next eight bytes, the first lowest. At the end of a text zeros fill
// the word.
func (c *utf8Check) word(x uint64) bool {
	top := x & continued
	if top|c.owing == 0 {
		c.last = x
		return true
	}
	// In the top bit of each byte: whether it leads two bytes or more, three or more, four.
	lead := top & (x << 1)
	lead3 := lead & (x << 2)
	lead4 := lead3 & (x << 3)
	bad := lead<<8 | lead3<<16 | lead4<<24 | c.owing
	bad ^= top &^ (x << 1)
	// C0 and C1 are overlong.
	bad |= lead &^ lead3 &^ nonzero(x&0x1e1e1e1e1e1e1e1e)
	before := x<<8 | c.last>>56
	if before&(before<<1)&(before<<2)&continued != 0 {
		bad |= badSecond(x, before)
	}
	c.last = x
	c.owing = lead>>56 | lead3>>48 | lead4>>40
	return bad == 0
}

// complete reports whether the text may end here.
func (c *utf8Check) complete() bool { return c.owing == 0 }

// badSecond has the top bits of the bytes of x that are no second bytes of the longer
// characters whose leading bytes stand at the same place in before.
func badSecond(x, before uint64) (bad uint64) {
	lead3 := before & (before << 1) & (before << 2) & continued
	lead4 := lead3 & (before << 3)
	lead3 &^= lead4
	low := before & 0x0f0f0f0f0f0f0f0f
	bad = lead3 &^ nonzero(low) &^ (x << 2)                    // E0 with 80–9F is overlong
	bad |= lead3 &^ nonzero(low^0x0d0d0d0d0d0d0d0d) & (x << 2) // ED with A0–BF is a surrogate
	if lead4 == 0 {
		return bad
	}
	high := x<<2 | x<<3
	bad |= lead4 &^ nonzero(low) &^ high                   // F0 with 80–8F is overlong
	bad |= lead4 &^ nonzero(low^0x0404040404040404) & high // F4 with 90–BF is above U+10FFFF
	return bad | lead4&(low+0x7b7b7b7b7b7b7b7b)&continued  // and so is what F5 and above lead
}

// nonzero has the top bit of each byte of x that is not 0; none is above 7F.
func nonzero(x uint64) uint64 { return (x + 0x7f7f7f7f7f7f7f7f) & continued }
