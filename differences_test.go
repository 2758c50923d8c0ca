package sofab_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/sofab-go/sofab"
)

// What this package does on purpose where the official Go code does something
// else, by the items of FORMAT section 11. Receiver caps (D8) are tested with
// the limits.

type differenceCase struct {
	name    string
	schema  any
	input   string
	verdict string
	encoded string // with A
	dump    string // with A, optional
}

func runDifferences(t *testing.T, cases []differenceCase) {
	t.Helper()
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			checkDecode(t, unhex(t, tt.input), decodeExpectation{
				schema: tt.schema, verdict: tt.verdict, encoded: unhex(t, tt.encoded), dump: tt.dump,
			})
		})
	}
}

type (
	defaultsOuter struct {
		One  defaultsMiddle   `sofab:"30"`
		Many []defaultsMiddle `sofab:"31,count=4"`
		Ptr  *defaultsMiddle  `sofab:"32"`
	}
	defaultsMiddle struct {
		U uint8         `sofab:"0,default=255"`
		S string        `sofab:"1,default=N"`
		R defaultsInner `sofab:"2"`
	}
	defaultsInner struct {
		I int32 `sofab:"0,default=-5"`
	}
)

// D2: defaults hold at every nesting level. Official Go starts nested fields at
// zero and re-encodes the empty message as f6 01 00 00 0a 02 16 01 00 07 07.
func TestDifferenceNestedDefaults(t *testing.T) {
	const (
		standard = "{0:u255;1:t1:4e;2:{0:s-5}}"
		zero     = "{0:u0;1:t0:;2:{0:s0}}"
	)
	runDifferences(t, []differenceCase{
		{"empty message", new(defaultsOuter), "", "A", "",
			"{30:" + standard + ";31:[];32:nil}"},
		{"explicit zeros", new(defaultsOuter), "f601 0000 0a02 16 0100 07 07", "A", "f601 0000 0a02 16 0100 07 07",
			"{30:" + zero + ";31:[];32:nil}"},
		{"explicit defaults", new(defaultsOuter), "f601 00ff01 0a0a4e 16 0109 07 07", "A", "",
			"{30:" + standard + ";31:[];32:nil}"},
		{"one child given", new(defaultsOuter), "f601 0001 07", "A", "f601 0001 07",
			"{30:{0:u1;1:t1:4e;2:{0:s-5}};31:[];32:nil}"},
		{"array element and the gap before it", new(defaultsOuter), "fe01 0e 07 07", "A", "fe01 0e 07 07",
			"{30:" + standard + ";31:[" + standard + "," + standard + "];32:nil}"},
		{"zero in the interior of an array", new(defaultsOuter), "fe01 06 0000 0a02 16 0100 07 07 0e 07 07", "A",
			"fe01 06 0000 0a02 16 0100 07 07 0e 07 07",
			"{30:" + standard + ";31:[" + zero + "," + standard + "];32:nil}"},
		{"pointer", new(defaultsOuter), "8602 07", "A", "8602 07",
			"{30:" + standard + ";31:[];32:" + standard + "}"},
	})
	checkEncode(t, "Go zero value", new(defaultsOuter), unhex(t, "f601 0000 0a02 16 0100 07 07"))
}

// D4: an enum is a signed 32-bit value and a bitfield has the width of its Go
// type; beyond is INVALID. Official Go truncates.
func TestDifferenceEnumWidth(t *testing.T) {
	type (
		color8  int8
		color64 int64
		colorU8 uint8
		flags16 uint16
	)
	type enum8 struct {
		V color8 `sofab:"0,enum"`
	}
	type enum64 struct {
		V color64 `sofab:"0,enum"`
	}
	type enumU8 struct {
		V colorU8 `sofab:"0,enum"`
	}
	type bits16 struct {
		V flags16 `sofab:"0,bits=0|1"`
	}
	runDifferences(t, []differenceCase{
		{"largest i32", new(demo), "9101 feffffff0f", "A", "9101 feffffff0f", ""},
		{"smallest i32", new(demo), "9101 ffffffff0f", "A", "9101 ffffffff0f", ""},
		{"2^31", new(demo), "9101 8080808010", "R", "", ""},
		{"-2^31-1", new(demo), "9101 8180808010", "R", "", ""},
		{"array element 2^31, truncated array", new(demo), "ac01 02 8080808010", "R", "", ""},
		{"127 into an 8-bit type", new(enum8), "01 fe01", "A", "01 fe01", "{0:s127}"},
		{"128 into an 8-bit type", new(enum8), "01 8002", "R", "", ""},
		{"-129 into an 8-bit type", new(enum8), "01 8102", "R", "", ""},
		{"largest i32 into a 64-bit type", new(enum64), "01 feffffff0f", "A", "01 feffffff0f", "{0:s2147483647}"},
		{"2^31 into a 64-bit type", new(enum64), "01 8080808010", "R", "", ""},
		{"an unsigned type is signed on the wire", new(enumU8), "01 06", "A", "01 06", "{0:u3}"},
		{"-1 into an unsigned type", new(enumU8), "01 01", "R", "", ""},
		{"256 into an unsigned type", new(enumU8), "01 8004", "R", "", ""},
		{"every bit of a bitfield", new(bits16), "00 ffff03", "A", "00 ffff03", "{0:u65535}"},
		{"bit 16 of a 16-bit bitfield", new(bits16), "00 808004", "R", "", ""},
	})
}

