package sofab_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/sofab-go/sofab"
)

// checkRoundTrip demands these bytes from every encode surface, and that every decode
// surface makes an equal value of them; nil is not empty.
func checkRoundTrip(t *testing.T, v any, wantHex string) {
	t.Helper()
	want := unhex(t, wantHex)
	checkEncode(t, wantHex, v, want)
	checkYields(t, wantHex, v)
}

// checkYields demands an equal value from every decode surface.
func checkYields(t *testing.T, inputHex string, want any) {
	t.Helper()
	for _, s := range decodeSurfaces {
		if strings.Contains(s.name, "used destination") {
			continue // TestUsedDestinations; litter does not know every type here
		}
		got := fresh(want)
		if err := s.decode(unhex(t, inputHex), got); err != nil {
			t.Errorf("%s: %v", s.name, err)
			continue
		}
		if !refEqual(reflect.ValueOf(got), reflect.ValueOf(want), false) {
			t.Errorf("%s: %s, want %s", s.name, refDump(reflect.ValueOf(got)), refDump(reflect.ValueOf(want)))
		}
	}
}

// checkFault demands that Check, Marshal, Unmarshal and NewFeeder refuse the type of
// the value that v points to, all with the same text, which contains the given parts.
func checkFault(t *testing.T, v any, parts ...string) {
	t.Helper()
	_, marshal := sofab.Marshal(v)
	if marshal == nil {
		t.Errorf("%T: no fault", v)
		return
	}
	for _, part := range parts {
		if !strings.Contains(marshal.Error(), part) {
			t.Errorf("%T: %v\ndoes not contain %q", v, marshal, part)
		}
	}
	_, byValue := sofab.Marshal(reflect.ValueOf(v).Elem().Interface())
	_, feeder := sofab.NewFeeder(v)
	before := refDump(reflect.ValueOf(v))
	for name, err := range map[string]error{
		"Marshal again": errorOf(sofab.Marshal(v)), "Marshal by value": byValue, "NewFeeder": feeder,
		"Unmarshal": sofab.Unmarshal([]byte{0x07}, v), "Size": errorOf(sofab.Size(v)),
	} {
		if errorText(err) != marshal.Error() {
			t.Errorf("%T: %s: %v, Marshal: %v", v, name, err, marshal)
		}
	}
	if after := refDump(reflect.ValueOf(v)); after != before {
		t.Errorf("%T: a refused Unmarshal changed %s to %s", v, before, after)
	}
}

func errorOf[T any](_ T, err error) error { return err }

type (
	EmbStruct struct {
		X int `sofab:"1"`
	}
	embStruct struct {
		X int `sofab:"1"`
	}
	EmbInt int
	embInt int
)

func pointerTo[T any](v T) *T { return &v }

