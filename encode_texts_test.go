package sofab_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/sofab-go/sofab"
)

// TestTextLengths has text of every length around those that are copied in another way,
// with a character of every size at every place, as a field and as an element, and the
// same text cut within the character.
func TestTextLengths(t *testing.T) {
	type message struct {
		Field string   `sofab:"1"`
		List  []string `sofab:"2"`
	}
	const ascii = "0123456789abcdefghijklmnopqrstuvwxyzABCD"
	for _, r := range "zé\u0800日\ud7ff😀\U0010ffff" {
		for size := range len(ascii) {
			for place := range size + 1 {
				text := ascii[:place] + string(r) + ascii[place:size]
				want := message{text, []string{text, "", text}}
				data, err := sofab.Marshal(&want)
				if err != nil {
					t.Fatalf("Marshal of %q: %v", text, err)
				}
				if n := strings.Count(string(data), text); n != 3 {
					t.Fatalf("Marshal of %q gives %q", text, data)
				}
				var got message
				if err := sofab.Unmarshal(data, &got); err != nil || !cmp.Equal(got, want) {
					t.Fatalf("Unmarshal of %q = %+v, %v", data, got, err)
				}
				first, last := string(r)[:len(string(r))-1], string(r)[1:]
				if r < utf8.RuneSelf {
					first, last = "\xff", "\x80"
				}
				for _, part := range []string{first, last} {
					cut := ascii[:place] + part + ascii[place:size]
					for _, bad := range []message{{Field: cut}, {List: []string{cut}}, {List: []string{text, cut, text}}} {
						if data, err := sofab.Marshal(&bad); err == nil {
							t.Fatalf("Marshal of %q = %q", cut, data)
						}
					}
				}
			}
		}
	}
}
