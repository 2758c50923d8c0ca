package byhand

import "github.com/sofab-go/sofab/bench/data"

func AppendComposite(b []byte, m *data.Composite) (_ []byte, err error) {
	if b, err = appendString(b, 1<<3|fixlen, m.Title); err != nil {
		return nil, err
	}
	if len(m.Chapter) > 0 {
		b = append(b, 2<<3|sequence)
		for i := range m.Chapter {
			if b, err = appendChapter(b, i, i == len(m.Chapter)-1, &m.Chapter[i]); err != nil {
				return nil, err
			}
		}
		b = append(b, end)
	}
	if len(m.Matrix) > 0 {
		b = append(b, 3<<3|sequence)
		for i, row := range m.Matrix {
			if len(row) > 0 || i == len(m.Matrix)-1 {
				b = appendRow(b, i, row)
			}
		}
		b = append(b, end)
	}
	start := len(b)
	b = append(b, 4<<3|sequence, 1<<3|sequence, 1<<3|sequence)
	deep := &m.Deep.Level.Level
	if len(deep.Names) > 0 {
		if b, err = appendStrings(append(b, 1<<3|sequence), deep.Names); err != nil {
			return nil, err
		}
	}
	b = closed(appendDouble(b, 2<<3|fixlen, deep.Value), start+2, 1)
	b = closed(appendInts(b, 2<<3|arraySigned, m.Deep.Level.Codes), start+1, 1)
	if b, err = appendString(b, 2<<3|fixlen, m.Deep.Label); err != nil {
		return nil, err
	}
	return closed(b, start, 1), nil
}

func appendChapter(b []byte, id int, last bool, m *data.Chapter) (_ []byte, err error) {
	start := len(b)
	b = appendVarint(b, uint64(id)<<3|sequence)
	fields := len(b)
	if b, err = appendString(b, 1<<3|fixlen, m.Name); err != nil {
		return nil, err
	}
	if len(m.Words) > 0 {
		if b, err = appendStrings(append(b, 2<<3|sequence), m.Words); err != nil {
			return nil, err
		}
	}
	b = appendUint(b, 3<<3|unsigned, uint64(m.Pages))
	if len(b) == fields && !last {
		return b[:start], nil
	}
	return append(b, end), nil
}

func appendRow(b []byte, id int, row []int32) []byte {
	b = appendVarint(b, uint64(id)<<3|arraySigned)
	b = appendVarint(b, uint64(len(row)))
	for _, v := range row {
		b = appendVarint(b, zigzag(int64(v)))
	}
	return b
}

func DecodeComposite(b []byte, m *data.Composite) error {
	r := reader{b: b}
	for r.more() {
		switch r.varint() {
		case 1<<3 | fixlen:
			m.Title = r.text()
		case 2<<3 | sequence:
			m.Chapter = r.chapters()
		case 3<<3 | sequence:
			m.Matrix = r.rows()
		case 4<<3 | sequence:
			r.level1(&m.Deep)
		default:
			r.fail(errUnexpected)
		}
	}
	return r.err
}

func (r *reader) chapters() []data.Chapter {
	list := []data.Chapter{}
	for {
		h := r.varint()
		if h == end || r.err != nil {
			return list
		}
		if h&7 != sequence {
			r.fail(errUnexpected)
			return list
		}
		if list = place(r, list, h>>3); r.err == nil {
			r.chapter(&list[h>>3])
		}
	}
}

func (r *reader) chapter(m *data.Chapter) {
	for {
		switch r.varint() {
		case 1<<3 | fixlen:
			m.Name = r.text()
		case 2<<3 | sequence:
			m.Words = r.texts()
		case 3<<3 | unsigned:
			m.Pages = readUint[uint16](r)
		case end:
			return
		default:
			r.fail(errUnexpected)
			return
		}
	}
}

func (r *reader) rows() [][]int32 {
	list := [][]int32{}
	for {
		h := r.varint()
		if h == end || r.err != nil {
			return list
		}
		if h&7 != arraySigned {
			r.fail(errUnexpected)
			return list
		}
		if list = place(r, list, h>>3); r.err == nil {
			list[h>>3] = readInts[int32](r)
		}
	}
}

func (r *reader) level1(m *data.Level1) {
	for {
		switch r.varint() {
		case 1<<3 | sequence:
			r.level2(&m.Level)
		case 2<<3 | fixlen:
			m.Label = r.text()
		case end:
			return
		default:
			r.fail(errUnexpected)
			return
		}
	}
}

func (r *reader) level2(m *data.Level2) {
	for {
		switch r.varint() {
		case 1<<3 | sequence:
			r.level3(&m.Level)
		case 2<<3 | arraySigned:
			m.Codes = readInts[int64](r)
		case end:
			return
		default:
			r.fail(errUnexpected)
			return
		}
	}
}

func (r *reader) level3(m *data.Level3) {
	for {
		switch r.varint() {
		case 1<<3 | sequence:
			m.Names = r.texts()
		case 2<<3 | fixlen:
			m.Value = r.double()
		case end:
			return
		default:
			r.fail(errUnexpected)
			return
		}
	}
}
