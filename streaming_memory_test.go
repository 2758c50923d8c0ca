package sofab_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"strconv"
	"testing"

	"github.com/sofab-go/sofab"
	"github.com/sofab-go/sofab/stream"
	"github.com/sofab-go/sofab/wire"
)

// streamingVariable holds how long the messages of TestStreamingMemory are, in MB.
const streamingVariable = "SOFAB_TEST_STREAMING_MB"

// Messages of any size, of few and many parts.
type (
	longRows struct {
		V [][]uint64 `sofab:"0"`
	}
	longBlobs struct {
		V [][]byte `sofab:"0"`
	}
	longList struct {
		V []smallStruct `sofab:"0"`
	}
	smallStruct struct {
		A uint32 `sofab:"0"`
		B uint8  `sofab:"1"`
	}
)

// A generated message is made while it is read: a wrapper at id 0 of some elements.
type generated struct {
	elements int
	element  func(b []byte, i, part int) ([]byte, int) // appends a part, returns the next or -1

	at, part int
	rest     []byte
	room     []byte
	state    int
}

func (g *generated) Read(p []byte) (int, error) {
	for len(g.rest) == 0 {
		b := g.room[:0]
		if g.state == 0 {
			b = append(b, 0x06)
			g.state = 1
		}
		for g.at < g.elements && len(b) < 4096 {
			b, g.part = g.element(b, g.at, g.part)
			if g.part < 0 {
				g.at, g.part = g.at+1, 0
			}
		}
		if g.at == g.elements && g.state == 1 {
			b = append(b, 0x07)
			g.state = 2
		}
		if len(b) == 0 {
			return 0, io.EOF
		}
		g.rest, g.room = b, b
	}
	n := copy(p, g.rest)
	g.rest = g.rest[n:]
	return n, nil
}

// feedSize is the size of the chunks that are fed.
const feedSize = 32 << 10

// What the rows and blobs consist of.
const (
	bigElement = math.MaxUint64 >> 2 // 9 bytes as a varint
	pieceSize  = 4096
)

var (
	piece        = bytes.Repeat([]byte("0123456789abcdef"), pieceSize/16)
	elementsRun  = bytes.Repeat(wire.AppendVarint(nil, bigElement), 400)
	elementBytes = len(wire.AppendVarint(nil, bigElement))
)

// generatedRows are rows of count elements, a multiple of 400.
func generatedRows(rows, count int) *generated {
	return &generated{elements: rows, element: func(b []byte, i, part int) ([]byte, int) {
		if part == 0 {
			b = wire.AppendVarint(wire.AppendHeader(b, wire.ID(i), wire.UnsignedArray), uint64(count))
		}
		if b = append(b, elementsRun...); (part+1)*400 == count {
			return b, -1
		}
		return b, part + 1
	}}
}

// generatedBlobs are blobs of size bytes, a multiple of pieceSize.
func generatedBlobs(blobs, size int) *generated {
	return &generated{elements: blobs, element: func(b []byte, i, part int) ([]byte, int) {
		if part == 0 {
			b = wire.AppendFixlenWord(wire.AppendHeader(b, wire.ID(i), wire.Fixlen), size, wire.Blob)
		}
		if b = append(b, piece...); (part+1)*pieceSize == size {
			return b, -1
		}
		return b, part + 1
	}}
}

func generatedStructs(n int) *generated {
	return &generated{elements: n, element: func(b []byte, i, _ int) ([]byte, int) {
		return append(wire.AppendHeader(b, wire.ID(i), wire.SequenceStart), 0x00, 0x85, 0x01, 0x08, 0x07, 0x07), -1
	}}
}

// byteCounter counts the bytes written to it and drops them.
type byteCounter struct{ n int64 }

func (w *byteCounter) Write(p []byte) (int, error) {
	w.n += int64(len(p))
	return len(p), nil
}

