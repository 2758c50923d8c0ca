package sofab_test

import (
	"math"
	"reflect"
	"testing"

	"github.com/sofab-go/sofab"
)

type (
	presInner struct {
		A int `sofab:"1"`
		D int `sofab:"2,default=7"`
	}
	presPlain[T any] struct {
		F T `sofab:"1"`
	}
	presAlways[T any] struct {
		F T `sofab:"1,presence"`
	}
	// The elements have the option, too.
	presElements[T any] struct {
		F T `sofab:"1,presence,elem.presence"`
	}
)

type (
	presArms struct {
		A *int       `sofab:"1"`
		B *string    `sofab:"2"`
		C *presInner `sofab:"3"`
	}
	presUnion struct {
		U   presArms   `sofab:"1,union"`
		Ptr *presArms  `sofab:"2,union"`
		L   []presArms `sofab:"3,elem.union"`
	}
)

func plainField[T any](v T) any      { return &presPlain[T]{v} }
func presentField[T any](v T) any    { return &presAlways[T]{v} }
func presentElements[T any](v T) any { return &presElements[T]{v} }

// TestPresence pins what is written of nil, zero, empty and other values of every kind,
// and what comes back, with and without the option presence. Where the value that comes
// back is another one than the one written, it stands in the last column.
func TestPresence(t *testing.T) {
	zero, one, negative := 0, 1, math.Copysign(0, -1)
	pointer := &one
	inner := presInner{D: 7} // at its defaults
	var nilSlice []int
	for _, tt := range []struct {
		name  string
		v     any
		bytes string
		back  any // nil: equal to v
	}{
		{"scalar zero", plainField(0), "", nil},
		{"scalar zero presence", presentField(0), "0900", nil},
		{"scalar", plainField(1), "0902", nil},
		{"scalar presence", presentField(1), "0902", nil},
		{"bool zero", plainField(false), "", nil},
		{"bool zero presence", presentField(false), "0800", nil},
		{"float zero", plainField(0.0), "", nil},
		{"float zero presence", presentField(0.0), "0a41 0000000000000000", nil},
		{"float negative zero", plainField(negative), "", plainField(0.0)},
		{"float negative zero presence", presentField(negative), "0a41 0000000000000080", nil},
		{"float negative zero behind a pointer", plainField(&negative), "0a41 0000000000000080", nil},
		{"float negative zero in an array", plainField([]float64{negative}), "0d0141 0000000000000080", nil},
		{"float negative zero in a Go array", plainField([1]float64{negative}), "0d0141 0000000000000080", nil},

		{"string empty", plainField(""), "", nil},
		{"string empty presence", presentField(""), "0a02", nil},
		{"string", plainField("a"), "0a0a61", nil},
		{"string presence", presentField("a"), "0a0a61", nil},

		{"blob nil", plainField([]byte(nil)), "", nil},
		{"blob nil presence", presentField([]byte(nil)), "", nil},
		{"blob empty", plainField([]byte{}), "", plainField([]byte(nil))},
		{"blob empty presence", presentField([]byte{}), "0a03", nil},
		{"blob of a zero", plainField([]byte{0}), "0a0b00", nil},
		{"blob presence", presentField([]byte{1}), "0a0b01", nil},
		{"blob array zero", plainField([2]byte{}), "", nil},
		{"blob array zero presence", presentField([2]byte{}), "0a130000", nil},
		{"blob array", plainField([2]byte{0, 1}), "0a130001", nil},

		{"slice nil", plainField([]int(nil)), "", nil},
		{"slice nil presence", presentField([]int(nil)), "", nil},
		{"slice empty", plainField([]int{}), "", plainField([]int(nil))},
		{"slice empty presence", presentField([]int{}), "0c00", nil},
		{"slice of a zero", plainField([]int{0}), "0c0100", nil},
		{"slice presence", presentField([]int{1}), "0c0102", nil},
		{"slice of floats empty presence", presentField([]float32{}), "0d0020", nil},
		{"slice of strings nil presence", presentField([]string(nil)), "", nil},
		{"slice of strings empty", plainField([]string{}), "", plainField([]string(nil))},
		{"slice of strings empty presence", presentField([]string{}), "0e07", nil},
		{"slice of strings of an empty one", plainField([]string{""}), "0e020207", nil},
		{"slice of structs empty presence", presentField([]presInner{}), "0e07", nil},
		{"slice of structs at defaults", plainField([]presInner{inner, inner}), "0e0e0707", nil},

		{"array zero", plainField([2]int{}), "", nil},
		{"array zero presence", presentField([2]int{}), "0c020000", nil},
		{"array", plainField([2]int{0, 1}), "0c020002", nil},
		{"array of strings zero", plainField([2]string{}), "", nil},
		{"array of strings zero presence", presentField([2]string{}), "0e07", nil},
		{"array of strings", plainField([2]string{"a"}), "0e020a610a0207", nil},
		{"array of structs at defaults", plainField([2]presInner{inner, inner}), "", nil},
		{"array of none", plainField([0]int{}), "", nil},
		{"array of none presence", presentField([0]int{}), "0c00", nil},

		{"struct zero", plainField(presInner{}), "0e110007", nil},
		{"struct at defaults", plainField(inner), "", nil},
		{"struct", plainField(presInner{A: 1, D: 7}), "0e090207", nil},

		{"pointer nil", plainField[*int](nil), "", nil},
		{"pointer nil presence", presentField[*int](nil), "", nil},
		{"pointer zero", plainField(&zero), "0900", nil},
		{"pointer zero presence", presentField(&zero), "0900", nil},
		{"pointer", plainField(&one), "0902", nil},
		{"pointer to a string", plainField(pointerTo("")), "0a02", nil},
		{"pointer to false", plainField(pointerTo(false)), "0800", nil},
		{"pointer to 0.0", plainField(pointerTo(0.0)), "0a41 0000000000000000", nil},
		{"pointer to a struct without fields", plainField(&struct{}{}), "0e07", nil},
		{"pointer to a struct at defaults", plainField(&inner), "0e07", nil},
		{"pointer to a struct presence", presentField(&inner), "0e07", nil},
		{"pointer to a nil slice", plainField(&nilSlice), "0c00", nil},
		{"pointer to an empty slice", plainField(&[]int{}), "0c00", plainField(&nilSlice)},
		{"pointer to an empty slice presence", presentField(&[]int{}), "0c00", nil},
		{"pointer to a nil slice presence", presentField(&nilSlice), "0c00", presentField(&[]int{})},
		{"pointer to an array", plainField(&[2]int{}), "0c020000", nil},
		{"pointer to an empty blob", plainField(&[]byte{}), "0a03", plainField(pointerTo([]byte(nil)))},

		{"pointer to pointer nil", plainField[**int](nil), "", nil},
		{"pointer to pointer", plainField(&pointer), "0902", nil},
		{"pointer to pointer to an empty slice presence", presentField(pointerTo(&[]string{})), "0e07", nil},
		{"pointer to pointer to an empty slice", plainField(pointerTo(&[]string{})), "0e07", plainField(pointerTo(pointerTo([]string(nil))))},
		{"pointer to pointer zero", plainField(pointerTo(&zero)), "0900", nil},

		{"element nil", plainField([][]int{nil, {1}}), "0e0c010207", nil},
		{"element nil at the end", plainField([][]int{{1}, nil}), "0e0401020c0007", nil},
		{"element empty", plainField([][]int{{}, {1}}), "0e0c010207", plainField([][]int{nil, {1}})},
		{"element empty presence", presentElements([][]int{{}, {1}}), "0e04000c010207", nil},
		{"element nil presence", presentElements([][]int{nil, {1}}), "0e0c010207", nil},
		{"element string empty", plainField([]string{"", "a"}), "0e0a0a6107", nil},
		{"element blob nil", plainField([][]byte{nil, {1}}), "0e0a0b0107", nil},
		{"element struct at defaults", plainField([]presInner{inner, {1, 7}}), "0e0e09020707", nil},

		{"pointer element nil", plainField([]*presInner{nil, {1, 7}}), "0e0e09020707", nil},
		{"pointer element nil at the end", plainField([]*presInner{{1, 7}, nil}), "0e060902070e0707", plainField([]*presInner{{1, 7}, {0, 7}})},
		{"pointer element at defaults", plainField([]*presInner{&inner, {1, 7}}), "0e06070e09020707", nil},
		{"pointer element string", plainField([]*string{nil, pointerTo(""), pointerTo("a")}), "0e0a02120a6107", nil},
		{"pointer element string nil at the end", plainField([]*string{pointerTo("a"), nil}), "0e020a610a0207", plainField([]*string{pointerTo("a"), pointerTo("")})},
		{"pointer element scalar", plainField([]*int{&zero, &one}), "0c020002", nil},
		{"pointer element of an array nil", plainField([2]*presInner{}), "", nil},
		{"pointer element of an array", plainField([2]*presInner{nil, &inner}), "0e0e0707", nil},

		{"map nil", plainField(map[string]int(nil)), "", nil},
		{"map nil presence", presentField(map[string]int(nil)), "", nil},
		{"map empty", plainField(map[string]int{}), "", plainField(map[string]int(nil))},
		{"map empty presence", presentField(map[string]int{}), "0e07", nil},
		{"map of zeros", plainField(map[string]int{"": 0}), "0e060707", nil},
		{"map of zeros in front", plainField(map[string]int{"": 0, "a": 0}), "0e0e020a610707", nil},
		{"map", plainField(map[string]int{"a": 1}), "0e06020a6109020707", nil},
		{"map value struct at defaults", plainField(map[int8]presInner{1: inner}), "0e0601020707", nil},
		{"map value struct zero", plainField(map[int8]presInner{1: {}}), "0e0601020e1100070707", nil},
		{"map value pointer to zero", plainField(map[bool]*int{true: &zero}), "0e06000109000707", nil},
		{"map value slice nil", plainField(map[bool][]int{true: nil}), "0e0600010707", nil},
		{"pointer to a nil map", plainField(pointerTo(map[string]int(nil))), "0e07", nil},

		{"union empty", &presUnion{}, "", nil},
		{"union empty presence", &presUnion{Ptr: &presArms{}}, "1607", nil},
		{"union arm zero", &presUnion{U: presArms{A: &zero}}, "0e090007", nil},
		{"union arm empty string", &presUnion{U: presArms{B: pointerTo("")}}, "0e120207", nil},
		{"union arm at defaults", &presUnion{U: presArms{C: &inner}}, "0e1e0707", nil},
		{"union element", &presUnion{L: []presArms{{}, {A: &zero}, {}}}, "1e0e0900071607 07", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			checkEncode(t, tt.name, tt.v, unhex(t, tt.bytes))
			if tt.back == nil {
				tt.back = tt.v
			}
			checkYields(t, tt.bytes, tt.back)
		})
	}
}

