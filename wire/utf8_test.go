package wire

import (
	"testing"
	"unicode/utf8"
)

func TestBadUTF8(t *testing.T) {
	for _, row := range []struct {
		s    string
		want int
	}{
		{"", -1},
		{"a\x00b", -1},
		{"é€😀", -1},
		{"\ufffd", -1},          // the replacement character itself
		{"\U0010ffff", -1},      // the last character
		{"\ud7ff\ue000", -1},    // around the surrogates
		{"\xc0\x80", 0},         // overlong
		{"\xe0\x80\x80", 0},     // overlong
		{"\xf0\x80\x80\x80", 0}, // overlong
		{"ab\xed\xa0\x80", 2},   // surrogate
		{"\xf4\x90\x80\x80", 0}, // above U+10FFFF
		{"é\xff", 2},
		{"€\x80", 3},              // stray continuation
		{"\ufffd\xe2\x82", 3},     // cut
		{"a\xe2\x28\xa1", 1},      // missing continuation
		{"\xf0\x9f\x98 and", 0},   // cut inside
		{"ok\xfe", 2},             // never a byte of UTF-8
		{"\xf5\x80\x80\x80ok", 0}, // lead byte above U+10FFFF
	} {
		if got := BadUTF8(row.s); got != row.want {
			t.Errorf("BadUTF8(%q) = %d, want %d", row.s, got, row.want)
		}
	}
}

func FuzzBadUTF8(f *testing.F) {
	f.Add("é\xff")
	f.Add("\ufffd\xe2\x82")
	f.Fuzz(func(t *testing.T, s string) {
		switch i := BadUTF8(s); {
		case i < 0:
			if !utf8.ValidString(s) {
				t.Fatalf("%q passes", s)
			}
		case !utf8.ValidString(s[:i]):
			t.Fatalf("%q: %d is not the first bad byte", s, i)
		default:
			if r, n := utf8.DecodeRuneInString(s[i:]); r != utf8.RuneError || n > 1 {
				t.Fatalf("%q: the byte at %d is fine", s, i)
			}
		}
	})
}
