package sofab_test

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/sofab-go/sofab"
	"github.com/sofab-go/sofab/stream"
	"github.com/sofab-go/sofab/wire"
)

// celsius marshals itself with a value and a pointer receiver.
type celsius struct{ milli int64 }

type celsiusBody struct {
	Degrees int64 `sofab:"0"`
	Milli   int64 `sofab:"1"`
}

func (c celsius) MarshalSofab() ([]byte, error) {
	if c.milli == -1 {
		return nil, errors.New("below zero")
	}
	return sofab.Marshal(celsiusBody{c.milli / 1000, c.milli % 1000})
}

func (c *celsius) UnmarshalSofab(b []byte) error {
	var v celsiusBody
	if err := sofab.Unmarshal(b, &v); err != nil {
		return err
	}
	if v.Degrees < 0 {
		return errors.New("below zero")
	}
	scrub(b)
	c.milli = v.Degrees*1000 + v.Milli
	return nil
}

// tally has both methods on the pointer, and changes itself when it is marshalled.
type tally struct{ calls, n int }

func (c *tally) MarshalSofab() ([]byte, error) {
	c.calls++
	return sofab.Marshal(struct {
		N int `sofab:"0"`
	}{c.n})
}

func (c *tally) UnmarshalSofab(b []byte) error {
	var v struct {
		N int `sofab:"0"`
	}
	err := sofab.Unmarshal(b, &v)
	c.n = v.N
	return err
}

// words marshals a slice with methods on the value.
type words []string

func (w words) MarshalSofab() ([]byte, error) {
	if len(w) == 0 {
		return nil, nil
	}
	return sofab.Marshal([]string(w))
}

func (w *words) UnmarshalSofab(b []byte) error { return sofab.Unmarshal(b, (*[]string)(w)) }

type customHolder struct {
	A uint8             `sofab:"0"`
	C celsius           `sofab:"1"`
	P *celsius          `sofab:"2"`
	L []celsius         `sofab:"3"`
	G []*celsius        `sofab:"4"`
	N [2]celsius        `sofab:"5"`
	W words             `sofab:"6"`
	B celsius           `sofab:"7,maxlen=2"`
	Q **celsius         `sofab:"8"`
	S struct{ celsius } `sofab:"9"`
	Z uint8             `sofab:"10"`
}

func TestMarshaler(t *testing.T) {
	warm, ice := celsius{21500}, celsius{}
	pwarm := &warm
	for _, c := range []struct {
		name    string
		v       customHolder
		encoded string
	}{
		{"absent", customHolder{}, ""},
		{"value", customHolder{A: 1, C: warm, Z: 2}, "00 01 0e 01 2a 09 e8 07 07 50 02"},
		{"pointer", customHolder{P: &warm}, "16 01 2a 09 e8 07 07"},
		{"pointer to zero", customHolder{P: &ice}, "16 07"},
		{"list", customHolder{L: []celsius{ice, warm, ice}}, "1e 0e 01 2a 09 e8 07 07 16 07 07"},
		{"gaps", customHolder{G: []*celsius{nil, &ice, &warm}}, "26 0e 07 16 01 2a 09 e8 07 07 07"},
		{"array", customHolder{N: [2]celsius{ice, warm}}, "2e 0e 01 2a 09 e8 07 07 07"},
		{"slice type", customHolder{W: words{"A"}}, "36 06 02 0a 41 07 07"},
		{"bounded", customHolder{B: celsius{1000}}, "3e 01 02 07"},
		{"pointer to pointer", customHolder{Q: &pwarm}, "46 01 2a 09 e8 07 07"},
		{"embedded", customHolder{S: struct{ celsius }{warm}}, "4e 01 2a 09 e8 07 07"},
	} {
		t.Run(c.name, func(t *testing.T) {
			checkEncode(t, "value", &c.v, unhex(t, c.encoded))
			checkDecodesInto(t, c.encoded, c.v)
		})
	}
	checkDecodesInto(t, "0e 07", customHolder{})
	checkDecodesInto(t, "26 0e 07 16 07 07", customHolder{G: []*celsius{nil, &ice, &ice}})
	// Opened again, the bodies are one.
	checkDecodesInto(t, "0e 01 2a 07 0e 09 e8 07 07 0e 07", customHolder{C: warm})
	checkDecodesInto(t, "1e 06 01 2a 07 06 09 e8 07 07 07", customHolder{L: []celsius{warm}})
}

