package sofab_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/sofab-go/sofab"
)

// conformanceDir returns the folder of the shared conformance data, which is
// not part of the repository.
func conformanceDir() (string, bool) {
	dir := os.Getenv("SOFAB_CONFORMANCE")
	return dir, dir != ""
}

func needConformanceDir(t *testing.T) string {
	t.Helper()
	dir, ok := conformanceDir()
	if !ok {
		t.Skip("SOFAB_CONFORMANCE is not set: the shared vectors and golden answers are not checked")
	}
	return dir
}

// readTSV returns the rows of a tab-separated file whose comment lines start
// with a number sign.
func readTSV(tb testing.TB, path string, columns int) [][]string {
	tb.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	var rows [][]string
	for i, line := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		row := strings.Split(line, "\t")
		if len(row) != columns {
			tb.Fatalf("%s:%d: %d columns, want %d", path, i+1, len(row), columns)
		}
		rows = append(rows, row)
	}
	return rows
}

type format12Row struct {
	number  string
	input   []byte
	outcome string // COMPLETE, INCOMPLETE, INVALID
	encoded []byte
	note    string
}

var outcomeLetter = map[string]string{"COMPLETE": "A", "INCOMPLETE": "I", "INVALID": "R", "LIMIT": "L"}

func readFormat12(tb testing.TB) []format12Row {
	tb.Helper()
	var rows []format12Row
	for _, r := range readTSV(tb, filepath.Join("testdata", "format12.tsv"), 5) {
		row := format12Row{number: r[0], input: unhex(tb, r[1]), outcome: r[2], note: r[4]}
		if row.outcome == "COMPLETE" {
			row.encoded = unhex(tb, r[3])
		}
		rows = append(rows, row)
	}
	return rows
}

type depthCapsRow struct {
	input      []byte
	maxArray   int // 0: the cap is not part of the example
	maxString  int
	maxBlob    int
	outcome    string
	fieldType  string // type of the field with id 0, "-" for a type without fields
	note       string
	configured bool // any cap is
}

func readDepthCaps(tb testing.TB) []depthCapsRow {
	tb.Helper()
	number := func(s string) int {
		if s == "-" {
			return 0
		}
		n, err := strconv.Atoi(s)
		if err != nil {
			tb.Fatal(err)
		}
		return n
	}
	var rows []depthCapsRow
	for _, r := range readTSV(tb, filepath.Join("testdata", "depth_caps.tsv"), 7) {
		row := depthCapsRow{
			input: unhex(tb, r[0]), maxArray: number(r[1]), maxString: number(r[2]), maxBlob: number(r[3]),
			outcome: r[4], fieldType: r[5], note: r[6],
		}
		row.configured = row.maxArray+row.maxString+row.maxBlob > 0
		rows = append(rows, row)
	}
	return rows
}

type goldenRow struct {
	schema string
	name   string
	input  []byte
	answer string // the line of FORMAT 9.2
	dump   string // the same with SOFAB_MATERIALIZE=1
}

func readGolden(tb testing.TB, dir string) []goldenRow {
	tb.Helper()
	var rows []goldenRow
	for _, r := range readTSV(tb, filepath.Join(dir, "golden.tsv"), 5) {
		rows = append(rows, goldenRow{r[0], r[1], unhex(tb, r[2]), r[3], r[4]})
	}
	return rows
}

// expectation turns the recorded answer into what every surface must do.
func (r goldenRow) expectation(tb testing.TB, schema any) decodeExpectation {
	tb.Helper()
	letter, rest, _ := strings.Cut(r.answer, " ")
	e := decodeExpectation{schema: schema, verdict: letter}
	if letter == "A" {
		e.encoded = unhex(tb, rest)
		e.dump = strings.TrimPrefix(r.dump, "A ")
	}
	return e
}

// Every example of FORMAT 12.1 to 12.8.
func TestFormat12(t *testing.T) {
	rows := readFormat12(t)
	if len(rows) != 213 {
		t.Fatalf("%d examples, want 213", len(rows))
	}
	for _, r := range rows {
		t.Run(r.number, func(t *testing.T) {
			t.Logf("%s: %x", r.note, r.input)
			letter, ok := outcomeLetter[r.outcome]
			if !ok {
				t.Fatalf("unknown outcome %q", r.outcome)
			}
			checkDecode(t, r.input, decodeExpectation{schema: new(demo), verdict: letter, encoded: r.encoded})
		})
	}
}

