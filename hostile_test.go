package sofab_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/sofab-go/sofab"
	"github.com/sofab-go/sofab/stream"
	"github.com/sofab-go/sofab/wire"
)

// The types that hostile inputs are decoded into, beside those of the schemas.
type (
	hostileTree struct {
		A []uint64         `sofab:"1"`
		S string           `sofab:"2"`
		L []string         `sofab:"3"`
		M map[string][]int `sofab:"4"`
		P *hostileTree     `sofab:"5"`
	}
	hostileBounded struct {
		A []uint64       `sofab:"1,count=4"`
		S string         `sofab:"2,maxlen=4"`
		L []string       `sofab:"3,count=4"`
		M map[string]int `sofab:"4,count=4"`
		X []byte         `sofab:"6,maxlen=4"`
		F []float32      `sofab:"7,count=4"`
		N [][]uint8      `sofab:"8,count=4,elem.array"`
	}
	hostileList struct {
		L []demoItem `sofab:"10"`
	}
	hostileAny struct {
		V any `sofab:"0"`
	}
	hostileRaw struct {
		R sofab.RawMessage `sofab:"0"`
		F sofab.RawField   `sofab:"1"`
	}
	hostileUnknown struct {
		U sofab.UnknownFields `sofab:",unknown"`
	}
)

// hostileTypes are the destinations by the names that the table below uses.
var hostileTypes = []struct {
	name string
	typ  any
}{
	{"none", new(schemaless)},
	{"tree", new(hostileTree)},
	{"bounded", new(hostileBounded)},
	{"list", new(hostileList)},
	{"any", new(hostileAny)},
	{"rawfields", new(hostileRaw)},
	{"unknown", new(hostileUnknown)},
	{"demo", new(demo)},
	{"probe", new(probe)},
	{"raw", new(sofab.RawMessage)},
	{"fields", new(sofab.Fields)},
}

// A hostileInput is a message, its verdict where nothing of it is bound, and those into
// the types where it is another one: "tree=L probe=R". The verdict into Fields is that
// of a stream reader, too, which reads everything.
type hostileInput struct {
	in      string
	framing string
	other   string
}

// verdictInto is the verdict into a type.
func (h hostileInput) verdictInto(name string) string {
	for _, other := range strings.Fields(h.other) {
		if v, ok := strings.CutPrefix(other, name+"="); ok {
			return v
		}
	}
	return h.framing
}

// overlong are varints that end in their tenth byte, which is no longer valid.
var overlong = []string{strings.Repeat("80", 10), strings.Repeat("ff", 9) + "02", strings.Repeat("80", 9) + "7f"}

