package sofab

import (
	"math"
	"reflect"
	"strconv"

	"github.com/sofab-go/sofab/wire"
)

// loadInteger is the varint that stands on the wire for the integer at p: its value,
// or its zig-zag value. It is not ok where the Go value is outside of what that sign
// can express; whether the varint fits the declared width is for the caller.
func loadInteger(f *form, p pointer) (u uint64, ok bool) {
	var v int64
	switch f.goKind {
	case reflect.Uint8:
		u = uint64(*at[uint8](p))
	case reflect.Uint16:
		u = uint64(*at[uint16](p))
	case reflect.Uint32:
		u = uint64(*at[uint32](p))
	case reflect.Uint64:
		u = *at[uint64](p)
	case reflect.Uint:
		u = uint64(*at[uint](p))
	case reflect.Int8:
		v = int64(*at[int8](p))
	case reflect.Int16:
		v = int64(*at[int16](p))
	case reflect.Int32:
		v = int64(*at[int32](p))
	case reflect.Int64:
		v = *at[int64](p)
	case reflect.Int:
		v = int64(*at[int](p))
	}
	switch {
	case !f.mixed && f.wire == wire.Signed:
		return wire.Zigzag(v), true
	case !f.mixed:
		return u, true
	case f.wire == wire.Signed:
		return wire.Zigzag(int64(u)), u <= math.MaxInt64
	}
	return uint64(v), v >= 0
}

// storeInteger sets the integer at p from a varint that fits the declared width. It
// is not ok where the Go type cannot hold it.
func storeInteger(f *form, p pointer, u uint64) (ok bool) {
	v := int64(u)
	if f.wire == wire.Signed {
		v = wire.Unzigzag(u)
		u = uint64(v)
	}
	if f.mixed && !representable(v, f.typ, f.wire == wire.Unsigned) {
		return false
	}
	switch f.goKind {
	case reflect.Uint8, reflect.Int8:
		*at[uint8](p) = uint8(u)
	case reflect.Uint16, reflect.Int16:
		*at[uint16](p) = uint16(u)
	case reflect.Uint32, reflect.Int32:
		*at[uint32](p) = uint32(u)
	case reflect.Uint64, reflect.Int64:
		*at[uint64](p) = u
	case reflect.Uint, reflect.Int:
		*at[uint](p) = uint(u)
	}
	return true
}

// integersEqual compares two integers of the same Go type.
func integersEqual(f *form, a, b pointer) bool {
	x, _ := loadInteger(f, a)
	y, _ := loadInteger(f, b)
	return x == y
}

// typeError is the error of a varint that fits the declared width but is outside the Go
// type, whose sign is another one.
func typeError(f *form, u uint64, offset int64) *BoundError {
	e := widthError(f, u, offset)
	bits := f.typ.Bits()
	e.Bound = "u" + strconv.Itoa(bits)
	if f.wire == wire.Unsigned {
		e.Bound = "i" + strconv.Itoa(bits)
		bits--
	}
	e.Limit = math.MaxInt64
	if bits < 63 {
		e.Limit = 1<<bits - 1
	}
	return e
}

// widthError is the error of a varint that is outside the declared width, or of a Go
// integer that is outside what the wire form can express.
func widthError(f *form, u uint64, offset int64) *BoundError {
	e := &BoundError{Offset: offset, Bound: f.bound}
	bits := f.width
	if f.wire == wire.Signed {
		e.Got = wire.Unzigzag(u)
		bits--
	} else {
		e.setGot(u)
	}
	e.Limit = math.MaxInt64
	if bits < 63 {
		e.Limit = 1<<bits - 1
	}
	return e
}
