package stream_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sofab-go/sofab/stream"
	"github.com/sofab-go/sofab/wire"
)

// step repeats a step of a parser until it is done, failed, or has no more bytes.
func step(p *stream.Parser, once func() stream.Status) stream.Status {
	for {
		status := once()
		if status != stream.More {
			return status
		}
		if ok, err := p.Fetch(); !ok || err != nil {
			return status
		}
	}
}

// Framed messages follow each other on one reader; a sequence end at depth 0 ends each.
func TestFramedMessages(t *testing.T) {
	in := unhex("00 05 06 08 02 07 07 07 02 0a 61 07 ff ff")
	for _, size := range []int{1, 3, 50} {
		var p stream.Parser
		r := &pieceReader{in, size}
		p.ResetReader(r)
		p.SetFramed(true)
		var got trace
		for range 3 {
			for !p.Finished() {
				if step(&p, p.Head) != stream.Done {
					t.Fatalf("pieces of %d: failed at %d", size, p.Offset())
				}
				got.add("%d %v at %d", p.ID(), p.Type(), p.Offset())
				if p.Type() != wire.SequenceEnd && step(&p, p.Skip) != stream.Done {
					t.Fatalf("pieces of %d: failed at %d", size, p.Offset())
				}
			}
			got.add("end at %d, between %v", p.Offset(), p.Between())
			p.NextMessage()
		}
		want := "0 unsigned at 1\n0 sequence at 3\n0 sequence end at 7\nend at 7, between true\n" +
			"0 sequence end at 8\nend at 8, between true\n" +
			"0 fixlen at 9\n0 sequence end at 12\nend at 12, between true\n"
		if diff := cmp.Diff(want, got.String()); diff != "" {
			t.Errorf("pieces of %d (-want +got):\n%s", size, diff)
		}
		rest, err := io.ReadAll(io.MultiReader(bytes.NewReader(p.Ahead()), r))
		if err != nil || !bytes.Equal(rest, unhex("ff ff")) {
			t.Errorf("pieces of %d: rest is % x, %v", size, rest, err)
		}
	}
	var p stream.Parser
	p.ResetBytes(unhex("07"))
	p.SetFramed(false)
	if p.Head() != stream.Failed || p.Finished() {
		t.Error("a bare message has no end")
	}
}

// pieceReader reads pieces of size bytes.
type pieceReader struct {
	data []byte
	size int
}

func (r *pieceReader) Read(p []byte) (int, error) {
	if len(r.data) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.data[:min(r.size, len(r.data))])
	r.data = r.data[n:]
	return n, nil
}

// Behind the end that was set nothing is read, and GoesOn says whether there is more,
// also when the end is inside a unit.
func TestSetEnd(t *testing.T) {
	in := unhex("00 05 00 ac 02")
	for end := range len(in) + 2 {
		for _, have := range []int{end - 1, end, end + 1} {
			if have < 0 || have > len(in) {
				continue
			}
			for _, size := range []int{1, 50} {
				var p stream.Parser
				p.ResetReader(&pieceReader{in[:have], size})
				p.SetEnd(int64(end))
				for step(&p, p.Head) == stream.Done && step(&p, p.Skip) == stream.Done {
				}
				if p.InputEnd() != int64(min(have, end)) || p.AtEnd() != (have >= end) {
					t.Errorf("end %d, %d bytes, pieces of %d: at %d, AtEnd %v", end, have, size, p.InputEnd(), p.AtEnd())
				}
				if !p.AtEnd() {
					continue
				}
				if on, err := p.GoesOn(); on != (have > end) || err != nil {
					t.Errorf("end %d, %d bytes, pieces of %d: GoesOn %v, %v", end, have, size, on, err)
				}
			}
		}
	}
}

func TestLiftWidthFault(t *testing.T) {
	var p stream.Parser
	p.ResetBytes(unhex("03 03 01 80 02 05 08 07"))
	p.Head()
	p.Words()
	dst := make([]uint8, 3)
	if n, status := stream.ConsumeUnsigneds(&p, dst, 8); n != 1 || status != stream.Failed {
		t.Fatal(n, status)
	}
	if !p.LiftWidthFault() || p.Offset() != 3 || p.Left() != 2 {
		t.Errorf("lifted at %d with %d left", p.Offset(), p.Left())
	}
	if p.Skip() != stream.Done || p.Head() != stream.Done || p.ID() != 1 {
		t.Errorf("the parser is at %d", p.Offset())
	}
	p.ResetBytes(unhex("07"))
	if p.Head() != stream.Failed || p.LiftWidthFault() {
		t.Error("lifted another fault")
	}
}

// What the parser tells of the words of a field.
func TestWords(t *testing.T) {
	var p stream.Parser
	p.ResetChunks()
	p.Feed(unhex("05"))
	p.Head()
	if p.Words() != stream.More {
		t.Fatal("words are complete")
	}
	p.Release()
	p.Feed(unhex("02"))
	p.Words()
	p.Release()
	p.Feed(unhex("20 00 00 80 3f 00"))
	if status := step(&p, p.Words); status != stream.Done || p.Subtype() != wire.FP32 || p.Left() != 2 || p.WordOffset() != 1 {
		t.Errorf("%v, %v, %d left, word at %d", status, p.Subtype(), p.Left(), p.WordOffset())
	}
	dst := make([]float32, 5)
	n, status := p.Float32s(dst)
	if n != 1 || status != stream.More || dst[0] != 1 || len(p.Window()) != 1 || p.Complete() {
		t.Errorf("%d elements, %v", n, status)
	}
	if err := stream.ErrIncomplete; !errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, stream.ErrInvalid) {
		t.Error("ErrIncomplete is not io.ErrUnexpectedEOF")
	}
}

func TestErrorText(t *testing.T) {
	for in, want := range map[string]string{
		"07":          "sofab: sequence end without an open sequence at offset 0",
		"00 05 00":    "sofab: message ends inside a field or sequence at offset 3",
		"02 2c":       "sofab: fixlen word has a reserved subtype at offset 1",
		"02 12 61 ff": "sofab: string is not UTF-8 at byte 1 at offset 3",
	} {
		err := (&walker{d: stream.NewBytesDecoder(unhex(in))}).walk()
		if err == nil || err.Error() != want || strings.Count(err.Error(), "sofab") != 1 {
			t.Errorf("%s: %v, want %s", in, err, want)
		}
	}
}

func TestLimitsDefaults(t *testing.T) {
	l, err := stream.Limits{Blob: 5}.WithDefaults()
	want := stream.Limits{Array: 1 << 20, String: 16 << 20, Blob: 5, Message: 64 << 20, Memory: 16 << 20}
	if diff := cmp.Diff(want, l); diff != "" || err != nil {
		t.Error(err, diff)
	}
	for name, l := range map[string]stream.Limits{
		"Array": {Array: -1}, "String": {String: -1}, "Blob": {Blob: -1}, "Message": {Message: -1}, "Memory": {Memory: -1},
	} {
		if _, err := l.WithDefaults(); !errors.Is(err, stream.ErrArgument) || !strings.Contains(err.Error(), "Limits."+name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	ceilings := stream.Limits{Array: wire.MaxArray, String: wire.MaxFixlen, Blob: wire.MaxFixlen, Message: 1<<63 - 1, Memory: 1<<63 - 1}
	if l, err := ceilings.WithDefaults(); err != nil || l != ceilings {
		t.Error(l, err)
	}
}
