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
	opStruct
	opWrapper
	opAny // a scalar in an any
	opEnd // the sequence end behind the last field
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
	index    int32
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

// linkFast makes the rows for the fast prefix.
func (t *table) linkFast() {
	t.fast = make([]fastRow, len(t.rows)+1)
	for i := range t.rows {
		r, q := &t.rows[i], &t.fast[i]
		*q = fastRow{head: 1, form: r.form, op: r.form.op, offset: r.offset, index: int32(i)}
		if q.op == opNone || r.via != nil || r.tracked() || t.arms != nil {
			continue
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
		default:
			q.over = r.form.target.overBits()
		}
		if r.form.kind == kindPointer && q.op <= opNative {
			q.op = opPointer
		}
	}
	t.leavable = !t.required && t.maxsize == 0
	end := &t.fast[len(t.rows)]
	end.op, end.index = opEnd, int32(len(t.rows))
	end.setHead(0, wire.SequenceEnd)
}

// seek is the row that the header at the start of b announces, or -1.
func (t *table) seek(b []byte) int {
	id, _, n := wire.ConsumeHeader(b)
	if n < 0 {
		return -1
	}
	r := t.find(id)
	if r == nil || int(t.fast[r.index].headSize) != n {
		return -1
	}
	var head [4]byte
	copy(head[:], b)
	if f := &t.fast[r.index]; binary.LittleEndian.Uint32(head[:])&f.mask != f.head {
		return -1
	}
	return r.index
}

// expected is the table of a struct and the row that is expected next.
func (fr *frame) expected() (*table, *fastRow) {
	if fr.table == nil {
		return nil, nil
	}
	return fr.table, &fr.table.fast[fr.next]
}
