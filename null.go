package sofab

import (
	"reflect"
	"strings"

	"github.com/sofab-go/sofab/tags"
)

// isSQLNull reports whether t is one of the types of database/sql that hold a value
// which may be absent: Null[T], NullString and their kin. They are known by name and
// shape, so that this package does not link database/sql.
func isSQLNull(t reflect.Type) bool {
	return t.PkgPath() == "database/sql" && strings.HasPrefix(t.Name(), "Null") &&
		t.Kind() == reflect.Struct && t.NumField() == 2 &&
		t.Field(1).Name == "Valid" && t.Field(1).Type.Kind() == reflect.Bool
}

// nullForm fills the form of a type for which isSQLNull holds: a pointer to its value
// stands for it, nil where it is not valid.
func nullForm(c *compiler, f *form, t reflect.Type, o *tags.Options, s site) bool {
	x := c.standIn(f, reflect.PointerTo(t.Field(0).Type), o, s)
	if x == nil {
		return false
	}
	x.load, x.store, x.isZero = loadNull, storeNull, isInvalidNull
	x.nullable = true
	return true
}

// valid is the field Valid, which follows the value without a gap.
func valid(f *form, value pointer) *bool { return at[bool](value.add(f.proxy.form.elem.size)) }

func isInvalidNull(f *form, value pointer) bool { return !*valid(f, value) }

// loadNull makes the stand-in point into the value, or leaves it nil.
func loadNull(f *form, value, standIn pointer) error {
	if *valid(f, value) {
		standIn.store(value)
	}
	return nil
}

func storeNull(_ *decodeState, f *form, value, standIn pointer) error {
	f.proxy.form.elem.mem.copy(value, standIn.load())
	*valid(f, value) = true
	return nil
}
