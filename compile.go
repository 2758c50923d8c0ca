package sofab

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/sofab-go/sofab/tags"
	"github.com/sofab-go/sofab/wire"
)

// tagKey is the key of the struct tags that this package reads.
const tagKey = "sofab"

// A compiler turns Go types into tables and forms, for the whole graph that one type
// reaches. Recursion ends at tables and forms that are in progress. It collects every
// fault instead of stopping at the first.
type compiler struct {
	known  map[reflect.Type]*table // complete ones of earlier compilations
	tables map[reflect.Type]*table // of this one
	forms  map[reflect.Type]*form  // of types without options
	made   []*form                 // all forms
	fronts []*form                 // pointers and proxies among them, to be linked
	own    []*table                // tables that are not those of a struct type as such
	unions []unionUse              // to be linked
	keys   []mapKey                // to be checked
	top    *table                  // of a message that is not a struct
	home   string                  // path of the package of the type of the message
	tree   *tree                   // for Fields
	faults []error
}

func newCompiler(known map[reflect.Type]*table) *compiler {
	return &compiler{known: known, tables: map[reflect.Type]*table{}, forms: map[reflect.Type]*form{}}
}

// A site is the place in the source that a fault is reported for.
type site struct {
	typ   reflect.Type // the struct, or the type at the top
	field string
	tag   string
}

// fault reports a fault of the tag of a site. A position of -1 is a fault of the
// field or type as such. Another one is named behind what the format says first, up to
// a colon or a semicolon.
func (c *compiler) fault(s site, pos int, format string, args ...any) {
	if pos >= 0 {
		end := len(format)
		for _, stop := range []string{": ", "; "} {
			if i := strings.Index(format, stop); i >= 0 {
				end = min(end, i)
			}
		}
		format = format[:end] + " at byte " + strconv.Itoa(pos) + format[end:]
	}
	c.faults = append(c.faults, &TagError{Type: s.typ, Field: s.field, Tag: s.tag, Pos: pos, Reason: fmt.Sprintf(format, args...)})
}

// message is the table of messages of type t: that of a struct, or for any other type
// one with the value at id 0.
func (c *compiler) message(t reflect.Type) *table {
	c.home = t.PkgPath()
	s := site{typ: t}
	f := c.topForm(t, s)
	if f == nil || f.kind == kindStruct {
		if f == nil {
			return nil
		}
		return f.table
	}
	m := &table{typ: t, rows: []row{{form: f}}}
	if f.isWhole() {
		m.rows, m.whole = nil, f
	}
	m.index()
	c.top = m
	return m
}

// topForm is the form of the value of a message.
func (c *compiler) topForm(t reflect.Type, s site) *form {
	if t == reflect.TypeFor[[]any]() || t == reflect.TypeFor[map[string]any]() {
		return c.heldByAny(t, s)
	}
	return c.form(t, nil, s)
}

// serials counts forms.
var serials atomic.Uint32

// form is the form of type t under the options o, which may be nil. It is nil after a
// fault.
func (c *compiler) form(t reflect.Type, o *tags.Options, s site) *form {
	if o == nil {
		if f, ok := c.forms[t]; ok {
			return f
		}
	}
	f := blankForm(t)
	if o == nil {
		c.forms[t] = f
		o = new(tags.Options)
	}
	if !c.fill(f, t, o, s) {
		if c.forms[t] == f {
			delete(c.forms, t)
		}
		return nil
	}
	f.presence = o.Presence
	c.made = append(c.made, f)
	return f
}

// blankForm is a form of type t without a kind.
func blankForm(t reflect.Type) *form {
	return &form{typ: t, goKind: t.Kind(), size: t.Size(), length: -1, serial: serials.Add(1), mem: newMemType(t)}
}

// newForm is the form of a stand-in that does not follow from its type.
func (c *compiler) newForm(t reflect.Type, k kind, w wire.Type) *form {
	f := blankForm(t)
	f.kind, f.wire = k, w
	c.made = append(c.made, f)
	return f
}

