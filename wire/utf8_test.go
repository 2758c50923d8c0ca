package wire

import (
	"encoding/binary"
	"slices"
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
		check(t, []byte(s), utf8.ValidString(s))
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

// places are texts around a sequence of bytes that together put it at every place in a
// word: at the end of a text and within one; alone and behind ASCII, characters of two
// bytes and one of three.
var places = func() (places [][2]string) {
	for _, before := range []string{"", "é", "日"} {
		for _, behind := range []string{"", "1234567é"} {
			for shift := range 8 {
				places = append(places, [2]string{before + "abcdefg"[:shift], behind})
			}
		}
	}
	return places
}()

// check checks what the functions say about a text, which is valid or not.
func check(t *testing.T, text []byte, valid bool) {
	if got := ValidUTF8(text); got != valid {
		t.Fatalf("ValidUTF8(%q) = %v", text, got)
	}
	if got := ValidLonger(text); got != valid {
		t.Fatalf("ValidLonger(%q) = %v", text, got)
	}
	if len(text) > 15 {
		return
	}
	var words [16]byte
	copy(words[:], text)
	x, y := binary.LittleEndian.Uint64(words[:]), binary.LittleEndian.Uint64(words[8:])
	if got := ValidPairs(x, y); got != (valid && slices.Max(append(text, 0)) < 0xe0) {
		t.Fatalf("ValidPairs of %q = %v", text, got)
	}
}

// checkPlaces checks that sequences of bytes are judged as unicode/utf8 does, wherever
// they stand.
func checkPlaces(t *testing.T, size int, sequences func(try func(sequence ...byte))) {
	for _, place := range places {
		text := []byte(place[0] + "....."[:size] + place[1])
		sequences(func(sequence ...byte) {
			copy(text[len(place[0]):], sequence)
			check(t, text, utf8.Valid(sequence))
		})
	}
}

func TestValidUTF8TwoBytes(t *testing.T) {
	checkPlaces(t, 2, func(try func(...byte)) {
		for x := range 1 << 16 {
			try(byte(x>>8), byte(x))
		}
	})
}

func TestValidUTF8ThreeBytes(t *testing.T) {
	checkPlaces(t, 3, func(try func(...byte)) {
		for lead := 0xe0; lead <= 0xef; lead++ {
			for second := range 256 {
				for _, third := range edges {
					try(byte(lead), byte(second), third)
					try(byte(lead), third, byte(second))
				}
			}
		}
	})
	text := []byte("abcdefg...")
	for x := 0xe0_00_00; x < 0xf0_00_00; x++ {
		sequence := text[7:]
		sequence[0], sequence[1], sequence[2] = byte(x>>16), byte(x>>8), byte(x)
		check(t, text[x%7:], utf8.Valid(sequence))
	}
}

// edges are the bytes where what is valid begins or ends.
var edges = []byte("\x00a\x7f\x80\x8f\x90\x9f\xa0\xbf\xc0\xc1\xc2\xdf\xe0\xe1\xec\xed\xee\xef\xf0\xf1\xf3\xf4\xf5\xf8\xff")

func TestValidUTF8FourBytes(t *testing.T) {
	checkPlaces(t, 4, func(try func(...byte)) {
		for _, lead := range edges {
			for _, second := range edges {
				for _, third := range edges {
					for _, fourth := range edges {
						try(lead, second, third, fourth)
					}
				}
			}
		}
	})
}

func TestValidUTF8Characters(t *testing.T) {
	for r := rune(0x80); r <= utf8.MaxRune; r++ {
		text := utf8.AppendRune([]byte("x"), r)
		check(t, text, true)
		check(t, text[:len(text)-1], false)
		check(t, text[2:], false)
	}
}
