package sofab_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sofab-go/sofab"
)

type (
	directLeaf struct {
		A int `sofab:"1"`
	}
	directBlank struct {
		_ struct{}
		P *directLeaf `sofab:"1"`
	}
	directTwoBlanks struct {
		_ struct{}
		_ [0]func()
		P *directLeaf `sofab:"1"`
	}
	directBlankBehind struct {
		P *directLeaf `sofab:"1"`
		_ struct{}
	}
	directPlain struct {
		P *directLeaf `sofab:"1"`
	}
	directNestedField struct {
		In directBlank `sofab:"1"`
	}
	directPromoted struct{ directBlank }
	directEmbedded struct{ *EmbStruct }
	directArray    struct {
		A [1]*directLeaf `sofab:"1"`
	}
	directEmptyArray struct {
		_ [0]int
		A [1]*directLeaf `sofab:"1"`
	}
	directChan struct {
		c chan int
	}
	directFunc struct {
		F func() `sofab:"-"`
	}
	directMap struct {
		M map[string]int `sofab:"-"`
	}
	directNumber  struct{ u uint64 }
	directPointer struct {
		PP **directLeaf `sofab:"1"`
	}
	directOfEmpty struct {
		E struct{}      `sofab:"0"`
		P *directLeaf   `sofab:"1"`
		S [0]directLeaf `sofab:"2"`
	}
	directHolder[T any] struct {
		Value T    `sofab:"1"`
		List  []T  `sofab:"2"`
		Array [2]T `sofab:"3"`
		Ptr   *T   `sofab:"4"`
		Ptrs  []*T `sofab:"5"`
	}
)

// checkDirect passes a value of a type that an interface may hold directly by value and
// by pointer, and inside others.
func checkDirect[T any](t *testing.T, v T, body string) {
	t.Helper()
	t.Run(fmt.Sprintf("%T", v), func(t *testing.T) {
		want := unhex(t, body)
		for name, value := range map[string]any{"value": v, "pointer": &v, "pointer to pointer": pointerTo(&v)} {
			if got, err := sofab.Marshal(value); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s: %x, %v, want %x", name, got, err, want)
			}
		}
		checkYields(t, body, &v)
		holder := directHolder[T]{Value: v, List: []T{v, v}, Array: [2]T{v, v}, Ptr: &v, Ptrs: []*T{&v, nil, &v}}
		data, err := sofab.Marshal(holder)
		if err != nil {
			t.Fatal(err)
		}
		if byPointer, err := sofab.Marshal(&holder); err != nil || !bytes.Equal(byPointer, data) {
			t.Errorf("holder: %x, %v, by value %x", byPointer, err, data)
		}
		checkYields(t, fmt.Sprintf("%x", data), &holder)
	})
}

