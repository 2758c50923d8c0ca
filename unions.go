package sofab

import (
	"reflect"

	"github.com/sofab-go/sofab/tags"
)

// union fills the form of a struct tagged union.
func (c *compiler) union(f *form, t reflect.Type, o *tags.Options, s site) bool {
	c.fault(s, o.Pos("union"), "unions are not supported yet")
	return false
}

// dynamic fills the form of an interface: any, or one with registered implementations.
func (c *compiler) dynamic(f *form, t reflect.Type, o *tags.Options, s site) bool {
	c.fault(s, -1, "%sinterfaces are not supported yet", s.subject())
	return false
}
