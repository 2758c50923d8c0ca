package sofab_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/sofab-go/sofab"
)

type (
	mapOf[K comparable, V any] struct {
		M map[K]V `sofab:"1"`
	}
	mapKeyStruct struct {
		A uint8   `sofab:"3"`
		B string  `sofab:"1"`
		C [2]byte `sofab:"2"`
	}
	// mapKeyText stands as a text that does not sort like the number in it.
	mapKeyText struct{ n int }
	mapPoint   struct {
		X int32 `sofab:"0"`
		Y int32 `sofab:"1"`
	}
	mapOfMaps map[string]mapOfMaps
)

func (k mapKeyText) MarshalText() ([]byte, error) {
	if k.n == 13 {
		return nil, errors.New("unlucky")
	}
	return fmt.Appendf(nil, "n%d", k.n), nil
}

func (k *mapKeyText) UnmarshalText(text []byte) error {
	_, err := fmt.Sscanf(string(text), "n%d", &k.n)
	return err
}

// Entries are sorted by key, whatever the kind of the key. An entry with the zero key
// and the zero value is a gap, except at the end.
func TestMapKeys(t *testing.T) {
	type fields = struct {
		name string
		v    any
		want string
	}
	for _, test := range []fields{
		{"nil", &mapOf[string, int]{}, ""},
		{"string", &mapOf[string, int]{map[string]int{"b": 1, "": 5, "a": -1}}, "0e 06 09 0a 07 0e 02 0a 61 09 01 07 16 02 0a 62 09 02 07 07"},
		{"gap in front", &mapOf[string, int]{map[string]int{"b": 1, "": 0}}, "0e 0e 02 0a 62 09 02 07 07"},
		{"zero entry alone", &mapOf[string, int]{map[string]int{"": 0}}, "0e 06 07 07"},
		{"gap in the middle", &mapOf[int8, int]{map[int8]int{-1: 1, 0: 0, 1: 2}}, "0e 06 01 01 09 02 07 16 01 02 09 04 07 07"},
		{"zero entry at the end", &mapOf[int8, int]{map[int8]int{-1: 1, 0: 0}}, "0e 06 01 01 09 02 07 0e 07 07"},
		{"zero value at the end", &mapOf[string, int]{map[string]int{"a": 0}}, "0e 06 02 0a 61 07 07"},
		{"int", &mapOf[int64, bool]{map[int64]bool{math.MinInt64: true, math.MaxInt64: true}},
			"0e 06 01 ff ff ff ff ff ff ff ff ff 01 08 01 07 0e 01 fe ff ff ff ff ff ff ff ff 01 08 01 07 07"},
		{"uint", &mapOf[uint64, bool]{map[uint64]bool{math.MaxUint64: true, 1: false, 2: true}},
			"0e 06 00 01 07 0e 00 02 08 01 07 16 00 ff ff ff ff ff ff ff ff ff 01 08 01 07 07"},
		{"bool", &mapOf[bool, uint8]{map[bool]uint8{true: 1, false: 2}}, "0e 06 08 02 07 0e 00 01 08 01 07 07"},
		{"float", &mapOf[float32, uint8]{map[float32]uint8{1: 1, -2: 2, 0: 3, -1: 4}},
			"0e 06 02 20 00 00 00 c0 08 02 07 0e 02 20 00 00 80 bf 08 04 07 16 08 03 07 1e 02 20 00 00 80 3f 08 01 07 07"},
		{"infinities", &mapOf[float64, uint8]{map[float64]uint8{math.Inf(1): 1, math.Inf(-1): 2}},
			"0e 06 02 41 00 00 00 00 00 00 f0 ff 08 02 07 0e 02 41 00 00 00 00 00 00 f0 7f 08 01 07 07"},
		{"bytes", &mapOf[[2]byte, uint8]{map[[2]byte]uint8{{1, 0}: 1, {0, 2}: 2, {}: 3}},
			"0e 06 08 03 07 0e 02 13 00 02 08 02 07 16 02 13 01 00 08 01 07 07"},
		{"struct by ids", &mapOf[mapKeyStruct, uint8]{map[mapKeyStruct]uint8{{A: 1, B: "b"}: 1, {A: 2, B: "a"}: 2, {A: 1, B: "a"}: 3, {C: [2]byte{9}}: 4}},
			"0e 06 06 12 13 09 00 07 08 04 07 0e 06 0a 0a 61 18 01 07 08 03 07 16 06 0a 0a 61 18 02 07 08 02 07 1e 06 0a 0a 62 18 01 07 08 01 07 07"},
		{"text", &mapOf[mapKeyText, uint8]{map[mapKeyText]uint8{{2}: 1, {10}: 2}}, "0e 06 02 1a 6e 31 30 08 02 07 0e 02 12 6e 32 08 01 07 07"},
		{"time", &mapOf[time.Time, uint8]{map[time.Time]uint8{time.Unix(9, 0).UTC(): 1, time.Unix(8, 7).UTC(): 2, {}: 3}},
			"0e 06 08 03 07 0e 06 01 10 08 07 07 08 02 07 16 06 01 12 07 08 01 07 07"},
		{"duration", &mapOf[time.Duration, uint8]{map[time.Duration]uint8{-1: 1, -2: 2}}, "0e 06 01 03 08 02 07 0e 01 01 08 01 07 07"},
	} {
		t.Run(test.name, func(t *testing.T) {
			checkBothWays(t, test.v, test.want, test.v, cmp.AllowUnexported(mapKeyText{}))
		})
	}
}

