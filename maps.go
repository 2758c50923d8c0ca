package sofab

import (
	"reflect"

	"github.com/sofab-go/sofab/tags"
)

// mapping fills the form of a map.
func (c *compiler) mapping(f *form, t reflect.Type, o *tags.Options, s site) bool {
	c.fault(s, -1, "%smaps are not supported yet", s.subject())
	return false
}
