package sofab_test

import (
	"encoding/hex"
	"fmt"
	"math/big"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/sofab-go/sofab"
)

// A lowered value is one of a Go-only type whose bytes are pinned in testdata/lowering,
// beside the schema that another language reads them by.
type lowered struct {
	name string
	v    any // pointer to the struct of the schema
}

// checkLowering demands that the values encode to the pinned bytes and decode from
// them, on every surface. Each line of the file is a name, the Go value and the bytes.
func checkLowering(t *testing.T, name string, values []lowered) {
	t.Helper()
	file := "testdata/lowering/" + name + ".tsv"
	if *update {
		var b strings.Builder
		for _, value := range values {
			data, err := encodeSurfaces[0].encode(value.v)
			if err != nil {
				t.Fatal(err)
			}
			b.WriteString(value.name + "\t" + describe(reflect.ValueOf(value.v)) + "\t" + hex.EncodeToString(data) + "\n")
		}
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	pinned, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(pinned), "\n"), "\n")
	if len(lines) != len(values) {
		t.Fatalf("%s has %d lines, there are %d values", file, len(lines), len(values))
	}
	for i, value := range values {
		t.Run(value.name, func(t *testing.T) {
			columns := strings.Split(lines[i], "\t")
			if len(columns) != 3 || columns[0] != value.name || columns[1] != describe(reflect.ValueOf(value.v)) {
				t.Fatalf("%s: line %d is %q, want that of %s", file, i+1, lines[i], value.name)
			}
			checkBothWays(t, value.v, columns[2], value.v, sameTime, sameBig, cmp.AllowUnexported(celsius{}))
		})
	}
	if _, err := os.Stat("testdata/lowering/" + name + ".yaml"); err != nil {
		t.Error(err)
	}
}

// describe shows a Go value for readers of other languages: fields that are not zero,
// what pointers point to, and what an interface holds with its type.
func describe(v reflect.Value) string {
	if v.CanInterface() {
		switch x := v.Interface().(type) {
		case time.Time:
			return x.Format(time.RFC3339Nano)
		case time.Duration:
			return x.String()
		case big.Int:
			return x.String()
		case big.Rat:
			return x.String()
		case big.Float:
			return x.Text('g', -1)
		case sofab.RawMessage, sofab.RawField, sofab.UnknownFields:
			return hex.EncodeToString(v.Bytes())
		}
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return "nil"
		}
		return describe(v.Elem())
	case reflect.Interface:
		if v.IsNil() {
			return "nil"
		}
		return v.Elem().Type().String() + "(" + describe(v.Elem()) + ")"
	case reflect.Struct:
		var parts []string
		for i := range v.NumField() {
			if field := v.Field(i); !field.IsZero() {
				parts = append(parts, v.Type().Field(i).Name+": "+describe(field))
			}
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case reflect.Map:
		var parts []string
		for entry := v.MapRange(); entry.Next(); {
			parts = append(parts, describe(entry.Key())+": "+describe(entry.Value()))
		}
		slices.Sort(parts)
		return "[" + strings.Join(parts, ", ") + "]"
	case reflect.Slice, reflect.Array:
		var parts []string
		for i := range v.Len() {
			parts = append(parts, describe(v.Index(i)))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case reflect.String:
		return strconv.Quote(v.String())
	}
	return fmt.Sprint(v)
}