func TestMarshalerErrors(t *testing.T) {
	err := checkEncodeError(t, &customHolder{L: []celsius{{}, {-1}}}, "sofab: customHolder.L[1]: MarshalSofab of sofab_test.celsius: below zero")
	var e *sofab.MarshalerError
	if !errors.As(err, &e) || e.Path != "customHolder.L[1]" || e.Method != "MarshalSofab" || e.Type != reflect.TypeFor[celsius]() || e.Err.Error() != "below zero" {
		t.Errorf("%#v", e)
	}
	checkEncodeError(t, &customHolder{B: celsius{1500}}, "sofab: customHolder.B: 5 bytes are more than maxlen=2 allows")
	for _, s := range decodeSurfaces {
		if strings.Contains(s.name, "used destination") {
			continue
		}
		var v customHolder
		err := s.decode(unhex(t, "0e 01 01 07"), &v)
		if want := "sofab: customHolder.C: UnmarshalSofab of sofab_test.celsius: below zero at offset 0"; !sameText(s.name, err, want) || !errors.As(err, &e) {
			t.Errorf("%s: %v, want %s", s.name, err, want)
		}
	}
	checkDecodeFails[customHolder](t, "3e 01 02 09 02", "R", "sofab: customHolder.B: 3 bytes are more than maxlen=2 allows at offset 3")
	checkDecodeFails[customHolder](t, "0e 09", "I", "sofab: customHolder.C: message ends inside a field or sequence at offset 2")
	checkDecodeFails[struct {
		V strict `sofab:"0"`
	}](t, "06 02 0b 02 07", "R", "sofab: V: UnmarshalSofab of sofab_test.strict: inner: message ends inside a field or sequence at offset 1 at offset 0")
}

// strict holds a message in a blob, which may be cut short.
type strict struct{ inner uint64 }

func (s strict) MarshalSofab() ([]byte, error) { return nil, nil }

func (s *strict) UnmarshalSofab(b []byte) error {
	var v struct {
		Blob []byte `sofab:"0"`
	}
	var inner struct {
		N uint64 `sofab:"0"`
	}
	if err := sofab.Unmarshal(b, &v); err != nil {
		return err
	}
	if err := sofab.Unmarshal(v.Blob, &inner); err != nil {
		return fmt.Errorf("inner: %w", errors.Unwrap(fmt.Errorf("%w", errAt(err))))
	}
	s.inner = inner.N
	return nil
}

// errAt is a SyntaxError without the prefix of this module.
func errAt(err error) error {
	var e *sofab.SyntaxError
	errors.As(err, &e)
	return fmt.Errorf("%w at offset %d", e.Err, e.Offset)
}

func TestMarshalerAsMessage(t *testing.T) {
	checkValue(t, celsius{21500}, "01 2a 09 e8 07")
	checkValue(t, celsius{}, "")
	checkValue(t, words{"A"}, "06 02 0a 41 07")
	if b, err := sofab.Marshal((*celsius)(nil)); err != nil || len(b) != 0 {
		t.Errorf("a nil pointer: %x, %v", b, err)
	}
	for _, s := range encodeSurfaces {
		if got, err := s.encode(&celsius{-1}); textOf(err) != "sofab: celsius: MarshalSofab of sofab_test.celsius: below zero" || len(got) > 0 {
			t.Errorf("%s: %x, %v", s.name, got, err)
		}
	}
	checkEncodeError(t, &badBody{0x06}, "sofab: badBody: MarshalSofab of sofab_test.badBody: message ends inside a field or sequence at offset 1")
}

type badBody []byte

func (b badBody) MarshalSofab() ([]byte, error)  { return b, nil }
func (b *badBody) UnmarshalSofab(p []byte) error { *b = p; return nil }

// ordered refuses a body without the field 1, which is what a body is as long as it has
// not arrived as a whole.
type ordered struct{ a, b uint64 }

type orderedBody struct {
	A uint64 `sofab:"0"`
	B uint64 `sofab:"1"`
}

func (o ordered) MarshalSofab() ([]byte, error) { return sofab.Marshal(orderedBody{o.a, o.b}) }

func (o *ordered) UnmarshalSofab(b []byte) error {
	var v orderedBody
	if err := sofab.Unmarshal(b, &v); err != nil {
		return err
	}
	o.a += v.A // a value that is not zero would show
	if v.B == 0 {
		return errors.New("b is missing")
	}
	o.b += v.B
	return nil
}

// What is refused while more may come is no failure of a Feeder.
func TestFeederIntoUnmarshaler(t *testing.T) {
	var v ordered
	f, err := sofab.NewFeeder(&v)
	if err != nil {
		t.Fatal(err)
	}
	for i, step := range []struct {
		b    byte
		want string // "" once the message may end
	}{{0x00, "I"}, {0x05, "I"}, {0x08, "I"}, {0x06, "A"}, {0x08, "I"}, {0x07, "A"}} {
		err := f.Feed([]byte{step.b})
		if got := verdict(t, err); got != step.want {
			t.Errorf("byte %d: %v, want %s", i, err, step.want)
		}
	}
	if want := (ordered{5, 7}); v != want {
		t.Errorf("got %v, want %v", v, want)
	}
	f.Reset()
	if err := f.Feed(unhex(t, "00 01 08 02")); err != nil || v != (ordered{1, 2}) {
		t.Errorf("after Reset: %v, %v", v, err)
	}
	if err := sofab.Unmarshal(unhex(t, "00 05"), &v); textOf(err) != "sofab: ordered: UnmarshalSofab of sofab_test.ordered: b is missing at offset 0" || errors.Is(err, sofab.ErrIncomplete) {
		t.Errorf("Unmarshal: %v", err)
	}
}

