package wire

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestConsumeFixlenWord(t *testing.T) {
	type word struct {
		Length  int
		Subtype Subtype
	}
	testConsume(t, func(b []byte) (any, int) { l, s, n := ConsumeFixlenWord(b); return word{l, s}, n }, []consumeRow{
		{in: []byte{0x20}, value: word{4, FP32}},
		{in: []byte{0xa0, 0x00}, value: word{4, FP32}},
		{in: []byte{0x41}, value: word{8, FP64}},
		{in: []byte{0x02}, value: word{0, String}},
		{in: []byte{0x03}, value: word{0, Blob}},
		{in: []byte{0x7a}, value: word{15, String}},
		{in: []byte{0x82, 0x01}, value: word{16, String}},
		{in: []byte{0xfa, 0xff, 0xff, 0xff, 0x3f}, value: word{MaxFixlen, String}},
		{in: []byte{0xfb, 0xff, 0xff, 0xff, 0x3f}, value: word{MaxFixlen, Blob}},
		{in: []byte{0x82, 0x80, 0x80, 0x80, 0x40}, n: BadLength},
		{in: []byte{0x83, 0x80, 0x80, 0x80, 0x40}, n: BadLength},
		{in: []byte{0x00}, n: BadFloatWidth},
		{in: []byte{0x18}, n: BadFloatWidth},
		{in: []byte{0x28}, n: BadFloatWidth},
		{in: []byte{0x40}, n: BadFloatWidth},
		{in: []byte{0x21}, n: BadFloatWidth},
		{in: []byte{0x59}, n: BadFloatWidth},
		{in: []byte{0xa0, 0x80, 0x80, 0x80, 0x40}, n: BadFloatWidth},
		{in: []byte{0x04}, n: BadSubtype},
		{in: []byte{0x0d}, n: BadSubtype},
		{in: []byte{0x0e}, n: BadSubtype},
		{in: []byte{0x0f}, n: BadSubtype},
		{in: []byte{0x84, 0x80, 0x80, 0x80, 0x40}, n: BadSubtype},
		{in: []byte{0x8c}, n: More},
		{in: repeat(10, 0x84), n: BadVarint},
	})
	for _, length := range []int{0, 1, 4, 8, 15, 16, 2047, 2048, 1<<18 - 1, 1 << 18, 1<<25 - 1, 1 << 25, MaxFixlen} {
		for s := FP32; s <= Blob; s++ {
			if w := s.Width(); w != 0 && w != length {
				continue
			}
			b := AppendFixlenWord(nil, length, s)
			put := make([]byte, MaxVarintLen)
			n := PutFixlenWord(put, length, s)
			if len(b) != SizeFixlenWord(length) || !bytes.Equal(put[:n], b) {
				t.Errorf("%s of %d: % x, size %d, put % x", s, length, b, SizeFixlenWord(length), put[:n])
			}
			gotLength, gotSubtype, n := ConsumeFixlenWord(b)
			if diff := cmp.Diff([]any{length, s, len(b)}, []any{gotLength, gotSubtype, n}); diff != "" {
				t.Errorf("% x (-want +got):\n%s", b, diff)
			}
		}
	}
}
