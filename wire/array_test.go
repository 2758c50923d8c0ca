package wire

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestConsumeCount(t *testing.T) {
	testConsume(t, func(b []byte) (any, int) { c, n := ConsumeCount(b); return c, n }, []consumeRow{
		{in: []byte{0x00}, value: 0},
		{in: []byte{0x84, 0x00}, value: 4},
		{in: []byte{0xff, 0xff, 0xff, 0xff, 0x07}, value: MaxArray},
		{in: []byte{0x80, 0x80, 0x80, 0x80, 0x08}, n: BadCount},
		{in: repeat(9, 0xff, 0x01), n: BadCount},
		{in: repeat(9, 0xff, 0x03), n: BadVarint},
		{in: []byte{0x85}, n: More},
	})
	for _, count := range []int{0, 1, 127, 128, 1<<14 - 1, 1 << 14, 1<<28 - 1, 1 << 28, MaxArray} {
		b := AppendCount(nil, count)
		if got, n := ConsumeCount(b); got != count || n != len(b) || n != SizeCount(count) {
			t.Errorf("count %d: % x reads as %d, %d; size %d", count, b, got, n, SizeCount(count))
		}
	}
}

func TestConsumeElementWord(t *testing.T) {
	testConsume(t, func(b []byte) (any, int) { s, n := ConsumeElementWord(b); return s, n }, []consumeRow{
		{in: []byte{0x20}, value: FP32},
		{in: []byte{0x41}, value: FP64},
		{in: []byte{0xa0, 0x00}, value: FP32},
		{in: []byte{0x00}, n: BadElement},
		{in: []byte{0x18}, n: BadElement},
		{in: []byte{0x21}, n: BadElement},
		{in: []byte{0x40}, n: BadElement},
		{in: []byte{0x0a}, n: BadElement},
		{in: []byte{0x22}, n: BadElement},
		{in: []byte{0x23}, n: BadElement},
		{in: []byte{0x24}, n: BadElement},
		{in: []byte{0xa0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01}, n: BadElement},
		{in: repeat(10, 0x80), n: BadVarint},
		{in: []byte{0xa0}, n: More},
	})
	for _, s := range []Subtype{FP32, FP64} {
		b := AppendElementWord(nil, s)
		if got, n := ConsumeElementWord(b); got != s || n != SizeElementWord() {
			t.Errorf("%s: % x reads as %s, %d", s, b, got, n)
		}
	}
}

// elements is what a function over elements returned.
type elements struct {
	Elements, N, Code int
}

func TestConsumeElements(t *testing.T) {
	long := repeat(10, 0x80)
	for _, row := range []struct {
		name  string
		in    []byte
		count int
		width uint
		want  elements
	}{
		{"none", []byte{1}, 0, 8, elements{0, 0, 0}},
		{"all", []byte{1, 2, 3}, 3, 8, elements{3, 3, 0}},
		{"more input than room", []byte{1, 2, 3}, 2, 8, elements{2, 2, 0}},
		{"more room than input", []byte{1, 2}, 3, 8, elements{2, 2, More}},
		{"no input", nil, 1, 8, elements{0, 0, More}},
		{"cut", []byte{1, 0x80}, 2, 8, elements{1, 1, More}},
		{"widest", []byte{0xff, 0x01}, 1, 8, elements{1, 2, 0}},
		{"too wide", []byte{1, 0x80, 0x02}, 3, 8, elements{1, 1, BadWidth}},
		{"16 bits", []byte{0xff, 0xff, 0x03, 0x80, 0x80, 0x04}, 2, 16, elements{1, 3, BadWidth}},
		{"32 bits", []byte{0xff, 0xff, 0xff, 0xff, 0x0f, 0x80, 0x80, 0x80, 0x80, 0x10}, 2, 32, elements{1, 5, BadWidth}},
		{"long", append([]byte{1}, long...), 9, 64, elements{1, 1, BadVarint}},
		{"padded", []byte{0x81, 0x80, 0x00}, 1, 8, elements{1, 3, 0}},
	} {
		t.Run(row.name, func(t *testing.T) {
			var got elements
			got.Elements, got.N, got.Code = ConsumeUnsigneds(row.in, make([]uint64, row.count), row.width)
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("unsigned: %s", diff)
			}
			got.Elements, got.N, got.Code = ConsumeSigneds(row.in, make([]int64, row.count), row.width)
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("signed: %s", diff)
			}
			got.Elements, got.N, got.Code = ConsumeUnsigneds(row.in, make([]uint64, row.count), 64)
			var skip elements
			skip.Elements, skip.N, skip.Code = SkipVarints(row.in, row.count)
			if diff := cmp.Diff(got, skip); diff != "" {
				t.Errorf("skip: %s", diff)
			}
			var bools elements
			bools.Elements, bools.N, bools.Code = ConsumeBools(row.in, make([]bool, row.count))
			if diff := cmp.Diff(got, bools); diff != "" {
				t.Errorf("bools: %s", diff)
			}
		})
	}
}