// Depth counts every open sequence, also where no field is declared.
func TestFormat12Depth(t *testing.T) {
	checked := 0
	for _, r := range readDepthCaps(t) {
		if r.configured {
			continue
		}
		checked++
		t.Run(r.note, func(t *testing.T) {
			for _, schema := range []any{new(schemaless), new(demo), new(vectorChain)} {
				checkDecode(t, r.input, decodeExpectation{schema: schema, verdict: outcomeLetter[r.outcome]})
			}
		})
	}
	if checked != 5 {
		t.Errorf("%d depth examples, want 5", checked)
	}
}

// The depth limit holds for declared sequences too, and on encode.
func TestDepthDeclared(t *testing.T) {
	nested := func(begins, ends int) []byte {
		return append(bytes.Repeat([]byte{0x0e}, begins), bytes.Repeat([]byte{0x07}, ends)...)
	}
	for _, tt := range []struct {
		begins, ends int
		verdict      string
	}{
		{255, 255, "A"}, {255, 254, "I"}, {256, 0, "R"}, {256, 256, "R"}, {1, 2, "R"},
	} {
		in := nested(tt.begins, tt.ends)
		checkDecode(t, in, decodeExpectation{schema: new(vectorChain), verdict: tt.verdict, encoded: in})
	}

	links := func(n int) *vectorChain {
		c := new(vectorChain)
		for range n {
			c = &vectorChain{Next: c}
		}
		return c
	}
	checkEncode(t, "255 links", links(255), nested(255, 255))
	checkEncodeFails(t, links(256))
	cycle := new(vectorChain)
	cycle.Next = cycle
	checkEncodeFails(t, cycle)
}

// The answers of the official Go code about the differential-fuzz corpus.
func TestGolden(t *testing.T) {
	rows := readGolden(t, needConformanceDir(t))
	for _, schema := range []struct {
		name string
		typ  any
		rows int
	}{
		{"probe", new(probe), 1786},
		{"probe-union", new(probeUnion), 170},
	} {
		t.Run(schema.name, func(t *testing.T) {
			count := 0
			for _, r := range rows {
				if r.schema != schema.name {
					continue
				}
				count++
				t.Run(r.name, func(t *testing.T) {
					checkDecode(t, r.input, r.expectation(t, schema.typ))
				})
			}
			if count != schema.rows {
				t.Errorf("%d rows, want %d", count, schema.rows)
			}
		})
	}
}

// After n bytes a Feeder answers what Unmarshal answers about those n bytes.
func TestFeederFollowsUnmarshal(t *testing.T) {
	type input struct {
		schema any
		data   []byte
	}
	var inputs []input
	for _, r := range readFormat12(t) {
		inputs = append(inputs, input{new(demo), r.input})
	}
	if dir, ok := conformanceDir(); ok {
		for _, r := range readGolden(t, dir) {
			switch r.schema {
			case "probe":
				inputs = append(inputs, input{new(probe), r.input})
			case "probe-union":
				inputs = append(inputs, input{new(probeUnion), r.input})
			}
		}
	}
	for _, in := range inputs {
		if len(in.data) > prefixLimit {
			continue
		}
		fed := fresh(in.schema)
		f, err := sofab.NewFeeder(fed)
		if err != nil {
			t.Fatal(err)
		}
		for n := range in.data {
			got := verdict(t, f.Feed([]byte{in.data[n]}))
			whole := fresh(in.schema)
			want := verdict(t, sofab.Unmarshal(in.data[:n+1], whole))
			if got != want {
				t.Errorf("%x: after %d bytes Feeder says %s, Unmarshal %s", in.data, n+1, got, want)
			}
			if got == "A" && want == "A" {
				if diff := cmp.Diff(materialize(whole), materialize(fed)); diff != "" {
					t.Errorf("%x: after %d bytes (-Unmarshal +Feeder):\n%s", in.data, n+1, diff)
				}
			}
		}
	}
}