// fill sets the fields of f by its type.
func (c *compiler) fill(f *form, t reflect.Type, o *tags.Options, s site) bool {
	if isSync(t) {
		c.fault(s, -1, "%stype %v is no data; tag the field `sofab:\"-\"`", s.subject(), t)
		return false
	}
	if special := c.special(t, o); special != nil {
		return special(c, f, t, o, s)
	}
	switch t.Kind() {
	case reflect.Bool:
		f.kind, f.wire = kindBool, wire.Unsigned
		return c.fits(o, "B", t, s)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return c.fits(o, "I", t, s) && c.integer(f, t, o, s, true)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return c.fits(o, "U", t, s) && c.integer(f, t, o, s, false)
	case reflect.Float32, reflect.Float64:
		return c.fits(o, "F", t, s) && c.float(f, t, o, s)
	case reflect.String:
		f.kind, f.wire, f.subtype, f.maxlen = kindString, wire.Fixlen, wire.String, o.MaxLen
		if o.Form == tags.FormBlob {
			f.subtype = wire.Blob
		}
		return c.fits(o, "S", t, s)
	case reflect.Slice, reflect.Array:
		if t.Elem().Kind() == reflect.Uint8 && o.Form != tags.FormArray {
			return c.fits(o, "Y", t, s) && c.bytes(f, t, o, s)
		}
		return c.list(f, t, o, s)
	case reflect.Struct:
		f.kind, f.wire = kindStruct, wire.SequenceStart
		if !c.fits(o, "T", t, s) {
			return false
		}
		if c.hides(t, false, s) {
			return false
		}
		if o.Union {
			return c.union(f, t, o, s)
		}
		f.table = c.table(t)
		return true
	case reflect.Pointer:
		return c.pointer(f, t, o, s)
	case reflect.Map:
		return c.mapping(f, t, o, s)
	case reflect.Interface:
		return c.dynamic(f, t, o, s)
	}
	c.fault(s, -1, "%stype %v has no wire form%s", s.subject(), t, remedy(t))
	return false
}

// subject is the start of the text of a fault of a field as such.
func (s site) subject() string {
	if s.field == "" {
		return ""
	}
	return "field " + s.field + ": "
}

// remedy says what to do with a field of a type without a wire form.
func remedy(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Chan, reflect.Func, reflect.UnsafePointer, reflect.Uintptr, reflect.Complex64, reflect.Complex128:
		return "; tag the field `sofab:\"-\"`"
	}
	return ""
}

// integer fills the form of an integer: the sign and width on the wire are those of
// the Go type, or those that an option declares.
func (c *compiler) integer(f *form, t reflect.Type, o *tags.Options, s site, signed bool) bool {
	f.kind = kindInteger
	f.width = uint(t.Bits())
	onWire := signed
	declared := f.width
	if t.Kind() == reflect.Int || t.Kind() == reflect.Uint {
		declared = 64
	}
	switch {
	case o.Width != tags.WidthNone && (o.Enum || o.Bits), o.Enum && o.Bits:
		c.fault(s, max(o.Pos("enum"), o.Pos("bits")), "a width, enum and bits exclude each other; keep one")
		return false
	case o.Width != tags.WidthNone:
		onWire = o.Width.Signed()
		w := uint(o.Width.Bits())
		if w > declared || w == declared && signed && !onWire {
			c.fault(s, o.Pos(o.Width.String()), "%s is wider than type %v", o.Width, t)
			return false
		}
		if f.width = w; onWire == signed {
			f.width = min(w, uint(t.Bits())) // a 32-bit int or uint
		}
	case o.Enum:
		onWire = true
		if f.width = 32; signed {
			f.width = min(32, uint(t.Bits()))
		}
		for _, m := range o.Members {
			if !representable(m, t, signed) {
				c.fault(s, o.Pos("enum"), "enum member %d is outside type %v", m, t)
				return false
			}
		}
		f.members = o.Members
	case o.Bits:
		for _, b := range o.BitList {
			if b >= t.Bits() {
				c.fault(s, o.Pos("bits"), "bit %d is outside type %v", b, t)
				return false
			}
		}
	}
	f.mixed = onWire != signed
	f.wire, f.bound = wire.Unsigned, fmt.Sprintf("u%d", f.width)
	if onWire {
		f.wire, f.bound = wire.Signed, fmt.Sprintf("i%d", f.width)
	}
	return true
}

func representable(v int64, t reflect.Type, signed bool) bool {
	if signed {
		return !reflect.Zero(t).OverflowInt(v)
	}
	return v >= 0 && !reflect.Zero(t).OverflowUint(uint64(v))
}

func (c *compiler) float(f *form, t reflect.Type, o *tags.Options, s site) bool {
	f.kind, f.wire, f.subtype = kindFloat64, wire.Fixlen, wire.FP64
	switch {
	case t.Kind() == reflect.Float32 && o.Width == tags.WidthFP64:
		c.fault(s, o.Pos("fp64"), "fp64 is wider than type %v", t)
		return false
	case t.Kind() == reflect.Float32:
		f.kind, f.subtype = kindFloat32, wire.FP32
	case o.Width == tags.WidthFP32:
		f.kind, f.subtype = kindNarrowFloat, wire.FP32
	}
	return true
}

