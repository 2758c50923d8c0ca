package sofab

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/sofab-go/sofab/stream"
	"github.com/sofab-go/sofab/wire"
)

// An encodeState writes one value. It walks the rows of a table in order of ids and
// recurses into structs and wrappers; the encoder's limit of 255 open sequences ends
// cyclic values.
type encodeState struct {
	stream.Encoder
	verbatim bool // strings that are not UTF-8 pass
}

var encodeStates = sync.Pool{New: func() any { return new(encodeState) }}

// maxKeptScratch is the largest buffer that is kept for the next value.
const maxKeptScratch = 1 << 20

// release makes the state ready to be kept and gives it back.
func (s *encodeState) release() {
	s.DropScratch(maxKeptScratch)
	encodeStates.Put(s)
}

// message writes the fields of a struct, which is all a message consists of.
func (s *encodeState) message(t *table, p pointer) error {
	if p.isNil() {
		return nil
	}
	start := s.Written()
	var err error
	if t.whole != nil {
		err = s.whole(t.whole, p)
	} else {
		err = s.fields(t, p)
	}
	if err == nil {
		err = s.checkSize(t, start)
	}
	if stuck := s.Err(); stuck != nil {
		return stuck
	}
	if err != nil {
		return rooted(err, t.typ)
	}
	return nil
}

// errStopped ends a message of which no more is written, because of the error that
// sticks. That may be the writer's, which is returned as it is: no path is put into it.
var errStopped = errors.New("an error of the output sticks")

// fields writes the fields of the struct at p that differ from their defaults.
func (s *encodeState) fields(t *table, p pointer) error {
	if t.unknown != nil {
		if unknown := t.unknownAt(p); len(unknown) > 0 {
			return s.fieldsAndUnknown(t, p, unknown)
		}
	}
	if fastPaths {
		return s.runOps(&t.ops[0], p)
	}
	for i := range t.rows {
		if err := s.row(&t.rows[i], p); err != nil {
			return within(err, t.rows[i].name)
		}
	}
	return nil
}

// row writes the field of a row of the struct at p.
func (s *encodeState) row(r *row, p pointer) error {
	if r.via != nil {
		if p = r.pass(p); p.isNil() {
			if r.required {
				return &UnsupportedValueError{Str: "required field is nil"}
			}
			return nil
		}
	}
	return s.field(r, p.add(r.offset))
}

// pass follows the embedded pointers to the struct that holds the field; it is nil if
// one of them is.
func (r *row) pass(p pointer) pointer {
	for i := range r.via {
		if p = p.add(r.via[i].offset).load(); p.isNil() {
			break
		}
	}
	return p
}

// field writes one field unless it is at its default.
func (s *encodeState) field(r *row, p pointer) error {
	keep := r.presence
	if r.def != nil {
		if !keep && r.def.equals(r.form, p) {
			return nil
		}
		keep = true
	}
	if r.required && r.form.isAbsent(p) {
		return &UnsupportedValueError{Value: p.value(r.form.typ), Str: "required field is nil"}
	}
	return s.value(r.form, r.id, p, keep)
}

// isOptional reports whether a nil value of the form is an absent one.
func (f *form) isOptional() bool {
	return f.isNullable() || f.kind == kindBytes || f.kind == kindNative || f.kind == kindWrapper ||
		f.kind == kindRaw || f.kind == kindFields || f.kind == kindProxy && f.proxy.isNil != nil
}

// isAbsent reports whether a value with presence is not there.
func (f *form) isAbsent(p pointer) bool {
	switch f.kind {
	case kindPointer:
		return p.load().isNil()
	case kindBytes, kindNative, kindWrapper:
		return p.slice().isNil()
	case kindProxy:
		return f.proxy.nullable && f.proxy.isZero(f, p) || f.proxy.isNil != nil && f.proxy.isNil(p)
	case kindRaw, kindFields:
		return f.goKind == reflect.Slice && p.slice().isNil()
	}
	return false
}

// isNullable reports whether the form has presence by its type, as a pointer has.
func (f *form) isNullable() bool {
	return f.kind == kindPointer || f.kind == kindProxy && f.proxy.nullable
}

