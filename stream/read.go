package stream

import (
	"io"
	"slices"

	"github.com/sofab-go/sofab/wire"
)

// keptScratch is the largest scratch for strings that is kept for the next one.
const keptScratch = 64 << 10

// checkWidth is an error unless T holds every integer of the given width.
func checkWidth[T wire.Integer](width uint, signed bool) error {
	most := uint(8)
	for most < 64 && T(1)<<most != 0 {
		most *= 2
	}
	switch holdsSign := ^T(0) < 0; {
	case holdsSign && !signed:
		most--
	case signed && !holdsSign:
		most = 0
	}
	if width == 0 || width > most {
		return argumentError("an integer of %d bits does not fit %T", width, T(0))
	}
	return nil
}

// varint reads the varint of a pending unsigned or signed of at most width bits.
func (d *Decoder) varint(t wire.Type, width uint) (uint64, error) {
	if err := d.ready(); err != nil {
		return 0, err
	}
	if d.field.Type != t {
		return 0, ErrMismatch
	}
	for {
		u, status := d.p.Varint()
		if status == Done {
			d.end()
			if !wire.Fits(u, width) {
				return 0, d.fail(wire.Err(wire.BadWidth), d.valueAt)
			}
			return u, nil
		}
		if err := d.more(status); err != nil {
			return 0, err
		}
	}
}

// Unsigned reads an unsigned integer of up to 64 bits.
func (d *Decoder) Unsigned() (uint64, error) { return d.varint(wire.Unsigned, 64) }

// Signed reads a signed integer of up to 64 bits.
func (d *Decoder) Signed() (int64, error) {
	u, err := d.varint(wire.Signed, 64)
	return wire.Unzigzag(u), err
}

// ReadUnsigned reads an unsigned integer whose declared width is the given number of
// bits; a value that does not fit is ErrInvalid (section 3.1). T must hold that width:
// a signed T holds one bit less than it has.
func ReadUnsigned[T wire.Integer](d *Decoder, width uint) (T, error) {
	if err := checkWidth[T](width, false); err != nil {
		return 0, err
	}
	u, err := d.varint(wire.Unsigned, width)
	return T(u), err
}

// ReadSigned is [ReadUnsigned] for a signed integer; an unsigned T does not do.
func ReadSigned[T wire.Integer](d *Decoder, width uint) (T, error) {
	if err := checkWidth[T](width, true); err != nil {
		return 0, err
	}
	u, err := d.varint(wire.Signed, width)
	return T(wire.Unzigzag(u)), err
}

// Bool reads a boolean: an unsigned of which any value but 0 is true.
func (d *Decoder) Bool() (bool, error) {
	u, err := d.varint(wire.Unsigned, 64)
	return u != 0, err
}

// Float32 reads an fp32, every bit as it is.
func (d *Decoder) Float32() (float32, error) {
	if err := d.typed(wire.Fixlen, wire.FP32); err != nil {
		return 0, err
	}
	for {
		v, status := d.p.Float32()
		if status == Done {
			d.end()
			return v, nil
		}
		if err := d.more(status); err != nil {
			return 0, err
		}
	}
}

// Float64 reads an fp64, every bit as it is.
func (d *Decoder) Float64() (float64, error) {
	if err := d.typed(wire.Fixlen, wire.FP64); err != nil {
		return 0, err
	}
	for {
		v, status := d.p.Float64()
		if status == Done {
			d.end()
			return v, nil
		}
		if err := d.more(status); err != nil {
			return 0, err
		}
	}
}

// typed is an error unless the pending value is of that type and, where the type has
// them, of one of those subtypes. The words are then read.
func (d *Decoder) typed(t wire.Type, subtypes ...wire.Subtype) error {
	if err := d.ready(); err != nil {
		return err
	}
	if d.field.Type != t {
		return ErrMismatch
	}
	if err := d.words(); err != nil {
		return err
	}
	if len(subtypes) > 0 && !slices.Contains(subtypes, d.p.Subtype()) {
		return ErrMismatch
	}
	return nil
}

// String reads a string. It must be UTF-8, which is judged when all of it is there,
// unless SetVerbatim is on.
func (d *Decoder) String() (string, error) {
	if err := d.payload(wire.String); err != nil {
		return "", err
	}
	if w := d.p.Window(); d.partial == nil && len(w) >= d.p.Left() {
		s := string(w[:d.p.Left()])
		d.p.Payload()
		return s, d.checkText(w[:len(s)])
	}
	b, err := d.AppendString(d.scratch[:0])
	if err != nil {
		return "", err
	}
	if cap(b) <= keptScratch {
		d.scratch = b
	}
	return string(b), nil
}

// AppendString appends the bytes of a string to dst; see String. On an error dst comes
// back as it was; what was read so far is kept in the decoder.
func (d *Decoder) AppendString(dst []byte) ([]byte, error) {
	if err := d.payload(wire.String); err != nil {
		return dst, err
	}
	out, err := appendAll(d, dst, 1, copyPayload)
	if err == nil {
		err = d.checkText(out[len(dst):])
	}
	if err != nil {
		return dst, err
	}
	return out, nil
}

