package sofab_test

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/sofab-go/sofab"
)

type trapReused struct {
	Names  []string    `sofab:"1"`
	Leaves []refLeaf   `sofab:"2"`
	Nums   []int32     `sofab:"3"`
	Ptrs   []*refLeaf  `sofab:"4"`
	Grid   [][]refLeaf `sofab:"5"`
	Blob   []byte      `sofab:"6"`
	Keep   []string    `sofab:"7,presence"`
}

// Slices whose capacity hides old elements: what was there never shows through, and
// without Reuse the old memory is not written to.
func TestHiddenCapacity(t *testing.T) {
	old := refLeaf{A: 9, B: "old", C: 9, D: 9, E: 9}
	used := func() *trapReused {
		return &trapReused{
			Names: []string{"x", "old", "old"}[:1], Leaves: []refLeaf{old, old, old}[:1], Nums: []int32{9, 9, 9}[:0],
			Ptrs: []*refLeaf{&old, &old}[:0], Grid: [][]refLeaf{{old, old}, {old}}[:1], Blob: []byte{9, 9, 9}[:1], Keep: []string{"old"}[:0],
		}
	}
	want := &trapReused{
		Names: []string{"", "b"}, Leaves: []refLeaf{{C: 1.5}, {A: 1, C: 1.5}}, Nums: []int32{0, 1}, Ptrs: []*refLeaf{nil, {C: 1.5}},
		Grid: [][]refLeaf{nil, {{C: 1.5}, {E: 1, C: 1.5}}}, Blob: []byte{0}, Keep: []string{},
	}
	data, err := sofab.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []sofab.Options{{}, {Reuse: true}, {Merge: true}, {Merge: true, Reuse: true}} {
		codec, err := o.Codec()
		if err != nil {
			t.Fatal(err)
		}
		v := used()
		full := *v
		for range 3 {
			if err := codec.Unmarshal(data, v); err != nil {
				t.Fatal(err)
			}
			if !refEqual(reflect.ValueOf(v), reflect.ValueOf(want), o.Reuse) {
				t.Errorf("%+v: %s\nwant %s", o, refDump(reflect.ValueOf(v)), refDump(reflect.ValueOf(want)))
			}
		}
		if !o.Reuse && (full.Names[:3][1] != "old" || full.Leaves[:3][1] != old || full.Nums[:3][0] != 9 || full.Blob[:3][0] != 9 || full.Grid[0][0] != old) {
			t.Errorf("%+v: memory of the old value was written to: %s", o, refDump(reflect.ValueOf(full)))
		}
		if old.B != "old" {
			t.Fatalf("%+v: what a hidden pointer points to was written to", o)
		}
	}
}

// Reuse keeps the memory of slices from one decode to the next.
func TestReuseKeepsMemory(t *testing.T) {
	codec, err := sofab.Options{Reuse: true}.Codec()
	if err != nil {
		t.Fatal(err)
	}
	v := &trapReused{Leaves: make([]refLeaf, 0, 10), Nums: make([]int32, 0, 10), Blob: make([]byte, 0, 10)}
	leaves, nums, blob := &v.Leaves[:1][0], &v.Nums[:1][0], &v.Blob[:1][0]
	for _, input := range []string{"16 06 0102 07 07 1c0102 320b05", "", "16 06 07 0e 07 07 1c020402 321305ff"} {
		if err := codec.Unmarshal(unhex(t, input), v); err != nil {
			t.Fatal(err)
		}
		if input == "" {
			if len(v.Leaves)+len(v.Nums)+len(v.Blob) != 0 {
				t.Errorf("absent slices hold %s", refDump(reflect.ValueOf(v)))
			}
			continue
		}
		if &v.Leaves[0] != leaves || &v.Nums[0] != nums || &v.Blob[0] != blob {
			t.Errorf("after %s: a slice moved", input)
		}
	}
}

