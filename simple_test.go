package sofab_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/sofab-go/sofab"
)

// A simpleMessage has what Unmarshal decodes without a pooled state: numbers, strings,
// arrays, structs in structs.
type simpleMessage struct {
	ID    uint32      `sofab:"1"`
	Name  string      `sofab:"2,maxlen=20"`
	Inner simpleInner `sofab:"3"`
	Codes []int16     `sofab:"5,count=12"`
	Rate  float64     `sofab:"9,default=1.5"`
	On    bool        `sofab:"300"`
	Hash  []byte      `sofab:"301,maxlen=16"`
	Key   []byte      `sofab:"302,presence,string"`
	Free  []byte      `sofab:"303"`
}

type simpleInner struct {
	Level int8       `sofab:"0"`
	Text  string     `sofab:"1"`
	Deep  simpleDeep `sofab:"2"`
}

type simpleDeep struct {
	Value uint64    `sofab:"1"`
	Ratio []float32 `sofab:"2"`
}

// simpleMessages are messages of different lengths, so that every kind of field comes to
// stand among the last bytes once.
func simpleMessages(t *testing.T) [][]byte {
	var list [][]byte
	for _, v := range []simpleMessage{
		{},
		{ID: 7, Rate: 1.5},
		{ID: 1 << 31, Name: "Grüße", Rate: -0.25, On: true},
		{Name: "twenty bytes of text", Codes: []int16{1, -300, 0, 5}},
		{Inner: simpleInner{Level: -5, Text: "日本", Deep: simpleDeep{Value: 1 << 63, Ratio: []float32{0.5, 2}}}, Rate: 3},
		{ID: 300, Hash: []byte("\x00\xff sixteen bytes"[:16]), Key: []byte("a key in UTF-8: ü")},
		{Inner: simpleInner{Text: "a text that is longer than the slab was for the messages before it"}, Codes: []int16{9}, Key: []byte{}, Free: []byte{0}},
	} {
		list = append(list, mustMarshal(t, &v))
	}
	return list
}

// What Unmarshal makes of a simple message is what a Feeder makes of it byte by byte: value,
// error, path and offset, whatever is wrong with it or out of the ordinary, and wherever.
func TestSimpleAgainstBytewise(t *testing.T) {
	if sofab.FastPaths && !sofab.IsSimple(new(simpleMessage)) {
		t.Error("simpleMessage is decoded with a pooled state")
	}
	check := func(m []byte) {
		t.Helper()
		var got, want simpleMessage
		err := sofab.Unmarshal(m, &got)
		f, wrong := sofab.NewFeeder(&want)
		if wrong != nil {
			t.Fatal(wrong)
		}
		wrong = f.Feed(nil)
		for i := range m {
			if wrong = f.Feed(m[i : i+1]); wrong != nil && !errors.Is(wrong, sofab.ErrIncomplete) {
				break
			}
		}
		if textOf(err) != textOf(wrong) {
			t.Errorf("%x: %v, a Feeder says %v", m, err, wrong)
		} else if diff := cmp.Diff(want, got); err == nil && diff != "" {
			t.Errorf("%x: -Feeder +Unmarshal\n%s", m, diff)
		}
	}
	r := rand.New(rand.NewPCG(3, 4))
	for _, m := range simpleMessages(t) {
		check(m)
		for i := range m {
			check(m[:i])
			for _, b := range []byte{0x00, 0x01, 0x07, 0x0e, 0x7f, 0x80, 0xff, m[i] ^ 1, m[i] ^ 0x80, byte(r.Uint32())} {
				changed := bytes.Clone(m)
				changed[i] = b
				check(changed)
			}
			for _, more := range []string{"\x07", "\x38\x05", "\x3a\x0aA", "\x3e\x08\x01\x07", "\x80\x80", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"} {
				check(append(append(bytes.Clone(m[:i]), more...), m[i:]...))
			}
			check(append(bytes.Clone(m[:i]), m[r.IntN(i+1):]...))
		}
	}
}

