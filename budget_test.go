package sofab_test

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"sort"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/sofab-go/sofab"
	"github.com/sofab-go/sofab/stream"
	"github.com/sofab-go/sofab/wire"
)

// Types of which a few bytes on the wire are much in memory.
type (
	kilobyte struct {
		A uint8      `sofab:"0"`
		B [1016]byte `sofab:"1"`
	}
	listDefault struct {
		A uint8    `sofab:"0"`
		L []uint64 `sofab:"1,default='[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32]'"`
	}
	EmbeddedDefault struct {
		E uint8          `sofab:"2"`
		F [8]listDefault `sofab:"3"`
	}
	byEmbedding struct {
		*EmbeddedDefault
	}
	fractionDefault struct {
		A uint8   `sofab:"0"`
		R big.Rat `sofab:"1,default='1/3'"`
	}
	eitherBig struct {
		A *kilobyte    `sofab:"0"`
		B *listDefault `sofab:"1"`
	}
	eitherDefault struct {
		U eitherBig `sofab:"0,union,default_id=0"`
	}
	listOf[T any] struct {
		L []T `sofab:"0"`
	}
	oneOf[T any] struct {
		V T `sofab:"0"`
	}
)

// withID appends a header and the bytes of a value.
func withID(b []byte, id int, t wire.Type, value ...byte) []byte {
	return append(wire.AppendHeader(b, wire.ID(id), t), value...)
}

// inWrapper puts n elements into the wrapper at id 0.
func inWrapper(n int, element func(b []byte, i int) []byte) []byte {
	b := []byte{0x06}
	for i := range n {
		b = element(b, i)
	}
	return append(b, 0x07)
}

// emptyFrames are n elements that are structs at their defaults.
func emptyFrames(n int) []byte {
	return inWrapper(n, func(b []byte, i int) []byte { return withID(b, i, wire.SequenceStart, 0x07) })
}

// leaps open the wrapper at id 0 n times, each time with one element far behind.
func leaps(n, index int, t wire.Type, value ...byte) []byte {
	var b []byte
	for range n {
		b = append(b, 0x06)
		b = withID(b, index, t, value...)
		b = append(b, 0x07)
	}
	return b
}

