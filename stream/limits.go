package stream

import "github.com/sofab-go/sofab/wire"

// MemoryPerByte is how many bytes a decoder may allocate for each byte of input that
// it has read, on top of [Limits.Memory].
const MemoryPerByte = 64

// Limits are the caps of a receiver (section 5.4). They hold where the schema leaves
// a field unbounded, and only for fields that are bound to a destination. What is over
// a cap is [ErrLimit], never [ErrInvalid].
//
// Zero stands for the default of a field; no cap is switched off by another one.
type Limits struct {
	// Array caps the elements of an array and, in a wrapper, the index of an element.
	// Default 1<<20, at most wire.MaxArray.
	Array int
	// String caps the bytes of a string. Default 16 MiB, at most wire.MaxFixlen.
	String int
	// Blob caps the bytes of a blob. Default 16 MiB, at most wire.MaxFixlen.
	Blob int
	// Message caps the bytes of one message that arrives through a reader or in
	// chunks. Default 64 MiB, at most math.MaxInt64.
	Message int64
	// Memory caps the bytes that decoding one message allocates, on top of
	// MemoryPerByte for each byte read. Default 16 MiB, at most math.MaxInt64.
	Memory int64
}

// WithDefaults returns l with defaults in place of zeros. It is an error, with the
// name of the field, when one is negative or above its ceiling.
func (l Limits) WithDefaults() (Limits, error) {
	for _, f := range []struct {
		name    string
		value   *int
		def     int
		ceiling int
	}{
		{"Array", &l.Array, 1 << 20, wire.MaxArray},
		{"String", &l.String, 16 << 20, wire.MaxFixlen},
		{"Blob", &l.Blob, 16 << 20, wire.MaxFixlen},
	} {
		if *f.value < 0 || *f.value > f.ceiling {
			return l, argumentError("Limits.%s is %d; use 1 to %d, or 0 for the default of %d", f.name, *f.value, f.ceiling, f.def)
		}
		if *f.value == 0 {
			*f.value = f.def
		}
	}
	for _, f := range []struct {
		name  string
		value *int64
		def   int64
	}{
		{"Message", &l.Message, 64 << 20},
		{"Memory", &l.Memory, 16 << 20},
	} {
		if *f.value < 0 {
			return l, argumentError("Limits.%s is %d; use 1 or more, or 0 for the default of %d", f.name, *f.value, f.def)
		}
		if *f.value == 0 {
			*f.value = f.def
		}
	}
	return l, nil
}
