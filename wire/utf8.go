package wire

import "unicode/utf8"

// BadUTF8 returns the index of the first byte of s that is not part of valid UTF-8
// (section 6: no overlong forms, no surrogates, nothing above U+10FFFF), or -1.
func BadUTF8(s string) int {
	if utf8.ValidString(s) {
		return -1
	}
	for i, r := range s {
		if r == utf8.RuneError {
			if _, n := utf8.DecodeRuneInString(s[i:]); n == 1 {
				return i
			}
		}
	}
	return -1
}
