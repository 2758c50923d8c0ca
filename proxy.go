package sofab

import (
	"fmt"
	"reflect"

	"github.com/sofab-go/sofab/tags"
	"github.com/sofab-go/sofab/wire"
)

// A proxy lets a Go value stand on the wire as another one, its stand-in: a time as a
// struct of three numbers, a map as a slice of entries, a text as a string. The
// stand-in has a form like any other value, so that encoding, decoding, bounds and
// suspension need no code of their own.
type proxy struct {
	form *form // of the stand-in

	// load sets a zero stand-in from the value. It is called to encode, and before a
	// sequence is opened that continues what is in the value.
	load func(f *form, value, standIn pointer) error
	// store sets the value from the stand-in.
	store func(d *decodeState, f *form, value, standIn pointer) error
	// isZero reports whether the value is at its default.
	isZero func(f *form, value pointer) bool

	explicit  bool  // a value that is not zero is written also where its stand-in is
	nullable  bool  // the stand-in is a pointer, nil where the value is absent
	whole     bool  // Options.Merge replaces the value and does not continue it
	byPointer bool  // load calls a method of a pointer to the value, which may change it
	unit      int64 // of a number that counts time, in nanoseconds

	// The others are optional.

	// isNil reports whether the value is nil, where the option presence tells that from
	// empty.
	isNil func(value pointer) bool
	// resume is load for a sequence that is opened again, where it is not load.
	resume func(d *decodeState, f *form, value, standIn pointer) error
	// reset sets the value to its default where that is not its zero value or not
	// reached by clearing its memory.
	reset      func(d *decodeState, f *form, value pointer)
	hasDefault bool // reset may give something else than the zero value to a zero value
	// clear makes a stand-in zero, in its own way.
	clear func(standInForm *form, standIn pointer)
	// explain completes the path of an error of encoding the stand-in.
	explain func(f *form, standIn pointer, err error) error

	pool pointerPool // stand-ins that are zero
}

// stand is a stand-in that is being decoded into.
type stand struct {
	form           *form
	value, standIn pointer
}

// get is a zero stand-in.
func (x *proxy) get() pointer {
	if p := x.pool.get(); !p.isNil() {
		return p
	}
	return newValue(x.form.typ)
}

// close gives a stand-in back. It forgets what it held.
func (x *proxy) close(standIn pointer) {
	if x.clear != nil {
		x.clear(x.form, standIn)
	} else {
		x.form.mem.reset(standIn)
	}
	x.pool.put(standIn)
}

// with calls use with a stand-in of the value at p. The stand-in is not used again behind
// an error, whose Value may be in it.
func (x *proxy) with(f *form, p pointer, use func(*form, pointer) error) error {
	standIn := x.get()
	err := x.load(f, p, standIn)
	if err == nil {
		err = use(x.form, standIn)
	}
	if err == nil {
		x.close(standIn)
	}
	return err
}

// open is a stand-in to decode into. That of a struct starts with what is in the
// value, because a struct that is opened again is continued (section 3.7).
func (d *decodeState) open(f *form, p pointer) (pointer, error) {
	x := f.proxy
	standIn := x.get()
	if x.form.behind().kind == kindStruct && !x.isZero(f, p) && !(x.whole && d.options.merge) {
		if x.resume != nil {
			return standIn, x.resume(d, f, p, standIn)
		}
		return standIn, x.load(f, p, standIn)
	}
	return standIn, nil
}

// onWire is the form of what stands in for the value: f itself where nothing does.
func (f *form) onWire() *form {
	for f.kind == kindProxy {
		f = f.proxy.form
	}
	return f
}

// refuse is the error of a value that is well-formed on the wire and none of its Go
// type. Its offset is that of the last header.
func (d *decodeState) refuse(format string, args ...any) error {
	return &SyntaxError{Offset: d.headAt, Err: refusedValue(fmt.Sprintf(format, args...))}
}

// refusedValue says what is wrong with a value that has no Go value.
type refusedValue string

func (e refusedValue) Error() string        { return "invalid value: " + string(e) }
func (e refusedValue) Is(target error) bool { return target == ErrInvalid }

// proxy writes a value as its stand-in, which is closed as in the function with.
func (s *encodeState) proxy(f *form, id wire.ID, p pointer, keep bool) error {
	x := f.proxy
	if !keep && x.isZero(f, p) {
		return nil
	}
	standIn := x.get()
	err := x.load(f, p, standIn)
	if err == nil {
		err = s.value(x.form, id, standIn, keep || x.explicit)
		if err != nil && x.explain != nil {
			err = x.explain(f, standIn, err)
		}
	}
	if err == nil {
		x.close(standIn)
	}
	return err
}

// standIn compiles the form of a stand-in of the given type under the given options,
// and gives f a proxy with it.
func (c *compiler) standIn(f *form, typ reflect.Type, o *tags.Options, s site) *proxy {
	f.kind = kindProxy
	f.proxy = &proxy{form: c.form(typ, o, s)}
	if f.proxy.form == nil {
		return nil
	}
	if target := f.behind(); target != nil {
		f.wire, f.subtype = target.wire, target.subtype
	}
	c.fronts = append(c.fronts, f)
	return f.proxy
}

// callsByPointer reports whether encoding the struct may change its memory, through a
// method of a pointer to something in it.
func (t *table) callsByPointer() bool {
	if t.whole != nil {
		return t.whole.callsByPointer()
	}
	for i := range t.rows {
		if r := &t.rows[i]; len(r.via) == 0 && r.form.callsByPointer() {
			return true
		}
	}
	return false
}

func (f *form) callsByPointer() bool {
	switch f.kind {
	case kindStruct:
		return f.table.callsByPointer()
	case kindNativeArray, kindWrapperArray:
		return f.elem.callsByPointer()
	case kindProxy:
		return f.proxy.byPointer || f.proxy.nullable && f.proxy.form.elem.callsByPointer()
	case kindRaw:
		return f.byPointer
	}
	return false
}