// TestStreamingMemory moves long messages through every surface that streams. What is
// allocated in all, beside the value itself, has a bound; so has then the memory in use,
// whenever the collector runs.
func TestStreamingMemory(t *testing.T) {
	size := 16 << 20
	if mb, err := strconv.Atoi(os.Getenv(streamingVariable)); err == nil {
		size = mb << 20
	} else if testing.Short() || raceEnabled {
		t.Skip("moves much data")
	}
	const (
		besideValue = 16 << 20
		noValue     = 1 << 20
	)
	codec := newCodec(sofab.Options{Reuse: true, Limits: sofab.Limits{
		Array: wire.MaxArray, Message: math.MaxInt64, Memory: math.MaxInt64, Blob: wire.MaxFixlen,
	}})
	const rows = 8
	count := size / rows / elementBytes / 400 * 400
	const blobs = 4
	blobSize := size / blobs / pieceSize * pieceSize
	structs := size / 10

	messages := map[string]func() *generated{
		"rows":    func() *generated { return generatedRows(rows, count) },
		"blobs":   func() *generated { return generatedBlobs(blobs, blobSize) },
		"structs": func() *generated { return generatedStructs(structs) },
	}
	// check measures how much f allocates beside a value of so many bytes.
	check := func(t *testing.T, name string, value, most int, f func() error) {
		t.Helper()
		var err error
		beside := int(allocatedBy(func() { err = f() })) - value
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if beside > most {
			t.Errorf("%s: %d bytes allocated beside a value of %d, at most %d are expected", name, beside, value, most)
		}
		t.Logf("%-14s value %6.1f MB, beside it %8.3f MB", name, float64(value)/1e6, float64(beside)/1e6)
	}
	for _, long := range []struct {
		message     string
		made        func() any // with what memory there is before
		value, most int        // what the decoder allocates: the value, and beside it
		check       func(v any) bool
	}{
		{"rows", func() any { return new(longRows) }, count * 8 * rows, besideValue, func(v any) bool {
			rowsOf := v.(*longRows).V
			return len(rowsOf) == rows && len(rowsOf[rows-1]) == count && rowsOf[rows-1][count-1] == bigElement
		}},
		{"blobs", func() any { return new(longBlobs) }, blobs * blobSize, besideValue, func(v any) bool {
			b := v.(*longBlobs).V
			return len(b) == blobs && len(b[blobs-1]) == blobSize && bytes.HasSuffix(b[blobs-1], piece)
		}},
		// The length of a wrapper is known at its end only: a slice that has no room
		// for it grows, and is copied, as append does it.
		{"structs", func() any { return &longList{make([]smallStruct, 0, structs)} }, 0, noValue, func(v any) bool {
			l := v.(*longList).V
			return len(l) == structs && l[structs-1] == smallStruct{133, 7}
		}},
	} {
		message := messages[long.message]
		t.Run(long.message, func(t *testing.T) {
			v := long.made()
			check(t, "UnmarshalRead", long.value, long.most, func() error { return codec.UnmarshalRead(message(), v) })
			if !long.check(v) {
				t.Error("what arrives is something else")
			}
			var w byteCounter
			check(t, "MarshalWrite", 0, noValue, func() error { return codec.MarshalWrite(&w, v) })
			if w.n < int64(size)*9/10 {
				t.Errorf("only %d bytes written", w.n)
			}
		})
		t.Run(long.message+" fed", func(t *testing.T) {
			v := long.made()
			const perChunk = 256 // for ErrIncomplete, which is forgotten at once
			most := long.most + size/feedSize*perChunk
			check(t, "Feeder", long.value, most, func() error { return feedAll(codec, message(), v) })
			if !long.check(v) {
				t.Error("what arrives is something else")
			}
		})
	}
	for name, message := range messages {
		t.Run(name+" without a value", func(t *testing.T) {
			check(t, "UnmarshalRead", 0, noValue, func() error { return codec.UnmarshalRead(message(), new(schemaless)) })
			check(t, "pull", 0, noValue, func() error { return pullInPieces(message()) })
			check(t, "push", 0, noValue, func() error { return pushAll(message()) })
			var w byteCounter
			check(t, "copy", 0, noValue, func() error { return copyMessage(&w, message()) })
			if w.n < int64(size)*9/10 {
				t.Errorf("only %d bytes written", w.n)
			}
		})
	}
}

