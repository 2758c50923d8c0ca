package sofab

import (
	"encoding/binary"
	"math"
	"reflect"

	"github.com/sofab-go/sofab/wire"
)

// An encodeOp is one instruction of the flat form of a table: a row, or the begin or
// end of a struct that is part of the value, whose rows stand between them. The loop
// over them is the fast prefix of encoding: what it does not do itself it leaves to the
// functions that encode a row.
type encodeOp struct {
	head    uint64  // the header as it stands in memory
	offset  uintptr // of the value, or of the struct that holds it for encRow
	form    *form
	row     *row
	name    string // path within the struct of the table
	def     uint64 // the varint that is the default
	headLen uint8
	code    encodeCode
	elem    encodeCode // of the elements of an array
	keep    bool       // written also at its default
}

// encodeCode says how a value is loaded and written.
type encodeCode uint8

const (
	encRow   encodeCode = iota // through the functions for rows
	encValue                   // through the functions for values
	encBegin
	encEnd
	encBool
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
	encTexts
	encArray
)

const (
	// opRoom is the room that is there before each instruction: for a header and the
	// longest value that the loop writes itself, and what is written ahead.
	opRoom = 128
	// shortText is the longest string that the loop writes itself, shortArray the most
	// elements of an array.
	shortText  = 64
	shortArray = 10
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
		for _, o := range inner.ops {
			o.offset += r.offset
			if r.name != "" {
				o.name = r.name + "." + o.name
			}
			t.ops = append(t.ops, o)
		}
		op.code = encEnd
		t.ops = append(t.ops, op)
	}
}

// newOp is the instruction for a row.
func newOp(r *row) encodeOp {
	var head [8]byte
	op := encodeOp{form: r.form, row: r, name: r.name, offset: r.offset, keep: r.presence}
	op.headLen = uint8(wire.PutHeader(head[:], r.id, r.form.wire))
	op.head = binary.LittleEndian.Uint64(head[:])
	f := r.form
	switch {
	case r.via != nil || r.required:
		op.code, op.offset = encRow, 0
	case f.isPlain() && (r.def == nil || f.kind == kindInteger || f.kind == kindBool):
		op.code = scalarCode(f)
		if r.def != nil && f.kind == kindBool {
			op.def = uint64(wire.BoolByte(*at[bool](r.def.p)))
		} else if r.def != nil {
			op.def, _ = loadInteger(f, r.def.p)
		}
	case r.def != nil:
		op.code, op.offset = encRow, 0
	case f.kind == kindString:
		op.code = encText
	case f.kind == kindNative && f.elem.isPlain():
		op.code, op.elem = encArray, scalarCode(f.elem)
	case f.kind == kindWrapper && f.elem.kind == kindString && f.elem.subtype == wire.String:
		op.code = encTexts
	case f.kind == kindStruct && f.table.arms == nil && f.table.unknown == nil && f.table.maxsize == 0:
		op.code = encBegin
	default:
		op.code = encValue
	}
	return op
}

// runOps writes the fields of a struct at p that differ from their defaults.
func (s *encodeState) runOps(ops []encodeOp, p pointer) error {
	w, room := s.window()
	n := 0 // bytes written to the window
	for i := range ops {
		op := &ops[i]
		if room-n < opRoom {
			s.Advance(n)
			w, room = s.window()
			n = 0
		}
		v := p.add(op.offset)
		var u uint64
		switch op.code {
		case encBool, encUint8:
			u = uint64(*at[uint8](v))
		case encUint16:
			u = uint64(*at[uint16](v))
		case encUint32:
			u = uint64(*at[uint32](v))
		case encUint64:
			u = *at[uint64](v)
		case encInt8:
			u = wire.Zigzag(int64(*at[int8](v)))
		case encInt16:
			u = wire.Zigzag(int64(*at[int16](v)))
		case encInt32:
			u = wire.Zigzag(int64(*at[int32](v)))
		case encInt64:
			u = wire.Zigzag(*at[int64](v))
		case encFloat32:
			if x := *at[float32](v); x != 0 || op.keep {
				w.put64(n, op.head)
				n += int(op.headLen)
				w.put64(n, uint64(math.Float32bits(x))<<8|4<<3|uint64(wire.FP32))
				n += 5
			}
			continue
		case encFloat64:
			if x := *at[float64](v); x != 0 || op.keep {
				w.put64(n, op.head)
				n += int(op.headLen)
				w.put8(n, 8<<3|byte(wire.FP64))
				w.put64(n+1, math.Float64bits(x))
				n += 9
			}
			continue
		case encText:
			x := *at[string](v)
			if x == "" && !op.keep {
				continue
			}
			if len(x) <= shortText && (op.form.maxlen == 0 || len(x) <= op.form.maxlen) {
				w.put64(n, op.head)
				if m := s.shortText(op.form, w, n+int(op.headLen), x); m > 0 {
					n = m
					continue
				}
			}
			s.Advance(n)
			if err := s.text(op.form, op.row.id, x); err != nil {
				return within(err, op.name)
			}
			w, room = s.window()
			n = 0
			continue
		case encArray:
			x := v.slice()
			if x.len == 0 && !op.form.presence {
				continue
			}
			if x.len > 0 && x.len <= shortArray && (op.form.count == 0 || x.len <= op.form.count) {
				w.put64(n, op.head)
				n += int(op.headLen)
				w.put8(n, byte(x.len))
				n = putElements(op.elem, w, n+1, x.first(), x.len)
				continue
			}
			s.Advance(n)
			if err := s.value(op.form, op.row.id, v, false); err != nil {
				return within(err, op.name)
			}
			w, room = s.window()
			n = 0
			continue
		case encTexts:
			x := at[[]string](v)
			if len(*x) == 0 && (*x == nil || !op.form.presence) {
				continue
			}
			s.Advance(n)
			if err := s.texts(op.form, op.row.id, *x); err != nil {
				return within(err, op.name)
			}
			w, room = s.window()
			n = 0
			continue
		case encBegin:
			s.Advance(n)
			if err := s.begin(op.row.id); err != nil {
				return within(err, op.name)
			}
			w, room = s.window()
			n = 0
			continue
		case encEnd:
			s.Advance(n)
			s.end(false)
			w, room = s.window()
			n = 0
			continue
		default:
			s.Advance(n)
			var err error
			if op.code == encRow {
				err = s.row(op.row, v)
			} else {
				err = s.value(op.form, op.row.id, v, op.keep)
			}
			if err != nil {
				return within(err, op.name)
			}
			w, room = s.window()
			n = 0
			continue
		}
		if u == op.def && !op.keep {
			continue
		}
		w.put64(n, op.head)
		n = putVarint(w, n+int(op.headLen), u)
	}
	s.Advance(n)
	return nil
}

