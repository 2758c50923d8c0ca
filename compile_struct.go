package sofab

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/sofab-go/sofab/tags"
	"github.com/sofab-go/sofab/wire"
)

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
	fields.collect(t, nil, nil, 0, map[reflect.Type]bool{})
	m.rows = fields.rows()
	m.plain = fields.plain
	m.index()
	return m
}

// A fieldCollector gathers the fields of a struct, promoted ones included.
type fieldCollector struct {
	*compiler
	root   reflect.Type
	table  *table
	plain  bool
	fields []*field
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
// that of t, the steps are the embedded pointers passed so far, base is its offset
// behind the last of them, and outer are the structs around it.
func (c *fieldCollector) collect(t reflect.Type, path []string, via []step, base uintptr, outer map[reflect.Type]bool) {
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
		if !tagged && hidesTag(sf.Tag) {
			c.plain = false
			c.fault(s, -1, "%sthe tags `%s` cannot be read; write `key:\"value\" key:\"value\"`, with sofab as the key, and see go vet", s.subject(), sf.Tag)
			continue
		}
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
				c.collect(promoted, inner, through, 0, outer)
			} else {
				c.collect(promoted, inner, via, base+sf.Offset, outer)
			}
			continue
		}
		c.field(sf, &tag, path, via, base, s)
	}
}

// hidesTag reports whether the tags of a field hold one for this package that
// reflect.StructTag does not see: they are not of the conventional form, or the key is
// written otherwise.
func hidesTag(all reflect.StructTag) bool {
	rest := string(all)
	for {
		rest = strings.TrimLeft(rest, " ")
		key, value, ok := strings.Cut(rest, ":")
		quoted, err := strconv.QuotedPrefix(value)
		if !ok || err != nil || quoted[0] != '"' || strings.ContainsAny(key, " \"") {
			return strings.Contains(strings.ToLower(rest), tagKey)
		}
		if strings.EqualFold(strings.Trim(key, ",;"), tagKey) {
			return true
		}
		rest = value[len(quoted):]
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
		if c.hides(target, true, s) {
			return nil, false
		}
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
	c.fields = append(c.fields, &field{
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
	slices.SortStableFunc(c.fields, func(a, b *field) int { return cmp.Compare(a.depth, b.depth) })
	byID := map[wire.ID]int{}
	var kept []*field
	for _, f := range c.fields {
		at, taken := byID[f.row.id]
		if !taken {
			byID[f.row.id] = len(kept)
			kept = append(kept, f)
			continue
		}
		if other := kept[at]; other.row.name != f.row.name || other.depth == f.depth {
			c.fault(site{typ: c.root, field: f.path}, -1, "%s: id %d is already used by %s", f.describe(), f.row.id, other.describe())
		}
	}
	c.reportBare()
	slices.SortFunc(kept, func(a, b *field) int { return cmp.Compare(a.row.id, b.row.id) })
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
		remedy := ""
		if from := s.typ.PkgPath(); from != "" && from != c.home && c.home != "" {
			remedy = "; if the type is not yours, hold the value in one of yours"
		}
		c.fault(s, -1, "exported field %s has no sofab tag; add `sofab:\"%d\"` (next free id) or `sofab:\"-\"`%s", s.field, next, remedy)
		next++
	}
}