func TestMarshalerMerge(t *testing.T) {
	codec, err := sofab.Options{Merge: true}.Codec()
	if err != nil {
		t.Fatal(err)
	}
	v := customHolder{C: celsius{21500}, L: []celsius{{1}}}
	if err := codec.Unmarshal(unhex(t, "0e 01 02 07 1e 06 01 02 07 07"), &v); err != nil {
		t.Fatal(err)
	}
	want := customHolder{C: celsius{1500}, L: []celsius{{1000}}}
	if diff := cmp.Diff(want, v, exported); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	m := sofab.RawMessage(unhex(t, "00 05"))
	if err := codec.Unmarshal(unhex(t, "08 06"), &m); err != nil || !bytes.Equal(m, unhex(t, "00 05 08 06")) {
		t.Errorf("RawMessage: %x, %v", m, err)
	}
	top := celsius{21500}
	if err := codec.Unmarshal(unhex(t, "01 02"), &top); err != nil || top != (celsius{1500}) {
		t.Errorf("as message: %v, %v", top, err)
	}
}

// Reopening a value over and over must not cost more than the memory budget.
func TestReopenedUnmarshalerIsBounded(t *testing.T) {
	type holder struct {
		V badBody `sofab:"0"`
	}
	input := bytes.Repeat(unhex(t, "06 00 05 07"), 100_000)
	var v holder
	if err := sofab.Unmarshal(input, &v); !errors.Is(err, sofab.ErrLimit) {
		t.Errorf("%v", err)
	}
}

// Methods on the pointer are found for values that are not addressable, which then are
// copies.
func TestPointerMethodsOfValues(t *testing.T) {
	type inner struct {
		L [1]tally `sofab:"0"`
	}
	type holder struct {
		C tally `sofab:"0"`
		I inner `sofab:"1"`
		X *tally
	}
	_ = holder{}
	type outer struct {
		C tally `sofab:"0"`
		I inner `sofab:"1"`
	}
	v := outer{C: tally{n: 5}, I: inner{[1]tally{{n: 6}}}}
	const encoded = "06 01 0a 07 0e 06 06 01 0c 07 07 07"
	for _, x := range []any{v, &v} {
		if b, err := sofab.Marshal(x); err != nil || !bytes.Equal(b, unhex(t, encoded)) {
			t.Errorf("%T: %x, %v", x, b, err)
		}
	}
	var boxed any = v
	mustMarshal(t, boxed)
	if got := boxed.(outer); got.C.calls != 1 || got.I.L[0].calls != 1 {
		t.Errorf("marshalling changed a value in an interface: %+v", got)
	}
	if b := mustMarshal(t, tally{n: 5}); !bytes.Equal(b, unhex(t, "01 0a")) {
		t.Errorf("as message: %x", b)
	}
	checkDecodesInto(t, encoded, outer{C: tally{n: 5}, I: inner{[1]tally{{n: 6}}}})
}

// A struct that embeds a type with methods has its form, unless it has fields with tags.
func TestEmbeddedMarshaler(t *testing.T) {
	type wrapped struct {
		celsius
		_ string
	}
	checkValue(t, wrapped{celsius: celsius{1000}}, "01 02")
	checkValue(t, struct {
		W wrapped `sofab:"1"`
	}{wrapped{celsius: celsius{1000}}}, "0e 01 02 07")
	type outer struct {
		celsius `sofab:"1"`
		Name    string `sofab:"5"`
	}
	checkValue(t, outer{celsius{1000}, "kept"}, "0e 01 02 07 2a 22 6b657074")
}

type (
	bodyOnly     struct{ X int }
	readBodyOnly struct{ X int }
	onlyTo       struct{ X int }
	onlyFrom     struct{ X int }
	spin         uint32
	spinning     struct{ _ uint32 }
	lockable     struct {
		sync.Mutex `sofab:"-"`
		N          uint8 `sofab:"0"`
	}
)