// amplifiers are messages that ask for as much memory as they can get.
var amplifiers = []struct {
	name string
	typ  any
	in   []byte
}{
	{"structs of 1 KiB", new(listOf[kilobyte]), emptyFrames(40_000)},
	{"structs of 1 KiB, leaps", new(listOf[kilobyte]), leaps(20_000, 99, wire.SequenceStart, 0x07)},
	{"pointers to structs of 1 KiB", new(listOf[*kilobyte]), emptyFrames(40_000)},
	{"pointers to pointers", new(listOf[**kilobyte]), emptyFrames(40_000)},
	{"structs with default lists", new(listOf[listDefault]), emptyFrames(40_000)},
	{"pointers to structs with default lists", new(listOf[*listDefault]), emptyFrames(40_000)},
	{"structs with default lists, leaps", new(listOf[listDefault]), leaps(5_000, 999, wire.SequenceStart, 0x07)},
	{"embedded pointers with default lists", new(listOf[byEmbedding]), inWrapper(40_000, func(b []byte, i int) []byte {
		return withID(b, i, wire.SequenceStart, 0x10, 0x01, 0x07)
	})},
	{"fractions by default", new(listOf[fractionDefault]), emptyFrames(20_000)},
	{"fractions by default, leaps", new(listOf[fractionDefault]), leaps(5_000, 999, wire.SequenceStart, 0x07)},
	{"unions with a default arm", new(listOf[eitherDefault]), leaps(20_000, 99, wire.SequenceStart, 0x07)},
	{"arms in turn", new(oneOf[struct {
		U eitherBig `sofab:"0,union"`
	}]), inWrapper(40_000, func(b []byte, i int) []byte {
		return append(b, 0x06, byte(i%2)<<3|6, 0x07, 0x07)
	})},
	{"arrays of structs", new(listOf[[8]kilobyte]), emptyFrames(40_000)},
	{"lists of lists of strings", new(listOf[[]string]), inWrapper(40_000, func(b []byte, i int) []byte {
		return withID(b, i, wire.SequenceStart, 0x3a, 0x02, 0x07)
	})},
	{"lists of lists of lists, leaps", new(listOf[[][]string]), inWrapper(2_000, func(b []byte, i int) []byte {
		return withID(b, i, wire.SequenceStart, 0xc6, 0x3e, 0xc2, 0x3e, 0x02, 0x07, 0x07)
	})},
	{"structs without fields, leaps", new(listOf[struct{}]), leaps(20_000, 1<<20-1, wire.SequenceStart, 0x07)},
	{"strings, leaps", new(listOf[string]), leaps(20_000, 99_999, wire.Fixlen, 0x02)},
	{"map of bools, leaps", new(oneOf[map[bool]bool]), leaps(500, 99_999, wire.SequenceStart, 0x07)},
	{"map of nothing, leaps", new(oneOf[map[uint8]struct{}]), leaps(500, 99_999, wire.SequenceStart, 0x07)},
	{"map of large values, leaps", new(oneOf[map[uint16]kilobyte]), leaps(500, 999, wire.SequenceStart, 0x07)},
	{"map of large values", new(oneOf[map[uint32]kilobyte]), inWrapper(20_000, func(b []byte, i int) []byte {
		return append(withID(b, i, wire.SequenceStart, 0x00), byte(i)|0x80, byte(i>>7)|0x80, byte(i>>14), 0x07)
	})},
	{"maps", new(listOf[map[string]string]), inWrapper(40_000, func(b []byte, i int) []byte {
		return withID(b, i, wire.SequenceStart, 0x06, 0x07, 0x07)
	})},
	{"any lists, leaps", new(oneOf[any]), inWrapper(500, func(b []byte, i int) []byte {
		return append(withID(append(b, 0x3e), 99_999, wire.SequenceStart), 0x10, 0x01, 0x07, 0x07)
	})},
	{"any maps, leaps", new(oneOf[any]), inWrapper(500, func(b []byte, i int) []byte {
		return append(withID(append(b, 0x46), 99_999, wire.SequenceStart), 0x07, 0x07)
	})},
	{"any lists of lists", new(oneOf[any]), inWrapper(1, func(b []byte, i int) []byte {
		b = append(b, 0x3e)
		for i := range 40_000 {
			b = withID(b, i, wire.SequenceStart, 0x3e, 0x07, 0x07)
		}
		return append(b, 0x07)
	})},
	{"any maps of maps", new(oneOf[any]), inWrapper(1, func(b []byte, i int) []byte {
		b = append(b, 0x46)
		for i := range 40_000 {
			b = withID(b, i, wire.SequenceStart, 0x0e, 0x46, 0x06, 0x07, 0x07, 0x07, 0x07)
		}
		return append(b, 0x07)
	})},
	{"fields", new(sofab.Fields), bytes.Repeat([]byte{0x06, 0x07}, 50_000)},
	{"fields with text", new(sofab.Fields), bytes.Repeat([]byte{0x02, 0x0a, 0x61}, 50_000)},
	{"nested fields", new(sofab.Fields), bytes.Repeat(append(bytes.Repeat([]byte{0x06}, 255), bytes.Repeat([]byte{0x07}, 255)...), 100)},
	{"unknown fields", new(hostileUnknown), bytes.Repeat([]byte{0x08, 0x01}, 50_000)},
	{"unknown fields in elements", new(listOf[hostileUnknown]), inWrapper(20_000, func(b []byte, i int) []byte {
		return withID(b, i, wire.SequenceStart, 0x08, 0x01, 0x07)
	})},
	{"raw messages", new(listOf[sofab.RawMessage]), emptyFrames(40_000)},
	{"raw fields", new(listOf[sofab.RawField]), inWrapper(40_000, func(b []byte, i int) []byte { return withID(b, i, wire.Unsigned, 0x01) })},
	{"big integers", new(listOf[big.Int]), inWrapper(20_000, func(b []byte, i int) []byte { return withID(b, i, wire.Fixlen, 0x13, 0x01, 0x05) })},
	{"big floats", new(listOf[big.Float]), inWrapper(20_000, func(b []byte, i int) []byte { return append(withID(b, i, wire.Fixlen, 0x22), "1e99"...) })},
	{"big floats of one digit", new(listOf[big.Float]), inWrapper(20_000, func(b []byte, i int) []byte { return withID(b, i, wire.Fixlen, 0x0a, '5') })},
	{"fractions of one digit", new(listOf[big.Rat]), inWrapper(20_000, func(b []byte, i int) []byte { return withID(b, i, wire.Fixlen, 0x0a, '5') })},
	{"fractions", new(listOf[big.Rat]), inWrapper(20_000, func(b []byte, i int) []byte { return append(withID(b, i, wire.Fixlen, 0x1a), "1/3"...) })},
	{"times", new(listOf[time.Time]), emptyFrames(40_000)},
	{"times with zones", new(listOf[time.Time]), inWrapper(40_000, func(b []byte, i int) []byte {
		return withID(b, i, wire.SequenceStart, 0x11, 0x02, 0x07)
	})},
	{"nullable structs", new(listOf[sql.Null[kilobyte]]), emptyFrames(40_000)},
	{"pointers to numbers", new(listOf[*uint8]), append([]byte{0x03, 0xc0, 0xb8, 0x02}, make([]byte, 40_000)...)},
	{"nullable numbers", new(listOf[sql.Null[int64]]), append([]byte{0x04, 0xc0, 0xb8, 0x02}, make([]byte, 40_000)...)},
	{"numbers", new(listOf[uint64]), append([]byte{0x03, 0xc0, 0xb8, 0x02}, make([]byte, 40_000)...)},
	{"required fields", new(listOf[hostileRequired]), inWrapper(10_000, func(b []byte, i int) []byte {
		return withID(b, i, wire.SequenceStart, 0x08, 0x01, 0x10, 0x01, 0x08, 0x01, 0x07)
	})},
	{"lists of different types in turn", new(listOf[struct {
		A []kilobyte    `sofab:"0"`
		B []listDefault `sofab:"1"`
		C []byEmbedding `sofab:"2"`
		D []*kilobyte   `sofab:"3"`
	}]), inWrapper(10_000, func(b []byte, i int) []byte {
		return withID(b, i, wire.SequenceStart, byte(i%4)<<3|6, 0x0e, 0x07, 0x16, 0x07, 0x07, 0x07)
	})},
}

