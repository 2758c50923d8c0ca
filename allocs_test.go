package sofab_test

import (
	"bytes"
	"errors"
	"io"
	"runtime/debug"
	"testing"

	"github.com/sofab-go/sofab"
)

type allocFlat struct {
	A int      `sofab:"1"`
	B uint32   `sofab:"2"`
	C float64  `sofab:"3"`
	D bool     `sofab:"4"`
	E [4]uint8 `sofab:"5"`
	F [3]int16 `sofab:"6"`
	G int8     `sofab:"7,default=3"`
}

type allocNested struct {
	allocFlat
	In    allocFlat   `sofab:"10"`
	Items []allocFlat `sofab:"11"`
	Nums  []uint64    `sofab:"12"`
	Name  string      `sofab:"13"`
	Blob  []byte      `sofab:"14"`
	Next  *allocFlat  `sofab:"15"`
	Codes []int       `sofab:"16,elem.enum"`
	Odd   []refName   `sofab:"17"`
}

func allocValue() *allocNested {
	flat := allocFlat{1, 2, 3, true, [4]uint8{4}, [3]int16{5}, 6}
	return &allocNested{flat, flat, []allocFlat{flat, {}, flat}, []uint64{1, 300}, "name", []byte{1, 2}, &flat, []int{1, 2}, []refName{"a", "b"}}
}

// What a call may allocate. A value that is passed by value is allocated by the
// caller, when it is put into the interface; here that has happened before.
func TestAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	v := allocValue()
	byValue := any(*v)
	data, err := sofab.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	exact := make([]byte, 0, len(data))
	var flat allocFlat
	flatData, err := sofab.Marshal(&v.allocFlat)
	if err != nil {
		t.Fatal(err)
	}
	flatByValue := any(v.allocFlat)
	codec, err := sofab.Options{Reuse: true}.Codec()
	if err != nil {
		t.Fatal(err)
	}
	reused := new(allocNested)
	var buffer bytes.Buffer
	buffer.Grow(2 * len(data))
	reader := bytes.NewReader(nil)
	feeder, err := sofab.NewFeeder(&flat)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		most float64
		call func() error
	}{
		{"MarshalAppend with room", 0, func() error { return errorOf(sofab.MarshalAppend(exact, v)) }},
		{"MarshalAppend by value", 0, func() error { return errorOf(sofab.MarshalAppend(exact, byValue)) }},
		{"MarshalAppend flat by value", 0, func() error { return errorOf(sofab.MarshalAppend(exact, flatByValue)) }},
		{"Marshal", 1, func() error { return errorOf(sofab.Marshal(v)) }},
		{"Marshal by value", 1, func() error { return errorOf(sofab.Marshal(byValue)) }},
		{"Marshal of nothing", 0, func() error { return errorOf(sofab.Marshal((*allocNested)(nil))) }},
		{"Size", 1, func() error { return errorOf(sofab.Size(v)) }},
		{"MarshalWrite", 1, func() error { buffer.Reset(); return sofab.MarshalWrite(&buffer, v) }},
		{"Valid", 0, func() error { sofab.Valid(data); return nil }},
		{"Unmarshal flat", 0, func() error { return sofab.Unmarshal(flatData, &flat) }},
		{"UnmarshalRead flat", 0, func() error { reader.Reset(flatData); return sofab.UnmarshalRead(reader, &flat) }},
		{"Feeder flat", 0, func() error { feeder.Reset(); return feeder.Feed(flatData) }},
		{"Unmarshal with Reuse", 4, func() error { return codec.Unmarshal(data, reused) }},
	} {
		var failed error
		got := testing.AllocsPerRun(100, func() {
			if err := tt.call(); err != nil {
				failed = err
			}
		})
		if failed != nil || got > tt.most {
			t.Errorf("%s: %v allocations, want at most %v (%v)", tt.name, got, tt.most, failed)
		}
	}
	// Exactly enough room is enough.
	if out, err := sofab.MarshalAppend(exact, v); err != nil || &out[0] != &exact[:1][0] || !bytes.Equal(out, data) {
		t.Errorf("%v: a buffer with exactly enough room was left", err)
	}
}

// What the messages of the benchmarks may allocate, once their types have been seen: a
// decoded value is one allocation, and small values in it share a few more.
func TestWorkloadAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	// The collector empties the pools of what is kept between calls.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	most := map[string]struct{ decode, reuse float64 }{
		"full": {3, 0}, "typical": {2, 0}, "perf12": {2, 0}, "u64x1000": {2, 0}, "random1e5": {2, 0}, "composite": {5, 0},
		"small": {2, 0}, "orders": {20, 5}, "wide": {1, 0}, "blob1MB": {2, 0},
	}
	codec, err := sofab.Options{Alias: true, Reuse: true}.Codec()
	if err != nil {
		t.Fatal(err)
	}
	plain := !sofab.SharesMemory // every value has an allocation of its own then
	for _, w := range workloads {
		t.Run(w.name, func(t *testing.T) {
			data := mustMarshal(t, w.value)
			buf := make([]byte, 0, len(data))
			enc := sofab.NewEncoder(io.Discard)
			used := w.fresh()
			for _, tt := range []struct {
				name string
				most float64
				call func() error
			}{
				{"Marshal", 1, func() error { return errorOf(sofab.Marshal(w.value)) }},
				{"MarshalAppend", 0, func() error { return errorOf(sofab.MarshalAppend(buf, w.value)) }},
				{"Encode", 0, func() error { return enc.Encode(w.value) }},
				{"Unmarshal", most[w.name].decode, func() error { return sofab.Unmarshal(data, w.fresh()) }},
				{"Unmarshal with Alias and Reuse", most[w.name].reuse, func() error { return codec.Unmarshal(data, used) }},
			} {
				var failed error
				for range 3 { // the first messages of a type are the ones it learns from
					failed = errors.Join(failed, tt.call())
				}
				got := testing.AllocsPerRun(20, func() { failed = errors.Join(failed, tt.call()) })
				if failed != nil || got > tt.most && !plain {
					t.Errorf("%s: %v allocations, want at most %v (%v)", tt.name, got, tt.most, failed)
				}
			}
		})
	}
}
