package sofab

import (
	"reflect"

	"github.com/sofab-go/sofab/tags"
)

// methodForm is the function for a type that brings methods to marshal itself, nil for
// a type without.
func methodForm(t reflect.Type, o *tags.Options) fillFunc {
	return textForm(t, o)
}
