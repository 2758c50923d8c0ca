package sofab_test

import (
	"bytes"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/sofab-go/sofab"
)

func setCap[T ~int | ~int64 | ~uint32 | ~uint64](dst *T, n int) {
	if n > 0 {
		*dst = T(n)
	}
}

// capped returns a codec with the given receiver caps; 0 leaves one at its
// default.
func capped(t *testing.T, array, str, blob int) *sofab.Codec {
	t.Helper()
	var o sofab.Options
	setCap(&o.Limits.Array, array)
	setCap(&o.Limits.String, str)
	setCap(&o.Limits.Blob, blob)
	codec, err := o.Codec()
	if err != nil {
		t.Fatal(err)
	}
	return codec
}

// checkCapped runs the input through the decode surfaces of codec.
func checkCapped(t *testing.T, codec *sofab.Codec, input []byte, want decodeExpectation) {
	t.Helper()
	for _, s := range []struct {
		name   string
		decode func(data []byte, v any) error
	}{
		{"Unmarshal", codec.Unmarshal},
		{"UnmarshalRead/1byte", func(data []byte, v any) error {
			return codec.UnmarshalRead(iotest.OneByteReader(bytes.NewReader(data)), v)
		}},
		{"Feeder/1", func(data []byte, v any) error {
			f, err := codec.NewFeeder(v)
			if err != nil {
				return err
			}
			return feedTo(f, data, 1)
		}},
		{"Feeder/7 scrubbed", func(data []byte, v any) error {
			f, err := codec.NewFeeder(v)
			if err != nil {
				return err
			}
			return feedTo(f, data, 7)
		}},
	} {
		v := fresh(want.schema)
		err := s.decode(input, v)
		if got := verdict(t, err); got != want.verdict {
			t.Errorf("%s: %x: verdict %s (%v), want %s", s.name, input, got, err, want.verdict)
			continue
		}
		if want.verdict != "A" {
			continue
		}
		if want.dump != "" {
			if diff := cmp.Diff(want.dump, materialize(v)); diff != "" {
				t.Errorf("%s: %x (-want +got):\n%s", s.name, input, diff)
			}
		}
		checkEncode(t, s.name, v, want.encoded)
	}
}

// The limit rows of the differential-fuzz corpus.
func TestGoldenLimits(t *testing.T) {
	codec := capped(t, 8, 8, 8)
	count := 0
	for _, r := range readGolden(t, needConformanceDir(t)) {
		if r.schema != "probe-dyn;caps=8" {
			continue
		}
		count++
		t.Run(r.name, func(t *testing.T) {
			checkCapped(t, codec, r.input, r.expectation(t, new(probeDyn)))
		})
	}
	if count != 13 {
		t.Errorf("%d rows, want 13", count)
	}
}

// The cap examples of FORMAT 12.9.
func TestFormat12Caps(t *testing.T) {
	schemas := map[string]any{
		"[]uint32":  new(vectorArray[uint32]),
		"[]float32": new(vectorArray[float32]),
		"string":    new(vectorString),
		"[]byte":    new(vectorBlob),
	}
	for _, r := range readDepthCaps(t) {
		if !r.configured {
			continue
		}
		t.Run(r.note, func(t *testing.T) {
			schema, ok := schemas[r.fieldType]
			if !ok {
				t.Fatalf("no schema for %q", r.fieldType)
			}
			checkCapped(t, capped(t, r.maxArray, r.maxString, r.maxBlob), r.input,
				decodeExpectation{schema: schema, verdict: outcomeLetter[r.outcome]})
		})
	}
}

