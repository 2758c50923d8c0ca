package sofab_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/sofab-go/sofab"
)

// onePiece is how long a message may be, with its framing, that leaves in one Write.
const onePiece = 64 << 10

func TestEncodeFraming(t *testing.T) {
	message := mustMarshal(t, &itemValue)
	long := item{Free: strings.Repeat("x", 200)}
	tests := []struct {
		name    string
		options sofab.Options
		values  []any
		want    []byte
	}{
		{"terminated", sofab.Options{}, []any{&itemValue}, append(bytes.Clone(message), 0x07)},
		{"terminated empty", sofab.Options{}, []any{&item{}, item{}}, []byte{0x07, 0x07}},
		{"nil pointer", sofab.Options{}, []any{(*item)(nil)}, []byte{0x07}},
		{"prefixed", sofab.Options{Framing: sofab.LengthPrefixed}, []any{&itemValue}, append([]byte{byte(len(message))}, message...)},
		{"prefixed empty", sofab.Options{Framing: sofab.LengthPrefixed}, []any{&item{}, item{}}, []byte{0, 0}},
		{"prefixed long", sofab.Options{Framing: sofab.LengthPrefixed}, []any{&long}, append([]byte{0xcb, 0x01}, mustMarshal(t, &long)...)},
		{"none", sofab.Options{Framing: sofab.None}, []any{&itemValue}, message},
		{"none empty", sofab.Options{Framing: sofab.None}, []any{&item{}}, nil},
	}
	for _, tt := range tests {
		var w countingWriter
		enc := newCodec(tt.options).NewEncoder(&w)
		for _, v := range tt.values {
			if err := enc.Encode(v); err != nil {
				t.Errorf("%s: %v", tt.name, err)
			}
		}
		if !bytes.Equal(w.written, tt.want) {
			t.Errorf("%s: %x, want %x", tt.name, w.written, tt.want)
		}
		if len(tt.want) > 0 && len(w.sizes) != len(tt.values) {
			t.Errorf("%s: %d messages in %d Writes", tt.name, len(tt.values), len(w.sizes))
		}
	}
}

