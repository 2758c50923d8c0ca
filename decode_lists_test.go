package sofab_test

import (
	"slices"
	"testing"

	"github.com/sofab-go/sofab"
)

// blobLists has strings that stand as blobs.
type blobLists struct {
	L []string   `sofab:"1,elem.blob"`
	M [][]string `sofab:"2,elem.elem.blob"`
}

// Elements of a list of strings that stand as blobs are the blobs in it; strings are skipped.
func TestListsOfBlobs(t *testing.T) {
	for _, x := range []struct {
		name, in string
		l        []string
		m        [][]string
	}{
		{"blobs", "0e 02 0b 41 0a 13 ffc3 12 03 07", []string{"A", "\xff\xc3", ""}, nil},
		{"strings", "0e 02 0a 41 0a 12 4142 07", nil, nil},
		{"a string between", "0e 02 0b 41 0a 3a 77777777777777 12 43 7878787878787878 07", []string{"A", "", "xxxxxxxx"}, nil},
		{"a string that is not UTF-8", "0e 02 0a ff 0a 0b 41 07", []string{"", "A"}, nil},
		{"inside", "16 06 02 0a 41 0a 0b 41 07 0e 02 0b 42 07 07", nil, [][]string{{"", "A"}, {"B"}}},
	} {
		in := unhex(t, x.in)
		for _, s := range decodeSurfaces {
			var got blobLists
			if err := s.decode(in, &got); err != nil {
				t.Errorf("%s, %s: %v", x.name, s.name, err)
			} else if !slices.Equal(got.L, x.l) || !slices.EqualFunc(got.M, x.m, slices.Equal[[]string]) {
				t.Errorf("%s, %s: %q, want %q and %q", x.name, s.name, got, x.l, x.m)
			}
		}
		codec := newCodec(sofab.Options{Alias: true, Reuse: true})
		var got blobLists
		if err := codec.Unmarshal(in, &got); err != nil || !slices.Equal(got.L, x.l) {
			t.Errorf("%s, alias: %q, %v, want %q", x.name, got, err, x.l)
		}
	}
}
