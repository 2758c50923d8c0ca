package wire

import (
	"encoding/binary"
	"unicode/utf8"
)

// BadUTF8 returns the index of the first byte of s that is not part of valid UTF-8
// (section 6: no overlong forms, no surrogates, nothing above U+10FFFF), or -1.
func BadUTF8(s string) int {
	if wordAtATime && validWords([]byte(s)) { // the compiler makes no copy
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

// ValidUTF8 reports whether b is valid UTF-8.
func ValidUTF8(b []byte) bool {
	if wordAtATime {
		return validWords(b)
	}
	return utf8.Valid(b)
}

// validWords reports whether s is valid UTF-8. It checks eight bytes at a time, all at
// once and without looking for the starts of characters: bytes that go on a character
// must stand where leading bytes ask for them, and nowhere else. Up to the first
// character of three bytes or more it is all here.
func validWords(s []byte) bool {
	i := 0
	for ; i <= len(s)-32; i += 32 {
		b := s[i : i+32]
		if (binary.LittleEndian.Uint64(b)|binary.LittleEndian.Uint64(b[8:])|
			binary.LittleEndian.Uint64(b[16:])|binary.LittleEndian.Uint64(b[24:]))&continued != 0 {
			break
		}
	}
	// What is wrong so far, and what the word before asks for in this one, as top bits.
	var bad, owing uint64
	for ; i < len(s); i += 8 {
		var x uint64
		if i <= len(s)-8 {
			x = binary.LittleEndian.Uint64(s[i:])
		} else {
			x = lastWord(s, i)
		}
		top := x & continued
		lead := top & (x << 1)
		if lead&(x<<2) != 0 {
			return bad == 0 && validLonger(s, i, owing)
		}
		bad |= top ^ lead ^ (lead<<8 | owing)
		bad |= lead &^ nonzero(x&0x1e1e1e1e1e1e1e1e) // C0 and C1 are overlong
		owing = lead >> 56
	}
	return bad|owing == 0
}

// validLonger is validWords from i on, for characters of any length. One or two of three
// bytes at the start of a word, as many scripts have them in long runs, are compared with
// their pattern.
func validLonger(s []byte, i int, owing uint64) bool {
	var bad, last uint64
	for i < len(s) {
		var x uint64
		if i <= len(s)-8 {
			x = binary.LittleEndian.Uint64(s[i:])
		} else {
			x = lastWord(s, i)
		}
		if owing == 0 && startsWithThree(x) {
			i += 3
			if startsWithThree(x >> 24) {
				i += 3
			}
			last = 0
			continue
		}
		i += 8
		// Whether a byte leads two or more, three or more, four.
		top := x & continued
		lead := top & (x << 1)
		lead3 := lead & (x << 2)
		want := lead<<8 | lead3<<16 | owing
		owing = lead>>56 | lead3>>48
		if lead4 := lead3 & (x << 3); lead4 != 0 {
			want |= lead4 << 24
			owing |= lead4 >> 40
		}
		bad |= top ^ lead ^ want
		bad |= (lead ^ lead3) &^ nonzero(x&0x1e1e1e1e1e1e1e1e)
		if before := x<<8 | last>>56; needsLook(before) {
			bad |= badSecond(x, before)
		}
		last = x
	}
	return bad|owing == 0
}

// startsWithThree reports whether a word starts with a character of three bytes: not E0
// with 80–9F, which is overlong, and not ED with A0–BF, a surrogate.
func startsWithThree(x uint64) bool {
	second := x & 0x200f
	return x&0xc0c0f0 == 0x8080e0 && second != 0 && second != 0x200d
}

// lastWord is the bytes of s from i on, fewer than eight, as one number.
func lastWord(s []byte, i int) (x uint64) {
	n := len(s)
	switch {
	case n >= 8:
		return binary.LittleEndian.Uint64(s[n-8:]) >> (8 * (i + 8 - n))
	case n >= 4:
		last := uint64(binary.LittleEndian.Uint32(s[n-4:]))
		x = uint64(binary.LittleEndian.Uint32(s)) | last<<(8*(n-4))
	default:
		for i := n - 1; i >= 0; i-- {
			x = x<<8 | uint64(s[i])
		}
	}
	return x >> (8 * i)
}

// needsLook reports whether a byte of x leads a longer character whose second byte is
// not just any that goes on a character: E0, ED, or F0 and above.
func needsLook(x uint64) bool {
	low := x & 0x0f0f0f0f0f0f0f0f
	any := nonzero(low) & nonzero(low^0x0d0d0d0d0d0d0d0d) &^ (x << 3)
	return x&(x<<1)&(x<<2)&continued&^any != 0
}

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
