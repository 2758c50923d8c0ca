package sofab_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/sofab-go/sofab"
)

// A callback is a text whose method does something else beside.
type callback struct{ do func() }

func (c *callback) MarshalText() ([]byte, error) {
	c.do()
	return []byte("text"), nil
}

func (*callback) UnmarshalText([]byte) error { return nil }

// TestMethodThatChangesTheValue: a list is written as it was when it began, whatever a
// method of an element makes of it meanwhile.
func TestMethodThatChangesTheValue(t *testing.T) {
	type element struct {
		N    uint64     `sofab:"1"`
		Call *callback  `sofab:"2"`
		More [10]uint64 `sofab:"3"`
	}
	type message struct {
		Values   []element         `sofab:"1"`
		Pointers []*element        `sofab:"2"`
		Texts    []string          `sofab:"3"`
		Map      map[uint8]element `sofab:"4"`
	}
	var v message
	var lists int
	replace := func() {
		lists++
		v.Values, v.Pointers, v.Texts = make([]element, 1), nil, []string{"other"}
	}
	for _, place := range []int{0, 3, 9} {
		v = message{Values: make([]element, 10), Pointers: make([]*element, 10)}
		for i := range v.Values {
			v.Values[i].N = math.MaxUint64
			v.Pointers[i] = &element{N: 7}
		}
		quiet := v
		quiet.Values = slices.Clone(v.Values)
		quiet.Values[place].Call = &callback{func() {}}
		quiet.Pointers, quiet.Texts = nil, []string{"other"}
		v.Values[place].Call = &callback{replace}
		want := mustMarshal(t, &quiet)
		if got, err := sofab.Marshal(&v); err != nil || !bytes.Equal(got, want) {
			t.Errorf("element %d changes the list: %x, %v, want %x", place, got, err, want)
		}

		v = message{Pointers: make([]*element, 10)}
		quiet = message{Pointers: make([]*element, 10), Texts: []string{"other"}}
		v.Pointers[place] = &element{N: 9, Call: &callback{replace}}
		quiet.Pointers[place] = &element{N: 9, Call: &callback{func() {}}}
		want = mustMarshal(t, &quiet)
		if got, err := sofab.Marshal(&v); err != nil || !bytes.Equal(got, want) {
			t.Errorf("element %d changes the list of pointers: %x, %v, want %x", place, got, err, want)
		}
	}
	if lists != 6 {
		t.Errorf("%d lists were changed, want 6", lists)
	}
}

// TestWriterThatChangesTheValue has a writer that puts longer lists where short ones are
// about to be written.
func TestWriterThatChangesTheValue(t *testing.T) {
	type message struct {
		Rows  [][]uint64 `sofab:"1"`
		Texts []string   `sofab:"2"`
		Bytes [][]byte   `sofab:"3"`
	}
	long := make([]uint64, 1000)
	for i := range long {
		long[i] = math.MaxUint64
	}
	for _, elements := range []int{0, 1, 3, 10} {
		v := message{Texts: slices.Repeat([]string{"text"}, 20_000), Bytes: slices.Repeat([][]byte{{1}}, 20_000)}
		for range 100_000/(10*elements+3) + 100 {
			v.Rows = append(v.Rows, long[:elements])
		}
		rows, texts := len(v.Rows), len(v.Texts)
		var w countingWriter
		calls := 0
		err := sofab.MarshalWrite(meddlerTo{&w, func() {
			for i := range v.Rows {
				v.Rows[i] = long
			}
			for i := range v.Texts {
				v.Texts[i], v.Bytes[i] = strings.Repeat("x", 40), make([]byte, 40)
			}
			if calls++; calls > 1 {
				v.Rows, v.Texts, v.Bytes = nil, nil, nil
			}
		}}, &v)
		if err != nil {
			t.Fatalf("%d elements: %v", elements, err)
		}
		var got message
		if err := sofab.Unmarshal(w.written, &got); err != nil || len(got.Rows) != rows || got.Texts != nil && len(got.Texts) != texts {
			t.Errorf("%d elements: %v, %d rows of %d", elements, err, len(got.Rows), rows)
		}
		for i, row := range got.Rows {
			if len(row) != elements && len(row) != len(long) {
				t.Errorf("%d elements: row %d has %d", elements, i, len(row))
			}
		}
	}
}

// A meddlerTo changes the value that is being written, and passes on what it gets.
type meddlerTo struct {
	to     *countingWriter
	meddle func()
}

func (w meddlerTo) Write(p []byte) (int, error) {
	n, err := w.to.Write(p)
	w.meddle()
	return n, err
}

