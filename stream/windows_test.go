package stream_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sofab-go/sofab/stream"
	"github.com/sofab-go/sofab/wire"
)

var errBroken = errors.New("the wire is broken")

// failingWriter takes good bytes, then fails; short makes it lie about it.
type failingWriter struct {
	bytes.Buffer
	good  int
	short bool
}

func (w *failingWriter) Write(p []byte) (int, error) {
	n := min(len(p), w.good-w.Len())
	w.Buffer.Write(p[:n])
	switch {
	case n == len(p):
		return n, nil
	case w.short:
		return n, nil
	}
	return n, errBroken
}

// checkWindows asserts that the calls of encode give want in every kind of output, of
// every size.
func checkWindows(t *testing.T, name string, want []byte, encode func(*stream.Encoder) error) {
	t.Helper()
	check := func(how string, got []byte, err error) {
		t.Helper()
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s, %s: %v\n% x, want\n% x", name, how, err, got, want)
		}
	}

	for _, free := range []int{0, 1, 2, len(want) / 2, max(0, len(want)-1), len(want), len(want) + 1, len(want) + 30} {
		dst := append(make([]byte, 0, 3+free), "abc"...)
		e := stream.NewAppendEncoder(dst)
		err := encode(e)
		got := e.Bytes()
		check(fmt.Sprintf("append with %d free", free), got[3:], err)
		if string(got[:3]) != "abc" || free >= len(want) && &got[0] != &dst[0] {
			t.Errorf("%s: append with %d free does not append", name, free)
		}
		if e.Len() != int64(len(want)) {
			t.Errorf("%s: Len is %d of %d", name, e.Len(), len(want))
		}
	}

	for _, size := range []int{1, 2, 3, 7, 16, 20, 100} {
		for _, offset := range []int{0, 3} {
			got, err := throughSink(size, offset, false, encode)
			check(fmt.Sprintf("copying sink, window %d, offset %d", size, offset), got, err)
			got, err = throughSink(size, offset, true, encode)
			check(fmt.Sprintf("replacing sink, window %d, offset %d", size, offset), got, err)
		}
	}

	var w bytes.Buffer
	e := stream.NewEncoder(&w)
	err := encode(e)
	if flushed := e.Flush(); err == nil {
		err = flushed
	}
	check("writer", w.Bytes(), err)

	for size := range len(want) + 3 {
		checkFixed(t, name, want, size, encode)
	}
	for good := range want {
		for _, short := range []bool{false, true} {
			w := &failingWriter{good: good, short: short}
			e := stream.NewEncoder(w)
			_ = encode(e)
			err := e.Flush()
			wantErr := errBroken
			if short {
				wantErr = io.ErrShortWrite
			}
			if err != wantErr || e.Flush() != err || !bytes.Equal(w.Bytes(), want[:good]) {
				t.Errorf("%s, writer that takes %d bytes: %v, % x", name, good, err, w.Bytes())
			}
		}
	}
}

// throughSink encodes through a buffer of size bytes behind the offset.
func throughSink(size, offset int, replace bool, encode func(*stream.Encoder) error) ([]byte, error) {
	var got []byte
	var taken [][]byte
	e, err := stream.NewBufferEncoder(make([]byte, offset+size), offset, func(e *stream.Encoder, p []byte) error {
		if len(p) == 0 || len(p) > size && offset == 0 {
			return fmt.Errorf("unit of %d bytes", len(p))
		}
		if !replace {
			got = append(got, p...)
			return nil
		}
		taken = append(taken, p)
		return e.SetBuffer(make([]byte, offset+size), offset)
	})
	if err != nil {
		return nil, err
	}
	if err := encode(e); err != nil {
		return nil, err
	}
	if err := e.Flush(); err != nil {
		return nil, err
	}
	for _, p := range taken {
		got = append(got, p...)
	}
	return got, nil
}

