package sofab_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/sofab-go/sofab"
)

// Named types, promotion and recursion, which reflect.StructOf cannot make.
type (
	refByte   byte
	refColor  int8
	refName   string
	refRatio  float32
	refFlags  uint16
	refMatrix [2][3]int16

	refLeaf struct {
		A refColor `sofab:"0,enum"`
		B refName  `sofab:"1,maxlen=6"`
		C refRatio `sofab:"2,default=1.5"`
		D refFlags `sofab:"3,bits=0|3"`
		E refByte  `sofab:"16"`
	}
	refAudit struct {
		By   refName `sofab:"20"`
		At   *int64  `sofab:"21"`
		Zone int     `sofab:"22,default=-3"`
	}
	refShadow struct {
		Zone int    `sofab:"22"` // hidden by refAudit.Zone where that is nearer
		Only string `sofab:"23"`
	}
	RefDeep struct {
		*RefDeeper
		Top uint8 `sofab:"30,default=9"`
	}
	RefDeeper struct {
		Low   []string `sofab:"31"`
		Lower refLeaf  `sofab:"32"`
	}
	refAll struct {
		_ struct{} `sofab:",name=all"`
		refAudit
		*RefDeep
		Nest struct {
			refShadow
			X []refLeaf `sofab:"1,count=5"`
		} `sofab:"0"`
		Names  []refName         `sofab:"1,presence"`
		Colors []refColor        `sofab:"2,elem.enum"`
		Raw    []refByte         `sofab:"3,array,presence"`
		Blob   []refByte         `sofab:"4,maxlen=9"`
		Fix    [3]refByte        `sofab:"5"`
		M      refMatrix         `sofab:"6"`
		P      *refLeaf          `sofab:"7"`
		PP     **refLeaf         `sofab:"8"`
		Q      []*refLeaf        `sofab:"9"`
		R      []*refName        `sofab:"10"`
		S      []*uint32         `sofab:"11"`
		T      [2]*refAudit      `sofab:"12"`
		Odd    struct{}          `sofab:"13"`
		None   [0]uint64         `sofab:"14"`
		Gone   []struct{}        `sofab:"15"`
		Wide   float64           `sofab:"100,fp32"`
		Far    map[string]func() `sofab:"-"`
		hidden int
		Last   bool `sofab:"2147483647,presence"`
	}
	refTree struct {
		V    int8         `sofab:"0"`
		Kids []refTree    `sofab:"1"`
		Next *refTree     `sofab:"2"`
		Grid [][]*refTree `sofab:"3"`
	}
	refDirect struct {
		_ struct{}
		P *refLeaf `sofab:"0"`
	}
	refArrayDirect struct {
		A [1]*refLeaf `sofab:"0"`
	}
)

// typeMaker makes random struct types.
type typeMaker struct{ *rand.Rand }

func newTypeMaker(seed1, seed2 uint64) typeMaker {
	return typeMaker{rand.New(rand.NewPCG(seed1, seed2))}
}

func (m typeMaker) one(in int) bool { return m.IntN(in) == 0 }

var refScalars = []reflect.Type{
	reflect.TypeFor[bool](), reflect.TypeFor[int8](), reflect.TypeFor[int16](), reflect.TypeFor[int32](), reflect.TypeFor[int64](),
	reflect.TypeFor[int](), reflect.TypeFor[uint8](), reflect.TypeFor[uint16](), reflect.TypeFor[uint32](), reflect.TypeFor[uint64](),
	reflect.TypeFor[uint](), reflect.TypeFor[float32](), reflect.TypeFor[float64](), reflect.TypeFor[refColor](), reflect.TypeFor[refRatio](),
}

// scalar is a type of integer, boolean or float, with options at the given path.
func (m typeMaker) scalar(path string) (reflect.Type, string) {
	t := refScalars[m.IntN(len(refScalars))]
	if !m.one(3) {
		return t, ""
	}
	switch t.Kind() {
	case reflect.Bool, reflect.Float32:
		return t, ""
	case reflect.Float64:
		return t, "," + path + "fp32"
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uint:
		options := []string{"bits", "enum", "u8", "i8", "bits=0|3"}
		return t, "," + path + options[m.IntN(len(options))]
	}
	options := []string{"enum", "i8", "enum=0|1|-2|5"}
	if t.Bits() > 8 {
		options = append(options, "u8")
	}
	return t, "," + path + options[m.IntN(len(options))]
}