// D8 and the index half of D7 in FORMAT section 11: caps bind only fields that
// have a destination and no bound of their own, and each verdict falls on the
// word that decides it.
func TestDifferenceCaps(t *testing.T) {
	type structs struct {
		V []demoItem `sofab:"0"`
	}
	nines := strings.Repeat("00", 9)
	for _, tt := range []struct {
		name    string
		schema  any
		caps    int
		input   string
		verdict string
		encoded string
	}{
		{"unknown array", new(probeDyn), 8, "f301 09 " + nines, "A", ""},
		{"unknown string", new(probeDyn), 8, "f201 4a " + nines, "A", ""},
		{"unknown blob", new(probeDyn), 8, "f201 4b " + nines, "A", ""},
		{"mistyped array", new(probeDyn), 8, "04 09 " + nines, "A", ""},
		{"blob at a string", new(probeDyn), 8, "0a 4b " + nines, "A", ""},
		{"inside a skipped sequence", new(probeDyn), 8, "f601 03 09 " + nines + " 07", "A", ""},
		{"truncated array", new(probeDyn), 8, "03 09", "L", ""},
		{"truncated string", new(probeDyn), 8, "0a 4a", "L", ""},
		{"truncated blob", new(probeDyn), 8, "12 4b", "L", ""},
		{"unfinished count word", new(probeDyn), 8, "03 89", "I", ""},
		{"format ceiling before cap", new(probeDyn), 8, "03 8080808008", "R", ""},
		{"bounded array over a smaller cap", new(demo), 2, "43 04 01020304", "A", "43 04 01020304"},
		{"bounded array over its bound", new(demo), 2, "43 05", "R", ""},
		{"bounded array over its bound, larger cap", new(demo), 100, "43 05", "R", ""},
		{"bounded string over a smaller cap", new(demo), 2, "32 1a 616263", "A", "32 1a 616263"},
		{"bounded string over its bound", new(demo), 2, "32 4a", "R", ""},
		{"bounded blob over its bound", new(demo), 2, "3a 4b", "R", ""},
		{"bounded wrapper over a smaller cap", new(demo), 2, "66 1a 0a61 07", "A", "66 1a 0a61 07"},
		{"bounded wrapper over its bound", new(demo), 2, "66 22 0a", "R", ""},
		{"fp array, no element word", new(vectorArray[float32]), 8, "05 09", "I", ""},
		{"fp array, at the element word", new(vectorArray[float32]), 8, "05 09 20", "L", ""},
		{"fp array of another type", new(vectorArray[float32]), 8, "05 09 41", "I", ""},
		{"string index at the cap, header only", new(vectorArray[string]), 8, "06 42", "I", ""},
		{"string index at the cap, at the length word", new(vectorArray[string]), 8, "06 42 0a", "L", ""},
		{"mistyped string index at the cap", new(vectorArray[string]), 8, "06 42 0b 61 07", "A", ""},
		{"last string index under the cap", new(vectorArray[string]), 8, "06 3a 0a61 07", "A", "06 3a 0a61 07"},
		{"string element over the cap", new(vectorArray[string]), 8, "06 02 4a", "L", ""},
		{"struct index at the cap, at the header", new(structs), 8, "06 46", "L", ""},
		{"row index at the cap, header only", new(vectorArray[[]uint32]), 8, "06 43", "I", ""},
		{"row index at the cap, at the count word", new(vectorArray[[]uint32]), 8, "06 43 01", "L", ""},
		{"row over the cap", new(vectorArray[[]uint32]), 8, "06 03 09", "L", ""},
		{"fp row index at the cap, no element word", new(vectorArray[[]float32]), 8, "06 45 01", "I", ""},
		{"fp row index at the cap, at the element word", new(vectorArray[[]float32]), 8, "06 45 01 20", "L", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			checkCapped(t, capped(t, tt.caps, tt.caps, tt.caps), unhex(t, tt.input), decodeExpectation{
				schema: tt.schema, verdict: tt.verdict, encoded: unhex(t, tt.encoded),
			})
		})
	}
}

// A large index costs a verdict, not memory, with the default caps too.
func TestDefaultIndexCap(t *testing.T) {
	// Element id 2^31-1: the header is f8 ff ff ff 3f for wire type 0.
	for _, tt := range []struct {
		schema any
		input  string
	}{
		{new(vectorArray[string]), "06 faffffff3f 02"},
		{new(vectorStructs), "06 feffffff3f"},
		{new(vectorArray[[]uint32]), "06 fbffffff3f 00"},
	} {
		for _, s := range decodeSurfaces {
			if got := verdict(t, s.decode(unhex(t, tt.input), fresh(tt.schema))); got != "L" {
				t.Errorf("%s of %s into %T: %s, want L", s.name, tt.input, tt.schema, got)
			}
		}
	}
}