func (bodyOnly) MarshalSofab() ([]byte, error)                           { return nil, nil }
func (*readBodyOnly) UnmarshalSofab([]byte) error                        { return nil }
func (onlyTo) MarshalSofabTo(*stream.Encoder, wire.ID) error             { return nil }
func (*onlyFrom) UnmarshalSofabFrom(*stream.Decoder, stream.Field) error { return nil }
func (*spin) Lock()                                                      {}
func (*spin) Unlock()                                                    {}
func (*spinning) Lock()                                                  {}
func (*spinning) Unlock()                                                {}

func TestMethodFaults(t *testing.T) {
	type oneWay struct {
		A bodyOnly       `sofab:"0"`
		B []readBodyOnly `sofab:"1"`
		C *onlyTo        `sofab:"2"`
		D onlyFrom       `sofab:"3"`
	}
	type badOptions struct {
		A celsius          `sofab:"0,count=3"`
		B level            `sofab:"1,presence"`
		C sofab.RawMessage `sofab:"2,elem.maxlen=4"`
		D sofab.RawField   `sofab:"3,required"`
		E sofab.Fields     `sofab:"4,maxlen=4"`
	}
	type locks struct {
		A  sync.Mutex            `sofab:"0"`
		B  *sync.RWMutex         `sofab:"1"`
		C  atomic.Int64          `sofab:"2"`
		D  []atomic.Pointer[int] `sofab:"3"`
		E  spin                  `sofab:"4"`
		F  spinning              `sofab:"5"`
		G  sync.Once
		OK lockable `sofab:"7"`
		_  sync.Mutex
	}
	type embeddedLock struct {
		sync.Mutex
		N uint8 `sofab:"0"`
	}
	const lock = " is no data; tag the field `sofab:\"-\"`"
	for _, c := range []struct {
		err  error
		want []string
	}{
		{sofab.Check[oneWay](), []string{
			"sofab: type sofab_test.oneWay: field A: type sofab_test.bodyOnly has MarshalSofab; add the other direction, UnmarshalSofab([]byte) error",
			"sofab: type sofab_test.oneWay: field B: type sofab_test.readBodyOnly has UnmarshalSofab; add the other direction, MarshalSofab() ([]byte, error)",
			"sofab: type sofab_test.oneWay: field C: type sofab_test.onlyTo has MarshalSofabTo; add the other direction, UnmarshalSofabFrom(*stream.Decoder, stream.Field) error",
			"sofab: type sofab_test.oneWay: field D: type sofab_test.onlyFrom has UnmarshalSofabFrom; add the other direction, MarshalSofabTo(*stream.Encoder, wire.ID) error",
		}},
		{sofab.Check[badOptions](), []string{
			`sofab: type sofab_test.badOptions: field A: tag "0,count=3": option "count" does not go with type sofab_test.celsius at byte 2`,
			`sofab: type sofab_test.badOptions: field B: tag "1,presence": option "presence" does not go with type sofab_test.level at byte 2`,
			`sofab: type sofab_test.badOptions: field C: tag "2,elem.maxlen=4": "elem.maxlen" at byte 2: type sofab.RawMessage has no elem`,
			`sofab: type sofab_test.badOptions: field D: tag "3,required": option "required" does not go with type sofab.RawField at byte 2`,
			`sofab: type sofab_test.badOptions: field E: tag "4,maxlen=4": option "maxlen" does not go with type sofab.Fields at byte 2`,
		}},
		{sofab.Check[locks](), []string{
			"sofab: type sofab_test.locks: field A: type sync.Mutex" + lock,
			"sofab: type sofab_test.locks: field B: type sync.RWMutex" + lock,
			"sofab: type sofab_test.locks: field C: type atomic.Int64" + lock,
			"sofab: type sofab_test.locks: field D: type atomic.Pointer[int]" + lock,
			"sofab: type sofab_test.locks: field E: type sofab_test.spin" + lock,
			"sofab: type sofab_test.locks: field F: type sofab_test.spinning" + lock,
			"sofab: type sofab_test.locks: field G: type sync.Once" + lock,
		}},
		{sofab.Check[embeddedLock](), []string{
			"sofab: type sofab_test.embeddedLock: field Mutex: type sync.Mutex is no data; tag the field `sofab:\"-\"`",
		}},
		{sofab.Check[lockable](), nil},
		{sofab.Check[sync.Mutex](), []string{"sofab: type sync.Mutex: type sync.Mutex" + lock}},
	} {
		if diff := cmp.Diff(c.want, lines(c.err)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	checkValue(t, struct {
		L []*lockable `sofab:"0"`
	}{}, "")
	v := lockable{N: 5}
	v.Lock()
	mustUnmarshal(t, unhex(t, "00 06"), &v)
	if v.Unlock(); v.N != 6 {
		t.Errorf("N is %d", v.N)
	}
}

func lines(err error) []string {
	if err == nil {
		return nil
	}
	return strings.Split(err.Error(), "\n")
}