// checkFixed encodes into a buffer without a sink, from offset 2 on.
func checkFixed(t *testing.T, name string, want []byte, size int, encode func(*stream.Encoder) error) {
	t.Helper()
	buf := bytes.Repeat([]byte{0xee}, size+4)
	e, err := stream.NewBufferEncoder(buf[:2+size:2+size], 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = encode(e)
	switch {
	case size < len(want):
		if !errors.Is(err, stream.ErrBufferFull) || !errors.Is(e.Flush(), stream.ErrBufferFull) {
			t.Errorf("%s in %d of %d bytes: %v", name, size, len(want), err)
		}
	case err != nil || !bytes.Equal(buf[2:2+len(want)], want) || e.Len() != int64(len(want)):
		t.Errorf("%s in %d bytes: %v, % x", name, size, err, buf)
	}
	if around := append(bytes.Clone(buf[:2]), buf[2+size:]...); string(around) != "\xee\xee\xee\xee" {
		t.Errorf("%s in %d bytes: wrote around the buffer", name, size)
	}
}

// calls are the rows of sections 4.2 and 12.10 that give bytes.
var calls = []struct {
	name   string
	want   string
	encode func(e *stream.Encoder)
}{
	{"begin, end", "", func(e *stream.Encoder) { e.BeginSequence(1); e.EndSequence() }},
	{"begin, end_keep", "0e 07", func(e *stream.Encoder) { e.BeginSequence(1); e.EndSequenceKeep() }},
	{"inner kept", "0e 16 07 07", func(e *stream.Encoder) {
		e.BeginSequence(1)
		e.BeginSequence(2)
		e.EndSequenceKeep()
		e.EndSequence()
	}},
	{"content", "0e 16 00 2a 07 07", func(e *stream.Encoder) {
		e.BeginSequence(1)
		e.BeginSequence(2)
		e.Unsigned(0, 42)
		e.EndSequence()
		e.EndSequence()
	}},
	{"content behind an empty one", "0e 00 2a 07", func(e *stream.Encoder) {
		e.BeginSequence(1)
		e.BeginSequence(2)
		e.EndSequence()
		e.Unsigned(0, 42)
		e.EndSequence()
	}},
	{"empty array is content", "0e 03 00 07", func(e *stream.Encoder) {
		e.BeginSequence(1)
		stream.WriteUnsigneds[uint8](e, 0, nil)
		e.EndSequence()
	}},
	{"255 deep", "", func(e *stream.Encoder) {
		for i := range 255 {
			e.BeginSequence(wireID(i * 1000))
		}
		for range 255 {
			e.EndSequence()
		}
	}},
	{"largest id", "f8 ff ff ff 3f 00", func(e *stream.Encoder) { e.Unsigned(2147483647, 0) }},
	{"boolean", "00 01", func(e *stream.Encoder) { e.Bool(0, true) }},
	{"empty string", "02 02", func(e *stream.Encoder) { e.String(0, "") }},
	{"empty blob", "02 03", func(e *stream.Encoder) { e.Blob(0, nil) }},
	{"empty fp32 array", "05 00 20", func(e *stream.Encoder) { e.Float32s(0, nil) }},
	{"empty fp64 array", "05 00 41", func(e *stream.Encoder) { e.Float64s(0, nil) }},
	{"fp32 bits", "02 20 00 00 00 80 0a 20 01 00 80 7f", func(e *stream.Encoder) {
		e.Float32(0, float32bits(0x80000000))
		e.Float32(1, float32bits(0x7f800001))
	}},
	{"NaN", "2a 41 01 00 00 00 00 00 f8 7f", func(e *stream.Encoder) { e.Float64(5, nan) }},
	{"order is not policed", "10 01 08 02 10 03", func(e *stream.Encoder) {
		e.Unsigned(2, 1)
		e.Unsigned(1, 2)
		e.Unsigned(2, 3)
	}},
	{"booleans", "03 03 01 00 01", func(e *stream.Encoder) { e.Bools(0, []bool{true, false, true}) }},
	{"raw content", "0e 00 05 08 06 07", func(e *stream.Encoder) {
		e.BeginSequence(1)
		e.Raw(unhex("00 05 08 06"))
		e.EndSequence()
	}},
	{"no raw content", "", func(e *stream.Encoder) {
		e.BeginSequence(1)
		e.Raw(nil)
		e.RawString("")
		e.EndSequence()
	}},
}

func TestCalls(t *testing.T) {
	for _, row := range calls {
		checkWindows(t, row.name, unhex(row.want), func(e *stream.Encoder) error {
			row.encode(e)
			// Raw leaves it to Flush to say what went wrong.
			return e.Flush()
		})
	}
}

func TestRefusals(t *testing.T) {
	for name, call := range map[string]func(e *stream.Encoder) error{
		"id":           func(e *stream.Encoder) error { return e.Unsigned(1<<31, 0) },
		"id of string": func(e *stream.Encoder) error { return e.String(1<<31, "") },
		"id of array":  func(e *stream.Encoder) error { return e.Bools(1<<31, nil) },
		"id of begin":  func(e *stream.Encoder) error { return e.BeginSequence(1 << 31) },
		"end":          func(e *stream.Encoder) error { return e.EndSequence() },
		"end_keep":     func(e *stream.Encoder) error { return e.EndSequenceKeep() },
		"UTF-8":        func(e *stream.Encoder) error { return e.String(0, "\xff") },
		"depth": func(e *stream.Encoder) error {
			for range 255 {
				if err := e.BeginSequence(0); err != nil {
					return fmt.Errorf("too early: %v", err)
				}
			}
			return e.BeginSequence(0)
		},
	} {
		e := stream.NewAppendEncoder(nil)
		err := call(e)
		if !errors.Is(err, stream.ErrArgument) || e.Len() != 0 || len(e.Bytes()) != 0 {
			t.Errorf("%s: %v, %d bytes", name, err, e.Len())
		}
		if later := e.Unsigned(0, 1); later != err || e.Flush() != err || e.Err() != err || e.Len() != 0 {
			t.Errorf("%s does not stick: %v, %v", name, later, err)
		}
		e.ResetAppend(nil)
		if err := e.Unsigned(0, 5); err != nil || !bytes.Equal(e.Bytes(), unhex("00 05")) {
			t.Errorf("%s: after a reset: %v, % x", name, err, e.Bytes())
		}
	}
}

func TestBufferExactFit(t *testing.T) {
	buf := bytes.Repeat([]byte{0xee}, 6)
	e, err := stream.NewBufferEncoder(buf, 4, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Unsigned(0, 5); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(unhex("ee ee ee ee 00 05"), buf); diff != "" {
		t.Error(diff)
	}
	if err := e.Unsigned(0, 5); err != stream.ErrBufferFull {
		t.Errorf("one more: %v", err)
	}
	if e.Len() != 2 {
		t.Errorf("Len is %d", e.Len())
	}
}

func TestBufferRefused(t *testing.T) {
	sink := func(*stream.Encoder, []byte) error { return nil }
	for _, row := range []struct {
		size, offset int
		sink         stream.Sink
		ok           bool
	}{
		{0, 0, nil, true},
		{4, 4, nil, true},
		{4, 5, nil, false},
		{4, -1, nil, false},
		{0, 0, sink, false},
		{4, 4, sink, false},
		{5, 4, sink, true},
	} {
		_, err := stream.NewBufferEncoder(make([]byte, row.size), row.offset, row.sink)
		if ok := err == nil; ok != row.ok || !ok && !errors.Is(err, stream.ErrArgument) {
			t.Errorf("%d bytes, offset %d, sink %v: %v", row.size, row.offset, row.sink != nil, err)
		}
		if row.sink == nil || row.offset < 0 {
			continue
		}
		e, _ := stream.NewBufferEncoder(make([]byte, 9), 0, row.sink)
		if err := e.SetBuffer(make([]byte, row.size), row.offset); (err == nil) != row.ok {
			t.Errorf("SetBuffer of %d bytes, offset %d: %v", row.size, row.offset, err)
		}
	}
	if err := stream.NewAppendEncoder(nil).SetBuffer(make([]byte, 9), 0); !errors.Is(err, stream.ErrArgument) {
		t.Errorf("SetBuffer of an append encoder: %v", err)
	}
}

// units are the bytes that a sink gets: 12 fields of 3 bytes through a buffer of 24
// bytes with an offset of 4. MinOutputBuffer is 1 here, so that any unit is split at any
// byte and a sink gets whole windows. A port that keeps a header and its value together,
// such as the one whose numbers stand in section 12.10, hands over less at a time.
func units(t *testing.T, sink func(e *stream.Encoder, p []byte) error) []int {
	var sizes []int
	e, err := stream.NewBufferEncoder(make([]byte, 24), 4, func(e *stream.Encoder, p []byte) error {
		sizes = append(sizes, len(p))
		return sink(e, p)
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 12 {
		if err := e.Unsigned(1, 300); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := e.Flush(); err != nil {
		t.Fatal(err)
	}
	return sizes
}

func TestUnitsOfSinks(t *testing.T) {
	copying := units(t, func(*stream.Encoder, []byte) error { return nil })
	if diff := cmp.Diff([]int{20, 16}, copying); diff != "" {
		t.Errorf("copying: %s", diff)
	}
	replacing := units(t, func(e *stream.Encoder, _ []byte) error { return e.SetBuffer(make([]byte, 24), 4) })
	if diff := cmp.Diff([]int{20, 16}, replacing); diff != "" {
		t.Errorf("replacing: %s", diff)
	}
	shrinking := units(t, func(e *stream.Encoder, _ []byte) error { return e.SetBuffer(make([]byte, 10), 0) })
	if diff := cmp.Diff([]int{20, 10, 6}, shrinking); diff != "" {
		t.Errorf("shrinking: %s", diff)
	}
}

func TestSetBufferDrains(t *testing.T) {
	var got []byte
	e, _ := stream.NewBufferEncoder(make([]byte, 24), 4, func(_ *stream.Encoder, p []byte) error {
		got = append(got, p...)
		return nil
	})
	e.Unsigned(0, 5)
	if len(got) != 0 {
		t.Errorf("flushed early: % x", got)
	}
	next := make([]byte, 9)
	if err := e.SetBuffer(next, 1); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(unhex("00 05"), got); diff != "" {
		t.Error(diff)
	}
	e.Unsigned(0, 6)
	if diff := cmp.Diff(unhex("00 00 06 00 00 00 00 00 00"), next); diff != "" {
		t.Error(diff)
	}
}

func TestSinkFails(t *testing.T) {
	want := bytes.Repeat(unhex("08 ac 02"), 12)
	for fails := range 5 {
		var got []byte
		n := 0
		e, _ := stream.NewBufferEncoder(make([]byte, 7), 0, func(_ *stream.Encoder, p []byte) error {
			if n == fails {
				return errBroken
			}
			n++
			got = append(got, p...)
			return nil
		})
		var err error
		for i := 0; i < 12 && err == nil; i++ {
			err = e.Unsigned(1, 300)
		}
		if err == nil {
			err = e.Flush()
		}
		if err != errBroken || !bytes.Equal(got, want[:7*fails]) || e.Flush() != errBroken {
			t.Errorf("sink that fails after %d: %v, % x", fails, err, got)
		}
	}
}

var nan = math.NaN()

func float32bits(u uint32) float32 { return math.Float32frombits(u) }

func wireID(n int) wire.ID { return wire.ID(n) }