// D5: a default on a wrapper array is refused when the type is compiled. No
// official port honours it, so honouring it would misread what they write.
func TestDifferenceWrapperDefault(t *testing.T) {
	for _, v := range []any{
		&struct {
			V []string `sofab:"0,default='[a]'"`
		}{},
		&struct {
			V [][]byte `sofab:"0,default='[a]'"`
		}{},
		&struct {
			V []demoItem `sofab:"0,default='[]'"`
		}{},
		&struct {
			V [][]uint32 `sofab:"0,default='[[1]]'"`
		}{},
	} {
		_, feederErr := sofab.NewFeeder(v)
		for surface, err := range map[string]error{
			"Marshal": checkEncodeFails(t, v), "Unmarshal": sofab.Unmarshal(nil, v), "NewFeeder": feederErr,
		} {
			var tag *sofab.TagError
			if !errors.As(err, &tag) {
				t.Errorf("%s of %T: %v, want a *sofab.TagError", surface, v, err)
			}
		}
	}
}

// D6: a row is an array, so a repeated row is replaced. Official Go merges
// wrapper rows.
func TestDifferenceRepeatedRow(t *testing.T) {
	runDifferences(t, []differenceCase{
		{"native row", new(demo), "8601 03 0105 03 0106 07", "A", "8601 03 0106 07", ""},
		{"native row, then empty", new(demo), "8601 03 0105 0b 0107 03 00 07", "A", "8601 0b 0107 07", ""},
		{"wrapper row", new(demo), "8e01 06 020a61 07 06 120a63 07 07", "A", "8e01 06 120a63 07 07", ""},
		{"wrapper row, then empty", new(demo), "8e01 06 020a61 07 06 07 07", "A", "8e01 06 07 07", ""},
		{"mistyped repetition", new(demo), "8e01 06 020a61 07 03 0105 07", "A", "8e01 06 020a61 07 07", ""},
	})
}

// D7: rows keep their bounds, and each verdict falls on the word that decides
// it. Official Go ignores the inner count and judges a row when it has ended.
func TestDifferenceRowBounds(t *testing.T) {
	type narrow struct {
		V [][]uint16 `sofab:"0,count=3"`
	}
	type floats struct {
		V [][]float32 `sofab:"0,count=2,elem.count=2"`
	}
	runDifferences(t, []differenceCase{
		{"row at its count", new(demo), "8601 03 0401020304 07", "A", "8601 03 0401020304 07", ""},
		{"row over its count, at the count word", new(demo), "8601 03 05", "R", "", ""},
		{"row index over the count, header only", new(demo), "8601 1b", "I", "", ""},
		{"row index over the count, at the count word", new(demo), "8601 1b 01", "R", "", ""},
		{"mistyped row over both", new(demo), "8601 1c 05 0000000000 07", "A", "", ""},
		{"element over its width in an unfinished row", new(narrow), "06 03 02 808004", "R", "", ""},
		{"fp row over its count, no element word", new(floats), "06 05 03", "I", "", ""},
		{"fp row over its count, at the element word", new(floats), "06 05 03 20", "R", "", ""},
		{"fp row of another type over its count", new(floats), "06 05 03 41", "I", "", ""},
		{"fp row index over the count, no element word", new(floats), "06 15 01", "I", "", ""},
		{"fp row index over the count, at the element word", new(floats), "06 15 01 20", "R", "", ""},
		{"fp row of another type over the index", new(floats), "06 15 00 41 07", "A", "", "{0:[]}"},
		{"wrapper row index over the count, at the header", new(demo), "8e01 1e", "R", "", ""},
		{"element of a wrapper row over its count", new(demo), "8e01 06 1a 0a", "R", "", ""},
		{"element of a wrapper row over its maxlen", new(demo), "8e01 06 02 4a", "R", "", ""},
	})
}

