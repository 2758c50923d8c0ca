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
	if fresh != 6 && !raceEnabled {
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

// endless is a reader that repeats a body behind a head.
type endless struct{ head, body []byte }

func (r *endless) Read(p []byte) (int, error) {
	n := copy(p, r.head)
	if r.head = r.head[n:]; len(r.head) == 0 {
		r.head = r.body
	}
	return n, nil
}

// Payloads and arrays of any size pass through in pieces and runs, and are skipped, in
// constant memory.
func TestPiecesAllocate(t *testing.T) {
	const count = 5_000_000
	dst := make([]uint8, 100)
	array := wire.AppendCount(wire.AppendHeader(nil, 1, wire.UnsignedArray), count)
	text := wire.AppendFixlenWord(wire.AppendHeader(nil, 2, wire.Fixlen), 3*count, wire.String)
	for name, row := range map[string]struct {
		head, unit []byte
		read       func(d *stream.Decoder) (int, error)
		want       int
	}{
		"run": {array, []byte{0x80, 0x01}, func(d *stream.Decoder) (int, error) {
			return stream.UnsignedRun(d, dst, 8)
		}, count},
		"chunk": {text, []byte("€"), func(d *stream.Decoder) (int, error) {
			piece, err := d.Chunk()
			return len(piece), err
		}, 3 * count},
		"skip": {text, []byte("€"), func(d *stream.Decoder) (int, error) {
			if err := d.Skip(); err != nil {
				return 0, err
			}
			return int(d.InputOffset()), io.EOF
		}, 3*count + len(text)},
	} {
		d := stream.NewDecoder(&endless{row.head, bytes.Repeat(row.unit, 1000)})
		got := 0
		n := allocated(func() {
			if _, err := d.Next(); err != nil {
				t.Fatal(err)
			}
			d.Bound(wire.MaxFixlen)
			for {
				n, err := row.read(d)
				got += n
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatal(name, err)
				}
			}
		})
		if got != row.want || n > mostAllocated {
			t.Errorf("%s: %d of %d, %d bytes allocated", name, got, row.want, n)
		}
	}
}
