package sofab_test

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/sofab-go/sofab"
)

// everyField is a message with every wire type, and the tree of it.
const everyField = "00 05 09 09 12 20 0000803f 1a 41 000000000000f03f 22 12 4142 2a 13 0102 33 02 05 8001 3c 02 01 02" +
	"45 01 20 0000803f 4d 01 41 000000000000f03f 56 06 00 05 07 0e 07 07 5e 07"

func everyFields() sofab.Fields {
	return sofab.Fields{
		{0, uint64(5)}, {1, int64(-5)}, {2, float32(1)}, {3, float64(1)}, {4, "AB"}, {5, []byte{1, 2}},
		{6, []uint64{5, 128}}, {7, []int64{-1, 1}}, {8, []float32{1}}, {9, []float64{1}},
		{10, sofab.Fields{{0, sofab.Fields{{0, uint64(5)}}}, {1, sofab.Fields{}}}},
		{11, sofab.Fields{}},
	}
}

func TestFields(t *testing.T) {
	checkValue(t, everyFields(), everyField)
	checkValue(t, sofab.Fields(nil), "")
	// Order, repetition and defaults are those of the message.
	checkVerbatim(t, sofab.Fields{{1, uint64(0)}, {0, ""}, {1, sofab.Fields{}}, {1, uint64(2)}, {300, []byte{}}},
		"08 00 02 02 0e 07 08 02 e2 12 03")
	checkVerbatim(t, sofab.Fields{{0, []uint64{}}, {1, []int64{}}, {2, []float32{}}, {3, []float64{}}, {math.MaxInt32, uint64(math.MaxUint64)}},
		"03 00 0c 00 15 00 20 1d 00 41 f8 ff ff ff 3f ff ff ff ff ff ff ff ff ff 01")

	type holder struct {
		A uint8          `sofab:"0"`
		F sofab.Fields   `sofab:"1"`
		P *sofab.Fields  `sofab:"2"`
		L []sofab.Fields `sofab:"3"`
		E sofab.Fields   `sofab:"4,presence"`
		Z uint8          `sofab:"5"`
	}
	one := sofab.Fields{{0, uint64(5)}}
	checkValue(t, holder{}, "")
	checkValue(t, holder{A: 1, F: everyFields(), Z: 2}, "00 01 0e"+everyField+"07 28 02")
	checkValue(t, holder{P: new(sofab.Fields), L: []sofab.Fields{nil, one, nil}, E: sofab.Fields{}}, "16 07 1e 0e 00 05 07 16 07 07 26 07")
	checkDecodesInto(t, "0e 07", holder{})
	checkDecodesInto(t, "0e 00 05 07 0e 08 06 07", holder{F: sofab.Fields{{0, uint64(5)}, {1, uint64(6)}}})
	checkDecodesInto(t, "0e 00 05 07 08 06", holder{F: one})
	checkDecodesInto(t, "1e 06 00 05 07 07 1e 0e 00 05 07 07", holder{L: []sofab.Fields{nil, one}})

	checkDecodeFails[sofab.Fields](t, "00 05 02 12 41 ff", "R", "sofab: Fields[1]: invalid UTF-8 at byte 1 at offset 5")
	checkDecodeFails[holder](t, "0e 06 02 12 41 ff", "R", "sofab: holder.F[0][0]: invalid UTF-8 at byte 1 at offset 5")
	checkDecodeFails[holder](t, "0e 06 00 05", "I", "sofab: holder.F[0]: message ends inside a field or sequence at offset 4")
	checkDecodeFails[sofab.Fields](t, "00 05 03 02 05", "I", "sofab: Fields[1]: message ends inside a field or sequence at offset 5")

	checkEncodeError(t, &sofab.Fields{{0, uint64(1)}, {1, sofab.Fields{{2, 5}}}},
		"sofab: Fields[1][0]: value of type int; a Field takes uint64, int64, float32, float64, string, []byte, []uint64, []int64, []float32, []float64 or Fields")
	checkEncodeError(t, &holder{F: sofab.Fields{{0, nil}}},
		"sofab: holder.F[0]: value of type <nil>; a Field takes uint64, int64, float32, float64, string, []byte, []uint64, []int64, []float32, []float64 or Fields")
	checkEncodeError(t, &sofab.Fields{{1 << 31, uint64(1)}}, "sofab: Fields[0]: id 2147483648 is above 2147483647")
	checkEncodeError(t, &sofab.Fields{{0, "A\xff"}}, "sofab: Fields[0]: invalid UTF-8 at byte 1")
}

func TestFieldsGet(t *testing.T) {
	f := sofab.Fields{{1, uint64(5)}, {2, "x"}, {1, uint64(6)}}
	if f.Get(1) != uint64(6) || f.Get(2) != "x" || f.Get(3) != nil {
		t.Errorf("%v %v %v", f.Get(1), f.Get(2), f.Get(3))
	}
}

func TestFieldsDepth(t *testing.T) {
	cyclic := sofab.Fields{{0, nil}}
	cyclic[0].Value = cyclic
	if err := checkEncodeFails(t, &cyclic); !strings.HasSuffix(textOf(err), "[0]: more than 255 levels deep; does the value contain itself?") {
		t.Errorf("%v", err)
	}
	deep := append(bytes.Repeat([]byte{0x06}, 255), bytes.Repeat([]byte{0x07}, 255)...)
	for _, s := range decodeSurfaces {
		var f sofab.Fields
		if err := s.decode(deep, &f); err != nil || !bytes.Equal(mustMarshal(t, f), deep) {
			t.Errorf("%s: %v", s.name, err)
		}
		if err := s.decode(bytes.Repeat([]byte{0x06}, 256), &f); !errors.Is(err, sofab.ErrInvalid) {
			t.Errorf("%s: 256 sequences: %v", s.name, err)
		}
	}
}

func TestFieldsLimits(t *testing.T) {
	codec := newCodec(sofab.Options{Limits: sofab.Limits{Array: 3, String: 3, Blob: 3}})
	for input, want := range map[string]string{
		"00 01 00 02 00 03":       "",
		"00 01 00 02 00 03 00 04": "sofab: Fields[3]: 4 elements are over the limit of 3 at offset 6; declare a bound in the tag or raise Options.Limits.Array",
		"06 02 22":                "sofab: Fields[0][0]: 4 bytes are over the limit of 3 at offset 2; declare a bound in the tag or raise Options.Limits.String",
		"02 23":                   "sofab: Fields[0]: 4 bytes are over the limit of 3 at offset 1; declare a bound in the tag or raise Options.Limits.Blob",
		"03 04":                   "sofab: Fields[0]: 4 elements are over the limit of 3 at offset 1; declare a bound in the tag or raise Options.Limits.Array",
	} {
		for _, size := range []int{1, 100} {
			f, err := codec.NewFeeder(new(sofab.Fields))
			if err != nil {
				t.Fatal(err)
			}
			if err := feedTo(f, unhex(t, input), size); textOf(err) != want {
				t.Errorf("%s in chunks of %d: %v\nwant %s", input, size, err, want)
			}
		}
	}
	// A tree of the smallest fields is within the budget, and the budget is real.
	input := bytes.Repeat([]byte{0x06, 0x07}, 1<<20)
	var f sofab.Fields
	got := allocatedBy(func() { mustUnmarshal(t, input, &f) })
	if budget := uint64(16<<20 + 64*len(input)); got > budget {
		t.Errorf("%d bytes of input allocated %d, budget %d", len(input), got, budget)
	}
}