// hostileInputs is the table of hostile inputs.
func hostileInputs() []hostileInput {
	open := func(head string, n int) string { return strings.Repeat(head, n) }
	inputs := []hostileInput{
		// Counts and lengths at their ceilings, and above.
		{"0b ff ff ff ff 07", "I", "tree=L bounded=R fields=L"},
		{"0c ff ff ff ff 07", "I", "fields=L"},
		{"0d ff ff ff ff 07", "I", ""},
		{"0d ff ff ff ff 07 20", "I", "fields=L"},
		{"0d ff ff ff ff 07 41", "I", "fields=L"},
		{"3d ff ff ff ff 07", "I", ""},
		{"3d ff ff ff ff 07 20", "I", "bounded=R fields=L"},
		{"3d ff ff ff ff 07 41", "I", "fields=L"},
		{"0b 80 80 80 80 08", "R", ""},
		{"0c 80 80 80 80 08", "R", ""},
		{"0d 80 80 80 80 08", "R", ""},
		{"0b ff ff ff ff ff ff ff ff ff 01", "R", ""},
		{"0a fa ff ff ff 3f", "I", "fields=L"},
		{"0a fb ff ff ff 3f", "I", "fields=L"},
		{"12 fa ff ff ff 3f", "I", "tree=L bounded=R fields=L"},
		{"12 fb ff ff ff 3f", "I", "fields=L"},
		{"32 fa ff ff ff 3f", "I", "demo=R fields=L"},
		{"32 fb ff ff ff 3f", "I", "bounded=R fields=L"},
		{"12 82 80 80 80 40", "R", ""},
		{"12 83 80 80 80 40", "R", ""},
		// At the default caps, and the first over a bound of 4.
		{"0b 80 80 40", "I", "bounded=R"},
		{"0b 81 80 40", "I", "tree=L bounded=R fields=L"},
		{"12 82 80 80 40", "I", "bounded=R"},
		{"12 8a 80 80 40", "I", "tree=L bounded=R fields=L"},
		{"0b 05 80", "I", "bounded=R"},
		{"12 2a ff", "I", "bounded=R"},
		// Indexes.
		{"1e fa ff ff ff 3f 02 07", "A", "tree=L bounded=R"},
		{"1e fa ff ff ff 3f", "I", ""},
		{"1e fa ff ff ff 3f 03 07", "A", ""},
		{"1e fb ff ff ff 3f 00 07", "A", ""},
		{"1e fe ff ff ff 3f 07 07", "A", ""},
		{"1e 82 80 80 80 40 02 07", "R", ""},
		{"1e 22 02 07", "A", "bounded=R"},
		{"26 fe ff ff ff 3f 07 07", "A", "tree=L bounded=R"},
		{"26 fe ff ff 03 07 07", "A", "tree=L bounded=R"}, // under the cap, over the budget
		{"26 86 80 80 04 07 07", "A", "tree=L bounded=R"}, // the first over the cap
		{"26 26 07 07", "A", "bounded=R"},
		{"46 fb ff ff ff 3f 00 07", "A", "bounded=R"},
		{"46 03 ff ff ff ff 07", "I", "bounded=L fields=L"},
		{"56 86 d0 a5 4c 07 07", "A", "list=L"},
		{"56 86 d0 a5 4c", "I", "list=L"},
		{"06 3e 86 d0 a5 4c 07 07 07", "A", "any=L"},
		{"06 46 fe ff ff ff 3f 07 07 07", "A", "any=L"},
		{"06 4b ff ff ff ff 07", "I", "any=L fields=L"},
		{"06 22 fa ff ff ff 3f", "I", "any=L fields=L"},
		// Ids.
		{"80 80 80 80 40 05", "R", ""},
		{"f8 ff ff ff 3f 05", "A", ""},
		{"80 80 80 80 c0", "I", ""},
		{"76 ff ff ff ff 3f", "A", ""},
		{"76 87 80 80 80 40", "R", ""},
		{"06 1f", "A", ""},
		// What stands behind a terminator.
		{"07", "R", ""},
		{"07 07", "R", ""},
		{"00 05 07", "R", ""},
		{"00 05 07 ff ff", "R", ""},
		{"76 07 07 00 05", "R", ""},
		// Depth: unknown, known, in a skipped field, in an any, in a RawMessage.
		{open("06", 255) + open("07", 255), "A", ""},
		{open("06", 255), "I", ""},
		{open("06", 255) + "86", "I", ""},
		{open("06", 256), "R", ""},
		{open("06", 256) + open("07", 256), "R", ""},
		{open("0e", 254) + "0606", "R", ""},
		{open("2e", 255) + open("07", 255), "A", ""},
		{open("2e", 255), "I", ""},
		{open("2e", 256), "R", ""},
		{"06" + open("3e06", 127) + open("07", 255), "A", ""},
		{"06" + open("3e06", 127), "I", ""},
		{"06" + open("3e06", 127) + "3e", "R", ""},
		{"06" + open("46060e", 84) + open("07", 253), "A", ""},
		{"06" + open("46060e", 84) + "460606", "R", ""},
		// Text.
		{"12 12 c0 80", "A", "tree=R bounded=R fields=R"},
		{"12 12 ff", "I", ""},
		{"12 1a ed a0 80", "A", "tree=R bounded=R fields=R"},
		{"12 22 f4 90 80 80", "A", "tree=R bounded=R fields=R"},
		{"12 12 61 c3", "A", "tree=R bounded=R fields=R"},
		{"12 1a 61 c3", "I", ""},
		{"1e 02 0a ff 07", "A", "tree=R bounded=R fields=R"},
		{"06 22 0a ff 07", "A", "any=R fields=R"},
		{"26 06 02 0a ff 07 07", "A", "tree=R bounded=R fields=R"},
		// Findings of differential fuzzing.
		{"c6 01 19 d6 0c 07", "A", ""},
		{"c6 0c c6 0c 02 12 4b 41 07 07", "A", ""},
		{"a6 06 0b 01 04 00 00 07", "A", ""},
		{"a6 06 0d 7f 20", "I", ""},
		{"c6 0c 40 01 07", "A", ""},
		{"56 12 8a 02", "I", "probe=R"},
		{"c6 0c 2a 0a", "I", "probe=R"},
		{"a6 06 03 06 01", "I", "probe=R"},
		{"43 0b 80 80 80 80 80 80 80 80 80 80", "R", ""},
		{"56 0a 59", "R", ""},
		{"4a 0a 8a", "A", "fields=R"},
		{"30 ff ff ff ff ff ff ff ff ff 02", "R", ""},
		{"01 06", "A", ""},
		{"03 01 05", "A", ""},
		{"a6 06 00 05 07", "A", ""},
		{"c6 0c 02 12 41 42 02 12 43 44 07", "A", ""},
		{"56 1a 23 de ad be ef 07 56 0a 41 00 00 00 00 00 00 04 40 07", "A", ""},
		{"03 00", "A", ""},
		{"05 00 20", "A", ""},
		{"a6 06 04 01 06 07", "A", ""},
	}
	// At every id that a type declares: varints that are too long wherever one may
	// stand, and those that only may become it; words that are reserved; values of
	// every type.
	for _, id := range []wire.ID{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 16, 17, 22, 23, 25, 100, 200, 202} {
		head := func(t wire.Type) string { return hex.EncodeToString(wire.AppendHeader(nil, id, t)) }
		places := []string{"", "06", head(0), head(1), head(2), head(3), head(4), head(5), head(5) + "01", head(6), head(6) + head(2), head(6) + head(3)}
		varint := overlong[id%3]
		for _, place := range places {
			inputs = append(inputs, hostileInput{place + varint, "R", ""}, hostileInput{place + varint[:18], "I", ""})
		}
		for _, array := range []string{head(3), head(4)} {
			inputs = append(inputs,
				hostileInput{array + "02 05" + varint, "R", ""},
				hostileInput{array + "04" + varint, "R", ""},
				hostileInput{array + "04 05" + varint[:18], "I", ""})
		}
		for _, word := range []string{"00", "18", "28", "39", "49", "04", "05", "06", "07", "0c", "0f", "fc7f"} {
			inputs = append(inputs, hostileInput{head(2) + word, "R", ""}, hostileInput{head(5) + "00" + word, "R", ""})
		}
		for _, word := range []string{"02", "03", "0a", "0b"} {
			inputs = append(inputs, hostileInput{head(5) + "01" + word, "R", ""})
		}
		for _, value := range []string{
			head(0) + "05", head(1) + "05", head(2) + "20 00000080", head(2) + "41 000000000000f07f", head(2) + "0a61", head(2) + "23 ffff0080",
			head(3) + "02 01 00", head(4) + "02 01 00", head(5) + "01 20 00000080", head(5) + "01 41 000000000000f07f",
			head(6) + "07", head(6) + "0005 07", head(6) + "020a61 07", head(6) + "030105 07", head(6) + "06 07 07", head(6) + "0e 0005 07 07",
		} {
			inputs = append(inputs, hostileInput{value, "A", ""})
		}
	}
	return inputs
}

