package sofab

import (
	"encoding/binary"
	"reflect"

	"github.com/sofab-go/sofab/wire"
)

// An encodeOp is one instruction of the flat form of a table: a row, or the begin or
// end of a struct that is part of the value, whose rows stand between them. The loop
// over them, runFlat, is the fast prefix of encoding: what it does not do itself it
// leaves to the functions that encode a row.
type encodeOp struct {
	head    uint64  // the header as it stands in memory
	offset  uintptr // of the value, or of the struct that holds it for encRow
	form    *form   // of the value, with encPointer of what it points to
	row     *row
	name    string // path within the struct of the table
	limit   uint64 // most bytes or elements; of a number the varint that is its default
	headLen uint8
	code    encodeCode
	elem    encodeCode // of the elements of an array, or of what a pointer points to
	most    uint8      // bytes that an element of an array takes
	word    uint8      // low bits of the fixlen word of a string
	keep    bool       // written also at its default
}

// encodeCode says how a value is loaded and written.
type encodeCode uint8

const (
	encBool encodeCode = iota
	encUint8
	encUint16
	encUint32
	encUint64
	encInt8
	encInt16
	encInt32
	encInt64
	encFloat32
	encFloat64
	encText
	encMember // an integer that is checked
	encBytes
	encPointer
	encBegin
	encEnd
	encTexts
	encArray
	encRow   // through the function row; from here on runFlat leaves all to others
	encField // through the function field
	encStructs
	encArrays // a wrapper of arrays of numbers whose every value fits
	encTarget // what a pointer to a struct points to
	encStop   // behind the last
)

// scalarCodes are the instructions for the Go kinds of numbers.
var scalarCodes = map[reflect.Kind]encodeCode{
	reflect.Bool: encBool, reflect.Float32: encFloat32, reflect.Float64: encFloat64,
	reflect.Uint8: encUint8, reflect.Uint16: encUint16, reflect.Uint32: encUint32, reflect.Uint64: encUint64,
	reflect.Int8: encInt8, reflect.Int16: encInt16, reflect.Int32: encInt32, reflect.Int64: encInt64,
}

// scalarCode is the instruction for a number whose every value fits.
func scalarCode(f *form) encodeCode {
	switch {
	case f.goKind == reflect.Uint && f.size == 8:
		return encUint64
	case f.goKind == reflect.Uint:
		return encUint32
	case f.goKind == reflect.Int && f.size == 8:
		return encInt64
	case f.goKind == reflect.Int:
		return encInt32
	}
	return scalarCodes[f.goKind]
}

// linkOps makes the flat form of a table. Those of the structs that are part of it are
// made first.
func (t *table) linkOps() {
	if t.ops != nil {
		return
	}
	t.ops = []encodeOp{}
	for i := range t.rows {
		r := &t.rows[i]
		op := newOp(r)
		if op.code != encBegin {
			t.ops = append(t.ops, op)
			continue
		}
		inner := r.form.table
		inner.linkOps()
		t.ops = append(t.ops, op)
		for _, o := range inner.ops[:len(inner.ops)-1] {
			o.offset += r.offset
			o.name = dotted(r.name, o.name)
			t.ops = append(t.ops, o)
		}
		op.code = encEnd
		t.ops = append(t.ops, op)
	}
	t.ops = append(t.ops, encodeOp{code: encStop})
	t.flat = t.whole == nil && t.unknown == nil && t.maxsize == 0 && t.ops[0].code < encRow
}

// newOp is the instruction for a row.
func newOp(r *row) encodeOp {
	var head [8]byte
	op := encodeOp{form: r.form, row: r, name: r.name, offset: r.offset, keep: r.presence}
	op.headLen = uint8(wire.PutHeader(head[:], r.id, r.form.wire))
	op.head = binary.LittleEndian.Uint64(head[:])
	switch {
	case r.via != nil || r.required:
		op.code, op.offset = encRow, 0
	case r.def == nil:
		op.setCode(r.form)
	case r.form.isPlain() && (r.form.kind == kindInteger || r.form.kind == kindBool):
		op.code = scalarCode(r.form)
		if r.form.kind == kindBool {
			op.limit = uint64(wire.BoolByte(*at[bool](r.def.p)))
		} else {
			op.limit, _ = loadInteger(r.form, r.def.p)
		}
	default:
		op.code = encField
	}
	return op
}

// setCode sets how a value of a form is written that has no declared default.
func (op *encodeOp) setCode(f *form) {
	op.form = f
	switch {
	case f.isPlain():
		op.code = scalarCode(f)
	case f.kind == kindInteger:
		op.code = encMember
	case f.kind == kindString:
		op.code, op.limit, op.word = encText, limitOf(f.maxlen, wire.MaxFixlen), uint8(f.subtype)
	case f.kind == kindBytes:
		op.code, op.limit = encBytes, limitOf(f.maxlen, wire.MaxFixlen)
	case f.kind == kindNative && f.elem.isPlain():
		op.code, op.elem, op.limit = encArray, scalarCode(f.elem), limitOf(f.count, wire.MaxArray)
		op.most = uint8(min(f.elem.size+f.elem.size/4+1, wire.MaxVarintLen)) // 2, 3, 6, 10
	case f.kind == kindWrapper && f.elem.kind == kindString && f.elem.subtype == wire.String:
		op.code, op.limit = encTexts, limitOf(f.count, wire.MaxArray)
	case f.kind == kindWrapper && (f.elem.isFlat() || f.elem.kind == kindPointer && f.elem.elem.isFlat()):
		op.code = encStructs
	case f.kind == kindWrapper && f.elem.kind == kindNative && f.elem.elem.isPlain():
		op.code, op.elem, op.limit = encArrays, scalarCode(f.elem.elem), limitOf(f.elem.count, wire.MaxArray)
	case f.isFlat():
		op.code = encBegin
	case f.kind == kindPointer && f.elem.isFlat() && !op.keep:
		op.code = encTarget
	case f.kind == kindPointer && !op.keep:
		target := encodeOp{}
		if target.setCode(f.elem); target.code <= encBytes {
			op.form, op.code, op.elem = f.elem, encPointer, target.code
			op.limit, op.word, op.keep = target.limit, target.word, true
			return
		}
		op.code = encField
	default:
		op.code = encField
	}
}

// limitOf is a declared limit, or what the format allows.
func limitOf(declared, ceiling int) uint64 {
	if declared == 0 {
		return uint64(ceiling)
	}
	return uint64(declared)
}

// isFlat reports whether the form is that of a struct of which the instructions are all
// there is to do.
func (f *form) isFlat() bool {
	return f.kind == kindStruct && f.table.arms == nil && f.table.unknown == nil && f.table.maxsize == 0
}
