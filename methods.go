package sofab

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"

	"github.com/sofab-go/sofab/stream"
	"github.com/sofab-go/sofab/tags"
	"github.com/sofab-go/sofab/wire"
)

// A Marshaler is a type that makes its own body of a nested message, such as
// [Marshal] returns. The type must be an [Unmarshaler], too. As the value that is
// marshalled, the body is the message.
//
// The body is checked: it must be a well-formed message. An empty one is absent, as
// that of a struct with all its fields at their defaults. MarshalSofab is called for
// values and pointers alike, never on a nil pointer.
//
// A struct that embeds such a type has its methods, and with them its form, as in
// encoding/json. But if it has fields with tags, which would be lost, the methods do not
// count; those of its own do not either, because they cannot be told apart. Such a
// struct has the other type as a named field.
type Marshaler interface {
	MarshalSofab() ([]byte, error)
}

// An Unmarshaler is a type that reads its own body of a nested message, without the
// sequence around it. The type must be a [Marshaler], too.
//
// Only the framing of the body was checked. The slice is the value's: it is no part of
// the input and may be kept and changed. The value has its zero value before, unless
// [Options] Merge is set or the message holds the field more than once: then the body
// starts with what MarshalSofab returns for the value, so that it always is a whole.
// UnmarshalSofab is not called for a value that is absent. A body is bounded like a
// blob: by the tag option maxlen, else by Limits.Blob.
//
// If the type is that of the whole message, [Feeder.Feed] calls UnmarshalSofab whenever
// the message may be complete, on a zero value and with all of it; an error then counts
// as [ErrIncomplete], because more may come.
type Unmarshaler interface {
	UnmarshalSofab([]byte) error
}

// A MarshalerTo is a type that writes itself, as a field of any wire type. The type must
// be an [UnmarshalerFrom], too; the pair comes before [Marshaler] and [Unmarshaler].
//
// MarshalSofabTo writes one field, with the given id, or nothing where the value is at
// its default. Anything else is an error, and so is to write nothing as the last element
// of an array or behind a pointer. The encoder is the value's own.
type MarshalerTo interface {
	MarshalSofabTo(e *stream.Encoder, id wire.ID) error
}

// An UnmarshalerFrom is a type that reads itself from a field of any wire type. The type
// must be a [MarshalerTo], too.
//
// The header of the field was read; UnmarshalSofabFrom reads its value: all of it, of a
// sequence also the end. What it does not need it passes with Skip. Anything left over
// is an error. The decoder is the value's own, ends behind the field, and has the limits
// of the codec. If a message holds the field more than once, UnmarshalSofabFrom is
// called for each, and decides whether the last one counts or continues the one before.
type UnmarshalerFrom interface {
	UnmarshalSofabFrom(d *stream.Decoder, f stream.Field) error
}

// ownMethods are the methods of this package that turn a value into bytes and back; those
// of package encoding are methodPairs.
var ownMethods = [...]struct {
	encode, decode reflect.Type
	names          [2]string
	missing        [2]string // what to add where one is missing
	wire           wire.Type
	raw            rawForm
}{
	{
		reflect.TypeFor[MarshalerTo](), reflect.TypeFor[UnmarshalerFrom](),
		[2]string{"MarshalSofabTo", "UnmarshalSofabFrom"},
		[2]string{"MarshalSofabTo(*stream.Encoder, wire.ID) error", "UnmarshalSofabFrom(*stream.Decoder, stream.Field) error"},
		wireAny, rawForm{field: encodeMarshalerTo, store: storeUnmarshalerFrom, keepsID: true},
	},
	{
		reflect.TypeFor[Marshaler](), reflect.TypeFor[Unmarshaler](),
		[2]string{"MarshalSofab", "UnmarshalSofab"},
		[2]string{"MarshalSofab() ([]byte, error)", "UnmarshalSofab([]byte) error"},
		wire.SequenceStart, rawForm{body: bodyOfMarshaler, store: storeUnmarshaler},
	},
}

// methodForm is the function for a type that brings methods to marshal itself, nil for
// a type without. The methods are looked for on the pointer, which has those of the
// value as well.
func methodForm(t reflect.Type, o *tags.Options) fillFunc {
	if t.Kind() == reflect.Pointer || t.Kind() == reflect.Interface {
		return nil
	}
	if o.Form == tags.FormNone {
		for i := range ownMethods {
			if pair := &ownMethods[i]; hasOwn(t, pair.encode) || hasOwn(t, pair.decode) {
				return ownMethodsForm
			}
		}
	}
	return encodingForm(t, o)
}

