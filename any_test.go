package sofab_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/sofab-go/sofab"
)

type anyField struct {
	V any `sofab:"1"`
}

type (
	anyName  string
	anyCount int16
	anyFlag  bool
	anyRatio float32
	anyBytes []byte
	anyDict  map[anyName]any
	anyList  []any
)

// The arm follows from the Go type, never from the value, and comes back as the one Go
// type of that arm.
func TestAnyTypes(t *testing.T) {
	nan := math.Float32frombits(0x7f800001) // signalling: it must not pass through a float64
	for _, test := range []struct {
		name string
		v    any
		want any
		arm  string // what stands inside of the union
	}{
		{"uint64", uint64(1), uint64(1), "00 01"},
		{"uint64, large", uint64(1 << 63), uint64(1 << 63), "00 80 80 80 80 80 80 80 80 80 01"},
		{"uint64, zero", uint64(0), uint64(0), "00 00"},
		{"uint8", uint8(255), uint64(255), "00 ff 01"},
		{"uint16", uint16(1), uint64(1), "00 01"},
		{"uint32", uint32(1), uint64(1), "00 01"},
		{"uint", uint(1), uint64(1), "00 01"},
		{"int", 0, int64(0), "09 00"},
		{"int64", int64(math.MinInt64), int64(math.MinInt64), "09 ff ff ff ff ff ff ff ff ff 01"},
		{"int8", int8(-1), int64(-1), "09 01"},
		{"named int", anyCount(3), int64(3), "09 06"},
		{"duration", time.Second, int64(1e9), "09 80 a8 d6 b9 07"},
		{"bool", false, false, "10 00"},
		{"named bool", anyFlag(true), true, "10 01"},
		{"float64", 0.0, 0.0, "1a 41 00 00 00 00 00 00 00 00"},
		{"float64, -0", math.Copysign(0, -1), math.Copysign(0, -1), "1a 41 00 00 00 00 00 00 00 80"},
		{"string", "", "", "22 02"},
		{"named string", anyName("a"), "a", "22 0a 61"},
		{"json number", json.Number("1"), "1", "22 0a 31"},
		{"bytes", []byte{}, []byte{}, "2a 03"},
		{"named bytes", anyBytes{1}, []byte{1}, "2a 0b 01"},
		{"byte array", [2]byte{1, 2}, []byte{1, 2}, "2a 13 01 02"},
		{"float32", float32(0), float32(0), "32 20 00 00 00 00"},
		{"float32 NaN", nan, nan, "32 20 01 00 80 7f"},
		{"named float32", anyRatio(nan), nan, "32 20 01 00 80 7f"},
		{"list", []any{}, []any{}, "3e 07"},
		{"list of nil", []any{nil}, []any{nil}, "3e 06 07 07"},
		{"list with gaps", []any{nil, 1, nil, nil}, []any{nil, int64(1), nil, nil}, "3e 0e 09 02 07 1e 07 07"},
		{"named list", anyList{true}, []any{true}, "3e 06 10 01 07 07"},
		{"strings", []string{"", "a"}, []any{"", "a"}, "3e 06 22 02 07 0e 22 0a 61 07 07"},
		{"string array", [1]string{"a"}, []any{"a"}, "3e 06 22 0a 61 07 07"},
		{"bools", []bool{true, false}, []any{true, false}, "3e 06 10 01 07 0e 10 00 07 07"},
		{"list of lists", [][]int{{1}, nil}, []any{[]int64{1}, nil}, "3e 06 54 01 02 07 0e 07 07"},
		{"list of maps", []map[string]any{{"a": 1}}, []any{map[string]any{"a": int64(1)}}, "3e 06 46 06 02 0a 61 0e 09 02 07 07 07 07 07"},
		{"pointers in a list", []*int{ptr(1), nil}, []any{int64(1), nil}, "3e 06 09 02 07 0e 07 07"},
		{"map", map[string]any{}, map[string]any{}, "46 07"},
		{"map, sorted", map[string]any{"b": 1, "a": nil, "": "x"}, map[string]any{"b": int64(1), "a": nil, "": "x"},
			"46 06 0e 22 0a 78 07 07 0e 02 0a 61 07 16 02 0a 62 0e 09 02 07 07 07"},
		{"named map", anyDict{"a": true}, map[string]any{"a": true}, "46 06 02 0a 61 0e 10 01 07 07 07"},
		{"map of ints", map[string]int{"a": 1}, map[string]any{"a": int64(1)}, "46 06 02 0a 61 0e 09 02 07 07 07"},
		{"uint64s", []uint64{}, []uint64{}, "4b 00"},
		{"uint64s, some", []uint64{1, 2}, []uint64{1, 2}, "4b 02 01 02"},
		{"uint16s", []uint16{1}, []uint64{1}, "4b 01 01"},
		{"int64s", []int64{-1}, []int64{-1}, "54 01 01"},
		{"ints", []int{}, []int64{}, "54 00"},
		{"int8 array", [2]int8{1, -1}, []int64{1, -1}, "54 02 02 01"},
		{"durations", []time.Duration{1}, []int64{1}, "54 01 02"},
		{"float64s", []float64{1}, []float64{1}, "5d 01 41 00 00 00 00 00 00 f0 3f"},
		{"float64s, empty", []float64{}, []float64{}, "5d 00 41"},
		{"float32s", []float32{nan}, []float32{nan}, "65 01 20 01 00 80 7f"},
		{"named float32s", []anyRatio{anyRatio(nan)}, []float32{nan}, "65 01 20 01 00 80 7f"},
		{"pointer", ptr(5), int64(5), "09 0a"},
		{"pointer to pointer", ptr(ptr(uint8(5))), uint64(5), "00 05"},
		{"pointer to any", ptr(any("x")), "x", "22 0a 78"},
		{"pointer to map", &map[string]any{"a": true}, map[string]any{"a": true}, "46 06 02 0a 61 0e 10 01 07 07 07"},
	} {
		t.Run(test.name, func(t *testing.T) {
			input := unhex(t, "0e"+test.arm+"07")
			checkEncode(t, "value", &anyField{test.v}, input)
			checkDecodesAs(t, input, &anyField{test.want}, sameBits)
			checkEncode(t, "decoded", &anyField{test.want}, input)
		})
	}
	for name, v := range map[string]any{
		"nil": nil, "nil pointer": (*int)(nil), "nil list": []any(nil), "nil map": map[string]any(nil), "nil bytes": []byte(nil),
		"nil ints": []int(nil), "nil strings": []string(nil), "nil typed map": map[string]int(nil), "pointer to nil": new(*int), "pointer to nil any": new(any),
		"nil int64s": []int64(nil), "nil uint64s": []uint64(nil), "nil float64s": []float64(nil), "nil float32s": []float32(nil),
	} {
		t.Run(name, func(t *testing.T) { checkBothWays(t, &anyField{v}, "", &anyField{}) })
	}
}