// value is a type of any kind with options at the given path.
func (m typeMaker) value(depth int, path string) (t reflect.Type, options string) {
	switch n := m.IntN(12); {
	case n < 3:
		return m.scalar(path)
	case n < 5:
		return m.text(path)
	case n < 7:
		t, options = m.scalar(path + "elem.")
		if m.one(6) {
			t = reflect.PointerTo(t)
		}
		if t.Kind() == reflect.Uint8 {
			options += "," + path + "array"
		}
		return m.list(t, options, path)
	case n == 7:
		t, options = m.text(path + "elem.")
		if m.one(4) {
			t = reflect.PointerTo(t)
		}
		return m.list(t, options, path)
	case n == 8:
		t, options = m.value(depth, path)
		if t.Kind() == reflect.Pointer && m.one(2) {
			return t, options
		}
		return reflect.PointerTo(t), options
	case depth == 0:
		return m.scalar(path)
	case n == 9:
		return m.structure(depth - 1), ""
	default:
		t, options = m.value(depth-1, path+"elem.")
		for t.Kind() == reflect.Pointer && m.one(2) {
			t = t.Elem()
		}
		if t.Kind() == reflect.Uint8 {
			options += "," + path + "array"
		}
		return m.list(t, options, path)
	}
}

func (m typeMaker) text(path string) (reflect.Type, string) {
	options := ""
	if m.one(3) {
		options = fmt.Sprintf(",%smaxlen=%d", path, 1+m.IntN(6))
	}
	switch m.IntN(5) {
	case 0:
		return reflect.TypeFor[[]byte](), options
	case 1:
		return reflect.TypeFor[[]byte](), options + "," + path + "string"
	case 2:
		return reflect.TypeFor[string](), options + "," + path + "blob"
	case 3:
		return reflect.ArrayOf(m.IntN(4), reflect.TypeFor[byte]()), ""
	}
	return reflect.TypeFor[string](), options
}

func (m typeMaker) list(elem reflect.Type, options, path string) (reflect.Type, string) {
	if m.one(3) {
		return reflect.ArrayOf(m.IntN(4), elem), options
	}
	if m.one(3) {
		options += fmt.Sprintf(",%scount=%d", path, 1+m.IntN(5))
	}
	if m.one(4) {
		options += "," + path + "presence"
	}
	return reflect.SliceOf(elem), options
}

// structure is a struct type. Its tags are free of faults.
func (m typeMaker) structure(depth int) reflect.Type {
	var fields []reflect.StructField
	id := 0
	for i := range m.IntN(7) {
		if id += m.IntN(3); m.one(20) {
			id += 1 << m.IntN(25)
		}
		t, options := m.value(depth, "")
		options += m.fieldOptions(t, options)
		fields = append(fields, reflect.StructField{
			Name: fmt.Sprintf("F%d", i), Type: t, Tag: reflect.StructTag(fmt.Sprintf("sofab:%q", fmt.Sprint(id)+options)),
		})
		id++
	}
	m.Shuffle(len(fields), reflect.Swapper(fields))
	return reflect.StructOf(fields)
}

// fieldOptions adds presence, required or a default.
func (m typeMaker) fieldOptions(t reflect.Type, options string) string {
	switch {
	case t.Kind() == reflect.Pointer:
		if m.one(5) {
			return ",required"
		}
		return ""
	case t.Kind() == reflect.Struct:
		return ""
	case m.one(4) && !strings.Contains(options, ",presence"):
		return ",presence"
	case !m.one(3) || strings.Contains(options, "enum="):
		return ""
	}
	switch {
	case t.Kind() == reflect.Bool:
		return ",default=true"
	case t.Kind() == reflect.Float32 || t.Kind() == reflect.Float64:
		return ",default=-1.5"
	case slices.Contains(refScalars, t):
		return ",default=7"
	case t.Kind() == reflect.String:
		return ",default='x'"
	case t == reflect.TypeFor[[]byte]() && !strings.Contains(options, "array"):
		return ",default='hex:41'"
	case t.Kind() == reflect.Slice && slices.Contains(refScalars, t.Elem()) && !strings.Contains(options, "count=1") && !strings.Contains(options, "enum="):
		if t.Elem().Kind() == reflect.Bool {
			return ",default='[true,false]'"
		}
		return ",default='[1,0]'"
	}
	return ""
}

