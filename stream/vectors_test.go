package stream_test

import (
	"bytes"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sofab-go/sofab/stream"
	"github.com/sofab-go/sofab/wire"
)

// conformance opens a file of the folder with the shared conformance data.
func conformance(t *testing.T, name string) []byte {
	t.Helper()
	dir := os.Getenv("SOFAB_CONFORMANCE")
	if dir == "" {
		t.Skip("SOFAB_CONFORMANCE does not name the folder with the conformance data")
	}
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

type hexBytes []byte

func (h *hexBytes) UnmarshalText(text []byte) (err error) {
	*h, err = hex.DecodeString(string(text))
	return err
}

type serialized struct{ Hex hexBytes }

// vector is one of the shared vectors (section 9.1).
type vector struct {
	Name       string
	Offset     int
	Fields     []operation
	Serialized serialized
	Sparse     serialized `json:"serialized_sparse"`
	SkipIDs    []wire.ID  `json:"skip_ids"`
}

type operation struct {
	Op     string
	ID     wire.ID
	Value  json.RawMessage
	Hex    hexBytes          `json:"value_hex"`
	Type   string            `json:"element_type"`
	Values []json.RawMessage `json:"values"`
}

type negative struct {
	Name       string
	String     hexBytes `json:"string_hex"`
	Serialized hexBytes `json:"serialized_hex"`
}

func vectors(t *testing.T) (vs []vector, negatives []negative) {
	var file struct {
		Vectors  []vector
		Negative []negative `json:"invalid_utf8"`
	}
	if err := json.Unmarshal(conformance(t, "test_vectors.json"), &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Vectors) == 0 || len(file.Negative) == 0 {
		t.Fatal("no vectors")
	}
	return file.Vectors, file.Negative
}

// number parses a number of a vector exactly: all 64 bits of an integer, the sign of
// a zero, and infinities, which are strings.
func number[T any](raw json.RawMessage, parse func(s string) (T, error)) T {
	v, err := parse(string(bytes.Trim(raw, `"`)))
	if err != nil {
		panic(err)
	}
	return v
}

func numbers[T any](raw []json.RawMessage, parse func(s string) (T, error)) []T {
	var vs []T
	for _, r := range raw {
		vs = append(vs, number(r, parse))
	}
	return vs
}

func parseUint(s string) (uint64, error)   { return strconv.ParseUint(s, 10, 64) }
func parseInt(s string) (int64, error)     { return strconv.ParseInt(s, 10, 64) }
func parseFloat(s string) (float64, error) { return strconv.ParseFloat(s, 64) }
func parseFloat32(s string) (float32, error) {
	v, err := strconv.ParseFloat(s, 32)
	return float32(v), err
}

// narrowed converts integers to the element type of a vector.
func narrowed[T, U wire.Integer](vs []U) []T {
	ts := make([]T, len(vs))
	for i, v := range vs {
		ts[i] = T(v)
	}
	return ts
}

// encode makes the call of an operation. Every sequence end is one that keeps.
func (o operation) encode(e *stream.Encoder) error {
	switch o.Op {
	case "unsigned":
		return e.Unsigned(o.ID, number(o.Value, parseUint))
	case "signed":
		return e.Signed(o.ID, number(o.Value, parseInt))
	case "boolean":
		return e.Bool(o.ID, number(o.Value, strconv.ParseBool))
	case "fp32":
		return e.Float32(o.ID, number(o.Value, parseFloat32))
	case "fp64":
		return e.Float64(o.ID, number(o.Value, parseFloat))
	case "string":
		var s string
		if err := json.Unmarshal(o.Value, &s); err != nil {
			return err
		}
		return e.String(o.ID, s)
	case "blob":
		return e.Blob(o.ID, o.Hex)
	case "sequence_begin":
		return e.BeginSequence(o.ID)
	case "sequence_end":
		return e.EndSequenceKeep()
	case "array":
		return o.array(e)
	}
	return fmt.Errorf("unknown operation %q", o.Op)
}

func (o operation) array(e *stream.Encoder) error {
	switch o.Type {
	case "u8":
		return stream.WriteUnsigneds(e, o.ID, narrowed[uint8](numbers(o.Values, parseUint)))
	case "u16":
		return stream.WriteUnsigneds(e, o.ID, narrowed[uint16](numbers(o.Values, parseUint)))
	case "u32":
		return stream.WriteUnsigneds(e, o.ID, narrowed[uint32](numbers(o.Values, parseUint)))
	case "u64":
		return stream.WriteUnsigneds(e, o.ID, numbers(o.Values, parseUint))
	case "i8":
		return stream.WriteSigneds(e, o.ID, narrowed[int8](numbers(o.Values, parseInt)))
	case "i16":
		return stream.WriteSigneds(e, o.ID, narrowed[int16](numbers(o.Values, parseInt)))
	case "i32":
		return stream.WriteSigneds(e, o.ID, narrowed[int32](numbers(o.Values, parseInt)))
	case "i64":
		return stream.WriteSigneds(e, o.ID, numbers(o.Values, parseInt))
	case "fp32":
		return e.Float32s(o.ID, numbers(o.Values, parseFloat32))
	case "fp64":
		return e.Float64s(o.ID, numbers(o.Values, parseFloat))
	}
	return fmt.Errorf("unknown element type %q", o.Type)
}

// trace is the line that a recorder writes for the operation.
func (o operation) trace() string {
	var v visitor
	switch o.Op {
	case "unsigned":
		_ = v.Unsigned(o.ID, number(o.Value, parseUint))
	case "signed":
		_ = v.Signed(o.ID, number(o.Value, parseInt))
	case "boolean":
		_ = v.Unsigned(o.ID, uint64(wire.BoolByte(number(o.Value, strconv.ParseBool))))
	case "fp32":
		_ = v.Float32(o.ID, number(o.Value, parseFloat32))
	case "fp64":
		_ = v.Float64(o.ID, number(o.Value, parseFloat))
	case "string":
		var s string
		_ = json.Unmarshal(o.Value, &s)
		v.BeginPayload(o.ID, wire.String, len(s))
		v.bytes = []byte(s)
		_ = v.EndPayload()
	case "blob":
		v.BeginPayload(o.ID, wire.Blob, len(o.Hex))
		v.bytes = o.Hex
		_ = v.EndPayload()
	case "sequence_begin":
		v.BeginSequence(o.ID)
	case "sequence_end":
		_ = v.EndSequence()
	case "array":
		o.traceArray(&v)
	}
	return v.String()
}

func (o operation) traceArray(v *visitor) {
	count := len(o.Values)
	switch {
	case o.Type[0] == 'u':
		v.BeginArray(stream.Field{ID: o.ID, Type: wire.UnsignedArray}, 0, count)
		v.value = nil
		for _, e := range numbers(o.Values, parseUint) {
			_ = v.Unsigneds([]uint64{e})
		}
	case o.Type[0] == 'i':
		v.BeginArray(stream.Field{ID: o.ID, Type: wire.SignedArray}, 0, count)
		for _, e := range numbers(o.Values, parseInt) {
			_ = v.Signeds([]int64{e})
		}
	case o.Type == "fp32":
		v.BeginArray(stream.Field{ID: o.ID, Type: wire.FixlenArray}, wire.FP32, count)
		for _, e := range numbers(o.Values, parseFloat32) {
			_ = v.Float32s([]float32{e})
		}
	default:
		v.BeginArray(stream.Field{ID: o.ID, Type: wire.FixlenArray}, wire.FP64, count)
		for _, e := range numbers(o.Values, parseFloat) {
			_ = v.Float64s([]float64{e})
		}
	}
	_ = v.EndArray()
}

func (v vector) encode(e *stream.Encoder) error {
	for _, o := range v.Fields {
		if err := o.encode(e); err != nil {
			return err
		}
	}
	return nil
}

func TestVectorsEncode(t *testing.T) {
	vs, negatives := vectors(t)
	for _, v := range vs {
		checkWindows(t, v.Name, v.Serialized.Hex, v.encode)
	}
	for _, n := range negatives {
		e := stream.NewAppendEncoder(nil)
		if err := e.String(0, string(n.String)); !errors.Is(err, stream.ErrArgument) || e.Len() != 0 {
			t.Errorf("%s: %v, %d bytes written", n.Name, err, e.Len())
		}
		e = stream.NewAppendEncoder(nil)
		e.SetVerbatim(true)
		if err := e.String(0, string(n.String)); err != nil || !bytes.Equal(e.Bytes(), n.Serialized) {
			t.Errorf("%s, verbatim: %v, % x", n.Name, err, e.Bytes())
		}
	}
}

func TestVectorsDecode(t *testing.T) {
	vs, negatives := vectors(t)
	for i, v := range vs {
		want := new(trace)
		for _, o := range v.Fields {
			want.WriteString(o.trace())
		}
		got := pushTrace(t, v.Serialized.Hex, policy{}, func() int { return 1 })
		if diff := cmp.Diff(want.verdict(nil, 0), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", v.Name, diff)
		}
		for _, data := range [][]byte{v.Serialized.Hex, v.Sparse.Hex} {
			checkCuts(t, data, randomCut(uint64(i)))
			checkFraming(t, data)
			if !stream.Valid(data) {
				t.Errorf("%s is not valid", v.Name)
			}
		}
		v.checkSkip(t)
	}
	for _, n := range negatives {
		for name, w := range surfaces(n.Serialized, func() int { return 1 }) {
			if err := w.walk(); !errors.Is(err, stream.ErrInvalid) {
				t.Errorf("%s, %s: %v", n.Name, name, err)
			}
		}
		checkCuts(t, n.Serialized, randomCut(1))
		d := stream.NewBytesDecoder(n.Serialized)
		d.SetVerbatim(true)
		_, _ = d.Next()
		if s, err := d.String(); err != nil || s != string(n.String) {
			t.Errorf("%s, verbatim: %q, %v", n.Name, s, err)
		}
		checkFraming(t, n.Serialized)
	}
}

// checkSkip leaves the fields of skip_ids unread, on every level.
func (v vector) checkSkip(t *testing.T) {
	var want, got trace
	depth, declined := 0, 0
	for _, o := range v.Fields {
		switch {
		case o.Op == "sequence_end" && declined == depth:
			declined = 0
		case o.Op != "sequence_end" && slices.Contains(v.SkipIDs, o.ID) && declined == 0:
			if o.Op == "sequence_begin" {
				declined = depth + 1
			}
		case declined == 0 && o.Op == "sequence_begin":
			want.add("%d {", o.ID)
		case declined == 0 && o.Op == "sequence_end":
			want.add("}")
		case declined == 0:
			want.add("%d", o.ID)
		}
		switch o.Op {
		case "sequence_begin":
			depth++
		case "sequence_end":
			depth--
		}
	}
	d := stream.NewBytesDecoder(v.Serialized.Hex)
	for {
		f, err := d.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(v.Name, err)
		}
		switch {
		case f.Type == wire.SequenceEnd:
			got.add("}")
		case slices.Contains(v.SkipIDs, f.ID):
			if err := d.Skip(); err != nil {
				t.Fatal(v.Name, err)
			}
		case f.Type == wire.SequenceStart:
			got.add("%d {", f.ID)
		default:
			got.add("%d", f.ID)
		}
	}
	if diff := cmp.Diff(want.String(), got.String()); diff != "" {
		t.Errorf("%s, skip (-want +got):\n%s", v.Name, diff)
	}
}

