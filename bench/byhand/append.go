// Package byhand encodes and decodes the messages of the benchmarks with straight-line
// code, as a careful programmer would write it for one type: fields at their defaults
// are left out and strings are checked for UTF-8, but there are no bounds, no budget
// and no skipping of unknown fields, and no error says where it was. It is the limit
// that a codec for any type is measured against.
package byhand

import (
	"encoding/binary"
	"errors"
	"math"
	"unicode/utf8"
)

var errNotUTF8 = errors.New("string is not UTF-8")

// Low bits of a header, and of a fixlen word.
const (
	unsigned      = 0
	signed        = 1
	fixlen        = 2
	arrayUnsigned = 3
	arraySigned   = 4
	arrayFixlen   = 5
	sequence      = 6
	end           = 7

	float        = 0
	double       = 1
	text         = 2
	binaryString = 3
)

const (
	fp32     = 4<<3 | float
	fp64     = 8<<3 | double
	maxLen   = 10 // bytes of the longest varint
	chunkLen = 64 // elements of an array for which room is made at once
)

type uints interface {
	~uint8 | ~uint16 | ~uint32 | ~uint64
}

type ints interface {
	~int8 | ~int16 | ~int32 | ~int64
}

func zigzag(v int64) uint64 { return uint64(v<<1) ^ uint64(v>>63) }

func appendVarint(b []byte, v uint64) []byte {
	for v >= 0x80 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v))
}

// appendUint and the functions below it write one field with a header of one byte.
func appendUint(b []byte, header byte, v uint64) []byte {
	if v == 0 {
		return b
	}
	return appendVarint(append(b, header), v)
}

func appendInt(b []byte, header byte, v int64) []byte {
	if v == 0 {
		return b
	}
	return appendVarint(append(b, header), zigzag(v))
}

func appendBool(b []byte, header byte, v bool) []byte {
	if !v {
		return b
	}
	return append(b, header, 1)
}

func appendFloat(b []byte, header byte, v float32) []byte {
	if v == 0 {
		return b
	}
	return binary.LittleEndian.AppendUint32(append(b, header, fp32), math.Float32bits(v))
}

func appendDouble(b []byte, header byte, v float64) []byte {
	if v == 0 {
		return b
	}
	return binary.LittleEndian.AppendUint64(append(b, header, fp64), math.Float64bits(v))
}

func appendBytes(b []byte, header byte, v []byte) []byte {
	if len(v) == 0 {
		return b
	}
	b = appendVarint(append(b, header), uint64(len(v))<<3|binaryString)
	return append(b, v...)
}

func appendString(b []byte, header byte, v string) ([]byte, error) {
	if v == "" {
		return b, nil
	}
	return appendText(append(b, header), v)
}

// appendText writes a string after its header.
func appendText(b []byte, v string) ([]byte, error) {
	if !utf8.ValidString(v) {
		return nil, errNotUTF8
	}
	b = appendVarint(b, uint64(len(v))<<3|text)
	return append(b, v...), nil
}

// appendStrings writes a list of strings, its header already there, as a sequence.
func appendStrings(b []byte, list []string) ([]byte, error) {
	var err error
	for i, v := range list {
		if v == "" && i < len(list)-1 {
			continue
		}
		if b, err = appendText(appendVarint(b, uint64(i)<<3|fixlen), v); err != nil {
			return nil, err
		}
	}
	return append(b, end), nil
}

// appendUints writes an array, if it has elements.
func appendUints[T uints](b []byte, header byte, list []T) []byte {
	if len(list) == 0 {
		return b
	}
	b = appendVarint(append(b, header), uint64(len(list)))
	for len(list) > 0 {
		chunk := list[:min(chunkLen, len(list))]
		list = list[len(chunk):]
		if cap(b)-len(b) < maxLen*len(chunk) {
			for _, v := range chunk {
				b = appendVarint(b, uint64(v))
			}
			continue
		}
		p, n := b[:cap(b)], len(b)
		for _, v := range chunk {
			v := uint64(v)
			for v >= 0x80 {
				p[n] = byte(v) | 0x80
				v >>= 7
				n++
			}
			p[n] = byte(v)
			n++
		}
		b = p[:n]
	}
	return b
}

func appendInts[T ints](b []byte, header byte, list []T) []byte {
	if len(list) == 0 {
		return b
	}
	b = appendVarint(append(b, header), uint64(len(list)))
	for len(list) > 0 {
		chunk := list[:min(chunkLen, len(list))]
		list = list[len(chunk):]
		if cap(b)-len(b) < maxLen*len(chunk) {
			for _, v := range chunk {
				b = appendVarint(b, zigzag(int64(v)))
			}
			continue
		}
		p, n := b[:cap(b)], len(b)
		for _, v := range chunk {
			v := zigzag(int64(v))
			for v >= 0x80 {
				p[n] = byte(v) | 0x80
				v >>= 7
				n++
			}
			p[n] = byte(v)
			n++
		}
		b = p[:n]
	}
	return b
}

func appendFloats(b []byte, header byte, list []float32) []byte {
	if len(list) == 0 {
		return b
	}
	b = append(appendVarint(append(b, header), uint64(len(list))), fp32)
	for _, v := range list {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

// appendFixed writes a double after its header, whatever its value.
func appendFixed(b []byte, v float64) []byte {
	return binary.LittleEndian.AppendUint64(append(b, fp64), math.Float64bits(v))
}

func appendDoubles(b []byte, header byte, list []float64) []byte {
	if len(list) == 0 {
		return b
	}
	b = append(appendVarint(append(b, header), uint64(len(list))), fp64)
	for _, v := range list {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return b
}
