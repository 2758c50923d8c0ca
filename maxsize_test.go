package sofab_test

import (
	"errors"
	"testing"

	"github.com/sofab-go/sofab"
)

type smallInner struct {
	_ struct{} `sofab:",maxsize=4"`
	A uint64   `sofab:"0"`
	S string   `sofab:"1"`
}

type smallOuter struct {
	_ struct{}      `sofab:",maxsize=9"`
	N smallInner    `sofab:"0"`
	B []byte        `sofab:"1"`
	L []smallInner  `sofab:"2"`
	P *smallInner   `sofab:"3"`
	Z uint64        `sofab:"4"`
	F sofab.Fields  `sofab:"5"`
	W []*smallInner `sofab:"6"`
}

func TestMaxsize(t *testing.T) {
	const limit = " bytes are more than maxsize="
	inner := smallInner{A: 1, S: "A"} // 5 bytes
	checkValue(t, smallInner{A: 200}, "00 c8 01")
	checkValue(t, smallInner{S: "AB"}, "0a 12 41 42")
	checkValue(t, smallOuter{N: smallInner{S: "AB"}, Z: 1, B: nil}, "06 0a 12 41 42 07 20 01")
	checkValue(t, smallOuter{B: []byte{1, 2, 3, 4, 5, 6, 7}}, "0a 3b 01 02 03 04 05 06 07")
	checkValue(t, smallOuter{L: []smallInner{{S: "AB"}}}, "16 06 0a 12 41 42 07 07")

	err := checkEncodeError(t, &inner, "sofab: smallInner: 5"+limit+"4 allows")
	var e *sofab.BoundError
	if !errors.As(err, &e) || e.Bound != "maxsize" || e.Limit != 4 || e.Got != 5 || errors.Is(err, sofab.ErrInvalid) {
		t.Errorf("%#v", e)
	}
	checkEncodeError(t, &smallOuter{N: inner}, "sofab: smallOuter.N: 5"+limit+"4 allows")
	checkEncodeError(t, &smallOuter{L: []smallInner{{}, inner}}, "sofab: smallOuter.L[1]: 5"+limit+"4 allows")
	checkEncodeError(t, &smallOuter{P: &inner}, "sofab: smallOuter.P: 5"+limit+"4 allows")
	checkEncodeError(t, &smallOuter{B: make([]byte, 8)}, "sofab: smallOuter: 10"+limit+"9 allows")

	for _, c := range []struct{ name, input, text string }{
		{"behind the last field", "00 01 0a 0a 41", "sofab: smallInner: 5" + limit + "4 allows at offset 4"},
		{"inside a payload", "0a 52 41 41 41 41", "sofab: smallInner: 5" + limit + "4 allows at offset 4"},
		{"inside a skipped field", "12 52 41 41 41 41", "sofab: smallInner: 5" + limit + "4 allows at offset 4"},
		{"inside a skipped sequence", "16 00 05 00 05", "sofab: smallInner: 5" + limit + "4 allows at offset 4"},
		{"before a fault behind it", "00 01 0a 0a 41 02 2c", "sofab: smallInner: 5" + limit + "4 allows at offset 4"},
		{"before a refused string behind it", "0a 1a 41 41 ff", "sofab: smallInner: 5" + limit + "4 allows at offset 4"},
	} {
		t.Run(c.name, func(t *testing.T) { checkDecodeFails[smallInner](t, c.input, "R", c.text) })
	}
	for _, c := range []struct{ name, input, text string }{
		{"struct", "06 00 01 0a 0a 41 07", "sofab: smallOuter.N: 5" + limit + "4 allows at offset 5"},
		{"element", "16 0e 00 01 0a 0a 41 07", "sofab: smallOuter.L[1]: 5" + limit + "4 allows at offset 6"},
		{"pointer", "1e 00 01 0a 0a 41 07", "sofab: smallOuter.P: 5" + limit + "4 allows at offset 5"},
		{"the outer one first", "00 01 00 01 00 01 06 00 01 00 01", "sofab: smallOuter: 10" + limit + "9 allows at offset 9"},
		{"behind an inner one", "06 00 01 00 01 07 20 01 20 01", "sofab: smallOuter: 10" + limit + "9 allows at offset 9"},
		{"in fields of any type", "2e 00 01 00 01 00 01 00 01 00 01", "sofab: smallOuter: 10" + limit + "9 allows at offset 9"},
	} {
		t.Run(c.name, func(t *testing.T) { checkDecodeFails[smallOuter](t, c.input, "R", c.text) })
	}
	// Each opening of a struct counts for itself, and its end does not count.
	checkDecodesInto(t, "06 00 01 07 06 00 02 07", smallOuter{N: smallInner{A: 2}})
	checkDecodesInto(t, "06 0a 12 41 42 8f 00", smallOuter{N: smallInner{S: "AB"}})
	checkDecodeFails[smallInner](t, "0a 12 41", "I", "sofab: smallInner.S: message ends inside a field or sequence at offset 3")
}

func TestMaxsizeOfStream(t *testing.T) {
	var v smallInner
	for _, input := range []string{"00 01 0a 0a 41 07 00 05 07", "0a 52 41 41 41 41 41 41 41 41 41 41 07 00 05 07"} {
		d := sofab.NewDecoder(&randomReader{rest: unhex(t, input), rand: seeded(nil)})
		if err := d.Decode(&v); !errors.Is(err, sofab.ErrInvalid) {
			t.Errorf("%v", err)
		}
		if err := d.Decode(&v); err != nil || v.A != 5 {
			t.Errorf("the next message: %v, %v", v, err)
		}
	}
	type holder struct {
		U struct {
			_ struct{} `sofab:",maxsize=2"`
			S *string  `sofab:"0"`
		} `sofab:"0,union"`
	}
	var h holder
	h.U.S = new(string)
	checkValue(t, h, "06 02 02 07")
	*h.U.S = "A"
	checkEncodeError(t, &h, "sofab: holder.U: 3 bytes are more than maxsize=2 allows")
	checkDecodeFails[holder](t, "06 02 0a 41 07", "R", "sofab: holder.U: 3 bytes are more than maxsize=2 allows at offset 3")
}