// fill sets v to a random value with many defaults in it.
func (m typeMaker) fill(v reflect.Value, depth int) {
	if m.one(5) && v.Kind() != reflect.Pointer {
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(m.one(2))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n := m.Int64() >> m.IntN(64)
		if m.one(2) {
			n %= 8
		}
		v.SetInt(n)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		n := m.Uint64() >> m.IntN(64)
		if m.one(2) {
			n %= 8
		}
		v.SetUint(n)
	case reflect.Float32:
		bits := []uint32{0, 1 << 31, 0x7f800001, 0x7fc00000, math.Float32bits(-1.5), m.Uint32()}
		v.Set(reflect.ValueOf(math.Float32frombits(bits[m.IntN(len(bits))])).Convert(v.Type()))
	case reflect.Float64:
		bits := []uint64{0, 1 << 63, math.Float64bits(-1.5), math.Float64bits(0.25), 0x7ff0000000000001, m.Uint64()}
		v.SetFloat(math.Float64frombits(bits[m.IntN(len(bits))]))
	case reflect.String:
		v.SetString([]string{"", "x", "a\x00b", "héé", "\xff", "longer than any bound"}[m.IntN(6)])
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), m.IntN(4), 4))
		for i := range v.Len() {
			m.fill(v.Index(i), depth-1)
		}
	case reflect.Array:
		for i := range v.Len() {
			m.fill(v.Index(i), depth-1)
		}
	case reflect.Pointer:
		if depth > 0 && !m.one(4) {
			v.Set(reflect.New(v.Type().Elem()))
			m.fill(v.Elem(), depth-1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.Tag.Get("sofab") != "-" && f.Name != "_" && (f.IsExported() || f.Anonymous) {
				m.fill(v.Field(i), depth-1)
			}
		}
	}
}

// mutate returns data with a few bytes changed, cut out, doubled or put in.
func (m typeMaker) mutate(data []byte) []byte {
	out := bytes.Clone(data)
	for range 1 + m.IntN(2) {
		at := m.IntN(len(out) + 1)
		to := at + m.IntN(len(out)-at+1)
		switch m.IntN(6) {
		case 0:
			out = out[:at]
		case 1:
			out = slices.Delete(out, at, min(to, at+2))
		case 2:
			out = slices.Insert(out, at, out[at:to]...)
		case 3:
			out = slices.Insert(out, at, byte(m.Uint32()))
		default:
			if at < len(out) {
				out[at] ^= 1 << m.IntN(8)
			}
		}
	}
	return out
}

// rearrange returns data, a message, with fields in it that are moved, repeated, left out or
// that arrive as something else, at any depth. What is no message comes back as it is.
func (m typeMaker) rearrange(data []byte) []byte {
	fields, err := oracleRead(data)
	if err != nil {
		return data
	}
	return oracleAppend(nil, m.rearranged(fields))
}

func (m typeMaker) rearranged(fields tree) tree {
	var out tree
	for _, n := range fields {
		if n.typ == 6 {
			n.kids = m.rearranged(n.kids)
		}
		switch m.IntN(16) {
		case 0: // left out
			continue
		case 1:
			out = append(out, n)
		case 2: // opened again with what an earlier one has
			if i := m.IntN(len(out) + 1); i < len(out) {
				out = append(out, out[i])
			}
		case 3:
			n.id += uint64(m.IntN(3))
		case 4: // a string as a blob, or the other way round
			if n.typ == 2 && n.word&7 >= 2 {
				n.word ^= 1
			}
		case 5:
			if n.typ == 0 || n.typ == 1 || n.typ == 3 || n.typ == 4 {
				n.typ ^= [...]uint64{1, 1, 0, 7, 7}[n.typ]
			}
		}
		out = append(out, n)
	}
	if m.one(8) {
		m.Shuffle(len(out), reflect.Swapper(out))
	}
	return out
}

// codecSurfaces are the ways into a value through a codec. Feeder is pushed chunks of
// random sizes, which are overwritten after use.
func codecSurfaces(c *sofab.Codec) map[string]func([]byte, any) error {
	return map[string]func([]byte, any) error{
		"Unmarshal":     c.Unmarshal,
		"UnmarshalRead": func(b []byte, v any) error { return c.UnmarshalRead(iotest.OneByteReader(bytes.NewReader(b)), v) },
		"random reader": func(b []byte, v any) error { return c.UnmarshalRead(&randomReader{rest: b, rand: seeded(b)}, v) },
		"Feeder/1":      func(b []byte, v any) error { return feedCodec(c, b, 1, v) },
		"Feeder/5":      func(b []byte, v any) error { return feedCodec(c, b, 5, v) },
	}
}

// feedCodec is feed with a codec.
func feedCodec(c *sofab.Codec, data []byte, size int, v any) error {
	f, err := c.NewFeeder(v)
	if err != nil {
		return err
	}
	return feedTo(f, data, size)
}

