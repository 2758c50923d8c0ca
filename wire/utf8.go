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
	return firstBad(s)
}

// firstBad is BadUTF8 character by character.
func firstBad(s string) int {
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

// validWords reports whether s is valid UTF-8. Up to the first character of three bytes
// or more it checks eight bytes at a time, all at once and without looking for the
// starts of characters.
func validWords(s []byte) bool {
	n, i := len(s), 0
	if n >= 8 {
		for i < n-8 && binary.LittleEndian.Uint64(s[i:])&continued == 0 {
			i += 8
		}
		if i >= n-8 && binary.LittleEndian.Uint64(s[n-8:])&continued == 0 {
			return true
		}
	}
	// What is wrong so far, and what the word before asks for in this one, as top bits.
	var bad, owing, x uint64
	if n >= 8 {
		for ; i < n-8; i += 8 {
			x = binary.LittleEndian.Uint64(s[i:])
			lead := leadsTwo(x)
			if lead&(x<<2) != 0 {
				return bad == 0 && validFrom(s, i-int(owing>>7))
			}
			bad |= badPairs(x, lead, owing)
			owing = lead >> 56
		}
		x = binary.LittleEndian.Uint64(s[n-8:]) >> (8 * (i + 8 - n) & 63)
	} else {
		x = shortWord(s)
	}
	lead := leadsTwo(x)
	if lead&(x<<2) != 0 {
		return bad == 0 && validFrom(s, i-int(owing>>7))
	}
	return bad|badPairs(x, lead, owing)|lead>>56 == 0
}

// leadsTwo has the top bit of each byte of x that leads a character of two bytes or more.
func leadsTwo(x uint64) uint64 { return x & (x << 1) & continued }

// badPairs has top bits where x is no ASCII and no characters of two bytes, whose leading
// bytes are given. Bytes that go on a character must stand where leading bytes ask for
// them, and nowhere else; C0 and C1 are overlong.
func badPairs(x, lead, owing uint64) uint64 {
	return x&continued ^ lead ^ (lead<<8 | owing) | lead&^(x&0x1e1e1e1e1e1e1e1e+0x7f7f7f7f7f7f7f7f)
}

// ValidPairs reports whether up to fifteen bytes of text, in two words with the first
// byte the lowest and zeros behind the last, are ASCII and characters of two bytes. What
// is not may still be valid; see ValidLonger.
func ValidPairs(x, y uint64) bool {
	// This is badPairs twice, written out so that the compiler puts it where it is called.
	// What leads three bytes or more is bad here.
	first, second := x&(x<<1)&continued, y&(y<<1)&continued
	bad := x&continued ^ first ^ first<<8 | first&(x<<2|^(x&0x1e1e1e1e1e1e1e1e+0x7f7f7f7f7f7f7f7f))
	return bad|(y&continued^second^(second<<8|first>>56))|second&(y<<2|^(y&0x1e1e1e1e1e1e1e1e+0x7f7f7f7f7f7f7f7f)) == 0
}

// shortWord is the bytes of s, fewer than eight, as one number, the first the lowest.
func shortWord(s []byte) uint64 {
	n := len(s)
	switch {
	case n >= 4:
		return uint64(binary.LittleEndian.Uint32(s)) | uint64(binary.LittleEndian.Uint32(s[n-4:]))<<(8*(n-4)&63)
	case n > 0:
		// Bytes that are the same stand at the same place.
		middle := n >> 1
		return uint64(s[0]) | uint64(s[middle])<<(8*middle&63) | uint64(s[n-1])<<(8*(n-1)&63)
	}
	return 0
}

// ValidLonger is ValidUTF8 for text that is known to have longer characters than
// ValidPairs takes: it does not try that again.
func ValidLonger(b []byte) bool {
	if wordAtATime {
		return validFrom(b, 0)
	}
	return utf8.Valid(b)
}

// validFrom reports whether s[i:] is valid UTF-8, by a machine that goes from byte to byte
// without a branch. What a byte makes of a state is looked up in the number for the byte
// by shifting it, so that one step waits for the one before only as long as a shift takes.
func validFrom(s []byte, i int) bool {
	state := uint64(atStart)
	for ; i <= len(s)-8; i += 8 {
		b := (*[8]byte)(s[i:])
		if state&63 == atStart && binary.LittleEndian.Uint64(b[:])&continued == 0 {
			continue
		}
		state = steps[b[0]] >> (state & 63)
		state = steps[b[1]] >> (state & 63)
		state = steps[b[2]] >> (state & 63)
		state = steps[b[3]] >> (state & 63)
		state = steps[b[4]] >> (state & 63)
		state = steps[b[5]] >> (state & 63)
		state = steps[b[6]] >> (state & 63)
		state = steps[b[7]] >> (state & 63)
	}
	if i <= len(s)-4 {
		b := (*[4]byte)(s[i:])
		state = steps[b[0]] >> (state & 63)
		state = steps[b[1]] >> (state & 63)
		state = steps[b[2]] >> (state & 63)
		state = steps[b[3]] >> (state & 63)
		i += 4
	}
	for ; i < len(s); i++ {
		state = steps[s[i]] >> (state & 63)
	}
	return state&63 == atStart
}

// The states of the machine of validFrom: what may come next. They are the places in
// steps of six bits each.
const (
	atStart   = 6 * iota // a character
	afterBad             // nothing that helps
	oneMore              // 80–BF
	twoMore              // 80–BF, then oneMore
	threeMore            // 80–BF, then twoMore
	afterE0              // A0–BF, what is below is overlong
	afterED              // 80–9F, what is above are surrogates
	afterF0              // 90–BF, what is below is overlong
	afterF4              // 80–8F, what is above is above U+10FFFF
)

// steps has for each byte the states that follow it, each at the place of the state
// before.
var steps = makeSteps()

func makeSteps() (steps [256]uint64) {
	for c := range steps {
		for state := range 9 {
			steps[c] |= uint64(nextState(6*state, byte(c))) << (6 * state)
		}
	}
	return steps
}

// nextState is the state behind a byte.
func nextState(state int, c byte) int {
	within := func(low, high byte, next int) int {
		if low <= c && c <= high {
			return next
		}
		return afterBad
	}
	switch state {
	case atStart:
		return firstState(c)
	case oneMore:
		return within(0x80, 0xbf, atStart)
	case twoMore:
		return within(0x80, 0xbf, oneMore)
	case threeMore:
		return within(0x80, 0xbf, twoMore)
	case afterE0:
		return within(0xa0, 0xbf, oneMore)
	case afterED:
		return within(0x80, 0x9f, oneMore)
	case afterF0:
		return within(0x90, 0xbf, twoMore)
	case afterF4:
		return within(0x80, 0x8f, twoMore)
	}
	return afterBad
}

// firstState is the state behind the first byte of a character.
func firstState(c byte) int {
	switch {
	case c < 0x80:
		return atStart
	case c < 0xc2: // goes on a character, or overlong
		return afterBad
	case c < 0xe0:
		return oneMore
	case c == 0xe0:
		return afterE0
	case c == 0xed:
		return afterED
	case c < 0xf0:
		return twoMore
	case c == 0xf0:
		return afterF0
	case c < 0xf4:
		return threeMore
	case c == 0xf4:
		return afterF4
	}
	return afterBad
}
