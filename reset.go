package sofab

import "slices"

// resetStruct sets the fields of the struct at p to their defaults, at every level
// (section 3.5). Memory that no row covers is not touched: unexported fields, and
// fields tagged "-".
func (d *decodeState) resetStruct(t *table, p pointer) {
	if t.imaged {
		t.mem.reset(p)
		for _, r := range t.lists {
			r.def.set(r.form, p.add(r.offset))
		}
		return
	}
	for i := range t.rows {
		r := &t.rows[i]
		if r.via != nil {
			p.add(r.via[0].offset).store(pointer{})
			continue
		}
		field := p.add(r.offset)
		if r.def != nil {
			r.def.set(r.form, field)
		} else {
			d.resetValue(r.form, field)
		}
	}
}

// resetValue sets the value at p to the default of its form.
func (d *decodeState) resetValue(f *form, p pointer) {
	switch f.kind {
	case kindStruct:
		d.resetStruct(f.table, p)
	case kindWrapperArray:
		for i := range f.length {
			d.resetValue(f.elem, p.arrayIndex(i, f.elem.size))
		}
	default:
		f.mem.reset(p)
	}
}

// setDefaults turns the zero value at p into the default of its form.
func (d *decodeState) setDefaults(f *form, p pointer) {
	switch f.kind {
	case kindStruct:
		if f.table.defaults {
			d.resetStruct(f.table, p)
		}
	case kindWrapperArray:
		if f.elem.hasDefaults() {
			d.resetValue(f, p)
		}
	}
}

// hasDefaults reports whether the default of the form is not the zero value.
func (f *form) hasDefaults() bool {
	s := f.inline()
	return s != nil && s.table.defaults
}

// setPromotedDefaults sets the defaults of the fields of t that are reached through
// the given embedded pointers, the last of which points to the new struct at p.
func (d *decodeState) setPromotedDefaults(t *table, via []step, p pointer) {
	for i := range t.rows {
		r := &t.rows[i]
		if !slices.Equal(r.via, via) {
			continue
		}
		if r.def != nil {
			r.def.set(r.form, p.add(r.offset))
		} else {
			d.setDefaults(r.form, p.add(r.offset))
		}
	}
}