// readers are the ways through a message without a Go value. Those that read everything
// have the verdict of Fields, the others that of the framing.
var hostileReaders = []struct {
	name string
	all  bool
	read func(data []byte) error
}{
	{"Valid", false, func(data []byte) error {
		if sofab.Valid(data) {
			return nil
		}
		return errNotValid
	}},
	{"Decoder.Skip/None", false, func(data []byte) error {
		return unframed.NewDecoder(iotest.OneByteReader(bytes.NewReader(data))).Skip()
	}},
	{"Decoder.Skip/LengthPrefixed", false, func(data []byte) error {
		prefixed := append(binary.AppendUvarint(nil, uint64(len(data))), data...)
		return lengthPrefixed.NewDecoder(bytes.NewReader(prefixed)).Skip()
	}},
	{"Decoder.Skip/Terminated", false, func(data []byte) error {
		if !sofab.Valid(data) {
			return unframed.NewDecoder(bytes.NewReader(data)).Skip()
		}
		return sofab.NewDecoder(bytes.NewReader(append(bytes.Clone(data), 0x07, 0x80))).Skip()
	}},
	{"stream skip", false, func(data []byte) error { return pull(stream.NewBytesDecoder(data), false) }},
	{"stream skip/1byte", false, func(data []byte) error {
		return pull(stream.NewDecoder(iotest.OneByteReader(bytes.NewReader(data))), false)
	}},
	{"stream skip/random", false, func(data []byte) error {
		return pull(stream.NewDecoder(&randomReader{rest: data, rand: seeded(data)}), false)
	}},
	{"stream read", true, func(data []byte) error { return pull(stream.NewBytesDecoder(data), true) }},
	{"stream read/1byte", true, func(data []byte) error {
		return pull(stream.NewDecoder(iotest.OneByteReader(bytes.NewReader(data))), true)
	}},
	{"stream read/random", true, func(data []byte) error {
		return pull(stream.NewDecoder(&randomReader{rest: data, rand: seeded(data)}), true)
	}},
	{"stream push, declined", false, func(data []byte) error { return push(data, 1, stream.Discard{}) }},
	{"stream push/1", true, func(data []byte) error { return push(data, 1, takesAll{}) }},
	{"stream push/7", true, func(data []byte) error { return push(data, 7, takesAll{}) }},
}