// ownMethodsForm fills the form of a type with methods of this package.
func ownMethodsForm(c *compiler, f *form, t reflect.Type, o *tags.Options, s site) bool {
	for i := range ownMethods {
		pair := &ownMethods[i]
		encodes, decodes := hasOwn(t, pair.encode), hasOwn(t, pair.decode)
		switch {
		case encodes && decodes:
			f.kind, f.wire, f.raw, f.maxlen = kindRaw, pair.wire, &pair.raw, o.MaxLen
			f.byPointer = !t.Implements(pair.encode)
			return c.fits(o, "X", t, s)
		case encodes:
			c.fault(s, -1, "%stype %v has %s; add the other direction, %s", s.subject(), t, pair.names[0], pair.missing[1])
			return false
		case decodes:
			c.fault(s, -1, "%stype %v has %s; add the other direction, %s", s.subject(), t, pair.names[1], pair.missing[0])
			return false
		}
	}
	return false
}

func bodyOfMarshaler(f *form, p pointer) ([]byte, error) {
	b, err := p.reflectPointer(f.typ).Interface().(Marshaler).MarshalSofab()
	if err != nil {
		return nil, methodError(f, "MarshalSofab", err)
	}
	return b, nil
}

func storeUnmarshaler(d *decodeState, f *form, p pointer, b []byte) stream.Status {
	if !p.value(f.typ).IsZero() {
		before, err := bodyOfMarshaler(f, p)
		if err != nil {
			return d.settled(err)
		}
		if !d.charge(int64(len(before) + len(b))) {
			return stream.Failed
		}
		b = slices.Concat(before, b)
	}
	err := p.reflectPointer(f.typ).Interface().(Unmarshaler).UnmarshalSofab(b)
	return d.settled(d.methodError(f, "UnmarshalSofab", err))
}

func encodeMarshalerTo(s *encodeState, f *form, id wire.ID, p pointer, keep bool) error {
	e := stream.NewAppendEncoder(nil)
	e.SetVerbatim(s.verbatim)
	err := p.reflectPointer(f.typ).Interface().(MarshalerTo).MarshalSofabTo(e, id)
	if err == nil {
		err = e.Err()
	}
	var b []byte
	if err == nil {
		b = e.Bytes()
		err = checkWritten(e, b, s.Depth(), id, keep)
	}
	switch {
	case err != nil:
		return methodError(f, "MarshalSofabTo", err)
	case f.maxlen > 0 && len(b)-wire.SizeHeader(id) > f.maxlen:
		return overMaxlen(f, len(b)-wire.SizeHeader(id))
	}
	s.Raw(b)
	return nil
}

// checkWritten checks what was written with e: one field with the given id, at that
// depth, or nothing.
func checkWritten(e *stream.Encoder, b []byte, depth int, id wire.ID, keep bool) error {
	var w fieldWalk
	w.reset(b, depth)
	switch {
	case int64(len(b)) != e.Len():
		return errors.New("gave the encoder another output")
	case e.Depth() > 0:
		return fmt.Errorf("left %d sequences open", e.Depth())
	case w.next():
		switch {
		case w.id != id:
			return fmt.Errorf("wrote a field with id %d instead of %d", w.id, id)
		case w.end < len(b):
			return errors.New("wrote more than one field; a sequence can hold them")
		}
	case w.err == nil && keep:
		return errors.New("wrote nothing where a field must be written: as last element of an array, or behind a pointer")
	}
	return w.err
}

func storeUnmarshalerFrom(d *decodeState, f *form, p pointer, b []byte) stream.Status {
	dec := stream.NewBytesDecoder(b)
	err := dec.SetLimits(d.options.limits)
	dec.SetVerbatim(d.options.verbatim)
	var field stream.Field
	if err == nil {
		field, err = dec.Next()
	}
	if err == nil {
		err = p.reflectPointer(f.typ).Interface().(UnmarshalerFrom).UnmarshalSofabFrom(dec, field)
	}
	if err == nil {
		err = checkRead(dec, int64(len(b)))
	}
	return d.settled(d.methodError(f, "UnmarshalSofabFrom", err))
}

// settled is the status of a value that was stored, or could not be.
func (d *decodeState) settled(err error) stream.Status {
	if err != nil {
		return d.fail(d.locatedError(err))
	}
	return stream.Done
}

// checkRead checks that all of the field was read.
func checkRead(dec *stream.Decoder, size int64) error {
	if left := size - dec.InputOffset(); left > 0 {
		return fmt.Errorf("left %d bytes of the value unread; pass what is not needed with Skip", left)
	}
	if _, err := dec.Next(); err != io.EOF {
		return err
	}
	return nil
}