// value writes the value at p as a field with the given id. With keep it is written
// also at its default: the last element of a wrapper, or a value with presence.
func (s *encodeState) value(f *form, id wire.ID, p pointer, keep bool) error {
	switch f.kind {
	case kindBool:
		if v := *at[bool](p); v || keep {
			s.varint(id, wire.Unsigned, uint64(wire.BoolByte(v)))
		}
	case kindInteger:
		return s.integer(f, id, p, keep)
	case kindFloat32:
		if v := *at[float32](p); v != 0 || keep {
			s.float32(id, v)
		}
	case kindFloat64:
		if v := *at[float64](p); v != 0 || keep {
			s.float64(id, v)
		}
	case kindNarrowFloat:
		if v := *at[float64](p); v != 0 || keep {
			n, err := narrow(v)
			if err != nil {
				return err
			}
			s.float32(id, n)
		}
	case kindString:
		if v := *at[string](p); v != "" || keep {
			return s.text(f, id, v)
		}
	case kindBytes:
		if v := *at[[]byte](p); len(v) > 0 || keep || f.presence && v != nil {
			return s.blob(f, id, v)
		}
	case kindByteArray:
		if v := elements[byte](p, f.length); keep || slices.ContainsFunc(v, func(b byte) bool { return b != 0 }) {
			return s.blob(f, id, v)
		}
	case kindNative:
		if v := p.slice(); v.len > 0 || keep || f.presence && !v.isNil() {
			return s.native(f, id, v.first(), v.len)
		}
	case kindNativeArray:
		if keep || !isZeroArray(f, p) {
			return s.native(f, id, p, f.length)
		}
	case kindWrapper:
		v := p.slice()
		return s.wrapper(f, id, v.first(), v.len, keep || f.presence && !v.isNil())
	case kindWrapperArray:
		return s.wrapper(f, id, p, f.length, keep)
	case kindStruct:
		return s.structure(f.table, id, p, keep)
	case kindPointer:
		return s.pointer(f, id, p, keep)
	case kindProxy:
		return s.proxy(f, id, p, keep)
	case kindRaw:
		return s.raw(f, id, p, keep)
	case kindFields:
		return s.tree(f, id, p, keep)
	}
	return nil
}

// varint writes an integer field.
func (s *encodeState) varint(id wire.ID, t wire.Type, u uint64) {
	b := s.Reserve(2 * wire.MaxVarintLen)
	n := wire.PutHeader(b, id, t)
	s.Advance(n + wire.PutVarint(b[n:], u))
}

func (s *encodeState) integer(f *form, id wire.ID, p pointer, keep bool) error {
	if u, _ := loadInteger(f, p); u == 0 && !keep {
		return nil
	}
	u, err := checkedInteger(f, p)
	if err == nil {
		s.varint(id, f.wire, u)
	}
	return err
}

// checkedInteger is the varint of an integer within its declared width.
func checkedInteger(f *form, p pointer) (uint64, error) {
	u, ok := loadInteger(f, p)
	if !ok || !wire.Fits(u, f.width) {
		return 0, integerRefused(f, p)
	}
	if !f.isMember(wire.Unzigzag(u)) {
		v := p.value(f.typ)
		return 0, &UnsupportedValueError{Value: v, Str: strconv.FormatInt(wire.Unzigzag(u), 10) + " is not a member of the enum"}
	}
	return u, nil
}

// isMember reports whether an integer is one of the members of an enum, if the form is
// that of one.
func (f *form) isMember(v int64) bool { return f.members == nil || slices.Contains(f.members, v) }

// integerRefused is the error of a Go integer that the wire form cannot express.
func integerRefused(f *form, p pointer) *BoundError {
	e := widthError(f, 0, -1)
	if v := p.value(f.typ); v.CanInt() {
		e.Got = v.Int()
	} else {
		e.setGot(v.Uint())
	}
	return e
}

func (s *encodeState) float32(id wire.ID, v float32) {
	b := s.Reserve(wire.MaxVarintLen + 5)
	n := wire.PutHeader(b, id, wire.Fixlen)
	n += wire.PutFixlenWord(b[n:], 4, wire.FP32)
	wire.AppendFloat32(b[n:n], v)
	s.Advance(n + 4)
}

func (s *encodeState) float64(id wire.ID, v float64) {
	b := s.Reserve(wire.MaxVarintLen + 9)
	n := wire.PutHeader(b, id, wire.Fixlen)
	n += wire.PutFixlenWord(b[n:], 8, wire.FP64)
	wire.AppendFloat64(b[n:n], v)
	s.Advance(n + 8)
}

// narrow is v as a float32, which must be exact.
func narrow(v float64) (float32, error) {
	n := float32(v)
	if float64(n) != v && !math.IsNaN(v) {
		return 0, &UnsupportedValueError{Value: reflect.ValueOf(v), Str: strconv.FormatFloat(v, 'g', -1, 64) + " is not exact as fp32"}
	}
	return n, nil
}

// checkCount checks the number of elements of an array or wrapper.
func checkCount(f *form, n int) error {
	limit := wire.MaxArray
	if f.count > 0 {
		limit = f.count
	}
	if n > limit {
		return &BoundError{Offset: -1, Bound: "count", Limit: int64(limit), Got: int64(n)}
	}
	return nil
}

