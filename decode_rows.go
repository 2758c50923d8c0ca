package sofab

import (
	"encoding/binary"
	"math"
	"math/bits"
	"reflect"

	"github.com/sofab-go/sofab/wire"
)

// An op says what the fast prefix does with a value.
type op uint8

const (
	opNone op = iota // nothing: the general steps take it
	// Varints, by the Go type that they are stored in.
	opBool
	opUint8
	opUint16
	opUint32
	opUint64
	opInt8
	opInt16
	opInt32
	opInt64
	opFloat32
	opFloat64
	opString
	opBytes
	opNative
	opPointer // a number, string, blob or array behind a pointer
	opAny     // a scalar in an any
	opStruct  // from here on scopes
	opWrapper
	opEnter // a struct that is part of the value and whose rows follow
	opLeave // the sequence end behind the last field of one
	opEnd   // the sequence end behind the last field of the table
)

// opOf is the operation for the values of a form.
func opOf(f *form) op {
	switch f.kind {
	case kindBool:
		return opBool
	case kindInteger:
		if f.mixed {
			return opNone
		}
		first := opUint8
		if f.wire == wire.Signed {
			first = opInt8
		}
		return first + op(bits.TrailingZeros(uint(f.size)))
	case kindFloat32:
		return opFloat32
	case kindFloat64:
		return opFloat64
	case kindString:
		return opString
	case kindBytes:
		return opBytes
	case kindNative:
		if f.elem.isPlain() {
			return opNative
		}
	case kindStruct:
		if f.table.maxsize > 0 {
			return opNone
		}
		return opStruct
	case kindWrapper:
		return opWrapper
	case kindProxy:
		if f.proxy.form.typ == reflect.TypeFor[anyValue]() {
			return opAny
		}
	}
	return opNone
}

// linkFast prepares a form for the fast prefix: it looks through pointers.
func (f *form) linkFast() {
	f.target = f
	for f.target.kind == kindPointer {
		f.target = f.target.elem
		f.pointees += max(f.target.footprint(), 1)
	}
	f.op = opOf(f.target)
	f.weight = max(f.footprint(), 1)
	f.fresh = f.hasDefaults()
	f.noGaps = f.forbidsGaps()
}

// A fastRow is what the fast prefix needs to know of a field of a struct.
type fastRow struct {
	head     uint32 // the bytes of its header, the first lowest, and what is known of the fixlen word behind it
	mask     uint32 // the bits of head that count; 0 where the general steps take the field
	over     uint64 // bits that are too high for the varint of a number, or of an element; of a string or blob its maxlen
	offset   uintptr
	form     *form
	scope    *fastScope // that the field belongs to
	next     *fastRow   // the next one of the scope; of its end this one
	index    int32      // of the row in the table of the scope
	place    int32      // of this row in the rows of the scope
	op       op
	headSize uint8
	wire     wire.Type
	word     byte // the fixlen word of floats in an array
	elem     op   // of an array
	elemSize uint8
	few      uint8 // most elements that fewNumbers takes
}

// setHead sets the header that the row is found by, if it is not too long.
func (r *fastRow) setHead(id wire.ID, t wire.Type) {
	var b [4]byte
	if wire.SizeHeader(id) > len(b) {
		r.head = 1 // which no header is with a mask of 0
		return
	}
	n := wire.PutHeader(b[:], id, t)
	r.head, r.mask = binary.LittleEndian.Uint32(b[:]), 1<<(8*n)-1
	r.wire, r.headSize = t, uint8(n)
}

// setWord adds what the bits of a mask are in the first byte of the fixlen word.
func (r *fastRow) setWord(word, mask byte) {
	if r.headSize >= 4 {
		r.head, r.mask = 1, 0
		return
	}
	r.head |= uint32(word) << (8 * r.headSize)
	r.mask |= uint32(mask) << (8 * r.headSize)
}

// overBits are the bits of a varint that a number of the form cannot have.
func (f *form) overBits() uint64 {
	if f.kind != kindInteger || f.width >= 64 {
		return 0
	}
	return math.MaxUint64 << f.width
}

// A fastScope is a struct as the fast rows of a table have it: that of the table, or one
// that is part of it, whose rows stand between its own. It takes no frame as long as the
// run of fields goes on; see openScopes.
type fastScope struct {
	table  *table
	rows   []fastRow // its fields with what is in them, and its end; part of the rows of the outer scope
	places []uint32  // 1 + the place of the row by id, as dense
	outer  *fastScope
	index  int     // of its row in the table of the outer scope
	offset uintptr // in the struct of the outer scope
}

const (
	// maxFlatRows is the most rows that a table gets for structs that are part of others.
	maxFlatRows = 500
	// maxFlatDepth is the most of them that are in each other.
	maxFlatDepth = 15
)