// Q71: which values an interface holds directly has changed between Go releases.
func TestDirectIface(t *testing.T) {
	leaf := &directLeaf{3}
	checkDirect(t, directBlank{P: leaf}, "0e090607")
	checkDirect(t, directTwoBlanks{P: leaf}, "0e090607")
	checkDirect(t, directBlankBehind{P: leaf}, "0e090607")
	checkDirect(t, directPlain{P: leaf}, "0e090607")
	checkDirect(t, directNestedField{directBlank{P: leaf}}, "0e0e09060707")
	checkDirect(t, directPromoted{directBlank{P: leaf}}, "0e090607")
	checkDirect(t, directEmbedded{&EmbStruct{3}}, "0906")
	checkDirect(t, directArray{[1]*directLeaf{leaf}}, "0e0609060707")
	checkDirect(t, directEmptyArray{A: [1]*directLeaf{leaf}}, "0e0609060707")
	checkDirect(t, directPointer{&leaf}, "0e090607")
	checkDirect(t, directOfEmpty{P: leaf}, "0e090607")
	checkDirect(t, struct{}{}, "")
	checkDirect(t, struct{ directPlain }{directPlain{leaf}}, "0e090607")
	checkDirect(t, struct {
		_ struct{}
		directPlain
		_ [0]string
	}{directPlain: directPlain{leaf}}, "0e090607")
	for _, v := range []any{
		directBlank{}, directTwoBlanks{}, directPlain{}, directArray{}, directEmbedded{}, directChan{}, directFunc{}, directMap{},
		directNumber{}, directPointer{}, &directBlank{}, (*directBlank)(nil), (**directBlank)(nil), pointerTo((*directBlank)(nil)),
		directChan{make(chan int)}, directFunc{func() {}}, directMap{map[string]int{"a": 1}}, directNumber{7},
	} {
		if got, err := sofab.Marshal(v); err != nil || len(got) != 0 {
			t.Errorf("%T: %x, %v, want no bytes", v, got, err)
		}
	}
	// At the top level a value that is no struct is a message with the value at id 0.
	for _, tt := range []struct {
		v     any
		bytes string
	}{
		{[1]*directLeaf{leaf}, "060609060707"}, {[]*directLeaf{leaf}, "060609060707"}, {[1]int{2}, "040104"}, {3, "0106"}, {"a", "020a61"},
		{[]byte{1}, "020b01"}, {uint8(0), ""}, {false, ""}, {pointerTo(0), ""}, {[]string{"a"}, "06020a6107"},
	} {
		got, err := sofab.Marshal(tt.v)
		if want := unhex(t, tt.bytes); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%T: %x, %v, want %x", tt.v, got, err, want)
		}
		back := reflect.New(reflect.TypeOf(tt.v))
		if err := sofab.Unmarshal(got, back.Interface()); err != nil || !reflect.DeepEqual(back.Elem().Interface(), tt.v) && len(got) > 0 {
			t.Errorf("%T: %v, %v", tt.v, back.Elem(), err)
		}
	}
	for _, v := range []any{make(chan int), func() {}, map[int]func(){}, complex(1, 1), uintptr(1)} {
		if got, err := sofab.Marshal(v); !errors.As(err, new(*sofab.TagError)) || got != nil {
			t.Errorf("%T: %x, %v, want a TagError", v, got, err)
		}
	}
}

type (
	trapTree struct {
		Roots []*trapNode `sofab:"1"`
	}
	trapNode struct {
		V    int         `sofab:"1"`
		Kids []*trapNode `sofab:"2"`
	}
	trapA struct {
		V  int        `sofab:"1"`
		B  *trapB     `sofab:"2"`
		Bs []trapB    `sofab:"3"`
		C  [][]*trapC `sofab:"4"`
	}
	trapB struct {
		V  int      `sofab:"1"`
		C  *trapC   `sofab:"2"`
		As []*trapA `sofab:"3"`
	}
	trapC struct {
		V int       `sofab:"1"`
		A *trapA    `sofab:"2"`
		B [2]*trapB `sofab:"3"`
		trapPart
	}
	trapPart struct {
		P *trapPart `sofab:"10"`
		D int       `sofab:"11,default=4"`
	}
	trapList      []trapList
	trapListField struct {
		L trapList   `sofab:"1"`
		M []trapList `sofab:"2"`
	}
	trapPtrList []*trapPtrList
)

// Q33, Q36, Q37: recursive and mutually recursive types are used first by many
// goroutines, through different entry points. Nobody sees a codec that is unfinished.
func TestFirstUse(t *testing.T) {
	a := trapA{V: 1, B: &trapB{V: 2, C: &trapC{V: 3, A: &trapA{V: 4}, trapPart: trapPart{P: &trapPart{D: 1}}}}, Bs: []trapB{{V: 5}}, C: [][]*trapC{{{V: 6}}}}
	b := trapB{V: 1, C: &trapC{V: 3, B: [2]*trapB{{V: 1}, {V: 2}}}, As: []*trapA{&a}}
	c := trapC{V: 1, A: &a, B: [2]*trapB{&b, {}}, trapPart: trapPart{D: 4}}
	tree := trapTree{[]*trapNode{{V: 1, Kids: []*trapNode{{V: 2}, nil, {V: 3}}}}}
	values := []any{&a, &b, &c, &tree, a, b, c, tree}
	var want [][]byte
	for _, v := range values {
		data, err := sofab.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, data)
	}
	const workers = 64
	rounds := 200
	if testing.Short() {
		rounds = 20
	}
	for round := range rounds {
		codec, err := sofab.Options{}.Codec()
		if err != nil {
			t.Fatal(err)
		}
		start := make(chan struct{})
		var wg sync.WaitGroup
		for w := range workers {
			wg.Add(1)
			go func() {
				defer wg.Done()
				<-start
				k := (w + round) % len(values)
				if w%2 == 0 {
					if got, err := codec.Marshal(values[k]); err != nil || !bytes.Equal(got, want[k]) {
						t.Errorf("%T: %x, %v", values[k], got, err)
					}
					return
				}
				into := reflect.New(reflect.Indirect(reflect.ValueOf(values[k])).Type())
				if err := codec.Unmarshal(want[k], into.Interface()); err != nil {
					t.Errorf("%T: %v", values[k], err)
				}
				if got, err := codec.Marshal(into.Interface()); err != nil || !bytes.Equal(got, want[k]) {
					t.Errorf("%T: there and back: %x, %v", values[k], got, err)
				}
			}()
		}
		close(start)
		wg.Wait()
	}
}