// refCheck compares codec and oracle on one value of the struct that v points to, and
// on bytes near its message.
func refCheck(t *testing.T, c *sofab.Codec, m typeMaker, v reflect.Value) {
	t.Helper()
	want, refused := refEncode(v.Elem())
	got, err := c.Marshal(v.Interface())
	if (err != nil) != (refused != nil) || !bytes.Equal(got, want) {
		t.Fatalf("Marshal of %+v\ntype %v\n%x, %v\noracle: %x, %v", v.Elem(), v.Type().Elem(), got, err, want, refused)
	}
	if byValue, err2 := c.Marshal(v.Elem().Interface()); !bytes.Equal(byValue, want) || (err2 != nil) != (refused != nil) {
		t.Fatalf("Marshal by value of %+v: %x, %v, by pointer %x", v.Elem(), byValue, err2, want)
	}
	if n, err := c.Size(v.Interface()); (err != nil) != (refused != nil) || n != len(want) {
		t.Fatalf("Size: %d, %v, want %d", n, err, len(want))
	}
	if refused == nil {
		for _, window := range []int{1, 3, 16} {
			if b, err := encodeThroughWindow(v.Interface(), window); err != nil || !bytes.Equal(b, want) {
				t.Fatalf("window %d of %v: %x, %v, want %x", window, v.Type(), b, err, want)
			}
		}
	}
	for range 3 {
		refCheckDecode(t, c, m.rearrange(want), v.Type().Elem())
	}
	for range 4 {
		refCheckDecode(t, c, want, v.Type().Elem())
		want = m.mutate(want)
	}
}

func refCheckDecode(t *testing.T, c *sofab.Codec, data []byte, typ reflect.Type) {
	t.Helper()
	want := reflect.New(typ)
	verdictWanted := refVerdict(refDecode(data, want.Elem(), refLimit))
	first := ""
	for name, decode := range codecSurfaces(c) {
		v := reflect.New(typ)
		err := decode(data, v.Interface())
		got := "M"
		if !errors.As(err, new(*sofab.MissingFieldError)) {
			got = verdict(t, err)
		}
		if got != verdictWanted {
			t.Fatalf("%s of %x into %v: %s (%v), oracle says %s", name, data, typ, got, err, verdictWanted)
		}
		if err != nil {
			if first == "" {
				first = err.Error()
			}
			if err.Error() != first {
				t.Fatalf("%s of %x into %v: %v, elsewhere %s", name, data, typ, err, first)
			}
			continue
		}
		if !refEqual(v.Elem(), want.Elem(), false) {
			t.Fatalf("%s of %x into %v:\n%s, oracle:\n%s", name, data, typ, refDump(v), refDump(want))
		}
	}
}

// TestRandomTypes compares the codec with an encoder and decoder over plain reflect.
func TestRandomTypes(t *testing.T) {
	c := refCodec(sofab.Options{})
	m := newTypeMaker(1, 2)
	for range 300 {
		typ := m.structure(2)
		for range 4 {
			v := reflect.New(typ)
			m.fill(v.Elem(), 9)
			refCheck(t, c, m, v)
		}
	}
}

func TestHandWrittenTypes(t *testing.T) {
	c := refCodec(sofab.Options{})
	m := newTypeMaker(3, 4)
	for _, typ := range []reflect.Type{
		reflect.TypeFor[refLeaf](), reflect.TypeFor[refAll](), reflect.TypeFor[refTree](), reflect.TypeFor[refDirect](), reflect.TypeFor[refArrayDirect](),
	} {
		for range 80 {
			v := reflect.New(typ)
			m.fill(v.Elem(), 6)
			refCheck(t, c, m, v)
		}
	}
}

// TestUsedDestinations decodes into values that hold something already: nothing of it
// may be left, except with Merge all that does not arrive again.
func TestUsedDestinations(t *testing.T) {
	for _, tt := range []struct {
		name    string
		options sofab.Options
		loose   bool
	}{
		{"default", sofab.Options{}, false},
		{"alias", sofab.Options{Alias: true}, false},
		{"reuse", sofab.Options{Reuse: true}, true},
		{"merge", sofab.Options{Merge: true}, false},
		{"merge and reuse", sofab.Options{Merge: true, Reuse: true}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := refCodec(tt.options)
			m := newTypeMaker(5, 6)
			types := []reflect.Type{reflect.TypeFor[refAll](), reflect.TypeFor[refTree]()}
			for range 60 {
				types = append(types, m.structure(2))
			}
			for i := range 400 {
				typ := types[i%len(types)]
				v, want := reflect.New(typ), reflect.New(typ)
				for range 4 {
					next := reflect.New(typ)
					m.fill(next.Elem(), 6)
					data, err := refEncode(next.Elem())
					if err != nil {
						continue
					}
					if tt.options.Merge {
						err = refMerge(data, want.Elem(), refLimit)
					} else {
						err = refDecode(data, want.Elem(), refLimit)
					}
					if got := c.Unmarshal(data, v.Interface()); (got == nil) != (err == nil) {
						t.Fatalf("Unmarshal of %x into a used %v: %v, oracle: %v", data, typ, got, err)
					}
					if !refEqual(v.Elem(), want.Elem(), tt.loose) {
						t.Fatalf("Unmarshal of %x into a used %v:\n%s, oracle:\n%s", data, typ, refDump(v), refDump(want))
					}
				}
			}
		})
	}
}
