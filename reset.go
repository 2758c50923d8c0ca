package sofab

import "slices"

// resetStruct sets the fields of the struct at p to their defaults, at every level
// (section 3.5). Memory that no row covers is not touched: unexported fields, and
// fields tagged "-".
func (d *decodeState) resetStruct(t *table, p pointer) {
	switch {
	case !t.imaged:
	case d.options.reuse && !t.keepable:
	case d.options.reuse:
		t.resetKeeping(p)
		return
	default:
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

// maxKept is how many slices a struct may have whose memory is kept while the image of
// its defaults is copied over it.
const maxKept = 16

// resetKeeping is resetStruct for a struct whose slices keep their memory.
func (t *table) resetKeeping(p pointer) {
	if len(t.kept) == 0 {
		t.mem.reset(p)
		return
	}
	var kept [maxKept]sliceHeader
	for i, offset := range t.kept {
		kept[i] = *p.add(offset).slice()
	}
	t.mem.reset(p)
	for i, offset := range t.kept {
		p.add(offset).slice().set(kept[i].first(), 0, kept[i].cap)
	}
}

// findKept finds the slices that keep their memory when a struct of the table at the
// offset of another one is reset with Options.Reuse. It reports whether a copy of the
// image and these are all that such a reset needs.
func (t *table) findKept(offset uintptr, kept *[]uintptr) bool {
	for i := range t.rows {
		r := &t.rows[i]
		f := r.form
		if r.via != nil {
			continue
		}
		switch f.kind {
		case kindBytes, kindNative, kindWrapper:
			if r.def != nil {
				return false
			}
			if !f.presence {
				*kept = append(*kept, offset+r.offset)
			}
		case kindStruct:
			if !f.table.findKept(offset+r.offset, kept) {
				return false
			}
		case kindWrapperArray, kindProxy:
			return false
		}
	}
	return len(*kept) <= maxKept
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

// measure sets how many bytes a reset of the table allocates. It returns false when that
// has no end; open are the tables that are being measured.
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
