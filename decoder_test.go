package sofab_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

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

func TestDecodeSequence(t *testing.T) {
	for _, f := range framings {
		codec := newCodec(f.options)
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
			codec := newCodec(o)
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
				dec := newCodec(tt.options).NewDecoder(r.make(unhex(t, tt.data)))
				for i, want := range tt.want {
					if err := dec.Decode(new(item)); err != want && (want == nil || want == io.EOF || !errors.Is(err, want)) {
						t.Errorf("Decode %d: %v, want %v", i, err, want)
					}
				}
			})
		}
	}
}

func TestSkip(t *testing.T) {
	for _, o := range []sofab.Options{{}, {Framing: sofab.LengthPrefixed}} {
		codec := newCodec(o)
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
	codec := newCodec(sofab.Options{Framing: sofab.None})
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
		codec := newCodec(f.options)
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
	codec := newCodec(sofab.Options{Alias: true}) // holds for Unmarshal only
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
