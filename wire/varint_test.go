package wire

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// boundaries are the integers around which the length of a varint or the fit of a
// width changes.
func boundaries() []uint64 {
	us := []uint64{0, math.MaxUint64}
	for bit := range 64 {
		u := uint64(1) << bit
		us = append(us, u-1, u, u+1)
	}
	return us
}

func repeat(n int, c byte, tail ...byte) []byte {
	return append(bytes.Repeat([]byte{c}, n), tail...)
}

// result is what a Consume function returned.
type result struct {
	Value any
	N     int
}

// testConsume checks rows of a Consume function: the bytes as they are, with more
// behind them, and each truncation, which is More unless the row has an error, that is
// then due at its last byte.
func testConsume(t *testing.T, consume func(b []byte) (any, int), rows []consumeRow) {
	t.Helper()
	for _, row := range rows {
		want := result{row.value, len(row.in)}
		if row.n != 0 {
			want.N = row.n
		}
		for _, in := range [][]byte{row.in, append(bytes.Clone(row.in), 0xff, 0x00)} {
			if want.N == More && len(in) > len(row.in) {
				continue
			}
			v, n := consume(in)
			if n < 0 {
				v = nil
			}
			if diff := cmp.Diff(want, result{v, n}); diff != "" {
				t.Errorf("% x (-want +got):\n%s", in, diff)
			}
		}
		for cut := range row.in {
			if v, n := consume(row.in[:cut]); n != More {
				t.Errorf("% x of % x: got %v, %d; want More", row.in[:cut], row.in, v, n)
			}
		}
	}
}

type consumeRow struct {
	in    []byte
	value any
	n     int // 0: the length of in
}

func TestConsumeVarint(t *testing.T) {
	testConsume(t, func(b []byte) (any, int) { v, n := ConsumeVarint(b); return v, n }, []consumeRow{
		{in: []byte{0}, value: uint64(0)},
		{in: []byte{0x7f}, value: uint64(127)},
		{in: []byte{0x80, 0x01}, value: uint64(128)},
		{in: []byte{0x85, 0x00}, value: uint64(5)},
		{in: []byte{0xff, 0x7f}, value: uint64(1<<14 - 1)},
		{in: []byte{0x80, 0x80, 0x01}, value: uint64(1 << 14)},
		{in: repeat(9, 0x80, 0x00), value: uint64(0)},
		{in: repeat(9, 0x80, 0x01), value: uint64(1 << 63)},
		{in: repeat(9, 0xff, 0x01), value: uint64(math.MaxUint64)},
		{in: repeat(8, 0xff, 0x7f), value: uint64(1<<63 - 1)},
		{in: repeat(9, 0xff, 0x02), n: BadVarint},
		{in: repeat(9, 0xff, 0x7f), n: BadVarint},
		{in: repeat(9, 0x80, 0x80), n: BadVarint},
		{in: repeat(9, 0x80, 0x81), n: BadVarint},
		{in: repeat(9, 0x80), n: More},
		{in: []byte{0x80}, n: More},
		{in: nil, n: More},
	})
}

func TestVarintRoundTrip(t *testing.T) {
	for _, u := range boundaries() {
		want := binary.AppendUvarint([]byte("x"), u)
		if got := AppendVarint([]byte("x"), u); !bytes.Equal(got, want) {
			t.Errorf("AppendVarint(%d) = % x, want % x", u, got, want)
		}
		if got := SizeVarint(u); got != len(want)-1 {
			t.Errorf("SizeVarint(%d) = %d, want %d", u, got, len(want)-1)
		}
		put := make([]byte, MaxVarintLen)
		if n := PutVarint(put, u); !bytes.Equal(put[:n], want[1:]) {
			t.Errorf("PutVarint(%d) = % x, want % x", u, put[:n], want[1:])
		}
		if got, n := ConsumeVarint(want[1:]); got != u || n != len(want)-1 {
			t.Errorf("ConsumeVarint(% x) = %d, %d", want[1:], got, n)
		}
	}
}

func TestSigned(t *testing.T) {
	for _, row := range []struct {
		v int64
		u uint64
	}{
		{0, 0}, {-1, 1}, {1, 2}, {-2, 3}, {2, 4},
		{math.MaxInt64, math.MaxUint64 - 1}, {math.MinInt64, math.MaxUint64},
	} {
		if got := Zigzag(row.v); got != row.u {
			t.Errorf("Zigzag(%d) = %d, want %d", row.v, got, row.u)
		}
	}
	for _, u := range boundaries() {
		v := Unzigzag(u)
		if got := Zigzag(v); got != u {
			t.Errorf("Zigzag(Unzigzag(%d)) = %d", u, got)
		}
		want := binary.AppendVarint(nil, v)
		got := AppendSigned(nil, v)
		if !bytes.Equal(got, want) || SizeSigned(v) != len(want) {
			t.Errorf("AppendSigned(%d) = % x, size %d; want % x", v, got, SizeSigned(v), want)
		}
		if back, n := ConsumeSigned(got); back != v || n != len(got) {
			t.Errorf("ConsumeSigned(% x) = %d, %d", got, back, n)
		}
	}
	if _, n := ConsumeSigned(repeat(10, 0x80)); n != BadVarint {
		t.Errorf("over-long signed: %d", n)
	}
}

