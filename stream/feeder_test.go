package stream_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sofab-go/sofab/stream"
	"github.com/sofab-go/sofab/wire"
)

func TestFeedOutcome(t *testing.T) {
	f := stream.NewFeeder(stream.Discard{})
	for i, step := range []struct {
		chunk string
		want  error
		depth int
	}{
		{"", nil, 0},
		{"00", stream.ErrIncomplete, 0},
		{"", stream.ErrIncomplete, 0},
		{"05", nil, 0},
		{"06 0e", stream.ErrIncomplete, 2},
		{"07 07", nil, 0},
		{"22 1a 61 62", stream.ErrIncomplete, 0},
		{"63 03", stream.ErrIncomplete, 0},
		{"00", nil, 0},
		{"80", stream.ErrIncomplete, 0},
	} {
		if err := f.Feed(unhex(step.chunk)); err != step.want || f.Depth() != step.depth {
			t.Errorf("step %d: %v at depth %d, want %v at %d", i, err, f.Depth(), step.want, step.depth)
		}
	}
	f.Reset()
	first := f.Feed(unhex("00 05 07 00"))
	if s := new(stream.SyntaxError); !errors.As(first, &s) || !errors.Is(first, stream.ErrInvalid) || s.Offset != 2 {
		t.Errorf("%v, want invalid at 2", first)
	}
	for range 3 {
		if err := f.Feed(unhex("00 05")); err != first {
			t.Errorf("does not latch: %v", err)
		}
	}
	f.Reset()
	if err := f.Feed(unhex("00 05")); err != nil {
		t.Errorf("after a reset: %v", err)
	}
}

// chooser takes some fields, with bounds.
type chooser struct {
	stream.Discard
	trace
	take map[wire.ID]stream.Take
}

func (c *chooser) BeginSequence(id wire.ID) bool { return c.take[id].Want }

func (c *chooser) EndSequence() error {
	c.add("}")
	return nil
}

func (c *chooser) BeginPayload(id wire.ID, _ wire.Subtype, _ int) stream.Take { return c.take[id] }

func (c *chooser) BeginArray(f stream.Field, _ wire.Subtype, _ int) stream.Take {
	return c.take[f.ID]
}

func (c *chooser) EndPayload() error {
	c.add("payload")
	return nil
}

func (c *chooser) EndArray() error {
	c.add("array")
	return nil
}

