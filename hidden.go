package sofab

import "reflect"

// foreignMethods are methods by which other packages get at data in unexported fields.
// Their names stand beside them: where reflect.Type.Method is called, the linker keeps
// every exported method of a program.
var foreignMethods = []struct {
	name string
	in   reflect.Type
}{
	{"MarshalJSON", reflect.TypeFor[interface{ MarshalJSON() ([]byte, error) }]()},
	{"GobEncode", reflect.TypeFor[interface{ GobEncode() ([]byte, error) }]()},
}

// A hiding says whether the data of a type would be lost without a word.
type hiding struct {
	all    bool   // it is a struct with fields, and all are unexported
	method string // that shows that they hold data, "" if none is known
}

func hidingOf(t reflect.Type) hiding {
	if t.Kind() != reflect.Struct {
		return hiding{}
	}
	var h hiding
	for i := range t.NumField() {
		f := t.Field(i)
		if f.IsExported() || f.Anonymous {
			return hiding{}
		}
		h.all = h.all || f.Name != "_"
	}
	for _, method := range foreignMethods {
		if h.all && h.method == "" && reflect.PointerTo(t).Implements(method.in) {
			h.method = method.name
		}
	}
	return h
}

// hides reports a fault, and that there is one, if type t hides its data: all of it is
// in unexported fields, and either a method of another package gets at it or the type is
// that of a field with an id. A message or an embedded struct without exported fields
// is merely empty.
func (c *compiler) hides(t reflect.Type, embedded bool, s site) bool {
	h := hidingOf(t)
	why := ""
	switch {
	case h.method != "":
		why = ", and " + h.method + " is not called here"
	case !h.all, embedded, s.field == "":
		return false
	}
	c.fault(s, -1, "%stype %v has no exported fields%s; "+
		"give it MarshalText and UnmarshalText, or MarshalSofab and UnmarshalSofab, or tag the field `sofab:\"-\"`", s.subject(), t, why)
	return true
}
