package sofab_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/big"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/sofab-go/sofab"
)

// decodeSurfaces are the ways by which a message gets into a Go value. Value,
// verdict and re-encoding must not depend on the choice.
var decodeSurfaces = []struct {
	name   string
	decode func(data []byte, v any) error
}{
	{"Unmarshal", sofab.Unmarshal},
	{"Unmarshal/scrubbed", func(data []byte, v any) error {
		own := bytes.Clone(data)
		defer scrub(own)
		return sofab.Unmarshal(own, v)
	}},
	{"Unmarshal/used destination", func(data []byte, v any) error {
		litter(reflect.ValueOf(v).Elem())
		return sofab.Unmarshal(data, v)
	}},
	{"UnmarshalRead", func(data []byte, v any) error {
		return sofab.UnmarshalRead(bytes.NewReader(data), v)
	}},
	{"UnmarshalRead/1byte", func(data []byte, v any) error {
		return sofab.UnmarshalRead(iotest.OneByteReader(bytes.NewReader(data)), v)
	}},
	{"UnmarshalRead/data with EOF", func(data []byte, v any) error {
		return sofab.UnmarshalRead(iotest.DataErrReader(bytes.NewReader(data)), v)
	}},
	{"UnmarshalRead/random chunks", func(data []byte, v any) error {
		return sofab.UnmarshalRead(&randomReader{rest: data, rand: seeded(data)}, v)
	}},
	{"Feeder/1", func(data []byte, v any) error { return feed(data, 1, v) }},
	{"Feeder/7 scrubbed", func(data []byte, v any) error { return feed(data, 7, v) }},
	{"Decoder/None 1byte", func(data []byte, v any) error {
		return unframed.NewDecoder(iotest.OneByteReader(bytes.NewReader(data))).Decode(v)
	}},
	{"Decoder/LengthPrefixed", func(data []byte, v any) error {
		prefixed := append(binary.AppendUvarint(nil, uint64(len(data))), data...)
		return lengthPrefixed.NewDecoder(bytes.NewReader(append(prefixed, 0x07))).Decode(v)
	}},
	{"Decoder/Terminated", func(data []byte, v any) error {
		if !sofab.Valid(data) { // a terminator would end it elsewhere, or complete a field
			return unframed.NewDecoder(&randomReader{rest: data, rand: seeded(data)}).Decode(v)
		}
		data = append(bytes.Clone(data), 0x07, 0x07)
		return sofab.NewDecoder(&randomReader{rest: data, rand: seeded(data)}).Decode(v)
	}},
}

// encodeSurfaces are the ways by which a Go value gets out. They return what
// was written, also beside an error.
var encodeSurfaces = []struct {
	name   string
	encode func(v any) ([]byte, error)
}{
	{"Marshal", sofab.Marshal},
	{"Marshal/by value", func(v any) ([]byte, error) {
		return sofab.Marshal(reflect.ValueOf(v).Elem().Interface())
	}},
	{"Marshal/kept over the next", func(v any) ([]byte, error) {
		kept, err := sofab.Marshal(v)
		if _, next := sofab.Marshal(&vectorU8s{everySeventh(300)}); next != nil {
			return nil, next
		}
		return kept, err
	}},
	{"MarshalAppend", func(v any) ([]byte, error) { return appendAfterPrefix(v, 0) }},
	{"MarshalAppend/with room", func(v any) ([]byte, error) { return appendAfterPrefix(v, 4096) }},
	{"MarshalWrite/buffer", func(v any) ([]byte, error) {
		var b bytes.Buffer
		err := sofab.MarshalWrite(&b, v)
		return b.Bytes(), err
	}},
	{"MarshalWrite/writer", func(v any) ([]byte, error) {
		var w plainWriter
		err := sofab.MarshalWrite(&w, v)
		return w.written, err
	}},
	{"Encoder/None", func(v any) ([]byte, error) {
		var w plainWriter
		err := unframed.NewEncoder(&w).Encode(v)
		return w.written, err
	}},
	{"Encoder/LengthPrefixed", func(v any) ([]byte, error) {
		var w plainWriter
		if err := lengthPrefixed.NewEncoder(&w).Encode(v); err != nil {
			return w.written, err
		}
		length, n := binary.Uvarint(w.written)
		if n <= 0 || length != uint64(len(w.written)-n) {
			return w.written, fmt.Errorf("a length of %d in front of %d bytes", length, len(w.written)-n)
		}
		return w.written[n:], nil
	}},
	{"Encoder/Terminated", func(v any) ([]byte, error) {
		var w plainWriter
		if err := sofab.NewEncoder(&w).Encode(v); err != nil {
			return w.written, err
		}
		message, ok := bytes.CutSuffix(w.written, []byte{0x07})
		if !ok {
			return w.written, errors.New("no terminator")
		}
		return message, nil
	}},
	{"window 1", func(v any) ([]byte, error) { return encodeThroughWindow(v, 1) }},
	{"window 2", func(v any) ([]byte, error) { return encodeThroughWindow(v, 2) }},
	{"window 3", func(v any) ([]byte, error) { return encodeThroughWindow(v, 3) }},
	{"window 7", func(v any) ([]byte, error) { return encodeThroughWindow(v, 7) }},
	{"window 16", func(v any) ([]byte, error) { return encodeThroughWindow(v, 16) }},
}