func TestTake(t *testing.T) {
	caps := stream.Limits{Array: 4, String: 4, Blob: 4}
	want := stream.Take{Want: true}
	for _, row := range []struct {
		in    string
		take  stream.Take
		trace string
		err   error
		at    int64
	}{
		{"02 2a 61 62 63 64 65", stream.Take{}, "", nil, 0},
		{"02 2a 61 62 63 64 65", want, "", stream.ErrLimit, 1},
		{"02 2a 61 62 63 64 65", stream.Take{Want: true, Bound: 5}, "payload\n", nil, 0},
		{"02 2a", stream.Take{Want: true, Bound: 4}, "", stream.ErrInvalid, 1},
		{"02 0a ff", stream.Take{}, "", nil, 0},
		{"02 0a ff", want, "", stream.ErrInvalid, 2},
		{"02 0b ff", want, "payload\n", nil, 0},
		{"02 02", want, "payload\n", nil, 0},
		{"03 00", want, "array\n", nil, 0},
		{"03 05 01 02 03 04 05", stream.Take{}, "", nil, 0},
		{"03 05", want, "", stream.ErrLimit, 1},
		{"03 05", stream.Take{Want: true, Bound: 3}, "", stream.ErrInvalid, 1},
		{"03 05 01 02 03 04 05", stream.Take{Want: true, Bound: 5}, "array\n", nil, 0},
		{"03 02 01 80 02", stream.Take{Want: true, Width: 8}, "", stream.ErrInvalid, 3},
		{"03 02 01 80 02", want, "array\n", nil, 0},
		{"04 02 01 80 02", stream.Take{Want: true, Width: 8}, "", stream.ErrInvalid, 3},
		{"05 01 20 01 02 03 04", want, "array\n", nil, 0},
		{"05 05 41", want, "", stream.ErrLimit, 1},
		{"06 02 0a ff 07", stream.Take{}, "", nil, 0},
		{"06 03 05 80 80 80 80 80 80 80 80 80 80", stream.Take{}, "", stream.ErrInvalid, 3},
		{"06 0e 02 02 07 07", want, "}\n", nil, 0},
	} {
		data := unhex(row.in)
		for _, size := range []int{1, len(data)} {
			c := &chooser{take: map[wire.ID]stream.Take{0: row.take}}
			f := stream.NewFeeder(c)
			if err := f.SetLimits(caps); err != nil {
				t.Fatal(err)
			}
			var err error
			for rest := data; len(rest) > 0; rest = rest[size:] {
				err = f.Feed(rest[:size])
			}
			if !errors.Is(err, row.err) || c.String() != row.trace {
				t.Errorf("%s, %+v: %v, trace %q; want %v, %q", row.in, row.take, err, c.String(), row.err, row.trace)
			}
			if s := new(stream.SyntaxError); errors.As(err, &s) && s.Offset != row.at {
				t.Errorf("%s, %+v: offset %d, want %d", row.in, row.take, s.Offset, row.at)
			}
		}
	}
	c := &chooser{take: map[wire.ID]stream.Take{0: {Want: true, Width: 65}}}
	if err := stream.NewFeeder(c).Feed(unhex("03 01 01")); !errors.Is(err, stream.ErrArgument) {
		t.Errorf("width of 65: %v", err)
	}
	if err := stream.NewFeeder(c).SetLimits(stream.Limits{Blob: -1}); !errors.Is(err, stream.ErrArgument) {
		t.Errorf("negative limit: %v", err)
	}
}

// refuser returns err from one of its methods.
type refuser struct {
	visitor
	method string
	err    error
	calls  int
}

func (r *refuser) answer(method string) error {
	if r.calls++; method == r.method {
		return r.err
	}
	return nil
}

func (r *refuser) Unsigned(wire.ID, uint64) error { return r.answer("Unsigned") }
func (r *refuser) Float32(wire.ID, float32) error { return r.answer("Float32") }
func (r *refuser) Payload([]byte) error           { return r.answer("Payload") }
func (r *refuser) EndPayload() error              { return r.answer("EndPayload") }
func (r *refuser) Signeds([]int64) error          { return r.answer("Signeds") }
func (r *refuser) EndArray() error                { return r.answer("EndArray") }
func (r *refuser) EndSequence() error             { return r.answer("EndSequence") }

func TestVisitorRefuses(t *testing.T) {
	data := unhex("06 00 05 0a 20 00 00 00 00 12 1a 61 62 63 1c 02 01 02 07 00 01")
	for method, at := range map[string]int64{
		"Unsigned": 2, "Float32": 4, "Payload": 10, "EndPayload": 10, "Signeds": 15, "EndArray": 15, "EndSequence": 19,
	} {
		for _, cause := range []error{errBroken, wire.Err(wire.BadWidth), stream.ErrLimit, stream.ErrIncomplete} {
			for _, size := range []int{1, 3, len(data)} {
				r := &refuser{method: method, err: cause}
				f := stream.NewFeeder(r)
				var err error
				for rest := data; len(rest) > 0 && (err == nil || err == stream.ErrIncomplete); rest = rest[size:] {
					err = f.Feed(rest[:size])
				}
				calls := r.calls
				if again := f.Feed(data); again != err || r.calls != calls {
					t.Errorf("%s: %v does not latch: %v", method, err, again)
				}
				s := new(stream.SyntaxError)
				switch wrapped := errors.As(err, &s); {
				case !errors.Is(err, cause):
					t.Errorf("%s: %v, want %v", method, err, cause)
				case wrapped != (cause != errBroken && cause != stream.ErrIncomplete):
					t.Errorf("%s: %v is wrapped: %v", method, cause, wrapped)
				case wrapped && s.Offset != at:
					t.Errorf("%s: offset %d, want %d", method, s.Offset, at)
				}
			}
		}
	}
}