// sameBits compares floats by their bits.
var sameBits = cmp.Options{
	cmp.Comparer(func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }),
	cmp.Comparer(func(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }),
}

func TestAnyPlaces(t *testing.T) {
	type places struct {
		L []any            `sofab:"0,count=3"`
		M map[string]any   `sofab:"1,count=2,key.maxlen=1"`
		P *any             `sofab:"2"`
		A [2]any           `sofab:"3"`
		N map[int8]any     `sofab:"4"`
		I interface{}      `sofab:"5"`
		D map[string][]any `sofab:"6"`
	}
	for _, test := range []struct {
		v    *places
		want string
	}{
		{&places{L: []any{"a", nil, nil}}, "06 06 22 0a 61 07 16 07 07"},
		{&places{M: map[string]any{"a": uint64(1)}}, "0e 06 02 0a 61 0e 00 01 07 07 07"},
		{&places{P: new(any)}, "16 07"},
		{&places{P: ptr(any(false))}, "16 10 00 07"},
		{&places{A: [2]any{nil, true}}, "1e 0e 10 01 07 07"},
		{&places{A: [2]any{true, nil}}, "1e 06 10 01 07 0e 07 07"},
		{&places{N: map[int8]any{1: []any{}}}, "26 06 01 02 0e 3e 07 07 07 07"},
		{&places{I: "x"}, "2e 22 0a 78 07"},
		{&places{D: map[string][]any{"a": {nil, true}}}, "36 06 02 0a 61 0e 0e 10 01 07 07 07 07"},
	} {
		checkBothWays(t, test.v, test.want, test.v)
	}
	if err := checkEncodeFails(t, &places{L: make([]any, 4)}); err == nil || err.Error() != "sofab: places.L: 4 elements are more than count=3 allows" {
		t.Error(err)
	}
	checkRefused(t, "06 1e", new(places), "places.L[3]: 4 elements are more than count=3 allows")
}

