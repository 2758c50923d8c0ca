package stream_test

import (
	"bytes"
	"testing"

	"github.com/sofab-go/sofab/stream"
	"github.com/sofab-go/sofab/wire"
)

// TestLargeAppend appends messages that are set aside in parts, into slices with every
// kind of room, with the same encoder again and again. They have the bytes that a
// writer gets.
func TestLargeAppend(t *testing.T) {
	sizes := [][]int{
		{10, 70 << 10, 20}, {100 << 10, 100 << 10}, {1, 1 << 20, 3, 2 << 20, 5}, {600, 700 << 10, 600 << 10, 9, 1 << 20},
		{2 << 20}, {500 << 10, 40 << 10, 500 << 10, 40 << 10, 500 << 10},
	}
	write := func(e *stream.Encoder, sizes []int) error {
		for i, size := range sizes {
			id := wire.ID(i)
			payload := bytes.Repeat([]byte{byte(i + 1)}, size)
			e.BeginSequence(id)
			e.BeginSequence(7)
			e.EndSequence() // leaves no trace, wherever it falls
			if i%2 == 0 {
				e.Blob(id, payload)
			} else {
				e.String(id, string(payload))
			}
			e.BeginSequence(8)
			e.EndSequence()
			e.EndSequence()
			e.Unsigned(id, uint64(size))
		}
		return e.Err()
	}
	append2 := stream.NewAppendEncoder(nil)
	for _, sizes := range sizes {
		var want bytes.Buffer
		w := stream.NewEncoder(&want)
		if err := write(w, sizes); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		for _, room := range []int{0, 1, 100, 64 << 10, 1 << 20, want.Len() - 1, want.Len(), want.Len() + 200} {
			dst := append(make([]byte, 0, 3+room), "abc"...)
			append2.ResetAppend(dst)
			if err := write(append2, sizes); err != nil {
				t.Fatal(err)
			}
			got := append2.Bytes()
			if string(got[:3]) != "abc" || !bytes.Equal(got[3:], want.Bytes()) {
				t.Fatalf("sizes %v, room %d: the bytes differ", sizes, room)
			}
			if room >= want.Len() && &got[0] != &dst[0] {
				t.Errorf("sizes %v, room %d: the message was not written into the room", sizes, room)
			}
			append2.DropScratch(1 << 20)
		}
	}
}