func TestGoldenInputs(t *testing.T) {
	r := csv.NewReader(bytes.NewReader(conformance(t, "golden.tsv")))
	r.Comma, r.FieldsPerRecord, r.LazyQuotes, r.Comment = '\t', -1, true, '#'
	rows := 0
	for {
		row, err := r.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := hex.DecodeString(row[2])
		if err != nil {
			t.Fatal(err)
		}
		rows++
		checkFraming(t, data)
		var walked error
		if n := allocated(func() { walked = (&walker{d: stream.NewBytesDecoder(data)}).walk() }); n > mostAllocated+uint64(64*len(data)) {
			t.Errorf("%s: %d bytes allocated for %d", row[1], n, len(data))
		}
		// What has malformed framing is invalid whatever the schema; what the
		// schema accepts or only cuts off is well framed.
		framed := framing(data)
		switch {
		case row[3][0] == 'A' && framed != nil, row[3] == "I" && !errors.Is(framed, stream.ErrIncomplete):
			t.Errorf("%s is %s, framing says %v", row[1], row[3], framed)
		case errors.Is(framed, stream.ErrInvalid) && walked != nil && walked.Error() != framed.Error() && errors.Is(walked, stream.ErrIncomplete):
			t.Errorf("%s: framing says %v, reading %v", row[1], framed, walked)
		}
		if rows%8 == 0 {
			checkCuts(t, data, randomCut(uint64(rows)))
		}
	}
	if rows < 1900 {
		t.Errorf("only %d rows", rows)
	}
}

func TestNumber(t *testing.T) {
	if v := number(json.RawMessage("-0"), parseFloat); !math.Signbit(v) {
		t.Error("-0 lost its sign")
	}
	if v := number(json.RawMessage(`"-inf"`), parseFloat32); !math.IsInf(float64(v), -1) {
		t.Errorf("-inf is %v", v)
	}
	if v := number(json.RawMessage("18446744073709551615"), parseUint); v != math.MaxUint64 {
		t.Errorf("2^64-1 is %d", v)
	}
}