// Blob reads a blob. The slice is the caller's; it is nil when the blob is empty.
func (d *Decoder) Blob() ([]byte, error) { return d.AppendBlob(nil) }

// AppendBlob appends the bytes of a blob to dst. On an error dst comes back as it was;
// what was read so far is kept in the decoder.
func (d *Decoder) AppendBlob(dst []byte) ([]byte, error) {
	if err := d.payload(wire.Blob); err != nil {
		return dst, err
	}
	return appendAll(d, dst, 1, copyPayload)
}

func copyPayload(p *Parser, dst []byte) (int, Status) {
	piece, status := p.Payload()
	return copy(dst, piece), status
}

// payload begins a read of a string or blob as a whole.
func (d *Decoder) payload(s wire.Subtype) error {
	if err := d.typed(wire.Fixlen, s); err != nil {
		return err
	}
	if d.pieces {
		return errBegun
	}
	return d.admitPayload()
}

func (d *Decoder) admitPayload() error {
	if d.p.Subtype() == wire.String {
		return d.admit(d.limits.String)
	}
	return d.admit(d.limits.Blob)
}

// checkText ends a string of which s is all or the last piece.
func (d *Decoder) checkText(s []byte) error {
	d.end()
	if d.verbatim {
		return nil
	}
	d.text.add(s)
	if index, err := d.text.fault(); err != nil {
		return d.fail(err, d.bodyAt+int64(index))
	}
	return nil
}

// Chunk returns the next piece of a string or blob, of at least one byte, and io.EOF
// behind the last one. The piece is valid until the next call. It takes no memory that
// grows with the payload: 4096 bytes from a reader, none from a slice, of which the
// piece is a part.
//
// Bounds and caps hold as for the other reads. Whether a string is UTF-8 is known when
// its last piece has been returned; if not, the next call says so, whichever it is.
// A value of which a piece was read can only be read on in pieces, or skipped.
func (d *Decoder) Chunk() ([]byte, error) {
	if err := d.typed(wire.Fixlen, wire.String, wire.Blob); err != nil {
		return nil, err
	}
	if err := d.beginPieces(); err != nil {
		return nil, err
	}
	if d.p.Left() == 0 {
		d.end()
		return nil, io.EOF
	}
	if !d.pieces {
		if err := d.admitPayload(); err != nil {
			return nil, err
		}
	}
	for {
		piece, status := d.p.Payload()
		if len(piece) > 0 {
			d.pieces = true
			d.checkPiece(piece, status == Done)
			return piece, nil
		}
		if err := d.more(status); err != nil {
			return nil, err
		}
	}
}

// checkPiece looks at a piece of a string. A fault is latched for the next call.
func (d *Decoder) checkPiece(piece []byte, last bool) {
	if d.verbatim || d.p.Subtype() != wire.String {
		return
	}
	d.text.add(piece)
	if index, err := d.text.fault(); last && err != nil {
		d.p.Fail(err, d.bodyAt+int64(index))
	}
}

var errBegun = argumentError("the value was begun to be read in another way")

func (d *Decoder) beginPieces() error {
	if d.partial != nil {
		return errBegun
	}
	return nil
}

// appendAll reads the rest of the pending value into elements appended to dst. An
// element takes at least size bytes; consume reads as many as are at hand.
func appendAll[T any](d *Decoder, dst []T, size int, consume func(*Parser, []T) (int, Status)) ([]T, error) {
	begun, ok := d.partial.(*[]T)
	if d.partial != nil && !ok || d.pieces {
		return dst, errBegun
	}
	out := dst
	if begun != nil {
		out = *begun
	}
	for {
		n := min(d.p.Left(), len(d.p.Window())/size)
		out = slices.Grow(out, n)
		n, status := consume(&d.p, out[len(out):len(out)+n])
		out = out[:len(out)+n]
		if status == Done {
			break
		}
		if err := d.more(status); err != nil {
			if begun != nil {
				*begun = out
			} else if len(out) > len(dst) {
				begun := slices.Clone(out[len(dst):])
				d.partial = &begun
			}
			return dst, err
		}
	}
	d.end()
	if begun == nil || dst == nil {
		return out, nil
	}
	return append(dst, out...), nil
}

// run reads elements of the pending array into dst, at least one, as many as are at
// hand and fit.
func run[T any](d *Decoder, dst []T, consume func(*Parser, []T) (int, Status)) (int, error) {
	if err := d.beginPieces(); err != nil {
		return 0, err
	}
	if d.p.Left() == 0 {
		d.end()
		return 0, io.EOF
	}
	if len(dst) == 0 {
		return 0, argumentError("no room for an element")
	}
	for {
		n, status := consume(&d.p, dst)
		if n > 0 {
			d.pieces = true
			return n, nil
		}
		if err := d.more(status); err != nil {
			return 0, err
		}
	}
}

