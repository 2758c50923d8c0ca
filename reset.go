package sofab

import "slices"

// resetStruct sets the fields of the struct at p to their defaults, at every level
// (section 3.5). Memory that no row covers is not touched: unexported fields, and
// fields tagged "-".
func (d *decodeState) resetStruct(t *table, p pointer) {
	if t.imaged && !d.options.reuse {
		t.mem.reset(p)
		for _, r := range t.lists {
			r.def.set(d, r.form, p.add(r.offset))
		}
		return
	}
	if t.arms != nil {
		d.resetArms(t, p)
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
			r.def.set(d, r.form, field)
		} else {
			d.resetValue(r.form, field)
		}
	}
	if u := t.unknown; u != nil && u.via != nil {
		p.add(u.via[0].offset).store(pointer{})
	} else if u != nil {
		p.add(u.offset).slice().clear()
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
	case kindBytes, kindNative, kindWrapper:
		if d.options.reuse && !f.presence {
			p.slice().len = 0
			return
		}
		f.mem.reset(p)
	case kindProxy:
		if f.proxy.reset != nil {
			f.proxy.reset(d, f, p)
			return
		}
		f.mem.reset(p)
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
	case kindProxy:
		if f.proxy.hasDefault {
			f.proxy.reset(d, f, p)
		}
	}
}

// hasDefaults reports whether the default of the form is not the zero value.
func (f *form) hasDefaults() bool {
	if x := f.resetByProxy(); x != nil {
		return x.hasDefault
	}
	s := f.inline()
	return s != nil && s.table.defaults
}

// resetByProxy is the proxy that resets the value, or each element of the array, nil
// if none does.
func (f *form) resetByProxy() *proxy {
	for f.kind == kindWrapperArray {
		f = f.elem
	}
	if f.kind == kindProxy && f.proxy.reset != nil {
		return f.proxy
	}
	return nil
}

// footprint is how many bytes a new value of the form takes, with those that its
// defaults allocate.
func (f *form) footprint() int64 {
	size := int64(f.size)
	n := int64(1)
	for ; f.kind == kindWrapperArray; f = f.elem {
		n *= int64(f.length)
	}
	switch {
	case f.kind == kindStruct:
		size += n * f.table.heap
	case f.kind == kindProxy && f.proxy.hasDefault:
		size += n * f.proxy.form.table.heap
	}
	return size
}

// measure sets how many bytes a reset of a table and of those in it allocates. A reset
// that has no end is a fault.
func (c *compiler) measure(t *table) {
	if !t.measure(map[*table]bool{}) {
		c.fault(site{typ: t.typ}, -1, "the default of a union in it contains that union again; choose another default_id")
		t.measured = true
	}
}

func (t *table) measure(open map[*table]bool) bool {
	if t.measured || open[t] {
		return t.measured
	}
	open[t] = true
	for i := range t.rows {
		r := &t.rows[i]
		switch {
		case len(r.via) > 0 || t.arms != nil:
		case r.def == nil && !r.form.measure(open):
			return false
		default:
			t.heap += r.heap()
		}
	}
	if t.hasEmptyArm() {
		if f := t.arms.empty.form; f.kind != kindPointer {
			t.heap += int64(f.typ.Elem().Size())
		} else if f.elem.measure(open) {
			t.heap += int64(f.elem.footprint())
		} else {
			return false
		}
	}
	t.measured = true
	return true
}

// heap is how many bytes a reset of the field allocates.
func (r *row) heap() int64 {
	if r.def != nil {
		return r.def.heap
	}
	return r.form.footprint() - int64(r.form.size)
}

// promotedHeap is how many bytes setPromotedDefaults allocates.
func (t *table) promotedHeap(via []step) (size int64) {
	for i := range t.rows {
		if r := &t.rows[i]; slices.Equal(r.via, via) {
			size += r.heap()
		}
	}
	return size
}

// measure measures the table that a reset of the value leads to.
func (f *form) measure(open map[*table]bool) bool {
	if s := f.inline(); s != nil {
		return s.table.measure(open)
	}
	if x := f.resetByProxy(); x != nil && x.hasDefault {
		return x.form.table.measure(open)
	}
	return true
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
			r.def.set(d, r.form, p.add(r.offset))
		} else {
			d.setDefaults(r.form, p.add(r.offset))
		}
	}
}