func mustMarshal(t testing.TB, v any) []byte {
	t.Helper()
	b, err := sofab.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// countingWriter records the size of each Write.
type countingWriter struct {
	written []byte
	sizes   []int
}

func (w *countingWriter) Write(p []byte) (int, error) {
	w.written = append(w.written, p...)
	w.sizes = append(w.sizes, len(p))
	return len(p), nil
}

// shapes make values whose messages have about size bytes.
var shapes = []struct {
	name string
	make func(size int) any
}{
	{"one string", func(size int) any { return &item{Free: strings.Repeat("x", max(0, size-5))} }},
	{"one blob", func(size int) any { return &item{Data: make([]byte, max(0, size-5))} }},
	{"short strings", func(size int) any { return &item{List: slices.Repeat([]string{"abcde"}, size/8)} }},
	{"structs", func(size int) any {
		return &item{Parts: slices.Repeat([]part{{Name: "n", Sub: &part{Ratio: 2}}}, size/22)}
	}},
	{"gaps", func(size int) any {
		parts := make([]part, size/6)
		for i := range parts {
			if i%3 == 2 {
				parts[i].Name = strings.Repeat("n", 10)
			}
		}
		return &item{Parts: parts}
	}},
	{"integers", func(size int) any {
		return &struct {
			V []uint64 `sofab:"1"`
		}{slices.Repeat([]uint64{1 << 62}, size/9)}
	}},
	{"floats", func(size int) any {
		return &struct {
			V []float64 `sofab:"1"`
		}{make([]float64, size/8)}
	}},
	{"string at the end", func(size int) any {
		return &struct {
			A []byte   `sofab:"1"`
			B []uint16 `sofab:"2"`
			C string   `sofab:"3"`
		}{make([]byte, size/2), make([]uint16, size/4), strings.Repeat("x", size/4)}
	}},
}

// TestEncodePieces: up to 64 KiB in one Write, and the bytes of Marshal in any number.
func TestEncodePieces(t *testing.T) {
	sizes := []int{0, 1000, 30_000, 100_000, 200_000, 1_000_000}
	for d := -12; d <= 12; d++ {
		sizes = append(sizes, onePiece+d)
	}
	codecs := map[sofab.Framing]*sofab.Codec{}
	for _, framing := range []sofab.Framing{sofab.Terminated, sofab.LengthPrefixed, sofab.None} {
		codecs[framing] = newCodec(sofab.Options{Framing: framing})
	}
	for _, shape := range shapes {
		for _, size := range sizes {
			v := shape.make(size)
			message := mustMarshal(t, v)
			for framing, codec := range codecs {
				var want []byte
				switch framing {
				case sofab.Terminated:
					want = append(slices.Clip(message), 0x07)
				case sofab.LengthPrefixed:
					want = append(binary.AppendUvarint(nil, uint64(len(message))), message...)
				default:
					want = message
				}
				var w countingWriter
				if err := codec.NewEncoder(&w).Encode(v); err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(w.written, want) {
					t.Errorf("framing %d, %s, %d: the bytes differ", framing, shape.name, size)
				}
				if len(want) <= onePiece && len(w.sizes) > 1 {
					t.Errorf("framing %d, %s: %d bytes in pieces of %d", framing, shape.name, len(want), w.sizes)
				}
			}
		}
	}
}

// brokenWriter fails, or is short, when the given number of bytes is reached.
type brokenWriter struct {
	written []byte
	room    int
	err     error // nil: the Write is short
	calls   int   // that were complete
	failed  int
}

func (w *brokenWriter) Write(p []byte) (int, error) {
	if n := w.room - len(w.written); n < len(p) {
		w.failed++
		w.written = append(w.written, p[:n]...)
		return n, w.err
	}
	w.calls++
	w.written = append(w.written, p...)
	return len(p), nil
}

var errBroken = errors.New("the writer of the test is broken")

// TestEncodeToBrokenWriter breaks the writer at every position of a stream of
// messages.
func TestEncodeToBrokenWriter(t *testing.T) {
	long := &item{Free: strings.Repeat("x", 70_000), List: slices.Repeat([]string{"abc"}, 30_000), Last: 1}
	for _, framing := range []sofab.Framing{sofab.Terminated, sofab.LengthPrefixed} {
		codec := newCodec(sofab.Options{Framing: framing})
		for _, stream := range [][]any{{&itemValue, &item{}, &itemValue}, {&item{Last: 1}, long, &itemValue}} {
			var ends []int
			var data []byte
			for _, v := range stream {
				data = append(data, streamOf(t, codec, v)...)
				ends = append(ends, len(data))
			}
			step := max(1, len(data)/60)
			for room := 0; room < len(data); room += step {
				for _, broken := range []error{errBroken, nil} {
					checkBroken(t, codec, stream, data, ends, room, broken)
				}
			}
		}
	}
}

func checkBroken(t *testing.T, codec *sofab.Codec, stream []any, data []byte, ends []int, room int, broken error) {
	t.Helper()
	w := &brokenWriter{room: room, err: broken}
	enc := codec.NewEncoder(w)
	cause := broken
	if cause == nil {
		cause = io.ErrShortWrite
	}
	var first error
	for i, v := range stream {
		before := w.calls
		err := enc.Encode(v)
		switch {
		case room >= ends[i]:
			if err != nil {
				t.Fatalf("room %d: Encode %d: %v", room, i, err)
			}
			continue
		case first != nil:
			if err != first {
				t.Fatalf("room %d: Encode %d: %v, want again %v", room, i, err, first)
			}
			continue
		}
		first = err
		partial := w.calls > before
		if !errors.Is(err, cause) || !partial && err != cause || errors.Is(err, sofab.ErrPartialMessage) != partial {
			t.Fatalf("room %d: Encode %d: %v; some of it was written: %t", room, i, err, partial)
		}
	}
	if w.failed != 1 {
		t.Errorf("room %d: %d Writes after the first that failed", room, w.failed-1)
	}
	if !bytes.Equal(w.written, data[:room]) {
		t.Errorf("room %d: %d bytes are not what belongs there", room, len(w.written))
	}
	var whole bytes.Buffer
	enc.Reset(&whole)
	if err := enc.Encode(stream[0]); err != nil || !bytes.Equal(whole.Bytes(), data[:ends[0]]) {
		t.Errorf("room %d: after Reset: %x, %v", room, whole.Bytes(), err)
	}
}

func TestMarshalWriteToBrokenWriter(t *testing.T) {
	long := &item{Free: strings.Repeat("x", 70_000), List: slices.Repeat([]string{"abc"}, 30_000), Last: 1}
	for _, v := range []any{&itemValue, long} {
		data := mustMarshal(t, v)
		step := max(1, len(data)/60)
		for room := 0; room < len(data); room += step {
			for _, broken := range []error{errBroken, nil} {
				w := &brokenWriter{room: room, err: broken}
				err := sofab.MarshalWrite(w, v)
				if broken == nil {
					broken = io.ErrShortWrite
				}
				if err != broken || w.failed != 1 || !bytes.Equal(w.written, data[:room]) {
					t.Errorf("room %d: %v, %d bytes, %d failures", room, err, len(w.written), w.failed)
				}
			}
		}
	}
}

// TestEncodeRefusedValue: a value without an encoding costs nothing when nothing of it
// was written, and the stream when something was.
func TestEncodeRefusedValue(t *testing.T) {
	bad := item{Short: "fits"}
	bad.Free = strings.Repeat("x", 100)
	bad.Few = []uint16{1, 2, 3, 4}
	late := item{Free: strings.Repeat("x", 100_000), Few: []uint16{1, 2, 3, 4}}
	for _, framing := range []sofab.Framing{sofab.Terminated, sofab.LengthPrefixed, sofab.None} {
		codec := newCodec(sofab.Options{Framing: framing})
		var w countingWriter
		enc := codec.NewEncoder(&w)
		for _, v := range []any{&bad, nil, make(chan int), &bad} {
			if err := enc.Encode(v); err == nil || errors.Is(err, sofab.ErrPartialMessage) {
				t.Errorf("framing %d: Encode(%T): %v", framing, v, err)
			}
		}
		if len(w.sizes) != 0 {
			t.Errorf("framing %d: %d bytes of values that are refused", framing, len(w.written))
		}
		if err := enc.Encode(&itemValue); err != nil {
			t.Errorf("framing %d: then %v", framing, err)
		}
		if want := streamOf(t, codec, &itemValue); !bytes.Equal(w.written, want) {
			t.Errorf("framing %d: %x, want %x", framing, w.written, want)
		}

		w = countingWriter{}
		enc.Reset(&w)
		err := enc.Encode(&late)
		var bound *sofab.BoundError
		if !errors.As(err, &bound) || bound.Path != "item.Few" {
			t.Errorf("framing %d: %v", framing, err)
		}
		// The length needs a pass of its own, which finds the fault.
		partial := framing != sofab.LengthPrefixed
		if errors.Is(err, sofab.ErrPartialMessage) != partial || len(w.sizes) > 0 != partial {
			t.Errorf("framing %d: %v, %d Writes", framing, err, len(w.sizes))
		}
		if partial {
			if want := "sofab: message is written only in part: item.Few: 4 elements are more than count=3 allows"; err.Error() != want {
				t.Errorf("framing %d: %q, want %q", framing, err, want)
			}
		}
		writes := len(w.sizes)
		if again := enc.Encode(&itemValue); partial && (again != err || len(w.sizes) != writes) || !partial && again != nil {
			t.Errorf("framing %d: then %v", framing, again)
		}
	}
}

// TestEncodeReportsWhatCameFirst: a writer that fails is not hidden by what is wrong with
// the rest of the value.
func TestEncodeReportsWhatCameFirst(t *testing.T) {
	late := item{Free: strings.Repeat("x", 200_000), Few: []uint16{1, 2, 3, 4}}
	for room, partial := range map[int]bool{0: false, 100: false, 80_000: true} {
		w := &brokenWriter{room: room, err: errBroken}
		enc := sofab.NewEncoder(w)
		if err := enc.Encode(&late); !errors.Is(err, errBroken) || errors.Is(err, sofab.ErrPartialMessage) != partial {
			t.Errorf("room for %d bytes: %v", room, err)
		}
	}
}

func TestEncodeTwiceWithoutFraming(t *testing.T) {
	for _, v := range []any{&item{}, &itemValue} {
		var w countingWriter
		enc := newCodec(sofab.Options{Framing: sofab.None}).NewEncoder(&w)
		if err := enc.Encode(v); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := enc.Encode(v); err == nil || !strings.Contains(err.Error(), "None") {
				t.Errorf("second Encode: %v", err)
			}
		}
		if !bytes.Equal(w.written, mustMarshal(t, v)) {
			t.Errorf("%x", w.written)
		}
		enc.Reset(&w)
		if err := enc.Encode(v); err != nil {
			t.Errorf("after Reset: %v", err)
		}
	}
}