// Codecs that put messages into a stream in other ways than the package functions.
var (
	unframed       = newCodec(sofab.Options{Framing: sofab.None})
	lengthPrefixed = newCodec(sofab.Options{Framing: sofab.LengthPrefixed})
)

// newCodec is the codec with valid options.
func newCodec(o sofab.Options) *sofab.Codec {
	c, err := o.Codec()
	if err != nil {
		panic(err)
	}
	return c
}

// encodeThroughWindow encodes through a buffer of that many bytes that is handed on
// whenever it is full. What a value that is refused half way has handed on by then is
// dropped.
func encodeThroughWindow(v any, window int) ([]byte, error) {
	written, err := sofab.EncodeThroughBuffer(v, window)
	if err != nil {
		return nil, err
	}
	return written, nil
}

// feed pushes data into v in chunks and overwrites each chunk after its Feed.
// A verdict that does not latch is reported as an error of its own.
func feed(data []byte, size int, v any) error {
	f, err := sofab.NewFeeder(v)
	if err != nil {
		return err
	}
	return feedTo(f, data, size)
}

func feedTo(f *sofab.Feeder, data []byte, size int) error {
	err := f.Feed(nil)
	if err != nil && !errors.Is(err, sofab.ErrIncomplete) {
		return fmt.Errorf("feeding nothing: %v", err)
	}
	for len(data) > 0 {
		chunk := bytes.Clone(data[:min(size, len(data))])
		data = data[len(chunk):]
		err = f.Feed(chunk)
		scrub(chunk)
		if err != nil && !errors.Is(err, sofab.ErrIncomplete) {
			return latched(f, err)
		}
	}
	if again := f.Feed(nil); !sameVerdict(again, err) {
		return fmt.Errorf("an empty chunk turned %v into %v", err, again)
	}
	return err
}

func latched(f *sofab.Feeder, err error) error {
	for _, chunk := range [][]byte{nil, {0x07}, {0x00, 0x05}} {
		if again := f.Feed(chunk); again != err && !sameVerdict(again, err) {
			return fmt.Errorf("feeding %x after %v gave %v", chunk, err, again)
		}
	}
	return err
}

func sameVerdict(a, b error) bool {
	va, erra := classify(a)
	vb, errb := classify(b)
	return erra == nil && errb == nil && va == vb
}

// classify maps a decode error to the letter of FORMAT 9.2. Exactly one
// sentinel has to match.
func classify(err error) (string, error) {
	if err == nil {
		return "A", nil
	}
	var letters string
	for _, s := range []struct {
		letter string
		err    error
	}{{"I", sofab.ErrIncomplete}, {"R", sofab.ErrInvalid}, {"L", sofab.ErrLimit}} {
		if errors.Is(err, s.err) {
			letters += s.letter
		}
	}
	if len(letters) != 1 {
		return letters, fmt.Errorf("%w (%T) is %d of incomplete, invalid, limit; want one", err, err, len(letters))
	}
	if got, want := errors.Is(err, io.ErrUnexpectedEOF), letters == "I"; got != want {
		return letters, fmt.Errorf("%w is io.ErrUnexpectedEOF: %t, want %t", err, got, want)
	}
	return letters, nil
}

func verdict(t testing.TB, err error) string {
	t.Helper()
	letter, err := classify(err)
	if err != nil {
		t.Error(err)
	}
	return letter
}

const appendPrefix = "prefix"

func appendAfterPrefix(v any, room int) ([]byte, error) {
	dst := append(make([]byte, 0, len(appendPrefix)+room), appendPrefix...)
	out, err := sofab.MarshalAppend(dst, v)
	rest, ok := bytes.CutPrefix(out, []byte(appendPrefix))
	if !ok || string(dst) != appendPrefix {
		// Not empty, so that whoever expects an error and no bytes notices too.
		return []byte(appendPrefix), fmt.Errorf("the prefix did not survive: %x (error %v)", out, err)
	}
	if room > 0 && &out[0] != &dst[0] {
		return rest, errors.New("reallocated although dst had room")
	}
	return rest, err
}

// plainWriter has no method but Write.
type plainWriter struct{ written []byte }

func (w *plainWriter) Write(p []byte) (int, error) {
	w.written = append(w.written, p...)
	return len(p), nil
}

