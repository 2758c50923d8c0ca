package sofab_test

import (
	"fmt"
	"math"
	"reflect"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// materialize dumps the struct v points to in the notation of FORMAT 9.2:
// every declared field in ascending id order, arrays with exactly the elements
// held, floats as their bits. Unlike a comparison of Go values it tells -0
// from +0 and one NaN from another, and takes nil and empty for the same.
func materialize(v any) string {
	var b strings.Builder
	dumpValue(&b, reflect.ValueOf(v).Elem(), "")
	return b.String()
}

func dumpValue(b *strings.Builder, v reflect.Value, options string) {
	switch v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			b.WriteString("u1")
		} else {
			b.WriteString("u0")
		}
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uint:
		fmt.Fprintf(b, "u%d", v.Uint())
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Int:
		fmt.Fprintf(b, "s%d", v.Int())
	case reflect.Float32:
		// Value.Float would quiet a signalling NaN.
		fmt.Fprintf(b, "f%08x", math.Float32bits(v.Interface().(float32)))
	case reflect.Float64:
		fmt.Fprintf(b, "F%016x", math.Float64bits(v.Interface().(float64)))
	case reflect.String:
		fmt.Fprintf(b, "t%d:%x", v.Len(), v.String())
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 && !hasOption(options, "array") {
			fmt.Fprintf(b, "b%d:%x", v.Len(), v.Bytes())
			return
		}
		b.WriteByte('[')
		for i := range v.Len() {
			if i > 0 {
				b.WriteByte(',')
			}
			dumpValue(b, v.Index(i), "")
		}
		b.WriteByte(']')
	case reflect.Pointer:
		if v.IsNil() {
			b.WriteString("nil")
			return
		}
		dumpValue(b, v.Elem(), options)
	case reflect.Struct:
		dumpStruct(b, v)
	default:
		panic("materialize: unexpected kind " + v.Kind().String())
	}
}

func dumpStruct(b *strings.Builder, v reflect.Value) {
	type field struct {
		id      uint64
		options string
		value   reflect.Value
	}
	var fields []field
	for i := range v.NumField() {
		tag, options, _ := strings.Cut(v.Type().Field(i).Tag.Get("sofab"), ",")
		id, err := strconv.ParseUint(tag, 10, 31)
		if err != nil {
			panic("materialize: " + v.Type().String() + ": " + err.Error())
		}
		fields = append(fields, field{id, options, v.Field(i)})
	}
	sort.Slice(fields, func(i, j int) bool { return fields[i].id < fields[j].id })
	b.WriteByte('{')
	for i, f := range fields {
		if i > 0 {
			b.WriteByte(';')
		}
		fmt.Fprintf(b, "%d:", f.id)
		dumpValue(b, f.value, f.options)
	}
	b.WriteByte('}')
}

func hasOption(options, name string) bool {
	for _, o := range strings.Split(options, ",") {
		if o == name {
			return true
		}
	}
	return false
}

func TestMaterialize(t *testing.T) {
	type inner struct {
		S string `sofab:"1"`
		X []byte `sofab:"0"`
	}
	v := struct {
		N  inner     `sofab:"10"`
		U  uint8     `sofab:"0"`
		A  []uint8   `sofab:"2,count=4,array"`
		F  []float32 `sofab:"3"`
		I  int64     `sofab:"1"`
		XA [][]byte  `sofab:"11"`
		B  bool      `sofab:"12"`
	}{
		N:  inner{S: "hi", X: []byte{0xde, 0xad}},
		U:  255,
		A:  []uint8{1, 2},
		F:  []float32{math.Float32frombits(0x7f800001), float32(math.Copysign(0, -1))},
		I:  -5,
		XA: [][]byte{nil, {1}},
		B:  true,
	}
	want := "{0:u255;1:s-5;2:[u1,u2];3:[f7f800001,f80000000];10:{0:b2:dead;1:t2:6869};11:[b0:,b1:01];12:u1}"
	if diff := cmp.Diff(want, materialize(&v)); diff != "" {
		t.Errorf("dump (-want +got):\n%s", diff)
	}
}