// meddler changes the value that is being written.
type meddler struct{ meddle func() }

func (w meddler) Write(p []byte) (int, error) {
	w.meddle()
	return len(p), nil
}

// TestEncodeValueThatChanges: the length in front of a message is never wrong without
// an error.
func TestEncodeValueThatChanges(t *testing.T) {
	codec := newCodec(sofab.Options{Framing: sofab.LengthPrefixed})
	for _, last := range []string{"", strings.Repeat("x", 100), strings.Repeat("x", 1_000_000)} {
		v := item{List: slices.Repeat([]string{"abc"}, 100_000)}
		v.List[len(v.List)-1] = "short"
		enc := codec.NewEncoder(meddler{func() { v.List[len(v.List)-1] = last }})
		err := enc.Encode(&v)
		if !errors.Is(err, sofab.ErrPartialMessage) {
			t.Errorf("last of %d bytes: %v", len(last), err)
		}
		if again := enc.Encode(&v); again != err {
			t.Errorf("last of %d bytes: then %v", len(last), again)
		}
	}
}

func TestEncodeAllocatesNothing(t *testing.T) {
	values := []any{&itemValue, &item{Free: strings.Repeat("x", 100_000)}, &item{List: slices.Repeat([]string{"abcdefgh"}, 20_000)}}
	for _, framing := range []sofab.Framing{sofab.Terminated, sofab.LengthPrefixed} {
		enc := newCodec(sofab.Options{Framing: framing}).NewEncoder(io.Discard)
		for i, v := range values {
			if n := testing.AllocsPerRun(20, func() {
				if err := enc.Encode(v); err != nil {
					t.Fatal(err)
				}
			}); n != 0 {
				t.Errorf("framing %d: Encode of value %d allocates %v times", framing, i, n)
			}
		}
	}
}

