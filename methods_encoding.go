package sofab

import (
	"encoding"
	"errors"
	"reflect"

	"github.com/sofab-go/sofab/tags"
)

// A methodPair is the two methods of package encoding that turn a value into bytes and
// back.
type methodPair struct {
	marshal, unmarshal         reflect.Type // interfaces with one method each
	marshalName, unmarshalName string
	form                       tags.Form // of the bytes on the wire
	option                     string    // that asks for this pair
	load                       func(f *form, value, standIn pointer) error
	store                      func(d *decodeState, f *form, value, standIn pointer) error
}

var binaryMethods = methodPair{
	marshal:       reflect.TypeFor[encoding.BinaryMarshaler](),
	unmarshal:     reflect.TypeFor[encoding.BinaryUnmarshaler](),
	marshalName:   "MarshalBinary",
	unmarshalName: "UnmarshalBinary",
	form:          tags.FormBlob,
	option:        "blob",
	load:          loadBinary,
	store:         storeBinary,
}

var textMethods = methodPair{
	marshal:       reflect.TypeFor[encoding.TextMarshaler](),
	unmarshal:     reflect.TypeFor[encoding.TextUnmarshaler](),
	marshalName:   "MarshalText",
	unmarshalName: "UnmarshalText",
	form:          tags.FormString,
	option:        "string",
	load:          loadText,
	store:         storeText,
}

// missing is the name of the first method of the pair that t and *t lack, "" if they
// have both.
func (m *methodPair) missing(t reflect.Type) string {
	switch {
	case !hasOwn(t, m.marshal):
		return m.marshalName
	case !hasOwn(t, m.unmarshal):
		return m.unmarshalName
	}
	return ""
}

// absent reports whether t and *t have no method of the pair.
func (m *methodPair) absent(t reflect.Type) bool {
	return !hasOwn(t, m.marshal) && !hasOwn(t, m.unmarshal)
}

// hasOwn reports whether t or *t has the method of an interface, and means all of t by
// it. A struct that has it from an embedded field, and beside that field others with a
// tag, does not: it would lose them.
func hasOwn(t, method reflect.Type) bool {
	return reflect.PointerTo(t).Implements(method) && !(isTagged(t) && embeds(t, method))
}

// isTagged reports whether t is a struct with fields that stand on the wire by their
// tags.
func isTagged(t reflect.Type) bool {
	if t.Kind() != reflect.Struct {
		return false
	}
	for i := range t.NumField() {
		f := t.Field(i)
		if text, ok := f.Tag.Lookup(tagKey); ok && text != "-" && f.Name != "_" {
			return true
		}
	}
	return false
}

// embeds reports whether an embedded field of the struct t has the method of an
// interface.
func embeds(t, method reflect.Type) bool {
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous && (f.Type.Implements(method) || reflect.PointerTo(f.Type).Implements(method)) {
			return true
		}
	}
	return false
}

// encodingForm is the function for a type with methods of package encoding, nil for a type
// without. A pointer is not such a type, because nil is absent. Neither is an integer,
// float or slice whose options ask for the form of its kind.
func encodingForm(t reflect.Type, o *tags.Options) fillFunc {
	switch {
	case t.Kind() == reflect.Pointer, t.Kind() == reflect.Interface:
		return nil
	case o.Enum, o.Bits, o.Width != tags.WidthNone, o.Form == tags.FormArray:
		return nil
	case binaryMethods.absent(t) && textMethods.absent(t):
		return nil
	}
	if m := askedMethods(o); m != nil && m.absent(t) && hasBytes(t) {
		return nil
	}
	return encodingMethodsForm
}

// hasBytes reports whether t is a string or bytes by its kind.
func hasBytes(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.String:
		return true
	case reflect.Slice, reflect.Array:
		return t.Elem().Kind() == reflect.Uint8
	}
	return false
}

// askedMethods is the pair that the options ask for, nil if they leave it open.
func askedMethods(o *tags.Options) *methodPair {
	switch o.Form {
	case tags.FormBlob:
		return &binaryMethods
	case tags.FormString:
		return &textMethods
	}
	return nil
}