func TestMapValues(t *testing.T) {
	zero, seven := 0, 7
	for _, test := range []struct {
		name string
		v    any
		want string
	}{
		{"struct", &mapOf[string, mapPoint]{map[string]mapPoint{"a": {1, 2}, "b": {}}}, "0e 06 02 0a 61 0e 01 02 09 04 07 07 0e 02 0a 62 07 07"},
		{"pointers have presence", &mapOf[string, *int]{map[string]*int{"a": &zero, "b": nil, "c": &seven}}, "0e 06 02 0a 61 09 00 07 0e 02 0a 62 07 16 02 0a 63 09 0e 07 07"},
		{"pointer to empty struct", &mapOf[string, *mapPoint]{map[string]*mapPoint{"a": {}}}, "0e 06 02 0a 61 0e 07 07 07"},
		{"zero key with nil pointer", &mapOf[string, *mapPoint]{map[string]*mapPoint{"": nil, "a": nil}}, "0e 0e 02 0a 61 07 07"},
		{"zero key with pointer to zero", &mapOf[string, *mapPoint]{map[string]*mapPoint{"": {}, "a": nil}}, "0e 06 0e 07 07 0e 02 0a 61 07 07"},
		{"slices", &mapOf[string, []uint16]{map[string][]uint16{"a": {1}, "b": nil}}, "0e 06 02 0a 61 0b 01 01 07 0e 02 0a 62 07 07"},
		{"maps", &mapOf[string, map[uint8]string]{map[string]map[uint8]string{"a": {1: "x"}, "b": nil}}, "0e 06 02 0a 61 0e 06 00 01 0a 0a 78 07 07 07 0e 02 0a 62 07 07"},
		{"recursive", &mapOf[string, mapOfMaps]{map[string]mapOfMaps{"a": {"b": {"c": nil}}}}, "0e 06 02 0a 61 0e 06 02 0a 62 0e 06 02 0a 63 07 07 07 07 07 07"},
		{"any", &mapOf[string, any]{map[string]any{"a": nil, "b": uint64(0)}}, "0e 06 02 0a 61 07 0e 02 0a 62 0e 00 00 07 07 07"},
	} {
		t.Run(test.name, func(t *testing.T) { checkBothWays(t, test.v, test.want, test.v) })
	}
	for _, test := range []struct {
		name    string
		v, want any
		encoded string
	}{
		{"empty is nil", &mapOf[string, int]{map[string]int{}}, &mapOf[string, int]{}, ""},
		{"an empty value is nil", &mapOf[string, map[string]int]{map[string]map[string]int{"a": {}}}, &mapOf[string, map[string]int]{map[string]map[string]int{"a": nil}}, "0e 06 02 0a 61 07 07"},
		{"slices of maps", &struct {
			L []map[string]int `sofab:"0"`
		}{[]map[string]int{nil, {"a": 1}, {}}}, &struct {
			L []map[string]int `sofab:"0"`
		}{[]map[string]int{nil, {"a": 1}, nil}}, "06 0e 06 02 0a 61 09 02 07 07 16 07 07"},
		{"pointer to nil", &struct {
			P *map[string]int `sofab:"0"`
		}{new(map[string]int)}, &struct {
			P *map[string]int `sofab:"0"`
		}{new(map[string]int)}, "06 07"},
	} {
		t.Run(test.name, func(t *testing.T) { checkBothWays(t, test.v, test.encoded, test.want) })
	}
}