// Options that change where the bytes of a simple message go, or what is kept, hold.
func TestSimpleWithOptions(t *testing.T) {
	in := simpleMessage{ID: 5, Name: "name", Codes: []int16{1, 2}, Rate: 2, Hash: []byte{1}, Key: []byte("key")}
	m := mustMarshal(t, &in)
	for _, x := range []struct {
		name    string
		options sofab.Options
		before  simpleMessage
		want    simpleMessage
	}{
		{"none", sofab.Options{}, simpleMessage{On: true, Name: "old"}, in},
		{"own memory", sofab.Options{OwnMemory: true}, simpleMessage{On: true}, in},
		{"merge", sofab.Options{Merge: true}, simpleMessage{On: true, Name: "old"}, simpleMessage{ID: 5, Name: "name", Codes: []int16{1, 2}, Rate: 2, On: true, Hash: []byte{1}, Key: []byte("key")}},
		{"reuse", sofab.Options{Reuse: true}, simpleMessage{On: true, Codes: make([]int16, 9)}, in},
		{"alias", sofab.Options{Alias: true}, simpleMessage{On: true}, in},
		{"short strings only", sofab.Options{Limits: sofab.Limits{String: 4}}, simpleMessage{}, in},
	} {
		codec, err := x.options.Codec()
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second one knows what the first one needed
			got := x.before
			if err := codec.Unmarshal(m, &got); err != nil {
				t.Errorf("%s: %v", x.name, err)
			} else if diff := cmp.Diff(x.want, got); diff != "" {
				t.Errorf("%s: -want +got\n%s", x.name, diff)
			}
		}
	}
}

// Caps of the receiver hold for short values, wherever their memory comes from.
func TestSimpleCaps(t *testing.T) {
	m := mustMarshal(t, &simpleMessage{Name: "name", Inner: simpleInner{Text: "text", Deep: simpleDeep{Ratio: []float32{1, 2, 3}}}, Free: []byte("free")})
	for _, x := range []struct {
		name   string
		limits sofab.Limits
		want   string
	}{
		{"exactly", sofab.Limits{String: 4, Array: 3, Blob: 4}, ""},
		{"string", sofab.Limits{String: 3}, "sofab: simpleMessage.Inner.Text: 4 bytes are over the limit of 3 at offset 8; declare a bound in the tag or raise Options.Limits.String"},
		{"array", sofab.Limits{Array: 2}, "sofab: simpleMessage.Inner.Deep.Ratio: 3 elements are over the limit of 2 at offset 15; declare a bound in the tag or raise Options.Limits.Array"},
		{"blob", sofab.Limits{Blob: 3}, "sofab: simpleMessage.Free: 4 bytes are over the limit of 3 at offset 43; declare a bound in the tag or raise Options.Limits.Blob"},
	} {
		for _, reuse := range []bool{false, true} {
			codec, err := sofab.Options{Limits: x.limits, Reuse: reuse}.Codec()
			if err != nil {
				t.Fatal(err)
			}
			for range 2 { // the second one has room for all
				got := simpleMessage{Inner: simpleInner{Deep: simpleDeep{Ratio: make([]float32, 5)}}, Free: make([]byte, 5)}
				err := codec.Unmarshal(m, &got)
				if got := textOf(err); got != x.want || x.want != "" && !errors.Is(err, sofab.ErrLimit) {
					t.Errorf("%s, reuse %v: %s, want %s", x.name, reuse, got, x.want)
				}
			}
		}
	}
}

// Bounds of the tag hold for short values, also where the slab has room for more.
func TestSimpleBounds(t *testing.T) {
	type unbounded struct {
		Name  string  `sofab:"2"`
		Codes []int32 `sofab:"5"`
		Hash  []byte  `sofab:"301"`
	}
	roomy := mustMarshal(t, &simpleMessage{Name: "twenty bytes of text", Free: make([]byte, 200)})
	for _, x := range []struct {
		in   unbounded
		want string
	}{
		{unbounded{Name: "twenty bytes of texts"}, "sofab: simpleMessage.Name: 21 bytes are more than maxlen=20 allows at offset 1"},
		{unbounded{Codes: make([]int32, 13)}, "sofab: simpleMessage.Codes: 13 elements are more than count=12 allows at offset 1"},
		{unbounded{Codes: []int32{1 << 15}}, "sofab: simpleMessage.Codes[0]: 32768 does not fit i16 at offset 2"},
		{unbounded{Hash: make([]byte, 17)}, "sofab: simpleMessage.Hash: 17 bytes are more than maxlen=16 allows at offset 2"},
	} {
		m := mustMarshal(t, &x.in)
		var got simpleMessage
		if err := sofab.Unmarshal(roomy, &got); err != nil {
			t.Fatal(err)
		}
		if err := sofab.Unmarshal(m, &got); textOf(err) != x.want {
			t.Errorf("%x: %v, want %s", m, err, x.want)
		}
	}
}