type vectorFile struct {
	Version     int                 `json:"version"`
	Vectors     []vector            `json:"vectors"`
	InvalidUTF8 []invalidUTF8Vector `json:"invalid_utf8"`
}

type vector struct {
	Name       string    `json:"name"`
	Offset     int       `json:"offset"`
	SkipIDs    []uint32  `json:"skip_ids"`
	Serialized vectorHex `json:"serialized"`
	Sparse     vectorHex `json:"serialized_sparse"`
}

type vectorHex struct {
	Length int    `json:"length"`
	Hex    string `json:"hex"`
}

type invalidUTF8Vector struct {
	Name          string `json:"name"`
	ID            uint32 `json:"id"`
	StringHex     string `json:"string_hex"`
	SerializedHex string `json:"serialized_hex"`
}

func (h vectorHex) bytes(tb testing.TB) []byte {
	tb.Helper()
	b := unhex(tb, h.Hex)
	if len(b) != h.Length {
		tb.Fatalf("%s: %d bytes, the file says %d", h.Hex, len(b), h.Length)
	}
	return b
}

// dense is the message with every operation written.
func (v vector) dense(tb testing.TB) []byte { return v.Serialized.bytes(tb) }

// sparse is the message in its canonical form.
func (v vector) sparse(tb testing.TB) []byte { return v.Sparse.bytes(tb) }

func readVectors(tb testing.TB, dir string) vectorFile {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "test_vectors.json"))
	if err != nil {
		tb.Fatal(err)
	}
	var file vectorFile
	if err := json.Unmarshal(data, &file); err != nil {
		tb.Fatal(err)
	}
	return file
}

// Shapes shared by the vectors: one field with id 0, unless said otherwise.
type (
	vectorUnsigned struct {
		V uint64 `sofab:"0"`
	}
	vectorSigned struct {
		V int64 `sofab:"0"`
	}
	vectorBool struct {
		V bool `sofab:"0"`
	}
	vectorFP32 struct {
		V float32 `sofab:"0"`
	}
	vectorFP64 struct {
		V float64 `sofab:"0"`
	}
	vectorString struct {
		V string `sofab:"0"`
	}
	vectorBlob struct {
		V []byte `sofab:"0"`
	}
	vectorU8s struct {
		V []uint8 `sofab:"0,array"`
	}
	vectorArray[T any] struct {
		V []T `sofab:"0"`
	}
	vectorUnsigned1 struct {
		V vectorUnsigned `sofab:"1"`
	}
	vectorStructs struct {
		V []vectorUnsigned `sofab:"0"`
	}
	vectorNested struct {
		V vectorUnsigned `sofab:"0"`
	}
	// vectorChain is a list: every link is a sequence inside the former one.
	vectorChain struct {
		U    uint64       `sofab:"0"`
		Next *vectorChain `sofab:"1"`
		I    int64        `sofab:"2"`
	}
)

