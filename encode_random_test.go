package sofab_test

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/sofab-go/sofab"
)

// A valueMaker makes random types and values with which encoding has choices: texts of
// every length around those that are copied in another way, numbers of every length of a
// varint, arrays around the longest that is short, ids of one byte to five, and types
// that are written by the general code between those that are not.
type valueMaker struct {
	typeMaker
	valid bool // no value is refused because of its text
}

// otherTypes are written by the general code, or by methods.
var otherTypes = []reflect.Type{
	reflect.TypeFor[time.Time](), reflect.TypeFor[sofab.RawMessage](), reflect.TypeFor[map[string]uint16](), reflect.TypeFor[map[int8][]string](),
	reflect.TypeFor[any](), reflect.TypeFor[sofab.Fields](), reflect.TypeFor[named](), reflect.TypeFor[*named](), reflect.TypeFor[[]named](),
	reflect.TypeFor[[]refTree](), reflect.TypeFor[*refTree](), reflect.TypeFor[[][]int32](), reflect.TypeFor[[][]uint64](), reflect.TypeFor[[][]float32](),
	reflect.TypeFor[[]string](), reflect.TypeFor[[]string](), reflect.TypeFor[[]refLeaf](), reflect.TypeFor[[]*refLeaf](), reflect.TypeFor[*string](),
}

// A named is a text by its methods.
type named struct{ name string }

func (n named) MarshalText() ([]byte, error) { return []byte(n.name), nil }

func (n *named) UnmarshalText(b []byte) error { n.name = string(b); return nil }

func (m valueMaker) structure(depth int) reflect.Type {
	var fields []reflect.StructField
	id := 0
	for i := range m.IntN(12) {
		switch id += m.IntN(3); m.IntN(12) {
		case 0:
			id += 16
		case 1:
			id += 1 << (4 + m.IntN(24))
		}
		var t reflect.Type
		options := ""
		switch m.IntN(4) {
		case 0:
			t = otherTypes[m.IntN(len(otherTypes))]
		case 1:
			if depth > 0 {
				t = m.structure(depth - 1)
				if m.one(3) {
					t = reflect.SliceOf(t)
				}
				break
			}
			fallthrough
		default:
			t, options = m.value(1, "")
			options += m.fieldOptions(t, options)
		}
		fields = append(fields, reflect.StructField{
			Name: fmt.Sprintf("F%d", i), Type: t, Tag: reflect.StructTag(fmt.Sprintf("sofab:%q", fmt.Sprint(id)+options)),
		})
		id++
	}
	m.Shuffle(len(fields), reflect.Swapper(fields))
	return reflect.StructOf(fields)
}

// text is a string of up to 70 bytes, most of them ASCII; where it may, it is broken
// somewhere now and then.
func (m valueMaker) text() string {
	var b strings.Builder
	size := m.IntN(20)
	if m.one(3) {
		size = m.IntN(70)
	}
	kinds := m.IntN(5)
	for b.Len() < size {
		if r := []rune("aé日😀")[m.IntN(max(1, kinds))]; r == 'a' || m.one(3) {
			b.WriteRune(r)
		} else {
			b.WriteByte(byte(1 + m.IntN(127)))
		}
	}
	s := b.String()
	if !m.valid && m.one(40) && len(s) > 0 {
		at := m.IntN(len(s))
		s = s[:at] + string([]byte{0x80 | byte(m.Uint32())}) + s[at+m.IntN(2):]
	}
	return s
}

// number is one of a random length in bits.
func (m valueMaker) number() uint64 {
	n := m.Uint64() >> m.IntN(64)
	switch m.IntN(4) {
	case 0:
		return 1<<m.IntN(64) - uint64(m.IntN(2))
	case 1:
		return n % 8
	}
	return n
}