// window is the free part of the buffer, with room for an instruction at least, and its
// size.
func (s *encodeState) window() (pointer, int) {
	b := s.Reserve(opRoom)
	return addressOf(&b[0]), len(b)
}

// putVarint writes a varint at w[n:], which has room for the longest one, and returns
// the offset behind it.
func putVarint(w pointer, n int, u uint64) int {
	switch {
	case u < 1<<7:
		w.put8(n, byte(u))
		return n + 1
	case u < 1<<14:
		w.put16(n, uint16(u&0x7f|u<<1&0x7f00|0x80))
		return n + 2
	}
	return n + wire.PutLong(at[[wire.MaxVarintLen]byte](w.add(uintptr(n))), u)
}

// shortText writes the word and the bytes of a short string at w[n:] and returns the
// offset behind it, 0 if the string is not UTF-8.
func (s *encodeState) shortText(f *form, w pointer, n int, x string) int {
	n = putVarint(w, n, uint64(len(x))<<3|uint64(f.subtype))
	if !copyText(w.add(uintptr(n)), x) && f.subtype == wire.String && !s.verbatim && wire.BadUTF8(x) >= 0 {
		return 0
	}
	return n + len(x)
}

// texts writes a wrapper of strings, as the function wrapper does.
func (s *encodeState) texts(f *form, id wire.ID, v []string) error {
	if err := checkCount(f, len(v)); err != nil {
		return err
	}
	if err := s.begin(id); err != nil {
		return err
	}
	w, room := s.window()
	n := 0
	for i, x := range v {
		if x == "" && i < len(v)-1 {
			continue
		}
		if room-n < opRoom {
			s.Advance(n)
			w, room = s.window()
			n = 0
		}
		if len(x) <= shortText && (f.elem.maxlen == 0 || len(x) <= f.elem.maxlen) {
			m := putVarint(w, n, uint64(i)<<3|uint64(wire.Fixlen))
			if m = s.shortText(f.elem, w, m, x); m > 0 {
				n = m
				continue
			}
		}
		s.Advance(n)
		if err := s.text(f.elem, wire.ID(i), x); err != nil {
			return within(err, indexed(i))
		}
		w, room = s.window()
		n = 0
	}
	s.Advance(n)
	s.end(f.presence)
	return nil
}

// copyText copies a string to p and reports whether it is ASCII. Copies of words that
// overlap spare a loop over bytes.
func copyText(p pointer, x string) bool {
	n := len(x)
	src := stringData(x)
	var all uint64
	switch {
	case n >= 8:
		for i := 0; i < n-8; i += 8 {
			u := src.get64(i)
			all |= u
			p.put64(i, u)
		}
		u := src.get64(n - 8)
		all |= u
		p.put64(n-8, u)
	case n >= 4:
		a, b := src.get32(0), src.get32(n-4)
		all = uint64(a | b)
		p.put32(0, a)
		p.put32(n-4, b)
	default:
		for i := range n {
			all |= uint64(x[i])
			p.put8(i, x[i])
		}
	}
	return all&0x8080808080808080 == 0
}

// putElements writes the elements of a short array at w[n:], behind its count, and
// returns the offset behind them.
func putElements(code encodeCode, w pointer, n int, p pointer, count int) int {
	switch code {
	case encBool, encUint8:
		return putUnsigneds(w, n, elements[uint8](p, count))
	case encUint16:
		return putUnsigneds(w, n, elements[uint16](p, count))
	case encUint32:
		return putUnsigneds(w, n, elements[uint32](p, count))
	case encUint64:
		return putUnsigneds(w, n, elements[uint64](p, count))
	case encInt8:
		return putSigneds(w, n, elements[int8](p, count))
	case encInt16:
		return putSigneds(w, n, elements[int16](p, count))
	case encInt32:
		return putSigneds(w, n, elements[int32](p, count))
	case encInt64:
		return putSigneds(w, n, elements[int64](p, count))
	case encFloat32:
		w.put8(n, 4<<3|byte(wire.FP32))
		for i, x := range elements[float32](p, count) {
			w.put32(n+1+4*i, math.Float32bits(x))
		}
		return n + 1 + 4*count
	}
	w.put8(n, 8<<3|byte(wire.FP64))
	for i, x := range elements[float64](p, count) {
		w.put64(n+1+8*i, math.Float64bits(x))
	}
	return n + 1 + 8*count
}

func putUnsigneds[T wire.Integer](w pointer, n int, v []T) int {
	for _, x := range v {
		n = putVarint(w, n, uint64(x))
	}
	return n
}

func putSigneds[T wire.Integer](w pointer, n int, v []T) int {
	for _, x := range v {
		n = putVarint(w, n, wire.Zigzag(int64(x)))
	}
	return n
}
