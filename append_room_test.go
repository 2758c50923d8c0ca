package sofab_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/sofab-go/sofab"
)

// TestMarshalAppendIntoAnyRoom appends to slices with any room, around the size of the
// message and around what the encoder keeps free: the result is the same, and in the same
// memory where it fits.
func TestMarshalAppendIntoAnyRoom(t *testing.T) {
	type point struct {
		X int32  `sofab:"1"`
		S string `sofab:"2"`
	}
	type nested struct {
		Empty point    `sofab:"1"`
		Words []string `sofab:"2"`
		Full  point    `sofab:"3"`
		List  []point  `sofab:"4"`
		Last  *point   `sofab:"300"`
	}
	for _, n := range []int{0, 1, 3, 40} {
		v := nested{Full: point{-7, "größer als ASCII"}, Last: &point{}}
		for i := range n {
			v.Words = append(v.Words, strings.Repeat("é", i))
			v.List = append(v.List, point{int32(i), strings.Repeat("x", i)})
		}
		message, err := sofab.Marshal(&v)
		if err != nil {
			t.Fatal(err)
		}
		for room := 0; room < len(message)+200; room += 1 + len(message)/500 {
			dst := append(make([]byte, 0, 3+room), "abc"...)
			got, err := sofab.MarshalAppend(dst, &v)
			if want := append([]byte("abc"), message...); err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%d elements, room for %d: %v, %x, want %x", n, room, err, got, want)
			}
			if same := &got[0] == &dst[0]; same != (room >= len(message)) {
				t.Fatalf("%d elements of %d bytes, room for %d: same memory %v", n, len(message), room, same)
			}
		}
		v.Last.S = "\xff"
		for _, room := range []int{0, len(message), 2 * len(message)} {
			dst := append(make([]byte, 0, 3+room), "abc"...)
			got, err := sofab.MarshalAppend(dst, &v)
			if err == nil || string(got) != "abc" || &got[0] != &dst[0] {
				t.Fatalf("%d elements, room for %d: %v, %x", n, room, err, got)
			}
		}
	}
}
