package sofab

import (
	"reflect"
	"strings"

	"github.com/sofab-go/sofab/wire"
)

// fixlen writes the header and the fixlen word of a string or blob within its bounds.
func (s *encodeState) fixlen(f *form, id wire.ID, length int) error {
	switch {
	case f.maxlen > 0 && length > f.maxlen:
		return &BoundError{Offset: -1, Bound: "maxlen", Limit: int64(f.maxlen), Got: int64(length)}
	case length > wire.MaxFixlen:
		return &BoundError{Offset: -1, Bound: "maxlen", Limit: wire.MaxFixlen, Got: int64(length)}
	}
	b := s.Reserve(2 * wire.MaxVarintLen)
	n := wire.PutHeader(b, id, wire.Fixlen)
	s.Advance(n + wire.PutFixlenWord(b[n:], length, f.subtype))
	return nil
}

func (s *encodeState) text(f *form, id wire.ID, v string) error {
	if f.subtype == wire.String && !s.verbatim {
		if i := wire.BadUTF8(v); i >= 0 {
			// A copy, because bytes that stand as a string may change.
			return &UnsupportedValueError{Value: reflect.ValueOf(strings.Clone(v)), Str: invalidUTF8{i}.Error()}
		}
	}
	if err := s.fixlen(f, id, len(v)); err != nil {
		return err
	}
	if !f.stays() || !s.Borrow(elements[byte](stringData(v), len(v))) {
		s.RawString(v)
	}
	return nil
}

func (s *encodeState) blob(f *form, id wire.ID, v []byte) error {
	if f.subtype == wire.String {
		return s.text(f, id, stringOf(v))
	}
	if err := s.fixlen(f, id, len(v)); err != nil {
		return err
	}
	if !f.stays() || !s.Borrow(v) {
		s.Raw(v)
	}
	return nil
}

// stays reports whether the bytes of a string or blob are the same until the message is
// complete. Those of an array may be part of a stand-in, which is used again before that.
func (f *form) stays() bool { return f.kind != kindByteArray && !f.fleeting }
