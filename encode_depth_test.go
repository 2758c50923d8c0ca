package sofab_test

import (
	"strings"
	"testing"

	"github.com/sofab-go/sofab"
)

// A deepLink nests itself in every way, and holds one of every value with sequences.
type deepLink struct {
	Next    *deepLink           `sofab:"1"`
	List    []deepLink          `sofab:"2"`
	Ptrs    []*deepLink         `sofab:"3"`
	Map     map[uint8]*deepLink `sofab:"4"`
	Leaf    *deepLeaf           `sofab:"5"`
	Empty   []deepEmpty         `sofab:"6"`
	Holes   []*deepEmpty        `sofab:"7"`
	Texts   []string            `sofab:"8"`
	Rows    [][]int8            `sofab:"9"`
	Any     any                 `sofab:"10"`
	Raw     sofab.RawMessage    `sofab:"11"`
	Field   sofab.RawField      `sofab:"12"`
	Tree    sofab.Fields        `sofab:"13"`
	Lists   []*[]string         `sofab:"14"`
	Unknown sofab.UnknownFields `sofab:",unknown"`
}

type deepLeaf struct {
	Inner struct {
		Texts []string `sofab:"1"`
		Last  struct {
			N uint8 `sofab:"1"`
		} `sofab:"2"`
	} `sofab:"1"`
}

type deepEmpty struct {
	N uint8 `sofab:"1"`
}

// TestDepthOfAllValues has values of every kind at the bottom of others, where the deepest
// sequence is one of the 255 that may be open or the one behind. All surfaces agree, and
// the path leads to it.
func TestDepthOfAllValues(t *testing.T) {
	leaf := func(set func(*deepLeaf)) func(*deepLink) {
		return func(v *deepLink) { v.Leaf = new(deepLeaf); set(v.Leaf) }
	}
	leaves := []struct {
		set    func(*deepLink)
		levels int
		path   string // of the deepest sequence
	}{
		{func(v *deepLink) {}, 0, ""},
		// A struct that turns out to be empty has been open, too (section 4.2).
		{leaf(func(*deepLeaf) {}), 3, "Leaf.Inner.Last"},
		{leaf(func(v *deepLeaf) { v.Inner.Last.N = 1 }), 3, "Leaf.Inner.Last"},
		{leaf(func(v *deepLeaf) { v.Inner.Texts = []string{"x", ""} }), 3, "Leaf.Inner.Texts"},
		{func(v *deepLink) { v.Empty = make([]deepEmpty, 3) }, 2, "Empty[0]"},
		{func(v *deepLink) { v.Holes = []*deepEmpty{nil, {}, nil} }, 2, "Holes[1]"},
		{func(v *deepLink) { v.Holes = make([]*deepEmpty, 3) }, 2, "Holes[2]"},
		{func(v *deepLink) { v.Texts = []string{"x"} }, 1, "Texts"},
		{func(v *deepLink) { v.Texts = make([]string, 100) }, 1, "Texts"},
		{func(v *deepLink) { v.Rows = [][]int8{{1}, nil} }, 1, "Rows"},
		{func(v *deepLink) { v.Any = "x" }, 1, "Any"},
		{func(v *deepLink) { v.Any = []any{map[string]any{"k": uint8(1)}} }, 6, `Any[0]["k"]`},
		{func(v *deepLink) { v.Raw = []byte{0x0e, 0x07} }, 2, "Raw"},
		{func(v *deepLink) { v.Field = []byte{0x06, 0x0e, 0x07, 0x07} }, 2, "Field"},
		{func(v *deepLink) { v.Tree = sofab.Fields{{ID: 1, Value: sofab.Fields{}}} }, 2, "Tree[0]"},
		{func(v *deepLink) { v.Lists = []*[]string{nil, {"x"}} }, 2, "Lists[1]"},
		{func(v *deepLink) { v.Lists = []*[]string{nil, nil} }, 2, "Lists[1]"},
		{func(v *deepLink) { v.Unknown = []byte{0xa6, 0x06, 0x0e, 0x07, 0x07} }, 2, "Unknown"},
	}
	links := []struct {
		wrap   func(*deepLink) *deepLink
		levels int
	}{
		{func(v *deepLink) *deepLink { return &deepLink{Next: v} }, 1},
		{func(v *deepLink) *deepLink { return &deepLink{List: []deepLink{{}, *v}} }, 2},
		{func(v *deepLink) *deepLink { return &deepLink{Ptrs: []*deepLink{nil, v, nil}} }, 2},
		{func(v *deepLink) *deepLink { return &deepLink{Map: map[uint8]*deepLink{7: v, 0: nil}} }, 3},
	}
	m := valueMaker{newTypeMaker(13, 14), true}
	for _, leaf := range leaves {
		for i, link := range links {
			for over := range 2 {
				v := new(deepLink)
				leaf.set(v)
				levels := leaf.levels
				for ; levels+link.levels <= 255; levels += link.levels {
					v = link.wrap(v)
				}
				for ; levels < 255+over; levels++ {
					v = &deepLink{Next: v}
				}
				b, err := m.checkSurfaces(t, v)
				if over == 0 {
					if err != nil || sofab.Unmarshal(b, new(deepLink)) != nil {
						t.Errorf("%s in link %d, 255 levels: %v, %x", leaf.path, i, err, b)
					}
				} else if err == nil || !strings.Contains(err.Error(), leaf.path+": ") || !strings.Contains(err.Error(), "more than 255") {
					t.Errorf("%s in link %d, 256 levels: %v, %x", leaf.path, i, err, b)
				}
			}
		}
	}
}
