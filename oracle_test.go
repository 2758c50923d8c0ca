package sofab_test

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/sofab-go/sofab"
)

// An independent reader from bytes to a tree, written from FORMAT sections 1
// and 2 with no eye on speed. It knows no schema: its verdict is that of the
// framing alone.

type tree []node

type node struct {
	id    uint64
	typ   uint64   // wire type, FORMAT 1.5
	word  uint64   // fixlen word or element word
	value uint64   // scalar as it stands on the wire
	elems []uint64 // integer array
	raw   []byte   // payload of a fixlen value or fixlen array
	kids  tree     // sequence
}

var (
	errOracleInvalid    = errors.New("oracle: invalid")
	errOracleIncomplete = errors.New("oracle: incomplete")
)

const oracleMax = math.MaxInt32 // ID_MAX, FIXLEN_MAX and ARRAY_MAX

type oracleReader struct{ rest []byte }

// oracleRead returns the message as a tree and nil (COMPLETE),
// errOracleIncomplete or errOracleInvalid.
func oracleRead(data []byte) (tree, error) {
	r := &oracleReader{data}
	return r.scope(0)
}

func (r *oracleReader) scope(open int) (tree, error) {
	var fields tree
	for {
		if len(r.rest) == 0 && open == 0 {
			return fields, nil
		}
		header, err := r.varint()
		if err != nil {
			return nil, err
		}
		n := node{id: header >> 3, typ: header & 7}
		switch {
		case n.id > oracleMax,
			n.typ == 7 && open == 0,
			n.typ == 6 && open == 255:
			return nil, errOracleInvalid
		case n.typ == 7:
			return fields, nil
		case n.typ == 6:
			n.kids, err = r.scope(open + 1)
		case n.typ >= 3:
			err = r.array(&n)
		case n.typ == 2:
			err = r.fixlen(&n)
		default:
			n.value, err = r.varint()
		}
		if err != nil {
			return nil, err
		}
		fields = append(fields, n)
	}
}

func (r *oracleReader) varint() (uint64, error) {
	var v uint64
	for i := 0; len(r.rest) > 0; i++ {
		c := r.rest[0]
		r.rest = r.rest[1:]
		if i == 9 && c > 1 {
			return 0, errOracleInvalid
		}
		v |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			return v, nil
		}
	}
	return 0, errOracleIncomplete
}

func (r *oracleReader) fixlen(n *node) (err error) {
	if n.word, err = r.varint(); err != nil {
		return err
	}
	length, subtype := n.word>>3, n.word&7
	if subtype > 3 || subtype == 0 && length != 4 || subtype == 1 && length != 8 || length > oracleMax {
		return errOracleInvalid
	}
	n.raw, err = r.bytes(length)
	return err
}

func (r *oracleReader) array(n *node) error {
	count, err := r.varint()
	if err != nil {
		return err
	}
	if count > oracleMax {
		return errOracleInvalid
	}
	if n.typ == 5 {
		if n.word, err = r.varint(); err != nil {
			return err
		}
		if n.word != 32 && n.word != 65 {
			return errOracleInvalid
		}
		n.raw, err = r.bytes(count * (n.word >> 3))
		return err
	}
	for range count {
		e, err := r.varint()
		if err != nil {
			return err
		}
		n.elems = append(n.elems, e)
	}
	return nil
}