// feedAll feeds what r delivers.
func feedAll(codec *sofab.Codec, r io.Reader, v any) error {
	f, err := codec.NewFeeder(v)
	if err != nil {
		return err
	}
	chunk := make([]byte, feedSize)
	for {
		n, eof := io.ReadFull(r, chunk)
		err = f.Feed(chunk[:n])
		if eof != nil || err != nil && !errors.Is(err, sofab.ErrIncomplete) {
			return err
		}
	}
}

// hugeLimits let everything through.
var hugeLimits = stream.Limits{Array: wire.MaxArray, String: wire.MaxFixlen, Blob: wire.MaxFixlen, Message: math.MaxInt64}

// pullInPieces reads a message without holding any value of it.
func pullInPieces(r io.Reader) error {
	d := stream.NewDecoder(r)
	if err := d.SetLimits(hugeLimits); err != nil {
		return err
	}
	run := make([]uint64, 512)
	for {
		f, err := d.Next()
		if err == io.EOF {
			return nil
		}
		for err == nil && (f.Type == wire.UnsignedArray || f.Type == wire.Fixlen) {
			if f.Type == wire.Fixlen {
				_, err = d.Chunk()
			} else {
				_, err = stream.UnsignedRun(d, run, 64)
			}
		}
		if err != nil && err != io.EOF {
			return err
		}
	}
}

// pushAll pushes a message to a visitor that wants everything.
func pushAll(r io.Reader) error {
	f := stream.NewFeeder(takesAll{})
	if err := f.SetLimits(hugeLimits); err != nil {
		return err
	}
	chunk := make([]byte, feedSize)
	for {
		n, eof := io.ReadFull(r, chunk)
		err := f.Feed(chunk[:n])
		if eof != nil || err != nil && !errors.Is(err, stream.ErrIncomplete) {
			return err
		}
	}
}

// copyMessage reads a message with a stream decoder and writes it with a stream encoder,
// one piece at a time.
func copyMessage(w io.Writer, r io.Reader) error {
	d := stream.NewDecoder(r)
	if err := d.SetLimits(hugeLimits); err != nil {
		return err
	}
	e := stream.NewEncoder(w)
	for {
		f, err := d.Next()
		switch {
		case err == io.EOF:
			return e.Flush()
		case err != nil:
			return err
		}
		switch f.Type {
		case wire.SequenceStart:
			e.BeginSequence(f.ID)
		case wire.SequenceEnd:
			e.EndSequenceKeep()
		case wire.Unsigned:
			var u uint64
			if u, err = d.Unsigned(); err == nil {
				e.Unsigned(f.ID, u)
			}
		default:
			err = copyLong(e, d, f)
		}
		if err != nil {
			return err
		}
	}
}

// copyLong copies a blob or an array of unsigned in pieces.
func copyLong(e *stream.Encoder, d *stream.Decoder, f stream.Field) error {
	n, err := d.PeekLen()
	if err != nil {
		return err
	}
	e.Header(f.ID, f.Type)
	if f.Type == wire.Fixlen {
		e.Raw(wire.AppendFixlenWord(nil, n, wire.Blob))
		for err == nil {
			var b []byte
			if b, err = d.Chunk(); err == nil {
				e.Raw(b)
			}
		}
	} else {
		e.Raw(wire.AppendVarint(nil, uint64(n)))
		var run [64]uint64
		for err == nil {
			if n, err = stream.UnsignedRun(d, run[:], 64); err == nil {
				stream.PutUnsigneds(e, run[:n])
			}
		}
	}
	if err == io.EOF {
		err = nil
	}
	return err
}
