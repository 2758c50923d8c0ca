package sofab_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/sofab-go/sofab"
)

// readers are ways to cut an input. None may change a result.
var readers = []struct {
	name string
	make func(data []byte) io.Reader
}{
	{"whole", func(data []byte) io.Reader { return bytes.NewReader(data) }},
	{"1 byte", func(data []byte) io.Reader { return iotest.OneByteReader(bytes.NewReader(data)) }},
	{"half", func(data []byte) io.Reader { return iotest.HalfReader(bytes.NewReader(data)) }},
	{"data with EOF", func(data []byte) io.Reader { return iotest.DataErrReader(bytes.NewReader(data)) }},
	{"1 byte with EOF", func(data []byte) io.Reader {
		return iotest.DataErrReader(iotest.OneByteReader(bytes.NewReader(data)))
	}},
	{"empty reads", func(data []byte) io.Reader {
		return &scriptedReader{rest: data, sizes: []int{0, 1, 0, 0, 2}}
	}},
	{"random", func(data []byte) io.Reader { return &randomReader{rest: data, rand: seeded(data)} }},
}

// scriptedReader delivers pieces of the given sizes, over and over. A negative size is
// errTimeout.
type scriptedReader struct {
	rest  []byte
	sizes []int
	reads int
}

var errTimeout = errors.New("timeout of the test")

func (r *scriptedReader) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		return 0, io.EOF
	}
	size := r.sizes[r.reads%len(r.sizes)]
	r.reads++
	if size < 0 {
		return 0, errTimeout
	}
	n := copy(p, r.rest[:min(size, len(r.rest))])
	r.rest = r.rest[n:]
	return n, nil
}

// TestReaderErrorsPass: an error of the reader at any offset is returned as it is, and
// Decode goes on where it stopped.
func TestReaderErrorsPass(t *testing.T) {
	for _, f := range framings {
		codec := newCodec(f.options)
		data := streamOf(t, codec, &itemValue, &item{}, &itemValue)
		for size := 1; size < 8; size++ {
			r := &scriptedReader{rest: data, sizes: []int{-1, size, -1, -1, size}}
			dec := codec.NewDecoder(r)
			timeouts := 0
			var got []item
			var v *item
			for {
				if v == nil {
					v = new(item)
				}
				err := dec.Decode(v)
				if err == errTimeout {
					timeouts++
					continue
				}
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, *v)
				v = nil
			}
			if diff := cmp.Diff([]item{itemValue, {}, itemValue}, got); diff != "" {
				t.Errorf("%s, pieces of %d (-want +got):\n%s", f.name, size, diff)
			}
			if timeouts < len(data)/size {
				t.Errorf("%d errors of the reader arrived", timeouts)
			}
		}
	}
}

// TestReaderErrorInsideMessage stops at every offset of a message, and looks at what
// the decoder allows then.
func TestReaderErrorInsideMessage(t *testing.T) {
	for _, f := range framings {
		codec := newCodec(f.options)
		first := streamOf(t, codec, &itemValue)
		data := append(first, streamOf(t, codec, &item{Last: 5})...)
		for cut := range len(first) {
			stopped := func() (*sofab.Decoder, *item) {
				dec := codec.NewDecoder(io.MultiReader(bytes.NewReader(data[:cut]), iotest.TimeoutReader(iotest.OneByteReader(bytes.NewReader(data[cut:])))))
				v := new(item)
				err := dec.Decode(v)
				if err != iotest.ErrTimeout {
					t.Fatalf("cut %d: %v", cut, err)
				}
				return dec, v
			}
			if cut+1 == len(first) {
				continue // the reader delivers one byte before its timeout
			}
			dec, v := stopped()
			if err := dec.Decode(v); err != nil || !cmp.Equal(*v, itemValue) {
				t.Errorf("%s, cut %d: the same value: %+v, %v", f.name, cut, *v, err)
			}
			if err := dec.Decode(v); err != nil || v.Last != 5 {
				t.Errorf("%s, cut %d: the next message: %+v, %v", f.name, cut, *v, err)
			}

			dec, _ = stopped()
			if !dec.More() {
				t.Errorf("%s, cut %d: More is false", f.name, cut)
			}
			var other item
			err := dec.Decode(&other)
			switch {
			case err == nil && cmp.Equal(other, itemValue): // nothing was consumed
				if cut > 1 {
					t.Errorf("%s, cut %d: another value got the message", f.name, cut)
				}
			case err == nil || isInvalid(err) || err == io.EOF || !cmp.Equal(other, item{}):
				t.Errorf("%s, cut %d: another value: %+v, %v", f.name, cut, other, err)
			default:
				if err := dec.Skip(); err != nil {
					t.Errorf("%s, cut %d: Skip: %v", f.name, cut, err)
				}
			}
			if err := dec.Decode(&other); err != nil || !cmp.Equal(other, item{Last: 5}) {
				t.Errorf("%s, cut %d: then %+v, %v", f.name, cut, other, err)
			}
			atCleanEnd(t, dec)
		}
	}
}

