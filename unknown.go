package sofab

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	"github.com/sofab-go/sofab/stream"
	"github.com/sofab-go/sofab/tags"
	"github.com/sofab-go/sofab/wire"
)

// UnknownFields holds the fields of a struct that no other of its fields claims, so that
// what a newer writer has sent is not lost on the way. It is the type of at most one
// field, tagged
//
//	Unknown sofab.UnknownFields `sofab:",unknown"`
//
// On decode it collects them as they arrive, in a copy; with it, no unknown field of
// that struct is refused ([Options] Unknown). A field that has a claimed id and another
// type is not unknown. On encode they are written back between the others by ascending
// id; those with the same id keep their order, so that they mean the same.
//
// The bytes are a message: Unmarshal them into a [Fields] or another struct to look at
// them. Each field is bounded as a [RawMessage] is.
type UnknownFields []byte

var unknownType = reflect.TypeFor[UnknownFields]()

func init() {
	specialTypes[unknownType] = func(c *compiler, _ *form, _ reflect.Type, _ *tags.Options, s site) bool {
		c.fault(s, -1, "%sUnknownFields is for a field of a struct with the tag `sofab:\",unknown\"`, without id", s.subject())
		return false
	}
}

// unknownForm is the form of the one value of type UnknownFields in a struct.
var unknownForm = &form{
	kind: kindRaw, wire: wireAny, length: -1, typ: unknownType, goKind: reflect.Slice, size: unknownType.Size(),
	raw: &rawForm{store: storeUnknown, keepsID: true},
}

func storeUnknown(_ *decodeState, _ *form, p pointer, b []byte) stream.Status {
	u := at[UnknownFields](p)
	*u = append(*u, b...)
	return stream.Done
}

// unknown makes a field the one that holds the unknown fields of the struct.
func (c *fieldCollector) unknown(sf reflect.StructField, tag *tags.Tag, path []string, via []step, base uintptr, s site) {
	pos := tag.Pos("unknown")
	switch {
	case sf.Type != unknownType:
		c.fault(s, pos, "option \"unknown\" does not go with type %v; it is for sofab.UnknownFields", sf.Type)
		return
	case tag.HasID:
		c.fault(s, 0, "unknown fields have ids of their own; write `sofab:\",unknown\"`")
		return
	case !c.fits(&tag.Options, "unknown", sf.Type, s):
		return
	case c.table.unknown != nil:
		c.fault(s, pos, "%s holds the unknown fields already", c.table.unknown.name)
		return
	}
	c.table.unknown = &row{name: pathOf(path, sf.Name), offset: base + sf.Offset, via: via, form: unknownForm}
}

// unknownAt is the unknown fields that the struct at p holds.
func (t *table) unknownAt(p pointer) UnknownFields {
	if p = t.unknown.pass(p); p.isNil() {
		return nil
	}
	return *at[UnknownFields](p.add(t.unknown.offset))
}

// fieldsAndUnknown writes the fields of a struct together with unknown ones, by
// ascending id.
func (s *encodeState) fieldsAndUnknown(t *table, p pointer, unknown UnknownFields) error {
	b, err := sortedFields(unknown, s.Depth())
	if err != nil {
		return within(&UnsupportedValueError{
			Value: reflect.ValueOf(unknown), Str: fmt.Sprintf("malformed UnknownFields: %v", unprefixed(err)),
		}, t.unknown.name)
	}
	var w fieldWalk
	w.reset(b, s.Depth())
	more := w.next()
	for i := range t.rows {
		r := &t.rows[i]
		for ; more && w.id <= r.id; more = w.next() {
			if w.id == r.id {
				return within(&UnsupportedValueError{
					Value: reflect.ValueOf(unknown), Str: fmt.Sprintf("id %d is that of field %s and not unknown", r.id, r.name),
				}, t.unknown.name)
			}
			s.Raw(b[w.start:w.end])
		}
		if err := s.row(r, p); err != nil {
			return within(err, r.name)
		}
	}
	for ; more; more = w.next() {
		s.Raw(b[w.start:w.end])
	}
	return nil
}

// sortedFields checks unknown fields and returns them by ascending id.
func sortedFields(b []byte, depth int) ([]byte, error) {
	type span struct {
		id         wire.ID
		start, end int
	}
	var w fieldWalk
	var spans []span
	sorted := true
	last := wire.ID(0)
	for w.reset(b, depth); w.next(); last = w.id {
		sorted = sorted && w.id >= last
	}
	if w.err != nil || sorted {
		return b, w.err
	}
	for w.reset(b, depth); w.next(); {
		spans = append(spans, span{w.id, w.start, w.end})
	}
	slices.SortStableFunc(spans, func(a, b span) int { return cmp.Compare(a.id, b.id) })
	out := make([]byte, 0, len(b))
	for _, x := range spans {
		out = append(out, b[x.start:x.end]...)
	}
	return out, nil
}
