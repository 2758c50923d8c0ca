package sofab

import (
	"encoding/binary"
	"slices"

	"github.com/sofab-go/sofab/wire"
)

// missing is the error of the first required field of the innermost struct that did not
// arrive, nil if all did. The fields of a struct that is part of it belong to it, whether
// that struct arrived or not.
func (d *decodeState) missing() *MissingFieldError {
	fr := &d.frames[len(d.frames)-1]
	if fr.table == nil {
		return d.missingInGaps(fr)
	}
	if !fr.table.required || d.wasComplete(nil, fr.table) {
		return nil
	}
	missing := d.missingOf(nil, fr.table, fr.dst, fr.seen)
	if path := d.path(); missing != nil && path != "" {
		missing.Path = path + "." + missing.Path
	}
	return missing
}

// missingInGaps is missing for the elements of a wrapper that did not arrive: they are
// structs at their defaults. Those that did arrive have been looked at when they ended,
// and show it, unless the table is blind; then they are noted.
func (d *decodeState) missingInGaps(fr *frame) *MissingFieldError {
	if !fr.form.noGaps {
		return nil
	}
	t, n := fr.form.elem.table, fr.form.length
	first := fr.dst
	if fr.form.kind == kindWrapper {
		s := fr.dst.slice()
		n, first = s.len, s.first()
	}
	for i := range n {
		if t.blind {
			if _, noted := d.complete[string(elementKey(nil, i, fr))]; noted {
				continue
			}
		}
		if missing := d.missingOf(nil, t, first.arrayIndex(i, fr.form.elem.size), nil); missing != nil {
			missing.Path = dotted(d.path()+indexed(i), missing.Path)
			return missing
		}
	}
	return nil
}

// isDeepBlind reports whether a struct that is part of the struct is blind.
func (t *table) isDeepBlind() bool {
	return slices.ContainsFunc(t.rows, func(r row) bool {
		return r.tracked() && !r.required && (r.form.table.blind || r.form.table.isDeepBlind())
	})
}

// forbidsGaps reports whether the elements of a wrapper are structs with required fields
// of which it can be told whether they arrived.
func (f *form) forbidsGaps() bool {
	return (f.kind == kindWrapper || f.kind == kindWrapperArray) && f.elem.kind == kindStruct &&
		f.elem.table.required && !f.elem.table.isDeepBlind()
}

// missingOf is missing for the struct at p, which is the innermost one or, with the ids
// that lead to it from there, one that is part of it and did not arrive. The rows that
// arrived are given by their indexes.
func (d *decodeState) missingOf(ids []wire.ID, t *table, p pointer, seen []int) *MissingFieldError {
	for i := range t.rows {
		r := &t.rows[i]
		if !r.tracked() || slices.Contains(seen, r.index) {
			continue
		}
		at := r.pass(p)
		switch {
		case r.required && !at.isNil() && r.form.isOptional() && !r.form.isAbsent(at.add(r.offset)):
		case r.required:
			return &MissingFieldError{Path: r.name, ID: r.id}
		default:
			inner := append(slices.Clip(ids), r.id)
			if d.wasComplete(inner, r.form.table) {
				continue
			}
			if missing := d.missingOf(inner, r.form.table, at.add(r.offset), nil); missing != nil {
				missing.Path = dotted(r.name, missing.Path)
				return missing
			}
		}
	}
	return nil
}

// tracked reports whether it matters that the field of the row arrived: it is required,
// or a struct with required fields that is part of the value.
func (r *row) tracked() bool {
	return r.required || r.via == nil && r.form.kind == kindStruct && r.form.table.required
}

// A struct that is opened again goes on (section 3.7), so that what arrived the first
// time need not arrive again. Whether a required field has arrived shows in its value,
// unless there is no nil among its values: structs with such fields are noted when they
// close, by the ids and indexes that lead to them.

// isBlind reports whether the table has a required field whose value does not show
// whether it has arrived.
func (t *table) isBlind() bool {
	return t.required && slices.ContainsFunc(t.rows, func(r row) bool { return r.required && !r.form.isOptional() })
}

// noteSize is what it takes to note a struct, beside its key.
const noteSize = 64

// noteComplete notes that no required field is missing in the innermost struct. It
// returns false if the budget is used up.
func (d *decodeState) noteComplete() bool {
	fr := &d.frames[len(d.frames)-1]
	if fr.table == nil || !fr.table.blind {
		return true
	}
	key := d.scopeKey(nil)
	if _, noted := d.complete[string(key)]; noted {
		return true
	}
	if !d.charge(int64(noteSize + len(key))) {
		return false
	}
	if d.complete == nil {
		d.complete = map[string]struct{}{}
	}
	d.complete[string(key)] = struct{}{}
	return true
}

// wasComplete reports whether the innermost struct was noted, or the one that ids lead
// to from there.
func (d *decodeState) wasComplete(ids []wire.ID, t *table) bool {
	if !t.blind || len(d.complete) == 0 {
		return false
	}
	_, noted := d.complete[string(d.scopeKey(ids))]
	return noted
}

// scopeKey tells the innermost struct, or the one that ids lead to from there, from all
// others in the message. An opening of a wrapper has a number, because it replaces the
// elements of the one before.
func (d *decodeState) scopeKey(ids []wire.ID) []byte {
	var key []byte
	for _, id := range slices.Backward(ids) {
		key = binary.AppendUvarint(key, uint64(id)<<1)
	}
	for i := len(d.frames) - 2; i >= 0; i-- {
		fr := &d.frames[i]
		if fr.table == nil {
			return elementKey(key, fr.index, fr)
		}
		key = binary.AppendUvarint(key, uint64(fr.row.id)<<1)
	}
	return key
}

// elementKey appends what tells element i of a wrapper from all others.
func elementKey(key []byte, i int, fr *frame) []byte {
	key = binary.AppendUvarint(key, uint64(i))
	return binary.AppendUvarint(key, uint64(fr.next)<<1|1)
}
