package sofab_test

import (
	"slices"
	"strings"
	"testing"
	"unsafe"

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

// A slice of the destination never grows beyond its allocation, also where the next one
// begins right behind it: the first list, which gets no element, has begun that.
func TestReusedListsStayInTheirMemory(t *testing.T) {
	type inner struct {
		T []string `sofab:"0"`
	}
	codec := newCodec(sofab.Options{Reuse: true})
	data := unhex(t, "06 06 06 02 0b 41 07 07 0e 06")
	for i := range 12 {
		data = append(data, byte(i<<3|2), 0x0a, byte('a'+i))
	}
	data = append(data, unhex(t, "07 07 07")...)
	want := strings.Split("abcdefghijkl", "")
	for n := 1; n < 12; n++ {
		for range 20 {
			v := listOf[inner]{make([]inner, 2)}
			v.L[1].T = make([]string, n)
			before := unsafe.SliceData(v.L[1].T)
			if err := codec.Unmarshal(data, &v); err != nil || !slices.Equal(v.L[1].T, want) {
				t.Fatalf("%d: %q, %v, want %q", n, v, err, want)
			}
			if unsafe.SliceData(v.L[1].T) == before {
				t.Fatalf("a slice of %d has got %d elements where it was", n, len(want))
			}
		}
	}
}

// An array that arrives empty makes a slice nil with Options.Reuse, too, whatever field came
// before it and whichever steps took that.
func TestReusedArraysThatAreEmpty(t *testing.T) {
	codec := newCodec(sofab.Options{Reuse: true})
	for _, in := range []string{"0b 00", "02 20 00000000 0b 00", "02 a000 00000000 0b 00", "02 a000 00000000 8b00 00"} {
		var v struct {
			F float32  `sofab:"0"`
			L []uint32 `sofab:"1"`
		}
		v.L = make([]uint32, 3)
		if err := codec.Unmarshal(unhex(t, in), &v); err != nil || v.L != nil {
			t.Errorf("%s: %v, %v, want nil", in, v.L, err)
		}
	}
}
