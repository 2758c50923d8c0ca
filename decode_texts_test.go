package sofab_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/sofab-go/sofab"
)

type textLists struct {
	First []string `sofab:"1"`
	Mid   uint64   `sofab:"2"`
	Last  []string `sofab:"3,elem.maxlen=1200"`
}

// listOfTexts is a list whose texts are of many lengths, with characters of all sizes, and
// empty ones between them.
func listOfTexts(n, seed int) []string {
	parts := []string{"a", "é", "日本", "", "0123456789", "ελληνικά", "😀", strings.Repeat("ж", 20), strings.Repeat("long ", 60), ""}
	var list []string
	for i := range n {
		k := (i*7 + seed*3) % len(parts)
		list = append(list, strings.Repeat(parts[k], 1+(i+seed)%3))
	}
	return list
}

// Lists of texts come out the same whether they fit a slab, share one or have one each, and
// an element that does not belong to a text before it is never part of that one.
func TestListsOfTexts(t *testing.T) {
	for _, o := range []sofab.Options{{}, {Alias: true}, {OwnMemory: true}, {Reuse: true}, {Alias: true, Reuse: true}} {
		codec, err := o.Codec()
		if err != nil {
			t.Fatal(err)
		}
		used := new(textLists)
		for n := range 50 {
			for seed := range 5 {
				want := textLists{listOfTexts(n, seed), 1, listOfTexts(3*n, seed+1)}
				data := mustMarshal(t, want)
				got := new(textLists)
				if o.Reuse {
					got = used
				}
				if err := codec.Unmarshal(data, got); err != nil {
					t.Fatalf("%+v, %d, %d: %v", o, n, seed, err)
				}
				for _, list := range [][]string{got.First, got.Last} {
					if !o.Reuse && n > 0 {
						_ = append(list, "behind the end")
					}
				}
				if !slices.Equal(got.First, want.First) || !slices.Equal(got.Last, want.Last) || got.Mid != 1 {
					t.Fatalf("%+v, %d, %d (-want +got):\n%s", o, n, seed, cmp.Diff(want, *got))
				}
			}
		}
	}
}

// A list with a text that is not UTF-8 is refused for the same reason and at the same offset
// whether it is at hand as a whole or comes byte by byte.
func TestListsOfBadTexts(t *testing.T) {
	unchecked, err := sofab.Options{VerbatimUTF8: true}.Codec()
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"\x80", "\xff", "ab\xc3", "\xe3\x81", "0123456789abcdef\xf0\x9f\x98", "\xc0\x80", strings.Repeat("é", 30) + "\xa0"} {
		for n := 1; n < 24; n++ {
			for place := range n {
				list := listOfTexts(n, place)
				list[place] = bad
				data, err := unchecked.Marshal(textLists{First: list, Last: []string{"z"}})
				if err != nil {
					t.Fatal(err)
				}
				var got, slow textLists
				whole := sofab.Unmarshal(data, &got)
				parts := sofab.UnmarshalRead(iotest.OneByteReader(bytes.NewReader(data)), &slow)
				if fmt.Sprint(whole) != fmt.Sprint(parts) || whole == nil || !strings.Contains(whole.Error(), fmt.Sprintf("First[%d]", place)) {
					t.Fatalf("%q: %v\nbyte by byte: %v", list, whole, parts)
				}
				if err := unchecked.Unmarshal(data, &got); err != nil || !slices.Equal(got.First, list) {
					t.Fatalf("unchecked: %q, %v, want %q", got.First, err, list)
				}
			}
		}
	}
}

// The bound of the texts of a list, and the cap of the receiver where there is none, hold for
// each of them, short and long, at every place.
func TestListsOfLongTexts(t *testing.T) {
	type bounded struct {
		Tags []string `sofab:"1,elem.maxlen=20"`
	}
	type short struct {
		Tags []string `sofab:"1,elem.maxlen=3"`
	}
	capped, err := sofab.Options{Limits: sofab.Limits{String: 1100}}.Codec()
	if err != nil {
		t.Fatal(err)
	}
	for n := range 40 {
		for _, x := range []struct {
			codec *sofab.Codec
			v     any
			most  int
			want  string
		}{
			{capped, new(bounded), 20, "sofab: bounded.Tags[%d]: 21 bytes are more than maxlen=20 allows at offset %d"},
			{capped, new(short), 3, "sofab: short.Tags[%d]: 4 bytes are more than maxlen=3 allows at offset %d"},
			{capped, new(textLists), 1100, "sofab: textLists.First[%d]: 1101 bytes are over the limit of 1100 at offset %d; declare a bound in the tag or raise Options.Limits.String"},
		} {
			var list []string
			for range n {
				list = append(list, "ab")
			}
			good := mustMarshal(t, textLists{First: append(list, strings.Repeat("x", x.most), "end")})
			if err := x.codec.Unmarshal(good, x.v); err != nil {
				t.Fatalf("%d texts before: %v", n, err)
			}
			word := len(mustMarshal(t, textLists{First: append(list, "")})) - 2 // of an empty text, in front of the end
			bad := mustMarshal(t, textLists{First: append(list, strings.Repeat("x", x.most+1), "end")})
			if err, want := x.codec.Unmarshal(bad, x.v), fmt.Sprintf(x.want, n, word); textOf(err) != want {
				t.Fatalf("%d texts before: %v\nwant %s", n, err, want)
			}
		}
	}
}

// What was read of a list, and then not kept because the budget has to be looked at element
// by element, does not show in the gaps of another list.
func TestGapsBetweenTexts(t *testing.T) {
	first := listOfTexts(60, 1)
	for n := range len(first) {
		data := mustMarshal(t, textLists{First: first[:n]})
		data = append(data, "\x1e\x52\x0aa\xb2\x01\x0ab\x07"...) // elements 10 and 22 of Last
		want := make([]string, 23)
		want[10], want[22] = "a", "b"
		for memory := int64(1); memory < 3000; memory += 37 {
			codec, err := sofab.Options{Limits: sofab.Limits{Memory: memory}}.Codec()
			if err != nil {
				t.Fatal(err)
			}
			for range 3 { // the later ones know what the first one needed
				var got textLists
				err := codec.Unmarshal(data, &got)
				if errors.Is(err, sofab.ErrLimit) && memory < 1000 {
					continue
				}
				if err != nil || !slices.Equal(got.First, first[:n]) || !slices.Equal(got.Last, want) {
					t.Fatalf("%d texts, budget %d: %q, %v", n, memory, got, err)
				}
			}
		}
	}
}
