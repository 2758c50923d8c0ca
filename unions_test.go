package sofab_test

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/sofab-go/sofab"
)

type (
	// payment is a union of which every kind of arm is a pointer.
	payment struct {
		Cash  *uint32           `sofab:"0"`
		Card  *paymentCard      `sofab:"1"`
		Note  *string           `sofab:"2,maxlen=4"`
		Lines *[]string         `sofab:"3"`
		Rates *[]int16          `sofab:"5"`
		Tags  *map[string]uint8 `sofab:"6"`
		Split *[]payment        `sofab:"7,elem.union"`
	}
	paymentCard struct {
		Number string `sofab:"0"`
		Month  uint8  `sofab:"1,default=12"`
	}
	invoice struct {
		Pay payment            `sofab:"1,union"`
		All []payment          `sofab:"2,elem.union"`
		Ptr *payment           `sofab:"3,union"`
		Map map[uint8]payment  `sofab:"4,val.union"`
		Two [2]payment         `sofab:"5,elem.union"`
		Raw payment            `sofab:"6"` // a plain struct of pointers
		Def payment            `sofab:"7,union,default_id=1"`
		Opt map[uint8]*payment `sofab:"8,val.union"`
	}
)

// emptyInvoice is what absent fields decode to.
func emptyInvoice(set func(*invoice)) *invoice {
	v := &invoice{Def: payment{Card: &paymentCard{Month: 12}}}
	if set != nil {
		set(v)
	}
	return v
}

func TestUnionArms(t *testing.T) {
	for _, test := range []struct {
		name string
		v    *invoice
		want string
	}{
		{"none", emptyInvoice(nil), "3e 0e 07 07"},
		{"zero scalar", emptyInvoice(func(v *invoice) { v.Pay.Cash = new(uint32) }), "0e 00 00 07 3e 0e 07 07"},
		{"scalar", emptyInvoice(func(v *invoice) { v.Pay.Cash = ptr(uint32(5)) }), "0e 00 05 07 3e 0e 07 07"},
		{"default struct", emptyInvoice(func(v *invoice) { v.Pay.Card = &paymentCard{Month: 12} }), "0e 0e 07 07 3e 0e 07 07"},
		{"struct", emptyInvoice(func(v *invoice) { v.Pay.Card = &paymentCard{Number: "7"} }), "0e 0e 02 0a 37 08 00 07 07 3e 0e 07 07"},
		{"empty string", emptyInvoice(func(v *invoice) { v.Pay.Note = new(string) }), "0e 12 02 07 3e 0e 07 07"},
		{"empty list", emptyInvoice(func(v *invoice) { v.Pay.Lines = new([]string) }), "0e 1e 07 07 3e 0e 07 07"},
		{"empty array", emptyInvoice(func(v *invoice) { v.Pay.Rates = new([]int16) }), "0e 2c 00 07 3e 0e 07 07"},
		{"empty map", emptyInvoice(func(v *invoice) { v.Pay.Tags = new(map[string]uint8) }), "0e 36 07 07 3e 0e 07 07"},
		{"itself", emptyInvoice(func(v *invoice) { v.Pay.Split = &[]payment{{}, {Cash: ptr(uint32(1))}, {}} }), "0e 3e 0e 00 01 07 16 07 07 07 3e 0e 07 07"},
		{"list with gaps", emptyInvoice(func(v *invoice) { v.All = []payment{{}, {Note: ptr("x")}, {}} }), "16 0e 12 0a 78 07 16 07 07 3e 0e 07 07"},
		{"pointer to none", emptyInvoice(func(v *invoice) { v.Ptr = new(payment) }), "1e 07 3e 0e 07 07"},
		{"pointer", emptyInvoice(func(v *invoice) { v.Ptr = &payment{Cash: new(uint32)} }), "1e 00 00 07 3e 0e 07 07"},
		{"map", emptyInvoice(func(v *invoice) { v.Map = map[uint8]payment{0: {}, 1: {Cash: new(uint32)}} }), "26 0e 00 01 0e 00 00 07 07 07 3e 0e 07 07"},
		{"map of pointers", emptyInvoice(func(v *invoice) { v.Opt = map[uint8]*payment{0: {}, 1: nil} }), "3e 0e 07 07 46 06 0e 07 07 0e 00 01 07 07"},
		{"array", emptyInvoice(func(v *invoice) { v.Two[0].Cash = new(uint32) }), "2e 06 00 00 07 0e 07 07 3e 0e 07 07"},
		{"default arm", emptyInvoice(func(v *invoice) { v.Def.Card.Number = "1" }), "3e 0e 02 0a 31 07 07"},
		{"other than the default arm", emptyInvoice(func(v *invoice) { v.Def = payment{Cash: ptr(uint32(9))} }), "3e 00 09 07"},
		{"without the option", emptyInvoice(func(v *invoice) { v.Raw = payment{Cash: new(uint32), Note: ptr("x")} }), "36 00 00 12 0a 78 07 3e 0e 07 07"},
	} {
		t.Run(test.name, func(t *testing.T) { checkBothWays(t, test.v, test.want, test.v) })
	}
}