func TestMapPresence(t *testing.T) {
	type present struct {
		M map[string]int            `sofab:"0,presence"`
		V map[string][]uint8        `sofab:"1,val.presence,val.array"`
		Z map[string]uint8          `sofab:"2,val.presence"`
		N map[string]map[int8]uint8 `sofab:"3,val.presence"`
	}
	for _, test := range []struct {
		v    *present
		want string
	}{
		{&present{}, ""},
		{&present{M: map[string]int{}}, "06 07"},
		{&present{M: map[string]int{"": 0}}, "06 06 07 07"},
		{&present{V: map[string][]uint8{"a": {}, "b": nil}}, "0e 06 02 0a 61 0b 00 07 0e 02 0a 62 07 07"},
		{&present{Z: map[string]uint8{"": 0, "a": 0}}, "16 06 08 00 07 0e 02 0a 61 08 00 07 07"},
		{&present{N: map[string]map[int8]uint8{"": {}, "a": nil}}, "1e 06 0e 07 07 0e 02 0a 61 07 07"},
	} {
		checkBothWays(t, test.v, test.want, test.v)
	}

	type required struct {
		M map[string]int `sofab:"4,presence,required"`
	}
	checkBothWays(t, &required{map[string]int{}}, "26 07", &required{map[string]int{}})
	if err := checkEncodeFails(t, &required{}); err == nil || err.Error() != "sofab: required.M: required field is nil" {
		t.Errorf("required and nil: %v", err)
	}
	var missing *sofab.MissingFieldError
	if err := sofab.Unmarshal(nil, new(required)); !errors.As(err, &missing) || missing.Path != "required.M" {
		t.Errorf("required and absent: %v", err)
	}
}

// What a wrapper means that our encoder does not write: gaps are the zero entry, of
// equal keys the last wins, a map that is opened again is replaced.
func TestMapDecode(t *testing.T) {
	for _, test := range []struct {
		name, input string
		want        map[string]int
	}{
		{"empty wrapper", "0e 07", nil},
		{"gap", "0e 16 02 0a 61 09 02 07 07", map[string]int{"": 0, "a": 1}},
		{"value before key", "0e 06 09 02 02 0a 61 07 07", map[string]int{"a": 1}},
		{"duplicate, last index wins", "0e 06 02 0a 61 09 02 07 0e 02 0a 61 09 04 07 07", map[string]int{"a": 2}},
		{"duplicate out of order", "0e 0e 02 0a 61 09 04 07 06 02 0a 61 09 02 07 07", map[string]int{"a": 2}},
		{"entry opened again", "0e 06 02 0a 61 07 06 09 02 07 07", map[string]int{"a": 1}},
		{"map opened again", "0e 06 02 0a 61 07 07 0e 06 02 0a 62 07 07", map[string]int{"b": 0}},
		{"map opened again, empty", "0e 06 02 0a 61 07 07 0e 07", nil},
		{"mistyped entry", "0e 00 05 07", nil},
		{"mistyped key", "0e 06 00 05 09 02 07 07", map[string]int{"": 1}},
		{"unknown field of an entry", "0e 06 02 0a 61 10 05 07 07", map[string]int{"a": 0}},
		{"mistyped map", "0e 06 02 0a 61 07 07 08 05", map[string]int{"a": 0}},
	} {
		t.Run(test.name, func(t *testing.T) {
			checkDecodesAs(t, unhex(t, test.input), &mapOf[string, int]{test.want})
		})
	}
}