// native writes n elements from p on as an array of integers, booleans or floats.
func (s *encodeState) native(f *form, id wire.ID, p pointer, n int) error {
	if err := checkCount(f, n); err != nil {
		return err
	}
	if !f.elem.isPlain() {
		return s.checkedNative(f, id, p, n)
	}
	s.arrayHead(f, id, n)
	switch f.goKind {
	case reflect.Bool:
		s.PutBools(elements[bool](p, n))
	case reflect.Uint8:
		stream.PutUnsigneds(&s.Encoder, elements[uint8](p, n))
	case reflect.Uint16:
		stream.PutUnsigneds(&s.Encoder, elements[uint16](p, n))
	case reflect.Uint32:
		stream.PutUnsigneds(&s.Encoder, elements[uint32](p, n))
	case reflect.Uint64:
		stream.PutUnsigneds(&s.Encoder, elements[uint64](p, n))
	case reflect.Uint:
		stream.PutUnsigneds(&s.Encoder, elements[uint](p, n))
	case reflect.Int8:
		stream.PutSigneds(&s.Encoder, elements[int8](p, n))
	case reflect.Int16:
		stream.PutSigneds(&s.Encoder, elements[int16](p, n))
	case reflect.Int32:
		stream.PutSigneds(&s.Encoder, elements[int32](p, n))
	case reflect.Int64:
		stream.PutSigneds(&s.Encoder, elements[int64](p, n))
	case reflect.Int:
		stream.PutSigneds(&s.Encoder, elements[int](p, n))
	case reflect.Float32:
		s.PutFloat32s(elements[float32](p, n))
	case reflect.Float64:
		s.PutFloat64s(elements[float64](p, n))
	}
	return nil
}

func (s *encodeState) arrayHead(f *form, id wire.ID, n int) {
	b := s.Reserve(2 * wire.MaxVarintLen)
	k := wire.PutHeader(b, id, f.wire)
	s.Advance(k + wire.PutVarint(b[k:], uint64(n)))
}

// isPlain reports whether every value of the Go type is an element as it is: no
// declared width, no conversion, no pointer.
func (f *form) isPlain() bool {
	switch f.kind {
	case kindBool, kindFloat32, kindFloat64:
		return true
	case kindInteger:
		return !f.mixed && f.members == nil && f.width == uint(8*f.size)
	}
	return false
}

// checkedNative writes elements that are checked or converted one by one. All are
// checked before the first byte of the field is written.
func (s *encodeState) checkedNative(f *form, id wire.ID, p pointer, n int) error {
	for i := range n {
		if err := checkElement(f.elem, p.arrayIndex(i, f.elem.size)); err != nil {
			return within(err, indexed(i))
		}
	}
	s.arrayHead(f, id, n)
	if f.wire == wire.FixlenArray {
		wire.AppendElementWord(s.Reserve(1)[:0], f.subtype)
		s.Advance(1)
	}
	for i := range n {
		s.element(f.elem, p.arrayIndex(i, f.elem.size))
	}
	return nil
}

func checkElement(f *form, p pointer) error {
	var err error
	switch f.kind {
	case kindPointer:
		if p = p.load(); p.isNil() {
			return &UnsupportedValueError{Value: p.value(f.elem.typ), Str: "nil element; an array of scalars has no gaps"}
		}
		return checkElement(f.elem, p)
	case kindInteger:
		_, err = checkedInteger(f, p)
	case kindNarrowFloat:
		_, err = narrow(*at[float64](p))
	case kindProxy:
		err = f.proxy.with(f, p, checkElement)
	}
	return err
}

// element writes a checked element of a native array.
func (s *encodeState) element(f *form, p pointer) {
	b := s.Reserve(wire.MaxVarintLen)
	switch f.kind {
	case kindPointer:
		s.element(f.elem, p.load())
	case kindProxy:
		// The element was checked, so that loading it again does not fail.
		_ = f.proxy.with(f, p, func(standIn *form, p pointer) error {
			s.element(standIn, p)
			return nil
		})
	case kindBool:
		b[0] = wire.BoolByte(*at[bool](p))
		s.Advance(1)
	case kindInteger:
		u, _ := loadInteger(f, p)
		s.Advance(wire.PutVarint(b, u))
	case kindFloat32:
		s.Advance(len(wire.AppendFloat32(b[:0], *at[float32](p))))
	case kindNarrowFloat:
		s.Advance(len(wire.AppendFloat32(b[:0], float32(*at[float64](p)))))
	case kindFloat64:
		s.Advance(len(wire.AppendFloat64(b[:0], *at[float64](p))))
	}
}