func ptr[T any](v T) *T { return &v }

// What arrives last wins, if it is what the arm declares; the others are gone.
func TestUnionLastArmWins(t *testing.T) {
	type one struct {
		U payment `sofab:"1,union"`
	}
	for _, test := range []struct {
		name, input string
		want        payment
	}{
		{"two arms", "0e 00 05 12 0a 61 07", payment{Note: ptr("a")}},
		{"two arms, other order", "0e 12 0a 61 00 05 07", payment{Cash: ptr(uint32(5))}},
		{"union opened twice", "0e 00 05 07 0e 12 0a 61 07", payment{Note: ptr("a")}},
		{"opened again without an arm", "0e 00 05 07 0e 07", payment{Cash: ptr(uint32(5))}},
		{"struct arm continued", "0e 0e 02 0a 61 07 0e 08 05 07 07", payment{Card: &paymentCard{"a", 5}}},
		{"struct arm continued in another frame", "0e 0e 02 0a 61 07 07 0e 0e 08 05 07 07", payment{Card: &paymentCard{"a", 5}}},
		{"struct arm left and taken again", "0e 0e 02 0a 61 07 00 01 0e 08 05 07 07", payment{Card: &paymentCard{"", 5}}},
		{"list arm replaced", "0e 1e 02 0a 61 07 1e 02 0a 62 07 07", payment{Lines: &[]string{"b"}}},
		{"mistyped arm does not count", "0e 00 05 10 07 07", payment{Cash: ptr(uint32(5))}},
		{"rawShape at a string arm", "0e 00 05 12 2b 61 62 63 64 65 07", payment{Cash: ptr(uint32(5))}},
		{"mistyped sequence", "0e 00 05 06 0a 02 07 07", payment{Cash: ptr(uint32(5))}},
		{"unknown arm", "0e 00 05 20 07 07", payment{Cash: ptr(uint32(5))}},
		{"mistyped alone", "0e 01 05 07", payment{}},
		{"empty", "0e 07", payment{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			checkDecodesAs(t, unhex(t, test.input), &one{test.want})
		})
	}
	checkRefused(t, "0e 00 05 12 2a", new(one), "one.U.Note: 5 bytes are more than maxlen=4 allows")
}