func TestRecursiveTypes(t *testing.T) {
	checkRoundTrip(t, &trapListField{L: trapList{nil, {nil}}, M: []trapList{nil, {nil}}}, "0e0e06070707 160e06070707")
	checkYields(t, "0e060707", &trapListField{L: trapList{nil}})
	list := trapPtrList{nil, &trapPtrList{}}
	if got, err := sofab.Marshal(list); err != nil || !bytes.Equal(got, unhex(t, "060e0707")) {
		t.Errorf("%x, %v", got, err)
	}
	if err := sofab.Check[trapTree](); err != nil {
		t.Error(err)
	}
}

// Q34: thousands of types at once.
func TestManyTypes(t *testing.T) {
	count := 10000
	if testing.Short() {
		count = 1000
	}
	codec, err := sofab.Options{}.Codec()
	if err != nil {
		t.Fatal(err)
	}
	types := make([]reflect.Type, count)
	for i := range types {
		types[i] = reflect.StructOf([]reflect.StructField{{
			Name: "F", Type: reflect.TypeFor[uint32](), Tag: reflect.StructTag(fmt.Sprintf(`sofab:"%d"`, i)),
		}})
	}
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range types {
				k := (i*7 + w*count/8) % count
				v := reflect.New(types[k])
				v.Elem().Field(0).SetUint(uint64(k) + 1)
				data, err := codec.Marshal(v.Interface())
				back := reflect.New(types[k])
				if err == nil {
					err = codec.Unmarshal(data, back.Interface())
				}
				if err != nil || !back.Elem().Equal(v.Elem()) {
					t.Errorf("%v: %v, %v, want %v", types[k], back, err, v)
					return
				}
			}
		}()
	}
	wg.Wait()
}

type trapFloats struct {
	F32  float32    `sofab:"0"`
	F64  float64    `sofab:"1"`
	P32  *float32   `sofab:"2"`
	P64  *float64   `sofab:"3"`
	S32  []float32  `sofab:"4"`
	S64  []float64  `sofab:"5"`
	A32  [2]float32 `sofab:"6"`
	N32  refRatio   `sofab:"7"`
	L32  []refRatio `sofab:"8"`
	Q32  []*float32 `sofab:"9"`
	D32  float32    `sofab:"10,default=1.5"`
	D64  []float64  `sofab:"11,default='[1,2]'"`
	Wide float64    `sofab:"12,fp32"`
}

// Signalling NaNs keep every bit: a float32 never passes through float64.
func TestSignallingNaN(t *testing.T) {
	quiet32, signal32 := math.Float32frombits(0x7fc00001), math.Float32frombits(0xff800001)
	signal64 := math.Float64frombits(0x7ff0000000000001)
	v := &trapFloats{
		F32: signal32, F64: signal64, P32: &signal32, P64: &signal64, S32: []float32{signal32, quiet32}, S64: []float64{signal64},
		A32: [2]float32{0, signal32}, N32: refRatio(signal32), L32: []refRatio{refRatio(signal32)}, Q32: []*float32{&signal32},
		D32: signal32, D64: []float64{signal64},
	}
	const s32, s64 = "010080ff", "010000000000f07f"
	checkRoundTrip(t, v, "0220"+s32+" 0a41"+s64+" 1220"+s32+" 1a41"+s64+" 250220"+s32+"0100c07f 2d0141"+s64+
		" 35022000000000"+s32+" 3a20"+s32+" 450120"+s32+" 4d0120"+s32+" 5220"+s32+" 5d0141"+s64)
	// A NaN is no default, also where one is declared.
	v = &trapFloats{D32: 1.5, D64: []float64{1, 2}, Wide: math.NaN()}
	got, err := sofab.Marshal(v)
	if err != nil || len(got) != 6 || got[0] != 0x62 {
		t.Errorf("%x, %v", got, err)
	}
	v.Wide = 0.1
	if err := checkEncodeFails(t, v); errorText(err) != "sofab: trapFloats.Wide: 0.1 is not exact as fp32" {
		t.Error(err)
	}
}