// The 24 combinations of what is embedded and how.
func TestEmbedding(t *testing.T) {
	type (
		exportedStruct struct {
			EmbStruct `sofab:"5"`
		}
		exportedStructBare struct{ EmbStruct }
		exportedStructLeft struct {
			EmbStruct `sofab:"-"`
		}
		exportedStructPtr struct {
			*EmbStruct `sofab:"5"`
		}
		exportedStructPtrBare struct{ *EmbStruct }
		exportedStructPtrLeft struct {
			*EmbStruct `sofab:"-"`
		}
		exportedInt struct {
			EmbInt `sofab:"5"`
		}
		exportedIntBare struct{ EmbInt }
		exportedIntLeft struct {
			EmbInt `sofab:"-"`
		}
		exportedIntPtr struct {
			*EmbInt `sofab:"5"`
		}
		exportedIntPtrBare struct{ *EmbInt }
		exportedIntPtrLeft struct {
			*EmbInt `sofab:"-"`
		}
		unexportedStruct struct {
			embStruct `sofab:"5"`
		}
		unexportedStructBare struct{ embStruct }
		unexportedStructLeft struct {
			embStruct `sofab:"-"`
		}
		unexportedStructPtr struct {
			*embStruct `sofab:"5"`
		}
		unexportedStructPtrBare struct{ *embStruct }
		unexportedStructPtrLeft struct {
			*embStruct `sofab:"-"`
		}
		unexportedInt struct {
			embInt `sofab:"5"`
		}
		unexportedIntBare struct{ embInt }
		unexportedIntLeft struct {
			embInt `sofab:"-"`
		}
		unexportedIntPtr struct {
			*embInt `sofab:"5"`
		}
		unexportedIntPtrBare struct{ *embInt }
		unexportedIntPtrLeft struct {
			*embInt `sofab:"-"`
		}
	)
	const nested, promoted, scalar, nothing = "2e 0906 07", "0906", "2906", ""
	for _, tt := range []struct {
		v     any
		bytes string
		fault string
	}{
		{&exportedStruct{EmbStruct{3}}, nested, ""},
		{&exportedStructBare{EmbStruct{3}}, promoted, ""},
		{&exportedStructLeft{EmbStruct{3}}, nothing, ""},
		{&exportedStructPtr{&EmbStruct{3}}, nested, ""},
		{&exportedStructPtrBare{&EmbStruct{3}}, promoted, ""},
		{&exportedStructPtrLeft{&EmbStruct{3}}, nothing, ""},
		{&exportedInt{3}, scalar, ""},
		{&exportedIntBare{3}, "", "exported field EmbInt has no sofab tag; add `sofab:\"0\"`"},
		{&exportedIntLeft{3}, nothing, ""},
		{&exportedIntPtr{pointerTo(EmbInt(3))}, scalar, ""},
		{&exportedIntPtrBare{pointerTo(EmbInt(3))}, "", "exported field EmbInt has no sofab tag; add `sofab:\"0\"`"},
		{&exportedIntPtrLeft{pointerTo(EmbInt(3))}, nothing, ""},
		{&unexportedStruct{embStruct{3}}, nested, ""},
		{&unexportedStructBare{embStruct{3}}, promoted, ""},
		{&unexportedStructLeft{embStruct{3}}, nothing, ""},
		{&unexportedStructPtr{&embStruct{3}}, "", "field embStruct: embedded pointer to unexported type sofab_test.embStruct cannot be allocated; embed the value or tag it `sofab:\"-\"`"},
		{&unexportedStructPtrBare{&embStruct{3}}, "", "field embStruct: embedded pointer to unexported type sofab_test.embStruct cannot be allocated"},
		{&unexportedStructPtrLeft{&embStruct{3}}, nothing, ""},
		{&unexportedInt{3}, "", "field embInt: tag \"5\": the field is not exported"},
		{&unexportedIntBare{3}, nothing, ""},
		{&unexportedIntLeft{3}, nothing, ""},
		{&unexportedIntPtr{pointerTo(embInt(3))}, "", "field embInt: tag \"5\": the field is not exported"},
		{&unexportedIntPtrBare{pointerTo(embInt(3))}, nothing, ""},
		{&unexportedIntPtrLeft{pointerTo(embInt(3))}, nothing, ""},
	} {
		t.Run(reflect.TypeOf(tt.v).Elem().Name(), func(t *testing.T) {
			if tt.fault != "" {
				checkFault(t, tt.v, tt.fault)
				return
			}
			checkEncode(t, "", tt.v, unhex(t, tt.bytes))
			if tt.bytes == nothing {
				before := refDump(reflect.ValueOf(tt.v))
				if err := sofab.Unmarshal(unhex(t, "2906 2e090807 0908"), tt.v); err != nil || refDump(reflect.ValueOf(tt.v)) != before {
					t.Errorf("%v: a field that is left out changed from %s to %s", err, before, refDump(reflect.ValueOf(tt.v)))
				}
				return
			}
			checkYields(t, tt.bytes, tt.v)
		})
	}
}

type (
	embLow struct {
		Name string `sofab:"1"`
		Low  uint8  `sofab:"2,default=7"`
	}
	EmbMid struct {
		Mid *int8 `sofab:"3"`
		*EmbFar
	}
	EmbFar struct {
		Far  []string `sofab:"4"`
		Nest embLow   `sofab:"5"`
	}
	embFirst struct {
		*EmbMid
		embLow
		Own bool `sofab:"6"`
	}
	embMiddle struct {
		Own bool `sofab:"6"`
		*EmbMid
		embLow
	}
	embLast struct {
		embLow
		Own bool `sofab:"6"`
		*EmbMid
	}
)

// Embedded pointers at the first, middle and last position: nil ones are skipped, and
// allocated only when one of their ids arrives, with the defaults inside.
func TestEmbeddedPointers(t *testing.T) {
	for _, tt := range []struct {
		bytes  string
		first  embFirst
		middle embMiddle
		last   embLast
	}{
		{"", embFirst{embLow: embLow{Low: 7}}, embMiddle{embLow: embLow{Low: 7}}, embLast{embLow: embLow{Low: 7}}},
		{"0a0a61 1000 3001", embFirst{nil, embLow{"a", 0}, true}, embMiddle{true, nil, embLow{"a", 0}}, embLast{embLow{"a", 0}, true, nil}},
		{
			"1900", embFirst{&EmbMid{pointerTo(int8(0)), nil}, embLow{"", 7}, false},
			embMiddle{false, &EmbMid{pointerTo(int8(0)), nil}, embLow{"", 7}}, embLast{embLow{"", 7}, false, &EmbMid{pointerTo(int8(0)), nil}},
		},
		{
			"26020a6207 2e0a0a7807", embFirst{&EmbMid{nil, &EmbFar{[]string{"b"}, embLow{"x", 7}}}, embLow{"", 7}, false},
			embMiddle{false, &EmbMid{nil, &EmbFar{[]string{"b"}, embLow{"x", 7}}}, embLow{"", 7}},
			embLast{embLow{"", 7}, false, &EmbMid{nil, &EmbFar{[]string{"b"}, embLow{"x", 7}}}},
		},
	} {
		checkRoundTrip(t, &tt.first, tt.bytes)
		checkRoundTrip(t, &tt.middle, tt.bytes)
		checkRoundTrip(t, &tt.last, tt.bytes)
	}
	// A mistyped field does not allocate, and neither does an unknown one.
	checkYields(t, "1805 4005", &embFirst{embLow: embLow{Low: 7}})
	// An embedded pointer without content has no presence of its own.
	checkEncode(t, "empty", &embFirst{EmbMid: &EmbMid{EmbFar: &EmbFar{Nest: embLow{Low: 7}}}, embLow: embLow{Low: 7}}, nil)
}

