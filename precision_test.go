package sofab_test

import (
	"bytes"
	"math"
	"testing"

	"github.com/sofab-go/sofab"
)

// Every bit survives where something else holds the number: a signalling NaN is not
// quieted, −0.0 is not 0, and a text is not cut at NUL.
func TestPrecision(t *testing.T) {
	type numbers struct {
		List     []float32          `sofab:"0"`
		Wide     []float64          `sofab:"1"`
		Ptr      *float32           `sofab:"2"`
		Map      map[string]float64 `sofab:"3"`
		Plain    float32            `sofab:"4"`
		Text     string             `sofab:"5"`
		Texts    []string           `sofab:"6"`
		Unsigned uint64             `sofab:"7"`
		Signed   int64              `sofab:"8"`
	}
	signalling32, signalling64 := math.Float32frombits(0x7f800001), math.Float64frombits(0x7ff0000000000001)
	negative := float32(math.Copysign(0, -1))
	v := numbers{
		List: []float32{signalling32, negative}, Wide: []float64{signalling64, math.Copysign(0, -1), math.SmallestNonzeroFloat64},
		Ptr: &negative, Map: map[string]float64{"": signalling64}, Plain: signalling32,
		Text: "a\x00b", Texts: []string{"\x00", ""}, Unsigned: math.MaxUint64, Signed: math.MinInt64,
	}
	want := unhex(t, "05 02 20 010080 7f 00000080"+
		"0d 03 41 010000000000f07f 0000000000000080 0100000000000000"+
		"12 20 00000080"+
		"1e 06 0a 41 010000000000f07f 07 07"+
		"22 20 0100807f"+
		"2a 1a 610062"+
		"36 02 0a 00 0a 02 07"+
		"38 ffffffffffffffffff01"+
		"41 ffffffffffffffffff01")
	checkEncode(t, "value", &v, want)
	for _, s := range decodeSurfaces {
		var got numbers
		if err := s.decode(want, &got); err != nil {
			t.Errorf("%s: %v", s.name, err)
			continue
		}
		if again, err := sofab.Marshal(&got); err != nil || !bytes.Equal(again, want) {
			t.Errorf("%s: %x, %v, want %x", s.name, again, err, want)
		}
	}
}

// A varint of more than 64 bits is invalid, whatever it would hold without the excess.
func TestOverlongVarint(t *testing.T) {
	type number struct {
		N uint64 `sofab:"1"`
	}
	checkRefused(t, "08 ff ff ff ff ff ff ff ff ff 02", &number{})
	checkRefused(t, "08 80 80 80 80 80 80 80 80 80 80 01", &number{})
	checkDecodesAs(t, unhex(t, "08 85 80 80 80 80 80 80 80 80 00"), &number{5})
}