type trapBytes struct {
	A []uint8    `sofab:"1,array"`
	B []refByte  `sofab:"2,array,count=3,elem.u8"`
	C [3]uint8   `sofab:"3,array"`
	D []uint8    `sofab:"4,string,maxlen=4"`
	E string     `sofab:"5,blob"`
	F []uint8    `sofab:"6,array,default='[1,255]'"`
	G [2]refByte `sofab:"7,default='hex:0102'"`
	H [][]uint8  `sofab:"8,elem.array"`
}

func TestByteArrays(t *testing.T) {
	checkRoundTrip(t, &trapBytes{F: []uint8{1, 255}, G: [2]refByte{1, 2}}, "")
	checkRoundTrip(t, &trapBytes{
		A: []uint8{0, 255}, B: []refByte{128}, C: [3]uint8{0, 1}, D: []uint8("é"), E: "\xff", F: []uint8{1}, H: [][]uint8{{200}},
	}, "0b0200ff01 13018001 1b03000100 2212c3a9 2a0bff 330101 3a130000 460301c80107")
	checkYields(t, "330101", &trapBytes{F: []uint8{1}, G: [2]refByte{1, 2}})
	for input, text := range map[string]string{
		"0b018002":         "sofab: trapBytes.A[0]: 256 does not fit u8 at offset 2",
		"1304":             "sofab: trapBytes.B: 4 elements are more than count=3 allows at offset 1",
		"1b04":             "sofab: trapBytes.C: 4 elements are more than count=3 allows at offset 1",
		"3a1b":             "sofab: trapBytes.G: 3 bytes where exactly 2 are needed at offset 1",
		"222a":             "sofab: trapBytes.D: 5 bytes are more than maxlen=4 allows at offset 1",
		"220aff":           "sofab: trapBytes.D: invalid UTF-8 at byte 0 at offset 2",
		"46 0b 02 01 8002": "sofab: trapBytes.H[1][1]: 256 does not fit u8 at offset 4",
	} {
		if err := sofab.Unmarshal(unhex(t, input), new(trapBytes)); errorText(err) != text {
			t.Errorf("%s: %v\nwant %s", input, err, text)
		}
	}
	if err := checkEncodeFails(t, &trapBytes{D: []uint8("\xff")}); errorText(err) != "sofab: trapBytes.D: invalid UTF-8 at byte 0" {
		t.Error(err)
	}
}

type (
	trapEndless  *trapEndless
	trapEndlessA *trapEndlessB
	trapEndlessB *trapEndlessA
	trapPointer  *directLeaf
)

func TestEndlessPointers(t *testing.T) {
	var p trapEndless
	p = &p
	checkFault(t, &struct {
		P trapEndless `sofab:"1"`
	}{}, "field P: type sofab_test.trapEndless points only to itself")
	checkFault(t, &struct {
		P trapEndlessA `sofab:"1"`
	}{}, "points only to itself")
	for _, v := range []any{p, &p} {
		if _, err := sofab.Marshal(v); !errors.As(err, new(*sofab.TagError)) {
			t.Errorf("Marshal: %v", err)
		}
		if err := sofab.Unmarshal(nil, v); !errors.As(err, new(*sofab.TagError)) {
			t.Errorf("Unmarshal: %v", err)
		}
	}
	// A named pointer type is a pointer.
	leaf := directLeaf{3}
	if got, err := sofab.Marshal(trapPointer(&leaf)); err != nil || !bytes.Equal(got, unhex(t, "0906")) {
		t.Errorf("%x, %v", got, err)
	}
	if err := sofab.Unmarshal(unhex(t, "0908"), trapPointer(&leaf)); err != nil || leaf.A != 4 {
		t.Errorf("%v, %v", leaf, err)
	}
	if err := sofab.Unmarshal(nil, trapPointer(nil)); !errors.As(err, new(*sofab.InvalidUnmarshalError)) {
		t.Error(err)
	}
}

