package sofab

import (
	"encoding/binary"
	"slices"
)

// missing is the error of the first required field of the innermost struct that did not
// arrive, nil if all did.
func (d *decodeState) missing() *MissingFieldError {
	fr := &d.frames[len(d.frames)-1]
	if fr.table == nil || !fr.table.required {
		return nil
	}
	for i := range fr.table.rows {
		r := &fr.table.rows[i]
		if !r.required || slices.Contains(fr.seen, r.index) {
			continue
		}
		if p := r.pass(fr.dst); !p.isNil() && r.form.isOptional() && !r.form.isAbsent(p.add(r.offset)) {
			continue
		}
		if d.wasComplete(fr.table) {
			return nil
		}
		path := d.path()
		if path != "" {
			path += "."
		}
		return &MissingFieldError{Path: path + r.name, ID: r.id}
	}
	return nil
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
	key := d.scopeKey()
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

// wasComplete reports whether the innermost struct was noted.
func (d *decodeState) wasComplete(t *table) bool {
	if !t.blind || len(d.complete) == 0 {
		return false
	}
	_, noted := d.complete[string(d.scopeKey())]
	return noted
}

// scopeKey tells the innermost struct from all others in the message. An opening of a
// wrapper has a number, because it replaces the elements of the one before.
func (d *decodeState) scopeKey() []byte {
	var key []byte
	for i := len(d.frames) - 2; i >= 0; i-- {
		fr := &d.frames[i]
		if fr.table == nil {
			key = binary.AppendUvarint(key, uint64(fr.index))
			return binary.AppendUvarint(key, uint64(fr.next)<<1|1)
		}
		key = binary.AppendUvarint(key, uint64(fr.row.id)<<1)
	}
	return key
}