// The union that an any stands as is one in every respect.
func TestAnyDecode(t *testing.T) {
	for _, test := range []struct {
		name, input string
		want        any
	}{
		{"empty union", "0e 07", nil},
		{"last arm wins", "0e 00 05 22 0a 61 07", "a"},
		{"last arm wins, descending", "0e 22 0a 61 00 05 07", uint64(5)},
		{"opened twice", "0e 00 05 07 0e 22 0a 61 07", "a"},
		{"opened again without an arm", "0e 00 05 07 0e 07", uint64(5)},
		{"list replaced", "0e 3e 06 10 01 07 07 3e 0e 10 01 07 07 07", []any{nil, true}},
		{"list replaced in another frame", "0e 3e 06 10 01 07 07 07 0e 3e 0e 10 01 07 07 07", []any{nil, true}},
		{"map replaced", "0e 46 06 02 0a 61 07 07 46 06 02 0a 62 07 07 07", map[string]any{"b": nil}},
		{"an arm that was left is empty", "0e 3e 06 10 01 07 07 00 05 3e 07 07", []any{}},
		{"element continued", "0e 3e 06 46 06 02 0a 61 07 07 07 06 07 07 07", []any{map[string]any{"a": nil}}},
		{"mistyped arm", "0e 00 05 08 05 07", uint64(5)},
		{"mistyped arms alone", "0e 01 05 0a 0a 61 07", nil},
		{"unknown arm", "0e 68 05 07", nil},
		{"bool of another number", "0e 10 05 07", true},
		{"mistyped", "0a 0a 61", nil},
		{"gaps of a map", "0e 46 0e 02 0a 61 07 07 07", map[string]any{"": nil, "a": nil}},
	} {
		t.Run(test.name, func(t *testing.T) {
			checkDecodesAs(t, unhex(t, test.input), &anyField{test.want})
		})
	}
	for _, test := range []struct{ input, want string }{
		{"0e 22 0a ff 07", "anyField.V: invalid UTF-8 at byte 0"},
		{"0e 3e 06 46 0e 02 0a 61 0e 3e 06 22 0a ff", "anyField.V[0][1][0]: invalid UTF-8 at byte 0"},
		{"0e 46 06 02 0a ff", "anyField.V[0].key: invalid UTF-8 at byte 0"},
	} {
		checkRefused(t, test.input, new(anyField), test.want)
	}
}

func TestAnyRefuses(t *testing.T) {
	const remedy = " has no place in an any; use a field of that type, or of an interface registered with RegisterUnion"
	for _, test := range []struct {
		v    any
		want string
	}{
		{struct{ A int }{}, "sofab: anyField.V: type struct { A int }" + remedy},
		{&anyField{}, "sofab: anyField.V: type sofab_test.anyField" + remedy},
		{time.Now(), "sofab: anyField.V: type time.Time" + remedy},
		{[]any{1, []any{map[string]any{"k": errors.New("x")}}}, `sofab: anyField.V[1][0]["k"]: type errors.errorString` + remedy},
		{make(chan int), "sofab: anyField.V: type chan int" + remedy},
		{complex(1, 1), "sofab: anyField.V: type complex128" + remedy},
		{uintptr(1), "sofab: anyField.V: type uintptr" + remedy},
		{map[int]string{1: "x"}, "sofab: anyField.V: a map[int]string in an any has keys that are no strings; use a field of that type"},
		{"a\xff", "sofab: anyField.V: invalid UTF-8 at byte 1"},
		{map[string]any{"a": []any{"\xff"}}, `sofab: anyField.V["a"][0]: invalid UTF-8 at byte 0`},
		{map[string]any{"\xff": 1}, `sofab: anyField.V["\xff"].key: invalid UTF-8 at byte 0`},
	} {
		if err := checkEncodeFails(t, &anyField{test.v}); err == nil || err.Error() != test.want {
			t.Errorf("%v, want %s", err, test.want)
		}
	}
}

// Q13: values that contain themselves.
func TestAnyCycle(t *testing.T) {
	list := []any{nil, nil}
	list[0], list[1] = list, list
	dict := map[string]any{}
	dict["a"], dict["b"] = []any{dict}, dict
	var pointer any
	pointer = &pointer
	var through any
	through = []any{&through}
	type knot *knot
	var tied knot
	tied = &tied
	for name, v := range map[string]any{"list": list, "map": dict, "pointer": pointer, "pointer in a list": through, "pointer type": tied} {
		start := time.Now()
		_, err := sofab.Marshal(&anyField{v})
		if err == nil || !strings.HasSuffix(err.Error(), "does the value contain itself?") {
			t.Errorf("%s: %v", name, err)
		}
		if took := time.Since(start); took > time.Second {
			t.Errorf("%s took %v", name, took)
		}
	}
	if _, err := sofab.Marshal(&pointer); err == nil {
		t.Error("pointer to itself at the top: no error")
	}
}