// D12: a value that breaks a bound is refused on encode, with nothing written.
// Official encoders write it and every decoder rejects it.
func TestDifferenceEncodeBounds(t *testing.T) {
	type widths struct {
		U uint64  `sofab:"0,u8"`
		I int64   `sofab:"1,i16"`
		A []int64 `sofab:"2,elem.i8"`
	}
	const nine = "123456789"
	blob := []byte(nine)
	for _, tt := range []struct {
		path  string
		bound string
		value any
	}{
		{"S", "maxlen", &demo{S: nine}},
		{"X", "maxlen", &demo{X: blob}},
		{"UA", "count", &demo{UA: make([]uint8, 5)}},
		{"IA", "count", &demo{IA: make([]int16, 301)}},
		{"FA", "count", &demo{FA: make([]float32, 4)}},
		{"DA", "count", &demo{DA: make([]uint32, 5)}},
		{"SA", "count", &demo{SA: make([]string, 5)}},
		{"SA[1]", "maxlen", &demo{SA: []string{"", nine, ""}}},
		{"OA", "count", &demo{OA: make([]demoItem, 5)}},
		{"OA[0].V", "maxlen", &demo{OA: []demoItem{{V: nine}}}},
		{"ST.Q", "maxlen", &demo{ST: demoStruct{Q: nine}}},
		{"UN.T", "maxlen", &demo{UN: demoUnion{T: nine}}},
		{"MX", "count", &demo{MX: make([][]uint32, 4)}},
		{"MX[1]", "count", &demo{MX: [][]uint32{nil, make([]uint32, 5), nil}}},
		{"MS", "count", &demo{MS: make([][]string, 4)}},
		{"MS[0]", "count", &demo{MS: [][]string{make([]string, 4)}}},
		{"MS[0][2]", "maxlen", &demo{MS: [][]string{{"", "", nine}}}},
		{"BA", "count", &demo{BA: make([]bool, 9)}},
		{"EA", "count", &demo{EA: make([]demoEnum, 5)}},
		{"XA", "count", &demo{XA: make([][]byte, 4)}},
		{"XA[0]", "maxlen", &demo{XA: [][]byte{blob}}},
		{"VA", "count", &demo{VA: make([]demoValue, 4)}},
		{"VA[1].T", "maxlen", &demo{VA: []demoValue{{}, {T: nine}}}},
		{"U", "u8", &widths{U: 256}},
		{"I", "i16", &widths{I: -32769}},
		{"A[2]", "i8", &widths{A: []int64{-128, 127, 128}}},
	} {
		t.Run(tt.path+"/"+tt.bound, func(t *testing.T) {
			err := checkEncodeFails(t, tt.value)
			var bound *sofab.BoundError
			if !errors.As(err, &bound) {
				t.Fatalf("%v (%T), want a *sofab.BoundError", err, err)
			}
			if bound.Bound != tt.bound || !strings.HasSuffix(bound.Path, "."+tt.path) {
				t.Errorf("bound %q at %q, want %q at …%q", bound.Bound, bound.Path, tt.bound, "."+tt.path)
			}
			checkErrorText(t, err, tt.path)
		})
	}
}

// Values exactly at their bounds come back as they were.
func TestDifferenceEncodeAtBounds(t *testing.T) {
	const eight = "12345678"
	blob := []byte(eight)
	v := &demo{
		S: eight, X: blob,
		UA: make([]uint8, 4), IA: make([]int16, 300), FA: make([]float32, 3), DA: make([]uint32, 4),
		SA: []string{3: eight},
		OA: []demoItem{3: {V: eight}},
		ST: demoStruct{Q: eight}, UN: demoUnion{T: eight},
		MX: [][]uint32{2: make([]uint32, 4)},
		MS: [][]string{2: {2: eight}},
		BA: make([]bool, 8), EA: make([]demoEnum, 4),
		XA: [][]byte{2: blob},
		VA: []demoValue{2: {T: eight}},
	}
	data, err := sofab.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	checkDecode(t, data, decodeExpectation{schema: v, verdict: "A", encoded: data, dump: materialize(v)})
}