func TestMapStrictDuplicate(t *testing.T) {
	strict := newCodec(sofab.Options{Strict: true})
	for _, test := range []struct{ input, want string }{
		{"0e 06 02 0a 61 07 0e 02 0a 62 07 16 02 0a 61 07 07", `sofab: mapOf.M[2]: invalid value: the key "a" arrived before at offset 16`},
		{"0e 16 02 0a 61 07 07", `sofab: mapOf.M[1]: invalid value: the key "" arrived before at offset 6`},
	} {
		err := strict.Unmarshal(unhex(t, test.input), new(mapOf[string, int]))
		if !errors.Is(err, sofab.ErrInvalid) || err.Error() != test.want {
			t.Errorf("%s: %v, want %s", test.input, err, test.want)
		}
	}
}

// With Merge, entries go into the map that is there; without, nothing is left of it.
func TestMapMerge(t *testing.T) {
	input := unhex(t, "0e 06 02 0a 61 09 02 07 07")
	old := map[string]int{"a": 5, "z": 26}
	v := mapOf[string, int]{old}
	if err := newCodec(sofab.Options{Merge: true}).Unmarshal(input, &v); err != nil {
		t.Fatal(err)
	}
	if want := map[string]int{"a": 1, "z": 26}; !cmp.Equal(v.M, want) || !cmp.Equal(old, want) {
		t.Errorf("merged: %v, the map itself %v, want %v", v.M, old, want)
	}
	if err := sofab.Unmarshal(input, &v); err != nil || !cmp.Equal(v.M, map[string]int{"a": 1}) {
		t.Errorf("reset: %v, %v", v.M, err)
	}
	if want := map[string]int{"a": 1, "z": 26}; !cmp.Equal(old, want) {
		t.Errorf("decoding changed a map that it replaced: %v", old)
	}
	v.M = old
	if err := newCodec(sofab.Options{Merge: true}).Unmarshal(unhex(t, "0e 07"), &v); err != nil || !cmp.Equal(v.M, old) {
		t.Errorf("an empty map merged: %v, %v", v.M, err)
	}
}