type (
	embShadowed struct {
		Name string `sofab:"1"`
		Note string `sofab:"2"`
	}
	embShadow struct {
		embShadowed
		Name string `sofab:"1"`
	}
	embTwiceA struct {
		Name string `sofab:"1"`
	}
	embTwiceB struct {
		Name string `sofab:"1"`
	}
	embHidden struct { // the nearest Name hides two that would be ambiguous
		embTwiceA
		embTwiceB
		Name string `sofab:"1"`
	}
	embOtherID struct { // one name, two ids: two fields
		embTwiceA
		Name string `sofab:"2"`
	}
	embAmbiguous struct {
		embTwiceA
		embTwiceB
	}
	embClash struct {
		embTwiceA
		Total int `sofab:"1"`
	}
	embDiamondLeft  struct{ embTwiceA }
	embDiamondRight struct{ embTwiceA }
	embDiamond      struct {
		embDiamondLeft
		embDiamondRight
	}
	EmbCycle struct {
		A int `sofab:"1"`
		*EmbCycle
	}
	EmbCycleA struct{ *EmbCycleB }
	EmbCycleB struct {
		B int `sofab:"1"`
		*EmbCycleA
	}
	EmbCycleTagged struct {
		A         int `sofab:"1"`
		*EmbCycle `sofab:"-"`
		Next      *EmbCycleTagged `sofab:"2"`
	}
)

func TestEmbeddedNames(t *testing.T) {
	checkEncode(t, "shadow", &embShadow{embShadowed{"hidden", "n"}, "a"}, unhex(t, "0a0a61 120a6e"))
	checkYields(t, "0a0a61 120a6e", &embShadow{embShadowed{"", "n"}, "a"})
	checkRoundTrip(t, &embHidden{Name: "a"}, "0a0a61")
	checkRoundTrip(t, &embOtherID{embTwiceA{"a"}, "b"}, "0a0a61 120a62")
	checkFault(t, new(embAmbiguous), "field Name (promoted from embTwiceB.Name): id 1 is already used by field Name (promoted from embTwiceA.Name)")
	checkFault(t, new(embClash), "field Name (promoted from embTwiceA.Name): id 1 is already used by field Total")
	checkFault(t, new(embDiamond), "promoted from embDiamondRight.embTwiceA.Name", "promoted from embDiamondLeft.embTwiceA.Name")
	checkFault(t, new(EmbCycle), "field EmbCycle: type sofab_test.EmbCycle embeds itself through a pointer; give the field an id or tag it `sofab:\"-\"`")
	checkFault(t, new(EmbCycleA), "field EmbCycleB.EmbCycleA: type sofab_test.EmbCycleA embeds itself")
	checkRoundTrip(t, &EmbCycleTagged{A: 1, Next: &EmbCycleTagged{}}, "0902 1607")
}

type (
	embInline struct {
		In  embLow     `sofab:",inline"`
		Ptr *EmbFar    `sofab:",inline"`
		Emb EmbStruct0 `sofab:",inline,name=other"`
	}
	EmbStruct0 struct {
		X int `sofab:"0"`
	}
	embInlineClash struct {
		A embTwiceA `sofab:",inline"`
		B embTwiceB `sofab:",inline"`
	}
	embInlineID struct {
		A embTwiceA `sofab:"3,inline"`
	}
	embInlineInt struct {
		A []int `sofab:",inline"`
	}
	embInlineHidden struct {
		a embTwiceA `sofab:",inline"`
	}
	embInlineOption struct {
		A embTwiceA `sofab:",inline,maxlen=3"`
	}
)

func TestInline(t *testing.T) {
	checkRoundTrip(t, &embInline{In: embLow{"a", 7}, Emb: EmbStruct0{1}}, "0102 0a0a61")
	checkRoundTrip(t, &embInline{In: embLow{"", 7}, Ptr: &EmbFar{[]string{""}, embLow{"", 7}}}, "26020207")
	checkFault(t, new(embInlineClash), "field Name (promoted from B.Name): id 1 is already used by field Name (promoted from A.Name)")
	checkFault(t, new(embInlineID), "inline fields have no id of their own")
	checkFault(t, new(embInlineInt), `tag ",inline": option "inline" does not go with type []int at byte 1`)
	checkFault(t, &embInlineHidden{a: embTwiceA{"b"}}, "the field is not exported")
	checkFault(t, new(embInlineOption), `option "maxlen" does not go with "inline" at byte 8`)
}
