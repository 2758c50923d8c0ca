package sofab

import (
	"io"
	"math"
	"reflect"
)

// Marshal returns the message of v: its canonical bytes, which are empty when every
// field is at its default. v is a struct or a pointer to one; any other value is a
// message with that value at id 0. A nil pointer is the empty message, an untyped nil
// an error. The result shares no memory with v or with anything else.
//
// A map is an array of entries, sorted by key, each with the key at id 0 and the value
// at id 1. A key is an integer, bool, string, float, [N]byte, a struct of these, or a
// type with MarshalText. Two keys that are the same on the wire, and NaN, are an error.
//
// A value of type any is a union with one of these arms, which Unmarshal gives back as
// the Go type behind the id:
//
//	0 uint64   1 int64   2 bool   3 float64   4 string   5 []byte   6 float32
//	7 []any    8 map[string]any   9 []uint64  10 []int64  11 []float64  12 []float32
//
// The Go type picks the arm, never the value: unsigned kinds 0, signed kinds 1, string
// kinds 4, slices and arrays of bytes 5, of numbers 9 to 12, of anything else 7,
// string-keyed maps 8, pointers what they point to. nil is absent, also a nil slice or
// map, an empty one is not. Structs have no arm: give the field their type, or use an
// interface type and [RegisterUnion]. An any that is marshalled through a pointer to it
// is that union at id 0, and so are []any and map[string]any as they are, so that
// Unmarshal into an any reads them; but with a pointer or struct in it, it is the
// message of that.
func Marshal(v any) ([]byte, error) { return std.Marshal(v) }

// MarshalAppend appends the message of v to dst and returns the extended slice. It
// does not allocate when dst has room. On error it returns dst as it was. Memory of dst
// behind its length may be overwritten up to its capacity, also behind the message.
func MarshalAppend(dst []byte, v any) ([]byte, error) { return std.MarshalAppend(dst, v) }

// MarshalWrite writes the message of v to w, bare: without a terminator. The memory it
// takes does not grow with the message. Up to 64 KiB are written in one Write, so that
// on error nothing of a message of that size has been written. An error of w is
// returned as it is.
func MarshalWrite(w io.Writer, v any) error { return std.MarshalWrite(w, v) }

// Size is the number of bytes of the message of v.
func Size(v any) (int, error) { return std.Size(v) }

// Marshal is the function [Marshal] with the options of the codec.
func (c *Codec) Marshal(v any) ([]byte, error) {
	if t, p := c.flatSource(v); t != nil {
		return c.appendScratch(nil, 0, t, p)
	}
	b, err := c.appendValue(nil, 0, v)
	if err == nil && b == nil {
		b = []byte{}
	}
	return b, err
}

// MarshalAppend is the function [MarshalAppend] with the options of the codec.
func (c *Codec) MarshalAppend(dst []byte, v any) ([]byte, error) {
	if t, p := c.flatSource(v); t != nil {
		return c.appendFlat(dst, t, p)
	}
	return c.appendValue(dst, opRoom, v)
}

// appendValue appends the message of any value. If dst has to grow there is room for spare
// bytes behind it.
func (c *Codec) appendValue(dst []byte, spare int, v any) ([]byte, error) {
	t, p, err := c.source(v)
	if err != nil {
		return dst, err
	}
	if fastPaths && t.flat && !p.isNil() {
		return c.appendScratch(dst, spare, t, p)
	}
	s := encodeStates.Get().(*encodeState)
	s.verbatim = c.settings.verbatim
	s.ResetAppend(dst)
	return s.finishAppend(dst, spare, s.message(t, p))
}

// finishAppend ends a message that is appended to dst, and gives the state back.
func (s *encodeState) finishAppend(dst []byte, spare int, err error) ([]byte, error) {
	if err == nil {
		if b := s.Gathered(); int64(len(b)) == s.Len() && len(b) > cap(dst)-len(dst) {
			dst = joined(dst, spare, b)
		} else {
			dst = s.Bytes()
		}
	}
	s.release()
	return dst, err
}

// MarshalWrite is the function [MarshalWrite] with the options of the codec.
func (c *Codec) MarshalWrite(w io.Writer, v any) error {
	s := encodeStates.Get().(*encodeState)
	s.ResetWriter(w)
	err := c.encode(s, v)
	if err == nil {
		err = s.Flush()
	}
	s.release()
	return err
}

// Size is the function [Size] with the options of the codec.
func (c *Codec) Size(v any) (int, error) {
	s := encodeStates.Get().(*encodeState)
	s.ResetWriter(io.Discard)
	err := c.encode(s, v)
	n := s.Len()
	s.release()
	if err == nil && int64(int(n)) != n {
		err = &BoundError{Offset: -1, Bound: "int", Limit: math.MaxInt, Got: n}
	}
	if err != nil {
		return 0, err
	}
	return int(n), nil
}

// encode writes the message of v.
func (c *Codec) encode(s *encodeState, v any) error {
	t, p, err := c.source(v)
	if err != nil {
		return err
	}
	s.verbatim = c.settings.verbatim
	return s.message(t, p)
}

// flatSource is the table of the message that v points to, and where it is, if runFlat
// writes at least the start of it. It finds only types that are known already.
func (c *Codec) flatSource(v any) (*table, pointer) {
	if e := c.types.known(typeID(v)); e != nil && e.flat && !boxed(v).isNil() {
		return e.table, boxed(v)
	}
	return nil, pointer{}
}

// source is the table of the message of v, and where its value is; nil where a pointer
// on the way to it is.
func (c *Codec) source(v any) (*table, pointer, error) {
	if _, ok := v.(*any); ok {
		v = sourceOf(v)
	}
	if v == nil {
		return nil, pointer{}, &UnsupportedTypeError{}
	}
	t := c.types.entryOf(v)
	if t.err != nil {
		return nil, pointer{}, t.err
	}
	p := boxed(v)
	if t.levels == 0 {
		if t.copied {
			p = copyOf(v)
		}
		return t.table, p, nil
	}
	for i := 1; i < t.levels && !p.isNil(); i++ {
		p = p.load()
	}
	return t.table, p, nil
}

// copyOf is the address of a copy of v, for a type whose values an interface holds
// directly.
func copyOf(v any) pointer {
	box := reflect.New(reflect.TypeOf(v)).Elem()
	box.Set(reflect.ValueOf(v))
	return pointerOf(box)
}