// TestBudget: no message gets a decoder to allocate much more than the budget allows,
// which counts what is allocated for good, and not every transient copy. Whatever the
// verdict is, it is the same, at the same place, however the message is cut.
func TestBudget(t *testing.T) {
	const memory = 1 << 20
	codec := newCodec(sofab.Options{Limits: sofab.Limits{Memory: memory}})
	cutSurfaces := []struct {
		name   string
		decode func(data []byte, v any) error
	}{
		{"Unmarshal", codec.Unmarshal},
		{"UnmarshalRead", func(data []byte, v any) error { return codec.UnmarshalRead(bytes.NewReader(data), v) }},
		{"UnmarshalRead/random", func(data []byte, v any) error {
			return codec.UnmarshalRead(&randomReader{rest: data, rand: seeded(data)}, v)
		}},
		{"Feeder/300", func(data []byte, v any) error {
			f, err := codec.NewFeeder(v)
			for len(data) > 0 && (err == nil || errors.Is(err, sofab.ErrIncomplete)) {
				n := min(300, len(data))
				err = f.Feed(data[:n])
				data = data[n:]
			}
			return err
		}},
		{"Decoder", func(data []byte, v any) error {
			return codec.NewDecoder(iotest.HalfReader(bytes.NewReader(append(bytes.Clone(data), 0x07)))).Decode(v)
		}},
	}
	for _, a := range amplifiers {
		if err := codec.Unmarshal(nil, fresh(a.typ)); err != nil {
			t.Errorf("%s: %v", a.name, err)
			continue
		}
		want := ""
		for _, s := range cutSurfaces {
			var err error
			v := fresh(a.typ)
			n := allocatedBy(func() { err = s.decode(a.in, v) })
			budget := uint64(memory + stream.MemoryPerByte*len(a.in))
			var limit *sofab.LimitError
			if errors.As(err, &limit) {
				budget = uint64(limit.Limit) // for what was read until then
			}
			most := 2*budget + 256<<10
			if n > most {
				n = min(n, allocatedBy(func() { _ = s.decode(a.in, fresh(a.typ)) }))
			}
			if n > most {
				t.Errorf("%s, %s: %d bytes allocated, %.1f times the budget (%v)", a.name, s.name, n, float64(n)/float64(budget), err)
			}
			if err != nil && !errors.Is(err, sofab.ErrLimit) {
				t.Errorf("%s, %s: %v", a.name, s.name, err)
			}
			if want == "" {
				want = fmt.Sprint(err)
			} else if got := fmt.Sprint(err); got != want {
				t.Errorf("%s, %s: %s, Unmarshal: %s", a.name, s.name, got, want)
			}
			t.Logf("%-40s %-22s %6.2f MB of %6.2f MB, %3.0f %%: %.120v", a.name, s.name, float64(n)/1e6, float64(budget)/1e6, 100*float64(n)/float64(budget), err)
		}
	}
}

