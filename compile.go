package sofab

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
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
	all    []*form                 // pointers and proxies among the forms, to be linked
	own    []*table                // tables that are not those of a struct type as such
	unions []unionUse              // to be linked
	keys   []mapKey                // to be checked
	top    *table                  // of a message that is not a struct
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

// optionFits lists for each option the kinds of values it goes with, by the letters
// of the tag grammar. Options that are not listed go with every kind.
var optionFits = map[string]string{
	"maxlen": "SYXN raw", "count": "LM", "default": "UIFBSYLX time", "presence": "LMYSUIFBP raw fields", "required": "LMYSUIFBP raw fields",
	"string": "SYX", "blob": "SYX", "array": "L", "enum": "UI", "bits": "U",
	"u8": "UI", "u16": "UI", "u32": "UI", "u64": "UI", "i8": "UI", "i16": "UI", "i32": "UI", "i64": "UI",
	"fp32": "F", "fp64": "F", "union": "TE", "default_id": "TE", "inline": "TP",
	"unit": "UIF", "decimals": "F", "time": "time", "duration": "duration", "unknown": "unknown", "maxsize": "",
}

// fieldOptions are the options that only a field has, not a value inside one.
var fieldOptions = []string{"default", "required", "inline", "unknown", "name", "desc", "deprecated"}

// fits checks that the options of a value go with its kind, given as a letter.
func (c *compiler) fits(o *tags.Options, kind string, t reflect.Type, s site) bool {
	ok := true
	if o.HasDefaultID && !o.Union && strings.Contains("TE", kind) {
		c.fault(s, o.Pos("default_id"), "option \"default_id\" needs the option \"union\"")
		ok = false
	}
	for _, g := range o.Given {
		if fits, listed := optionFits[g.Key]; listed && !strings.Contains(fits, kind) {
			c.fault(s, g.Pos, "option %q does not go with type %v"+otherOption(&g, kind), g.Path, t)
			ok = false
		}
	}
	for _, inner := range []struct {
		path  string
		o     *tags.Options
		kinds string
	}{{"elem", o.Elem, "L"}, {"key", o.Key, "M"}, {"val", o.Val, "M"}} {
		if inner.o != nil && !strings.Contains(inner.kinds, kind) {
			hint := ""
			if kind == "Y" {
				hint = "; add \"array\" to make it an array of integers"
			}
			c.fault(s, firstGiven(inner.o).Pos, "%q: type %v has no %s%s", firstGiven(inner.o).Path, t, inner.path, hint)
			ok = false
		}
		if inner.o == nil {
			continue
		}
		for _, g := range inner.o.Given {
			if slices.Contains(fieldOptions, g.Key) {
				c.fault(s, g.Pos, "%q: option %q is one of a field, not of a value inside it", g.Path, g.Key)
				ok = false
			}
		}
	}
	return ok
}

// otherOption says what to do instead of giving an option to a value of a kind that it
// does not go with, where that is known.
func otherOption(g *tags.Given, kind string) string {
	element := strings.TrimSuffix(g.Path, g.Key) + "elem." + g.Key
	switch g.Key {
	case "count":
		if strings.Contains("SY", kind) {
			return "; its bound is maxlen"
		}
	case "bits":
		if kind == "I" {
			return "; use an unsigned type"
		}
	case "presence", "required", "default":
		if kind == "T" {
			return "; use a pointer to tell an absent struct from one at its defaults"
		}
	case "maxlen":
		if kind == "L" {
			return "; the bound of its length is count, that of its elements " + element
		}
	case "string", "blob", "enum", "u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "fp32", "fp64", "unit", "decimals":
		if kind == "L" {
			return "; use " + element
		}
	}
	return ""
}