var errNotValid = errors.New("not valid")

// pull goes through a message with a stream decoder, reading all values or skipping
// them.
func pull(d *stream.Decoder, all bool) error {
	for {
		f, err := d.Next()
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
		if !all {
			err = d.Skip()
		} else {
			err = readValue(d, f.Type)
		}
		if err != nil {
			return err
		}
	}
}

func readValue(d *stream.Decoder, t wire.Type) (err error) {
	switch t {
	case wire.Unsigned:
		_, err = d.Unsigned()
	case wire.Signed:
		_, err = d.Signed()
	case wire.UnsignedArray:
		_, err = d.Unsigneds(nil)
	case wire.SignedArray:
		_, err = d.Signeds(nil)
	case wire.Fixlen, wire.FixlenArray:
		var s wire.Subtype
		if s, err = d.PeekSubtype(); err != nil {
			return err
		}
		switch {
		case t == wire.FixlenArray && s == wire.FP32:
			_, err = d.Float32s(nil)
		case t == wire.FixlenArray:
			_, err = d.Float64s(nil)
		case s == wire.FP32:
			_, err = d.Float32()
		case s == wire.FP64:
			_, err = d.Float64()
		case s == wire.String:
			_, err = d.String()
		default:
			_, err = d.Blob()
		}
	}
	return err
}

// takesAll is a visitor that wants everything.
type takesAll struct{ stream.Discard }

func (takesAll) BeginPayload(wire.ID, wire.Subtype, int) stream.Take {
	return stream.Take{Want: true}
}

func (takesAll) BeginArray(stream.Field, wire.Subtype, int) stream.Take {
	return stream.Take{Want: true}
}

func (takesAll) BeginSequence(wire.ID) bool { return true }

func push(data []byte, size int, v stream.Visitor) error {
	f := stream.NewFeeder(v)
	err := f.Feed(nil)
	for len(data) > 0 && (err == nil || errors.Is(err, stream.ErrIncomplete)) {
		chunk := bytes.Clone(data[:min(size, len(data))])
		data = data[len(chunk):]
		err = f.Feed(chunk)
		scrub(chunk)
	}
	return err
}

// mostHostile is how many bytes a hostile message of n bytes may allocate: the buffer of
// a reader, and per byte, which may be fed as a chunk, an error with a path.
func mostHostile(n int) uint64 { return 64<<10 + 1024*uint64(n) }

// checkAllocated measures what f allocates and calls it again when it was too much,
// because others may have allocated meanwhile.
func checkAllocated(t *testing.T, name string, most uint64, f func()) {
	t.Helper()
	least := allocatedBy(f)
	for range 3 {
		if least <= most {
			return
		}
		least = min(least, allocatedBy(f))
	}
	t.Errorf("%s allocates %d bytes, at most %d are expected", name, least, most)
}

// TestHostile runs the table through every surface: the verdict, the same error text
// everywhere, and what is allocated.
func TestHostile(t *testing.T) {
	for _, d := range hostileTypes { // so that no codec is compiled while measuring
		if err := sofab.Unmarshal(nil, fresh(d.typ)); err != nil {
			t.Fatal(err)
		}
	}
	for _, h := range hostileInputs() {
		data := unhex(t, h.in)
		name := h.in
		if len(name) > 60 {
			name = fmt.Sprintf("%s… (%d bytes)", name[:60], len(data))
		}
		check := func(drill bool) {
			checkReaders(t, name, data, h, drill)
			for _, d := range hostileTypes {
				checkHostile(t, name+" into "+d.name, data, d.typ, h.verdictInto(d.name), drill)
			}
		}
		// Each is measured on its own only where all together allocate much.
		if total := allocatedBy(func() { check(false) }); total > 1<<20 {
			check(true)
		}
	}
}

