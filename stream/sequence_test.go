package stream_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sofab-go/sofab/stream"
	"github.com/sofab-go/sofab/wire"
)

// node is a call and, for a sequence, the calls inside.
type node struct {
	id       wire.ID
	field    int // which kind of field; -1 is a sequence
	keep     bool
	children []node
}

// randomNodes returns calls with many sequences, most of them without content.
func randomNodes(r *rand.Rand, depth int) []node {
	nodes := make([]node, r.IntN(4))
	for i := range nodes {
		n := node{id: wire.ID(r.Uint32N(40)), field: -1}
		if r.IntN(4) == 0 {
			n.id = wire.ID(r.Uint64N(wire.MaxID + 1))
		}
		switch {
		case depth > 0 && r.IntN(3) > 0:
			n.keep = r.IntN(6) == 0
			n.children = randomNodes(r, depth-1)
		case r.IntN(2) == 0:
			n.field = r.IntN(8)
		}
		nodes[i] = n
	}
	return nodes
}

var longText = strings.Repeat("streamed ", 30)

func (n node) call(e *stream.Encoder) error {
	switch n.field {
	case 0:
		return e.Unsigned(n.id, uint64(n.id)<<20)
	case 1:
		return e.Signed(n.id, -int64(n.id))
	case 2:
		return e.String(n.id, longText[:n.id%8])
	case 3:
		return e.Blob(n.id, []byte(longText)[:n.id%200])
	case 4:
		return stream.WriteSigneds(e, n.id, []int32{int32(n.id), -1, 1 << 30})
	case 5:
		return e.Float64s(n.id, []float64{1, float64(n.id)})
	case 6:
		return e.Bools(n.id, make([]bool, n.id%70))
	case 7:
		return e.Float32(n.id, float32(n.id))
	}
	if err := e.BeginSequence(n.id); err != nil {
		return err
	}
	if err := callAll(e, n.children); err != nil {
		return err
	}
	if n.keep {
		return e.EndSequenceKeep()
	}
	return e.EndSequence()
}

func callAll(e *stream.Encoder, nodes []node) error {
	for _, n := range nodes {
		if err := n.call(e); err != nil {
			return err
		}
	}
	return nil
}

// reference is what the calls give when the whole tree is at hand: each sequence is
// the bytes of its content in a frame, or nothing.
func (n node) reference() []byte {
	b := wire.AppendHeader(nil, n.id, wire.SequenceStart)
	switch n.field {
	case 0:
		b = wire.AppendVarint(wire.AppendHeader(nil, n.id, wire.Unsigned), uint64(n.id)<<20)
	case 1:
		b = wire.AppendSigned(wire.AppendHeader(nil, n.id, wire.Signed), -int64(n.id))
	case 2:
		s := longText[:n.id%8]
		b = append(wire.AppendFixlenWord(wire.AppendHeader(nil, n.id, wire.Fixlen), len(s), wire.String), s...)
	case 3:
		s := longText[:n.id%200]
		b = append(wire.AppendFixlenWord(wire.AppendHeader(nil, n.id, wire.Fixlen), len(s), wire.Blob), s...)
	case 4:
		b = wire.AppendCount(wire.AppendHeader(nil, n.id, wire.SignedArray), 3)
		for _, v := range []int32{int32(n.id), -1, 1 << 30} {
			b = wire.AppendSigned(b, int64(v))
		}
	case 5:
		b = wire.AppendElementWord(wire.AppendCount(wire.AppendHeader(nil, n.id, wire.FixlenArray), 2), wire.FP64)
		b = wire.AppendFloat64(wire.AppendFloat64(b, 1), float64(n.id))
	case 6:
		b = wire.AppendCount(wire.AppendHeader(nil, n.id, wire.UnsignedArray), int(n.id%70))
		b = append(b, make([]byte, n.id%70)...)
	case 7:
		b = wire.AppendFloat32(wire.AppendFixlenWord(wire.AppendHeader(nil, n.id, wire.Fixlen), 4, wire.FP32), float32(n.id))
	default:
		inner := referenceAll(n.children)
		if len(inner) == 0 && !n.keep {
			return nil
		}
		b = append(append(b, inner...), byte(wire.SequenceEnd))
	}
	return b
}

func referenceAll(nodes []node) []byte {
	var b []byte
	for _, n := range nodes {
		b = append(b, n.reference()...)
	}
	return b
}

