package stream_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sofab-go/sofab/stream"
	"github.com/sofab-go/sofab/wire"
)

// at starts a decoder on the first field of a message.
func at(t *testing.T, in string) *stream.Decoder {
	t.Helper()
	d := stream.NewBytesDecoder(unhex(in))
	if _, err := d.Next(); err != nil {
		t.Fatal(err)
	}
	return d
}

func TestNothingPending(t *testing.T) {
	for name, read := range reads {
		d := stream.NewBytesDecoder(unhex("06 07"))
		check := func(when string) {
			t.Helper()
			if _, err := read(d); !errors.Is(err, stream.ErrArgument) {
				t.Errorf("%s %s: %v", name, when, err)
			}
			if _, err := d.PeekLen(); !errors.Is(err, stream.ErrArgument) {
				t.Errorf("PeekLen %s: %v", when, err)
			}
			if _, err := d.PeekSubtype(); !errors.Is(err, stream.ErrArgument) {
				t.Errorf("PeekSubtype %s: %v", when, err)
			}
			if err := d.Skip(); err != nil {
				t.Errorf("Skip %s: %v", when, err)
			}
		}
		check("at the start")
		_, _ = d.Next()
		if f, err := d.Next(); err != nil || f.Type != wire.SequenceEnd {
			t.Fatal(f, err)
		}
		check("at a sequence end")
		if _, err := d.Next(); err != io.EOF {
			t.Fatal(err)
		}
		check("at the end")
	}
}

// The rows of section 12.9 with caps, and what a bound of the schema changes. A fixlen
// array is judged behind its element word, once its type is known (section 5.4).
func TestCaps(t *testing.T) {
	none := -1
	for _, row := range []struct {
		in    string
		read  string // "" is Skip
		cap   int
		bound int
		want  error
	}{
		{"03 05", "unsigneds", 4, none, stream.ErrLimit},
		{"03 05", "bools", 4, none, stream.ErrLimit},
		{"03 05", "run", 4, none, stream.ErrLimit},
		{"04 05", "signeds", 4, none, stream.ErrLimit},
		{"03 04", "unsigneds", 4, none, stream.ErrIncomplete},
		{"03 05", "", 4, none, stream.ErrIncomplete},
		{"03 05", "signeds", 4, none, stream.ErrMismatch},
		{"03 80 80 80 80 08", "unsigneds", 4, none, stream.ErrInvalid},
		{"03 80 80 80 80 08", "", 4, none, stream.ErrInvalid},
		{"05 05", "float32s", 4, none, stream.ErrIncomplete},
		{"05 05 20", "float32s", 4, none, stream.ErrLimit},
		{"05 05 20", "float32run", 4, none, stream.ErrLimit},
		{"05 05 41", "float32s", 4, none, stream.ErrMismatch},
		{"05 05 41", "float64s", 4, none, stream.ErrLimit},
		{"05 05 20", "", 4, none, stream.ErrIncomplete},
		{"02 2a", "string", 4, none, stream.ErrLimit},
		{"02 2a", "chunk", 4, none, stream.ErrLimit},
		{"02 2a", "blob", 4, none, stream.ErrMismatch},
		{"02 2b", "blob", 4, none, stream.ErrLimit},
		{"02 2b", "appendblob", 4, none, stream.ErrLimit},
		{"02 2b", "string", 4, none, stream.ErrMismatch},
		{"02 2b", "", 4, none, stream.ErrIncomplete},
		{"02 2c", "string", 1, none, stream.ErrInvalid},
		{"02 2a 07 07", "string", 4, none, stream.ErrLimit},
		{"02 22", "string", 4, none, stream.ErrIncomplete},

		{"03 05", "unsigneds", 4, 5, stream.ErrIncomplete},
		{"03 05", "unsigneds", 9, 4, stream.ErrInvalid},
		{"03 05", "unsigneds", 4, 4, stream.ErrInvalid},
		{"03 05", "unsigneds", 4, 0, stream.ErrInvalid},
		{"03 05", "run", 9, 4, stream.ErrInvalid},
		{"02 2a", "string", 4, 5, stream.ErrIncomplete},
		{"02 2a", "string", 9, 4, stream.ErrInvalid},
		{"02 2a", "chunk", 9, 4, stream.ErrInvalid},
		{"02 2a", "blob", 9, 4, stream.ErrMismatch},
		{"05 05", "float32s", 9, 4, stream.ErrIncomplete},
		{"05 05 20", "float32s", 9, 4, stream.ErrInvalid},
		{"05 05 41", "float32s", 9, 4, stream.ErrMismatch},
		{"02 02", "string", 9, 0, nil},
	} {
		d := at(t, row.in)
		if err := d.SetLimits(stream.Limits{Array: row.cap, String: row.cap, Blob: row.cap}); err != nil {
			t.Fatal(err)
		}
		d.Bound(row.bound)
		var err error
		if row.read == "" {
			err = d.Skip()
		} else {
			_, err = reads[row.read](d)
		}
		if !errors.Is(err, row.want) {
			t.Errorf("%s as %q, cap %d, bound %d: %v, want %v", row.in, row.read, row.cap, row.bound, err, row.want)
		}
		if !errors.Is(err, stream.ErrInvalid) && !errors.Is(err, stream.ErrLimit) {
			continue
		}
		if s := new(stream.SyntaxError); !errors.As(err, &s) || s.Offset != 1 {
			t.Errorf("%s: %v, want offset 1", row.in, err)
		}
		_, next := d.Next()
		if skip := d.Skip(); next != err || skip != err {
			t.Errorf("%s does not latch: %v, %v, %v", row.in, err, next, skip)
		}
		for name, read := range reads {
			if _, again := read(d); again != err {
				t.Errorf("%s does not latch: %s says %v", row.in, name, again)
			}
		}
	}
	d := at(t, "03 02 01 01 0b 03 01 01 01")
	_ = d.SetLimits(stream.Limits{Array: 2})
	d.Bound(3)
	_, _ = d.Next()
	if _, err := d.Unsigneds(nil); !errors.Is(err, stream.ErrLimit) {
		t.Errorf("a bound outlives its value: %v", err)
	}
	if err := d.SetLimits(stream.Limits{String: -1}); !errors.Is(err, stream.ErrArgument) {
		t.Errorf("negative limit: %v", err)
	}
}

