package stream_test

import (
	"bytes"
	"errors"
	"io"
	"math"
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

// reads are all typed reads, by name, with their value.
var reads = map[string]func(d *stream.Decoder) (any, error){
	"unsigned":     func(d *stream.Decoder) (any, error) { return d.Unsigned() },
	"signed":       func(d *stream.Decoder) (any, error) { return d.Signed() },
	"u8":           func(d *stream.Decoder) (any, error) { return stream.ReadUnsigned[uint8](d, 8) },
	"i16":          func(d *stream.Decoder) (any, error) { return stream.ReadSigned[int16](d, 16) },
	"bool":         func(d *stream.Decoder) (any, error) { return d.Bool() },
	"float32":      func(d *stream.Decoder) (any, error) { return d.Float32() },
	"float64":      func(d *stream.Decoder) (any, error) { return d.Float64() },
	"string":       func(d *stream.Decoder) (any, error) { return d.String() },
	"blob":         func(d *stream.Decoder) (any, error) { return d.Blob() },
	"appendstring": func(d *stream.Decoder) (any, error) { return d.AppendString([]byte("x")) },
	"appendblob":   func(d *stream.Decoder) (any, error) { return d.AppendBlob([]byte("x")) },
	"chunk":        func(d *stream.Decoder) (any, error) { return d.Chunk() },
	"unsigneds":    func(d *stream.Decoder) (any, error) { return d.Unsigneds(nil) },
	"signeds":      func(d *stream.Decoder) (any, error) { return d.Signeds(nil) },
	"u8s":          func(d *stream.Decoder) (any, error) { return stream.ReadUnsigneds(d, []uint8{7}, 8) },
	"i16s":         func(d *stream.Decoder) (any, error) { return stream.ReadSigneds(d, []int16{7}, 16) },
	"bools":        func(d *stream.Decoder) (any, error) { return d.Bools(nil) },
	"float32s":     func(d *stream.Decoder) (any, error) { return d.Float32s(nil) },
	"float64s":     func(d *stream.Decoder) (any, error) { return d.Float64s(nil) },
	"run":          func(d *stream.Decoder) (any, error) { return stream.UnsignedRun(d, make([]uint64, 9), 64) },
	"signedrun":    func(d *stream.Decoder) (any, error) { return stream.SignedRun(d, make([]int64, 9), 64) },
	"boolrun":      func(d *stream.Decoder) (any, error) { return d.BoolRun(make([]bool, 9)) },
	"float32run":   func(d *stream.Decoder) (any, error) { return d.Float32Run(make([]float32, 9)) },
	"float64run":   func(d *stream.Decoder) (any, error) { return d.Float64Run(make([]float64, 9)) },
}

// fields are one field of every type, with the reads that match and their values.
var fields = []struct {
	in     string
	length int // of PeekLen, or -1
	values map[string]any
}{
	{"00 05", -1, map[string]any{"unsigned": uint64(5), "u8": uint8(5), "bool": true}},
	{"01 05", -1, map[string]any{"signed": int64(-3), "i16": int16(-3)}},
	{"02 20 00 00 80 3f", 4, map[string]any{"float32": float32(1)}},
	{"02 41 00 00 00 00 00 00 f0 3f", 8, map[string]any{"float64": float64(1)}},
	{"02 1a 61 c3 a9", 3, map[string]any{"string": "aé", "appendstring": []byte("xaé"), "chunk": []byte("aé")}},
	{"02 02", 0, map[string]any{"string": "", "appendstring": []byte("x"), "chunk": io.EOF}},
	{"02 13 ff 00", 2, map[string]any{"blob": []byte{0xff, 0}, "appendblob": []byte("x\xff\x00"), "chunk": []byte{0xff, 0}}},
	{"02 03", 0, map[string]any{"blob": []byte(nil), "appendblob": []byte("x"), "chunk": io.EOF}},
	{"03 02 05 00", 2, map[string]any{"unsigneds": []uint64{5, 0}, "u8s": []uint8{7, 5, 0}, "bools": []bool{true, false}, "run": 2, "boolrun": 2}},
	{"03 00", 0, map[string]any{"unsigneds": []uint64(nil), "u8s": []uint8{7}, "bools": []bool(nil), "run": io.EOF, "boolrun": io.EOF}},
	{"04 02 05 00", 2, map[string]any{"signeds": []int64{-3, 0}, "i16s": []int16{7, -3, 0}, "signedrun": 2}},
	{"05 01 20 00 00 80 3f", 1, map[string]any{"float32s": []float32{1}, "float32run": 1}},
	{"05 01 41 00 00 00 00 00 00 f0 3f", 1, map[string]any{"float64s": []float64{1}, "float64run": 1}},
	{"05 00 41", 0, map[string]any{"float64s": []float64(nil), "float64run": io.EOF}},
	{"06 07", -1, nil},
}

func TestReads(t *testing.T) {
	for _, row := range fields {
		for name, read := range reads {
			d := at(t, row.in+"08 09")
			offset := d.InputOffset()
			want, ok := row.values[name]
			got, err := read(d)
			wantErr, isErr := want.(error)
			switch {
			case !ok:
				if err != stream.ErrMismatch {
					t.Errorf("%s, %s: %v, %v", row.in, name, got, err)
				}
				if d.InputOffset() != offset {
					t.Errorf("%s, %s: a mismatch moved the offset from %d to %d", row.in, name, offset, d.InputOffset())
				}
				for name, want := range row.values {
					if _, isErr := want.(error); isErr || name == "chunk" || strings.HasSuffix(name, "run") {
						continue
					}
					got, err := reads[name](d)
					if diff := cmp.Diff(want, got); diff != "" || err != nil {
						t.Errorf("%s, %s after a mismatch: %v (-want +got)\n%s", row.in, name, err, diff)
					}
					break
				}
			case isErr:
				if err != wantErr {
					t.Errorf("%s, %s: %v, want %v", row.in, name, err, wantErr)
				}
			case err != nil || !cmp.Equal(want, got):
				t.Errorf("%s, %s: %v (-want +got)\n%s", row.in, name, err, cmp.Diff(want, got))
			}
			if ok && !strings.HasSuffix(name, "run") && name != "chunk" {
				if _, err := read(d); !errors.Is(err, stream.ErrArgument) {
					t.Errorf("%s, %s twice: %v", row.in, name, err)
				}
			}
			if row.in == "06 07" {
				if err := d.Skip(); err != nil {
					t.Error(err)
				}
			}
			if f, err := d.Next(); err != nil || f != (stream.Field{ID: 1, Type: wire.Unsigned}) {
				t.Errorf("%s, %s, then Next: %v, %v", row.in, name, f, err)
			}
		}
		d := at(t, row.in)
		offset := d.InputOffset()
		if n, err := d.PeekLen(); row.length >= 0 && (err != nil || n != row.length) || row.length < 0 && err != stream.ErrMismatch {
			t.Errorf("%s: PeekLen %d, %v", row.in, n, err)
		}
		if d.InputOffset() != offset {
			t.Errorf("%s: PeekLen moved the offset", row.in)
		}
	}
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

func TestWidths(t *testing.T) {
	for _, row := range []struct {
		name string
		in   string
		read func(d *stream.Decoder) (any, error)
		want any // a value, or an error
	}{
		{"u8", "00 ff 01", func(d *stream.Decoder) (any, error) { return stream.ReadUnsigned[uint8](d, 8) }, uint8(255)},
		{"u8", "00 80 02", func(d *stream.Decoder) (any, error) { return stream.ReadUnsigned[uint8](d, 8) }, stream.ErrInvalid},
		{"u8 in int", "00 ff 01", func(d *stream.Decoder) (any, error) { return stream.ReadUnsigned[int](d, 8) }, 255},
		{"7 bits in int8", "00 7f", func(d *stream.Decoder) (any, error) { return stream.ReadUnsigned[int8](d, 7) }, int8(127)},
		{"8 bits in int8", "00 7f", func(d *stream.Decoder) (any, error) { return stream.ReadUnsigned[int8](d, 8) }, stream.ErrArgument},
		{"9 bits in uint8", "00 7f", func(d *stream.Decoder) (any, error) { return stream.ReadUnsigned[uint8](d, 9) }, stream.ErrArgument},
		{"no bits", "00 7f", func(d *stream.Decoder) (any, error) { return stream.ReadUnsigned[uint8](d, 0) }, stream.ErrArgument},
		{"64 bits in int64", "00 7f", func(d *stream.Decoder) (any, error) { return stream.ReadUnsigned[int64](d, 64) }, stream.ErrArgument},
		{"65 bits", "00 7f", func(d *stream.Decoder) (any, error) { return stream.ReadUnsigned[uint64](d, 65) }, stream.ErrArgument},
		{"i8", "01 ff 01", func(d *stream.Decoder) (any, error) { return stream.ReadSigned[int8](d, 8) }, int8(-128)},
		{"i8", "01 80 02", func(d *stream.Decoder) (any, error) { return stream.ReadSigned[int8](d, 8) }, stream.ErrInvalid},
		{"i32", "01 ff ff ff ff 0f", func(d *stream.Decoder) (any, error) { return stream.ReadSigned[int32](d, 32) }, int32(math.MinInt32)},
		{"i32", "01 80 80 80 80 10", func(d *stream.Decoder) (any, error) { return stream.ReadSigned[int32](d, 32) }, stream.ErrInvalid},
		{"i64", "01 ff ff ff ff ff ff ff ff ff 01", func(d *stream.Decoder) (any, error) { return stream.ReadSigned[int64](d, 64) }, int64(math.MinInt64)},
		{"signed in uint8", "01 02", func(d *stream.Decoder) (any, error) { return stream.ReadSigned[uint8](d, 8) }, stream.ErrArgument},
		{"u8s", "03 04 80 02", func(d *stream.Decoder) (any, error) { return stream.ReadUnsigneds[uint8](d, nil, 8) }, stream.ErrInvalid},
		{"u16s", "03 02 ff ff 03 01", func(d *stream.Decoder) (any, error) { return stream.ReadUnsigneds[uint16](d, nil, 16) }, []uint16{65535, 1}},
		{"u16s", "03 02 01 80 80 04", func(d *stream.Decoder) (any, error) { return stream.ReadUnsigneds[uint16](d, nil, 16) }, stream.ErrInvalid},
		{"i16s", "04 01 ff ff 03", func(d *stream.Decoder) (any, error) { return stream.ReadSigneds[int16](d, nil, 16) }, []int16{-32768}},
		{"i16s", "04 02 80 80 04", func(d *stream.Decoder) (any, error) { return stream.ReadSigneds[int16](d, nil, 16) }, stream.ErrInvalid},
		{"i16s", "04 02 02", func(d *stream.Decoder) (any, error) { return stream.ReadSigneds[int16](d, nil, 16) }, stream.ErrIncomplete},
		{"too wide", "04 02 02 02", func(d *stream.Decoder) (any, error) { return stream.ReadSigneds[int16](d, nil, 17) }, stream.ErrArgument},
		{"too wide", "03 02 02 02", func(d *stream.Decoder) (any, error) { return stream.ReadUnsigneds[int16](d, nil, 16) }, stream.ErrArgument},
		{"run too wide", "03 02 02 02", func(d *stream.Decoder) (any, error) { return stream.UnsignedRun(d, make([]int16, 1), 16) }, stream.ErrArgument},
		{"run too wide", "04 02 02 02", func(d *stream.Decoder) (any, error) { return stream.SignedRun(d, make([]uint16, 1), 8) }, stream.ErrArgument},
		{"run without room", "03 02 02 02", func(d *stream.Decoder) (any, error) { return stream.UnsignedRun[uint16](d, nil, 16) }, stream.ErrArgument},
	} {
		got, err := row.read(at(t, row.in))
		if want, ok := row.want.(error); ok {
			if !errors.Is(err, want) {
				t.Errorf("%s from %s: %v, %v; want %v", row.name, row.in, got, err, want)
			}
		} else if err != nil || !cmp.Equal(row.want, got) {
			t.Errorf("%s from %s: %v (-want +got)\n%s", row.name, row.in, err, cmp.Diff(row.want, got))
		}
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

// A decoder on a parser sees one field and no more, and leaves the parser behind it.
func TestResetParser(t *testing.T) {
	for _, in := range []string{"00 05", "02 1a 61 62 63", "03 02 01 02", "05 00 20", "06 07", "06 00 05 0e 08 01 07 07"} {
		for _, depth := range []int{0, 1} {
			for reads := range 5 {
				data := append(bytes.Repeat([]byte{6}, depth), unhex(in+"48 2a")...)
				var p stream.Parser
				p.ResetBytes(data)
				for range depth + 1 {
					p.Head()
				}
				var d stream.Decoder
				d.ResetParser(&p)
				if reads == 4 {
					_, _ = d.PeekLen()
				}
				for range reads {
					if _, err := d.Next(); err != nil && err != io.EOF {
						t.Fatal(err)
					}
				}
				for {
					_, err := d.Next()
					if err == io.EOF {
						break
					}
					if err != nil {
						t.Fatal(err)
					}
				}
				if p.Depth() != depth || !p.Between() || p.Head() != stream.Done || p.ID() != 9 {
					t.Errorf("%s at depth %d, %d reads: the parser is at %d", in, depth, reads, p.Offset())
				}
			}
		}
	}
	var p stream.Parser
	p.ResetBytes(unhex("03 02 01 80 02"))
	p.Head()
	var d stream.Decoder
	d.ResetParser(&p)
	if _, err := stream.ReadUnsigneds[uint8](&d, nil, 8); !errors.Is(err, stream.ErrInvalid) {
		t.Errorf("element over its width: %v", err)
	}
	if err, offset := p.Err(); !errors.Is(err, stream.ErrInvalid) || offset != 3 {
		t.Errorf("the parser does not know: %v at %d", err, offset)
	}
	if err := d.Feed(nil); !errors.Is(err, stream.ErrArgument) {
		t.Errorf("Feed: %v", err)
	}
}

func TestResets(t *testing.T) {
	var d stream.Decoder
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

// All bytes at hand: one allocation of the right size for each value, none where dst
// has room.
func TestReadAllocates(t *testing.T) {
	text := strings.Repeat("é", 500)
	e := stream.NewAppendEncoder(nil)
	e.String(0, text)
	e.Blob(0, []byte(text))
	stream.WriteUnsigneds(e, 0, make([]uint32, 1000))
	stream.WriteSigneds(e, 0, make([]int16, 1000))
	e.Float64s(0, make([]float64, 1000))
	e.Bools(0, make([]bool, 1000))
	data := e.Bytes()
	d := stream.NewBytesDecoder(data)
	var must = func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	fresh := testing.AllocsPerRun(10, func() {
		d.ResetBytes(data)
		_, _ = d.Next()
		_, err := d.String()
		must(err)
		_, _ = d.Next()
		b, err := d.Blob()
		must(err)
		_, _ = d.Next()
		us, err := stream.ReadUnsigneds[uint32](d, nil, 32)
		must(err)
		_, _ = d.Next()
		is, err := stream.ReadSigneds[int16](d, nil, 16)
		must(err)
		_, _ = d.Next()
		fs, err := d.Float64s(nil)
		must(err)
		_, _ = d.Next()
		bs, err := d.Bools(nil)
		must(err)
		if cap(b) > 1200 || cap(us) > 1100 || cap(is) > 1100 || cap(fs) > 1100 || cap(bs) > 1100 {
			t.Errorf("capacities %d, %d, %d, %d, %d", cap(b), cap(us), cap(is), cap(fs), cap(bs))
		}
	})
	if fresh != 6 {
		t.Errorf("%v allocations for 6 values", fresh)
	}
	buf, us, is, fs, bs := make([]byte, 0, 1000), make([]uint32, 0, 1000), make([]int16, 0, 1000), make([]float64, 0, 1000), make([]bool, 0, 1000)
	reused := testing.AllocsPerRun(10, func() {
		d.ResetBytes(data)
		_, _ = d.Next()
		_, err := d.AppendString(buf)
		must(err)
		_, _ = d.Next()
		_, err = d.AppendBlob(buf)
		must(err)
		_, _ = d.Next()
		_, err = stream.ReadUnsigneds(d, us, 32)
		must(err)
		_, _ = d.Next()
		_, err = stream.ReadSigneds(d, is, 16)
		must(err)
		_, _ = d.Next()
		_, err = d.Float64s(fs)
		must(err)
		_, _ = d.Next()
		_, err = d.Bools(bs)
		must(err)
		if _, err := d.Next(); err != io.EOF {
			t.Fatal(err)
		}
	})
	if reused != 0 {
		t.Errorf("%v allocations with room in dst", reused)
	}
}