func TestMapBounds(t *testing.T) {
	type bounded struct {
		M map[string][]string `sofab:"0,count=2,key.maxlen=2,val.count=1,val.elem.maxlen=3"`
		W map[int16]uint      `sofab:"1,key.i8,val.u16"`
		E map[int32]float64   `sofab:"2,key.enum=0|1|-2,val.fp32"`
		B map[string]string   `sofab:"3,key.blob"`
	}
	good := &bounded{
		M: map[string][]string{"ab": {"abc"}, "": nil}, W: map[int16]uint{-128: 65535},
		E: map[int32]float64{-2: 0.5}, B: map[string]string{"\xff": "x"},
	}
	checkBothWays(t, good, "06 0e 02 12 61 62 0e 02 1a 61 62 63 07 07 07 0e 06 01 ff 01 08 ff ff 03 07 07"+
		"16 06 01 03 0a 20 00 00 00 3f 07 07 1e 06 02 0b ff 0a 0a 78 07 07", good)
	for _, test := range []struct {
		v    *bounded
		want string
	}{
		{&bounded{M: map[string][]string{"a": nil, "b": nil, "c": nil}}, "sofab: bounded.M: 3 elements are more than count=2 allows"},
		{&bounded{M: map[string][]string{"b": nil, "abc": nil}}, `sofab: bounded.M["abc"].key: 3 bytes are more than maxlen=2 allows`},
		{&bounded{M: map[string][]string{"a": {"x", "y"}}}, `sofab: bounded.M["a"]: 2 elements are more than count=1 allows`},
		{&bounded{M: map[string][]string{"a": {"long"}}}, `sofab: bounded.M["a"][0]: 4 bytes are more than maxlen=3 allows`},
		{&bounded{W: map[int16]uint{128: 0}}, "sofab: bounded.W[128].key: 128 does not fit i8"},
		{&bounded{W: map[int16]uint{-129: 0}}, "sofab: bounded.W[-129].key: -129 does not fit i8"},
		{&bounded{W: map[int16]uint{1: 65536}}, "sofab: bounded.W[1]: 65536 does not fit u16"},
		{&bounded{E: map[int32]float64{2: 1}}, "sofab: bounded.E[2].key: 2 is not a member of the enum"},
		{&bounded{E: map[int32]float64{1: 0.1}}, "sofab: bounded.E[1]: 0.1 is not exact as fp32"},
		{&bounded{B: map[string]string{"a": "", "b": "\xff"}}, `sofab: bounded.B["b"]: invalid UTF-8 at byte 0`},
	} {
		if err := checkEncodeFails(t, test.v); err == nil || err.Error() != test.want {
			t.Errorf("%v, want %s", err, test.want)
		}
	}
	for _, test := range []struct{ input, want string }{
		{"06 16", "sofab: bounded.M[2]: 3 elements are more than count=2 allows at offset 1"},
		{"06 06 02 1a", "sofab: bounded.M[0].key: 3 bytes are more than maxlen=2 allows at offset 3"},
		{"06 06 0e 0a 02", "sofab: bounded.M[0][1]: 2 elements are more than count=1 allows at offset 4"},
		{"0e 06 01 80 02", "sofab: bounded.W[0].key: 128 does not fit i8 at offset 3"},
		{"0e 06 08 80 80 04", "sofab: bounded.W[0]: 65536 does not fit u16 at offset 3"},
		{"1e 06 0a 0a ff", "sofab: bounded.B[0]: invalid UTF-8 at byte 0 at offset 4"},
	} {
		checkRefused(t, test.input, new(bounded), test.want)
	}
}

func TestMapKeyErrors(t *testing.T) {
	for _, test := range []struct {
		v    any
		want string
	}{
		{&mapOf[float64, int]{map[float64]int{math.NaN(): 1}}, "sofab: mapOf.M: NaN cannot be the key of a map"},
		{&mapOf[struct {
			F float32 `sofab:"0"`
		}, int]{map[struct {
			F float32 `sofab:"0"`
		}]int{{float32(math.NaN())}: 1}}, "sofab: mapOf.M: NaN cannot be the key of a map"},
		{&mapOf[mapKeyText, int]{map[mapKeyText]int{{13}: 1}}, "sofab: mapOf.M: MarshalText of sofab_test.mapKeyText: unlucky"},
		{&mapOf[time.Time, int]{map[time.Time]int{time.Unix(5, 0).UTC(): 1, time.Unix(5, 0).In(time.FixedZone("", 0)): 2, time.Unix(5, 0).In(time.FixedZone("X", 0)): 3}},
			"sofab: mapOf.M: two keys are the same on the wire: "},
		{&mapOf[string, *mapKeyText]{map[string]*mapKeyText{"k": {13}}}, `sofab: mapOf.M["k"]: MarshalText of `},
	} {
		if err := checkEncodeFails(t, test.v); err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%v, want %s", err, test.want)
		}
	}
	checkRefused(t, "0e 06 02 41 01 00 00 00 00 00 f8 7f 07 07", new(mapOf[float64, int]), "mapOf.M[0]: invalid value: NaN cannot be the key of a map")
}