func TestElementValues(t *testing.T) {
	in := []byte{0x00, 0x01, 0x02, 0xfe, 0x01, 0xff, 0x01}
	unsigneds := make([]uint8, 5)
	ConsumeUnsigneds(in, unsigneds, 8)
	if diff := cmp.Diff([]uint8{0, 1, 2, 254, 255}, unsigneds); diff != "" {
		t.Error(diff)
	}
	signeds := make([]int8, 5)
	ConsumeSigneds(in, signeds, 8)
	if diff := cmp.Diff([]int8{0, -1, 1, 127, -128}, signeds); diff != "" {
		t.Error(diff)
	}
	bools := make([]bool, 5)
	ConsumeBools(in, bools)
	if diff := cmp.Diff([]bool{false, true, true, true, true}, bools); diff != "" {
		t.Error(diff)
	}
}

func TestPutElements(t *testing.T) {
	unsigneds := []uint64{0, 127, 128, math.MaxUint32, math.MaxUint64, 5}
	signeds := []int64{0, -1, 64, math.MinInt32, math.MinInt64, math.MaxInt64}
	bools := []bool{true, false, true, true}
	var wantUnsigneds, wantSigneds []byte
	for _, v := range unsigneds {
		wantUnsigneds = AppendVarint(wantUnsigneds, v)
	}
	for _, v := range signeds {
		wantSigneds = AppendSigned(wantSigneds, v)
	}
	for room := range 100 {
		b := make([]byte, room)
		testPut(t, b, wantUnsigneds, len(unsigneds), room/MaxVarintLen, func(b []byte, from int) (int, int) { return PutUnsigneds(b, unsigneds[from:]) })
		testPut(t, b, wantSigneds, len(signeds), room/MaxVarintLen, func(b []byte, from int) (int, int) { return PutSigneds(b, signeds[from:]) })
		testPut(t, b, []byte{1, 0, 1, 1}, len(bools), room, func(b []byte, from int) (int, int) { return PutBools(b, bools[from:]) })
	}
	if BoolByte(true) != 1 || BoolByte(false) != 0 {
		t.Error("BoolByte")
	}
}

// testPut puts all elements through b. As many as least must fit at once.
func testPut(t *testing.T, b, want []byte, count, least int, put func(b []byte, from int) (elements, n int)) {
	t.Helper()
	var got []byte
	for from := 0; from < count; {
		elements, n := put(b, from)
		if elements < min(least, count-from) || n > len(b) {
			t.Fatalf("%d elements in %d bytes, room %d", elements, n, len(b))
		}
		if elements == 0 {
			return
		}
		got = append(got, b[:n]...)
		from += elements
	}
	if !bytes.Equal(got, want) {
		t.Errorf("room %d: % x, want % x", len(b), got, want)
	}
}

