package sofab_test

import (
	"bytes"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/sofab-go/sofab"
)

// TestLargeArraysInStandIns has payloads so long that an encoder may borrow them, in
// memory that is used again while the message is written: the entries of maps.
func TestLargeArraysInStandIns(t *testing.T) {
	type large [70000]byte
	type message struct {
		Map  map[string]large     `sofab:"1"`
		List []map[uint8]large    `sofab:"2"`
		Text map[uint8]large      `sofab:"3,val.string"`
		Any  any                  `sofab:"4"`
		Deep map[string][][]large `sofab:"5"`
	}
	v := message{Map: map[string]large{}, List: []map[uint8]large{{}, {}}, Deep: map[string][][]large{}}
	for i := range 5 {
		var a large
		for j := range a {
			a[j] = byte(i + j)
		}
		v.Map[strings.Repeat("k", i)] = a
		v.List[i%2][uint8(i)] = a
		v.Any = a
		v.Deep[strings.Repeat("k", i)] = [][]large{{a}, {a, a}}
	}
	var want bytes.Buffer
	if err := sofab.MarshalWrite(&want, v); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		got, err := sofab.Marshal(v)
		if err != nil || !bytes.Equal(got, want.Bytes()) {
			t.Fatalf("Marshal gives %d bytes that are not the %d of MarshalWrite: %v", len(got), want.Len(), err)
		}
	}
	var back message
	if err := sofab.Unmarshal(want.Bytes(), &back); err != nil || back.Map["kk"] != v.Map["kk"] || back.List[1][3] != v.List[1][3] {
		t.Errorf("what comes back is something else: %v", err)
	}
}

// A reusing is encoded by methods that return the same memory every time.
type reusing struct{ b byte }

var reusedBuffer [20000]byte

func (r reusing) MarshalBinary() ([]byte, error) {
	for i := range reusedBuffer {
		reusedBuffer[i] = r.b
	}
	return reusedBuffer[:], nil
}

func (r reusing) MarshalText() ([]byte, error) { return r.MarshalBinary() }

func (r *reusing) UnmarshalBinary(b []byte) error { r.b = b[len(b)-1]; return nil }

func (r *reusing) UnmarshalText(b []byte) error { return r.UnmarshalBinary(b) }

// What a method returns is not kept, however long it is.
func TestMethodsThatReuseMemory(t *testing.T) {
	type message struct {
		Blobs []reusing         `sofab:"1,elem.blob"`
		Texts []reusing         `sofab:"2,elem.string"`
		Map   map[uint8]reusing `sofab:"3"`
	}
	want := message{Map: map[uint8]reusing{}}
	for i := range 20 {
		r := reusing{byte('a' + i)}
		want.Blobs, want.Texts, want.Map[uint8(i)] = append(want.Blobs, r), append(want.Texts, r), r
	}
	for range 2 {
		b, err := sofab.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got message
		if err := sofab.Unmarshal(b, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%v, %v, want %v", err, got, want)
		}
	}
}

// TestMarshalMemory bounds what Marshal of a large value allocates: the message, and once
// more what is not copied from where it stands; beside that a page at the end and what the
// encoder had to grow to its first one. Kept pages are then used again.
func TestMarshalMemory(t *testing.T) {
	if raceEnabled {
		t.Skip("the pools drop some of what they get")
	}
	const size = 16 << 20
	type pair struct {
		A uint32 `sofab:"0"`
		B int32  `sofab:"1"`
	}
	type (
		structs struct {
			V []pair `sofab:"1"`
		}
		numbers struct {
			V []uint64 `sofab:"1"`
		}
		texts struct {
			V []string `sofab:"1"`
		}
		blobs struct {
			V [][]byte `sofab:"1"`
		}
	)
	pairs, integers, words := make([]pair, size/8), make([]uint64, size/5), make([]string, size/16)
	for i := range pairs {
		pairs[i] = pair{uint32(i) + 1, -1}
	}
	for i := range integers {
		integers[i] = 1 << 34
	}
	for i := range words {
		words[i] = "twelve bytes"
	}
	const beside = 1 << 20
	for _, row := range []struct {
		name  string
		value any
		times int // how often what is written is allocated the first time
	}{
		{"structs", &structs{pairs}, 2},
		{"numbers", &numbers{integers}, 2},
		{"short strings", &texts{words}, 2},
		{"strings of 5 KB", &texts{slicesOf(size/5000, strings.Repeat("x", 5000))}, 2},
		{"strings of 50 KB", &texts{slicesOf(size/50000, strings.Repeat("x", 50000))}, 1},
		{"one string", &texts{[]string{strings.Repeat("x", size)}}, 1},
		{"blobs of 50 KB", &blobs{slicesOf(size/50000, make([]byte, 50000))}, 1},
		{"blobs of 1 MB", &blobs{slicesOf(size>>20, make([]byte, 1<<20))}, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			wire, err := sofab.Size(row.value)
			if err != nil {
				t.Fatal(err)
			}
			runtime.GC() // twice, so that the pools are empty
			runtime.GC()
			defer debug.SetGCPercent(debug.SetGCPercent(-1))
			for _, times := range []int{row.times, 1} {
				var b []byte
				got := int(allocatedBy(func() { b, err = sofab.Marshal(row.value) }))
				if err != nil || len(b) != wire {
					t.Fatalf("%d bytes of %d: %v", len(b), wire, err)
				}
				t.Logf("%.3f times the message", float64(got)/float64(wire))
				if got > times*wire+beside {
					t.Errorf("%d bytes allocated for a message of %d, at most %d times that and %d are expected", got, wire, times, beside)
				}
			}
		})
	}
}

func slicesOf[T any](n int, v T) []T {
	list := make([]T, n)
	for i := range list {
		list[i] = v
	}
	return list
}