// What has no encoding that reads back as the same value is refused.
func TestNilRefused(t *testing.T) {
	var nilPointer *int
	one := 1
	for _, tt := range []struct {
		v    any
		text string
	}{
		{plainField(&nilPointer), "sofab: presPlain.F: pointer to a nil pointer; only the outer pointer may be nil"},
		{plainField([]*int{&one, nil}), "sofab: presPlain.F[1]: nil element; an array of scalars has no gaps"},
		{plainField([2]*int{&one, nil}), "sofab: presPlain.F[1]: nil element; an array of scalars has no gaps"},
		{plainField([]**int{&nilPointer}), "sofab: presPlain.F[0]: nil element; an array of scalars has no gaps"},
	} {
		if err := checkEncodeFails(t, tt.v); errorText(err) != tt.text {
			t.Errorf("%v\nwant %s", err, tt.text)
		}
	}
}

type presRequired struct {
	P *presInner `sofab:"1,required"`
	S string     `sofab:"2,required,presence"`
	L []string   `sofab:"3,required,presence"`
	Q *EmbMidReq `sofab:"4"`
}

type EmbMidReq struct {
	*EmbReq
	B bool `sofab:"1"`
}

type EmbReq struct {
	R *int `sofab:"2,required"`
}

func TestRequired(t *testing.T) {
	full := &presRequired{P: &presInner{D: 7}, L: []string{}}
	checkRoundTrip(t, full, "0e07 1202 1e07")
	full.Q = &EmbMidReq{EmbReq: &EmbReq{pointerTo(0)}}
	checkRoundTrip(t, full, "0e07 1202 1e07 26 1100 07")
	for _, tt := range []struct {
		v    *presRequired
		text string
	}{
		{&presRequired{L: []string{}}, "sofab: presRequired.P: required field is nil"},
		{&presRequired{P: &presInner{}}, "sofab: presRequired.L: required field is nil"},
		{&presRequired{P: &presInner{}, L: []string{}, Q: &EmbMidReq{}}, "sofab: presRequired.Q.R: required field is nil"},
	} {
		if err := checkEncodeFails(t, tt.v); errorText(err) != tt.text {
			t.Errorf("%v\nwant %s", err, tt.text)
		}
	}
	for input, text := range map[string]string{
		"":                        "sofab: presRequired.P: required field with id 1 is missing",
		"0e07 1e07":               "sofab: presRequired.S: required field with id 2 is missing",
		"0e07 1202":               "sofab: presRequired.L: required field with id 3 is missing",
		"0e07 1202 1e07 26080107": "sofab: presRequired.Q.R: required field with id 2 is missing",
	} {
		if err := sofab.Unmarshal(unhex(t, input), new(presRequired)); errorText(err) != text {
			t.Errorf("%s: %v\nwant %s", input, err, text)
		}
	}
	checkFault(t, new(struct {
		A int `sofab:"1,required"`
	}), "required needs a pointer or the option presence")
}

