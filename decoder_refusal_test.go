package sofab_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/sofab-go/sofab"
)

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
			codec := newCodec(o)
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
		codec := newCodec(f.options)
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
			codec := newCodec(f.options)
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
			codec := newCodec(f)
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

// TestMessageLimitAfterReaderError: a reader that stops where the limit is does not
// lift it.
func TestMessageLimitAfterReaderError(t *testing.T) {
	for _, framing := range []sofab.Framing{sofab.Terminated, sofab.None} {
		codec := newCodec(sofab.Options{Framing: framing, Limits: sofab.Limits{Message: 2}})
		dec := codec.NewDecoder(&scriptedReader{rest: unhex(t, "08 05 40 06 40 07"), sizes: []int{2, -1, -1, 4}})
		var v item
		err := dec.Decode(&v)
		for err == errTimeout {
			err = dec.Decode(&v)
		}
		if !isLimit("Message")(err) || offsetOf(err) != 2 {
			t.Errorf("framing %d: %v", framing, err)
		}
	}
}

// TestLimitsAreThoseOfOneMessage: what earlier messages of the stream have taken does
// not count, nor does what they have brought.
func TestLimitsAreThoseOfOneMessage(t *testing.T) {
	codec := newCodec(sofab.Options{Limits: sofab.Limits{Message: 1100, Memory: 1500}})
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