func FuzzElements(f *testing.F) {
	f.Add([]byte{1, 2, 3, 0x80}, uint8(8), uint8(4))
	f.Add(repeat(10, 0x80), uint8(64), uint8(2))
	f.Fuzz(func(t *testing.T, b []byte, width, count uint8) {
		w := uint(width%64) + 1
		dst := make([]uint64, count)
		elements, n, code := ConsumeUnsigneds(b, dst, w)
		pos := 0
		for i := range int(count) {
			v, m := ConsumeVarint(b[pos:])
			if m > 0 && !Fits(v, w) {
				m = BadWidth
			}
			if m < 0 {
				if i != elements || code != m || pos != n {
					t.Fatalf("got %d, %d, %d; want %d, %d, %d", elements, n, code, i, pos, m)
				}
				return
			}
			if dst[i] != v {
				t.Fatalf("element %d is %d, want %d", i, dst[i], v)
			}
			pos += m
		}
		if elements != int(count) || n != pos || code != 0 {
			t.Fatalf("got %d, %d, %d; want %d, %d, 0", elements, n, code, count, pos)
		}
	})
}

// Stepping over varints stops where reading them does.
func TestSkipVarintsLikeConsume(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	lengths := [][]int{{1}, {1, 2}, {9, 10}, {8, 9}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, {10, 1}, {11, 1, 2}}
	for range 20_000 {
		var b []byte
		of := lengths[random.IntN(len(lengths))]
		for range random.IntN(30) {
			n := of[random.IntN(len(of))]
			for i := 1; i < n; i++ {
				b = append(b, 0x80|byte(random.Uint32()))
			}
			b = append(b, byte(random.IntN(3))*byte(random.IntN(64)))
			if n == MaxVarintLen && random.IntN(8) > 0 {
				b[len(b)-1] &= 1
			}
		}
		b = b[:max(0, len(b)-random.IntN(4))]
		dst := make([]uint64, random.IntN(40))
		elements, n, code := ConsumeUnsigneds(b, dst, 64)
		gotElements, gotN, gotCode := SkipVarints(b, len(dst))
		if gotElements != elements || gotN != n || gotCode != code {
			t.Fatalf("%x, %d elements: skipping gives %d, %d, %d, reading %d, %d, %d", b, len(dst), gotElements, gotN, gotCode, elements, n, code)
		}
	}
}

// Arrays read as their elements do one by one: runs of short ones, lengths at random, tenth
// bytes that are 00, 01 or wrong, and ends in the middle, for every width and both signs.
func TestElementsLikeVarints(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 5_000 {
		var b []byte
		for range random.IntN(12) {
			switch random.IntN(4) {
			case 0:
				b = append(b, make([]byte, random.IntN(20))...)
				b = append(b, 0x7f)
			case 1:
				b = append(b, repeat(9, 0x80|byte(random.Uint32()), byte(random.IntN(16)/5))...)
			default:
				b = AppendVarint(b, random.Uint64()>>random.IntN(64))
			}
		}
		b = b[:max(0, len(b)-random.IntN(4))]
		count := random.IntN(60)
		testLikeVarints[uint8, int8](t, b, count, uint(1+random.IntN(8)))
		testLikeVarints[uint16, int16](t, b, count, 16)
		testLikeVarints[uint32, int32](t, b, count, 32)
		testLikeVarints[uint64, int64](t, b, count, 64)
	}
}

func testLikeVarints[U, S Integer](t *testing.T, b []byte, count int, width uint) {
	t.Helper()
	var want elements
	var unsigned []U
	var signed []S
	for want.Elements < count {
		u, n := ConsumeVarint(b[want.N:])
		if n > 0 && !Fits(u, width) {
			n = BadWidth
		}
		if n < 0 {
			want.Code = n
			break
		}
		unsigned, signed = append(unsigned, U(u)), append(signed, S(Unzigzag(u)))
		want.Elements, want.N = want.Elements+1, want.N+n
	}
	var got elements
	gotUnsigned, gotSigned := make([]U, count), make([]S, count)
	got.Elements, got.N, got.Code = ConsumeUnsigneds(b, gotUnsigned, width)
	if got != want || !slices.Equal(gotUnsigned[:want.Elements], unsigned) {
		t.Fatalf("%x, width %d: %v %v, want %v %v", b, width, got, gotUnsigned, want, unsigned)
	}
	got.Elements, got.N, got.Code = ConsumeSigneds(b, gotSigned, width)
	if got != want || !slices.Equal(gotSigned[:want.Elements], signed) {
		t.Fatalf("%x, width %d: %v %v, want %v %v", b, width, got, gotSigned, want, signed)
	}
}
