package sofab_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/sofab-go/sofab"
)

// dynamic has maps, unions and any in each other.
type dynamic struct {
	V any                          `sofab:"1"`
	P picture                      `sofab:"2"`
	I invoice                      `sofab:"3"`
	M loweredMaps                  `sofab:"4"`
	N map[mapKeyStruct]any         `sofab:"5,presence"`
	F map[float32]map[string]*int8 `sofab:"6"`
	L []any                        `sofab:"7"`
}

// Damaged messages: the verdict does not depend on the cut, and what is accepted is
// stable from the first encoding on.
func TestDynamicDamaged(t *testing.T) {
	v := dynamic{
		V: map[string]any{"a": []any{1, "x", nil, []float64{1}, []byte{1}}, "b": map[string]any{"c": true}},
		P: picture{
			S: &square{Next: circle{1}, In: []shape{nil, graph{"x": unit{}}}},
			L: []shape{rawShape("x"), number(3), boxedArm{&circle{}}},
			M: map[string]shape{"k": unit{}},
		},
		I: invoice{Pay: payment{Split: &[]payment{{}, {Note: ptr("n")}}}, All: []payment{{Tags: &map[string]uint8{"t": 1}}}},
		M: loweredMaps{Groups: map[string][]string{"a": {"b"}}, Flags: map[[2]byte]bool{{1}: true}},
		N: map[mapKeyStruct]any{{A: 1}: "n"},
		F: map[float32]map[string]*int8{1: {"a": ptr(int8(1))}},
		L: []any{nil, int64(5)},
	}
	whole, err := sofab.Marshal(&v)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(5, 7))
	accepted := 0
	for range 2000 {
		input := damaged(r, whole)
		var once, chunked dynamic
		err := sofab.Unmarshal(input, &once)
		if other := feed(input, 1+r.IntN(5), &chunked); errorText(other) != errorText(err) {
			t.Fatalf("%x: %v, in chunks %v", input, err, other)
		}
		if err != nil {
			continue
		}
		accepted++
		first, err := sofab.Marshal(&once)
		if err != nil {
			t.Fatalf("%x decodes but does not encode: %v", input, err)
		}
		if other, err := sofab.Marshal(&chunked); err != nil || !bytes.Equal(first, other) {
			t.Fatalf("%x encodes to %x, in chunks to %x, %v", input, first, other, err)
		}
		var again dynamic
		if err := sofab.Unmarshal(first, &again); err != nil {
			t.Fatalf("%x encodes to %x, which does not decode: %v", input, first, err)
		}
		if second, err := sofab.Marshal(&again); err != nil || !bytes.Equal(first, second) {
			t.Fatalf("%x encodes to %x, then to %x, %v", input, first, second, err)
		}
	}
	if accepted < 50 {
		t.Errorf("only %d of the inputs were accepted", accepted)
	}
}

// damaged is a message with up to four bytes changed, cut out or pieces repeated.
func damaged(r *rand.Rand, whole []byte) []byte {
	b := bytes.Clone(whole)
	for range 1 + r.IntN(4) {
		i := r.IntN(len(b))
		j := i + r.IntN(len(b)-i)
		switch r.IntN(4) {
		case 0:
			b[i] = byte(r.IntN(256))
		case 1:
			b[i] ^= 1 << r.IntN(8)
		case 2:
			b = append(b[:i], b[i+1:]...)
		case 3:
			b = append(b, b[i:j]...)
		}
	}
	return b
}

// Messages of maps, unions and any go through a buffer of any size.
func TestDynamicWindows(t *testing.T) {
	v := &dynamic{V: map[string]any{"a": []any{nil, "long enough to be cut"}}, P: picture{S: unit{}}, F: map[float32]map[string]*int8{2: {"k": ptr(int8(0))}}}
	want, err := sofab.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	checkEncode(t, "value", v, want)
}
