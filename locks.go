package sofab

import (
	"reflect"
	"sync"
)

var lockerType = reflect.TypeFor[sync.Locker]()

// isSync reports whether values of type t are used in place, by several goroutines, and
// are no data: those of the packages sync and sync/atomic, and of other types with the
// methods Lock and Unlock. Their fields are unexported, so that they would seem to be
// structs without fields. A struct with tags is data, and one that embeds a lock is
// judged by its fields.
func isSync(t reflect.Type) bool {
	switch {
	case t.PkgPath() == "sync", t.PkgPath() == "sync/atomic":
		return true
	case t.Kind() == reflect.Pointer, t.Kind() == reflect.Interface:
		return false
	}
	return reflect.PointerTo(t).Implements(lockerType) && !isTagged(t) && !(t.Kind() == reflect.Struct && embeds(t, lockerType))
}