// bytes fills the form of []byte or [N]byte as one blob or string.
func (c *compiler) bytes(f *form, t reflect.Type, o *tags.Options, s site) bool {
	f.kind, f.wire, f.subtype, f.maxlen = kindBytes, wire.Fixlen, wire.Blob, o.MaxLen
	if o.Form == tags.FormString {
		f.subtype = wire.String
	}
	if t.Kind() == reflect.Array {
		f.kind, f.length = kindByteArray, t.Len()
		if o.MaxLen > 0 && o.MaxLen != t.Len() {
			c.fault(s, o.Pos("maxlen"), "maxlen=%d is not the length of type %v; leave it out", o.MaxLen, t)
			return false
		}
	}
	return true
}

// list fills the form of a slice or array: a native array of scalars, or a wrapper.
func (c *compiler) list(f *form, t reflect.Type, o *tags.Options, s site) bool {
	f.kind, f.wire, f.count = kindWrapper, wire.SequenceStart, o.Count
	if t.Kind() == reflect.Array {
		f.kind, f.length = kindWrapperArray, t.Len()
		if o.Count > 0 && o.Count != t.Len() {
			c.fault(s, o.Pos("count"), "count=%d is not the length of type %v; leave it out", o.Count, t)
			return false
		}
	}
	if !c.fits(o, "L", t, s) {
		return false
	}
	if o.Form == tags.FormArray && t.Elem().Kind() != reflect.Uint8 {
		c.fault(s, o.Pos("array"), "type %v is an array anyway; leave out \"array\"", t)
		return false
	}
	f.elem = c.form(t.Elem(), o.Elem, s)
	if f.elem == nil {
		return false
	}
	f.elem.allocatable()
	scalar := f.elem.behind()
	if scalar == nil {
		return true // in progress, which an element that ends in a scalar never is
	}
	switch scalar.wire {
	case wire.Unsigned:
		f.wire = wire.UnsignedArray
	case wire.Signed:
		f.wire = wire.SignedArray
	case wire.Fixlen:
		if scalar.subtype > wire.FP64 {
			return true
		}
		f.wire, f.subtype = wire.FixlenArray, scalar.subtype
	default:
		return true
	}
	f.goKind, f.width, f.bound = scalar.goKind, scalar.width, scalar.bound
	f.kind = kindNative
	if t.Kind() == reflect.Array {
		f.kind = kindNativeArray
	}
	return true
}

// pointer fills the form of a pointer; its options are those of what it points to.
func (c *compiler) pointer(f *form, t reflect.Type, o *tags.Options, s site) bool {
	f.kind = kindPointer
	if endless(t) {
		c.fault(s, -1, "%stype %v points only to itself", s.subject(), t)
		return false
	}
	f.elem = c.form(t.Elem(), pointeeOptions(o), s)
	c.fronts = append(c.fronts, f)
	if f.elem == nil {
		return false
	}
	f.elem.allocatable()
	return true
}

// endless reports whether a chain of pointers leads back to itself, as type P *P does.
func endless(t reflect.Type) bool {
	seen := map[reflect.Type]bool{}
	for ; t.Kind() == reflect.Pointer; t = t.Elem() {
		if seen[t] {
			return true
		}
		seen[t] = true
	}
	return false
}

// pointeeOptions are the options of what a pointer points to: all but those that the
// pointer itself fulfils. They are nil if there is none.
func pointeeOptions(o *tags.Options) *tags.Options {
	if len(o.Given) == 0 && !o.Presence && o.Elem == nil && o.Key == nil && o.Val == nil {
		return nil
	}
	inner := *o
	inner.Required = false
	inner.Given = slices.DeleteFunc(slices.Clone(o.Given), func(g tags.Given) bool {
		return g.Key == "required" || g.Key == "presence"
	})
	return &inner
}

// allocatable prepares a form for the decoder to allocate values of.
func (f *form) allocatable() {
	f.array = newArrayType(f.typ)
	f.pointerFree = !holdsPointers(f.typ)
}

// holdsPointers reports whether the memory of a type may hold pointers.
func holdsPointers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint8,
		reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Float32, reflect.Float64:
		return false
	case reflect.Array:
		return holdsPointers(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if holdsPointers(t.Field(i).Type) {
				return true
			}
		}
		return false
	}
	return true
}