// Q08: nothing in an any recurses without limit.
func TestAnyDepth(t *testing.T) {
	var v any
	for range 127 {
		v = []any{v}
	}
	b, err := sofab.Marshal(&v)
	if err != nil {
		t.Fatal(err)
	}
	var got any
	if err := sofab.Unmarshal(b, &got); err != nil || !reflect.DeepEqual(got, v) {
		t.Errorf("127 lists: %v", err)
	}
	v = []any{v}
	if _, err := sofab.Marshal(&v); err == nil {
		t.Error("128 lists: no error")
	}
	deep := bytes.Repeat([]byte{0x3e, 0x06}, 128)
	deep[0] = 0x06
	for i := 1; i < len(deep); i += 2 {
		deep[i] = 0x3e
		if i+1 < len(deep) {
			deep[i+1] = 0x06
		}
	}
	if err := sofab.Unmarshal(deep[:255], new(any)); !errors.Is(err, sofab.ErrIncomplete) {
		t.Errorf("255 levels: %v", err)
	}
	if err := sofab.Unmarshal(deep, new(any)); !errors.Is(err, sofab.ErrInvalid) {
		t.Errorf("256 levels: %v", err)
	}
}

// A pointer in an any is decoded into, as by encoding/json.
func TestAnyPointer(t *testing.T) {
	const (
		u8   = "0e 00 ff 01 07"
		i8   = "0e 09 fe 01 07"
		list = "0e 3e 06 22 0a 61 07 0e 22 0a 62 07 07 07"
		dict = "0e 46 06 02 0a 61 0e 09 02 07 07 07 07"
	)
	for _, test := range []struct {
		name, input string
		dst, want   any
	}{
		{"uint8", u8, ptr(uint8(9)), ptr(uint8(255))},
		{"uint", u8, ptr(uint(9)), ptr(uint(255))},
		{"int8", i8, ptr(int8(9)), ptr(int8(127))},
		{"named int", i8, ptr(anyCount(9)), ptr(anyCount(127))},
		{"bool", "0e 10 01 07", ptr(anyFlag(false)), ptr(anyFlag(true))},
		{"float64", "0e 1a 41 00 00 00 00 00 00 f0 3f 07", ptr(9.0), ptr(1.0)},
		{"float32", "0e 32 20 00 00 80 3f 07", ptr(anyRatio(9)), ptr(anyRatio(1))},
		{"string", "0e 22 0a 61 07", ptr(anyName("z")), ptr(anyName("a"))},
		{"bytes", "0e 2a 0b 61 07", ptr([]byte("z")), ptr([]byte("a"))},
		{"byte array", "0e 2a 0b 61 07", &[2]byte{9, 9}, &[2]byte{'a'}},
		{"list", list, &[]any{9}, &[]any{"a", "b"}},
		{"strings", list, &[]string{"z"}, &[]string{"a", "b"}},
		{"string array", list, &[3]string{"z", "z", "z"}, &[3]string{"a", "b"}},
		{"ints", "0e 54 02 02 04 07", &[]int8{9}, &[]int8{1, 2}},
		{"int64s", "0e 54 02 02 04 07", &[]int64{9}, &[]int64{1, 2}},
		{"uints", "0e 4b 01 05 07", &[]uint16{9}, &[]uint16{5}},
		{"map", dict, &map[string]any{"z": 9}, &map[string]any{"a": int64(1)}},
		{"map of int8", dict, &map[anyName]int8{"z": 9}, &map[anyName]int8{"a": 1}},
		{"any", i8, ptr(any("z")), ptr(any(int64(127)))},
		{"pointer to nil pointer", i8, new(*int8), ptr(ptr(int8(127)))},
		{"pointer to pointer", i8, ptr(ptr(int8(9))), ptr(ptr(int8(127)))},
		{"absent", "", ptr(int8(9)), ptr(int8(0))},
		{"absent list", "", &[]string{"z"}, new([]string)},
		{"mistyped", u8, ptr(int8(9)), ptr(int8(0))},
		{"mistyped list", list, ptr(int8(9)), ptr(int8(0))},
		{"too many elements", list, &[1]string{"z"}, &[1]string{}},
		{"nil", "0e 07", ptr(int8(9)), ptr(int8(0))},
	} {
		t.Run(test.name, func(t *testing.T) {
			v := anyField{test.dst}
			if err := sofab.Unmarshal(unhex(t, test.input), &v); err != nil {
				t.Fatal(err)
			}
			if v.V != test.dst {
				t.Fatalf("the pointer was replaced by %v", v.V)
			}
			if diff := cmp.Diff(test.want, v.V); diff != "" {
				t.Error(diff)
			}
		})
	}
	// A pointer in an array goes on, too.
	x := 9
	var array struct {
		A [1]any `sofab:"0"`
	}
	array.A[0] = &x
	if err := sofab.Unmarshal(unhex(t, "06 06 09 0a 07 07"), &array); err != nil || x != 5 || array.A[0] != any(&x) {
		t.Errorf("array: %v, %d, %v", err, x, array.A[0])
	}
	// An empty frame that opens the union again changes nothing.
	v := anyField{&x}
	if err := sofab.Unmarshal(unhex(t, "0e 09 0a 07 0e 07"), &v); err != nil || x != 5 {
		t.Errorf("opened again: %v, %d", err, x)
	}
}