// A union without an arm on the wire is the arm of default_id.
func TestUnionDefaultID(t *testing.T) {
	type one struct {
		U payment `sofab:"1,union,default_id=1"`
	}
	type deep struct {
		L []one          `sofab:"1"`
		P *one           `sofab:"2"`
		A [2]one         `sofab:"3"`
		M map[string]one `sofab:"4"`
		N payment        `sofab:"5,union,default_id=0"`
		E []payment      `sofab:"6,elem.union,elem.default_id=2"`
	}
	standard := func() one { return one{payment{Card: &paymentCard{Month: 12}}} }
	for _, test := range []struct {
		name, input string
		want        any
	}{
		{"absent", "", ptr(standard())},
		{"empty", "0e 07", ptr(standard())},
		{"another", "0e 00 05 07", &one{payment{Cash: ptr(uint32(5))}}},
		{"another and back", "0e 00 05 0e 02 0a 61 07 07", &one{payment{Card: &paymentCard{"a", 12}}}},
		{"deep", "0e 0e 07 07 16 07 26 06 02 0a 61 07 07 36 0e 07 07", &deep{
			L: []one{standard(), standard()}, P: ptr(standard()), A: [2]one{standard(), standard()},
			M: map[string]one{"a": standard()}, N: payment{Cash: new(uint32)}, E: []payment{{Note: new(string)}, {Note: new(string)}},
		}},
	} {
		t.Run(test.name, func(t *testing.T) { checkDecodesAs(t, unhex(t, test.input), test.want) })
	}
	// A union that is not set is not written; it comes back as the default arm.
	checkBothWays(t, &one{}, "", ptr(standard()))
}

func TestUnionTwoArms(t *testing.T) {
	for _, test := range []struct {
		v    any
		want string
	}{
		{&invoice{Pay: payment{Cash: new(uint32), Note: new(string)}}, "sofab: invoice.Pay: two arms of the union are set, Cash and Note; set one at most"},
		{&invoice{All: []payment{{}, {Card: new(paymentCard), Lines: new([]string)}}}, "sofab: invoice.All[1]: two arms of the union are set, Card and Lines; set one at most"},
		{&invoice{Pay: payment{Note: ptr("abcde")}}, "sofab: invoice.Pay.Note: 5 bytes are more than maxlen=4 allows"},
	} {
		if err := checkEncodeFails(t, test.v); err == nil || err.Error() != test.want {
			t.Errorf("%v, want %s", err, test.want)
		}
	}
}

type (
	defaultLoop struct {
		U loopUnion `sofab:"0,union,default_id=0"`
	}
	loopUnion struct {
		Again *defaultLoop `sofab:"0"`
		Other *int         `sofab:"1"`
	}
)

func TestUnionTypeFaults(t *testing.T) {
	for _, test := range []struct {
		err  error
		want string
	}{
		{sofab.Check[struct {
			U struct {
				A *int    `sofab:"0"`
				B string  `sofab:"1"`
				C []*int8 `sofab:"2"`
			} `sofab:"3,union"`
		}](), "field B of union "},
		{sofab.Check[struct {
			U struct {
				B string `sofab:"1"`
			} `sofab:"3,union"`
		}](), "is a value; the arms of a union are pointers, use *string at byte 2"},
		{sofab.Check[struct {
			U struct {
				B **string `sofab:"1"`
			} `sofab:"3,union"`
		}](), "is a pointer to a pointer"},
		{sofab.Check[struct {
			U struct {
				B *string `sofab:"1,required"`
			} `sofab:"3,union"`
		}](), "is required; of the arms of a union one is set at most"},
		{sofab.Check[struct {
			U payment `sofab:"3,union,default_id=4"`
		}](), "default_id=4 is no arm of sofab_test.payment at byte 8"},
		{sofab.Check[struct {
			U payment `sofab:"3,default_id=4"`
		}](), `option "default_id" needs the option "union" at byte 2`},
		{sofab.Check[struct {
			U int `sofab:"3,union"`
		}](), `option "union" does not go with type int at byte 2`},
		{sofab.Check[struct {
			U any `sofab:"3,union"`
		}](), "type interface {} is no registered union at byte 2; call sofab.RegisterUnion[interface {}] in an init function"},
		{sofab.Check[struct {
			U error `sofab:"3,union"`
		}](), "type error is no registered union"},
		{sofab.Check[struct {
			U error `sofab:"3"`
		}](), "field U: type error is an interface without registered implementations; call sofab.RegisterUnion[error] in an init function"},
		{sofab.Check[defaultLoop](), "the default of a union in it contains that union again; choose another default_id"},
	} {
		var fault *sofab.TagError
		if !errors.As(test.err, &fault) || !strings.Contains(test.err.Error(), test.want) {
			t.Errorf("%v, want a TagError with %s", test.err, test.want)
		}
	}
}