func TestMapTypeFaults(t *testing.T) {
	const notKey = "cannot be the key of a map: a key is an integer, bool, string, float, [N]byte, a struct of these, or a type with MarshalText"
	for _, test := range []struct {
		err  error
		want string
	}{
		{sofab.Check[mapOf[any, int]](), "field M: type interface {} " + notKey},
		{sofab.Check[mapOf[[1]any, int]](), "field M: type [1]interface {} " + notKey},
		{sofab.Check[mapOf[struct {
			A any `sofab:"0"`
		}, int]](), "cannot be the key of a map: field A: a key is"},
		{sofab.Check[mapOf[*int, int]](), "field M: type *int " + notKey},
		{sofab.Check[mapOf[[2]string, int]](), "field M: type [2]string " + notKey},
		{sofab.Check[mapOf[struct {
			A *int `sofab:"0"`
		}, int]](), "cannot be the key of a map: field A: a key is"},
		{sofab.Check[mapOf[struct {
			A int `sofab:"0"`
			b int
		}, int]](), "it has fields that are not on the wire, so that two keys could become one"},
		{sofab.Check[mapOf[struct {
			A int `sofab:"0"`
			B int `sofab:"-"`
		}, int]](), "it has fields that are not on the wire, so that two keys could become one"},
		{sofab.Check[mapOf[chan int, int]](), "type chan int has no wire form"},
		{sofab.Check[struct {
			M map[string]int `sofab:"0,key.presence"`
		}](), `"key.presence" at byte 2: the key of a map has no presence`},
		{sofab.Check[struct {
			M map[string]int `sofab:"0,val.default=5"`
		}](), `"val.default" at byte 2: option "default" is one of a field, not of a value inside it`},
		{sofab.Check[struct {
			M map[string]int `sofab:"0,elem.maxlen=5"`
		}](), `"elem.maxlen" at byte 2: type map[string]int has no elem`},
		{sofab.Check[struct {
			M map[string]int `sofab:"0,key.u8"`
		}](), `option "key.u8" does not go with type string at byte 2`},
		{sofab.Check[struct {
			M map[string]int `sofab:"0,val.key.u8"`
		}](), `"val.key.u8" at byte 2: type int has no key`},
		{sofab.Check[struct {
			M map[string]int `sofab:"0,maxlen=3"`
		}](), `option "maxlen" does not go with type map[string]int at byte 2`},
	} {
		if test.err == nil || !strings.Contains(test.err.Error(), test.want) {
			t.Errorf("%v, want %s", test.err, test.want)
		}
	}
}

// Q48: the same value gives the same bytes, sorted.
func TestMapOrder(t *testing.T) {
	var want []byte
	for run := range 20 {
		m := map[string]int{}
		for _, i := range rand.Perm(30) {
			m[fmt.Sprintf("key%02d", i)] = i
		}
		got, err := sofab.Marshal(&mapOf[string, int]{m})
		if err != nil {
			t.Fatal(err)
		}
		if run == 0 {
			want = got
			continue
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("run %d: %x, want %x", run, got, want)
		}
	}
	at := 0
	for i := range 30 {
		next := bytes.Index(want, fmt.Appendf(nil, "key%02d", i))
		if next < at {
			t.Fatalf("key %d at %d, after %d", i, next, at)
		}
		at = next
	}
}

// Q16, Q28: a used map leaves nothing behind, and shares nothing with the input.
func TestMapDestination(t *testing.T) {
	a, b := &mapOf[string, string]{map[string]string{"a": "1", "b": "2"}}, &mapOf[string, string]{}
	var v mapOf[string, string]
	for _, want := range []*mapOf[string, string]{a, b, a} {
		input, err := sofab.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		if err := sofab.Unmarshal(input, &v); err != nil {
			t.Fatal(err)
		}
		scrub(input)
		if diff := cmp.Diff(*want, v); diff != "" {
			t.Error(diff)
		}
	}
}