func TestDiscard(t *testing.T) {
	for _, data := range seeds() {
		checkFraming(t, data)
	}
	// Its methods, for what a visitor that embeds it does take.
	var v struct{ stream.Discard }
	for _, err := range []error{
		v.Payload(nil), v.EndPayload(), v.EndArray(), v.EndSequence(), v.Unsigneds(nil), v.Signeds(nil), v.Float32s(nil), v.Float64s(nil),
	} {
		if err != nil {
			t.Error(err)
		}
	}
}

// taker takes everything and keeps nothing.
type taker struct {
	stream.Discard
	bytes, elements int
}

func (*taker) BeginSequence(wire.ID) bool { return true }
func (*taker) BeginPayload(wire.ID, wire.Subtype, int) stream.Take {
	return stream.Take{Want: true, Bound: wire.MaxFixlen}
}
func (*taker) BeginArray(stream.Field, wire.Subtype, int) stream.Take {
	return stream.Take{Want: true, Bound: wire.MaxArray}
}
func (t *taker) Payload(p []byte) error       { t.bytes += len(p); return nil }
func (t *taker) Unsigneds(run []uint64) error { t.elements += len(run); return nil }
func (t *taker) Float64s(run []float64) error { t.elements += len(run); return nil }

// A long message passes through in the memory of the Feeder.
func TestFeedAllocates(t *testing.T) {
	const count = 3_000_000
	v := new(taker)
	f := stream.NewFeeder(v)
	var err error
	feed := func(head, unit []byte, units int) {
		_ = f.Feed(head)
		body := bytes.Repeat(unit, 999)
		for left := units * len(unit); left > 0; left -= len(body) {
			body = body[:min(left, len(body))]
			err = f.Feed(body)
		}
	}
	n := allocated(func() {
		feed(wire.AppendCount(wire.AppendHeader(nil, 1, wire.UnsignedArray), count), []byte{0x81, 0x80, 0x00}, count)
		feed(wire.AppendFixlenWord(wire.AppendHeader(nil, 2, wire.Fixlen), 3*count, wire.String), []byte("€"), count)
		feed(wire.AppendElementWord(wire.AppendCount(wire.AppendHeader(nil, 3, wire.FixlenArray), count), wire.FP64), make([]byte, 8), count)
	})
	if err != nil || n > mostAllocated || v.elements != 2*count || v.bytes != 3*count {
		t.Errorf("%v, %d bytes allocated, %d elements, %d bytes of payload", err, n, v.elements, v.bytes)
	}
}

func TestFeedMessageLimit(t *testing.T) {
	message := unhex("00 01 06 08 02 07 12 12 61 62")
	for limit := 1; limit < 13; limit++ {
		for size := 1; size <= len(message); size++ {
			data := message[:size]
			want := fmt.Sprint(framing(data))
			if size > limit {
				want = (&stream.SyntaxError{Offset: int64(limit), Err: stream.ErrLimit}).Error()
			} else if errors.Is(framing(data), stream.ErrIncomplete) {
				want = stream.ErrIncomplete.Error()
			}
			for chunk := 1; chunk <= size; chunk++ {
				f := stream.NewFeeder(stream.Discard{})
				_ = f.SetLimits(stream.Limits{Message: int64(limit)})
				var err error
				for rest := data; len(rest) > 0; rest = rest[min(chunk, len(rest)):] {
					err = f.Feed(rest[:min(chunk, len(rest))])
				}
				if diff := cmp.Diff(want, fmt.Sprint(err)); diff != "" {
					t.Errorf("%d of %d bytes in chunks of %d: %s", size, limit, chunk, diff)
				}
			}
		}
	}
}
