package stream_test

import (
	"bytes"
	"io"
	"testing"
	"testing/iotest"

	"github.com/sofab-go/sofab/stream"
	"github.com/sofab-go/sofab/wire"
)

// validByteByByte is what Valid says, found by a decoder that never has a field as a
// whole.
func validByteByByte(data []byte) bool {
	d := stream.NewDecoder(iotest.OneByteReader(bytes.NewReader(data)))
	for {
		if _, err := d.Next(); err != nil {
			return err == io.EOF
		}
		if err := d.Skip(); err != nil {
			return false
		}
	}
}

// checkValid asserts that Valid agrees, also of every start of data, whatever stands
// behind it in the same memory.
func checkValid(t *testing.T, data []byte) {
	t.Helper()
	for n := range len(data) + 1 {
		if got, want := stream.Valid(data[:n]), validByteByByte(data[:n]); got != want {
			t.Fatalf("%x: Valid is %v, byte by byte %v", data[:n], got, want)
		}
	}
}

// varintOf is a varint of size bytes, the last one of which is given.
func varintOf(size int, last byte) []byte {
	return append(bytes.Repeat([]byte{0x80}, size-1), last)
}

// TestValidOfUnits compares Valid of every kind of field, with words of every length, with
// what a parser says that sees one byte at a time.
func TestValidOfUnits(t *testing.T) {
	behind := [][]byte{nil, {0x00, 0x05}, bytes.Repeat([]byte{0x00, 0x05}, 9)}
	check := func(parts ...[]byte) {
		field := bytes.Join(parts, nil)
		for _, b := range behind {
			checkValid(t, append(bytes.Clone(field), b...))
		}
	}
	for typ := range wire.SequenceEnd {
		check(wire.AppendHeader(nil, 1, typ), []byte{0x07})
		for _, head := range [][]byte{
			wire.AppendHeader(nil, 1, typ), wire.AppendHeader(nil, 100, typ), wire.AppendHeader(nil, 5000, typ),
			{0x80 | byte(typ), 0x00}, append([]byte{0x88 | byte(typ)}, varintOf(9, 0x00)...),
		} {
			for size := 1; size <= 11; size++ {
				for _, last := range []byte{0x00, 0x01, 0x02, 0x20, 0x41, 0x12, 0x7f} {
					check(head, varintOf(size, last), []byte{0x20, 0x41, 0x07})
				}
			}
		}
	}
	for _, word := range []uint64{0, 16, 17, 18, 19, 32, 65, 64, 66, 67, 36, 127, 130, 131, 135, 1 << 10, 1<<10 + 2, 1<<14 + 3} {
		payload := bytes.Repeat([]byte{0xff}, int(word>>3))
		check([]byte{0x02}, wire.AppendVarint(nil, word), payload)
		check([]byte{0x05, 0x03}, wire.AppendVarint(nil, word), bytes.Repeat(payload, 3))
	}
	for depth := range 3 {
		check(bytes.Repeat([]byte{0x06}, depth), bytes.Repeat([]byte{0x07}, 2))
		check(bytes.Repeat([]byte{0x86, 0x01}, depth), bytes.Repeat([]byte{0x87, 0x00}, 2))
	}
	for _, depth := range []int{255, 256} {
		data := append(bytes.Repeat([]byte{0x06}, depth), bytes.Repeat([]byte{0x07}, depth)...)
		if got := stream.Valid(data); got != (depth == 255) {
			t.Errorf("depth %d: %v", depth, got)
		}
	}
}

// TestValidOfArrays has elements of every length at every place of a word.
func TestValidOfArrays(t *testing.T) {
	for _, count := range []int{0, 1, 2, 5, 7, 8, 9, 15, 16, 17, 18, 40, 130} {
		for size := 1; size <= 11; size++ {
			for _, last := range []byte{0x00, 0x01, 0x02} {
				for odd := range min(count, 12) {
					data := wire.AppendVarint([]byte{0x03}, uint64(count))
					for i := range count {
						if i == odd {
							data = append(data, varintOf(size, last)...)
						} else {
							data = append(data, varintOf(1+i%3, 0x01)...)
						}
					}
					want := size < 10 || size == 10 && last < 2
					if got := stream.Valid(data); got != want {
						t.Fatalf("%x: %v", data, got)
					}
					if got := stream.Valid(append(data, 0x00, 0x05)); got != want {
						t.Fatalf("%x, and a field behind it: %v", data, got)
					}
					if count <= 18 && odd == count/2 {
						checkValid(t, append(data, 0x00))
					}
				}
			}
		}
		floats := append(wire.AppendVarint([]byte{0x05}, uint64(count)), 0x41)
		floats = append(floats, make([]byte, 8*count)...)
		if !stream.Valid(floats) || count > 0 && stream.Valid(floats[:len(floats)-1]) {
			t.Errorf("an array of %d fp64 is judged wrong", count)
		}
	}
}
