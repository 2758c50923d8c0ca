package sofab_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/sofab-go/sofab"
)

// item has a field for every kind of fault.
type item struct {
	Narrow uint8    `sofab:"1"`
	Short  string   `sofab:"2,maxlen=4"`
	Free   string   `sofab:"3"`
	Few    []uint16 `sofab:"4,count=3"`
	List   []string `sofab:"5"`
	Parts  []part   `sofab:"6"`
	Data   []byte   `sofab:"7"`
	Last   uint64   `sofab:"8"`
}

type part struct {
	Name  string  `sofab:"1"`
	Sub   *part   `sofab:"2"`
	Ratio float64 `sofab:"3"`
}

var itemValue = item{
	Narrow: 200, Short: "four", Free: "zoë", Few: []uint16{1, 300, 65535}, List: []string{"", "b", ""},
	Parts: []part{{}, {Name: "p", Sub: &part{Ratio: 0.5}}}, Data: []byte{1, 2, 3}, Last: 1 << 60,
}

// framings are the codecs that can carry more than one message.
var framings = []struct {
	name    string
	options sofab.Options
}{
	{"Terminated", sofab.Options{}},
	{"LengthPrefixed", sofab.Options{Framing: sofab.LengthPrefixed}},
}

// streamOf is what an encoder writes of the values.
func streamOf(t testing.TB, c *sofab.Codec, values ...any) []byte {
	t.Helper()
	var b bytes.Buffer
	enc := c.NewEncoder(&b)
	for _, v := range values {
		if err := enc.Encode(v); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

// framed puts a terminator or a length to a message.
func framed(o sofab.Options, message []byte) []byte {
	if o.Framing == sofab.LengthPrefixed {
		return append(binary.AppendUvarint(nil, uint64(len(message))), message...)
	}
	return append(bytes.Clone(message), 0x07)
}

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

func TestDecodeSequence(t *testing.T) {
	for _, f := range framings {
		codec := codecWith(t, f.options)
		values := []item{itemValue, {}, {Last: 1}, {}, {Free: strings.Repeat("long", 3000)}, itemValue}
		var data []byte
		var ends []int64
		for _, v := range values {
			message, err := sofab.Marshal(&v)
			if err != nil {
				t.Fatal(err)
			}
			data = append(data, framed(f.options, message)...)
			ends = append(ends, int64(len(data)))
		}
		for _, r := range readers {
			t.Run(f.name+"/"+r.name, func(t *testing.T) {
				dec := codec.NewDecoder(r.make(data))
				for i, want := range values {
					if !dec.More() {
						t.Fatalf("message %d: More is false", i)
					}
					got := item{Narrow: 7, List: []string{"stale"}}
					if err := dec.Decode(&got); err != nil {
						t.Fatalf("message %d: %v", i, err)
					}
					if diff := cmp.Diff(want, got); diff != "" {
						t.Errorf("message %d (-want +got):\n%s", i, diff)
					}
					if dec.InputOffset() != ends[i] {
						t.Errorf("message %d: offset %d, want %d", i, dec.InputOffset(), ends[i])
					}
				}
				atCleanEnd(t, dec)
			})
		}
	}
}

// atCleanEnd demands io.EOF itself from every method, again and again, and that the
// value is left alone.
func atCleanEnd(t *testing.T, dec *sofab.Decoder) {
	t.Helper()
	for range 2 {
		if dec.More() {
			t.Error("More at the end")
		}
		got := item{Narrow: 7}
		if err := dec.Decode(&got); err != io.EOF {
			t.Errorf("Decode at the end: %v", err)
		}
		if dec.Skipped() != 0 {
			t.Errorf("%d fields skipped at the end", dec.Skipped())
		}
		if diff := cmp.Diff(item{Narrow: 7}, got); diff != "" {
			t.Errorf("io.EOF changed the value: %s", diff)
		}
		if err := dec.Skip(); err != io.EOF {
			t.Errorf("Skip at the end: %v", err)
		}
	}
}

// TestDecodeCut ends a stream of two messages at every offset.
func TestDecodeCut(t *testing.T) {
	message, err := sofab.Marshal(&itemValue)
	if err != nil {
		t.Fatal(err)
	}
	for _, require := range []bool{false, true} {
		for _, f := range framings {
			o := f.options
			o.RequireTerminator = require
			codec := codecWith(t, o)
			one := framed(o, message)
			data := slices.Concat(one, one)
			for cut := range len(data) + 1 {
				for _, r := range readers {
					dec := codec.NewDecoder(r.make(data[:cut]))
					var got []error
					for range 3 {
						got = append(got, dec.Decode(new(item)))
					}
					want := cutVerdict(o, message, cut, len(one))
					for i := range want {
						if i == 0 && cut < len(one) && want[0] == nil {
							continue // its value is that of a prefix
						}
						if !sameStreamVerdict(got[i], want[i]) {
							t.Errorf("%s, require %t, %s: cut at %d of %d: Decode %d gave %v, want %v",
								f.name, require, r.name, cut, len(data), i, got[i], want[i])
						}
					}
				}
			}
		}
	}
}

// cutVerdict is what three Decodes must return of a stream of two framed messages of
// size bytes each that ends at cut.
func cutVerdict(o sofab.Options, message []byte, cut, size int) []error {
	end, incomplete := io.EOF, sofab.ErrIncomplete
	switch {
	case cut == 0:
		return []error{end, end, end}
	case cut < size:
		first := o.Framing == sofab.Terminated && !o.RequireTerminator
		if first && errors.Is(sofab.Unmarshal(message[:cut], new(item)), incomplete) || !first {
			return []error{incomplete, incomplete, incomplete}
		}
		return []error{nil, end, end}
	case cut == size:
		return []error{nil, end, end}
	case cut < 2*size:
		return []error{nil, incomplete, incomplete}
	}
	return []error{nil, nil, end}
}

func sameStreamVerdict(got, want error) bool {
	if want == sofab.ErrIncomplete {
		return errors.Is(got, want) && errors.Is(got, io.ErrUnexpectedEOF)
	}
	return got == want
}

func TestDecodeStrayBytes(t *testing.T) {
	tests := []struct {
		name    string
		options sofab.Options
		data    string
		want    []error // of one Decode after the other
	}{
		{"no bytes", sofab.Options{}, "", []error{io.EOF}},
		{"terminator", sofab.Options{}, "07", []error{nil, io.EOF}},
		{"terminators", sofab.Options{}, "07 07", []error{nil, nil, io.EOF}},
		{"terminator with an id", sofab.Options{}, "0805 0f 87 00", []error{nil, nil, io.EOF}},
		{"terminator with a bad id", sofab.Options{}, "0805 87 80 80 80 40", []error{sofab.ErrInvalid, sofab.ErrInvalid}},
		{"bare", sofab.Options{}, "0805", []error{nil, io.EOF}},
		{"bare, terminator required", sofab.Options{RequireTerminator: true}, "0805", []error{sofab.ErrIncomplete}},
		{"nothing, terminator required", sofab.Options{RequireTerminator: true}, "", []error{io.EOF}},
		{"second one bare", sofab.Options{}, "07 0805", []error{nil, sofab.ErrIncomplete, sofab.ErrIncomplete}},
		{"no length", sofab.Options{Framing: sofab.LengthPrefixed}, "", []error{io.EOF}},
		{"half a length", sofab.Options{Framing: sofab.LengthPrefixed}, "80", []error{sofab.ErrIncomplete, sofab.ErrIncomplete}},
		{"length without end", sofab.Options{Framing: sofab.LengthPrefixed}, "80 80 80 80 80 80 80 80 80 80", []error{sofab.ErrInvalid, sofab.ErrInvalid}},
		{"longest length", sofab.Options{Framing: sofab.LengthPrefixed}, "ff ff ff ff ff ff ff ff ff 01", []error{sofab.ErrLimit, sofab.ErrLimit}},
		{"length zero", sofab.Options{Framing: sofab.LengthPrefixed}, "00 00", []error{nil, nil, io.EOF}},
		{"long spelling of zero", sofab.Options{Framing: sofab.LengthPrefixed}, "80 00", []error{nil, io.EOF}},
		{"too short for its field", sofab.Options{Framing: sofab.LengthPrefixed}, "01 08 05 00", []error{sofab.ErrIncomplete, sofab.ErrIncomplete}},
		{"open at its end", sofab.Options{Framing: sofab.LengthPrefixed}, "01 2e 07", []error{sofab.ErrIncomplete, sofab.ErrIncomplete}},
		{"terminator inside", sofab.Options{Framing: sofab.LengthPrefixed}, "03 08 05 07", []error{sofab.ErrInvalid, sofab.ErrInvalid}},
		{"no framing, no bytes", sofab.Options{Framing: sofab.None}, "", []error{nil, io.EOF}},
		{"no framing", sofab.Options{Framing: sofab.None}, "0805", []error{nil, io.EOF}},
		{"no framing, terminator", sofab.Options{Framing: sofab.None}, "0805 07", []error{sofab.ErrInvalid, sofab.ErrInvalid}},
		{"no framing, cut", sofab.Options{Framing: sofab.None}, "08", []error{sofab.ErrIncomplete, sofab.ErrIncomplete}},
	}
	for _, tt := range tests {
		for _, r := range readers {
			t.Run(tt.name+"/"+r.name, func(t *testing.T) {
				dec := codecWith(t, tt.options).NewDecoder(r.make(unhex(t, tt.data)))
				for i, want := range tt.want {
					if err := dec.Decode(new(item)); err != want && (want == nil || want == io.EOF || !errors.Is(err, want)) {
						t.Errorf("Decode %d: %v, want %v", i, err, want)
					}
				}
			})
		}
	}
}

// refusals are messages for an item that are well-formed and refused.
var refusals = []struct {
	name    string
	message string
	options sofab.Options
	check   func(error) bool
	offset  int64 // in the message, -1 if the error has none
}{
	{"width", "08 80 02", sofab.Options{}, isBound("u8"), 1},
	{"maxlen", "12 2a 61 62 63 64 65", sofab.Options{}, isBound("maxlen"), 1},
	{"count", "23 04 01 02 03 04", sofab.Options{}, isBound("count"), 1},
	{"element width", "23 03 01 80 80 04 05 40 09", sofab.Options{}, isBound("u16"), 3},
	{"UTF-8", "1a 12 61 ff 40 09", sofab.Options{}, isInvalid, 3},
	{"UTF-8 in a sequence", "2e 02 0a ff 12 0a 61 07 40 01", sofab.Options{}, isInvalid, 3},
	{"string limit", "40 05 1a 2a 61 62 63 64 65", sofab.Options{Limits: sofab.Limits{String: 4}}, isLimit("String"), 3},
	{"blob limit", "3a 2b 61 62 63 64 65", sofab.Options{Limits: sofab.Limits{Blob: 4}}, isLimit("Blob"), 1},
	{"array limit", "2e 2a 0a 61 07", sofab.Options{Limits: sofab.Limits{Array: 5}}, isLimit("Array"), 2},
	{"memory", "36 fe ff 03 07 07", sofab.Options{Limits: sofab.Limits{Memory: 1000}}, isLimit("Memory"), 1},
	{"unknown", "48 01 40 05", sofab.Options{Unknown: sofab.Reject}, isUnknown, 0},
	{"unknown sequence", "4e 06 0e 07 07 07 40 05", sofab.Options{Unknown: sofab.Reject}, isUnknown, 0},
	{"unknown array", "4b 03 80 01 02 03 40 05", sofab.Options{Unknown: sofab.Reject}, isUnknown, 0},
	{"unknown deep inside", "36 0e 16 4a 12 07 07 07 07 07 40 05", sofab.Options{Unknown: sofab.Reject}, isUnknown, 3},
	{"strict", "09 01 40 05", sofab.Options{Strict: true}, isTypeError, 0},
	{"strict sequence", "0e 06 07 4a 1a 07 07 07 07", sofab.Options{Strict: true}, isTypeError, 0},
}

func isBound(name string) func(error) bool {
	return func(err error) bool {
		var e *sofab.BoundError
		return errors.As(err, &e) && e.Bound == name && errors.Is(err, sofab.ErrInvalid)
	}
}

func isLimit(kind string) func(error) bool {
	return func(err error) bool {
		var e *sofab.LimitError
		return errors.As(err, &e) && e.Kind == kind && errors.Is(err, sofab.ErrLimit)
	}
}

func isInvalid(err error) bool { return errors.Is(err, sofab.ErrInvalid) }
func isUnknown(err error) bool { return errors.Is(err, sofab.ErrUnknownField) }
func isTypeError(err error) bool {
	var e *sofab.UnmarshalTypeError
	return errors.As(err, &e)
}

func offsetOf(err error) int64 {
	var syntax *sofab.SyntaxError
	var bound *sofab.BoundError
	var limit *sofab.LimitError
	var typ *sofab.UnmarshalTypeError
	var unknown *sofab.UnknownFieldError
	switch {
	case errors.As(err, &syntax):
		return syntax.Offset
	case errors.As(err, &bound):
		return bound.Offset
	case errors.As(err, &limit):
		return limit.Offset
	case errors.As(err, &typ):
		return typ.Offset
	case errors.As(err, &unknown):
		return unknown.Offset
	}
	return -1
}

// TestDecodeGoesOnAfterRefusal: a message that the destination refuses costs that
// message only.
func TestDecodeGoesOnAfterRefusal(t *testing.T) {
	for _, f := range framings {
		for _, tt := range refusals {
			o := tt.options
			o.Framing = f.options.Framing
			codec := codecWith(t, o)
			good := streamOf(t, codec, &item{Last: 5})
			bad := framed(o, unhex(t, tt.message))
			data := slices.Concat(good, bad, bad, good, good, bad, good)
			for _, r := range readers {
				t.Run(f.name+"/"+tt.name+"/"+r.name, func(t *testing.T) {
					dec := codec.NewDecoder(r.make(data))
					pass := func(step string) {
						t.Helper()
						got := item{}
						if err := dec.Decode(&got); err != nil || !cmp.Equal(got, item{Last: 5}) {
							t.Fatalf("%s: %+v, %v", step, got, err)
						}
					}
					refuse := func(step string, at int) {
						t.Helper()
						err := dec.Decode(new(item))
						if !tt.check(err) {
							t.Fatalf("%s: %T %v", step, err, err)
						}
						want := int64(at) + tt.offset
						if o.Framing == sofab.LengthPrefixed {
							want++
						}
						if got := offsetOf(err); got != want {
							t.Errorf("%s: offset %d, want %d", step, got, want)
						}
					}
					pass("first")
					refuse("refused", len(good))
					refuse("refused again", len(good)+len(bad))
					if !dec.More() {
						t.Error("More is false")
					}
					pass("behind")
					if want := int64(2*len(good) + 2*len(bad)); dec.InputOffset() != want {
						t.Errorf("offset %d, want %d", dec.InputOffset(), want)
					}
					if err := dec.Skip(); err != nil {
						t.Error(err)
					}
					refuse("last one refused", 3*len(good)+2*len(bad))
					if err := dec.Skip(); err != nil {
						t.Errorf("Skip behind a refused message: %v", err)
					}
					atCleanEnd(t, dec)
				})
			}
		}
	}
}

// TestRefusedMessageEndsStream looks at what comes behind a refused message that the
// end of the input ends, properly or not.
func TestRefusedMessageEndsStream(t *testing.T) {
	for _, tt := range []struct {
		data string
		want error
	}{
		{"08 80 02", io.EOF},
		{"08 80 02 40 05", io.EOF},
		{"08 80 02 40", sofab.ErrIncomplete},
		{"08 80 02 36", sofab.ErrIncomplete},
		{"07 08 80 02", sofab.ErrIncomplete},
		{"08 80 02 07", io.EOF},
		{"08 80 02 1a 39", sofab.ErrInvalid},
	} {
		for _, r := range readers {
			dec := sofab.NewDecoder(r.make(unhex(t, tt.data)))
			err := dec.Decode(new(item))
			if err == nil {
				err = dec.Decode(new(item))
			}
			if !isBound("u8")(err) {
				t.Errorf("%s: %v", tt.data, err)
			}
			var syntax *sofab.SyntaxError
			for range 3 {
				if dec.More() {
					t.Errorf("%s: More", tt.data)
				}
				err := dec.Decode(new(item))
				if !errors.Is(err, tt.want) || err != io.EOF && (!errors.As(err, &syntax) || syntax.Path != "") {
					t.Errorf("%s, %s: then %v, want %v", tt.data, r.name, err, tt.want)
				}
			}
		}
	}
}

// TestMissingFieldCostsItsMessage: the fault of a message that is complete is found at
// its end.
func TestMissingFieldCostsItsMessage(t *testing.T) {
	type ticket struct {
		No   *uint32 `sofab:"1,required"`
		Note string  `sofab:"2"`
	}
	no := uint32(3)
	for _, f := range framings {
		codec := codecWith(t, f.options)
		good := streamOf(t, codec, &ticket{No: &no})
		data := slices.Concat(framed(f.options, nil), good, framed(f.options, unhex(t, "12 0a 61")), good)
		for _, r := range readers {
			dec := codec.NewDecoder(r.make(data))
			for i := range 4 {
				var got ticket
				err := dec.Decode(&got)
				var missing *sofab.MissingFieldError
				switch {
				case i%2 == 0 && (!errors.As(err, &missing) || errors.Is(err, sofab.ErrIncomplete)):
					t.Errorf("%s: message %d: %v", r.name, i, err)
				case i%2 == 1 && (err != nil || *got.No != 3):
					t.Errorf("%s: message %d: %v", r.name, i, err)
				}
			}
			atCleanEnd(t, dec)
		}
	}
}

func TestMalformedIsFinal(t *testing.T) {
	for _, malformed := range []string{
		"0a 39 61", "08 80 80 80 80 80 80 80 80 80 02", "80 80 80 80 40 05", "22 59", "4c 02 ff ff ff ff ff ff ff ff ff 02",
		"2e " + strings.Repeat("0e ", 255),
	} {
		for _, f := range framings {
			codec := codecWith(t, f.options)
			good := streamOf(t, codec, &item{Last: 5})
			data := slices.Concat(good, framed(f.options, unhex(t, malformed)), good, good)
			for _, r := range readers {
				for _, skip := range []bool{false, true} {
					dec := codec.NewDecoder(r.make(data))
					if err := dec.Decode(new(item)); err != nil {
						t.Fatal(err)
					}
					next := func() error { return dec.Decode(new(item)) }
					if skip {
						next = dec.Skip
					}
					first := next()
					if !errors.Is(first, sofab.ErrInvalid) {
						t.Errorf("%s, %s, skip %t: %v", malformed, r.name, skip, first)
					}
					for _, again := range []error{dec.Decode(new(item)), dec.Skip(), dec.Decode(new(part))} {
						if again != first {
							t.Errorf("%s, %s: then %v, want %v", malformed, r.name, again, first)
						}
					}
					if dec.More() {
						t.Errorf("%s, %s: More behind malformed bytes", malformed, r.name)
					}
					if dec.InputOffset() != int64(len(good)) {
						t.Errorf("%s: offset %d, want %d", malformed, dec.InputOffset(), len(good))
					}
					dec.Reset(bytes.NewReader(good))
					var got item
					if err := dec.Decode(&got); err != nil || got.Last != 5 {
						t.Errorf("after Reset: %+v, %v", got, err)
					}
					atCleanEnd(t, dec)
				}
			}
		}
	}
}

// TestMessageLimit: a message of the largest size passes, one byte more is final.
func TestMessageLimit(t *testing.T) {
	message, err := sofab.Marshal(&item{Free: "0123456789", Last: 5})
	if err != nil {
		t.Fatal(err)
	}
	size := int64(len(message))
	for _, limit := range []int64{1, 2, size - 1, size, size + 1, math.MaxInt64} {
		for _, f := range []sofab.Options{{}, {Framing: sofab.LengthPrefixed}, {Framing: sofab.None}, {RequireTerminator: true}} {
			f.Limits.Message = limit
			codec := codecWith(t, f)
			data := framed(f, message)
			if f.Framing == sofab.None {
				data = message
			} else {
				data = slices.Concat(data, data)
			}
			for _, r := range readers {
				for _, skip := range []bool{false, true} {
					dec := codec.NewDecoder(r.make(data))
					next := func() error { return dec.Decode(new(item)) }
					if skip {
						next = dec.Skip
					}
					got := next()
					if size <= limit && got != nil {
						t.Errorf("limit %d, framing %d, %s: %v", limit, f.Framing, r.name, got)
					}
					if size <= limit {
						continue
					}
					at := limit
					if f.Framing == sofab.LengthPrefixed {
						at = 0
					}
					if !isLimit("Message")(got) || offsetOf(got) != at {
						t.Errorf("limit %d, framing %d, %s: %v", limit, f.Framing, r.name, got)
					}
					if again := dec.Decode(new(item)); again != got {
						t.Errorf("limit %d, framing %d, %s: then %v", limit, f.Framing, r.name, again)
					}
				}
			}
		}
	}
}

// TestLimitsAreThoseOfOneMessage: what earlier messages of the stream have taken does
// not count, nor does what they have brought.
func TestLimitsAreThoseOfOneMessage(t *testing.T) {
	codec := codecWith(t, sofab.Options{Limits: sofab.Limits{Message: 1100, Memory: 1500}})
	var values []any
	for range 50 {
		values = append(values, &item{Free: strings.Repeat("x", 1000)})
	}
	dec := codec.NewDecoder(bytes.NewReader(append(streamOf(t, codec, values...), 0x36, 0xfe, 0xff, 0x03, 0x07, 0x07, 0x07)))
	for i := range values {
		if err := dec.Decode(new(item)); err != nil {
			t.Fatalf("message %d: %v", i, err)
		}
	}
	var limit *sofab.LimitError
	if err := dec.Decode(new(item)); !errors.As(err, &limit) || limit.Kind != "Memory" || limit.Limit > 1500+64*10 {
		t.Errorf("an element far out: %+v", limit)
	}
}

// TestReaderErrorsPass: an error of the reader at any offset is returned as it is, and
// Decode goes on where it stopped.
func TestReaderErrorsPass(t *testing.T) {
	for _, f := range framings {
		codec := codecWith(t, f.options)
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
		codec := codecWith(t, f.options)
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
		codec := codecWith(t, f.options)
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

func TestSkip(t *testing.T) {
	for _, o := range []sofab.Options{{}, {Framing: sofab.LengthPrefixed}} {
		codec := codecWith(t, o)
		big := item{Free: strings.Repeat("x", 100_000), Parts: slices.Repeat([]part{{Name: "n"}}, 100)}
		data := streamOf(t, codec, &itemValue, &big, &item{}, &item{Last: 5})
		for _, r := range readers {
			dec := codec.NewDecoder(r.make(data))
			for range 3 {
				if err := dec.Skip(); err != nil {
					t.Fatal(err)
				}
			}
			var got item
			if err := dec.Decode(&got); err != nil || got.Last != 5 {
				t.Errorf("%s: %+v, %v", r.name, got, err)
			}
			atCleanEnd(t, dec)
		}
	}
	codec := codecWith(t, sofab.Options{Framing: sofab.None})
	dec := codec.NewDecoder(bytes.NewReader(streamOf(t, codec, &itemValue)))
	if err := dec.Skip(); err != nil {
		t.Error(err)
	}
	atCleanEnd(t, dec)
}

func TestSkipped(t *testing.T) {
	for _, tt := range []struct {
		message string
		want    int
	}{
		{"", 0},
		{"0805", 0},
		{"09 05", 1},                      // signed at an unsigned
		{"09 05 0b 01 04 0e 06 07 07", 3}, // one field, three times
		{"2e 00 01 0a 0a 61 07 36 06 0e 07 07 07", 2}, // an element, and a struct where a string is due
		{"12 0b 61", 1},             // blob at a string
		{"50 01 56 08 80 02 07", 0}, // unknown fields are not mistyped
		{"36 06 1a 20 00 00 00 00 1a 41 " + strings.Repeat("00 ", 8) + "07 07", 1}, // fp32 at an fp64
	} {
		dec := sofab.NewDecoder(bytes.NewReader(slices.Concat(unhex(t, tt.message), []byte{0x07, 0x09, 0x01, 0x07, 0x07})))
		for i, want := range []int{tt.want, 1, 0} {
			if err := dec.Decode(new(item)); err != nil {
				t.Errorf("%s: message %d: %v", tt.message, i, err)
			}
			if got := dec.Skipped(); got != want {
				t.Errorf("%s: message %d: %d fields skipped, want %d", tt.message, i, got, want)
			}
		}
	}
}

// TestMistypedFieldKeepsEarlierValue: the last well-typed occurrence wins.
func TestMistypedFieldKeepsEarlierValue(t *testing.T) {
	dec := sofab.NewDecoder(bytes.NewReader(unhex(t, "08 05 09 03 07")))
	var got item
	if err := dec.Decode(&got); err != nil || got.Narrow != 5 || dec.Skipped() != 1 {
		t.Errorf("%+v, %v, %d skipped", got, err, dec.Skipped())
	}
}

func TestDisallowUnknownFields(t *testing.T) {
	data := unhex(t, "48 01 07 40 05 07 36 0e 4a 0a 61 07 07 07")
	dec := sofab.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	for i, want := range []bool{true, false, true} {
		err := dec.Decode(new(item))
		if isUnknown(err) != want || !want && err != nil {
			t.Errorf("message %d: %v", i, err)
		}
	}
	atCleanEnd(t, dec)
	// The codec of the package is not changed by it.
	if err := sofab.NewDecoder(bytes.NewReader(data)).Decode(new(item)); err != nil {
		t.Error(err)
	}
	dec.Reset(bytes.NewReader(data))
	if err := dec.Decode(new(item)); !isUnknown(err) {
		t.Errorf("after Reset: %v", err)
	}
}

// TestBuffered switches to another protocol behind the second message.
func TestBuffered(t *testing.T) {
	for _, f := range framings {
		codec := codecWith(t, f.options)
		rest := strings.Repeat("GET / HTTP/1.1\r\n", 1000)
		data := append(streamOf(t, codec, &itemValue, &item{}), rest...)
		for _, r := range readers {
			reader := r.make(data)
			dec := codec.NewDecoder(reader)
			for range 2 {
				if err := dec.Decode(new(item)); err != nil {
					t.Fatal(err)
				}
			}
			got, err := io.ReadAll(io.MultiReader(dec.Buffered(), reader))
			if err != nil || string(got) != rest {
				t.Errorf("%s, %s: %d bytes, want %d (%v)", f.name, r.name, len(got), len(rest), err)
			}
		}
	}
}

func TestDecodeBadDestination(t *testing.T) {
	type faulty struct{ C chan int }
	data := terminated(t, &item{Last: 5})
	dec := sofab.NewDecoder(bytes.NewReader(data))
	var none *item
	for _, v := range []any{nil, item{}, none, new(faulty), []int{}} {
		var invalid *sofab.InvalidUnmarshalError
		var tag *sofab.TagError
		if err := dec.Decode(v); !errors.As(err, &invalid) && !errors.As(err, &tag) {
			t.Errorf("Decode(%T): %v", v, err)
		}
	}
	var got item
	if err := dec.Decode(&got); err != nil || got.Last != 5 {
		t.Errorf("then %+v, %v", got, err)
	}
}

// TestDecodedValuesAreTheirOwn: the decoder's buffer is written again by the next
// message, the values it gave out are not.
func TestDecodedValuesAreTheirOwn(t *testing.T) {
	codec := codecWith(t, sofab.Options{Alias: true}) // holds for Unmarshal only
	var values []any
	for i := range 40 {
		v := itemValue
		v.Free = strings.Repeat(string(rune('a'+i%26)), 50+i)
		v.Data = bytes.Repeat([]byte{byte(i)}, 200)
		values = append(values, &v)
	}
	dec := codec.NewDecoder(bytes.NewReader(streamOf(t, codec, values...)))
	var got []any
	for range values {
		v := new(item)
		if err := dec.Decode(v); err != nil {
			t.Fatal(err)
		}
		got = append(got, v)
	}
	if diff := cmp.Diff(values, got); diff != "" {
		t.Error(diff)
	}
}

// TestDecodeNeverHangs feeds hostile streams, each of which goes on for ever.
func TestDecodeNeverHangs(t *testing.T) {
	codec := codecWith(t, sofab.Options{Limits: sofab.Limits{Message: 1 << 20}})
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

// TestUnmarshalPointsToDecoder: what an Encoder wrote is no bare message.
func TestUnmarshalPointsToDecoder(t *testing.T) {
	for _, data := range [][]byte{terminated(t, &item{Last: 5}), {0x07}} {
		for _, s := range decodeSurfaces {
			if strings.HasPrefix(s.name, "Decoder/") {
				continue
			}
			err := s.decode(data, new(item))
			var syntax *sofab.SyntaxError
			if !errors.As(err, &syntax) || !errors.Is(err, sofab.ErrInvalid) || syntax.Offset != int64(len(data)-1) {
				t.Errorf("%s: %v", s.name, err)
			} else if !strings.Contains(err.Error(), "NewDecoder") {
				t.Errorf("%s: %v does not point to NewDecoder", s.name, err)
			}
		}
	}
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
			codec := codecWith(t, o)
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
