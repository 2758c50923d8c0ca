package sofab_test

import (
	"bytes"
	"errors"
	"reflect"
	"testing"
	"testing/iotest"

	"github.com/sofab-go/sofab"
)

// fuzzSchemas are the types that fuzzed bytes are decoded into.
var fuzzSchemas = []any{new(refAll), new(refTree), new(refLeaf), new(refDirect), new(demo)}

// fuzzCodec has a small cap of elements, so that no input is slow.
var fuzzCodec = refCodec(sofab.Options{})

func addFuzzSeeds(f *testing.F) {
	m := newTypeMaker(7, 8)
	for i, schema := range fuzzSchemas {
		for range 4 {
			v := reflect.New(reflect.TypeOf(schema).Elem())
			m.fill(v.Elem(), 5)
			if b, err := fuzzCodec.Marshal(v.Interface()); err == nil {
				f.Add(uint8(i), b)
			}
		}
	}
	for _, r := range readFormat12(f) {
		f.Add(uint8(len(fuzzSchemas)-1), r.input)
	}
}

func fuzzSchema(i uint8) any { return fresh(fuzzSchemas[int(i)%len(fuzzSchemas)]) }

// FuzzUnmarshal: decoding never panics, and what it accepts is stable from the first
// encoding on.
func FuzzUnmarshal(f *testing.F) {
	addFuzzSeeds(f)
	f.Fuzz(func(t *testing.T, i uint8, data []byte) {
		v := fuzzSchema(i)
		if err := fuzzCodec.Unmarshal(data, v); err != nil {
			verdict(t, err)
			return
		}
		first, err := fuzzCodec.Marshal(v)
		if err != nil {
			var bound *sofab.UnsupportedValueError
			if !errors.As(err, &bound) {
				t.Fatalf("%x into %T decodes but does not encode: %v", data, v, err)
			}
			return
		}
		again := fuzzSchema(i)
		if err := fuzzCodec.Unmarshal(first, again); err != nil {
			t.Fatalf("%x into %T encodes to %x, which does not decode: %v", data, v, first, err)
		}
		second, err := fuzzCodec.Marshal(again)
		if err != nil || !bytes.Equal(first, second) {
			t.Fatalf("%x into %T encodes to %x, then to %x, %v", data, v, first, second, err)
		}
	})
}

// FuzzChunks: value, verdict, path and offset do not depend on how the input was cut.
func FuzzChunks(f *testing.F) {
	addFuzzSeeds(f)
	f.Fuzz(func(t *testing.T, i uint8, data []byte) {
		want := fuzzSchema(i)
		wantErr := fuzzCodec.Unmarshal(data, want)
		for _, s := range []struct {
			name   string
			decode func(v any) error
		}{
			{"reader", func(v any) error { return fuzzCodec.UnmarshalRead(bytes.NewReader(data), v) }},
			{"reader of one byte", func(v any) error {
				return fuzzCodec.UnmarshalRead(iotest.OneByteReader(bytes.NewReader(data)), v)
			}},
			{"random reader", func(v any) error {
				return fuzzCodec.UnmarshalRead(&randomReader{rest: data, rand: seeded(data)}, v)
			}},
			{"chunks of one byte", func(v any) error { return feedCodec(fuzzCodec, data, 1, v) }},
			{"chunks of three bytes", func(v any) error { return feedCodec(fuzzCodec, data, 3, v) }},
			{"chunks of half", func(v any) error { return feedCodec(fuzzCodec, data, 1+len(data)/2, v) }},
		} {
			v := fuzzSchema(i)
			if err := s.decode(v); errorText(err) != errorText(wantErr) {
				t.Fatalf("%s: %x into %T: %v, at once %v", s.name, data, v, err, wantErr)
			}
			if wantErr == nil && !refEqual(reflect.ValueOf(v), reflect.ValueOf(want), false) {
				t.Fatalf("%s: %x into %T:\n%s\nat once:\n%s", s.name, data, v, refDump(reflect.ValueOf(v)), refDump(reflect.ValueOf(want)))
			}
		}
	})
}

// FuzzWindows: the bytes do not depend on the size of the buffer that is handed on.
func FuzzWindows(f *testing.F) {
	addFuzzSeeds(f)
	f.Fuzz(func(t *testing.T, i uint8, data []byte) {
		v := fuzzSchema(i)
		if fuzzCodec.Unmarshal(data, v) != nil {
			return
		}
		want, wantErr := sofab.Marshal(v)
		for _, window := range []int{1, 2, 3, 7, 16, 100} {
			got, err := encodeThroughWindow(v, window)
			if errorText(err) != errorText(wantErr) || wantErr == nil && !bytes.Equal(got, want) {
				t.Fatalf("%T of %x through a window of %d: %x, %v; at once %x, %v", v, data, window, got, err, want, wantErr)
			}
		}
		if n, err := sofab.Size(v); errorText(err) != errorText(wantErr) || wantErr == nil && n != len(want) {
			t.Fatalf("Size of %T of %x: %d, %v; want %d, %v", v, data, n, err, len(want), wantErr)
		}
	})
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