// Q13: values that contain themselves end with an error, soon.
func TestCyclicValues(t *testing.T) {
	node := &trapNode{V: 1}
	node.Kids = []*trapNode{node}
	b := &trapB{}
	b.As = []*trapA{{B: b}}
	list := make(trapList, 1)
	list[0] = list
	both := make(trapList, 2)
	both[0], both[1] = both, both
	ring := &presCycle{}
	ring.Next = &presCycle{Next: &presCycle{Next: ring}}
	part := &trapPart{}
	part.P = part
	embedded := &EmbCycleTagged{}
	embedded.Next = embedded
	for _, v := range []any{node, b, list, both, ring, *ring, part, embedded} {
		start := time.Now()
		_, err := sofab.Marshal(v)
		if !errors.As(err, new(*sofab.UnsupportedValueError)) || !strings.HasSuffix(errorText(err), ": more than 255 levels deep; does the value contain itself?") {
			t.Errorf("%T: %v", v, err)
		}
		if len(errorText(err)) > 400 {
			t.Errorf("%T: the text has %d bytes: %v", v, len(err.Error()), err)
		}
		if d := time.Since(start); d > time.Second {
			t.Errorf("%T: took %v", v, d)
		}
	}
	deep := &presCycle{}
	for range 255 {
		deep = &presCycle{Next: deep}
	}
	data, err := sofab.Marshal(deep)
	if err != nil || len(data) != 510 {
		t.Fatalf("255 levels: %d bytes, %v", len(data), err)
	}
	checkYields(t, fmt.Sprintf("%x", data), deep)
	if _, err := sofab.Marshal(&presCycle{Next: deep}); err == nil {
		t.Error("256 levels: no error")
	}
}

type presCycle struct {
	Next *presCycle `sofab:"1"`
}

type trapFaulty struct {
	A    int `sofab:"1"`
	Note string
	C    chan int `sofab:"2"`
}

func TestInvalidDestinations(t *testing.T) {
	checkFault(t, &trapFaulty{A: 5, Note: "kept"}, "exported field Note has no sofab tag; add `sofab:\"3\"`", "field C: type chan int has no wire form; tag the field `sofab:\"-\"`")
	var typed *directLeaf
	for _, tt := range []struct {
		v    any
		text string
	}{
		{nil, "sofab: cannot unmarshal into nil; pass a pointer"},
		{directLeaf{}, "sofab: cannot unmarshal into a sofab_test.directLeaf; pass a pointer to it"},
		{5, "sofab: cannot unmarshal into a int; pass a pointer to it"},
		{typed, "sofab: cannot unmarshal into a nil *sofab_test.directLeaf; pass a pointer to a value"},
		{map[string]int{}, "sofab: cannot unmarshal into a map[string]int; pass a pointer to it"},
		{(**directLeaf)(nil), "sofab: cannot unmarshal into a nil **sofab_test.directLeaf; pass a pointer to a value"},
	} {
		for name, err := range map[string]error{
			"Unmarshal": sofab.Unmarshal([]byte{9, 2}, tt.v), "UnmarshalRead": sofab.UnmarshalRead(strings.NewReader("\x09\x02"), tt.v),
			"NewFeeder": errorOf(sofab.NewFeeder(tt.v)),
		} {
			if errorText(err) != tt.text || !errors.As(err, new(*sofab.InvalidUnmarshalError)) {
				t.Errorf("%s into %T: %v\nwant %s", name, tt.v, err, tt.text)
			}
		}
	}
	// Pointers to nil pointers are allocated.
	var pp **directLeaf
	if err := sofab.Unmarshal([]byte{9, 2}, &pp); err != nil || (*pp).A != 1 {
		t.Errorf("%v", err)
	}
	if _, err := sofab.Marshal(nil); !errors.As(err, new(*sofab.UnsupportedTypeError)) {
		t.Errorf("Marshal(nil): %v", err)
	}
	for _, v := range []any{typed, (**directLeaf)(nil), &typed, (*int)(nil), (*[]int)(nil)} {
		if got, err := sofab.Marshal(v); err != nil || got == nil || len(got) != 0 {
			t.Errorf("Marshal(%T(nil)): %#v, %v", v, got, err)
		}
	}
}

type trapGeneric[T any] struct {
	V T               `sofab:"1"`
	L []T             `sofab:"2"`
	N *trapGeneric[T] `sofab:"3"`
}