// Q13, Q50: maps that contain themselves end with an error, not with the stack.
func TestMapCycle(t *testing.T) {
	named := mapOfMaps{}
	named["x"] = named
	named["y"] = named
	dynamic := map[string]any{}
	for i := range 100 {
		dynamic[fmt.Sprint(i)] = dynamic
	}
	pointed := map[int]any{}
	pointed[1] = &pointed
	for name, v := range map[string]any{"named": named, "any": dynamic, "by pointer": &mapOf[string, any]{map[string]any{"x": &dynamic}}} {
		start := time.Now()
		_, err := sofab.Marshal(v)
		if err == nil || !strings.HasSuffix(err.Error(), "does the value contain itself?") {
			t.Errorf("%s: %v", name, err)
		}
		if took := time.Since(start); took > time.Second {
			t.Errorf("%s took %v", name, took)
		}
	}
}

// A map is charged to the memory budget, and gaps cannot make it large.
func TestMapBudget(t *testing.T) {
	small := newCodec(sofab.Options{Limits: sofab.Limits{Memory: 1 << 16}})
	input := unhex(t, "0e fe ff 3f 02 0a 61 07 07") // entry 2^20-1
	allocated := testing.AllocsPerRun(1, func() {
		if err := small.Unmarshal(input, new(mapOf[string, int])); !errors.Is(err, sofab.ErrLimit) {
			t.Errorf("entry 2^20-1: %v", err)
		}
	})
	if allocated > 50 {
		t.Errorf("%v allocations", allocated)
	}
}

// Maps with random contents against the wrapper array that they stand as.
func TestMapLikeEntries(t *testing.T) {
	type entry struct {
		K int16  `sofab:"0"`
		V string `sofab:"1"`
	}
	type entries struct {
		M []entry `sofab:"1"`
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		m := map[int16]string{}
		for range r.IntN(20) {
			m[int16(r.IntN(9)-4)] = strings.Repeat("x", r.IntN(2))
		}
		var list []entry
		for k := int16(-4); k <= 4; k++ {
			if v, ok := m[k]; ok {
				list = append(list, entry{k, v})
			}
		}
		want, err := sofab.Marshal(entries{list})
		if err != nil {
			t.Fatal(err)
		}
		got, err := sofab.Marshal(mapOf[int16, string]{m})
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%v: %x, %v, want %x", m, got, err, want)
		}
		var back mapOf[int16, string]
		if err := sofab.Unmarshal(got, &back); err != nil || len(m) != len(back.M) || len(m) > 0 && !reflect.DeepEqual(m, back.M) {
			t.Fatalf("%v came back as %v, %v", m, back.M, err)
		}
	}
}

// Encoding a map does not allocate once it has done so before.
func TestMapEncodeAllocs(t *testing.T) {
	if raceEnabled {
		t.Skip("pools drop values under the race detector")
	}
	v := &mapOf[string, int64]{map[string]int64{}}
	for i := range 50 {
		v.M[fmt.Sprint("key", i)] = int64(i)
	}
	buf := make([]byte, 0, 4096)
	if n := testing.AllocsPerRun(100, func() {
		if _, err := sofab.MarshalAppend(buf, v); err != nil {
			t.Error(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}

// Q70: the price of sorting.
func BenchmarkMap(b *testing.B) {
	for _, n := range []int{10, 1000, 100_000} {
		text, number := &mapOf[string, int64]{map[string]int64{}}, &mapOf[int64, int64]{map[int64]int64{}}
		for i := range n {
			text.M[fmt.Sprintf("key-%d", i*7919%n)] = int64(i)
			number.M[int64(i*7919%n)] = int64(i)
		}
		for _, v := range []any{text, number} {
			name := fmt.Sprintf("%v/%d", reflect.TypeOf(v).Elem().Field(0).Type, n)
			data, err := sofab.Marshal(v)
			if err != nil {
				b.Fatal(err)
			}
			b.Run("marshal/"+name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if data, err = sofab.MarshalAppend(data[:0], v); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run("unmarshal/"+name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := sofab.Unmarshal(data, fresh(v)); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
