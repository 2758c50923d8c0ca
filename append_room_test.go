package sofab_test

import (
	"bytes"
	"math"
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

// TestMarshalAppendStaysInRoom appends numbers and arrays of all widths, of which much is
// written a word at a time: nothing behind the capacity changes.
func TestMarshalAppendStaysInRoom(t *testing.T) {
	type numbers struct {
		A8    []uint8   `sofab:"1,array"`
		A16   []uint16  `sofab:"2"`
		A32   []uint32  `sofab:"3"`
		A64   []uint64  `sofab:"4"`
		S8    []int8    `sofab:"5"`
		S16   []int16   `sofab:"6"`
		S32   []int32   `sofab:"7"`
		S64   []int64   `sofab:"8"`
		F32   []float32 `sofab:"9"`
		F64   []float64 `sofab:"10"`
		Bools []bool    `sofab:"11"`
		U64   uint64    `sofab:"12"`
		I64   int64     `sofab:"300"`
		U32   *uint32   `sofab:"70000"`
		Flag  *bool     `sofab:"70001"`
		Text  string    `sofab:"70002"`
		Wide  float64   `sofab:"268435455"`
	}
	half, yes := uint32(math.MaxUint32), true
	large := numbers{
		U64: math.MaxUint64, I64: math.MinInt64, U32: &half, Flag: &yes, Text: "größer", Wide: math.Pi,
		A8: []uint8{255, 255, 255}, A16: []uint16{65535, 65535}, A32: []uint32{half, half, half, half}, A64: []uint64{math.MaxUint64, 1 << 56, 1<<56 - 1, 1 << 55},
		S8: []int8{-128, 127}, S16: []int16{-32768}, S32: []int32{math.MinInt32, math.MaxInt32}, S64: []int64{math.MinInt64, -1, 1 << 28},
		F32: []float32{1, 2}, F64: []float64{3, 4, 5}, Bools: []bool{true, false, true},
	}
	for i, v := range []any{
		&large, &numbers{U64: 1<<56 - 1, I64: -1 << 27}, &numbers{U32: &half}, &numbers{Text: strings.Repeat("x", 31)},
		&numbers{A8: large.A8}, &numbers{A16: large.A16}, &numbers{A32: large.A32}, &numbers{A64: large.A64}, &numbers{S8: large.S8},
		&numbers{S16: large.S16}, &numbers{S32: large.S32}, &numbers{S64: large.S64}, &numbers{F32: large.F32}, &numbers{F64: large.F64},
	} {
		want, err := sofab.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		for room := range len(want) + 200 {
			memory := bytes.Repeat([]byte{0xee}, room+64)
			got, err := sofab.MarshalAppend(memory[:0:room], v)
			if err != nil || !bytes.Equal(got, want) {
				t.Fatalf("value %d, room for %d: %v, %x, want %x", i, room, err, got, want)
			}
			if behind := memory[room:]; !bytes.Equal(behind, bytes.Repeat([]byte{0xee}, 64)) {
				t.Fatalf("value %d, room for %d: behind it stands %x", i, room, behind)
			}
		}
	}
}

// TestMarshalledMemory takes messages of one type, of changing lengths. What Marshal
// returns is as long as the message. What MarshalAppend allocates takes the same message
// again, and nothing is allocated for it.
func TestMarshalledMemory(t *testing.T) {
	type message struct {
		N    uint64 `sofab:"1"`
		Text string `sofab:"2"`
	}
	for _, n := range []int{0, 1, 40, 1, 200, 90, 1, 500, 460, 3, 5000, 200, 1, 0, 1, 100_000, 2, 2 << 20, 7, 7, 7} {
		v := message{7, strings.Repeat("x", n)}
		b, err := sofab.Marshal(&v)
		if err != nil || !strings.HasSuffix(string(b), v.Text) || cap(b) != len(b) {
			t.Fatalf("text of %d bytes: %v, %d bytes in memory for %d", n, err, len(b), cap(b))
		}
		grown, err := sofab.MarshalAppend(nil, &v)
		if err != nil || !bytes.Equal(grown, b) {
			t.Fatalf("text of %d bytes: %v, appended %d bytes, want %d", n, err, len(grown), len(b))
		}
		var again []byte
		allocs := testing.AllocsPerRun(5, func() { again, err = sofab.MarshalAppend(grown[:0], &v) })
		if err != nil || !bytes.Equal(again, b) || &again[0] != &grown[0] {
			t.Fatalf("text of %d bytes: %v, appended again %d bytes, want %d", n, err, len(again), len(b))
		}
		if allocs > 0 && !raceEnabled && n < 1<<20 {
			t.Errorf("text of %d bytes: %v allocations to append again", n, allocs)
		}
	}
	if b, err := sofab.Marshal(&message{}); err != nil || b == nil || len(b) != 0 {
		t.Errorf("empty message: %v, %x, nil %v", err, b, b == nil)
	}
	if b, err := sofab.MarshalAppend(nil, &message{}); err != nil || b != nil {
		t.Errorf("empty message appended to nil: %v, %x", err, b)
	}
}
