package wire

import (
	"bytes"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var (
	bits32 = []uint32{0, 0x80000000, 0x3f800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0xff800001, 1, math.MaxUint32}
	bits64 = []uint64{0, 1 << 63, 0x3ff0000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000001, 0x7ff0000000000001, 1, math.MaxUint64}
)

func TestFloatBits(t *testing.T) {
	var fs []float32
	var want []byte
	for _, u := range bits32 {
		fs = append(fs, math.Float32frombits(u))
		b := AppendFloat32(nil, fs[len(fs)-1])
		want = append(want, b...)
		v, n := ConsumeFloat32(b)
		if math.Float32bits(v) != u || n != SizeFloat32() || !bytes.Equal(b, []byte{byte(u), byte(u >> 8), byte(u >> 16), byte(u >> 24)}) {
			t.Errorf("%x: % x reads as %x, %d", u, b, math.Float32bits(v), n)
		}
		for cut := range b {
			if _, n := ConsumeFloat32(b[:cut]); n != More {
				t.Errorf("fp32 of %d bytes: %d", cut, n)
			}
		}
	}
	for room := range len(want) + 5 {
		b := make([]byte, room)
		elements, n := PutFloat32s(b, fs)
		if diff := cmp.Diff([]int{min(room/4, len(fs)), 4 * elements}, []int{elements, n}); diff != "" {
			t.Errorf("put in %d: %s", room, diff)
		}
		if !bytes.Equal(b[:n], want[:n]) {
			t.Errorf("put in %d: % x", room, b[:n])
		}
		dst := make([]float32, len(fs))
		elements, m := ConsumeFloat32s(want[:n], dst)
		if m != n || elements != n/4 {
			t.Errorf("consume %d bytes: %d, %d", n, elements, m)
		}
		for i, v := range dst[:elements] {
			if math.Float32bits(v) != bits32[i] {
				t.Errorf("element %d is %x", i, math.Float32bits(v))
			}
		}
	}
	if elements, n := ConsumeFloat32s(want, make([]float32, 2)); elements != 2 || n != 8 {
		t.Errorf("two of many: %d, %d", elements, n)
	}
}

func TestDoubleBits(t *testing.T) {
	var fs []float64
	var want []byte
	for _, u := range bits64 {
		fs = append(fs, math.Float64frombits(u))
		b := AppendFloat64(nil, fs[len(fs)-1])
		want = append(want, b...)
		v, n := ConsumeFloat64(b)
		if math.Float64bits(v) != u || n != SizeFloat64() || b[7] != byte(u>>56) || b[0] != byte(u) {
			t.Errorf("%x: % x reads as %x, %d", u, b, math.Float64bits(v), n)
		}
		for cut := range b {
			if _, n := ConsumeFloat64(b[:cut]); n != More {
				t.Errorf("fp64 of %d bytes: %d", cut, n)
			}
		}
	}
	for room := range len(want) + 9 {
		b := make([]byte, room)
		elements, n := PutFloat64s(b, fs)
		if diff := cmp.Diff([]int{min(room/8, len(fs)), 8 * elements}, []int{elements, n}); diff != "" {
			t.Errorf("put in %d: %s", room, diff)
		}
		dst := make([]float64, len(fs))
		elements, m := ConsumeFloat64s(want[:n], dst)
		if m != n || elements != n/8 {
			t.Errorf("consume %d bytes: %d, %d", n, elements, m)
		}
		for i, v := range dst[:elements] {
			if math.Float64bits(v) != bits64[i] {
				t.Errorf("element %d is %x", i, math.Float64bits(v))
			}
		}
	}
	if elements, n := ConsumeFloat64s(want, make([]float64, 2)); elements != 2 || n != 16 {
		t.Errorf("two of many: %d, %d", elements, n)
	}
}

func TestWidth(t *testing.T) {
	if diff := cmp.Diff([]int{4, 8, 0, 0, 0}, []int{FP32.Width(), FP64.Width(), String.Width(), Blob.Width(), Subtype(4).Width()}); diff != "" {
		t.Error(diff)
	}
}