// Default arms are charged to the memory budget: a gap costs no bytes.
func TestUnionDefaultBudget(t *testing.T) {
	type big struct {
		B [4096]uint64 `sofab:"0"`
	}
	type element struct {
		U struct {
			B *big `sofab:"0"`
			C *int `sofab:"1"`
		} `sofab:"0,union,default_id=0"`
	}
	type list struct {
		L []element `sofab:"0"`
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := sofab.Unmarshal(unhex(t, "06 86 80 3f 07 07"), new(list)) // element 2^17
	runtime.ReadMemStats(&after)
	if !errors.Is(err, sofab.ErrLimit) {
		t.Errorf("element 2^17: %v", err)
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 1<<20 {
		t.Errorf("%d bytes were allocated", grown)
	}
}

type (
	shape interface{ area() float64 }

	circle struct {
		R float64 `sofab:"0"`
	}
	square struct {
		Side uint16  `sofab:"0,default=3"`
		Next shape   `sofab:"1"`
		In   []shape `sofab:"2"`
	}
	rawShape []byte
	number   int32
	graph    map[string]shape
	unit     struct{}
	lone     struct{ N int } // not registered

	picture struct {
		S shape            `sofab:"1"`
		L []shape          `sofab:"2"`
		M map[string]shape `sofab:"3"`
		P *shape           `sofab:"4"`
		A [2]shape         `sofab:"5"`
	}
)

func (circle) area() float64   { return 1 }
func (*square) area() float64  { return 2 }
func (rawShape) area() float64 { return 3 }
func (number) area() float64   { return 4 }
func (graph) area() float64    { return 5 }
func (unit) area() float64     { return 6 }
func (lone) area() float64     { return 8 }

// event is an empty interface with a name, which can be registered.
type event interface{}

// preset has an arm that stands for an empty union.
type preset interface{ isPreset() }

type (
	presetA struct {
		N uint8 `sofab:"0,default=7"`
	}
	presetB struct{}
)

func (presetA) isPreset()  {}
func (*presetB) isPreset() {}

func init() {
	sofab.RegisterUnion[shape](
		sofab.Arm[*square](2), sofab.Arm[circle](1), sofab.Arm[*circle](11), sofab.Arm[rawShape](3), sofab.Arm[number](4),
		sofab.Arm[graph](5), sofab.Arm[unit](6), sofab.Arm[boxedArm](300), sofab.Arm[fickle](12), sofab.Arm[*number](7))
	sofab.RegisterUnion[event](sofab.Arm[int64](1), sofab.Arm[string](2))
	sofab.RegisterUnion[preset](sofab.Arm[presetA](0), sofab.Arm[*presetB](1))
}

type boxedArm struct {
	P *circle `sofab:"0"`
}

func (boxedArm) area() float64 { return 9 }

// fickle changes itself when it is marshalled.
type fickle struct{ n int }

func (fickle) area() float64 { return 10 }

func (f *fickle) MarshalText() ([]byte, error) {
	f.n++
	return fmt.Append(nil, f.n), nil
}

func (f *fickle) UnmarshalText(text []byte) error {
	_, err := fmt.Sscan(string(text), &f.n)
	return err
}

// A value in an interface is not changed by a method with a pointer receiver.
func TestRegisteredUnionKeepsBox(t *testing.T) {
	v := shape(fickle{1})
	for range 2 {
		b, err := sofab.Marshal(&picture{S: v})
		if want := unhex(t, "0e 62 0a 32 07"); err != nil || !bytes.Equal(b, want) {
			t.Errorf("%x, %v, want %x", b, err, want)
		}
	}
	if v != shape(fickle{1}) {
		t.Errorf("marshalling changed the value to %v", v)
	}
}

func TestRegisteredUnion(t *testing.T) {
	for _, test := range []struct {
		name string
		v    *picture
		want string
	}{
		{"nil", &picture{}, ""},
		{"zero value", &picture{S: circle{}}, "0e 0e 07 07"},
		{"value", &picture{S: circle{1}}, "0e 0e 02 41 00 00 00 00 00 00 f0 3f 07 07"},
		{"pointer to the same", &picture{S: &circle{}}, "0e 5e 07 07"},
		{"pointer", &picture{S: &square{Side: 3}}, "0e 16 07 07"},
		{"nested", &picture{S: &square{Side: 4, Next: circle{}, In: []shape{nil, unit{}, nil}}}, "0e 16 00 04 0e 0e 07 07 16 0e 36 07 07 16 07 07 07 07"},
		{"bytes", &picture{S: rawShape{1}}, "0e 1a 0b 01 07"},
		{"scalar", &picture{S: number(0)}, "0e 21 00 07"},
		{"pointer to scalar", &picture{S: ptr(number(-1))}, "0e 39 01 07"},
		{"map", &picture{S: graph{"a": unit{}}}, "0e 2e 06 02 0a 61 0e 36 07 07 07 07 07"},
		{"empty struct", &picture{S: unit{}}, "0e 36 07 07"},
		{"held directly", &picture{S: boxedArm{&circle{}}}, "0e e6 12 06 07 07 07"},
		{"held directly, nil", &picture{S: boxedArm{}}, "0e e6 12 07 07"},
		{"list", &picture{L: []shape{nil, circle{}, nil, nil}}, "16 0e 0e 07 07 1e 07 07"},
		{"map of", &picture{M: map[string]shape{"": nil, "a": nil, "b": unit{}}}, "1e 0e 02 0a 61 07 16 02 0a 62 0e 36 07 07 07 07"},
		{"pointer to", &picture{P: ptr(shape(unit{}))}, "26 36 07 07"},
		{"pointer to nil", &picture{P: new(shape)}, "26 07"},
		{"array", &picture{A: [2]shape{unit{}, nil}}, "2e 06 36 07 07 0e 07 07"},
	} {
		t.Run(test.name, func(t *testing.T) { checkBothWays(t, test.v, test.want, test.v) })
	}
	type named struct {
		E event `sofab:"0"`
	}
	checkBothWays(t, &named{int64(5)}, "06 09 0a 07", &named{int64(5)})
	checkBothWays(t, &named{""}, "06 12 02 07", &named{""})

	// A nil slice or map is a value of its type, like an empty one.
	checkBothWays(t, &picture{S: rawShape(nil)}, "0e 1a 03 07", &picture{S: rawShape(nil)})
	checkBothWays(t, &picture{S: graph{}}, "0e 2e 07 07", &picture{S: graph(nil)})
}

func TestRegisteredUnionDecode(t *testing.T) {
	for _, test := range []struct {
		name, input string
		want        shape
	}{
		{"last arm wins", "0e 0e 07 36 07 07", unit{}},
		{"opened twice", "0e 0e 07 07 0e 36 07 07", unit{}},
		{"opened again without an arm", "0e 0e 07 07 0e 07", circle{}},
		{"value arm continued", "0e 16 00 05 07 07 0e 16 0e 36 07 07 07 07", &square{Side: 5, Next: unit{}}},
		{"mistyped", "0e 36 07 20 01 07", unit{}},
		{"unknown arm", "0e 36 07 7e 07 07", unit{}},
		{"empty", "0e 07", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			checkDecodesAs(t, unhex(t, test.input), &picture{S: test.want})
		})
	}
}

// A value in an interface belongs to all who hold it: decoding never changes it.
func TestRegisteredUnionIsReplaced(t *testing.T) {
	old := shape(circle{5})
	kept := old
	v := picture{S: old}
	if err := newCodec(sofab.Options{Merge: true}).Unmarshal(unhex(t, "0e 0e 02 41 00 00 00 00 00 00 f0 3f 07 07"), &v); err != nil {
		t.Fatal(err)
	}
	if v.S != shape(circle{1}) || kept != shape(circle{5}) {
		t.Errorf("got %v, the old value is %v", v.S, kept)
	}
	// An arm with a pointer goes on with what it points to, as any pointer.
	side := &square{Side: 9, Next: unit{}}
	v.S = side
	if err := newCodec(sofab.Options{Merge: true}).Unmarshal(unhex(t, "0e 16 00 08 07 07"), &v); err != nil {
		t.Fatal(err)
	}
	if v.S != shape(side) || side.Side != 8 || side.Next != shape(unit{}) {
		t.Errorf("merged into the pointer: %v", v.S)
	}
	// A type that is not registered is replaced.
	v.S = lone{1}
	if err := newCodec(sofab.Options{Merge: true}).Unmarshal(unhex(t, "0e 36 07 07"), &v); err != nil || v.S != shape(unit{}) {
		t.Errorf("merged over an unregistered type: %v, %v", v.S, err)
	}
}

func TestRegisteredUnionDefaultID(t *testing.T) {
	type one struct {
		P preset           `sofab:"0,union,default_id=0"`
		Q preset           `sofab:"1,union,default_id=1"`
		L []preset         `sofab:"2,elem.union,elem.default_id=0"`
		N preset           `sofab:"3,union"`
		A [2]preset        `sofab:"4,elem.union,elem.default_id=0"`
		M map[uint8]preset `sofab:"5,val.union,val.default_id=0"`
	}
	preset7 := presetA{7}
	want := func(set func(*one)) *one {
		v := &one{P: preset7, Q: &presetB{}, A: [2]preset{preset7, preset7}}
		set(v)
		return v
	}
	checkDecodesAs(t, nil, want(func(*one) {}))
	checkDecodesAs(t, unhex(t, "06 0e 07 07 0e 06 07 07"), want(func(v *one) { v.P, v.Q = &presetB{}, preset7 }))
	checkDecodesAs(t, unhex(t, "06 07 0e 07 16 0e 07 07 2e 06 00 01 07 07"), want(func(v *one) {
		v.L = []preset{preset7, preset7}
		v.M = map[uint8]preset{1: preset7}
	}))
	var v one
	b, err := sofab.Marshal(&v)
	if err != nil || len(b) > 0 {
		t.Errorf("nil interfaces: %x, %v", b, err)
	}
}

func TestRegisteredUnionRefuses(t *testing.T) {
	for _, test := range []struct {
		v    any
		want string
	}{
		{&picture{S: lone{}}, "sofab: picture.S: type sofab_test.lone is not registered for sofab_test.shape; add sofab.Arm[sofab_test.lone](id) to its RegisterUnion"},
		{&picture{L: []shape{unit{}, &lone{}}}, "sofab: picture.L[1]: type *sofab_test.lone is not registered for sofab_test.shape; add sofab.Arm[*sofab_test.lone](id) to its RegisterUnion"},
		{&picture{S: (*square)(nil)}, "sofab: picture.S: nil *sofab_test.square in a registered interface; leave the interface nil"},
		{&picture{S: &square{Next: &square{Next: rawShape("\xff"), In: []shape{lone{}}}}}, "sofab: picture.S.Next.In[0]: type sofab_test.lone is not registered"},
	} {
		if err := checkEncodeFails(t, test.v); err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%v, want %s", err, test.want)
		}
	}
}