// TestBudgetErrors pins which limit stops a message, and at which byte.
func TestBudgetErrors(t *testing.T) {
	type counted struct {
		L []kilobyte `sofab:"0,count=4"`
	}
	for _, test := range []struct {
		name string
		typ  any
		in   string
		want error
	}{
		{"leap over the budget", new(listOf[kilobyte]), "06 86 ea 30 07 07",
			&sofab.LimitError{Path: "listOf.L[100000]", Offset: 1, Kind: "Memory", Limit: 16<<20 + 64*4, Got: 100_001 * 1017}},
		{"leaps of structs without fields", new(listOf[struct{}]), strings.Repeat("06 fe ff ff 03 07 07", 17),
			&sofab.LimitError{Path: "listOf.L[1048575]", Offset: 16*7 + 1, Kind: "Memory", Limit: 16<<20 + 64*(16*7+5), Got: 17 << 20}},
		{"leap in a map", new(oneOf[map[bool]bool]), "06 fe ff ff 03 07 07",
			&sofab.LimitError{Path: "oneOf.V", Offset: 6, Kind: "Memory", Limit: 16<<20 + 64*7, Got: 22 << 20}},
		{"leap over the cap", new(listOf[string]), "06 fa ff ff ff 3f 02 07",
			&sofab.LimitError{Path: "listOf.L[2147483647]", Offset: 6, Kind: "Array", Limit: 1 << 20, Got: math.MaxInt32 + 1}},
		{"leap over a bound", new(counted), "06 86 ea 30 07 07",
			&sofab.BoundError{Path: "counted.L[100000]", Offset: 1, Bound: "count", Limit: 4, Got: 100_001}},
	} {
		for _, s := range decodeSurfaces {
			err := s.decode(unhex(t, test.in), fresh(test.typ))
			if s.name == "Decoder/LengthPrefixed" {
				continue // other offsets
			}
			if diff := cmp.Diff(fmt.Sprintf("%#v", test.want), fmt.Sprintf("%#v", err)); diff != "" {
				t.Errorf("%s, %s (-want +got):\n%s", test.name, s.name, diff)
			}
		}
	}
}

