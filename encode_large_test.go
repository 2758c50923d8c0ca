package sofab_test

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/sofab-go/sofab"
)

// A payloads has payloads in all places from which they are borrowed or copied.
type payloads struct {
	Text  string `sofab:"1"`
	Blob  []byte `sofab:"2"`
	Empty struct {
		A uint8 `sofab:"0"`
	} `sofab:"3"`
	Texts   []string         `sofab:"4"`
	Blobs   [][]byte         `sofab:"5"`
	Numbers []uint64         `sofab:"6"`
	Strings [][]byte         `sofab:"7,elem.string"`
	Map     map[uint8][]byte `sofab:"8"`
	Any     any              `sofab:"9"`
	Fixed   [9000]byte       `sofab:"10"`
	Inner   *payloads        `sofab:"11"`
	Raw     sofab.RawMessage `sofab:"12"`
	Method  *named           `sofab:"13"`
	Pointer *string          `sofab:"14"`
	Last    []payload        `sofab:"15"`
}

type payload struct {
	N    uint32 `sofab:"0"`
	Text string `sofab:"1"`
	Data []byte `sofab:"2"`
}

// largeSizes are those around which an encoder does something else with a payload.
var largeSizes = []int{0, 1, 31, 500, 4095, 4096, 4097, 8190, 8191, 8192, 8193, 65_535, 65_536, 65_537, 69_632, 262_143, 262_144, 262_145, 300_000}

// largeMaker makes payloads.
type largeMaker struct{ *rand.Rand }

func (m largeMaker) bytes() []byte {
	size := largeSizes[m.IntN(len(largeSizes))]
	if m.IntN(4) > 0 {
		size = min(size, 9000)
	}
	b := make([]byte, max(0, size-m.IntN(40)*m.IntN(2)))
	for i := range b {
		b[i] = byte(i)&63 + byte(size)&31
	}
	return b
}

func (m largeMaker) some(add func()) {
	for n := m.IntN(4); n > 0; n-- {
		add()
	}
}

func (m largeMaker) message(depth int) *payloads {
	v := &payloads{}
	m.some(func() { v.Text = string(m.bytes()) })
	m.some(func() { v.Blob = m.bytes() })
	m.some(func() { v.Texts = append(v.Texts, string(m.bytes())) })
	m.some(func() { v.Blobs = append(v.Blobs, m.bytes()) })
	m.some(func() { v.Strings = append(v.Strings, m.bytes()) })
	m.some(func() { v.Numbers = append(v.Numbers, make([]uint64, m.IntN(50_000)*m.IntN(2))...) })
	m.some(func() { v.Any = []any{string(m.bytes()), m.bytes(), v.Any} })
	m.some(func() { v.Fixed[m.IntN(9000)] = 1 })
	m.some(func() { v.Raw = mustMarshalled(&payload{3, string(m.bytes()), m.bytes()}) })
	m.some(func() { v.Method = &named{string(m.bytes())} })
	m.some(func() { s := string(m.bytes()); v.Pointer = &s })
	m.some(func() {
		v.Last = append(v.Last, payload{uint32(m.IntN(3)), string(m.bytes()), m.bytes()}, payload{})
	})
	v.Map = map[uint8][]byte{}
	m.some(func() { v.Map[uint8(m.IntN(256))] = m.bytes() })
	if depth > 0 {
		m.some(func() { v.Inner = m.message(depth - 1) })
	}
	return v
}

// written is the message as it goes to a writer, piece by piece.
func written(t *testing.T, v any) []byte {
	var b bytes.Buffer
	if err := sofab.MarshalWrite(&b, v); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestLargeValuesOnAllSurfaces appends large messages to slices with any room.
func TestLargeValuesOnAllSurfaces(t *testing.T) {
	m := largeMaker{rand.New(rand.NewPCG(9, 10))}
	n := 60
	if raceEnabled {
		n = 10
	}
	for range n {
		v := m.message(1)
		want := written(t, v)
		var kept []byte
		for _, s := range encodeSurfaces {
			if strings.HasPrefix(s.name, "window") || s.name == "MarshalAppend/with room" {
				continue
			}
			got, err := s.encode(v)
			if err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%s: %v, %d bytes that are not the %d of MarshalWrite", s.name, err, len(got), len(want))
			}
			kept = got
		}
		for range 8 {
			room := m.IntN(len(want) + 600)
			switch m.IntN(3) {
			case 0:
				room = max(0, len(want)-m.IntN(600)+300)
			case 1:
				room = 1<<m.IntN(20) + m.IntN(3) - 1
			}
			const front, behind = 5, 600
			memory := bytes.Repeat([]byte{0xee}, front+room+behind)
			got, err := sofab.MarshalAppend(memory[:front:front+room], v)
			if err != nil || !bytes.Equal(got[front:], want) || got[0] != 0xee {
				t.Fatalf("room for %d: %v, %d bytes that are not the %d of MarshalWrite", room, err, len(got)-front, len(want))
			}
			if same := &got[0] == &memory[0]; same != (len(want) <= room) {
				t.Fatalf("room for %d, %d bytes: same memory %v", room, len(want), same)
			}
			if !bytes.Equal(memory[front+room:], bytes.Repeat([]byte{0xee}, behind)) {
				t.Fatalf("room for %d of %d bytes: written behind it", room, len(want))
			}
		}
		if !bytes.Equal(kept, want) {
			t.Fatal("what was returned before has changed")
		}
		v.Last = append(v.Last, payload{Text: "\xff"})
		dst := make([]byte, 5, 5+m.IntN(len(want)+600))
		got, err := sofab.MarshalAppend(dst, v)
		none, again := sofab.Marshal(v)
		if err == nil || again == nil || again.Error() != err.Error() || len(got) != len(dst) || &got[0] != &dst[0] || none != nil {
			t.Fatalf("Marshal of a large value that is refused: %v, %d bytes; MarshalAppend: %v, %d bytes", again, len(none), err, len(got))
		}
	}
}

// TestMarshalAtTheSameTime encodes large and small messages in several goroutines, which
// share what is kept for the next message.
func TestMarshalAtTheSameTime(t *testing.T) {
	var wait sync.WaitGroup
	for g := range 4 {
		m := largeMaker{rand.New(rand.NewPCG(11, uint64(g)))}
		wait.Add(1)
		go func() {
			defer wait.Done()
			var dst []byte
			for range 8 {
				v := m.message(1)
				want := written(t, v)
				got, err := sofab.Marshal(v)
				if dst, _ = sofab.MarshalAppend(dst[:0], v); err != nil || !bytes.Equal(got, want) || !bytes.Equal(dst, want) {
					t.Errorf("%v, %d and %d bytes that are not the %d of MarshalWrite", err, len(got), len(dst), len(want))
				}
				for range 50 {
					p := payload{N: uint32(m.IntN(1000)), Text: strings.Repeat("x", m.IntN(700))}
					got, err := sofab.Marshal(&p)
					if dst, _ = sofab.MarshalAppend(dst[:0:m.IntN(1+cap(dst))], &p); err != nil || !bytes.Equal(got, dst) || !strings.HasSuffix(string(got), p.Text) {
						t.Errorf("%v: %x, appended %x", err, got, dst)
					}
				}
			}
		}()
	}
	wait.Wait()
}