func (m valueMaker) fill(v reflect.Value, depth int) {
	if m.one(6) {
		return
	}
	var target any
	if v.CanInterface() {
		target = v.Addr().Interface()
	}
	switch p := target.(type) {
	case *time.Time:
		*p = time.Unix(int64(m.number()>>20), int64(m.IntN(1e9)))
		return
	case *sofab.RawMessage:
		*p = mustMarshalled(&refLeaf{A: 5, B: "x"})
		return
	case *sofab.Fields:
		*p = sofab.Fields{{ID: 3, Value: m.number()}, {ID: 70, Value: m.text()}, {ID: 1, Value: []uint64{1, m.number()}}, {ID: 0, Value: sofab.Fields{}}}
		return
	case *named:
		p.name = m.text()
		return
	case *any:
		*p = []any{m.text(), m.number(), int64(m.number()), true, []any{m.text(), nil, ""}, map[string]any{"k": m.text()}, []byte(m.text()), 1.5, []float64{1}}[m.IntN(9)]
		return
	}
	switch v.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(m.number()))
		if m.one(2) {
			v.SetInt(-v.Int())
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(m.number())
	case reflect.String:
		v.SetString(m.text())
	case reflect.Slice:
		n := m.IntN(5)
		if m.one(3) {
			n = m.IntN(21)
		}
		if v.Type().Elem().Kind() == reflect.Uint8 && m.one(2) {
			v.SetBytes([]byte(m.text()))
			return
		}
		if depth <= 0 {
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			m.fill(v.Index(i), depth-1)
		}
	case reflect.Array:
		for i := range v.Len() {
			m.fill(v.Index(i), depth-1)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range m.IntN(4) {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			m.fill(key, depth-1)
			m.fill(value, depth-1)
			v.SetMapIndex(key, value)
		}
	case reflect.Pointer:
		if depth > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			m.fill(v.Elem(), depth-1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() || f.Anonymous {
				m.fill(v.Field(i), depth-1)
			}
		}
	default:
		m.typeMaker.fill(v, depth)
	}
}

func mustMarshalled(v any) []byte {
	b, err := sofab.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// checkSurfaces encodes a value in every way. All give the same bytes or the same error,
// and what is appended stays within the memory that it is given.
func (m valueMaker) checkSurfaces(t *testing.T, v any) ([]byte, error) {
	t.Helper()
	want, refused := sofab.Marshal(v)
	if len(want) > 4096 { // the room of a surface
		return want, refused
	}
	for _, s := range encodeSurfaces {
		got, err := s.encode(v)
		if fmt.Sprint(err) != fmt.Sprint(refused) || !bytes.Equal(got, want) {
			t.Fatalf("%s of %T: %x, %v, want %x, %v", s.name, v, got, err, want, refused)
		}
	}
	if n, err := sofab.Size(v); fmt.Sprint(err) != fmt.Sprint(refused) || n != len(want) {
		t.Fatalf("Size of %T: %d, %v, want %d, %v", v, n, err, len(want), refused)
	}
	for range 12 {
		const front, behind = 7, 700
		room := m.IntN(600)
		if m.one(2) {
			room = max(0, len(want)+m.IntN(100)-50)
		}
		memory := bytes.Repeat([]byte{0xee}, front+room+behind)
		got, err := sofab.MarshalAppend(memory[:front:front+room], v)
		clean := bytes.Repeat([]byte{0xee}, behind)
		if fmt.Sprint(err) != fmt.Sprint(refused) || !bytes.Equal(got[front:], want) || !bytes.Equal(got[:front], clean[:front]) {
			t.Fatalf("room for %d behind which %T: %x, %v, want %x, %v", room, v, got, err, want, refused)
		}
		if same := &got[0] == &memory[0]; same != (refused != nil || len(want) <= room) {
			t.Fatalf("room for %d, %d bytes of %T: same memory %v", room, len(want), v, same)
		}
		if !bytes.Equal(memory[front+room:], clean) || !bytes.Equal(memory[:front], clean[:front]) {
			t.Fatalf("room for %d of %T: written beside it", room, v)
		}
	}
	return want, refused
}

// TestRandomValuesOnAllSurfaces encodes random values in every way.
func TestRandomValuesOnAllSurfaces(t *testing.T) {
	m := valueMaker{newTypeMaker(7, 8), false}
	refusals := 0
	for i := range 150 {
		m.valid = i%2 == 0
		typ := m.structure(2)
		for range 4 {
			v := reflect.New(typ)
			m.fill(v.Elem(), 6)
			if _, err := m.checkSurfaces(t, v.Interface()); err != nil {
				refusals++
			}
		}
	}
	if refusals < 50 || refusals > 550 {
		t.Errorf("%d of 600 values are refused", refusals)
	}
}