// array begins a read of an array.
func (d *Decoder) array(t wire.Type, subtypes ...wire.Subtype) error {
	if err := d.typed(t, subtypes...); err != nil {
		return err
	}
	return d.admit(d.limits.Array)
}

// ReadUnsigneds reads an array of unsigned integers and appends it to dst. The elements
// have a declared width in bits, as in [ReadUnsigned]; one that does not fit is
// ErrInvalid. On an error dst comes back as it was; what was read so far is kept in
// the decoder.
func ReadUnsigneds[T wire.Integer](d *Decoder, dst []T, width uint) ([]T, error) {
	if err := checkWidth[T](width, false); err != nil {
		return dst, err
	}
	if err := d.array(wire.UnsignedArray); err != nil {
		return dst, err
	}
	return appendAll(d, dst, 1, func(p *Parser, dst []T) (int, Status) { return ConsumeUnsigneds(p, dst, width) })
}

// ReadSigneds is [ReadUnsigneds] for signed integers.
func ReadSigneds[T wire.Integer](d *Decoder, dst []T, width uint) ([]T, error) {
	if err := checkWidth[T](width, true); err != nil {
		return dst, err
	}
	if err := d.array(wire.SignedArray); err != nil {
		return dst, err
	}
	return appendAll(d, dst, 1, func(p *Parser, dst []T) (int, Status) { return ConsumeSigneds(p, dst, width) })
}

// Unsigneds is [ReadUnsigneds] for up to 64 bits.
func (d *Decoder) Unsigneds(dst []uint64) ([]uint64, error) { return ReadUnsigneds(d, dst, 64) }

// Signeds is [ReadSigneds] for up to 64 bits.
func (d *Decoder) Signeds(dst []int64) ([]int64, error) { return ReadSigneds(d, dst, 64) }

// Bools is [ReadUnsigneds] for booleans; any element but 0 is true.
func (d *Decoder) Bools(dst []bool) ([]bool, error) {
	if err := d.array(wire.UnsignedArray); err != nil {
		return dst, err
	}
	return appendAll(d, dst, 1, (*Parser).Bools)
}

// Float32s is [ReadUnsigneds] for an array of fp32.
func (d *Decoder) Float32s(dst []float32) ([]float32, error) {
	if err := d.array(wire.FixlenArray, wire.FP32); err != nil {
		return dst, err
	}
	return appendAll(d, dst, 4, (*Parser).Float32s)
}

// Float64s is [ReadUnsigneds] for an array of fp64.
func (d *Decoder) Float64s(dst []float64) ([]float64, error) {
	if err := d.array(wire.FixlenArray, wire.FP64); err != nil {
		return dst, err
	}
	return appendAll(d, dst, 8, (*Parser).Float64s)
}

// UnsignedRun reads the next elements of an array of unsigned integers into dst, as
// many as are at hand and fit, and returns how many: at least one. Behind the last
// element the error is io.EOF. It takes no memory that grows with the array. Width,
// bounds and caps hold as for [ReadUnsigneds]. An array of which a run was read can
// only be read on in runs, or skipped.
func UnsignedRun[T wire.Integer](d *Decoder, dst []T, width uint) (int, error) {
	if err := checkWidth[T](width, false); err != nil {
		return 0, err
	}
	if err := d.array(wire.UnsignedArray); err != nil {
		return 0, err
	}
	return run(d, dst, func(p *Parser, dst []T) (int, Status) { return ConsumeUnsigneds(p, dst, width) })
}

// SignedRun is [UnsignedRun] for signed integers.
func SignedRun[T wire.Integer](d *Decoder, dst []T, width uint) (int, error) {
	if err := checkWidth[T](width, true); err != nil {
		return 0, err
	}
	if err := d.array(wire.SignedArray); err != nil {
		return 0, err
	}
	return run(d, dst, func(p *Parser, dst []T) (int, Status) { return ConsumeSigneds(p, dst, width) })
}

// BoolRun is [UnsignedRun] for booleans.
func (d *Decoder) BoolRun(dst []bool) (int, error) {
	if err := d.array(wire.UnsignedArray); err != nil {
		return 0, err
	}
	return run(d, dst, (*Parser).Bools)
}

// Float32Run is [UnsignedRun] for an array of fp32.
func (d *Decoder) Float32Run(dst []float32) (int, error) {
	if err := d.array(wire.FixlenArray, wire.FP32); err != nil {
		return 0, err
	}
	return run(d, dst, (*Parser).Float32s)
}

// Float64Run is [UnsignedRun] for an array of fp64.
func (d *Decoder) Float64Run(dst []float64) (int, error) {
	if err := d.array(wire.FixlenArray, wire.FP64); err != nil {
		return 0, err
	}
	return run(d, dst, (*Parser).Float64s)
}
