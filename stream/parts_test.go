package stream_test

import (
	"bytes"
	"runtime"
	"testing"
	"time"

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

// TestLargeAppendKeeps encodes large messages one after the other with encoders that are
// kept: no message changes when memory of an earlier one is used again.
func TestLargeAppendKeeps(t *testing.T) {
	e := stream.NewAppendEncoder(nil)
	var messages [][]byte
	payload := make([]byte, 300<<10)
	for i := range 6 {
		e.ResetAppend(nil)
		for range 3 {
			for j := range payload {
				payload[j] = byte(i)
			}
			e.Blob(1, payload)
			e.Raw([]byte{0x12, 0x9b, 0x80, 0x80, 0x01}) // id 2, blob of 256 KiB and more
			e.Raw(payload[:256<<10+3])
			e.String(3, string(payload[:200<<10]))
			clear(payload) // Blob and Raw have copied it
		}
		if err := e.Err(); err != nil {
			t.Fatal(err)
		}
		messages = append(messages, e.Bytes())
		if again := e.Bytes(); !bytes.Equal(again, messages[i]) {
			t.Fatal("Bytes is another message the second time")
		}
		if i%2 == 0 {
			e.DropScratch(1 << 20)
		}
	}
	for i, m := range messages {
		d := stream.NewBytesDecoder(m)
		for n := range 9 {
			want := []int{300 << 10, 256<<10 + 3, 200 << 10}[n%3]
			f, err := d.Next()
			if err != nil || f.ID != wire.ID(n%3+1) {
				t.Fatalf("message %d, field %d: %v, %v", i, n, f, err)
			}
			var b []byte
			if n%3 == 2 {
				b, err = d.AppendString(nil)
			} else {
				b, err = d.Blob()
			}
			if err != nil || len(b) != want || bytes.Count(b, []byte{byte(i)}) != want {
				t.Fatalf("message %d, field %d: %v, %d bytes, %d of them right", i, n, err, len(b), bytes.Count(b, []byte{byte(i)}))
			}
		}
	}
}

// TestBorrow has a payload of every kind of length at every fill of the buffer: those that
// are borrowed and those that are not give the bytes that Raw gives.
func TestBorrow(t *testing.T) {
	payload := bytes.Repeat([]byte("payload "), 50<<10)
	borrowed := 0
	for _, size := range []int{0, 1, 8<<10 - 1, 8 << 10, 64 << 10, 128 << 10, 300 << 10} {
		for _, before := range []int{0, 1, 500, 70 << 10, 256<<10 - 1, 256 << 10, 300 << 10} {
			for _, room := range []int{0, 10, 128 << 10, 600 << 10} {
				write := func(raw func(e *stream.Encoder, p []byte)) []byte {
					e := stream.NewAppendEncoder(make([]byte, 0, room))
					for range 2 {
						e.Raw(payload[:before])
						e.BeginSequence(1)
						e.Header(2, wire.Fixlen)
						raw(e, payload[:size])
						e.EndSequence()
					}
					return e.Bytes()
				}
				want := write((*stream.Encoder).Raw)
				got := write(func(e *stream.Encoder, p []byte) {
					if e.Borrow(p) {
						borrowed++
					} else {
						e.Raw(p)
					}
				})
				if !bytes.Equal(got, want) {
					t.Errorf("%d bytes behind %d, room %d: borrowed and copied differ", size, before, room)
				}
			}
		}
	}
	if borrowed == 0 {
		t.Error("nothing was borrowed")
	}
	e := stream.NewEncoder(new(bytes.Buffer))
	if e.Borrow(payload) || e.Written() != 0 {
		t.Error("an encoder to a writer borrows")
	}
}

// TestAppendLetsGo: what was borrowed for a message is not held when the next one begins.
func TestAppendLetsGo(t *testing.T) {
	e := stream.NewAppendEncoder(nil)
	gone := make(chan struct{})
	func() {
		payload := make([]byte, 1<<20)
		runtime.SetFinalizer(&payload[0], func(*byte) { close(gone) })
		e.Header(1, wire.Fixlen)
		if !e.Borrow(payload) || len(e.Bytes()) != 1+len(payload) {
			t.Fatal("the payload is not borrowed")
		}
	}()
	e.ResetAppend(nil)
	for range 100 {
		runtime.GC()
		select {
		case <-gone:
			runtime.KeepAlive(e)
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
	t.Error("the payload is still held")
	runtime.KeepAlive(e)
}

// TestRestartedAppend: an append encoder that starts again goes on behind the slice that it
// was given, whatever has been written before. One to a writer has no bytes to give.
func TestRestartedAppend(t *testing.T) {
	for _, before := range []int{0, 1, 600, 300 << 10, 600 << 10} {
		for _, room := range []int{0, 1, 100, 700 << 10} {
			e := stream.NewAppendEncoder(append(make([]byte, 0, 3+room), "abc"...))
			e.BeginSequence(1)
			e.Blob(2, make([]byte, before))
			e.Restart()
			e.Unsigned(3, 4)
			if got := e.Bytes(); string(got) != "abc\x18\x04" || e.Len() != 2 || e.Depth() != 0 {
				t.Errorf("%d bytes before, room for %d: %x, %d bytes, depth %d", before, room, got, e.Len(), e.Depth())
			}
		}
	}
	e := stream.NewEncoder(new(bytes.Buffer))
	e.Blob(1, make([]byte, 100<<10))
	if b := e.Bytes(); b != nil {
		t.Errorf("an encoder to a writer has %d bytes", len(b))
	}
}