type (
	vectorIDMax struct {
		V uint64 `sofab:"2147483647"`
	}
	vectorIDMax32 struct {
		V uint64 `sofab:"536870911"`
	}
	vectorID16 struct {
		V uint64 `sofab:"16"`
	}
	vectorInner2 struct {
		V struct {
			V vectorUnsigned `sofab:"2"`
		} `sofab:"1"`
	}
	vectorBetween struct {
		U uint64         `sofab:"0"`
		S vectorUnsigned `sofab:"1"`
		I int64          `sofab:"2"`
	}
	vectorOptional struct {
		U1 uint64  `sofab:"1"`
		I2 int64   `sofab:"2"`
		S3 string  `sofab:"3"`
		F4 float32 `sofab:"4"`
		U5 uint64  `sofab:"5"`
	}
	vectorAllTypes struct {
		U1  uint64   `sofab:"1"`
		I2  int64    `sofab:"2"`
		B3  bool     `sofab:"3"`
		F4  float32  `sofab:"4"`
		F5  float64  `sofab:"5"`
		S6  string   `sofab:"6"`
		X7  []byte   `sofab:"7"`
		A8  []uint32 `sofab:"8"`
		Q9  vectorUS `sofab:"9"`
		U10 uint64   `sofab:"10"`
	}
	vectorUS struct {
		U uint64 `sofab:"0"`
		S string `sofab:"1"`
	}
	vectorWithArray struct {
		U uint64 `sofab:"0"`
		I int64  `sofab:"2"`
		Q struct {
			U uint64  `sofab:"0"`
			A []int32 `sofab:"3"`
		} `sofab:"3"`
	}
	vectorDeep struct {
		U1  uint64      `sofab:"1"`
		Q2  vectorDeep2 `sofab:"2"`
		U13 uint64      `sofab:"13"`
	}
	vectorDeep2 struct {
		U3  uint64      `sofab:"3"`
		Q4  vectorDeep4 `sofab:"4"`
		I12 int64       `sofab:"12"`
	}
	vectorDeep4 struct {
		I5  int64       `sofab:"5"`
		S6  string      `sofab:"6"`
		Q7  vectorDeep7 `sofab:"7"`
		U11 uint64      `sofab:"11"`
	}
	vectorDeep7 struct {
		A8 []int32     `sofab:"8"`
		Q9 vectorDeep9 `sofab:"9"`
	}
	vectorDeep9 struct {
		F10 float64 `sofab:"10"`
	}
)

// What is left of the types above without the ids a vector skips.
type (
	keptU0I2 struct {
		U uint64 `sofab:"0"`
		I int64  `sofab:"2"`
	}
	keptOptional struct {
		U1 uint64 `sofab:"1"`
		S3 string `sofab:"3"`
		U5 uint64 `sofab:"5"`
	}
	keptAllTypes struct {
		U1  uint64 `sofab:"1"`
		U10 uint64 `sofab:"10"`
	}
	keptDeep struct {
		U1 uint64 `sofab:"1"`
		Q2 struct {
			U3 uint64 `sofab:"3"`
			Q4 struct {
				S6  string `sofab:"6"`
				U11 uint64 `sofab:"11"`
			} `sofab:"4"`
			I12 int64 `sofab:"12"`
		} `sofab:"2"`
		U13 uint64 `sofab:"13"`
	}
	keptFullScale struct {
		U8     uint8  `sofab:"0"`
		U16    uint16 `sofab:"2"`
		I16    int16  `sofab:"3"`
		U32    uint32 `sofab:"4"`
		I32    int32  `sofab:"5"`
		U64    uint64 `sofab:"6"`
		I64    int64  `sofab:"7"`
		Nested struct {
			F32  float32 `sofab:"0"`
			Str  string  `sofab:"2,maxlen=32"`
			Blob []byte  `sofab:"3,maxlen=4"`
		} `sofab:"10"`
		Strings []string `sofab:"200,count=5,elem.maxlen=64"`
	}
)

