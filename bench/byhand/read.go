package byhand

import (
	"encoding/binary"
	"errors"
	"math"
	"unicode/utf8"
)

var (
	errShort      = errors.New("message ends too early")
	errUnexpected = errors.New("malformed, or a field that is not of the type")
)

// A reader reads words off a message. After the first fault it is at the end and reads zeros.
type reader struct {
	b   []byte
	i   int
	err error
}

func (r *reader) more() bool { return r.i < len(r.b) }

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
	r.i = len(r.b)
}

func (r *reader) varint() uint64 {
	if r.i < len(r.b) && r.b[r.i] < 0x80 {
		r.i++
		return uint64(r.b[r.i-1])
	}
	return r.longVarint()
}

func (r *reader) longVarint() uint64 {
	v, n := binary.Uvarint(r.b[r.i:])
	switch {
	case n > 0:
		r.i += n
	case n == 0:
		r.fail(errShort)
	default:
		r.fail(errUnexpected)
	}
	return v
}

func (r *reader) signed() int64 {
	v := r.varint()
	return int64(v>>1) ^ -int64(v&1)
}

// readUint reads an integer that must fit its type.
func readUint[T uints](r *reader) T {
	v := r.varint()
	if uint64(T(v)) != v {
		r.fail(errUnexpected)
	}
	return T(v)
}

func readInt[T ints](r *reader) T {
	v := r.signed()
	if int64(T(v)) != v {
		r.fail(errUnexpected)
	}
	return T(v)
}

// take is the payload of the next n bytes, still within the message.
func (r *reader) take(n uint64) []byte {
	if n > uint64(len(r.b)-r.i) {
		r.fail(errShort)
		return nil
	}
	p := r.b[r.i : r.i+int(n)]
	r.i += int(n)
	return p
}

func (r *reader) payload(subtype uint64) []byte {
	w := r.varint()
	if w&7 != subtype {
		r.fail(errUnexpected)
		return nil
	}
	return r.take(w >> 3)
}

func (r *reader) text() string {
	p := r.payload(text)
	if !utf8.Valid(p) {
		r.fail(errNotUTF8)
		return ""
	}
	return string(p)
}

func (r *reader) bytes() []byte { return append([]byte(nil), r.payload(binaryString)...) }

func (r *reader) float() float32 {
	if r.varint() != fp32 {
		r.fail(errUnexpected)
	}
	if p := r.take(4); p != nil {
		return math.Float32frombits(binary.LittleEndian.Uint32(p))
	}
	return 0
}

func (r *reader) double() float64 {
	if r.varint() != fp64 {
		r.fail(errUnexpected)
	}
	if p := r.take(8); p != nil {
		return math.Float64frombits(binary.LittleEndian.Uint64(p))
	}
	return 0
}

// count is the count of an array whose elements have at least size bytes each.
func (r *reader) count(size int) int {
	n := r.varint()
	if n > uint64((len(r.b)-r.i)/size) {
		r.fail(errShort)
		return 0
	}
	return int(n)
}

func readUints[T uints](r *reader) []T {
	list := make([]T, r.count(1))
	b, i := r.b, r.i
	for k := range list {
		var v uint64
		if i < len(b) && b[i] < 0x80 {
			v = uint64(b[i])
			i++
		} else {
			var n int
			if v, n = binary.Uvarint(b[i:]); n <= 0 {
				r.fail(errUnexpected)
				return nil
			}
			i += n
		}
		if uint64(T(v)) != v {
			r.fail(errUnexpected)
			return nil
		}
		list[k] = T(v)
	}
	r.i = i
	return list
}

func readInts[T ints](r *reader) []T {
	list := make([]T, r.count(1))
	for k := range list {
		list[k] = readInt[T](r)
	}
	return list
}

func (r *reader) floats() []float32 {
	n := r.count(4)
	if r.varint() != fp32 {
		r.fail(errUnexpected)
	}
	p := r.take(4 * uint64(n))
	list := make([]float32, len(p)/4)
	for i := range list {
		list[i] = math.Float32frombits(binary.LittleEndian.Uint32(p[4*i:]))
	}
	return list
}

func (r *reader) doubles() []float64 {
	n := r.count(8)
	if r.varint() != fp64 {
		r.fail(errUnexpected)
	}
	p := r.take(8 * uint64(n))
	list := make([]float64, len(p)/8)
	for i := range list {
		list[i] = math.Float64frombits(binary.LittleEndian.Uint64(p[8*i:]))
	}
	return list
}

// place extends list to hold element id, and at most as many as a message can have.
func place[T any](r *reader, list []T, id uint64) []T {
	if id > uint64(len(r.b)) {
		r.fail(errUnexpected)
		return list
	}
	for uint64(len(list)) <= id {
		var zero T
		list = append(list, zero)
	}
	return list
}

func (r *reader) texts() []string {
	list := []string{}
	for {
		h := r.varint()
		if h == end || r.err != nil {
			return list
		}
		if h&7 != fixlen {
			r.fail(errUnexpected)
			return list
		}
		id := h >> 3
		if list = place(r, list, id); r.err == nil {
			list[id] = r.text()
		}
	}
}
