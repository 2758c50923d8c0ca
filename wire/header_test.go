package wire

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestConsumeHeader(t *testing.T) {
	type header struct {
		ID   ID
		Type Type
	}
	testConsume(t, func(b []byte) (any, int) { id, typ, n := ConsumeHeader(b); return header{id, typ}, n }, []consumeRow{
		{in: []byte{0x00}, value: header{0, Unsigned}},
		{in: []byte{0x07}, value: header{0, SequenceEnd}},
		{in: []byte{0x87, 0x00}, value: header{0, SequenceEnd}},
		{in: []byte{0x1f}, value: header{3, SequenceEnd}},
		{in: []byte{0x7a}, value: header{15, Fixlen}},
		{in: []byte{0x80, 0x01}, value: header{16, Unsigned}},
		{in: []byte{0xff, 0xff, 0xff, 0xff, 0x3f}, value: header{MaxID, SequenceEnd}},
		{in: []byte{0xf8, 0xff, 0xff, 0xff, 0x3f}, value: header{MaxID, Unsigned}},
		{in: repeat(9, 0x80, 0x00), value: header{0, Unsigned}},
		{in: []byte{0x80, 0x80, 0x80, 0x80, 0x40}, n: BadID},
		{in: []byte{0x87, 0x80, 0x80, 0x80, 0x40}, n: BadID},
		{in: repeat(9, 0xff, 0x01), n: BadID},
		{in: repeat(9, 0xff, 0x02), n: BadVarint},
		{in: []byte{0x80, 0x80, 0x80, 0x80, 0xc0}, n: More},
	})
	for _, id := range []ID{0, 1, 15, 16, 2047, 2048, 1<<18 - 1, 1 << 18, 1<<25 - 1, 1 << 25, MaxID} {
		for typ := Unsigned; typ <= SequenceEnd; typ++ {
			b := AppendHeader(nil, id, typ)
			put := make([]byte, MaxVarintLen)
			n := PutHeader(put, id, typ)
			if len(b) != SizeHeader(id) || !bytes.Equal(put[:n], b) {
				t.Errorf("id %d, %v: % x, size %d, put % x", id, typ, b, SizeHeader(id), put[:n])
			}
			gotID, gotType, n := ConsumeHeader(b)
			if diff := cmp.Diff([]any{id, typ, len(b)}, []any{gotID, gotType, n}); diff != "" {
				t.Errorf("% x (-want +got):\n%s", b, diff)
			}
		}
	}
}

func TestTypeNames(t *testing.T) {
	var got []string
	for typ := Unsigned; typ <= SequenceEnd+1; typ++ {
		got = append(got, typ.String())
	}
	for s := FP32; s <= Blob+1; s++ {
		got = append(got, s.String())
	}
	want := []string{
		"unsigned", "signed", "fixlen", "array of unsigned", "array of signed",
		"array of fixlen", "sequence", "sequence end", "wire type 8",
		"fp32", "fp64", "string", "blob", "subtype 4",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