func TestFits(t *testing.T) {
	for _, u := range boundaries() {
		for _, row := range []struct {
			width    uint
			unsigned bool
			signed   bool
		}{
			{8, u <= math.MaxUint8, Unzigzag(u) >= math.MinInt8 && Unzigzag(u) <= math.MaxInt8},
			{16, u <= math.MaxUint16, Unzigzag(u) >= math.MinInt16 && Unzigzag(u) <= math.MaxInt16},
			{32, u <= math.MaxUint32, Unzigzag(u) >= math.MinInt32 && Unzigzag(u) <= math.MaxInt32},
			{64, true, true},
		} {
			if got := Fits(u, row.width); got != row.unsigned || got != row.signed {
				t.Errorf("Fits(%d, %d) = %v, want %v and %v", u, row.width, got, row.unsigned, row.signed)
			}
		}
	}
}

func FuzzVarint(f *testing.F) {
	for _, u := range boundaries() {
		f.Add(binary.AppendUvarint(nil, u))
	}
	f.Add(repeat(10, 0x80))
	f.Add(repeat(9, 0x80, 0x00))
	f.Fuzz(func(t *testing.T, b []byte) {
		want, wantN := binary.Uvarint(b)
		got, n := ConsumeVarint(b)
		// Uvarint waits for an eleventh byte before it gives up.
		switch {
		case n == BadVarint:
			if wantN > 0 || len(b) < MaxVarintLen {
				t.Fatalf("% x: BadVarint, encoding/binary says %d, %d", b, want, wantN)
			}
		case n == More:
			if wantN != 0 || len(b) >= MaxVarintLen {
				t.Fatalf("% x: More, encoding/binary says %d, %d", b, want, wantN)
			}
		case got != want || n != wantN:
			t.Fatalf("% x: %d, %d; encoding/binary says %d, %d", b, got, n, want, wantN)
		default:
			short := AppendVarint(nil, got)
			if len(short) > n || len(short) != SizeVarint(got) {
				t.Fatalf("% x: appended again % x, size %d", b, short, SizeVarint(got))
			}
			signed, _ := ConsumeSigned(b)
			if wantSigned, _ := binary.Varint(b); signed != wantSigned {
				t.Fatalf("% x: signed %d, encoding/binary says %d", b, signed, wantSigned)
			}
		}
	})
}

// TestLongVarint: of the tenth byte only 00 and 01 are a varint, and behind nine bytes
// anything may stand.
func TestLongVarint(t *testing.T) {
	const low = 1<<56 - 1
	for _, tt := range []struct {
		tail uint64
		v    uint64
		n    int
	}{
		{0x0000, low, 9},
		{0x007f, 1<<63 - 1, 9},
		{0xff01, low | 1<<56, 9},
		{0x0080, low, 10},
		{0x00ff, 1<<63 - 1, 10},
		{0x01ff, 1<<64 - 1, 10},
		{0x0180, low | 1<<63, 10},
		{0x0280, 0, 0},
		{0x8080, 0, 0},
		{0xffff, 0, 0},
	} {
		if v, n := LongVarint(low, tt.tail); v != tt.v || n != tt.n {
			t.Errorf("tail %04x: %x, %d, want %x, %d", tt.tail, v, n, tt.v, tt.n)
		}
	}
}

// Numbers of up to 28 and 56 bits stand in a word as AppendVarint writes them.
func TestVarintWords(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for i := range 100_000 {
		v := random.Uint64() >> 8 >> random.IntN(56)
		want := append(AppendVarint(nil, v), make([]byte, 8)...)
		word, n := VarintWord(v)
		if size := SizeVarint(v); n != size || word != binary.LittleEndian.Uint64(want) {
			t.Fatalf("%#x: %#x, %d; want % x", v, word, n, want[:size])
		}
		if got, m := WordVarint(word | random.Uint64()<<1<<(8*n-1)); got != v || m != n {
			t.Fatalf("%#x: %#x reads as %#x, %d", v, word, got, m)
		}
		h := uint32(i*2684 + 0x80)
		want = append(AppendVarint(nil, uint64(h)), make([]byte, 4)...)
		half, n := VarintHalf(h)
		if size := SizeVarint(uint64(h)); n != size || half != binary.LittleEndian.Uint32(want) {
			t.Fatalf("%#x: %#x, %d; want % x", h, half, n, want[:size])
		}
	}
}