// vectorValues holds the Go value of every positive vector.
var vectorValues = map[string]any{
	"unsigned_0":                  &vectorUnsigned{0},
	"unsigned_0x7F":               &vectorUnsigned{0x7F},
	"unsigned_0x80":               &vectorUnsigned{0x80},
	"unsigned_0x3FFF":             &vectorUnsigned{0x3FFF},
	"unsigned_0x4000":             &vectorUnsigned{0x4000},
	"unsigned_0x1FFFFF":           &vectorUnsigned{0x1FFFFF},
	"unsigned_0x200000":           &vectorUnsigned{0x200000},
	"unsigned_0xFFFFFFF":          &vectorUnsigned{0xFFFFFFF},
	"unsigned_0x10000000":         &vectorUnsigned{0x10000000},
	"unsigned_0x7FFFFFFFF":        &vectorUnsigned{0x7FFFFFFFF},
	"unsigned_0x800000000":        &vectorUnsigned{0x800000000},
	"unsigned_0x3FFFFFFFFFF":      &vectorUnsigned{0x3FFFFFFFFFF},
	"unsigned_0x40000000000":      &vectorUnsigned{0x40000000000},
	"unsigned_0x1FFFFFFFFFFFF":    &vectorUnsigned{0x1FFFFFFFFFFFF},
	"unsigned_0x2000000000000":    &vectorUnsigned{0x2000000000000},
	"unsigned_0xFFFFFFFFFFFFFF":   &vectorUnsigned{0xFFFFFFFFFFFFFF},
	"unsigned_0x100000000000000":  &vectorUnsigned{0x100000000000000},
	"unsigned_0x7FFFFFFFFFFFFFFF": &vectorUnsigned{0x7FFFFFFFFFFFFFFF},
	"unsigned_0x8000000000000000": &vectorUnsigned{0x8000000000000000},
	"unsigned_0xFFFFFFFFFFFFFFFF": &vectorUnsigned{0xFFFFFFFFFFFFFFFF},
	"unsigned_u32_max": &struct {
		V uint32 `sofab:"0"`
	}{math.MaxUint32},

	"id_max":             &vectorIDMax{},
	"id_max_32bit":       &vectorIDMax32{},
	"id_two_byte_header": &vectorID16{1},

	"signed_min":     &vectorSigned{math.MinInt64},
	"signed_max":     &vectorSigned{math.MaxInt64},
	"signed_0":       &vectorSigned{0},
	"signed_minus1":  &vectorSigned{-1},
	"signed_1":       &vectorSigned{1},
	"signed_63":      &vectorSigned{63},
	"signed_64":      &vectorSigned{64},
	"signed_minus64": &vectorSigned{-64},
	"signed_minus65": &vectorSigned{-65},
	"signed_i32_min": &struct {
		V int32 `sofab:"0"`
	}{math.MinInt32},
	"signed_i32_max": &struct {
		V int32 `sofab:"0"`
	}{math.MaxInt32},

	"boolean_true":  &vectorBool{true},
	"boolean_false": &vectorBool{false},
	"fp32":          &vectorFP32{3.1415},
	"fp64":          &vectorFP64{3.1415927410125732},
	"string":        &vectorString{"Hello Couch!"},
	"string_empty":  &vectorString{""},
	"string_16":     &vectorString{"0123456789abcdef"},
	"blob":          &vectorBlob{[]byte{1, 2, 3, 4, 5}},
	"blob_empty":    &vectorBlob{nil},

	"optional_scalars": &vectorOptional{100, -200, "keep", 1.5, 300},
	"skip_all_wire_types": &vectorAllTypes{
		100, -200, true, 1.5, 2.5, "skip me", []byte{1, 2, 3}, []uint32{10, 20, 30}, vectorUS{1, "ignored"}, 300,
	},

	"array_unsigned_u32":               &vectorArray[uint32]{[]uint32{1, 2, 3, 1 << 31, math.MaxUint32}},
	"array_signed_i32":                 &vectorArray[int32]{[]int32{-1, -2, -3, math.MinInt32, math.MaxInt32}},
	"array_i8":                         &vectorArray[int8]{[]int8{-1, -2, -3, math.MinInt8, math.MaxInt8}},
	"array_u8":                         &vectorU8s{[]uint8{1, 2, 3, 0, math.MaxUint8}},
	"array_i16":                        &vectorArray[int16]{[]int16{-1, -2, -3, math.MinInt16, math.MaxInt16}},
	"array_u16":                        &vectorArray[uint16]{[]uint16{1, 2, 3, 0, math.MaxUint16}},
	"array_u64":                        &vectorArray[uint64]{[]uint64{1, 2, 3, 0, math.MaxUint64}},
	"array_i64":                        &vectorArray[int64]{[]int64{-1, -2, -3, math.MinInt64, math.MaxInt64}},
	"array_unsigned_trailing_defaults": &vectorArray[uint32]{[]uint32{1, 2, 0, 0}},
	"array_u8_large":                   &vectorU8s{everySeventh(200)},
	"array_fp32":                       &vectorArray[float32]{[]float32{1, 2, 3, -math.MaxFloat32, math.MaxFloat32}},
	"array_fp64":                       &vectorArray[float64]{[]float64{1, 2, 3, -math.MaxFloat64, math.MaxFloat64}},
	"array_fp32_specials": &vectorArray[float32]{[]float32{
		0, float32(math.Copysign(0, -1)), float32(math.Inf(1)), float32(math.Inf(-1)),
	}},
	"array_fp64_specials":      &vectorArray[float64]{[]float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1)}},
	"array_unsigned_u32_empty": &vectorArray[uint32]{},
	"array_signed_i32_empty":   &vectorArray[int32]{},
	"array_fp32_empty":         &vectorArray[float32]{},
	"array_fp64_empty":         &vectorArray[float64]{},

	"empty_sequence":                &vectorUnsigned1{},
	"nested_empty_sequences":        &vectorInner2{},
	"empty_sequence_between_fields": &vectorBetween{U: 7, I: -7},
	"nested_sequence":               &vectorChain{U: 42, Next: &vectorChain{U: 42, I: -42}, I: -42},
	"nested_sequence_with_array": func() any {
		v := &vectorWithArray{U: 42, I: -42}
		v.Q.U = 42
		v.Q.A = []int32{-42, -43, -44}
		return v
	}(),
	"nested_sequence_multilevel": chain(11),
	"nested_sequence_deep_skip": &vectorDeep{
		10,
		vectorDeep2{20, vectorDeep4{-30, "deep", vectorDeep7{[]int32{-1, -2, -3}, vectorDeep9{1.5}}, 40}, -60},
		70,
	},

	"array_string_gap":                      &vectorArray[string]{[]string{"a", "", "c"}},
	"array_string_trailing_default":         &vectorArray[string]{[]string{"a", ""}},
	"array_string_all_default":              &vectorArray[string]{[]string{"", ""}},
	"array_string_leading_default":          &vectorArray[string]{[]string{"", "x", ""}},
	"array_struct_interior_default_element": &vectorStructs{[]vectorUnsigned{{1}, {0}, {3}}},
	"array_struct_all_default_elements":     &vectorStructs{[]vectorUnsigned{{}, {}}},
	"array_of_string_arrays":                &vectorArray[[]string]{[][]string{{"a"}, nil}},
	"array_element_wire_type_mismatch":      &vectorNested{vectorUnsigned{7}},
	"array_element_empty_frame_present":     &vectorStructs{[]vectorUnsigned{{}}},

	"full_scale_example": &probe{
		U8: 200, I8: -100, U16: 50000, I16: -20000, U32: 3000000000, I32: -1000000000,
		U64: 10000000000000, I64: -5000000000000,
		Nested: probeNested{3.1400001, 3.1415926500000002, "Hello, World!", []byte{0xde, 0xad, 0xbe, 0xef}},
		Arrays: probeArrays{
			U8:  []uint8{0, 64, 128, 191, 255},
			I8:  []int8{-128, -64, 0, 63, 127},
			U16: []uint16{0, 16384, 32768, 49151, 65535},
			I16: []int16{-32768, -16384, 0, 16383, 32767},
			U32: []uint32{0, 1073741824, 2147483648, 3221225471, 4294967295},
			I32: []int32{-2147483648, -1073741824, 0, 1073741823, 2147483647},
			U64: []uint64{0, 4611686018427387904, 9223372036854775808, 13835058055282163711, 18446744073709551615},
			I64: []int64{-9223372036854775807, -4611686018427387904, 0, 4611686018427387903, 9223372036854775807},
			Floats: probeFloats{
				[]float32{1, 2, 3, -math.MaxFloat32, math.MaxFloat32},
				[]float64{1, 2, 3, -math.MaxFloat64, math.MaxFloat64},
			},
		},
		Strings: []string{
			"Hello, Sofab!", "", "1234567890", "äöüÄÖÜß", "This_is_a_very_long_test_string_with_!@#$%^&*()_+-=[]{}",
		},
	},
}

