package sofab_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/sofab-go/sofab"
)

// The largest varint is no header, whatever field is expected next: one that is reached
// through a pointer, one that has to be tracked, an arm, an element.
func TestLargestVarintIsNoHeader(t *testing.T) {
	type outer struct {
		First uint8 `sofab:"1"`
		*PromotedFarOff
	}
	type required struct {
		N *uint64 `sofab:"0,required"`
	}
	type union struct {
		U struct {
			A *uint64 `sofab:"0"`
			B *string `sofab:"1"`
		} `sofab:"0,union"`
		Any    any      `sofab:"1"`
		Custom []byte   `sofab:"2,string,maxlen=3"`
		Texts  []string `sofab:"3"`
	}
	header := append(bytes.Repeat([]byte{0xff}, 9), 0x01)
	for _, c := range []struct {
		name   string
		before []byte
		v      func() any
	}{
		{"field of an embedded pointer", nil, func() any { return new(outer) }},
		{"field of an embedded pointer, behind another", []byte{0x08, 0x01}, func() any { return new(outer) }},
		{"required field", nil, func() any { return new(required) }},
		{"struct", nil, func() any { return new(union) }},
		{"arm", []byte{0x06}, func() any { return new(union) }},
		{"arm of an any", []byte{0x0e}, func() any { return new(union) }},
		{"arm of an any, behind one", []byte{0x0e, 0x00, 0x05}, func() any { return new(union) }},
		{"string of bytes", []byte{0x06, 0x07, 0x0e, 0x07}, func() any { return new(union) }},
		{"element", []byte{0x1e}, func() any { return new(union) }},
		{"list", nil, func() any { return new([]string) }},
		{"map", []byte{0x06}, func() any { return new(map[string]uint64) }},
		{"entry of a map", []byte{0x06, 0x06}, func() any { return new(map[string]uint64) }},
	} {
		for _, after := range [][]byte{nil, {0x05}, {0x05, 0x07, 0x07}, {0x12, 'x', 'y', 0x07}} {
			data := bytes.Join([][]byte{c.before, header, after}, nil)
			for _, s := range decodeSurfaces {
				err := s.decode(data, c.v())
				var e *sofab.SyntaxError
				if !errors.Is(err, sofab.ErrInvalid) || !errors.As(err, &e) || e.Offset != int64(len(c.before)) && s.name != "Decoder/LengthPrefixed" {
					t.Errorf("%s, %x, %s: %v", c.name, data, s.name, err)
				}
			}
		}
	}
}

// PromotedFarOff has a field at an offset behind the end of the structs that embed it.
type PromotedFarOff struct {
	Hidden [1 << 12]byte `sofab:"-"`
	N      uint64        `sofab:"0"`
}
