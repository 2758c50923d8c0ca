package stream

import "io"

// output takes the bytes that leave the buffer of an [Encoder].
type output interface {
	// write takes p; it must not keep it.
	write(e *Encoder, p []byte) error
}

// writerOutput passes bytes on to an io.Writer.
type writerOutput struct{ w io.Writer }

func (o writerOutput) write(_ *Encoder, p []byte) error {
	n, err := o.w.Write(p)
	if err == nil && n != len(p) {
		err = io.ErrShortWrite
	}
	return err
}

// A Sink takes the bytes of a full buffer. They are only lent when the sink returns
// without calling [Encoder.SetBuffer]: it must have copied them, and the buffer is
// used again from its first byte. When it has installed another buffer, p is its own
// for good. A sink must not write fields.
type Sink func(e *Encoder, p []byte) error

// bufferOutput fills a buffer of the caller and hands it to the sink when it is full.
type bufferOutput struct {
	buf      []byte
	from, to int // buf[from:to] is written and was not handed to the sink
	sink     Sink
	flushing bool // the sink is being called
	replaced bool // and has installed another buffer
}

func (o *bufferOutput) write(e *Encoder, p []byte) error {
	if o.sink == nil && len(p) > len(o.buf)-o.to {
		return ErrBufferFull
	}
	for len(p) > 0 {
		n := copy(o.buf[o.to:], p)
		o.to += n
		p = p[n:]
		if o.to == len(o.buf) && o.sink != nil && len(p) > 0 {
			if err := o.flush(e); err != nil {
				return err
			}
		}
	}
	return nil
}

// flush hands what is written to the sink. Writing goes on at the start of the same
// buffer or where the sink installed another one.
func (o *bufferOutput) flush(e *Encoder) error {
	if o.sink == nil || o.from == o.to {
		return nil
	}
	o.flushing, o.replaced = true, false
	err := o.sink(e, o.buf[o.from:o.to])
	o.flushing = false
	if !o.replaced {
		o.from, o.to = 0, 0
	}
	return err
}

func (o *bufferOutput) install(buf []byte, offset int) {
	o.buf, o.from, o.to, o.replaced = buf, offset, offset, true
}