// TestLimitCeilings raises each limit to its ceiling: what it capped goes through, and
// the other limits still hold.
func TestLimitCeilings(t *testing.T) {
	const small = 1000
	array := append(wire.AppendVarint([]byte{0x03}, small+1), make([]byte, small+1)...)
	text := append(wire.AppendVarint([]byte{0x0a}, (small+1)<<3|uint64(wire.String)), make([]byte, small+1)...)
	blob := append(wire.AppendVarint([]byte{0x12}, (small+1)<<3|uint64(wire.Blob)), make([]byte, small+1)...)
	defaulted := []byte{0x1e, 0xa6, 0x06, 0x07, 0x07} // element 100
	message := bytes.Repeat([]byte{0x20, 0x01}, 10_000)
	type limited struct {
		A []uint8     `sofab:"0,array"`
		S string      `sofab:"1"`
		B []byte      `sofab:"2"`
		L []kilobyte  `sofab:"3"`
		N [1]struct{} `sofab:"5"`
	}
	base := sofab.Limits{Array: small, String: small, Blob: small, Message: 10_000, Memory: small}
	inputs := []struct {
		kind  string
		in    []byte
		raise func(*sofab.Limits)
	}{
		{"Array", array, func(l *sofab.Limits) { l.Array = wire.MaxArray }},
		{"String", text, func(l *sofab.Limits) { l.String = wire.MaxFixlen }},
		{"Blob", blob, func(l *sofab.Limits) { l.Blob = wire.MaxFixlen }},
		{"Message", message, func(l *sofab.Limits) { l.Message = math.MaxInt64 }},
		{"Memory", defaulted, func(l *sofab.Limits) { l.Memory = math.MaxInt64 }},
	}
	check := func(codec *sofab.Codec, kind string, in []byte, over bool) {
		t.Helper()
		f, err := codec.NewFeeder(new(limited))
		if err == nil {
			err = f.Feed(in)
		}
		for _, err := range []error{err, codec.UnmarshalRead(bytes.NewReader(in), new(limited))} {
			var limit *sofab.LimitError
			switch {
			case !over && err != nil:
				t.Errorf("%s: %v", kind, err)
			case over && (!errors.As(err, &limit) || limit.Kind != kind):
				t.Errorf("%s: %v, want it over that limit", kind, err)
			}
		}
	}
	for _, raised := range inputs {
		limits := base
		raised.raise(&limits)
		codec := newCodec(sofab.Options{Limits: limits})
		for _, other := range inputs {
			check(codec, other.kind, other.in, other.kind != raised.kind)
		}
	}
	if _, err := (sofab.Options{Limits: sofab.Limits{Array: wire.MaxArray, String: wire.MaxFixlen, Blob: wire.MaxFixlen, Message: math.MaxInt64, Memory: math.MaxInt64}}).Codec(); err != nil {
		t.Error(err)
	}
	for _, l := range []sofab.Limits{{Array: -1}, {String: -1}, {Blob: -1}, {Message: -1}, {Memory: -1}} {
		if _, err := (sofab.Options{Limits: l}).Codec(); err == nil || !strings.Contains(err.Error(), "Limits.") {
			t.Errorf("%+v: %v", l, err)
		}
	}
}

// TestTenMillionElements: with all limits at their ceilings a long array is nothing
// special.
func TestTenMillionElements(t *testing.T) {
	const count = 10_000_000
	codec := newCodec(sofab.Options{Limits: sofab.Limits{
		Array: wire.MaxArray, String: wire.MaxFixlen, Blob: wire.MaxFixlen, Message: math.MaxInt64, Memory: math.MaxInt64,
	}})
	in := append(wire.AppendVarint([]byte{0x03}, count), make([]byte, count)...)
	in[len(in)-1] = 7
	type small struct {
		L []uint8 `sofab:"0,array"`
	}
	var v small
	if err := codec.Unmarshal(in, &v); err != nil || len(v.L) != count || v.L[count-1] != 7 {
		t.Errorf("%d elements: %v", len(v.L), err)
	}
	v = small{}
	if err := codec.UnmarshalRead(bytes.NewReader(in), &v); err != nil || len(v.L) != count || v.L[count-1] != 7 {
		t.Errorf("%d elements from a reader: %v", len(v.L), err)
	}
	if err := sofab.Unmarshal(in, new(small)); !errors.Is(err, sofab.ErrLimit) {
		t.Errorf("default limits: %v", err)
	}
}