func TestDecodeAllocatesNothingBesideTheValue(t *testing.T) {
	type numbers struct {
		A uint64  `sofab:"1"`
		B float64 `sofab:"2"`
		C part    `sofab:"3"`
	}
	for _, f := range framings {
		codec := newCodec(f.options)
		one := streamOf(t, codec, &numbers{A: 1 << 50, B: 3, C: part{Ratio: 2}})
		dec := codec.NewDecoder(&endless{piece: one})
		var got numbers
		if n := testing.AllocsPerRun(200, func() {
			if err := dec.Decode(&got); err != nil {
				t.Fatal(err)
			}
			if err := dec.Skip(); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations", f.name, n)
		}
	}
}

// TestStreamedMemory moves a message of 100 MB, field by field, in memory that does not
// depend on its size.
func TestStreamedMemory(t *testing.T) {
	type samples struct {
		V []uint64 `sofab:"1,count=12000000"`
		W []string `sofab:"2,count=2000000"`
	}
	in := samples{V: slices.Repeat([]uint64{1<<63 - 1}, 1_000_000), W: slices.Repeat([]string{"twelve bytes"}, 100_000)}
	for _, framing := range []sofab.Framing{sofab.Terminated, sofab.LengthPrefixed, sofab.None} {
		codec := newCodec(sofab.Options{Framing: framing, Reuse: true})
		r, w := io.Pipe()
		out := samples{V: make([]uint64, 0, len(in.V)), W: make([]string, 0, len(in.W))}
		sent := make(chan error, 1)
		var allocated uint64
		within(t, func() error {
			var err error
			allocated = allocatedBy(func() {
				go func() {
					sent <- codec.NewEncoder(w).Encode(&in)
					w.Close()
				}()
				err = codec.NewDecoder(r).Decode(&out)
				if e := <-sent; err == nil {
					err = e
				}
			})
			return err
		})
		if !reflect.DeepEqual(in, out) {
			t.Errorf("framing %d: what arrives differs", framing)
		}
		// The strings that arrive are part of the value.
		kept := uint64(len(in.W) * 16)
		if allocated > kept+1<<20 {
			t.Errorf("framing %d: %d bytes allocated", framing, allocated)
		}
	}
}

// allocatedBy is the number of bytes that f allocates.
func allocatedBy(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func TestEncodeDecodeTypes(t *testing.T) {
	var b bytes.Buffer
	enc := sofab.NewEncoder(&b)
	if err := errors.Join(enc.Encode(uint8(5)), enc.Encode([]string{"a", "b"}), enc.Encode(itemValue)); err != nil {
		t.Fatal(err)
	}
	var n uint8
	var list []string
	var got *item
	dec := sofab.NewDecoder(&b)
	if err := errors.Join(dec.Decode(&n), dec.Decode(&list), dec.Decode(&got)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(fmt.Sprint(uint8(5), []string{"a", "b"}), fmt.Sprint(n, list)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(&itemValue, got); diff != "" {
		t.Error(diff)
	}
}
