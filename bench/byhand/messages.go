package byhand

import "github.com/sofab-go/sofab/bench/data"

func AppendTypical(b []byte, m *data.Typical) (_ []byte, err error) {
	b = appendUint(b, 1<<3|unsigned, uint64(m.Serial))
	b = appendInt(b, 2<<3|signed, int64(m.Offset))
	b = appendBool(b, 3<<3|unsigned, m.Active)
	b = appendFloat(b, 4<<3|fixlen, m.Ratio)
	if b, err = appendString(b, 5<<3|fixlen, m.Name); err != nil {
		return nil, err
	}
	b = appendUints(b, 6<<3|arrayUnsigned, m.Levels)
	return appendInner(b, 7<<3|sequence, &m.Inner), nil
}

func appendInner(b []byte, header byte, m *data.Inner) []byte {
	if *m == (data.Inner{}) {
		return b
	}
	b = append(b, header)
	b = appendUint(b, 1<<3|unsigned, uint64(m.Count))
	b = appendInt(b, 2<<3|signed, int64(m.Delta))
	return append(b, end)
}

func DecodeTypical(b []byte, m *data.Typical) error {
	r := reader{b: b}
	for r.more() {
		switch r.varint() {
		case 1<<3 | unsigned:
			m.Serial = readUint[uint32](&r)
		case 2<<3 | signed:
			m.Offset = readInt[int32](&r)
		case 3<<3 | unsigned:
			m.Active = r.varint() != 0
		case 4<<3 | fixlen:
			m.Ratio = r.float()
		case 5<<3 | fixlen:
			m.Name = r.text()
		case 6<<3 | arrayUnsigned:
			m.Levels = readUints[uint16](&r)
		case 7<<3 | sequence:
			r.inner(&m.Inner)
		default:
			r.fail(errUnexpected)
		}
	}
	return r.err
}

func (r *reader) inner(m *data.Inner) {
	for {
		switch r.varint() {
		case 1<<3 | unsigned:
			m.Count = readUint[uint32](r)
		case 2<<3 | signed:
			m.Delta = readInt[int32](r)
		case end:
			return
		default:
			r.fail(errUnexpected)
			return
		}
	}
}

func AppendPerf12(b []byte, m *data.Perf12) (_ []byte, err error) {
	b = appendUint(b, 1<<3|unsigned, uint64(m.U32))
	b = appendInt(b, 2<<3|signed, int64(m.I32))
	b = appendUint(b, 3<<3|unsigned, m.U64)
	b = appendInt(b, 4<<3|signed, m.I64)
	b = appendBool(b, 5<<3|unsigned, m.Bool)
	b = appendFloat(b, 6<<3|fixlen, m.F32)
	b = appendDouble(b, 7<<3|fixlen, m.F64)
	if b, err = appendString(b, 8<<3|fixlen, m.Text); err != nil {
		return nil, err
	}
	b = appendUints(b, 9<<3|arrayUnsigned, m.U32s)
	b = appendInts(b, 10<<3|arraySigned, m.I32s)
	b = appendDoubles(b, 11<<3|arrayFixlen, m.F64s)
	return appendInner(b, 12<<3|sequence, &m.Nested), nil
}

func DecodePerf12(b []byte, m *data.Perf12) error {
	r := reader{b: b}
	for r.more() {
		switch r.varint() {
		case 1<<3 | unsigned:
			m.U32 = readUint[uint32](&r)
		case 2<<3 | signed:
			m.I32 = readInt[int32](&r)
		case 3<<3 | unsigned:
			m.U64 = r.varint()
		case 4<<3 | signed:
			m.I64 = r.signed()
		case 5<<3 | unsigned:
			m.Bool = r.varint() != 0
		case 6<<3 | fixlen:
			m.F32 = r.float()
		case 7<<3 | fixlen:
			m.F64 = r.double()
		case 8<<3 | fixlen:
			m.Text = r.text()
		case 9<<3 | arrayUnsigned:
			m.U32s = readUints[uint32](&r)
		case 10<<3 | arraySigned:
			m.I32s = readInts[int32](&r)
		case 11<<3 | arrayFixlen:
			m.F64s = r.doubles()
		case 12<<3 | sequence:
			r.inner(&m.Nested)
		default:
			r.fail(errUnexpected)
		}
	}
	return r.err
}

func AppendIntegers(b []byte, m *data.Integers) ([]byte, error) {
	return appendUints(b, 1<<3|arrayUnsigned, m.Values), nil
}

func DecodeIntegers(b []byte, m *data.Integers) error {
	r := reader{b: b}
	for r.more() {
		if r.varint() != 1<<3|arrayUnsigned {
			return errUnexpected
		}
		m.Values = readUints[uint64](&r)
	}
	return r.err
}

func AppendSmall(b []byte, m *data.Small) (_ []byte, err error) {
	b = appendUint(b, 1<<3|unsigned, m.ID)
	if b, err = appendString(b, 2<<3|fixlen, m.Action); err != nil {
		return nil, err
	}
	if b, err = appendString(b, 3<<3|fixlen, m.User); err != nil {
		return nil, err
	}
	b = appendInt(b, 4<<3|signed, m.At)
	b = appendBool(b, 5<<3|unsigned, m.Granted)
	return appendDouble(b, 6<<3|fixlen, m.Seconds), nil
}

func DecodeSmall(b []byte, m *data.Small) error {
	r := reader{b: b}
	for r.more() {
		switch r.varint() {
		case 1<<3 | unsigned:
			m.ID = r.varint()
		case 2<<3 | fixlen:
			m.Action = r.text()
		case 3<<3 | fixlen:
			m.User = r.text()
		case 4<<3 | signed:
			m.At = r.signed()
		case 5<<3 | unsigned:
			m.Granted = r.varint() != 0
		case 6<<3 | fixlen:
			m.Seconds = r.double()
		default:
			r.fail(errUnexpected)
		}
	}
	return r.err
}

func AppendBlob(b []byte, m *data.Blob) ([]byte, error) {
	return appendBytes(b, 1<<3|fixlen, m.Data), nil
}

func DecodeBlob(b []byte, m *data.Blob) error {
	r := reader{b: b}
	for r.more() {
		if r.varint() != 1<<3|fixlen {
			return errUnexpected
		}
		m.Data = r.bytes()
	}
	return r.err
}