// The bytes do not depend on where they go, and are those of the whole tree.
func TestRandomSequences(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 150 {
		nodes := randomNodes(r, 6)
		want := referenceAll(nodes)
		encode := func(e *stream.Encoder) error { return callAll(e, nodes) }
		if len(want) < 200 {
			checkWindows(t, fmt.Sprint("tree ", i), want, encode)
		}
		for window := 1; window < 40; window++ {
			if got, err := throughSink(window, i%3, i%2 == 0, encode); err != nil || !bytes.Equal(got, want) {
				t.Errorf("tree %d, window %d: %v\n% x, want\n% x", i, window, err, got, want)
			}
		}
		e := stream.NewAppendEncoder(nil)
		for free := range min(len(want)+25, 300) {
			dst := append(make([]byte, 0, 2+free), "ab"...)
			e.ResetAppend(dst)
			err := encode(e)
			got := e.Bytes()
			if err != nil || string(got[:2]) != "ab" || !bytes.Equal(got[2:], want) || free >= len(want) && &got[0] != &dst[0] {
				t.Errorf("tree %d, %d free: %v\n% x, want\n% x", i, free, err, got, want)
			}
		}
		if !stream.Valid(want) {
			t.Errorf("tree %d is not valid: % x", i, want)
		}
	}
}

// An append encoder that was used before needs no memory of its own when dst has exactly
// enough room.
func TestAppendAllocates(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for i := range 40 {
		nodes := randomNodes(r, 5)
		want := referenceAll(nodes)
		dst := make([]byte, 0, len(want))
		e := stream.NewAppendEncoder(nil)
		_ = callAll(e, nodes) // the scratch for units that reach over the end
		allocs := testing.AllocsPerRun(10, func() {
			e.ResetAppend(dst)
			if err := callAll(e, nodes); err != nil || !bytes.Equal(e.Bytes(), want) {
				t.Errorf("tree %d: %v", i, err)
			}
		})
		if allocs > 0 && !makesSlices(nodes) {
			t.Errorf("tree %d: %v allocations", i, allocs)
		}
	}
}

// makesSlices reports whether the calls themselves allocate what they write.
func makesSlices(nodes []node) bool {
	for _, n := range nodes {
		if n.field == 3 || n.field == 6 || makesSlices(n.children) {
			return true
		}
	}
	return false
}

// Held-back headers survive any number of flushes, and a message larger than the buffer
// of a writer comes out in one piece.
func TestHeldBackAcrossFlushes(t *testing.T) {
	var w bytes.Buffer
	e := stream.NewEncoder(&w)
	e.BeginSequence(300)
	e.BeginSequence(2)
	e.Flush()
	if w.Len() != 0 || e.Len() != 0 {
		t.Errorf("flushed % x", w.Bytes())
	}
	e.EndSequence()
	e.Flush()
	e.BeginSequence(4)
	e.Flush()
	e.Unsigned(0, 1)
	e.EndSequence()
	e.Flush()
	e.EndSequence()
	e.Flush()
	if want := unhex("e6 12 26 00 01 07 07"); !bytes.Equal(w.Bytes(), want) {
		t.Errorf("% x, want % x", w.Bytes(), want)
	}
}

// A writer that fails anywhere in a message of several writes is reported by the call
// that met it or by Flush, and nothing is written behind the failure.
func TestWriterFailsInLongMessage(t *testing.T) {
	text := strings.Repeat("a", 1000)
	encode := func(e *stream.Encoder) (err error) {
		for i := range 300 {
			if err = e.BeginSequence(1); err != nil {
				return err
			}
			if i == 150 {
				if err = e.Blob(2, make([]byte, 100_000)); err != nil {
					return err
				}
			}
			if err = e.String(3, text); err != nil {
				return err
			}
			if err = e.EndSequence(); err != nil {
				return err
			}
		}
		return e.Flush()
	}
	var whole bytes.Buffer
	if err := encode(stream.NewEncoder(&whole)); err != nil {
		t.Fatal(err)
	}
	for good := 0; good < whole.Len(); good += 997 {
		w := &failingWriter{good: good}
		e := stream.NewEncoder(w)
		if err := encode(e); err != errBroken || e.Flush() != errBroken {
			t.Fatalf("after %d bytes: %v", good, err)
		}
		if !bytes.Equal(w.Bytes(), whole.Bytes()[:good]) {
			t.Fatalf("after %d bytes something else was written", good)
		}
	}
}

func FuzzWindows(f *testing.F) {
	f.Add(uint64(1), uint8(1), uint8(0))
	f.Add(uint64(7), uint8(20), uint8(3))
	f.Fuzz(func(t *testing.T, seed uint64, window, offset uint8) {
		nodes := randomNodes(rand.New(rand.NewPCG(seed, 0)), 7)
		want := referenceAll(nodes)
		encode := func(e *stream.Encoder) error { return callAll(e, nodes) }
		for _, replace := range []bool{false, true} {
			got, err := throughSink(int(window)+1, int(offset), replace, encode)
			if err != nil || !bytes.Equal(got, want) {
				t.Fatalf("replace %v: %v\n% x, want\n% x", replace, err, got, want)
			}
		}
	})
}
