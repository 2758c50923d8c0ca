package sofab_test

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"reflect"
	"strings"
	"testing"

	"github.com/sofab-go/sofab"
)

// An integerRange is the range of an integer type, "u8" to "i64".
type integerRange struct {
	name   string
	lo, hi *big.Int
}

func rangeOf(name string) integerRange {
	var bits uint
	fmt.Sscanf(name[1:], "%d", &bits)
	r := integerRange{name: name, lo: new(big.Int), hi: new(big.Int).Lsh(big.NewInt(1), bits)}
	if name[0] == 'i' {
		r.hi.Rsh(r.hi, 1)
		r.lo.Neg(r.hi)
	}
	r.hi.Sub(r.hi, big.NewInt(1))
	return r
}

func (r integerRange) holds(n *big.Int) bool { return n.Cmp(r.lo) >= 0 && n.Cmp(r.hi) <= 0 }

// goRange is the range of a Go type.
func goRange(t reflect.Type) integerRange {
	sign := "u"
	if reflect.Zero(t).CanInt() {
		sign = "i"
	}
	return rangeOf(fmt.Sprint(sign, t.Bits()))
}

// declaredRange is the range that an option declares for a Go type.
func declaredRange(option string, t reflect.Type) integerRange {
	own := goRange(t)
	switch {
	case option == "" || option == "bits":
		return own
	case option == "enum" && own.name[0] == 'i' && t.Bits() < 32:
		return own
	case option == "enum":
		return rangeOf("i32")
	}
	return rangeOf(option)
}

// onWire is the varint of n.
func onWire(n *big.Int, signed bool) []byte {
	if !signed {
		return binary.AppendUvarint(nil, n.Uint64())
	}
	v := n.Int64()
	return binary.AppendUvarint(nil, uint64(v<<1)^uint64(v>>63))
}

func setInteger(v reflect.Value, n *big.Int) {
	if v.CanInt() {
		v.SetInt(n.Int64())
	} else {
		v.SetUint(n.Uint64())
	}
}

// Q20: every width at both of its ends and one beyond, in both directions, as a
// scalar, behind a pointer and as an element.
func TestWidths(t *testing.T) {
	one := big.NewInt(1)
	checked := 0
	for _, typ := range refScalars[1:11] {
		for _, option := range []string{"", "u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "enum", "bits"} {
			for _, shape := range []string{"scalar", "pointer", "slice", "array", "pointers"} {
				tag, fieldType := "1,"+option, typ
				path := "F"
				switch shape {
				case "pointer":
					fieldType = reflect.PointerTo(typ)
				case "slice":
					tag, fieldType = "1,elem."+option, reflect.SliceOf(typ)
				case "array":
					tag, fieldType = "1,elem."+option, reflect.ArrayOf(1, typ)
				case "pointers":
					tag, fieldType = "1,elem."+option, reflect.SliceOf(reflect.PointerTo(typ))
				}
				list := shape != "scalar" && shape != "pointer"
				if list && typ.Kind() == reflect.Uint8 && shape != "pointers" {
					tag += ",array"
				}
				if list {
					path = "F[0]"
				}
				if option == "" {
					tag = strings.TrimSuffix(strings.Replace(tag, ",elem.", "", 1), ",")
					tag = strings.Replace(tag, "1,,", "1,", 1)
				}
				st := reflect.StructOf([]reflect.StructField{{Name: "F", Type: fieldType, Tag: reflect.StructTag(`sofab:"` + tag + `"`)}})
				if _, err := sofab.Marshal(reflect.New(st).Interface()); err != nil {
					continue // TestTagFaults; the option does not go with the type
				}
				declared, own := declaredRange(option, typ), goRange(typ)
				signed := declared.name[0] == 'i'
				for _, r := range []integerRange{declared, own} {
					for _, n := range []*big.Int{new(big.Int).Sub(r.lo, one), r.lo, r.hi, new(big.Int).Add(r.hi, one)} {
						checked++
						if own.holds(n) && n.Sign() != 0 {
							checkWidthEncode(t, st, shape, n, declared, path)
						}
						if wide := rangeOf(map[bool]string{true: "i64", false: "u64"}[signed]); wide.holds(n) {
							checkWidthDecode(t, st, list, n, declared, own, path)
						}
					}
				}
			}
		}
	}
	if checked < 2000 {
		t.Errorf("only %d values checked", checked)
	}
}

func checkWidthEncode(t *testing.T, st reflect.Type, shape string, n *big.Int, declared integerRange, path string) {
	t.Helper()
	v := reflect.New(st)
	f := v.Elem().Field(0)
	if shape == "slice" || shape == "pointers" {
		f.Set(reflect.MakeSlice(f.Type(), 1, 1))
	}
	if f.Kind() == reflect.Slice || f.Kind() == reflect.Array {
		f = f.Index(0)
	}
	if f.Kind() == reflect.Pointer {
		f.Set(reflect.New(f.Type().Elem()))
		f = f.Elem()
	}
	setInteger(f, n)
	data, err := sofab.Marshal(v.Interface())
	want := ""
	if !declared.holds(n) {
		want = fmt.Sprintf("sofab: %s: %v does not fit %s", path, n, declared.name)
	}
	if errorText(err) != want {
		t.Errorf("%v: encoding %v: %v, want %q", st, n, err, want)
	}
	if want == "" {
		back := reflect.New(st)
		if err := sofab.Unmarshal(data, back.Interface()); err != nil || !refEqual(back, v, false) {
			t.Errorf("%v: %v comes back as %s, %v", st, n, refDump(back), err)
		}
	}
}

func checkWidthDecode(t *testing.T, st reflect.Type, list bool, n *big.Int, declared, own integerRange, path string) {
	t.Helper()
	signed := declared.name[0] == 'i'
	head := []byte{1<<3 | map[bool]byte{true: 1, false: 0}[signed]}
	if list {
		head = []byte{1<<3 | map[bool]byte{true: 4, false: 3}[signed], 1}
	}
	v := reflect.New(st)
	err := sofab.Unmarshal(append(head, onWire(n, signed)...), v.Interface())
	want := ""
	for _, r := range []integerRange{own, declared} {
		if !r.holds(n) {
			want = fmt.Sprintf("sofab: %s: %v does not fit %s at offset %d", path, n, r.name, len(head))
		}
	}
	if errorText(err) != want {
		t.Errorf("%v: decoding %v: %v, want %q", st, n, err, want)
	}
	if want == "" {
		f := v.Elem().Field(0)
		for f.Kind() == reflect.Pointer || f.Kind() == reflect.Slice || f.Kind() == reflect.Array {
			if f = reflect.Indirect(f); f.Kind() == reflect.Slice || f.Kind() == reflect.Array {
				f = f.Index(0)
			}
		}
		if fmt.Sprint(f) != n.String() {
			t.Errorf("%v: decoding %v: %v", st, n, f)
		}
	}
}
