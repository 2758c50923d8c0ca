package stream

import (
	"io"
	"math"
)

const (
	// carrySize is the room for the start of a unit that a chunk ended in, and for
	// enough of the next chunk to end it. The longest unit has 10 bytes.
	carrySize = 32
	// readSize is the buffer of a reader.
	readSize = 4096
	// maxEmptyReads is how many reads in a row may return nothing and no error.
	maxEmptyReads = 100
)

// input is the window of bytes at hand and the place where more come from: nowhere
// (a slice), a reader, or the next chunk.
type input struct {
	win  []byte // bytes at hand
	pos  int    // the next one
	base int64  // absolute offset of win[0]

	// A reader fills buf[:filled]; win is what of it belongs to the message.
	r      io.Reader
	buf    []byte
	filled int
	rerr   error // came with the last bytes of the reader, due when they are used up
	end    int64 // absolute offset behind the message, or -1 while unknown

	// Of a chunk that follows an unfinished unit, the first bytes are copied behind
	// that unit into carry; the window moves on to the chunk when the unit is read.
	chunk   []byte
	carried int // bytes in carry that came before chunk
	carry   [carrySize]byte
}

func (in *input) setBytes(data []byte) {
	in.win, in.pos, in.base, in.end = data, 0, 0, -1
	in.r, in.rerr, in.chunk, in.filled = nil, nil, nil, 0
}

func (in *input) setReader(r io.Reader) {
	buf := in.buf
	if buf == nil {
		buf = make([]byte, readSize)
	}
	*in = input{r: r, buf: buf, win: buf[:0], end: -1}
}

// offset is the absolute offset of the next byte.
func (in *input) offset() int64 { return in.base + int64(in.pos) }

// atEnd is the absolute offset behind the bytes at hand.
func (in *input) atEnd() int64 { return in.base + int64(len(in.win)) }

// setEnd says that the message ends size bytes on; what the reader has read beyond
// is kept out of the window. A negative size lifts that.
func (in *input) setEnd(size int64) {
	in.end = -1
	if size >= 0 && size <= math.MaxInt64-in.offset() {
		in.end = in.offset() + size
	}
	if in.r != nil {
		in.win = in.buf[:in.filled]
		in.hideAhead()
	}
}

// goesOn reports whether the input goes on behind the end that was set, and lifts it.
// The window may end inside a unit.
func (in *input) goesOn() (bool, error) {
	end := in.end
	in.setEnd(-1)
	if in.atEnd() > end {
		return true, nil
	}
	return in.fetch()
}

func (in *input) hideAhead() {
	if in.end >= 0 && in.atEnd() > in.end {
		in.win = in.win[:in.end-in.base]
	}
}

// ahead is what was read beyond the next byte, also beyond the end of the message.
func (in *input) ahead() []byte {
	if in.r != nil {
		return in.buf[in.pos:in.filled]
	}
	return in.win[in.pos:]
}

// feed gives the next chunk, which is borrowed until fetch returns false.
func (in *input) feed(chunk []byte) {
	left := copy(in.carry[:], in.win[in.pos:])
	in.base += int64(in.pos)
	in.pos = 0
	in.carried = left
	in.chunk = chunk
	if left == 0 {
		in.win, in.chunk = chunk, nil
		return
	}
	n := copy(in.carry[left:], chunk)
	in.win = in.carry[:left+n]
}

// fetch gets more bytes into the window behind the ones not consumed. It returns
// false when there are none for now: at the end of a slice, a chunk or a reader
// (err is nil), or because the reader failed.
func (in *input) fetch() (bool, error) {
	switch {
	case in.r != nil:
		return in.read()
	case in.chunk != nil:
		return in.turnToChunk(), nil
	}
	return false, nil
}

// turnToChunk moves the window from carry to the chunk behind it. Where the whole
// chunk stands in carry and the unit is still unfinished, there is nothing more.
func (in *input) turnToChunk() bool {
	if in.pos < in.carried {
		in.chunk = nil
		return false
	}
	seen := len(in.win) - in.carried
	from := in.pos - in.carried
	in.base += int64(in.pos)
	in.win, in.pos, in.chunk = in.chunk[from:], 0, nil
	return len(in.win) > seen-from
}

// release ends the loan of a chunk: what is left of it is copied to carry.
func (in *input) release() {
	in.feed(nil)
}

func (in *input) read() (bool, error) {
	if in.end >= 0 && in.atEnd() >= in.end {
		return false, nil
	}
	if in.rerr != nil {
		return false, in.takeReadError()
	}
	if in.pos > 0 {
		in.filled = copy(in.buf, in.buf[in.pos:in.filled])
		in.base += int64(in.pos)
		in.pos = 0
	}
	for range maxEmptyReads {
		n, err := in.r.Read(in.buf[in.filled:])
		in.filled += n
		in.win = in.buf[:in.filled]
		in.hideAhead()
		in.rerr = err
		if n > 0 {
			return true, nil
		}
		if err != nil {
			return false, in.takeReadError()
		}
	}
	return false, io.ErrNoProgress
}

// takeReadError returns the error of the reader, nil for the end of the input. It is
// taken only once, so that a call after it reads again.
func (in *input) takeReadError() error {
	err := in.rerr
	in.rerr = nil
	if err == io.EOF {
		return nil
	}
	return err
}