// Decoding into a value that was used before: defaults are not on the wire, and yet
// nothing of the old value is left.
func TestStaleValues(t *testing.T) {
	one := 1
	full := refAll{
		Names: []refName{"a"}, Colors: []refColor{1}, Raw: []refByte{1}, Blob: []refByte{1}, Fix: [3]refByte{1},
		M: refMatrix{{1}}, P: &refLeaf{A: 1}, Q: []*refLeaf{{A: 1}}, S: []*uint32{pointerTo(uint32(1))}, Wide: 1, Last: true,
		RefDeep: &RefDeep{Top: 1}, hidden: 5, Far: map[string]func(){"kept": nil},
	}
	full.At, full.Zone = pointerTo(int64(one)), 1
	data, err := sofab.Marshal(&refAll{})
	if err != nil {
		t.Fatal(err)
	}
	var fresh refAll
	if err := sofab.Unmarshal(data, &fresh); err != nil {
		t.Fatal(err)
	}
	if err := sofab.Unmarshal(data, &full); err != nil {
		t.Fatal(err)
	}
	if !refEqual(reflect.ValueOf(full), reflect.ValueOf(fresh), false) {
		t.Errorf("%s\nwant %s", refDump(reflect.ValueOf(full)), refDump(reflect.ValueOf(fresh)))
	}
	if full.hidden != 5 || len(full.Far) != 1 {
		t.Error("fields that are none of the message were touched")
	}
}