// keptValues holds, for every vector with skip_ids, what a type that declares
// only the other ids decodes.
var keptValues = map[string]any{
	"optional_scalars":              &keptOptional{100, "keep", 300},
	"skip_all_wire_types":           &keptAllTypes{100, 300},
	"empty_sequence_between_fields": &keptU0I2{7, -7},
	"nested_sequence":               &keptU0I2{42, -42},
	"nested_sequence_with_array":    &keptU0I2{42, -42},
	"nested_sequence_multilevel":    &keptU0I2{42, -42},
	"nested_sequence_deep_skip": func() any {
		v := &keptDeep{U1: 10, U13: 70}
		v.Q2.U3, v.Q2.I12 = 20, -60
		v.Q2.Q4.S6, v.Q2.Q4.U11 = "deep", 40
		return v
	}(),
	"full_scale_example": func() any {
		v := &keptFullScale{
			U8: 200, U16: 50000, I16: -20000, U32: 3000000000, I32: -1000000000,
			U64: 10000000000000, I64: -5000000000000,
			Strings: []string{
				"Hello, Sofab!", "", "1234567890", "äöüÄÖÜß", "This_is_a_very_long_test_string_with_!@#$%^&*()_+-=[]{}",
			},
		}
		v.Nested.F32, v.Nested.Str, v.Nested.Blob = 3.1400001, "Hello, World!", []byte{0xde, 0xad, 0xbe, 0xef}
		return v
	}(),
}