// wrapper writes n elements from p on as a sequence with one field per element. The
// last is always written, an earlier one only when it differs from its default
// (section 3.3). A Go array of which all elements are at their defaults has no last
// element to keep.
func (s *encodeState) wrapper(f *form, id wire.ID, p pointer, n int, keep bool) error {
	if err := checkCount(f, n); err != nil {
		return err
	}
	if n == 0 && !keep {
		return nil
	}
	if err := s.begin(id); err != nil {
		return err
	}
	for i := range n {
		last := i == n-1 && (f.kind == kindWrapper || s.Window().HasContent())
		if err := s.value(f.elem, wire.ID(i), p.arrayIndex(i, f.elem.size), last); err != nil {
			return within(err, indexed(i))
		}
	}
	s.end(keep)
	return nil
}

// begin opens a sequence.
func (s *encodeState) begin(id wire.ID) error {
	if s.Depth() == wire.MaxDepth {
		return &UnsupportedValueError{Str: "more than 255 levels deep; does the value contain itself?"}
	}
	if s.BeginSequence(id) != nil {
		return errStopped
	}
	return nil
}

func (s *encodeState) end(keep bool) {
	if keep {
		s.EndSequenceKeep()
	} else {
		s.EndSequence()
	}
}

// structure writes a struct as a sequence; its frame is dropped when everything in it
// is at its default, unless it is kept.
func (s *encodeState) structure(t *table, id wire.ID, p pointer, keep bool) error {
	if err := s.begin(id); err != nil {
		return err
	}
	start := s.Written()
	var err error
	if t.arms != nil {
		err = s.arm(t, p)
	} else {
		err = s.fields(t, p)
	}
	if err == nil {
		err = s.checkSize(t, start)
	}
	if err != nil {
		return err
	}
	s.end(keep)
	return nil
}

// pointer writes what the pointer at p points to, always: a pointer has presence. A
// nil one is absent; as the last element of a wrapper it stands as the element's
// default, because the wrapper's length hangs on it.
func (s *encodeState) pointer(f *form, id wire.ID, p pointer, keep bool) error {
	target := p.load()
	if !target.isNil() {
		if f.elem.isNullable() && f.elem.isAbsent(target) {
			return &UnsupportedValueError{Value: p.value(f.typ), Str: "pointer to a nil pointer; only the outer pointer may be nil"}
		}
		return s.value(f.elem, id, target, true)
	}
	if !keep {
		return nil
	}
	return s.emptyElement(f.elem.behind(), id)
}

// emptyElement writes an element without content, which reads as the default.
func (s *encodeState) emptyElement(f *form, id wire.ID) error {
	if f.wire == wire.SequenceStart {
		if err := s.begin(id); err != nil {
			return err
		}
		s.end(true)
		return nil
	}
	return s.value(f, id, newValue(f.typ), true)
}

// An errorWithPath is an error whose path is completed on the way out.
type errorWithPath interface {
	error
	path() *string
}

func (e *BoundError) path() *string            { return &e.Path }
func (e *UnsupportedValueError) path() *string { return &e.Path }
func (e *MarshalerError) path() *string        { return &e.Path }
func (e *SyntaxError) path() *string           { return &e.Path }

// within puts a part of the path in front of the path of an error.
func within(err error, part string) error {
	if e, ok := err.(errorWithPath); ok {
		path := e.path()
		if part != "" && *path != "" && (*path)[0] != '[' {
			part += "."
		}
		*path = part + *path
	}
	return err
}

// rooted puts the name of the type of the message in front of the path of an error.
func rooted(err error, t reflect.Type) error {
	err = within(err, rootName(t))
	if e, ok := err.(errorWithPath); ok {
		*e.path() = shortPath(*e.path())
	}
	return err
}

// maxPath is the longest path, in bytes, that an error gives in full.
const maxPath = 256

// shortPath leaves out the middle of the path of a value that is nested very deeply.
func shortPath(path string) string {
	if len(path) <= maxPath {
		return path
	}
	head, tail := path[:maxPath/2], path[len(path)-maxPath/2:]
	head = head[:max(strings.LastIndexAny(head, ".["), 0)]
	tail = tail[max(strings.IndexAny(tail, ".["), 0):]
	return head + "…" + tail
}

// rootName is the name of a type in a path, without type arguments; "" if it has none.
func rootName(t reflect.Type) string {
	name, _, _ := strings.Cut(t.Name(), "[")
	return name
}

// dotted is the path of a field in another one, which may have no name: that of the value
// in an entry of a map.
func dotted(outer, inner string) string {
	if outer == "" {
		return inner
	}
	return outer + "." + inner
}

func indexed(i int) string { return "[" + strconv.Itoa(i) + "]" }