// Q20: what a pointer in an any points to has its width.
func TestAnyPointerWidths(t *testing.T) {
	for _, test := range []struct {
		v    any
		want string // of the first error
	}{
		{new(uint8), "256 does not fit u8"},
		{new(uint16), "65536 does not fit u16"},
		{new(uint32), "4294967296 does not fit u32"},
		{new(int8), "128 does not fit i8"},
		{new(int16), "32768 does not fit i16"},
		{new(int32), "2147483648 does not fit i32"},
	} {
		target := reflect.ValueOf(test.v).Elem()
		bits := target.Type().Bits()
		decode := func(v any) error {
			b, err := sofab.Marshal(anyField{v})
			if err != nil {
				t.Fatal(err)
			}
			dst := anyField{test.v}
			return sofab.Unmarshal(b, &dst)
		}
		var fits, tooLarge []any
		if target.CanUint() {
			fits, tooLarge = []any{uint64(0), uint64(1)<<bits - 1}, []any{uint64(1) << bits, uint64(math.MaxUint64)}
		} else {
			fits = []any{int64(-1) << (bits - 1), int64(1)<<(bits-1) - 1}
			tooLarge = []any{int64(1) << (bits - 1), int64(-1)<<(bits-1) - 1}
		}
		for _, v := range fits {
			if err := decode(v); err != nil || fmt.Sprint(target) != fmt.Sprint(v) {
				t.Errorf("%v into %T: %v, %v", v, test.v, target, err)
			}
		}
		for i, v := range tooLarge {
			err := decode(v)
			var bound *sofab.BoundError
			if !errors.Is(err, sofab.ErrInvalid) || !errors.As(err, &bound) || bound.Path != "anyField.V" {
				t.Errorf("%v into %T: %v", v, test.v, err)
			} else if i == 0 && !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v into %T: %v, want %s", v, test.v, err, test.want)
			}
		}
	}
	// In a list and in a map the path leads to the element.
	for _, test := range []struct {
		input string
		dst   any
		want  string
	}{
		{"0e 54 02 02 80 02 07", new([]int8), "anyField.V[1]: 128 does not fit i8"},
		{"0e 46 06 02 0a 61 0e 09 80 02 07 07 07 07", new(map[string]int8), `anyField.V["a"]: 128 does not fit i8`},
	} {
		v := anyField{test.dst}
		if err := sofab.Unmarshal(unhex(t, test.input), &v); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %s", err, test.want)
		}
	}
}

// What has no arm cannot be decoded into, and a struct is not touched by a reset.
func TestAnyPointerToStruct(t *testing.T) {
	point := &mapPoint{1, 2}
	v := anyField{point}
	err := sofab.Unmarshal(unhex(t, "0e 46 07 07"), &v)
	var fault *sofab.UnmarshalTypeError
	if !errors.As(err, &fault) || fault.Field != "anyField.V" || fault.Type != reflect.TypeFor[mapPoint]() {
		t.Errorf("struct behind a pointer: %v", err)
	}
	v.V = point
	if err := sofab.Unmarshal(nil, &v); err != nil || *point != (mapPoint{1, 2}) || v.V != any(point) {
		t.Errorf("absent: %v, %v, %v", err, *point, v.V)
	}
	v.V = new(int8)
	if err := newCodec(sofab.Options{Strict: true}).Unmarshal(unhex(t, "0e 00 05 07"), &v); !errors.As(err, &fault) {
		t.Errorf("another arm, strict: %v", err)
	}
}

