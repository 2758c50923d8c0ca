package sofab

import (
	"encoding/binary"
	"math"

	"github.com/sofab-go/sofab/wire"
)

// The headers of the arms of an any that the fast prefix takes.
const (
	headUint64  = (anyUint64-1)<<3 | byte(wire.Unsigned)
	headInt64   = (anyInt64-1)<<3 | byte(wire.Signed)
	headBool    = (anyBool-1)<<3 | byte(wire.Unsigned)
	headFloat64 = (anyFloat64-1)<<3 | byte(wire.Fixlen)
	headString  = (anyString-1)<<3 | byte(wire.Fixlen)
	headFloat32 = (anyFloat32-1)<<3 | byte(wire.Fixlen)
)

// fastAny reads an any with a number, a boolean or a string in it, whose union has that
// arm and nothing else. It is what dynamic values mostly consist of; BenchmarkAny pays
// for it.
func (d *decodeState) fastAny(fr *frame, f *form, dst pointer, win []byte, q int) (int, bool) {
	if len(win)-q < 3 || d.atMaxDepth() {
		return q, false
	}
	head := win[q]
	q++
	var number uint64
	var text []byte
	switch head {
	case headUint64, headInt64, headBool:
		u, n := wire.ConsumeVarint(win[q:])
		if n < 0 {
			return q, false
		}
		number, q = u, q+n
	case headFloat64:
		if len(win)-q < 9 || win[q] != 8<<3|byte(wire.FP64) {
			return q, false
		}
		number, q = binary.LittleEndian.Uint64(win[q+1:]), q+9
	case headFloat32:
		if len(win)-q < 5 || win[q] != 4<<3|byte(wire.FP32) {
			return q, false
		}
		number, q = uint64(binary.LittleEndian.Uint32(win[q+1:])), q+5
	case headString:
		length, subtype, n := wire.ConsumeFixlenWord(win[q:])
		q += n
		if n < 0 || subtype != wire.String || length > d.options.limits.String || length > len(win)-q {
			return q, false
		}
		text, q = win[q:q+length:q+length], q+length
		if !d.options.verbatim && wire.BadUTF8(stringOf(text)) >= 0 {
			return q, false
		}
	default:
		return q, false
	}
	if q == len(win) || win[q] != byte(wire.SequenceEnd) {
		return q, false
	}
	size := boxSize + len(text)
	dst, ok := d.reach(fr, f, dst, size)
	if !ok || *at[any](dst) != nil {
		return q, false
	}
	d.charged += int64(size)
	*at[any](dst) = d.armValue(head, number, text)
	return q + 1, true
}

// armValue is the value of an arm, from what stands on the wire.
func (d *decodeState) armValue(head byte, number uint64, text []byte) any {
	switch head {
	case headUint64:
		return number
	case headInt64:
		return wire.Unzigzag(number)
	case headBool:
		return number != 0
	case headFloat64:
		return math.Float64frombits(number)
	case headFloat32:
		return math.Float32frombits(uint32(number))
	}
	var s string
	if d.alias {
		s = stringOf(text)
	} else {
		s = d.slab.newString(text)
	}
	return s
}