// Q13: a registered union that contains itself.
func TestRegisteredUnionCycle(t *testing.T) {
	loop := &square{}
	loop.Next = loop
	start := time.Now()
	_, err := sofab.Marshal(&picture{S: loop})
	if err == nil || !strings.HasSuffix(err.Error(), "more than 255 levels deep; does the value contain itself?") {
		t.Errorf("cycle: %v", err)
	}
	if took := time.Since(start); took > time.Second {
		t.Errorf("took %v", took)
	}
}

type (
	unusedShape interface{ area() float64 }
	lateShape   interface{ area() float64 }
	faultyShape interface{ area() float64 }
)

// Q38: mistakes in a registration are found where they are made.
func TestRegisterUnionPanics(t *testing.T) {
	_ = sofab.Check[struct {
		S lateShape `sofab:"0"`
	}]()
	for _, test := range []struct {
		name     string
		register func()
		want     string
	}{
		{"late", func() { sofab.RegisterUnion[lateShape](sofab.Arm[circle](1)) },
			"sofab: RegisterUnion[sofab_test.lateShape]: a codec was already compiled without it; register in an init function, before the first Marshal or Unmarshal"},
		{"twice", func() { sofab.RegisterUnion[shape](sofab.Arm[circle](1)) },
			"sofab: RegisterUnion[sofab_test.shape]: it is registered already; register all arms in one call"},
		{"no interface", func() { sofab.RegisterUnion[int](sofab.Arm[int](1)) }, "sofab: RegisterUnion[int]: it is no interface type"},
		{"any", func() { sofab.RegisterUnion[any](sofab.Arm[int](1)) },
			"sofab: RegisterUnion[interface {}]: any is a dynamic value and takes no arms; use an interface type of your own"},
		{"no arms", func() { sofab.RegisterUnion[unusedShape]() },
			"sofab: RegisterUnion[sofab_test.unusedShape]: there are no arms; add sofab.Arm[T](id) for each implementation"},
		{"same id", func() { sofab.RegisterUnion[unusedShape](sofab.Arm[circle](1), sofab.Arm[unit](1)) },
			"sofab: RegisterUnion[sofab_test.unusedShape]: id 1 is that of sofab_test.circle and of sofab_test.unit"},
		{"same type", func() { sofab.RegisterUnion[unusedShape](sofab.Arm[circle](1), sofab.Arm[circle](2)) },
			"sofab: RegisterUnion[sofab_test.unusedShape]: type sofab_test.circle has two arms"},
		{"large id", func() { sofab.RegisterUnion[unusedShape](sofab.Arm[circle](1 << 31)) },
			"sofab: RegisterUnion[sofab_test.unusedShape]: arm sofab_test.circle: id 2147483648 is above 2147483647"},
		{"pointer receiver", func() { sofab.RegisterUnion[unusedShape](sofab.Arm[square](1)) },
			"sofab: RegisterUnion[sofab_test.unusedShape]: type sofab_test.square does not implement it, but its pointer does; use sofab.Arm[*sofab_test.square](1)"},
		{"not implemented", func() { sofab.RegisterUnion[unusedShape](sofab.Arm[int](1)) },
			"sofab: RegisterUnion[sofab_test.unusedShape]: type int does not implement it"},
		{"interface arm", func() { sofab.RegisterUnion[unusedShape](sofab.Arm[shape](1)) },
			"sofab: RegisterUnion[sofab_test.unusedShape]: arm 1: type sofab_test.shape is an interface; register its implementations"},
		{"zero arm", func() { sofab.RegisterUnion[unusedShape](sofab.UnionArm{}) },
			"sofab: RegisterUnion[sofab_test.unusedShape]: arm 0: type <nil> is an interface; register its implementations"},
	} {
		t.Run(test.name, func(t *testing.T) {
			defer func() {
				if got := fmt.Sprint(recover()); got != test.want {
					t.Errorf("panic %s\nwant  %s", got, test.want)
				}
			}()
			test.register()
		})
	}
}

// The faults of arms are those of every type that reaches them.
func TestRegisteredUnionFaultyArm(t *testing.T) {
	sofab.RegisterUnion[faultyShape](sofab.Arm[lone](1))
	err := sofab.Check[struct {
		S faultyShape `sofab:"0"`
	}]()
	if err == nil || !strings.Contains(err.Error(), "exported field N has no sofab tag") {
		t.Errorf("Check: %v", err)
	}
}

func TestUnionEncodeAllocs(t *testing.T) {
	if raceEnabled {
		t.Skip("pools drop values under the race detector")
	}
	v := &picture{S: circle{1}, L: []shape{&square{Side: 1}, number(5), unit{}, boxedArm{}}}
	buf := make([]byte, 0, 4096)
	if n := testing.AllocsPerRun(100, func() {
		if _, err := sofab.MarshalAppend(buf, v); err != nil {
			t.Error(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
	var got picture
	b, err := sofab.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if err := sofab.Unmarshal(b, &got); err != nil || !cmp.Equal(*v, got) {
		t.Errorf("%v, %s", err, cmp.Diff(*v, got))
	}
}
