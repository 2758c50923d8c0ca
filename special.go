package sofab

import (
	"reflect"

	"github.com/sofab-go/sofab/tags"
)

// fillFunc sets the fields of the form of a type; it returns false after a fault.
type fillFunc func(c *compiler, f *form, t reflect.Type, o *tags.Options, s site) bool

// specialTypes are the types with a wire form of their own.
var specialTypes = map[reflect.Type]fillFunc{}

// special is the function for a type whose wire form does not follow from its kind: one
// of the standard library that is known here, or one with methods that marshal it. It
// is nil for all others.
func (c *compiler) special(t reflect.Type, o *tags.Options) fillFunc {
	if fill := specialTypes[t]; fill != nil {
		return fill
	}
	if fill := bigForm(t); fill != nil {
		return fill
	}
	if isSQLNull(t) {
		return nullForm
	}
	if fill := methodForm(t, o); fill != nil {
		return fill
	}
	if isTime(t) {
		return timeForm
	}
	return nil
}