// linkFast makes the rows for the fast prefix. Those of the structs that are part of it are
// made first.
func (t *table) linkFast() {
	if t.fast != nil {
		return
	}
	t.leavable = !t.required && t.maxsize == 0
	t.parts = make([]bool, len(t.rows))
	size := len(t.rows) + 1
	for i := range t.rows {
		f := t.rows[i].form
		if f.kind != kindStruct || !t.takes(&t.rows[i]) || f.op != opStruct {
			continue
		}
		inner := f.table
		inner.linkFast()
		if inner.leavable && inner.arms == nil && inner.depth < maxFlatDepth && size+len(inner.fast) <= len(t.rows)+maxFlatRows {
			t.parts[i] = true
			t.depth = max(t.depth, inner.depth+1)
			size += len(inner.fast)
		}
	}
	t.fast = make([]fastRow, 0, size)
	t.addScope(&fastScope{table: t}, 0)
	for _, r := range t.fast {
		if r.scope == t.fast[0].scope {
			t.spots = append(t.spots, r.place)
		}
	}
}

// takes reports whether the fast prefix takes fields of a row.
func (t *table) takes(r *row) bool {
	return r.form.op != opNone && r.via == nil && !r.tracked() && t.arms == nil
}

// addScope adds the rows of a scope that begins at an offset of the struct of the table.
func (t *table) addScope(s *fastScope, offset uintptr) {
	first := len(t.fast)
	s.places = make([]uint32, len(s.table.dense))
	for i := range s.table.rows {
		r := &s.table.rows[i]
		row := s.table.newFastRow(r)
		row.scope, row.place = s, int32(len(t.fast)-first)
		row.offset += offset
		if uint64(r.id) < uint64(len(s.places)) {
			s.places[r.id] = uint32(row.place + 1)
		}
		t.fast = append(t.fast, row)
		if row.op == opEnter {
			inner := &fastScope{table: r.form.table, outer: s, index: i, offset: r.offset}
			t.addScope(inner, row.offset)
		}
	}
	end := fastRow{op: opEnd, scope: s, index: int32(len(s.table.rows)), place: int32(len(t.fast) - first)}
	if s.outer != nil {
		end.op = opLeave
	}
	end.setHead(0, wire.SequenceEnd)
	t.fast = append(t.fast, end)
	s.rows = t.fast[first:]
	next := &s.rows[len(s.rows)-1]
	for i := len(s.rows) - 1; i >= 0; i-- {
		if r := &s.rows[i]; r.scope == s {
			r.next, next = next, r
		}
	}
}

// newFastRow is the row for a field. Where the fast prefix takes none, no header matches it.
func (t *table) newFastRow(r *row) fastRow {
	q := fastRow{head: 1, form: r.form, op: r.form.op, offset: r.offset, index: int32(r.index)}
	if !t.takes(r) {
		return q
	}
	q.setHead(r.id, r.form.wire)
	switch q.op {
	case opFloat32, opFloat64:
		q.setWord(byte(r.form.target.size)<<3|byte(r.form.subtype), 0xff)
	case opNative:
		elem := r.form.target.elem
		q.elem, q.elemSize, q.over = elem.op, uint8(elem.size), elem.overBits()
		q.word, q.few = byte(elem.size)<<3|byte(r.form.subtype), fewElements
		if n := r.form.target.count; n > 0 {
			q.few = uint8(min(n, fewElements))
		}
	case opString, opBytes:
		q.setWord(byte(r.form.subtype), 7)
		q.over = maxSlabPart
		if n := r.form.target.maxlen; n > 0 {
			q.over = min(uint64(n), maxSlabPart)
		}
	case opStruct:
		if t.parts[r.index] {
			q.op = opEnter
		}
	default:
		q.over = r.form.target.overBits()
	}
	if r.form.kind == kindPointer && q.op <= opNative {
		q.op = opPointer
	}
	return q
}

// rowAt is the fast row of the field with the given index, or that of the end.
func (t *table) rowAt(index int) *fastRow { return &t.fast[t.spots[index]] }

// seek is the row that the header at the start of b announces, or nil.
func (t *table) seek(b []byte) *fastRow {
	id, _, n := wire.ConsumeHeader(b)
	if n < 0 {
		return nil
	}
	r := t.find(id)
	if r == nil {
		return nil
	}
	f := t.rowAt(r.index)
	var head [4]byte
	copy(head[:], b)
	if int(f.headSize) != n || binary.LittleEndian.Uint32(head[:])&f.mask != f.head {
		return nil
	}
	return f
}

// expected is the table of a struct and the row that is expected next.
func (fr *frame) expected() (*table, *fastRow) {
	if fr.table == nil {
		return nil, nil
	}
	return fr.table, fr.table.rowAt(fr.next)
}
