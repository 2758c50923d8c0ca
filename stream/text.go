package stream

import (
	"strconv"
	"unicode/utf8"
)

// textCheck finds out whether a string that arrives in pieces is UTF-8 (section 6).
// A character may be cut by the end of a piece, not by the end of the string. The
// zero textCheck is ready.
type textCheck struct {
	good int               // bytes that are known to be fine
	cut  [utf8.UTFMax]byte // the character behind them, cut by the end of a piece
	n    int               // its bytes so far
	bad  bool              // the byte at good is wrong
}

// add takes the next piece.
func (c *textCheck) add(piece []byte) {
	for c.n > 0 && len(piece) > 0 && !c.bad {
		c.cut[c.n] = piece[0]
		c.n++
		piece = piece[1:]
		if utf8.FullRune(c.cut[:c.n]) {
			c.char(c.cut[:c.n])
			c.n = 0
		}
	}
	if c.bad || len(piece) == 0 {
		return
	}
	whole := len(piece)
	for i := whole - 1; i >= 0 && i > whole-utf8.UTFMax; i-- {
		if utf8.RuneStart(piece[i]) {
			if !utf8.FullRune(piece[i:]) {
				whole = i
			}
			break
		}
	}
	c.n = copy(c.cut[:], piece[whole:])
	if utf8.Valid(piece[:whole]) {
		c.good += whole
		return
	}
	for !c.bad {
		piece = piece[c.char(piece):]
	}
}

// char judges the character at the start of b and returns its length.
func (c *textCheck) char(b []byte) int {
	r, size := utf8.DecodeRune(b)
	if r == utf8.RuneError && size == 1 {
		c.bad = true
		return size
	}
	c.good += size
	return size
}

// fault is the index of the first byte that is not part of a character and an error, if
// the string as a whole is not UTF-8.
func (c *textCheck) fault() (index int, err error) {
	if !c.bad && c.n == 0 {
		return 0, nil
	}
	return c.good, structural("string is not UTF-8 at byte " + strconv.Itoa(c.good))
}