// What a state was told for the message before does not hold for the next one.
func TestSimpleAfterAlias(t *testing.T) {
	aliasing, err := sofab.Options{Alias: true}.Codec()
	if err != nil {
		t.Fatal(err)
	}
	m := mustMarshal(t, &simpleMessage{ID: 1, Free: make([]byte, 3000), Inner: simpleInner{Text: strings.Repeat("t", 3000)}})
	var aliased, got simpleMessage
	if err := errors.Join(aliasing.Unmarshal(m, &aliased), sofab.Unmarshal(m, &got)); err != nil {
		t.Fatal(err)
	}
	scrub(m)
	if got.Inner.Text != strings.Repeat("t", 3000) || !bytes.Equal(got.Free, make([]byte, 3000)) {
		t.Error("the value shares memory with the input")
	}
}

func TestSimpleMemory(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	type message struct {
		Name  string  `sofab:"1"`
		Text  string  `sofab:"2"`
		Codes []int16 `sofab:"3"`
		Free  []byte  `sofab:"4"`
	}
	own, err := sofab.Options{OwnMemory: true}.Codec()
	if err != nil {
		t.Fatal(err)
	}
	shared, err := sofab.Options{}.Codec()
	if err != nil {
		t.Fatal(err)
	}
	long := mustMarshal(t, &message{Text: strings.Repeat("t", 900), Free: make([]byte, 900)})
	short := mustMarshal(t, &message{"name", "text", []int16{1}, []byte("free")})
	var got message
	decode := func(codec *sofab.Codec, m []byte) func() {
		return func() {
			if err := codec.Unmarshal(m, &got); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n := testing.AllocsPerRun(20, decode(own, short)); n != 4 {
		t.Errorf("%v allocations for four values of their own", n)
	}
	if n := testing.AllocsPerRun(20, decode(shared, short)); sofab.SharesMemory && n != 1 {
		t.Errorf("%v allocations for four values that share one", n)
	}
	// A short message gets a large slab only as long as the ones before it were long.
	decode(shared, long)()
	for range 10 {
		decode(shared, short)()
	}
	if n := bytesPerRun(50, decode(shared, short)); sofab.SharesMemory && n > 64 {
		t.Errorf("%v bytes for a short message after a long one", n)
	}
}

// bytesPerRun is how many bytes a call of f allocates, on average.
func bytesPerRun(runs int, f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range runs {
		f()
	}
	runtime.ReadMemStats(&after)
	return (after.TotalAlloc - before.TotalAlloc) / uint64(runs)
}

// A deepTree goes two levels deeper with every node, and has structs in structs.
type deepTree struct {
	Nodes []deepTree `sofab:"1"`
	Inner struct {
		Deep struct {
			Value uint8 `sofab:"0"`
		} `sofab:"0"`
	} `sofab:"2"`
}

// Structs in structs count for the depth of 255 like everything else.
func TestSimpleDepth(t *testing.T) {
	node := func(levels int, body string) []byte {
		open, end := strings.Repeat("\x0e\x06", levels), strings.Repeat("\x07\x07", levels)
		return []byte(open + body + end + strings.Repeat("\x00\x05", unitsAhead))
	}
	for _, x := range []struct {
		levels int
		body   string
		want   string
	}{
		{126, "\x16\x06\x00\x05\x07\x07", ""},
		{127, "\x16\x00\x05\x07", ""},
		{127, "\x16\x06\x00\x05\x07\x07", "more than 255 sequences are open at offset 255"},
	} {
		m := node(x.levels, x.body)
		var got, bytewise deepTree
		err := sofab.Unmarshal(m, &got)
		if f := feedBytes(m, &bytewise); textOf(err) != textOf(f) {
			t.Errorf("%v levels: %v, a Feeder says %v", x.levels, err, f)
		}
		if x.want == "" && err != nil || !strings.HasSuffix(textOf(err), x.want) {
			t.Errorf("%v levels, %x: %v, want %s", x.levels, x.body, err, x.want)
		}
	}
}

// unitsAhead is how many fields stand behind what is looked at, so that it is not among
// the last bytes.
const unitsAhead = 20