// T27: generic, anonymous and local types, and their names in paths.
func TestTypeNames(t *testing.T) {
	type local struct {
		S string `sofab:"1,maxlen=2"`
	}
	type anonymous = struct {
		In struct {
			S string `sofab:"1,maxlen=2"`
		} `sofab:"1"`
	}
	for _, tt := range []struct {
		v     any
		input string
		text  string
	}{
		{new(local), "0a1a", "sofab: local.S: 3 bytes are more than maxlen=2 allows at offset 1"},
		{new(anonymous), "0e0a1a", "sofab: In.S: 3 bytes are more than maxlen=2 allows at offset 2"},
		{new(trapGeneric[local]), "0e0a1a", "sofab: trapGeneric.V.S: 3 bytes are more than maxlen=2 allows at offset 2"},
		{new(trapGeneric[trapGeneric[uint8]]), "1e0e088002", "sofab: trapGeneric.N.V.V: 256 does not fit u8 at offset 3"},
		{new([]local), "060e0a1a", "sofab: [1].S: 3 bytes are more than maxlen=2 allows at offset 3"},
		{new([3]uint8), "0223", "sofab: 4 bytes where exactly 3 are needed at offset 1"},
	} {
		if err := sofab.Unmarshal(unhex(t, tt.input), tt.v); errorText(err) != tt.text {
			t.Errorf("%T: %v\nwant %s", tt.v, err, tt.text)
		}
	}
	checkRoundTrip(t, &trapGeneric[float32]{V: 1, L: []float32{2}}, "0a200000803f 15012000000040")
}

// Defaults of structs inside of a value that is no struct.
func TestDefaultsAtTheTop(t *testing.T) {
	v := [2]presInner{{1, 1}, {2, 2}}
	if err := sofab.Unmarshal(nil, &v); err != nil || v != [2]presInner{{0, 7}, {0, 7}} {
		t.Errorf("%v, %v", v, err)
	}
	kept := [1]struct {
		A      int `sofab:"1"`
		hidden int
	}{{1, 2}}
	if err := sofab.Unmarshal(nil, &kept); err != nil || kept[0].A != 0 || kept[0].hidden != 2 {
		t.Errorf("%v, %v", kept, err)
	}
}

// T26: locks and the like are no data.
func TestLocks(t *testing.T) {
	checkFault(t, &struct{ sync.Mutex }{}, "field Mutex: type sync.Mutex is no data; tag the field `sofab:\"-\"`")
	checkFault(t, &struct {
		Once *sync.Once `sofab:"1"`
	}{}, "field Once: type sync.Once is no data; tag the field `sofab:\"-\"`")
	v := &struct {
		sync.Mutex `sofab:"-"`
		mu         sync.RWMutex
		A          int `sofab:"1"`
	}{A: 1}
	v.Lock()
	v.mu.Lock()
	if err := sofab.Unmarshal([]byte{9, 4}, v); err != nil || v.A != 2 || v.TryLock() || v.mu.TryLock() {
		t.Errorf("%v: a lock was touched", err)
	}
}

// IDs far apart, and a great many of them.
func TestLargeIDs(t *testing.T) {
	type far struct {
		A int  `sofab:"2147483647"`
		B int  `sofab:"2147483646"`
		C bool `sofab:"0"`
	}
	checkRoundTrip(t, &far{1, 2, true}, "0001 f1ffffff3f04 f9ffffff3f02")
	var fields []reflect.StructField
	for i := range 2000 {
		fields = append(fields, reflect.StructField{Name: fmt.Sprintf("F%d", i), Type: reflect.TypeFor[uint8](), Tag: reflect.StructTag(fmt.Sprintf(`sofab:"%d"`, i))})
	}
	slices.Reverse(fields)
	typ := reflect.StructOf(fields)
	v := reflect.New(typ)
	for i := range typ.NumField() {
		v.Elem().Field(i).SetUint(uint64(i%255) + 1)
	}
	data, err := sofab.Marshal(v.Interface())
	back := reflect.New(typ)
	if err == nil {
		err = sofab.Unmarshal(data, back.Interface())
	}
	if err != nil || !back.Elem().Equal(v.Elem()) {
		t.Errorf("%v: %d fields do not come back", err, typ.NumField())
	}
}