// TestErrorOfWriterStaysAsItIs: an error of a writer may be one of this package, with a
// path of its own, and others may have it. Nothing is put into it, and no other error is
// returned in its place.
func TestErrorOfWriterStaysAsItIs(t *testing.T) {
	type inner struct {
		Texts []string `sofab:"1"`
		N     uint64   `sofab:"2"`
	}
	type message struct {
		First string           `sofab:"1"`
		List  []inner          `sofab:"2"`
		Map   map[string]inner `sofab:"4"`
		Deep  struct {
			In inner `sofab:"9"`
		} `sofab:"5"`
		Last []string `sofab:"6"`
	}
	for _, last := range []string{"", "\xff"} {
		v := message{First: strings.Repeat("x", 100_000), List: make([]inner, 50_000), Map: map[string]inner{"a": {N: 1}, "b": {N: 2}}, Last: []string{last}}
		v.Deep.In.Texts = []string{"a", "b"}
		for i := range v.List {
			v.List[i].N = math.MaxUint64
		}
		for _, fault := range []error{
			&sofab.BoundError{Path: "Path", Bound: "u8"}, &sofab.SyntaxError{Path: "Path", Err: sofab.ErrInvalid},
			&sofab.UnsupportedValueError{Path: "Path", Str: "text"}, &sofab.MarshalerError{Path: "Path", Err: errBroken, Type: reflect.TypeFor[inner]()},
		} {
			text := fault.Error()
			for _, room := range []int{0, 80_000, 200_000} {
				for name, encode := range map[string]func(w *brokenWriter) error{
					"MarshalWrite": func(w *brokenWriter) error { return sofab.MarshalWrite(w, &v) },
					"Encoder":      func(w *brokenWriter) error { return sofab.NewEncoder(w).Encode(&v) },
				} {
					err := encode(&brokenWriter{room: room, err: fault})
					if err != fault && (name == "MarshalWrite" || !errors.Is(err, fault)) || fault.Error() != text {
						t.Errorf("%s, room for %d bytes: %v, want %s", name, room, err, text)
					}
				}
			}
		}
	}
}

// TestEncoderAfterPanic: a panic in a method or in the writer, that the caller recovers
// from, ends the stream if something of the message may be on it already, and nothing
// else.
func TestEncoderAfterPanic(t *testing.T) {
	type message struct {
		First string      `sofab:"1"`
		Call  *callback   `sofab:"2"`
		List  []*callback `sofab:"3"`
	}
	fails := &callback{func() { panic("method") }}
	encode := func(e *sofab.Encoder, v any) (err error) {
		defer func() {
			if r := recover(); r != nil {
				err = errBroken
			}
		}()
		return e.Encode(v)
	}
	for _, framing := range []sofab.Framing{sofab.Terminated, sofab.LengthPrefixed, sofab.None} {
		codec := newCodec(sofab.Options{Framing: framing})
		for size, partial := range map[int]bool{0: false, 50_000: false, 80_000: framing != sofab.LengthPrefixed} {
			for _, v := range []message{
				{First: strings.Repeat("x", size), Call: fails}, {First: strings.Repeat("x", size), List: []*callback{fails}},
			} {
				var w countingWriter
				e := codec.NewEncoder(&w)
				if err := encode(e, &v); err != errBroken || len(w.written) > 0 != partial {
					t.Fatalf("framing %d, %d bytes: %v, %d bytes written", framing, size, err, len(w.written))
				}
				before := len(w.written)
				err := encode(e, &itemValue)
				if !partial {
					if want := streamOf(t, codec, &itemValue); err != nil || !bytes.Equal(w.written, want) {
						t.Errorf("framing %d, %d bytes: then %v, %x, want %x", framing, size, err, w.written, want)
					}
					continue
				}
				if again := encode(e, &itemValue); !errors.Is(err, sofab.ErrPartialMessage) || again != err || len(w.written) != before {
					t.Errorf("framing %d, %d bytes: then %v and %v, %d bytes written behind %d", framing, size, err, again, len(w.written), before)
				}
				e.Reset(&countingWriter{})
				if err := encode(e, &itemValue); err != nil {
					t.Errorf("framing %d, %d bytes: after Reset %v", framing, size, err)
				}
			}
		}
		for _, v := range []any{&itemValue, &message{First: strings.Repeat("x", 100_000)}} {
			panics := true
			var w countingWriter
			e := codec.NewEncoder(meddlerTo{&w, func() {
				if panics {
					panic("writer")
				}
			}})
			err := encode(e, v)
			written := len(w.written)
			panics = false
			first := encode(e, v)
			if again := encode(e, v); err != errBroken || first == nil || again != first || len(w.written) != written {
				t.Errorf("framing %d: a writer that panics, then %v and %v, %d bytes written behind %d", framing, first, again, len(w.written), written)
			}
		}
	}
}

// TestValueOfErrorStays: the value in an error is the one that was refused, also when other
// values have been encoded since.
func TestValueOfErrorStays(t *testing.T) {
	type enum struct {
		Map map[string]int8 `sofab:"1,val.enum=1|2"`
	}
	type field struct {
		Map map[string]sofab.RawField `sofab:"1"`
	}
	type text struct {
		Bytes []byte `sofab:"1,string"`
	}
	bad := text{[]byte("\xffbad")}
	for _, row := range []struct {
		value, other any
		want         string
	}{
		{&enum{map[string]int8{"a": 5}}, &enum{map[string]int8{"b": 1}}, "5"},
		{&field{map[string]sofab.RawField{"a": {9, 9}}}, &field{map[string]sofab.RawField{"b": {0, 1}}}, "[9 9]"},
		{&bad, &text{[]byte("good")}, "\xffbad"},
	} {
		_, err := sofab.Marshal(row.value)
		var refused *sofab.UnsupportedValueError
		if !errors.As(err, &refused) {
			t.Fatalf("Marshal of %T: %v", row.value, err)
		}
		for range 3 {
			mustMarshal(t, row.other)
		}
		if row.value == &bad {
			scrub(bad.Bytes)
		}
		if got := fmt.Sprint(refused.Value); got != row.want {
			t.Errorf("%v: value %q, want %q", err, got, row.want)
		}
	}
}
