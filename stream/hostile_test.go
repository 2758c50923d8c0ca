package stream_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/sofab-go/sofab/stream"
	"github.com/sofab-go/sofab/wire"
)

func unhex(s string) []byte {
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		panic(err)
	}
	return b
}

// hostile are inputs with their verdict when everything is read and no schema bounds
// anything: the default caps hold. The offset is that of the unit that is wrong, or
// the length of the input.
var hostile = []struct {
	in      string
	verdict error
	offset  int64
}{
	// Lengths and counts at their ceilings, and above.
	{"0b ff ff ff ff 07", stream.ErrLimit, 1},
	{"0c ff ff ff ff 07", stream.ErrLimit, 1},
	{"0d ff ff ff ff 07 20", stream.ErrLimit, 1},
	{"0d ff ff ff ff 07 41", stream.ErrLimit, 1},
	{"0d ff ff ff ff 07", stream.ErrIncomplete, 6},
	{"0a fa ff ff ff 3f", stream.ErrLimit, 1},
	{"0a fb ff ff ff 3f", stream.ErrLimit, 1},
	{"0b 80 80 80 80 08", stream.ErrInvalid, 1},
	{"0d 80 80 80 80 08", stream.ErrInvalid, 1},
	{"0a 82 80 80 80 40", stream.ErrInvalid, 1},
	{"0a 83 80 80 80 40", stream.ErrInvalid, 1},
	{"0b ff ff ff ff ff ff ff ff ff 01", stream.ErrInvalid, 1},
	// Just below the caps, with nothing behind.
	{"0b 80 80 40", stream.ErrIncomplete, 4},
	{"0d 80 80 40 41", stream.ErrIncomplete, 5},
	{"0a 82 80 80 40", stream.ErrIncomplete, 5},
	{"0a 83 80 80 40", stream.ErrIncomplete, 5},
	{"0b 81 80 40", stream.ErrLimit, 1},
	{"0a 8a 80 80 40", stream.ErrLimit, 1},
	// An element of a wrapper with a huge index is a legal id.
	{"56 86 d0 a5 4c 07 07", nil, 0},
	{"56 fa ff ff ff 3f 02 07", nil, 0},
	// Ids.
	{"80 80 80 80 40", stream.ErrInvalid, 0},
	{"06 87 80 80 80 40", stream.ErrInvalid, 1},
	{"80 80 80 80 c0", stream.ErrIncomplete, 5},
	{"06 1f", nil, 0},
	{"07", stream.ErrInvalid, 0},
	{"00 05 07", stream.ErrInvalid, 2},
	{"00 05 07 07", stream.ErrInvalid, 2},
	// Varints.
	{"80 80 80 80 80 80 80 80 80 80", stream.ErrInvalid, 0},
	{"80 80 80 80 80 80 80 80 80", stream.ErrIncomplete, 9},
	{"00 ff ff ff ff ff ff ff ff ff 02", stream.ErrInvalid, 1},
	{"03 02 05 80 80 80 80 80 80 80 80 80 80", stream.ErrInvalid, 3},
	{"03 05 05 80 80 80 80 80 80 80 80 80 80", stream.ErrInvalid, 3},
	{"04 05 05 80 80 80 80 80 80 80 80 80", stream.ErrIncomplete, 12},
	{"02 80 80 80 80 80 80 80 80 80 80", stream.ErrInvalid, 1},
	// Words.
	{"2a 59", stream.ErrInvalid, 1},
	{"22 18", stream.ErrInvalid, 1},
	{"32 0c", stream.ErrInvalid, 1},
	{"32 0f 00", stream.ErrInvalid, 1},
	{"32 8c", stream.ErrIncomplete, 2},
	{"55 00 18", stream.ErrInvalid, 2},
	{"55 01 0a 61", stream.ErrInvalid, 2},
	{"55 00", stream.ErrIncomplete, 2},
	// Text.
	{"32 12 61 c3", stream.ErrInvalid, 3},
	{"32 1a 61 c3", stream.ErrIncomplete, 4},
	{"32 12 ff", stream.ErrIncomplete, 3},
	{"32 32 61 62 e2 82 ac ff", stream.ErrInvalid, 7},
	{"32 1a ed a0 80", stream.ErrInvalid, 2},
	{"3a 13 ff fe", nil, 0},
	// Depth.
	{strings.Repeat("06", 255) + strings.Repeat("07", 255), nil, 0},
	{strings.Repeat("06", 255), stream.ErrIncomplete, 255},
	{strings.Repeat("06", 255) + "86", stream.ErrIncomplete, 256},
	{strings.Repeat("06", 256), stream.ErrInvalid, 255},
	{strings.Repeat("06", 256) + strings.Repeat("07", 256), stream.ErrInvalid, 255},
	{strings.Repeat("0e", 254) + "06 06", stream.ErrInvalid, 255},
}