// unordered holds the canonical bytes of the vectors whose operations are not
// in ascending id order: a message has only the ascending form.
var unordered = map[string]string{
	"nested_sequence_multilevel": strings.Repeat("002a0e", 10) + "002a1153" + strings.Repeat("071153", 10),
	"nested_sequence_with_array": "002a 1153 1e 002a 1c03535557 07",
}

// chain returns a list of n equal links.
func chain(n int) *vectorChain {
	var c *vectorChain
	for range n {
		c = &vectorChain{U: 42, Next: c, I: -42}
	}
	return c
}

// everySeventh returns n bytes: 1, 8, 15 … modulo 256.
func everySeventh(n int) []uint8 {
	s := make([]uint8, n)
	for i := range s {
		s[i] = uint8(7*i + 1)
	}
	return s
}

// Both columns decode to the same value on every surface, and that value
// encodes to the sparse column.
func TestVectors(t *testing.T) {
	file := readVectors(t, needConformanceDir(t))
	if file.Version != 1 || len(file.Vectors) != 81 {
		t.Fatalf("version %d with %d vectors, want version 1 with 81", file.Version, len(file.Vectors))
	}
	seen := make(map[string]bool)
	for _, v := range file.Vectors {
		seen[v.Name] = true
		t.Run(v.Name, func(t *testing.T) {
			want, ok := vectorValues[v.Name]
			if !ok {
				t.Fatal("no Go value for this vector")
			}
			if v.Offset != 0 {
				t.Fatalf("start offset %d, only 0 is expressible here", v.Offset)
			}
			canonical := v.sparse(t)
			if fields, err := oracleRead(canonical); err != nil || !fields.ascending() {
				canonical = unhex(t, unordered[v.Name])
			}
			checkEncode(t, "value", want, canonical)
			checkColumns(t, v, want, canonical)
		})
	}
	for name := range vectorValues {
		if !seen[name] {
			t.Errorf("the vector file has no %s", name)
		}
	}
}

// checkColumns decodes both columns of v on every surface, expects want each
// time and expects it to encode to canonical.
func checkColumns(t *testing.T, v vector, want any, canonical []byte) {
	t.Helper()
	inputs := [][]byte{v.dense(t)}
	for _, in := range [][]byte{v.sparse(t), canonical} {
		if !bytes.Equal(in, inputs[len(inputs)-1]) {
			inputs = append(inputs, in)
		}
	}
	for _, in := range inputs {
		checkDecode(t, in, decodeExpectation{
			schema: want, verdict: "A", encoded: canonical, dump: materialize(want),
		})
		got := fresh(want)
		if err := sofab.Unmarshal(in, got); err != nil {
			t.Errorf("Unmarshal(%x): %v", in, err)
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Unmarshal(%x) (-want +got):\n%s", in, diff)
		}
	}
}

// A type without the ids a vector skips reads the others and ignores these.
func TestVectorsSkip(t *testing.T) {
	file := readVectors(t, needConformanceDir(t))
	seen := make(map[string]bool)
	for _, v := range file.Vectors {
		if len(v.SkipIDs) == 0 {
			continue
		}
		seen[v.Name] = true
		t.Run(v.Name, func(t *testing.T) {
			want, ok := keptValues[v.Name]
			if !ok {
				t.Fatal("no Go value for this vector without the ids it skips")
			}
			canonical, err := sofab.Marshal(want)
			if err != nil {
				t.Fatal(err)
			}
			for _, in := range [][]byte{v.dense(t), v.sparse(t)} {
				checkDecode(t, in, decodeExpectation{
					schema: want, verdict: "A", encoded: canonical, dump: materialize(want),
				})
			}
		})
	}
	for name := range keptValues {
		if !seen[name] {
			t.Errorf("the vector file has no %s with ids to skip", name)
		}
	}
}