func TestMessageLimit(t *testing.T) {
	message := unhex("00 01 06 08 02 07 12 12 61 62")
	for limit := 1; limit < 13; limit++ {
		for size := range len(message) + 1 {
			data := message[:size]
			want := framing(data)
			wantOffset := int64(size)
			if size > limit {
				want, wantOffset = stream.ErrLimit, int64(limit)
			}
			for name, w := range surfaces(data, func() int { return 2 }) {
				w.limits.Message = int64(limit)
				if err := w.d.SetLimits(w.limits); err != nil {
					t.Fatal(err)
				}
				err := w.walk()
				if want == nil && err == io.EOF {
					continue
				}
				s := new(stream.SyntaxError)
				if !errors.As(err, &s) || !errors.Is(want, s.Err) || s.Offset != wantOffset {
					t.Errorf("%d of %d bytes, %s: %v, want %v at %d", size, limit, name, err, want, wantOffset)
				}
			}
		}
	}
	d := stream.NewBytesDecoder(message)
	_ = d.SetLimits(stream.Limits{Message: 1})
	if err := (&walker{d: d}).walk(); err != io.EOF {
		t.Errorf("a slice is at hand as a whole: %v", err)
	}
	d = stream.NewDecoder(bytes.NewReader(message))
	_, _ = d.Next()
	_ = d.SetLimits(stream.Limits{Message: 1 << 62})
	if err := (&walker{d: d}).walk(); err != io.EOF {
		t.Errorf("raised limit: %v", err)
	}
}

// A value that was begun can be read on in the same way only.
func TestBegun(t *testing.T) {
	for name, row := range map[string]struct {
		first, rest string
		read, other func(d *stream.Decoder) (any, error)
		want        any
	}{
		"string": {"02 22 61", "62 63 64", reads["string"], reads["chunk"], "abcd"},
		"append": {"02 22 61", "62 63 64", reads["appendstring"], reads["chunk"], []byte("xabcd")},
		"u8s":    {"03 03 01", "02 03", reads["u8s"], reads["unsigneds"], []uint8{7, 1, 2, 3}},
		"bools":  {"03 03 01", "00 01", reads["bools"], reads["run"], []bool{true, false, true}},
		"chunk":  {"02 23 01", "02 03 04", reads["chunk"], reads["blob"], []byte{1}},
		"run":    {"03 03 01", "02 03", reads["run"], reads["bools"], 1},
	} {
		d := stream.NewChunkDecoder()
		for _, b := range unhex(row.first) {
			_ = d.Feed([]byte{b})
		}
		if _, err := d.Next(); err != nil {
			t.Fatal(err)
		}
		got, err := row.read(d)
		if name != "chunk" && name != "run" && !errors.Is(err, stream.ErrIncomplete) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
		if _, err := row.other(d); !errors.Is(err, stream.ErrArgument) {
			t.Errorf("%s, read in another way: %v", name, err)
		}
		if name == "chunk" || name == "run" {
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
			_ = d.Feed(unhex(row.rest + "08 05"))
		} else {
			for _, b := range unhex(row.rest) {
				_ = d.Feed([]byte{b})
				got, err = row.read(d)
			}
			if diff := cmp.Diff(row.want, got); diff != "" || err != nil {
				t.Errorf("%s: %v %s", name, err, diff)
			}
			_ = d.Feed(unhex("08 05"))
		}
		if f, err := d.Next(); err != nil || f.ID != 1 {
			t.Errorf("%s, then Next: %v, %v", name, f, err)
		}
		if v, err := d.Unsigned(); err != nil || v != 5 {
			t.Errorf("%s, then Unsigned: %v, %v", name, v, err)
		}
	}
}

