package sofab_test

import (
	"fmt"
	"math"
	"reflect"
)

// refEqual compares two values of one type: floats by their bits, and nil is not
// empty unless loose.
func refEqual(a, b reflect.Value, loose bool) bool {
	switch a.Kind() {
	case reflect.Float32:
		return float32Bits(a) == float32Bits(b)
	case reflect.Float64:
		return math.Float64bits(a.Float()) == math.Float64bits(b.Float())
	case reflect.Pointer:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() && b.IsNil()
		}
		return refEqual(a.Elem(), b.Elem(), loose)
	case reflect.Slice, reflect.Array:
		if !loose && a.Kind() == reflect.Slice && a.IsNil() != b.IsNil() || a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !refEqual(a.Index(i), b.Index(i), loose) {
				return false
			}
		}
		return true
	case reflect.Map:
		if !loose && a.IsNil() != b.IsNil() || a.Len() != b.Len() {
			return false
		}
		for key, value := range a.Seq2() {
			if other := b.MapIndex(key); !other.IsValid() || !refEqual(value, other, loose) {
				return false
			}
		}
		return true
	case reflect.Struct:
		for i := range a.NumField() {
			if sf := a.Type().Field(i); (sf.IsExported() || sf.Anonymous) && sf.Tag.Get("sofab") != "-" && !refEqual(a.Field(i), b.Field(i), loose) {
				return false
			}
		}
		return true
	}
	return a.Equal(b)
}

// refDump prints a value with what its pointers point to.
func refDump(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return "nil"
		}
		return "&" + refDump(v.Elem())
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice && v.IsNil() {
			return "nil"
		}
		s := "["
		for i := range v.Len() {
			s += refDump(v.Index(i)) + " "
		}
		return s + "]"
	case reflect.Struct:
		s := "{"
		for i := range v.NumField() {
			s += v.Type().Field(i).Name + ":" + refDump(v.Field(i)) + " "
		}
		return s + "}"
	}
	return fmt.Sprintf("%#v", v)
}