func (r *oracleReader) bytes(n uint64) ([]byte, error) {
	if n > uint64(len(r.rest)) {
		return nil, errOracleIncomplete
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b, nil
}

// oracleAppend writes the tree back, every varint in its shortest form.
func oracleAppend(dst []byte, fields tree) []byte {
	for _, n := range fields {
		dst = binary.AppendUvarint(dst, n.id<<3|n.typ)
		switch n.typ {
		case 0, 1:
			dst = binary.AppendUvarint(dst, n.value)
		case 2:
			dst = append(binary.AppendUvarint(dst, n.word), n.raw...)
		case 3, 4:
			dst = binary.AppendUvarint(dst, uint64(len(n.elems)))
			for _, e := range n.elems {
				dst = binary.AppendUvarint(dst, e)
			}
		case 5:
			dst = binary.AppendUvarint(dst, uint64(len(n.raw))/(n.word>>3))
			dst = append(binary.AppendUvarint(dst, n.word), n.raw...)
		case 6:
			dst = append(oracleAppend(dst, n.kids), 7)
		}
	}
	return dst
}

// ascending reports whether every scope holds its ids once and in order.
func (fields tree) ascending() bool {
	for i, n := range fields {
		if i > 0 && n.id <= fields[i-1].id || !n.kids.ascending() {
			return false
		}
	}
	return true
}

func oracleVerdict(data []byte) string {
	switch _, err := oracleRead(data); err {
	case nil:
		return "A"
	case errOracleIncomplete:
		return "I"
	default:
		return "R"
	}
}

// prefixLimit is the length up to which an input is also tried cut at every
// byte.
const prefixLimit = 64

// checkFraming compares the package's verdict about data with the oracle's.
func checkFraming(t *testing.T, data []byte) {
	t.Helper()
	want := oracleVerdict(data)
	if got := sofab.Valid(data); got != (want == "A") {
		t.Errorf("Valid(%x) = %t, oracle says %s", data, got, want)
	}
	if got := verdict(t, sofab.Unmarshal(data, new(schemaless))); got != want {
		t.Errorf("Unmarshal(%x) into a type without fields: %s, oracle says %s", data, got, want)
	}
}

// corpusInputs returns every distinct input of the test data at hand.
func corpusInputs(tb testing.TB) [][]byte {
	var inputs [][]byte
	for _, r := range readFormat12(tb) {
		inputs = append(inputs, r.input)
	}
	for _, r := range readDepthCaps(tb) {
		inputs = append(inputs, r.input)
	}
	if dir, ok := conformanceDir(); ok {
		for _, r := range readGolden(tb, dir) {
			inputs = append(inputs, r.input)
		}
		vectors := readVectors(tb, dir)
		for _, v := range vectors.Vectors {
			inputs = append(inputs, v.dense(tb), v.sparse(tb))
		}
		for _, v := range vectors.InvalidUTF8 {
			inputs = append(inputs, unhex(tb, v.SerializedHex))
		}
	}
	slices.SortFunc(inputs, slices.Compare[[]byte])
	return slices.CompactFunc(inputs, slices.Equal[[]byte])
}

func TestValid(t *testing.T) {
	for _, in := range corpusInputs(t) {
		checkFraming(t, in)
		if len(in) > prefixLimit {
			continue
		}
		for n := range in {
			checkFraming(t, in[:n])
		}
	}
}

// Framing is judged the same on every surface.
func TestFraming(t *testing.T) {
	for _, in := range corpusInputs(t) {
		want := oracleVerdict(in)
		for _, s := range decodeSurfaces {
			if got := verdict(t, s.decode(in, new(schemaless))); got != want {
				t.Errorf("%s of %x into a type without fields: %s, oracle says %s", s.name, in, got, want)
			}
		}
	}
}

func FuzzValid(f *testing.F) {
	for _, r := range readFormat12(f) {
		f.Add(r.input)
	}
	for _, r := range readDepthCaps(f) {
		f.Add(r.input)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		checkFraming(t, data)
	})
}

// The oracle against the recorded answers: framing accepts what was accepted
// and cut short, and rejects nothing that was not rejected.
func TestOracleGolden(t *testing.T) {
	rejected := 0
	for _, r := range readGolden(t, needConformanceDir(t)) {
		got, answer := oracleVerdict(r.input), r.answer[:1]
		switch {
		case answer == "A" || answer == "I":
			if got != answer {
				t.Errorf("%s: %x: %s, recorded answer %s", r.name, r.input, got, r.answer)
			}
		case got == "R":
			rejected++
		}
		if answer != "A" {
			continue
		}
		encoded := unhex(t, r.answer[2:])
		fields, err := oracleRead(encoded)
		if err != nil || !fields.ascending() {
			t.Errorf("%s: recorded encoding %x: ascending %t, %v", r.name, encoded, fields.ascending(), err)
		}
		if again := oracleAppend(nil, fields); !slices.Equal(again, encoded) {
			t.Errorf("%s: recorded encoding %x written back: %x", r.name, encoded, again)
		}
	}
	if rejected == 0 {
		t.Error("framing rejected nothing")
	}
}

// The oracle against the examples whose verdict no schema decides, and against
// its own writer.
func TestOracle(t *testing.T) {
	for _, r := range readFormat12(t) {
		fields, err := oracleRead(r.input)
		if r.outcome == "COMPLETE" && err != nil || r.outcome == "INCOMPLETE" && err != errOracleIncomplete {
			t.Errorf("row %s: %x: %v, want %s", r.number, r.input, err, r.outcome)
		}
		if err != nil {
			continue
		}
		again, err := oracleRead(oracleAppend(nil, fields))
		if err != nil {
			t.Errorf("row %s: %x: written back: %v", r.number, r.input, err)
		}
		if got, want := oracleAppend(nil, again), oracleAppend(nil, fields); !slices.Equal(got, want) {
			t.Errorf("row %s: written back twice: %x, want %x", r.number, got, want)
		}
	}
	for _, tt := range []struct {
		input, want string
	}{
		{"07", "R"}, {"76000587808080 40", "R"}, {"f2010c", "R"}, {"2a59", "R"}, {"550018", "R"},
		{"f301 8080808008", "R"}, {"f301 0b 80808080808080808080", "R"}, {"f6010707", "R"},
		{"80808080c0", "I"}, {"328c", "I"}, {"5500", "I"}, {"f301 ffffffff07", "I"}, {"7600", "I"},
		{"", "A"}, {"550020", "A"}, {"7600051f", "A"}, {"32 0a ff", "A"},
	} {
		if got := oracleVerdict(unhex(t, tt.input)); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.input, got, tt.want)
		}
	}
}