// What was appended to comes back as it was until the value is there.
func TestAppendAfterError(t *testing.T) {
	d := stream.NewChunkDecoder()
	_ = d.Feed(unhex("03 04 01 02"))
	_, _ = d.Next()
	dst := []uint64{9}
	got, err := d.Unsigneds(dst)
	if !errors.Is(err, stream.ErrIncomplete) || !cmp.Equal(got, dst) {
		t.Errorf("%v, %v", got, err)
	}
	_ = d.Feed(unhex("03 80"))
	if got, err = d.Unsigneds(dst); !errors.Is(err, stream.ErrIncomplete) || !cmp.Equal(got, dst) {
		t.Errorf("%v, %v", got, err)
	}
	_ = d.Feed(unhex("01"))
	if got, err = d.Unsigneds(dst); err != nil || !cmp.Equal(got, []uint64{9, 1, 2, 3, 128}) {
		t.Errorf("%v, %v", got, err)
	}
}

// A skip that was interrupted goes on, whichever call repeats it.
func TestSkipInterrupted(t *testing.T) {
	in := unhex("06 0e 02 22 61 62 63 64 07 03 02 05 80 01 07 08 05")
	for cut := 1; cut < len(in)-2; cut++ {
		for _, repeat := range []bool{false, true} {
			d := stream.NewChunkDecoder()
			_ = d.Feed(in[:cut])
			_, _ = d.Next()
			if err := d.Skip(); !errors.Is(err, stream.ErrIncomplete) {
				t.Fatalf("cut %d: %v", cut, err)
			}
			_ = d.Feed(in[cut:])
			if repeat {
				if err := d.Skip(); err != nil || d.Depth() != 0 {
					t.Fatalf("cut %d: %v, depth %d", cut, err, d.Depth())
				}
			}
			if f, err := d.Next(); err != nil || f != (stream.Field{ID: 1, Type: wire.Unsigned}) {
				t.Errorf("cut %d: %v, %v", cut, f, err)
			}
		}
	}
}

func TestResets(t *testing.T) {
	var d stream.Decoder
	d.ResetBytes(nil)
	if err := d.Feed(nil); !errors.Is(err, stream.ErrArgument) {
		t.Errorf("Feed of a decoder that has no chunks: %v", err)
	}
	in := unhex("00 80 02 07")
	for range 2 {
		d.ResetBytes(in)
		_, _ = d.Next()
		if _, err := stream.ReadUnsigned[uint8](&d, 8); !errors.Is(err, stream.ErrInvalid) {
			t.Fatal(err)
		}
		d.ResetReader(bytes.NewReader(in[:3]))
		if err := (&walker{d: &d}).walk(); err != io.EOF {
			t.Error(err)
		}
		d.ResetChunks()
		_ = d.Feed(in[:2])
		if err := (&walker{d: &d}).walk(); !errors.Is(err, stream.ErrIncomplete) {
			t.Error(err)
		}
		d.ResetChunks()
		_ = d.Feed(in[:3])
		if err := (&walker{d: &d}).walk(); err != io.EOF {
			t.Error(err)
		}
		_ = d.Feed(in[3:])
		if _, err := d.Next(); !errors.Is(err, stream.ErrInvalid) {
			t.Error(err)
		}
	}
}

func TestReaderErrors(t *testing.T) {
	d := stream.NewDecoder(io.MultiReader(strings.NewReader("\x02\x22ab"), &failing{}))
	_, _ = d.Next()
	if _, err := d.String(); err != errBroken {
		t.Errorf("%v, want the error of the reader as it is", err)
	}
	if _, err := d.String(); !errors.Is(err, stream.ErrIncomplete) {
		t.Errorf("%v", err)
	}
	d = stream.NewDecoder(emptyReader{})
	if _, err := d.Next(); err != io.ErrNoProgress {
		t.Errorf("a reader that never returns anything: %v", err)
	}
}

// failing fails once.
type failing struct{ done bool }

func (f *failing) Read([]byte) (int, error) {
	if f.done {
		return 0, io.EOF
	}
	f.done = true
	return 0, errBroken
}

type emptyReader struct{}

func (emptyReader) Read([]byte) (int, error) { return 0, nil }
