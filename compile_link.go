package sofab

import (
	"maps"
	"slices"
)

// link gives each pointer and proxy the wire type and the bounds of what stands behind
// it, which may have been in progress when it was compiled.
func (c *compiler) link() {
	for _, f := range c.fronts {
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
		c.linkFast(tables)
	}
}

// linkFast prepares all forms and rows for the fast prefixes.
func (c *compiler) linkFast(tables []*table) {
	for _, f := range c.made {
		f.linkFast()
	}
	if c.top != nil {
		tables = append(tables, c.top)
	}
	for _, t := range tables {
		t.linkFast()
		t.linkOps()
	}
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
		t.defaults = t.defaults || r.def != nil
		if f := r.form.inline(); f != nil && len(r.via) == 0 {
			f.table.finish()
			t.defaults = t.defaults || f.table.defaults
			t.plain = t.plain && f.table.plain
		}
		t.required = t.required || r.tracked()
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
