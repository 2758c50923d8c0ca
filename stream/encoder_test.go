package stream_test

import (
	"bytes"
	"testing"

	"github.com/sofab-go/sofab/stream"
	"github.com/sofab-go/sofab/wire"
)

// Values that a layer above writes with Reserve, Advance and Header look as if they were
// written by a call.
func TestReserve(t *testing.T) {
	checkWindows(t, "reserve", unhex("0e 12 1a 61 62 63 1b 02 05 ac 02 07"), func(e *stream.Encoder) error {
		e.BeginSequence(1)
		if e.Depth() != 1 || e.Window().HasContent() {
			t.Errorf("depth %d, content %v", e.Depth(), e.Window().HasContent())
		}
		e.Header(2, wire.Fixlen)
		e.Advance(wire.PutFixlenWord(e.Reserve(wire.MaxVarintLen), 3, wire.String))
		e.RawString("abc")
		if !e.Window().HasContent() {
			t.Error("no content")
		}
		e.Header(3, wire.UnsignedArray)
		e.Advance(wire.PutVarint(e.Reserve(wire.MaxVarintLen), 2))
		stream.PutUnsigneds(e, []uint16{5, 300})
		e.EndSequence()
		return e.Flush()
	})
}

func TestResetWriter(t *testing.T) {
	var a, b bytes.Buffer
	e := stream.NewEncoder(&a)
	e.BeginSequence(1)
	e.Unsigned(1<<31, 0)
	e.ResetWriter(&b)
	if e.Err() != nil || e.Depth() != 0 || e.Len() != 0 {
		t.Errorf("%v, depth %d, Len %d", e.Err(), e.Depth(), e.Len())
	}
	e.Unsigned(0, 5)
	if err := e.Flush(); err != nil || a.Len() != 0 || !bytes.Equal(b.Bytes(), unhex("00 05")) {
		t.Errorf("%v, % x and % x", err, a.Bytes(), b.Bytes())
	}
	e.DropScratch(0)
	e.ResetAppend(nil)
	e.Unsigned(0, 6)
	if !bytes.Equal(e.Bytes(), unhex("00 06")) || b.Len() != 2 {
		t.Errorf("% x", e.Bytes())
	}
}
