package byhand

import "github.com/sofab-go/sofab/bench/data"

func AppendFull(b []byte, m *data.Full) (_ []byte, err error) {
	b = appendUint(b, 0<<3|unsigned, uint64(m.U8))
	b = appendInt(b, 1<<3|signed, int64(m.I8))
	b = appendUint(b, 2<<3|unsigned, uint64(m.U16))
	b = appendInt(b, 3<<3|signed, int64(m.I16))
	b = appendUint(b, 4<<3|unsigned, uint64(m.U32))
	b = appendInt(b, 5<<3|signed, int64(m.I32))
	b = appendUint(b, 6<<3|unsigned, m.U64)
	b = appendInt(b, 7<<3|signed, m.I64)

	f, start := &m.Fixlen, len(b)
	b = append(b, 10<<3|sequence)
	b = appendFloat(b, 0<<3|fixlen, f.F32)
	b = appendDouble(b, 1<<3|fixlen, f.F64)
	if b, err = appendString(b, 2<<3|fixlen, f.Text); err != nil {
		return nil, err
	}
	b = closed(appendBytes(b, 3<<3|fixlen, f.Blob), start, 1)

	a, start := &m.Arrays, len(b)
	b = append(b, 100<<3&0x7f|sequence|0x80, 100>>4)
	b = appendUints(b, 0<<3|arrayUnsigned, a.U8)
	b = appendInts(b, 1<<3|arraySigned, a.I8)
	b = appendUints(b, 2<<3|arrayUnsigned, a.U16)
	b = appendInts(b, 3<<3|arraySigned, a.I16)
	b = appendUints(b, 4<<3|arrayUnsigned, a.U32)
	b = appendInts(b, 5<<3|arraySigned, a.I32)
	b = appendUints(b, 6<<3|arrayUnsigned, a.U64)
	b = appendInts(b, 7<<3|arraySigned, a.I64)
	inner := len(b)
	b = append(b, 10<<3|sequence)
	b = appendFloats(b, 0<<3|arrayFixlen, a.Floats.F32)
	b = closed(appendDoubles(b, 1<<3|arrayFixlen, a.Floats.F64), inner, 1)
	b = closed(b, start, 2)

	if len(m.Strings) > 0 {
		return appendStrings(append(b, 200<<3&0x7f|sequence|0x80, 200>>4), m.Strings)
	}
	return b, nil
}

// closed ends a sequence whose header, of n bytes, is at start, or takes the header
// back where nothing follows it.
func closed(b []byte, start, n int) []byte {
	if len(b) == start+n {
		return b[:start]
	}
	return append(b, end)
}

func DecodeFull(b []byte, m *data.Full) error {
	r := reader{b: b}
	for r.more() {
		switch r.varint() {
		case 0<<3 | unsigned:
			m.U8 = readUint[uint8](&r)
		case 1<<3 | signed:
			m.I8 = readInt[int8](&r)
		case 2<<3 | unsigned:
			m.U16 = readUint[uint16](&r)
		case 3<<3 | signed:
			m.I16 = readInt[int16](&r)
		case 4<<3 | unsigned:
			m.U32 = readUint[uint32](&r)
		case 5<<3 | signed:
			m.I32 = readInt[int32](&r)
		case 6<<3 | unsigned:
			m.U64 = r.varint()
		case 7<<3 | signed:
			m.I64 = r.signed()
		case 10<<3 | sequence:
			r.fullFixlen(&m.Fixlen)
		case 100<<3 | sequence:
			r.fullArrays(&m.Arrays)
		case 200<<3 | sequence:
			m.Strings = r.texts()
		default:
			r.fail(errUnexpected)
		}
	}
	return r.err
}

func (r *reader) fullFixlen(m *data.FullFixlen) {
	for {
		switch r.varint() {
		case 0<<3 | fixlen:
			m.F32 = r.float()
		case 1<<3 | fixlen:
			m.F64 = r.double()
		case 2<<3 | fixlen:
			m.Text = r.text()
		case 3<<3 | fixlen:
			m.Blob = r.bytes()
		case end:
			return
		default:
			r.fail(errUnexpected)
			return
		}
	}
}

func (r *reader) fullArrays(m *data.FullArrays) {
	for {
		switch r.varint() {
		case 0<<3 | arrayUnsigned:
			m.U8 = readUints[uint8](r)
		case 1<<3 | arraySigned:
			m.I8 = readInts[int8](r)
		case 2<<3 | arrayUnsigned:
			m.U16 = readUints[uint16](r)
		case 3<<3 | arraySigned:
			m.I16 = readInts[int16](r)
		case 4<<3 | arrayUnsigned:
			m.U32 = readUints[uint32](r)
		case 5<<3 | arraySigned:
			m.I32 = readInts[int32](r)
		case 6<<3 | arrayUnsigned:
			m.U64 = readUints[uint64](r)
		case 7<<3 | arraySigned:
			m.I64 = readInts[int64](r)
		case 10<<3 | sequence:
			r.fullFloats(&m.Floats)
		case end:
			return
		default:
			r.fail(errUnexpected)
			return
		}
	}
}

func (r *reader) fullFloats(m *data.FullFloats) {
	for {
		switch r.varint() {
		case 0<<3 | arrayFixlen:
			m.F32 = r.floats()
		case 1<<3 | arrayFixlen:
			m.F64 = r.doubles()
		case end:
			return
		default:
			r.fail(errUnexpected)
			return
		}
	}
}
