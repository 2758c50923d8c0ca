package stream_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/sofab-go/sofab/stream"
	"github.com/sofab-go/sofab/wire"
)

// randomPayload is where the payloads of randomCalls are cut from.
var randomPayload = func() []byte {
	p := make([]byte, 300_020)
	for i := range p {
		p[i] = byte(1 + i%120)
	}
	return p
}()

// randomCalls writes fields and sequences, the same ones for the same seed. Where it may,
// it borrows payloads.
func randomCalls(e *stream.Encoder, seed uint64, borrow bool) error {
	r := rand.New(rand.NewPCG(1, seed))
	sizes := []int{0, 1, 7, 100, 500, 512, 8191, 8192, 8193, 65_536, 69_632, 262_143, 262_144, 262_145, 300_000}
	sizes = sizes[:1+r.IntN(len(sizes))]
	payload := func() []byte {
		from := r.IntN(20)
		return randomPayload[from : from+sizes[r.IntN(len(sizes))]]
	}
	for range r.IntN(60) {
		id := wire.ID(r.Uint32() >> (1 + r.IntN(31)))
		switch r.IntN(10) {
		case 0, 1, 2:
			e.BeginSequence(id)
		case 3:
			if e.Depth() > 0 {
				e.EndSequence()
			}
		case 4:
			if e.Depth() > 0 {
				e.EndSequenceKeep()
			}
		case 5:
			e.Unsigned(id, r.Uint64()>>r.IntN(64))
		case 6:
			p := payload()
			e.Header(id, wire.Fixlen)
			e.Advance(wire.PutFixlenWord(e.Reserve(wire.MaxVarintLen), len(p), wire.Blob))
			if !borrow || !e.Borrow(p) {
				e.Raw(p)
			}
		case 7:
			e.String(id, string(payload()))
		case 8:
			numbers := make([]uint64, r.IntN(300)*(1+r.IntN(100)*r.IntN(2)))
			for i := range numbers {
				numbers[i] = 1 << (i & 63)
			}
			stream.WriteUnsigneds(e, id, numbers)
		case 9:
			e.Float64s(id, make([]float64, r.IntN(100)))
		}
	}
	for e.Depth() > 0 {
		e.EndSequence()
	}
	return e.Err()
}

// TestRandomCalls makes the same calls on every kind of encoder: appended to a slice with
// any room, by an encoder that is used again and again, through a buffer with a sink that
// overwrites what it gets, and into one of just the right size, the bytes are those that
// a writer gets, and none beside them.
func TestRandomCalls(t *testing.T) {
	type message struct{ got, want []byte }
	var kept []message
	again := stream.NewAppendEncoder(nil)
	n := uint64(600)
	if raceEnabled {
		n = 100
	}
	for seed := range n {
		r := rand.New(rand.NewPCG(2, seed))
		var written bytes.Buffer
		w := stream.NewEncoder(&written)
		if err := randomCalls(w, seed, false); err != nil || w.Flush() != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		want := written.Bytes()

		const front, behind = 3, 300
		room := r.IntN(600)
		switch r.IntN(3) {
		case 0:
			room = max(0, len(want)+r.IntN(300)-150)
		case 1:
			room = r.IntN(len(want) + 1)
		}
		memory := bytes.Repeat([]byte{0xee}, front+room+behind)
		again.ResetAppend(memory[: front : front+room])
		if err := randomCalls(again, seed, r.IntN(2) == 0); err != nil || again.Len() != int64(len(want)) {
			t.Fatalf("seed %d: %v, %d bytes of %d", seed, err, again.Len(), len(want))
		}
		got := again.Bytes()
		if !bytes.Equal(got[front:], want) || got[0] != 0xee {
			t.Fatalf("seed %d, room for %d: %d bytes that are not the %d of a writer", seed, room, len(got)-front, len(want))
		}
		if same := &got[0] == &memory[0]; same != (len(want) <= room) {
			t.Fatalf("seed %d, room for %d, %d bytes: same memory %v", seed, room, len(want), same)
		}
		if !bytes.Equal(memory[front+room:], bytes.Repeat([]byte{0xee}, behind)) {
			t.Fatalf("seed %d, room for %d: written behind it", seed, room)
		}
		if r.IntN(4) == 0 {
			again.DropScratch(r.IntN(1 << 20))
		}
		if kept = append(kept, message{got[front:], want}); len(kept) > 20 {
			kept = kept[1:]
		}
		if old := kept[r.IntN(len(kept))]; !bytes.Equal(old.got, old.want) {
			t.Fatalf("seed %d: an earlier message has changed", seed)
		}

		var sunk []byte
		e, err := stream.NewBufferEncoder(make([]byte, 1+r.IntN(64)), 0, func(_ *stream.Encoder, p []byte) error {
			sunk = append(sunk, p...)
			clear(p)
			return nil
		})
		if err != nil || randomCalls(e, seed, true) != nil || e.Flush() != nil || !bytes.Equal(sunk, want) {
			t.Fatalf("seed %d: %v, a sink gets %d bytes that are not the %d of a writer", seed, e.Err(), len(sunk), len(want))
		}
		exact := make([]byte, 1+len(want))
		e, err = stream.NewBufferEncoder(exact, 1, nil)
		if err != nil || randomCalls(e, seed, true) != nil || e.Flush() != nil || !bytes.Equal(exact[1:], want) {
			t.Fatalf("seed %d: %v, a buffer of %d bytes has others", seed, e.Err(), len(want))
		}
	}
}
