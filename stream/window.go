package stream

// A Window is the buffer of an [Encoder], how far it is written, and the sequences that
// are open: what a caller needs that writes many fields at a time straight into the
// buffer. It does so behind [Window.Filled] bytes as long as there is room, and then
// says with SetFilled how far it came; in between, the offset is its own.
//
// Headers of sequences without content are held back at the end of what is written:
// buf[heldFrom:heldTo], as long as n == heldTo. Whatever is written behind them makes
// them stay, without further ado; a sequence that ends before that takes its header
// back.
//
//	buf  | passed on next … | held-back headers | free … |
//	     0            heldFrom        heldTo = n    len(buf)
type Window struct {
	buf      []byte
	n        int
	heldFrom int
	heldTo   int
	depth    int
}

// WindowOf is a window on a buffer that nothing is written to yet.
func WindowOf(buf []byte) Window { return Window{buf: buf} }

// Buffer is the buffer, the written bytes at its start.
func (w *Window) Buffer() []byte { return w.buf }

// Filled is how many bytes of the buffer are written.
func (w *Window) Filled() int { return w.n }

// SetFilled says that n bytes of the buffer are written.
func (w *Window) SetFilled(n int) { w.n = n }

// Depth is the number of open sequences.
func (w *Window) Depth() int { return w.depth }

// BeginAt says that a sequence is open, whose header of size bytes stands at buf[n:], at
// the end of what is written. There must be fewer than 255 open ones.
func (w *Window) BeginAt(n, size int) {
	w.depth++
	if n != w.heldTo {
		w.heldFrom = n
	}
	w.heldTo = n + size
}

// EndAt says that the innermost sequence ends behind n bytes of the buffer. It reports
// whether something stands in it. If not, its header of size bytes, up to n, is
// taken back: writing goes on in front of it.
func (w *Window) EndAt(n, size int) bool {
	w.depth--
	if n != w.heldTo || w.heldFrom == n {
		return true
	}
	w.heldTo = n - size
	return false
}

// EndKept says that the innermost sequence ends and stays, with or without content.
func (w *Window) EndKept() { w.depth-- }

// HasContent reports whether something stands in the innermost sequence.
func (w *Window) HasContent() bool { return w.heldFrom == w.heldTo || w.n != w.heldTo }

// Settled is the number of bytes of the buffer that stay: all but held-back headers.
func (w *Window) Settled() int {
	if w.n == w.heldTo {
		return w.heldFrom
	}
	return w.n
}