// Q24 and Q25: elements go where their ids say, a struct that is opened again is
// continued, a wrapper replaced, and a field of another type leaves what is there.
func TestRepeatedFields(t *testing.T) {
	type repeated struct {
		A []uint64   `sofab:"1"`
		S string     `sofab:"2"`
		L []string   `sofab:"3"`
		N presInner  `sofab:"4"`
		P *presInner `sofab:"5"`
		G [][]int    `sofab:"6"`
		F [2]string  `sofab:"7"`
	}
	for _, tt := range []struct {
		input string
		want  repeated
	}{
		{"1e020a41120a4307", repeated{L: []string{"A", "", "C"}, N: presInner{D: 7}}},
		{"1e120a43020a4107", repeated{L: []string{"A", "", "C"}, N: presInner{D: 7}}},
		{"1e020a41020a4207", repeated{L: []string{"B"}, N: presInner{D: 7}}},
		{"1e020a410a0a4207 1e020a4307", repeated{L: []string{"C"}, N: presInner{D: 7}}},
		{"1e020a4107 1e07", repeated{N: presInner{D: 7}}},
		{"26090207 26110407", repeated{N: presInner{1, 2}}},
		{"2e090207 2e110407 2e07", repeated{N: presInner{D: 7}, P: &presInner{1, 2}}},
		{"0b020102 0b0103", repeated{A: []uint64{3}, N: presInner{D: 7}}},
		{"0b020102 0b00", repeated{N: presInner{D: 7}}},
		{"0b020102 0802 0c0104 0e07", repeated{A: []uint64{1, 2}, N: presInner{D: 7}}},
		{"120a61 1005 120b62", repeated{S: "a", N: presInner{D: 7}}},
		{"36040102 04020608 0001 07", repeated{G: [][]int{{3, 4}}, N: presInner{D: 7}}},
		{"3e020a610a0a6207 3e0a0a6307", repeated{F: [2]string{"", "c"}, N: presInner{D: 7}}},
	} {
		checkYields(t, tt.input, &tt.want)
	}
}
