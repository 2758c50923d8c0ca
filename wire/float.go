package wire

import (
	"encoding/binary"
	"math"
)

// AppendFloat32 appends the four bytes of v, every bit kept (section 7).
func AppendFloat32(b []byte, v float32) []byte {
	return binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
}

// ConsumeFloat32 reads four bytes.
func ConsumeFloat32(b []byte) (v float32, n int) {
	if len(b) < 4 {
		return 0, More
	}
	return math.Float32frombits(binary.LittleEndian.Uint32(b)), 4
}

// SizeFloat32 is the length of an fp32 without its words.
func SizeFloat32() int { return 4 }

// AppendFloat64 appends the eight bytes of v, every bit kept (section 7).
func AppendFloat64(b []byte, v float64) []byte {
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
}

// ConsumeFloat64 reads eight bytes.
func ConsumeFloat64(b []byte) (v float64, n int) {
	if len(b) < 8 {
		return 0, More
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(b)), 8
}

// SizeFloat64 is the length of an fp64 without its words.
func SizeFloat64() int { return 8 }

// ConsumeFloat32s reads elements of four bytes until dst is full or b has no whole
// one left, and returns how many elements and bytes that was.
func ConsumeFloat32s(b []byte, dst []float32) (elements, n int) {
	elements = min(len(dst), len(b)/4)
	for i := range dst[:elements] {
		dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return elements, 4 * elements
}

// ConsumeFloat64s is [ConsumeFloat32s] for elements of eight bytes.
func ConsumeFloat64s(b []byte, dst []float64) (elements, n int) {
	elements = min(len(dst), len(b)/8)
	for i := range dst[:elements] {
		dst[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return elements, 8 * elements
}

// PutFloat32s writes as many elements of src as fit b and returns how many
// elements and bytes that was.
func PutFloat32s(b []byte, src []float32) (elements, n int) {
	elements = min(len(src), len(b)/4)
	for i, v := range src[:elements] {
		binary.LittleEndian.PutUint32(b[4*i:], math.Float32bits(v))
	}
	return elements, 4 * elements
}

// PutFloat64s is [PutFloat32s] for elements of eight bytes.
func PutFloat64s(b []byte, src []float64) (elements, n int) {
	elements = min(len(src), len(b)/8)
	for i, v := range src[:elements] {
		binary.LittleEndian.PutUint64(b[8*i:], math.Float64bits(v))
	}
	return elements, 8 * elements
}