// TestSkipGoesOnAfterReaderError: neither Skip nor Decode counts the half of a message
// that was skipped as a message.
func TestSkipGoesOnAfterReaderError(t *testing.T) {
	data := terminated(t, &itemValue, &item{Last: 5})
	for size := 1; size < 9; size++ {
		for _, resume := range []string{"Skip", "Decode", "More"} {
			dec := sofab.NewDecoder(&scriptedReader{rest: data, sizes: []int{size, -1}})
			err := dec.Skip()
			if resume == "Skip" {
				for err == errTimeout {
					err = dec.Skip()
				}
			} else if err != errTimeout {
				t.Fatal(err)
			}
			var got item
			for err = errTimeout; err == errTimeout; {
				if resume == "More" && !dec.More() {
					continue
				}
				err = dec.Decode(&got)
			}
			if err != nil || !cmp.Equal(got, item{Last: 5}) {
				t.Errorf("pieces of %d, %s: %+v, %v", size, resume, got, err)
			}
		}
	}
}

// TestSkipNamesNoField: what is malformed in a message that is skipped belongs to no
// field of the value that an earlier Decode had begun.
func TestSkipNamesNoField(t *testing.T) {
	dec := sofab.NewDecoder(&scriptedReader{rest: unhex(t, "36 06 0e 16 59 59 59"), sizes: []int{4, -1}})
	if err := dec.Decode(new(item)); err != errTimeout {
		t.Fatal(err)
	}
	err := dec.Skip()
	for err == errTimeout {
		err = dec.Skip()
	}
	var syntax *sofab.SyntaxError
	if !errors.As(err, &syntax) || !errors.Is(err, sofab.ErrIncomplete) || syntax.Path != "" {
		t.Errorf("%v", err)
	}
}

// TestMoreKeepsReaderError: what More has met is not lost.
func TestMoreKeepsReaderError(t *testing.T) {
	dec := sofab.NewDecoder(io.MultiReader(iotest.ErrReader(errTimeout), bytes.NewReader(nil)))
	if dec.More() {
		t.Error("More at an error")
	}
	if err := dec.Decode(new(item)); err != errTimeout {
		t.Errorf("Decode: %v", err)
	}
	dec = sofab.NewDecoder(&scriptedReader{rest: terminated(t, item{Last: 5}), sizes: []int{-1, 30}})
	if dec.More() {
		t.Error("More at an error")
	}
	for i, want := range []error{errTimeout, nil} {
		v := item{Narrow: 9}
		if err := dec.Decode(&v); err != want || err != nil && v.Narrow != 9 {
			t.Errorf("Decode %d behind it: %+v, %v", i, v, err)
		}
	}
	dec = sofab.NewDecoder(&scriptedReader{rest: terminated(t, item{Last: 5}), sizes: []int{-1, 3}})
	if dec.More() || !dec.More() {
		t.Error("More does not read again")
	}
	if err := dec.Decode(new(item)); err != nil {
		t.Error(err)
	}
}

// TestMoreEndsLoop: a loop over More that goes on after errors comes to an end when the
// reader is broken for good.
func TestMoreEndsLoop(t *testing.T) {
	for _, f := range framings {
		codec := newCodec(f.options)
		data := streamOf(t, codec, &itemValue, &item{}, &itemValue)
		for cut := range len(data) {
			for _, end := range []io.Reader{iotest.ErrReader(errTimeout), bytes.NewReader(nil)} {
				dec := codec.NewDecoder(io.MultiReader(bytes.NewReader(data[:cut]), end))
				rounds := 0
				for dec.More() {
					if rounds++; rounds > 4 {
						t.Fatalf("%s, cut %d: the loop does not end", f.name, cut)
					}
					dec.Decode(new(item))
				}
			}
		}
	}
}

