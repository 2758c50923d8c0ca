package stream

import (
	"bytes"
	"slices"
	"sync"
)

// ResetAppend makes the encoder append to dst, with no error and no open sequence.
func (e *Encoder) ResetAppend(dst []byte) {
	e.w = WindowOf(dst[len(dst):cap(dst)])
	e.dst, e.out, e.err = dst, nil, nil
	e.passed, e.limit, e.moved, e.inPlace, e.eager = 0, 0, false, false, false
	if len(e.parts) > 0 {
		e.freeParts()
	}
}

// ResumeAppend makes the encoder append to dst and go on behind what the window holds.
// Its buffer is the free part of dst, or another one that the encoder does not keep.
func (e *Encoder) ResumeAppend(dst []byte, w *Window) {
	e.ResetAppend(dst)
	copy(e.Reserve(w.n), w.buf[:w.n])
	e.w.n, e.w.heldFrom, e.w.heldTo, e.w.depth = w.n, w.heldFrom, w.heldTo, w.depth
}

// Borrow is [Encoder.Raw] for bytes that do not change before Bytes is called: those of a
// long payload are then copied only once. It reports whether it has written them; it does
// so only where they are long, are appended and do not fit the buffer.
func (e *Encoder) Borrow(p []byte) bool {
	if e.out != nil || len(p) < borrowSize || len(p) <= len(e.w.buf)-e.w.n {
		return false
	}
	e.parts = append(e.parts, e.w.buf[:e.w.n], p)
	e.passed += int64(e.w.n + len(p))
	e.w.buf, e.moved = e.w.buf[e.w.n:], true
	e.w.n, e.w.heldFrom, e.w.heldTo = 0, 0, 0
	return true
}

// Bytes is the slice that an append encoder was given, with the message appended, as
// append would do it: in the same memory if it had room for the message. It ends the
// message; the encoder is reset before it writes again. Of an encoder that does not append
// it is nil.
func (e *Encoder) Bytes() []byte {
	if e.out != nil {
		return nil
	}
	size := int(e.Len())
	out := e.dst
	if !e.moved {
		return out[:len(out)+size]
	}
	parts := e.parts
	if e.inPlace {
		out = out[:len(out)+len(parts[0])]
		size -= len(parts[0])
		parts = parts[1:]
	}
	switch {
	case cap(out) == 0 && len(parts) == 0:
		return cloned(e.w.buf[:size])
	case cap(out) == 0:
		return e.joined()
	}
	out = slices.Grow(out, size)
	for _, part := range parts {
		out = append(out, part...)
	}
	return append(out, e.w.buf[:e.w.Settled()]...)
}

// joined is a message that is set aside in parts. Join does not clear the memory first.
func (e *Encoder) joined() []byte {
	n := len(e.parts)
	e.parts = append(e.parts, e.w.buf[:e.w.Settled()])
	b := bytes.Join(e.parts, nil)
	e.parts[n] = nil
	e.parts = e.parts[:n]
	return b
}

// cloned is a copy of b. In this form the compiler does not clear the memory first.
func cloned(b []byte) []byte {
	c := make([]byte, len(b))
	copy(c, b)
	return c
}

// setAside makes a part of what stands in the buffer, and goes on in another one: so that
// a large message is not copied again and again, and one that fills dst nearly to its end
// not at all.
func (e *Encoder) setAside(size int) {
	k := e.w.Settled()
	e.parts = append(e.parts, e.w.buf[:k])
	e.passed += int64(k)
	need := size + e.w.n - k
	next := max(min(partSize, 2*e.w.n), firstBuffer, need)
	buf := e.scratch
	switch {
	case e.moved:
		buf = e.newPart(next)
	case len(buf) < need:
		buf = make([]byte, next)
	}
	if !e.moved {
		e.scratch, e.moved, e.inPlace = buf, true, true
	}
	held := copy(buf, e.w.buf[k:e.w.n])
	e.w.buf, e.w.n, e.w.heldFrom, e.w.heldTo = buf, held, 0, held
}

// A page is a part of the usual size. The pages of a message are kept for the next one
// until the collector has run twice: fresh memory costs more than what is written to it.
type page [partSize]byte

var pages = sync.Pool{New: func() any { return new(page) }}

// newPart is a buffer of size bytes to go on in.
func (e *Encoder) newPart(size int) []byte {
	if size != partSize {
		return make([]byte, size)
	}
	p := pages.Get().(*page)
	e.pages = append(e.pages, p)
	return p[:]
}

// freeParts lets go of the parts of a message that was joined or given up, and gives their
// pages back.
func (e *Encoder) freeParts() {
	clear(e.parts)
	e.parts = e.parts[:0]
	for _, p := range e.pages {
		pages.Put(p)
	}
	clear(e.pages)
	e.pages = e.pages[:0]
}

// grow moves what stands in the buffer to a larger one: the scratch, unless parts may
// stand in it.
func (e *Encoder) grow(size int) {
	size += e.w.n
	buf := e.scratch
	shared := len(e.parts) > 1 || len(e.parts) == 1 && !e.inPlace
	if size > len(buf) || len(e.parts) > 0 {
		doubled := max(2*len(e.w.buf), firstBuffer)
		if e.limit > 0 {
			doubled = min(doubled, e.limit)
		}
		buf = make([]byte, max(size, doubled))
	}
	if !shared {
		e.scratch = buf
	}
	copy(buf, e.w.buf[:e.w.n])
	e.w.buf, e.moved = buf, true
}