// Dense bytes to sparse bytes, for the element types at which the array rules
// of FORMAT 3.3 show.
func TestVectorArrayRules(t *testing.T) {
	for _, tt := range []struct {
		name          string
		value         any
		dense, sparse string
	}{
		{"interior default struct is dropped", &vectorStructs{[]vectorUnsigned{{1}, {}, {3}}},
			"06 06 00 01 07 0e 00 00 07 16 00 03 07 07", "06 06 00 01 07 16 00 03 07 07"},
		{"the last of two default structs stays", &vectorStructs{[]vectorUnsigned{{}, {}}},
			"06 06 07 0e 07 07", "06 0e 07 07"},
		{"the last empty string stays", &vectorArray[string]{[]string{"a", ""}},
			"06 02 0a 61 0a 02 07", "06 02 0a 61 0a 02 07"},
		{"the first empty string is dropped", &vectorArray[string]{[]string{"", ""}},
			"06 02 02 0a 02 07", "06 0a 02 07"},
		{"a mistyped child is no element", &vectorStructs{}, "06 00 07 07", ""},
		{"an empty frame is an element", &vectorStructs{[]vectorUnsigned{{}}}, "06 06 07 07", "06 06 07 07"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			checkDecode(t, unhex(t, tt.dense), decodeExpectation{
				schema: tt.value, verdict: "A", encoded: unhex(t, tt.sparse), dump: materialize(tt.value),
			})
			checkEncode(t, "value", tt.value, unhex(t, tt.sparse))
		})
	}
}

// A string that is not UTF-8 is refused in both directions.
func TestVectorsInvalidUTF8(t *testing.T) {
	file := readVectors(t, needConformanceDir(t))
	if len(file.InvalidUTF8) != 11 {
		t.Fatalf("%d vectors, want 11", len(file.InvalidUTF8))
	}
	for _, v := range file.InvalidUTF8 {
		t.Run(v.Name, func(t *testing.T) {
			if v.ID != 0 {
				t.Fatalf("id %d, only 0 is declared here", v.ID)
			}
			checkDecode(t, unhex(t, v.SerializedHex), decodeExpectation{schema: new(vectorString), verdict: "R"})

			err := checkEncodeFails(t, &vectorString{string(unhex(t, v.StringHex))})
			var value *sofab.UnsupportedValueError
			if !errors.As(err, &value) {
				t.Errorf("%v (%T), want a *sofab.UnsupportedValueError", err, err)
			}
			checkErrorText(t, err, "V")

			// The same bytes bind as a blob and pass as an unknown field.
			blob := bytes.Replace(unhex(t, v.SerializedHex), []byte{v.word(2)}, []byte{v.word(3)}, 1)
			checkDecode(t, blob, decodeExpectation{schema: new(vectorBlob), verdict: "A", encoded: blob})
			checkDecode(t, unhex(t, v.SerializedHex), decodeExpectation{schema: new(schemaless), verdict: "A"})
		})
	}
}

// word is the fixlen word of the vector's payload as the given subtype.
func (v invalidUTF8Vector) word(subtype byte) byte { return byte(len(v.StringHex)/2)<<3 | subtype }

// checkErrorText holds an error to the house form: the package's name once and
// in front, the field named.
func checkErrorText(t *testing.T, err error, field string) {
	t.Helper()
	text := fmt.Sprint(err)
	named := regexp.MustCompile(`\b` + regexp.QuoteMeta(field) + `(\W|$)`).MatchString(text)
	if !strings.HasPrefix(text, "sofab: ") || strings.Count(text, "sofab: ") != 1 || !named {
		t.Errorf("error text %q: want \"sofab: \" once and in front, and the field %s", text, field)
	}
}