// firstGiven is the first option at or below o.
func firstGiven(o *tags.Options) tags.Given {
	if len(o.Given) > 0 {
		return o.Given[0]
	}
	for _, inner := range []*tags.Options{o.Elem, o.Key, o.Val} {
		if inner != nil {
			return firstGiven(inner)
		}
	}
	return tags.Given{}
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
	c.all = append(c.all, f)
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
	if len(o.Given) == 0 && o.Elem == nil && o.Key == nil && o.Val == nil {
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
	f.slice = reflect.SliceOf(f.typ)
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

// link gives each pointer and proxy the wire type and the bounds of what stands behind
// it, which may have been in progress when it was compiled.
func (c *compiler) link() {
	for _, f := range c.all {
		target := f.behind()
		if target == nil {
			continue
		}
		f.wire, f.subtype = target.wire, target.subtype
		f.maxlen, f.length, f.count = target.maxlen, target.length, target.count
	}
	c.linkUnions()
	tables := slices.AppendSeq(slices.Clone(c.own), maps.Values(c.tables))
	for _, t := range tables {
		t.finish()
	}
	for _, t := range tables {
		t.makeImage()
		c.measure(t)
	}
	c.checkKeys()
	if len(c.faults) == 0 {
		c.linkFast()
	}
}

// linkFast prepares all forms and rows for the fast prefix of decoding.
func (c *compiler) linkFast() {
	for _, f := range c.made {
		f.linkFast()
	}
	for _, t := range c.tables {
		t.linkFast()
		t.linkOps()
	}
	for _, t := range c.own {
		t.linkFast()
		t.linkOps()
	}
	if c.top != nil {
		c.top.linkFast()
		c.top.linkOps()
	}
}

// table is the table of a struct type.
func (c *compiler) table(t reflect.Type) *table {
	if known, ok := c.known[t]; ok {
		return known
	}
	if inProgress, ok := c.tables[t]; ok {
		return inProgress
	}
	m := &table{typ: t}
	c.tables[t] = m
	fields := &fieldCollector{compiler: c, root: t, table: m, plain: true, used: map[uint32]bool{}}
	fields.collect(t, nil, nil)
	m.rows = fields.rows()
	m.plain = fields.plain
	m.index()
	return m
}

// finish derives what needs the tables inside to be complete, once: a table of an
// earlier compilation is in use and only read. Tables that hold themselves do so behind
// a pointer or slice, which ends the walk.
func (t *table) finish() {
	if t.finished {
		return
	}
	t.finished = true
	for i := range t.rows {
		r := &t.rows[i]
		t.required = t.required || r.required
		t.defaults = t.defaults || r.def != nil
		if f := r.form.inline(); f != nil && len(r.via) == 0 {
			f.table.finish()
			t.defaults = t.defaults || f.table.defaults
			t.plain = t.plain && f.table.plain
		}
		if x := r.form.resetByProxy(); x != nil {
			t.plain = false
			t.defaults = t.defaults || x.hasDefault
		}
	}
	t.blind = t.isBlind()
}

// makeImage makes a value of the struct with all defaults in it, so that a reset is one
// copy. Slices stay out of it, because every value gets one of its own.
func (t *table) makeImage() {
	if t.mem.typ != nil || !t.plain || t.hasEmptyArm() {
		return
	}
	t.mem, t.imaged = newMemType(t.typ), true
	image := t.mem.imageAt()
	for i := range t.rows {
		switch r := &t.rows[i]; {
		case r.via != nil:
		case r.def != nil && r.form.isShared():
			t.lists = append(t.lists, r)
		case r.def != nil:
			r.def.set(nil, r.form, image.add(r.offset))
		default:
			t.imaged = t.imaged && r.form.addImage(image.add(r.offset))
		}
	}
	t.keepable = t.imaged && t.lists == nil && t.findKept(0, &t.kept)
}

// isShared reports whether a copy of a value shares memory with it.
func (f *form) isShared() bool {
	return f.kind == kindBytes || f.kind == kindNative || f.kind == kindProxy
}

// addImage copies the image of the struct that is part of the value at p, where it has
// defaults. It reports whether it could.
func (f *form) addImage(p pointer) bool {
	s := f.inline()
	if s == nil || !s.table.defaults {
		return true
	}
	if s.table.makeImage(); !s.table.imaged || s.table.lists != nil {
		return false
	}
	if f.kind == kindStruct {
		f.table.mem.reset(p)
		return true
	}
	for i := range f.length {
		f.elem.addImage(p.arrayIndex(i, f.elem.size))
	}
	return true
}

// inline is the form of the struct whose memory is part of the value, if any.
func (f *form) inline() *form {
	for f.kind == kindWrapperArray {
		f = f.elem
	}
	if f.kind == kindStruct {
		return f
	}
	return nil
}

// A fieldCollector gathers the fields of a struct, promoted ones included.
type fieldCollector struct {
	*compiler
	root   reflect.Type
	table  *table
	plain  bool
	fields []field
	bare   []site          // exported fields without a tag
	used   map[uint32]bool // ids in tags, those of fields at fault included
}

// A field is a row with where it comes from.
type field struct {
	row   row
	path  string // Go selector from the root, "Audit.B"
	depth int
	site  site
}

// collect gathers the fields of t, which is the root or promoted into it. The path is
// that of t, the steps are the embedded pointers passed so far; base is the offset
// behind the last of them.
func (c *fieldCollector) collect(t reflect.Type, path []string, via []step) {
	c.collectAt(t, path, via, 0, map[reflect.Type]bool{})
}

func (c *fieldCollector) collectAt(t reflect.Type, path []string, via []step, base uintptr, outer map[reflect.Type]bool) {
	if outer[t] {
		c.fault(site{typ: c.root}, -1, "field %s: type %v embeds itself through a pointer; give the field an id or tag it `sofab:\"-\"`", strings.Join(path, "."), t)
		return
	}
	outer[t] = true
	defer delete(outer, t)
	for i := range t.NumField() {
		sf := t.Field(i)
		text, tagged := sf.Tag.Lookup(tagKey)
		s := site{typ: t, field: sf.Name, tag: text}
		if sf.Name == "_" {
			c.blank(sf, tagged, s)
			continue
		}
		if text == "-" {
			c.plain = false
			continue
		}
		var tag tags.Tag
		if tagged {
			var err error
			if tag, err = tags.Parse(text); err != nil {
				c.tagFault(s, err)
				c.useFaulty(text)
				continue
			}
			if tag.HasID {
				c.used[tag.ID] = true
			}
		}
		promoted, ok := c.promotes(sf, tagged, &tag, s)
		if !ok {
			continue
		}
		if promoted != nil {
			inner := append(slices.Clip(path), sf.Name)
			if sf.Type.Kind() == reflect.Pointer {
				through := append(slices.Clip(via), step{offset: base + sf.Offset, typ: promoted})
				c.collectAt(promoted, inner, through, 0, outer)
			} else {
				c.collectAt(promoted, inner, via, base+sf.Offset, outer)
			}
			continue
		}
		c.field(sf, &tag, path, via, base, s)
	}
}

// tagFault reports the error of a tag that does not parse.
func (c *fieldCollector) tagFault(s site, err error) {
	var e *tags.Error
	if errors.As(err, &e) {
		c.faults = append(c.faults, &TagError{Type: s.typ, Field: s.field, Tag: s.tag, Pos: e.Pos, Reason: e.Reason})
	}
}

// useFaulty marks the id of a tag that does not parse as used, if it has one.
func (c *fieldCollector) useFaulty(text string) {
	id, _, _ := strings.Cut(text, ",")
	if tag, err := tags.Parse(id); err == nil && tag.HasID {
		c.used[tag.ID] = true
	}
}

// blank reads the options of the type from the tag of a blank field.
func (c *fieldCollector) blank(sf reflect.StructField, tagged bool, s site) {
	if sf.Type.Size() > 0 {
		c.plain = false
	}
	if !tagged || s.typ != c.root {
		return
	}
	tag, err := tags.Parse(s.tag)
	if err != nil {
		c.tagFault(s, err)
		return
	}
	if tag.Ignore || tag.HasID {
		c.fault(s, 0, "a blank field takes options of the type only; there are name, desc and maxsize")
		return
	}
	for _, g := range tag.Given {
		if g.Key != "name" && g.Key != "desc" && g.Key != "maxsize" {
			c.fault(s, g.Pos, "option %q is not one of a type; there are name, desc and maxsize", g.Path)
		}
	}
	if tag.MaxSize > 0 {
		if c.table.maxsize > 0 {
			c.fault(s, tag.Pos("maxsize"), "maxsize is given by another blank field already")
		}
		c.table.maxsize = tag.MaxSize
	}
}

// promotes decides whether the fields of sf are promoted into the root. It returns
// the struct type of sf if so; ok is false when the field is left out, because it is
// unexported or at fault.
func (c *fieldCollector) promotes(sf reflect.StructField, tagged bool, tag *tags.Tag, s site) (promoted reflect.Type, ok bool) {
	target := sf.Type
	if target.Kind() == reflect.Pointer {
		target = target.Elem()
	}
	isStruct := target.Kind() == reflect.Struct
	switch {
	case tag.Inline:
		if tag.HasID {
			c.fault(s, 0, "inline fields have no id of their own; write `sofab:\",inline\"`")
			return nil, false
		}
		if !isStruct || c.special(target, new(tags.Options)) != nil {
			c.fault(s, tag.Pos("inline"), "option \"inline\" does not go with type %v", sf.Type)
			return nil, false
		}
		if !sf.IsExported() && !sf.Anonymous {
			c.plain = false
			c.fault(s, 0, "the field is not exported; export it or remove the tag")
			return nil, false
		}
		for _, g := range tag.Given {
			if !slices.Contains([]string{"inline", "name", "desc", "deprecated"}, g.Key) {
				c.fault(s, g.Pos, "option %q does not go with \"inline\"", g.Path)
			}
		}
		promoted = target
	case sf.Anonymous && !tagged && isSync(target):
		c.plain = false
		c.fault(s, -1, "%stype %v is no data; tag the field `sofab:\"-\"`", s.subject(), target)
		return nil, false
	case sf.Anonymous && !tagged && isStruct && c.special(target, new(tags.Options)) == nil:
		promoted = target
	case !sf.IsExported() && !(sf.Anonymous && isStruct):
		c.plain = false
		if tagged {
			c.fault(s, 0, "the field is not exported; export it or remove the tag")
		}
		return nil, false
	case !tagged:
		if isSync(target) {
			c.fault(s, -1, "%stype %v is no data; tag the field `sofab:\"-\"`", s.subject(), target)
			return nil, false
		}
		c.bare = append(c.bare, s)
		return nil, false
	case !tag.HasID && !tag.Unknown:
		c.fault(s, 0, "the id is missing; it comes first, as in `sofab:\"1,presence\"`")
		return nil, false
	}
	if sf.Type.Kind() == reflect.Pointer && sf.Anonymous && !sf.IsExported() {
		c.fault(s, -1, "%sembedded pointer to unexported type %v cannot be allocated; embed the value or tag it `sofab:\"-\"`", s.subject(), target)
		return nil, false
	}
	return promoted, true
}

// field adds the row of a field with an id.
func (c *fieldCollector) field(sf reflect.StructField, tag *tags.Tag, path []string, via []step, base uintptr, s site) {
	if tag.Unknown {
		c.unknown(sf, tag, path, via, base, s)
		return
	}
	r := row{id: wire.ID(tag.ID), name: sf.Name, offset: base + sf.Offset, via: via}
	o := &tag.Options
	r.form = c.form(sf.Type, o, s)
	if r.form == nil {
		return
	}
	optional := r.form.isNullable()
	if o.Required && !optional && !o.Presence {
		c.fault(s, o.Pos("required"), "required needs a pointer or the option presence; without, a field at its default is absent on the wire")
		return
	}
	r.required = o.Required
	r.presence = o.Presence && r.form.isNeverNil()
	if o.HasDefault {
		r.def = c.defaultValue(&r, o, s)
	}
	c.fields = append(c.fields, field{
		row: r, path: pathOf(path, sf.Name), depth: len(path), site: s,
	})
}

// pathOf is the Go selector of a field in a promoted struct with that path.
func pathOf(path []string, name string) string {
	return strings.Join(append(slices.Clip(path), name), ".")
}

// isNeverNil reports whether a value with the option presence is always written,
// because there is no nil among its values.
func (f *form) isNeverNil() bool {
	switch f.onWire().kind {
	case kindBool, kindInteger, kindFloat32, kindFloat64, kindNarrowFloat, kindString, kindByteArray, kindNativeArray, kindWrapperArray:
		return true
	}
	return false
}

// rows are the fields by ascending id. Two fields with one id are a fault, unless
// they have the same name and one is nearer to the root: it hides the other, as in
// Go.
func (c *fieldCollector) rows() []row {
	slices.SortStableFunc(c.fields, func(a, b field) int { return cmp.Compare(a.depth, b.depth) })
	byID := map[wire.ID]int{}
	var kept []field
	for _, f := range c.fields {
		at, taken := byID[f.row.id]
		if !taken {
			byID[f.row.id] = len(kept)
			kept = append(kept, f)
			continue
		}
		if other := &kept[at]; other.row.name != f.row.name || other.depth == f.depth {
			c.fault(site{typ: c.root, field: f.path}, -1, "%s: id %d is already used by %s", f.describe(), f.row.id, other.describe())
		}
	}
	c.reportBare()
	slices.SortFunc(kept, func(a, b field) int { return cmp.Compare(a.row.id, b.row.id) })
	rows := make([]row, len(kept))
	for i, f := range kept {
		rows[i] = f.row
	}
	return rows
}

// describe names a field in an error text.
func (f *field) describe() string {
	if f.depth == 0 {
		return "field " + f.path
	}
	return fmt.Sprintf("field %s (promoted from %s)", f.row.name, f.path)
}

// reportBare reports the exported fields without a tag, with ids that are free.
func (c *fieldCollector) reportBare() {
	next := uint32(0)
	for id := range c.used {
		next = max(next, id+1)
	}
	for _, s := range c.bare {
		if next > wire.MaxID {
			next = 0
		}
		for c.used[next] {
			next++
		}
		c.fault(s, -1, "exported field %s has no sofab tag; add `sofab:\"%d\"` (next free id) or `sofab:\"-\"`", s.field, next)
		next++
	}
}