// encodingMethodsForm fills the form of a type with methods of package encoding: a blob from
// MarshalBinary or a string from MarshalText. The first of them that is there together
// with its counterpart is taken, unless an option picks one. Both directions take the
// same pair, so that half a pair is a fault.
//
// The methods are called on a pointer to the value. What a marshal method returns is
// read and not kept. An unmarshal method gets bytes that it may keep; under
// Options.Alias they may be part of the input.
func encodingMethodsForm(c *compiler, f *form, t reflect.Type, o *tags.Options, s site) bool {
	m := askedMethods(o)
	switch {
	case m != nil:
	case binaryMethods.missing(t) == "":
		m = &binaryMethods
	case textMethods.missing(t) == "" || binaryMethods.absent(t):
		m = &textMethods
	default:
		m = &binaryMethods
	}
	if missing := m.missing(t); missing != "" {
		switch {
		case !m.absent(t):
			c.fault(s, -1, "%stype %v has no method %s to go with the other direction; add it or tag the field `sofab:\"-\"`", s.subject(), t, missing)
		default:
			c.fault(s, o.Pos(m.option), "option %q needs the methods %s and %s, which type %v does not have", m.option, m.marshalName, m.unmarshalName, t)
		}
		return false
	}
	if !c.fits(o, "X", t, s) {
		return false
	}
	x := c.standIn(f, reflect.TypeFor[[]byte](), &tags.Options{Form: m.form, MaxLen: o.MaxLen}, s)
	x.load, x.store, x.isZero = m.load, m.store, neverZero
	if reflect.PointerTo(t).Implements(reflect.TypeFor[zeroer]()) {
		x.isZero = isZeroByMethod
	}
	x.byPointer = !t.Implements(m.marshal)
	x.form.fleeting = true
	return true
}

// A zeroer knows whether it is at its default.
type zeroer interface{ IsZero() bool }

func isZeroByMethod(f *form, value pointer) bool {
	return value.reflectPointer(f.typ).Interface().(zeroer).IsZero()
}

// neverZero leaves the question to the stand-in, which is empty at the default.
func neverZero(*form, pointer) bool { return false }

func loadBinary(f *form, value, standIn pointer) error {
	b, err := value.reflectPointer(f.typ).Interface().(encoding.BinaryMarshaler).MarshalBinary()
	*at[[]byte](standIn) = b
	return methodError(f, "MarshalBinary", err)
}

func loadText(f *form, value, standIn pointer) error {
	b, err := value.reflectPointer(f.typ).Interface().(encoding.TextMarshaler).MarshalText()
	*at[[]byte](standIn) = b
	return methodError(f, "MarshalText", err)
}

// storeBinary sets the value from a blob. An empty one is the zero value, as an absent
// one is.
func storeBinary(d *decodeState, f *form, value, standIn pointer) error {
	b := *at[[]byte](standIn)
	if len(b) == 0 {
		f.mem.reset(value)
		return nil
	}
	err := value.reflectPointer(f.typ).Interface().(encoding.BinaryUnmarshaler).UnmarshalBinary(b)
	return d.methodError(f, "UnmarshalBinary", err)
}

// storeText is storeBinary for a string.
func storeText(d *decodeState, f *form, value, standIn pointer) error {
	b := *at[[]byte](standIn)
	if len(b) == 0 {
		f.mem.reset(value)
		return nil
	}
	err := value.reflectPointer(f.typ).Interface().(encoding.TextUnmarshaler).UnmarshalText(b)
	return d.methodError(f, "UnmarshalText", err)
}

// methodError is the error of a method of a value that is encoded, nil for none.
func methodError(f *form, method string, err error) error {
	if err == nil {
		return nil
	}
	return &MarshalerError{Type: f.typ, Err: err, Method: method, Offset: -1}
}

// methodError is the error of a method of a value that is decoded, nil for none.
func (d *decodeState) methodError(f *form, method string, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, ErrIncomplete) {
		err = neverComplete{err}
	}
	return &MarshalerError{Type: f.typ, Err: err, Method: method, Offset: d.headAt}
}

// neverComplete is an error of a method that decodes a message of its own, which ends
// too early. The message around it is not to be taken for one that goes on.
type neverComplete struct{ error }

func (e neverComplete) Is(target error) bool {
	return !isIncomplete(target) && errors.Is(e.error, target)
}

func (e neverComplete) As(target any) bool { return errors.As(e.error, target) }