// TestNumbersAreNotBelieved: a count or length under the cap allocates only with the
// bytes that arrive.
func TestNumbersAreNotBelieved(t *testing.T) {
	for _, test := range []struct {
		typ  any
		head string
	}{
		{new(listOf[uint64]), "03 80 80 40"},
		{new(listOf[float64]), "05 80 80 40 41"},
		{new(listOf[*uint64]), "03 80 80 40"},
		{new(oneOf[string]), "02 82 80 80 40"},
		{new(oneOf[[]byte]), "02 83 80 80 40"},
		{new(oneOf[big.Int]), "02 83 80 80 40"},
		{new(sofab.Fields), "03 80 80 40"},
		{new(sofab.Fields), "02 82 80 80 40"},
		{new(oneOf[any]), "06 4b 80 80 40"},
		{new(hostileUnknown), "0b 80 80 40"},
		{new(sofab.RawMessage), "02 82 80 80 40"},
	} {
		for _, n := range []int{0, 1, 100, 4000} {
			data := append(unhex(t, test.head), make([]byte, n)...)
			checkHostile(t, fmt.Sprintf("%s and %d bytes into %T", test.head, n, test.typ), data, test.typ, "I", true)
		}
	}
}

// What strings, blobs and short arrays take counts for the budget to the byte, whatever
// memory they are cut from: the least budget for a message is that of a Feeder.
func TestBudgetOfShortValues(t *testing.T) {
	type element struct {
		Pad  [128]uint64 `sofab:"1"`
		Text string      `sofab:"2"`
	}
	type message struct {
		Name  string    `sofab:"1"`
		Codes []uint64  `sofab:"2"`
		Hash  []byte    `sofab:"3"`
		Tags  []string  `sofab:"4"`
		List  []element `sofab:"5"`
		Last  []string  `sofab:"6"`
		Tail  []byte    `sofab:"7"`
	}
	v := message{Name: strings.Repeat("n", 300), Codes: []uint64{1, 2, 3}, Hash: make([]byte, 70), Tags: []string{"a", "bc", "äö"}}
	for range 40 {
		v.List = append(v.List, element{Text: "some text"})
	}
	gap := append(make([]string, 300), "the last")
	for _, x := range []struct{ before, at message }{
		{v, v},
		{message{Last: slices.Repeat([]string{"ten bytes."}, 301)}, message{Last: gap, Tail: make([]byte, 900)}},
	} {
		before, m := mustMarshal(t, &x.before), mustMarshal(t, &x.at)
		least := func(decode func(c *sofab.Codec, m []byte, v any) error) int {
			return sort.Search(1<<20, func(memory int) bool {
				codec := newCodec(sofab.Options{Limits: sofab.Limits{Memory: int64(memory) + 1}})
				var got message
				_ = decode(codec, before, &got) // the next one has room for as much
				return decode(codec, m, &got) == nil
			})
		}
		want := least(func(c *sofab.Codec, m []byte, v any) error {
			f, err := c.NewFeeder(v)
			for i := 0; i < len(m) && (err == nil || errors.Is(err, sofab.ErrIncomplete)); i++ {
				err = f.Feed(m[i : i+1])
			}
			return err
		})
		if got := least(func(c *sofab.Codec, m []byte, v any) error { return c.Unmarshal(m, v) }); got != want || got < 1000 {
			t.Errorf("the least budget for Unmarshal is %v, for a Feeder %v", got, want)
		}
	}
}