// TestMoreInsideMessage reads on, but no further than the buffer reaches.
func TestMoreInsideMessage(t *testing.T) {
	data := terminated(t, &item{Free: strings.Repeat("x", 10_000), Last: 5})
	dec := sofab.NewDecoder(&scriptedReader{rest: data, sizes: []int{2, -1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}})
	var got item
	if err := dec.Decode(&got); err != errTimeout {
		t.Fatal(err)
	}
	for range 10_000 {
		if !dec.More() {
			t.Fatal("More is false")
		}
	}
	err := errTimeout
	for err == errTimeout {
		err = dec.Decode(&got)
	}
	if err != nil || len(got.Free) != 10_000 || got.Last != 5 {
		t.Errorf("%v", err)
	}
}

// stuckReader delivers nothing, for ever.
type stuckReader struct{}

func (stuckReader) Read([]byte) (int, error) { return 0, nil }

func TestStuckReader(t *testing.T) {
	dec := sofab.NewDecoder(stuckReader{})
	if err := dec.Decode(new(item)); err != io.ErrNoProgress {
		t.Errorf("Decode: %v", err)
	}
	if err := sofab.UnmarshalRead(stuckReader{}, new(item)); err != io.ErrNoProgress {
		t.Errorf("UnmarshalRead: %v", err)
	}
}

// TestDecodeNeverHangs feeds hostile streams, each of which goes on for ever.
func TestDecodeNeverHangs(t *testing.T) {
	codec := newCodec(sofab.Options{Limits: sofab.Limits{Message: 1 << 20}})
	for _, tt := range []struct{ start, loop string }{
		{"", "08 05"},
		{"", "48 05"},
		{"", "80"},
		{"", "0e"},
		{"1a fa ff 03", "61"},
		{"4a fa ff ff ff 3f", "61"},
		{"4b ff ff ff ff 07", "00"},
		{"4e", "00 00"},
		{"08 80 02", "08 05"},
		{"08 80 02 4b ff ff ff ff 07", "05"},
	} {
		t.Run(tt.start+"/"+tt.loop, func(t *testing.T) {
			within(t, func() error {
				dec := codec.NewDecoder(io.MultiReader(bytes.NewReader(unhex(t, tt.start)), &endless{piece: unhex(t, tt.loop)}))
				err := dec.Decode(new(item))
				if isBound("u8")(err) {
					err = dec.Decode(new(item))
				}
				if !errors.Is(err, sofab.ErrLimit) && !errors.Is(err, sofab.ErrInvalid) {
					return fmt.Errorf("an endless message gave %v", err)
				}
				if again := dec.Decode(new(item)); again != err {
					return fmt.Errorf("%v, then %v", err, again)
				}
				return nil
			})
		})
	}
}

// endless repeats a piece for ever.
type endless struct {
	piece []byte
	at    int
}

func (r *endless) Read(p []byte) (int, error) {
	for n := 0; n < len(p); {
		k := copy(p[n:], r.piece[r.at:])
		r.at = (r.at + k) % len(r.piece)
		n += k
	}
	return len(p), nil
}

// FuzzDecoder: a stream gives the same values and errors however it is cut, and it
// comes to an end.
func FuzzDecoder(f *testing.F) {
	for _, r := range refusals {
		f.Add(slices.Concat(terminated(f, &itemValue), unhex(f, r.message), []byte{0x07, 0x07}))
	}
	f.Add(terminated(f, &itemValue, &item{}, &itemValue))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, o := range []sofab.Options{
			{}, {Strict: true, Unknown: sofab.Reject, Limits: sofab.Limits{String: 20, Array: 9, Message: 100, Memory: 1000}},
			{Framing: sofab.LengthPrefixed}, {Framing: sofab.None},
		} {
			codec := newCodec(o)
			want := transcript(codec.NewDecoder(bytes.NewReader(data)), len(data))
			for _, r := range readers[1:] {
				if diff := cmp.Diff(want, transcript(codec.NewDecoder(r.make(data)), len(data))); diff != "" {
					t.Errorf("%+v, %s (-whole +cut):\n%s", o, r.name, diff)
				}
			}
		}
	})
}

// transcript is what a decoder makes of its input of so many bytes.
func transcript(dec *sofab.Decoder, size int) []string {
	var lines []string
	for range size + 3 {
		var v item
		err := dec.Decode(&v)
		line := fmt.Sprintf("%d skipped, offset %d, %v", dec.Skipped(), dec.InputOffset(), err)
		if err == nil {
			line += " " + materialize(&v)
		}
		lines = append(lines, line)
		if n := len(lines); n > 1 && err != nil && lines[n-1] == lines[n-2] {
			return lines
		}
	}
	return append(lines, "does not end")
}
