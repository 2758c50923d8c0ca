package sofab

import (
	"encoding/binary"
	"math"
	"reflect"

	"github.com/sofab-go/sofab/wire"
)

// A run is consecutive rows of a struct whose encoding has a bounded length, so that
// room for all of them is reserved once. Its rows hold integers, booleans and floats
// without pointers, declared defaults or checks: their default is zero and any value
// fits.

// runOp says how the value of a row in a run is loaded.
type runOp uint8

const (
	runNone runOp = iota // the row is not part of a run
	runBool
	runUint8
	runUint16
	runUint32
	runUint64
	runInt8
	runInt16
	runInt32
	runInt64
	runFloat32
	runFloat64
)

const (
	// maxRunRow is the room that a row of a run takes at the most, counting the bytes
	// that are written ahead: a header of 8 bytes and a varint of 10.
	maxRunRow = 18
	// maxRun is the number of rows after which a run ends.
	maxRun = 32
)

// runOps are the operations for the Go kinds that a run holds.
var runOps = map[reflect.Kind]runOp{
	reflect.Bool: runBool, reflect.Float32: runFloat32, reflect.Float64: runFloat64,
	reflect.Uint8: runUint8, reflect.Uint16: runUint16, reflect.Uint32: runUint32, reflect.Uint64: runUint64,
	reflect.Int8: runInt8, reflect.Int16: runInt16, reflect.Int32: runInt32, reflect.Int64: runInt64,
}

// runOpOf is the operation for the values of a plain form.
func runOpOf(f *form) runOp {
	switch {
	case f.goKind == reflect.Uint && f.size == 8:
		return runUint64
	case f.goKind == reflect.Uint:
		return runUint32
	case f.goKind == reflect.Int && f.size == 8:
		return runInt64
	case f.goKind == reflect.Int:
		return runInt32
	}
	return runOps[f.goKind]
}

// linkRuns finds the runs of a table. The first row of each knows how many follow.
func (t *table) linkRuns() {
	for i := len(t.rows) - 1; i >= 0; i-- {
		r := &t.rows[i]
		var head [8]byte
		r.headLen = uint8(wire.PutHeader(head[:], r.id, r.form.wire))
		r.headWord = binary.LittleEndian.Uint64(head[:])
		r.direct = r.via == nil && r.def == nil && !r.required
		if r.form.isPlain() && r.via == nil && r.def == nil && !r.presence {
			r.run = runOpOf(r.form)
			r.runLen = 1
			if i+1 < len(t.rows) && t.rows[i+1].runLen < maxRun {
				r.runLen += t.rows[i+1].runLen
			}
		}
	}
}

// run writes the rows of a run that differ from their defaults, and returns how many
// rows that was.
func (s *encodeState) run(rows []row, p pointer) int {
	rows = rows[:rows[0].runLen]
	b := s.Reserve(maxRunRow * len(rows))
	n := 0
	for i := range rows {
		r := &rows[i]
		v := p.add(r.offset)
		var u uint64
		switch r.run {
		case runBool, runUint8:
			u = uint64(*at[uint8](v))
		case runUint16:
			u = uint64(*at[uint16](v))
		case runUint32:
			u = uint64(*at[uint32](v))
		case runUint64:
			u = *at[uint64](v)
		case runInt8:
			u = wire.Zigzag(int64(*at[int8](v)))
		case runInt16:
			u = wire.Zigzag(int64(*at[int16](v)))
		case runInt32:
			u = wire.Zigzag(int64(*at[int32](v)))
		case runInt64:
			u = wire.Zigzag(*at[int64](v))
		case runFloat32:
			if f := *at[float32](v); f != 0 {
				binary.LittleEndian.PutUint64(b[n:], r.headWord)
				n += int(r.headLen)
				b[n] = 4<<3 | byte(wire.FP32)
				binary.LittleEndian.PutUint32(b[n+1:], math.Float32bits(f))
				n += 5
			}
			continue
		case runFloat64:
			if f := *at[float64](v); f != 0 {
				binary.LittleEndian.PutUint64(b[n:], r.headWord)
				n += int(r.headLen)
				b[n] = 8<<3 | byte(wire.FP64)
				binary.LittleEndian.PutUint64(b[n+1:], math.Float64bits(f))
				n += 9
			}
			continue
		}
		if u == 0 {
			continue
		}
		binary.LittleEndian.PutUint64(b[n:], r.headWord)
		n += int(r.headLen)
		if u < 0x80 {
			b[n] = byte(u)
			n++
		} else {
			n += wire.PutVarint(b[n:], u)
		}
	}
	s.Advance(n)
	return len(rows)
}
