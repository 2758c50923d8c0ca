package sofab

import (
	"reflect"
	"sync"

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

	pool sync.Pool // stand-ins that are zero
}

// stand is a stand-in that is being decoded into.
type stand struct {
	form           *form
	value, standIn pointer
}

// get is a zero stand-in.
func (x *proxy) get() pointer {
	if p, ok := x.pool.Get().(pointer); ok {
		return p
	}
	return newValue(x.form.typ)
}

// close gives a stand-in back. It forgets what it held.
func (x *proxy) close(standIn pointer) {
	x.form.mem.reset(standIn)
	x.pool.Put(standIn)
}

// with calls use with a stand-in of the value at p.
func (x *proxy) with(f *form, p pointer, use func(*form, pointer) error) error {
	standIn := x.get()
	err := x.load(f, p, standIn)
	if err == nil {
		err = use(x.form, standIn)
	}
	x.close(standIn)
	return err
}

// open is a stand-in to decode into. That of a struct starts with what is in the
// value, because a struct that is opened again is continued (section 3.7).
func (x *proxy) open(f *form, p pointer) (pointer, error) {
	standIn := x.get()
	if x.form.kind == kindStruct && !x.isZero(f, p) {
		return standIn, x.load(f, p, standIn)
	}
	return standIn, nil
}

// proxy writes a value as its stand-in.
func (s *encodeState) proxy(f *form, id wire.ID, p pointer, keep bool) error {
	x := f.proxy
	if !keep && x.isZero(f, p) {
		return nil
	}
	standIn := x.get()
	err := x.load(f, p, standIn)
	if err == nil {
		err = s.value(x.form, id, standIn, keep)
	}
	x.close(standIn)
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
	c.all = append(c.all, f)
	return f.proxy
}