// checkReaders is checkHostile for the surfaces without a Go value.
func checkReaders(t *testing.T, name string, data []byte, h hostileInput, drill bool) {
	t.Helper()
	errs := make([]error, len(hostileReaders))
	for i, r := range hostileReaders {
		errs[i] = r.read(data)
	}
	if drill {
		for _, r := range hostileReaders {
			checkAllocated(t, name+", "+r.name, mostHostile(len(data)), func() { _ = r.read(data) })
		}
	}
	for i, r := range hostileReaders {
		want := h.framing
		if r.all {
			want = h.verdictInto("fields")
		}
		if got, _ := classify(errs[i]); errs[i] != errNotValid && got != want || errs[i] == errNotValid && want == "A" {
			t.Errorf("%s, %s: %v, want %s", name, r.name, errs[i], want)
			return
		}
	}
}

// checkHostile decodes through every surface and compares verdict and error text; with
// drill it measures each surface.
func checkHostile(t *testing.T, name string, data []byte, typ any, want string, drill bool) {
	t.Helper()
	errs := make([]error, len(decodeSurfaces))
	decode := func(i int) { errs[i] = decodeSurfaces[i].decode(data, fresh(typ)) }
	for i := range decodeSurfaces {
		decode(i)
	}
	if drill {
		for i, s := range decodeSurfaces {
			checkAllocated(t, name+", "+s.name, mostHostile(len(data)), func() { decode(i) })
		}
	}
	for i, s := range decodeSurfaces {
		err := errs[i]
		got, fault := classify(err)
		switch {
		case fault != nil:
			t.Errorf("%s, %s: %v", name, s.name, fault)
		case want != "" && got != want:
			t.Errorf("%s, %s: %s (%v), want %s", name, s.name, got, err, want)
		case s.name != "Decoder/LengthPrefixed" && fmt.Sprint(err) != fmt.Sprint(errs[0]):
			t.Errorf("%s, %s: %q, Unmarshal: %q", name, s.name, err, errs[0])
		default:
			continue
		}
		return
	}
}

// TestHostilePrefixes cuts the examples of the format at every byte. The verdicts are
// those of an independent reader.
func TestHostilePrefixes(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range readFormat12(t) {
		for n := range r.input {
			prefix := r.input[:n]
			if seen[string(prefix)] {
				continue
			}
			seen[string(prefix)] = true
			for _, d := range hostileTypes {
				want := ""
				switch d.typ.(type) {
				case *demo, *probe:
					want = refVerdict(refDecode(prefix, reflect.New(reflect.TypeOf(d.typ).Elem()).Elem(), 1<<20))
				case *schemaless, *sofab.RawMessage, *hostileUnknown, *hostileRaw:
					want = oracleVerdict(prefix)
				}
				checkHostile(t, fmt.Sprintf("%x into %s", prefix, d.name), prefix, d.typ, want, false)
			}
		}
	}
	for prefix := range seen {
		m := sofab.RawMessage{0x00, 0x05}
		err := m.UnmarshalSofab([]byte(prefix))
		if got := verdict(t, err); got != oracleVerdict([]byte(prefix)) || err != nil && string(m) != "\x00\x05" {
			t.Errorf("%x by UnmarshalSofab: %s, %x (%v)", prefix, got, m, err)
		}
	}
	if len(seen) < 500 {
		t.Errorf("only %d prefixes", len(seen))
	}
}

// TestHostileBehindTerminator: what is behind a message does not touch it, and is judged
// when its turn comes.
func TestHostileBehindTerminator(t *testing.T) {
	for _, garbage := range []string{"80 80 80 80 80 80 80 80 80 80", "02 0c", "0b 80 80 80 80 08", "80 80 80 80 40"} {
		d := sofab.NewDecoder(iotest.OneByteReader(bytes.NewReader(unhex(t, "10 05 07"+garbage))))
		v := new(demo)
		if err := d.Decode(v); err != nil || v.C != 5 || d.InputOffset() != 3 {
			t.Errorf("%s: %v, %d up to %d", garbage, err, v.C, d.InputOffset())
		}
		first := d.Decode(v)
		if again := d.Decode(v); verdict(t, first) != "R" || again != first {
			t.Errorf("%s: %v, then %v", garbage, first, again)
		}
	}
}
