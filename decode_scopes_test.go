package sofab_test

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/sofab-go/sofab"
)

// scopeField is a field of a struct made up by a test.
func scopeField(id int, t reflect.Type, options string) reflect.StructField {
	return reflect.StructField{
		Name: fmt.Sprint("F", id),
		Type: t,
		Tag:  reflect.StructTag(fmt.Sprintf(`sofab:"%d%s"`, id, options)),
	}
}

// scopeTypes are structs that are in each other in many ways: more than a table holds the
// rows of, deeper than it goes, and with what takes a frame of its own.
func scopeTypes() map[string]reflect.Type {
	leaf := reflect.StructOf([]reflect.StructField{
		scopeField(1, reflect.TypeFor[int16](), ""),
		scopeField(2, reflect.TypeFor[string](), ",maxlen=30"),
		scopeField(4, reflect.TypeFor[[]uint32](), ""),
		scopeField(200, reflect.TypeFor[*uint8](), ""),
	})
	deep := leaf
	for range 40 {
		deep = reflect.StructOf([]reflect.StructField{
			scopeField(0, reflect.TypeFor[uint8](), ""),
			scopeField(3, deep, ""),
			scopeField(5, reflect.TypeFor[string](), ""),
		})
	}
	many := func(n int, t reflect.Type) reflect.Type {
		var fields []reflect.StructField
		for id := range n {
			fields = append(fields, scopeField(3*id, t, ""))
		}
		return reflect.StructOf(fields)
	}
	return map[string]reflect.Type{
		"deep":     deep,
		"wide":     many(130, leaf),
		"both":     many(4, many(5, many(6, leaf))),
		"required": many(2, reflect.StructOf([]reflect.StructField{scopeField(1, leaf, ""), scopeField(2, reflect.TypeFor[*string](), ",required")})),
		"lists": many(2, reflect.StructOf([]reflect.StructField{
			scopeField(1, reflect.TypeFor[[]string](), ""),
			scopeField(2, reflect.SliceOf(many(2, leaf)), ""),
			scopeField(3, leaf, ""),
			scopeField(4, reflect.PointerTo(leaf), ""),
		})),
	}
}

// Structs in structs are decoded alike wherever the run of fields is left inside one.
func TestScopes(t *testing.T) {
	c := refCodec(sofab.Options{})
	for name, typ := range scopeTypes() {
		t.Run(name, func(t *testing.T) {
			m := newTypeMaker(7, 8)
			for range 40 {
				v := reflect.New(typ)
				m.fill(v.Elem(), 60)
				refCheck(t, c, m, v)
			}
		})
	}
}

type scopeNode struct {
	Inner struct {
		Next   *scopeNode `sofab:"0"`
		Number uint8      `sofab:"1"`
	} `sofab:"0"`
}

// The depth of structs in structs is judged as that of any other.
func TestScopeDepth(t *testing.T) {
	c := newCodec(sofab.Options{})
	for _, depth := range []int{230, 240, 255, 256, 257} {
		data := append(bytes.Repeat([]byte{6}, depth), bytes.Repeat([]byte{7}, depth)...)
		for name, decode := range codecSurfaces(c) {
			var offset int64 = -1
			var syntax *sofab.SyntaxError
			if err := decode(data, new(scopeNode)); errors.As(err, &syntax) {
				offset = syntax.Offset
			} else if err != nil {
				t.Errorf("depth %d, %s: %v", depth, name, err)
			}
			if want := int64(255); depth <= 255 && offset != -1 || depth > 255 && offset != want {
				t.Errorf("depth %d, %s: error at %d, want %d", depth, name, offset, want)
			}
		}
	}
}