// randomReader hands out pieces of random size, among them empty ones, and
// sometimes the last piece together with io.EOF.
type randomReader struct {
	rest []byte
	rand *rand.Rand
}

func (r *randomReader) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.rest[:min(r.rand.IntN(12), len(r.rest))])
	r.rest = r.rest[n:]
	if len(r.rest) == 0 && r.rand.IntN(2) == 0 {
		return n, io.EOF
	}
	return n, nil
}

// seeded makes the cuts a function of the input.
func seeded(data []byte) *rand.Rand {
	h := fnv.New64a()
	h.Write(data)
	return rand.New(rand.NewPCG(h.Sum64(), 1))
}

func scrub(p []byte) {
	for i := range p {
		p[i] = 0xaa
	}
}

// litter sets everything reachable from v to a value that is no default.
func litter(v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uint:
		v.SetUint(0x5a)
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Int:
		v.SetInt(-0x5a)
	case reflect.Float32, reflect.Float64:
		v.SetFloat(-1.5)
	case reflect.String:
		v.SetString("stale")
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 3, 8))
		for i := range v.Len() {
			litter(v.Index(i))
		}
	case reflect.Array:
		for i := range v.Len() {
			litter(v.Index(i))
		}
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		litter(key)
		if value.Kind() != reflect.Map { // as for pointers
			litter(value)
		}
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Interface:
		if v.NumMethod() == 0 {
			v.Set(reflect.ValueOf("stale"))
		}
	case reflect.Pointer:
		// One level is enough, and recursive types have no last one.
		v.Set(reflect.New(v.Type().Elem()))
	case reflect.Struct:
		switch p := v.Addr().Interface().(type) {
		case *time.Time:
			*p = time.Unix(1e9, 5)
			return
		case *big.Int:
			p.SetInt64(-77)
			return
		}
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				litter(v.Field(i))
			}
		}
	default:
		panic("litter: unexpected kind " + v.Kind().String())
	}
}

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// fresh returns a pointer to a new zero value of the type p points to.
func fresh(p any) any { return reflect.New(reflect.TypeOf(p).Elem()).Interface() }

// decodeExpectation is what one input must come to on every surface.
type decodeExpectation struct {
	schema  any    // pointer to the type decoded into; never written to
	verdict string // A, I, R or L
	encoded []byte // with A: the canonical re-encoding
	dump    string // with A: the materialized value; not compared when empty
}

// checkDecode runs the input through every decode surface and the value it
// decodes to through every encode surface.
func checkDecode(t *testing.T, input []byte, want decodeExpectation) {
	t.Helper()
	for i, s := range decodeSurfaces {
		v := fresh(want.schema)
		err := s.decode(input, v)
		if got := verdict(t, err); got != want.verdict {
			t.Errorf("%s: verdict %s (%v), want %s", s.name, got, err, want.verdict)
			continue
		}
		if want.verdict != "A" {
			continue
		}
		if want.dump == "" {
			want.dump = materialize(v)
		}
		if diff := cmp.Diff(want.dump, materialize(v)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", s.name, diff)
		}
		if i == 0 {
			checkEncode(t, s.name, v, want.encoded)
			continue
		}
		if got, err := sofab.Marshal(v); err != nil || !bytes.Equal(got, want.encoded) {
			t.Errorf("%s: re-encoded: %x, %v, want %x", s.name, got, err, want.encoded)
		}
	}
}

// checkEncode encodes the struct v points to by every encode surface.
func checkEncode(t *testing.T, from string, v any, want []byte) {
	t.Helper()
	for _, s := range encodeSurfaces {
		got, err := s.encode(v)
		if err != nil {
			t.Errorf("%s: %s: %v", from, s.name, err)
			continue
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s: %s: %x, want %x", from, s.name, got, want)
		}
	}
	if n, err := sofab.Size(v); err != nil || n != len(want) {
		t.Errorf("%s: Size: %d, %v, want %d", from, n, err, len(want))
	}
	fields, err := oracleRead(want)
	if err != nil || !fields.ascending() || !bytes.Equal(oracleAppend(nil, fields), want) {
		t.Errorf("%s: %x is not canonical framing (%v)", from, want, err)
	}
}

// checkEncodeFails demands an error and not one byte on every encode surface,
// and returns the error of Marshal.
func checkEncodeFails(t *testing.T, v any) error {
	t.Helper()
	for _, s := range encodeSurfaces {
		if got, err := s.encode(v); err == nil || len(got) != 0 {
			t.Errorf("%s: wrote %x, error %v; want an error and nothing written", s.name, got, err)
		}
	}
	if n, err := sofab.Size(v); err == nil {
		t.Errorf("Size: %d and no error", n)
	}
	_, err := sofab.Marshal(v)
	return err
}