// seeds are inputs that the tests of cuts start from.
func seeds() [][]byte {
	all := [][]byte{
		unhex("00 05 09 07 12 20 00 00 80 3f 1a 41 00 00 00 00 00 00 f0 3f"),
		unhex("22 3a 68 c3 a9 e2 82 ac 21 2a 1b 01 02 03 32 02 3a 03"),
		unhex("03 05 01 80 01 ff ff 03 00 07 0c 03 01 02 ff 01 15 02 20 00 00 80 3f 01 00 80 7f 1d 01 41 01 02 03 04 05 06 07 08"),
		unhex("06 0e 00 01 07 1e 00 05 06 03 02 01 02 07 07 07 00 09"),
		unhex("43 0c 01 02 03 04 05 06 07 08 09 0a 0b 0c 32 82 01 61 61 61 61 61 61 61 61 61 61 61 61 61 61 61 61"),
		unhex("80 00 85 80 00 03 84 00 81 00 02 03 04 0d 80 00 a0 00"),
		bytes.Repeat(unhex("00 80 02 f6 01 32 0a ff 07"), 9),
		append(unhex("0a a2 4b"), bytes.Repeat([]byte("añ€😀"), 120)...),
		append(unhex("0b ac 02"), bytes.Repeat([]byte{0x81, 0x00, 0x7f}, 150)...),
	}
	for _, row := range hostile {
		all = append(all, unhex(row.in))
	}
	return all
}

// allocated is how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

const mostAllocated = 64 << 10

func TestHostile(t *testing.T) {
	for _, row := range hostile {
		data := unhex(row.in)
		check := func(surface string, err error) {
			t.Helper()
			var s *stream.SyntaxError
			switch {
			case !errors.Is(err, row.verdict):
				t.Errorf("%s, %s: %v, want %v", row.in, surface, err, row.verdict)
			case row.verdict != nil && errors.As(err, &s) && s.Offset != row.offset:
				t.Errorf("%s, %s: offset %d, want %d", row.in, surface, s.Offset, row.offset)
			}
		}
		if row.verdict == stream.ErrIncomplete && row.offset != int64(len(data)) {
			t.Errorf("%s: the offset of the row is wrong", row.in)
		}
		walkers := surfaces(data, func() int { return 3 })
		walkers["slice"] = &walker{d: stream.NewBytesDecoder(data)}
		for name, w := range walkers {
			var err error
			if n := allocated(func() { err = w.walk() }); n > mostAllocated {
				t.Errorf("%s, %s: %d bytes allocated", row.in, name, n)
			}
			if err.Error() == "EOF" {
				err = nil
			}
			check(name, err)
		}
		var err error
		n := allocated(func() {
			f := stream.NewFeeder(&visitor{})
			for i := range data {
				err = f.Feed(data[i : i+1])
			}
		})
		if n > mostAllocated {
			t.Errorf("%s, push: %d bytes allocated", row.in, n)
		}
		check("push", err)
	}
}