// At the top an any is transparent for pointers and structs, in both directions.
func TestAnyAtTop(t *testing.T) {
	point := mapPoint{1, -1}
	want := unhex(t, "01 02 09 01")
	for _, v := range []any{point, &point, ptr(any(point)), ptr(any(&point)), ptr(any(ptr(any(&point))))} {
		checkEncode(t, fmt.Sprintf("%T", v), ptr(v), want)
	}
	var got mapPoint
	var v any = &got
	for _, s := range decodeSurfaces[:1] {
		if err := s.decode(want, &v); err != nil || got != point || v != any(&got) {
			t.Errorf("%s: %v, %v", s.name, err, got)
		}
	}

	// Other values stand as in a field, and what is in an any is marshalled alike
	// through the any and without it, as far as it is a list or map of any.
	for _, test := range []struct {
		v    any
		want string
	}{
		{map[string]any{"a": []any{nil, true}}, "06 46 06 02 0a 61 0e 3e 0e 10 01 07 07 07 07 07 07"},
		{map[string]any{}, "06 46 07 07"},
		{[]any{}, "06 3e 07 07"},
		{[]any{nil}, "06 3e 06 07 07 07"},
		{[]any(nil), ""},
		{map[string]any(nil), ""},
	} {
		input := unhex(t, test.want)
		checkEncode(t, "through any", &test.v, input)
		dst := reflect.New(reflect.TypeOf(test.v))
		dst.Elem().Set(reflect.ValueOf(test.v))
		checkEncode(t, "directly", dst.Interface(), input)
		checkDecodesAs(t, input, dst.Interface())
		if reflect.ValueOf(test.v).IsNil() {
			test.v = nil
		}
		checkDecodesAs(t, input, &test.v)
	}
	var list []any
	if err := sofab.Unmarshal(unhex(t, "06 46 07 07"), &list); err != nil || list != nil {
		t.Errorf("a map at a list: %v, %v", list, err)
	}

	// Q12: pointers in a circle are not followed for ever.
	var knot any
	p := &knot
	knot = &p
	if err := sofab.Unmarshal(unhex(t, "06 00 05 07"), knot); err != nil || knot != any(uint64(5)) {
		t.Errorf("circle: %v, %v", knot, err)
	}
	knot = &knot
	if err := sofab.Unmarshal(unhex(t, "06 00 05 07"), &knot); err != nil || knot != any(uint64(5)) {
		t.Errorf("small circle: %v, %v", knot, err)
	}
}

func TestAnyMerge(t *testing.T) {
	merge := newCodec(sofab.Options{Merge: true})
	for _, test := range []struct {
		name, input string
		old, want   any
	}{
		{"absent", "", "old", "old"},
		{"another arm", "0e 00 05 07", "old", uint64(5)},
		{"map", "0e 46 06 02 0a 61 07 07 07", map[string]any{"z": "old"}, map[string]any{"a": nil, "z": "old"}},
		{"list", "0e 3e 06 10 01 07 07 07", []any{"old", "old"}, []any{true}},
		{"a struct", "0e 00 05 07", mapPoint{}, uint64(5)},
	} {
		v := anyField{test.old}
		if err := merge.Unmarshal(unhex(t, test.input), &v); err != nil {
			t.Errorf("%s: %v", test.name, err)
		} else if diff := cmp.Diff(test.want, v.V); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
	}
}

// Q28: a decoded any shares nothing with the input.
func TestAnyAliasing(t *testing.T) {
	v := any(map[string]any{"key": "text", "blob": []byte{1, 2, 3}, "list": []any{"element"}})
	b, err := sofab.Marshal(&v)
	if err != nil {
		t.Fatal(err)
	}
	var got any
	if err := sofab.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	scrub(b)
	if diff := cmp.Diff(v, got); diff != "" {
		t.Error(diff)
	}
}

func TestAnyEncodeAllocs(t *testing.T) {
	if raceEnabled {
		t.Skip("pools drop values under the race detector")
	}
	v := any(map[string]any{"a": "text", "b": 5, "c": []any{1.5, true, nil, uint64(1 << 40)}, "d": []int64{1, 2}, "e": []byte("x")})
	buf := make([]byte, 0, 4096)
	if n := testing.AllocsPerRun(100, func() {
		if _, err := sofab.MarshalAppend(buf, &v); err != nil {
			t.Error(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}