// Decoded slices may be appended to without touching each other.
func TestDecodedSlicesAreSeparate(t *testing.T) {
	type pair struct {
		A, B []int32     `sofab:"-"`
		X    []int32     `sofab:"1"`
		Y    []int32     `sofab:"2"`
		S    [][]byte    `sofab:"3"`
		L    []refLeaf   `sofab:"4"`
		M    []refLeaf   `sofab:"5"`
		P    [][]refLeaf `sofab:"6"`
		T    [][]string  `sofab:"7"`
	}
	leaves := []refLeaf{{A: 1}, {A: 2}, {A: 3}}
	want := pair{
		X: []int32{1}, Y: []int32{2}, S: [][]byte{{1}, {2}, {3}}, L: leaves[:1], M: leaves[1:], P: [][]refLeaf{leaves[:1], leaves, leaves[2:]},
		T: [][]string{{"a"}, {"b", "c"}, {"d"}},
	}
	data, err := sofab.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time memory is shared as the first has taught
		var v, clean pair
		if err := errors.Join(sofab.Unmarshal(data, &v), sofab.Unmarshal(data, &clean)); err != nil {
			t.Fatal(err)
		}
		v.X, v.Y = append(v.X, 100), append(v.Y, 100)
		v.L, v.M = append(v.L, refLeaf{B: "new"}), append(v.M, refLeaf{B: "new"})
		for i := range v.S {
			v.S[i] = append(v.S[i], 100)
		}
		for i := range v.P {
			v.P[i] = append(v.P[i], refLeaf{B: "new"})
			v.T[i] = append(v.T[i], "new")
		}
		v.X, v.Y, v.L, v.M = v.X[:1], v.Y[:1], v.L[:1], v.M[:2]
		for i := range v.S {
			v.S[i] = v.S[i][:1]
			v.P[i] = v.P[i][:len(v.P[i])-1]
			v.T[i] = v.T[i][:len(v.T[i])-1]
		}
		if !refEqual(reflect.ValueOf(v), reflect.ValueOf(clean), false) {
			t.Errorf("appending changed a neighbour:\n%s\nwant %s", refDump(reflect.ValueOf(v)), refDump(reflect.ValueOf(clean)))
		}
	}
}

// Q28: a decoded value shares nothing with the input, whatever its type.
func TestNoAliasing(t *testing.T) {
	m := newTypeMaker(11, 12)
	types := []reflect.Type{reflect.TypeFor[refAll](), reflect.TypeFor[refTree](), reflect.TypeFor[trapBytes](), reflect.TypeFor[trapReused]()}
	for range 100 {
		types = append(types, m.structure(2))
	}
	for _, typ := range types {
		v := reflect.New(typ)
		m.fill(v.Elem(), 6)
		data, err := sofab.Marshal(v.Interface())
		if err != nil {
			continue
		}
		input := bytes.Clone(data)
		got, want := reflect.New(typ), reflect.New(typ)
		if err := errors.Join(sofab.Unmarshal(input, got.Interface()), sofab.Unmarshal(data, want.Interface())); err != nil {
			continue // required fields
		}
		scrub(input)
		if !refEqual(got, want, false) {
			t.Errorf("%v: %s, after the input was overwritten: %s", typ, refDump(want), refDump(got))
		}
	}
}

// Q31: the result of Marshal is the caller's.
func TestResultIsOwn(t *testing.T) {
	v := trapReused{Names: []string{"a", strings.Repeat("b", 3000)}}
	first, err := sofab.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	kept := bytes.Clone(first)
	scrub(first)
	second, err := sofab.Marshal(v)
	if err != nil || !bytes.Equal(second, kept) {
		t.Errorf("%v: the second result differs", err)
	}
	scrub(first[:cap(first)])
	if !bytes.Equal(second, kept) {
		t.Error("two results share memory")
	}
}

// Messages of one type whose texts change in length need one slab each, and what fills a
// slab to its last byte ends in it.
func TestSlabForChangingSizes(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	type note struct {
		Text    string   `sofab:"1"`
		Numbers []uint64 `sofab:"2"`
	}
	var messages [][]byte
	for _, n := range []int{200, 120, 152, 200} {
		messages = append(messages, mustMarshal(t, &note{strings.Repeat("x", n), []uint64{1, 2, 3}}))
	}
	var got note
	allocs := testing.AllocsPerRun(50, func() {
		for _, m := range messages {
			if err := sofab.Unmarshal(m, &got); err != nil {
				t.Fatal(err)
			}
		}
	})
	if want := float64(len(messages)); sofab.SharesMemory && allocs != want {
		t.Errorf("%v allocations for %v messages", allocs, want)
	}
}