// A count or length just below the cap must not be believed before the bytes are there.
func TestUncheckedNumber(t *testing.T) {
	for _, in := range []string{"0b 80 80 40", "0c 80 80 40", "0d 80 80 40 20", "0d 80 80 40 41", "0a fa ff ff 3f", "0a fb ff ff 3f"} {
		for _, size := range []int{0, 1, 100, 2000} {
			for _, cut := range []int{1, 50} {
				data := append(unhex(in), make([]byte, size)...)
				for name, w := range surfaces(data, func() int { return cut }) {
					var err error
					n := allocated(func() { err = w.walk() })
					if most := mostAllocated + 64*uint64(size); n > most || !errors.Is(err, stream.ErrIncomplete) {
						t.Errorf("%s and %d bytes in cuts of %d, %s: %v, %d bytes allocated", in, size, cut, name, err, n)
					}
				}
			}
		}
	}
}

// TestHostileEverywhere puts varints that are too long, or may yet become it, wherever a
// varint can stand, and words that are reserved wherever a word can.
func TestHostileEverywhere(t *testing.T) {
	check := func(in string, want error) {
		t.Helper()
		data := unhex(in)
		walkers := surfaces(data, func() int { return 3 })
		walkers["slice"] = &walker{d: stream.NewBytesDecoder(data)}
		for name, w := range walkers {
			if err := w.walk(); !errors.Is(err, want) {
				t.Errorf("%s, %s: %v, want %v", in, name, err, want)
			}
		}
		for _, v := range []stream.Visitor{&visitor{}, stream.Discard{}} {
			f := stream.NewFeeder(v)
			var err error
			for i := range data {
				err = f.Feed(data[i : i+1])
			}
			if again := f.Feed([]byte{0x07}); !errors.Is(err, want) || want == stream.ErrInvalid && again != err {
				t.Errorf("%s, push to %T: %v, then %v, want %v", in, v, err, again, want)
			}
		}
		if stream.Valid(data) {
			t.Errorf("%s: valid", in)
		}
	}
	for _, place := range []string{"", "00", "01", "02", "03", "04", "05", "05 01", "06", "06 00", "06 03", "06 06", "06 07", "00 05", "03 02 05", "04 03 80 01"} {
		for _, varint := range []string{strings.Repeat("80", 10), strings.Repeat("ff", 9) + "02", strings.Repeat("80", 9) + "7f", strings.Repeat("80", 9) + "81"} {
			check(place+varint, stream.ErrInvalid)
			check(place+varint[:18], stream.ErrIncomplete)
		}
	}
	for _, place := range []string{"02", "06 02", "06 06 12"} {
		for _, word := range []string{"00", "18", "28", "39", "49", "04", "05", "06", "07", "0c", "0f", "fc 7f", "82 80 80 80 40", "83 80 80 80 40"} {
			check(place+word, stream.ErrInvalid)
		}
	}
	for _, place := range []string{"05 00", "05 01", "05 ff ff 03", "06 05 00"} {
		for _, word := range []string{"00", "18", "28", "39", "49", "02", "03", "04", "05", "06", "07", "0a", "22", "40"} {
			check(place+word, stream.ErrInvalid)
		}
	}
	for _, place := range []string{"03", "04", "05", "06 03"} {
		check(place+"80 80 80 80 08", stream.ErrInvalid)
	}
}

// Skipping copies nothing and allocates nothing, and so does Valid.
func TestSkipAllocates(t *testing.T) {
	data := bytes.Repeat(unhex("06 02 82 08"+strings.Repeat("ff", 128)+"0b 03 01 02 03 0d 01 41 01 02 03 04 05 06 07 08 07"), 100)
	if !stream.Valid(data) {
		t.Fatal("not valid")
	}
	d := stream.NewBytesDecoder(data)
	for name, f := range map[string]func(){
		"Valid": func() { stream.Valid(data) },
		"Next": func() {
			d.ResetBytes(data)
			for {
				if _, err := d.Next(); err != nil {
					return
				}
			}
		},
		"Skip": func() {
			d.ResetBytes(data)
			for {
				f, err := d.Next()
				if err != nil {
					return
				}
				if f.Type == wire.SequenceStart {
					_ = d.Skip()
				}
			}
		},
	} {
		if n := testing.AllocsPerRun(10, f); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
