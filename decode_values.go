package sofab

import (
	"math"
	"reflect"

	"github.com/sofab-go/sofab/stream"
	"github.com/sofab-go/sofab/wire"
)

// value reads the value at hand, whose words were read and admitted, into dst. It
// can be called again after More.
func (d *decodeState) value() stream.Status {
	switch f := d.form; f.kind {
	case kindBool:
		v, status := d.p.Varint()
		if status == stream.Done {
			*at[bool](d.dst) = v != 0
		}
		return status
	case kindInteger:
		return d.integer(f)
	case kindFloat32:
		v, status := d.p.Float32()
		if status == stream.Done {
			*at[float32](d.dst) = v
		}
		return status
	case kindFloat64:
		v, status := d.p.Float64()
		if status == stream.Done {
			*at[float64](d.dst) = v
		}
		return status
	case kindNarrowFloat:
		v, status := d.p.Float32()
		if status == stream.Done {
			*at[float64](d.dst) = float64(v)
		}
		return status
	case kindString:
		return d.text(f)
	case kindBytes:
		return d.bytes(f)
	case kindByteArray:
		return d.byteArray(f)
	case kindNative:
		return d.native(f)
	case kindNativeArray:
		return d.nativeArray(f)
	case kindRaw:
		return d.capture(f)
	}
	d.openScope()
	return stream.Done
}

func (d *decodeState) integer(f *form) stream.Status {
	offset := d.p.Offset()
	u, status := d.p.Varint()
	if status != stream.Done {
		return status
	}
	if !wire.Fits(u, f.width) || !storeInteger(f, d.dst, u) {
		return d.outOfWidth(f, u, offset)
	}
	return stream.Done
}

func (d *decodeState) outOfWidth(f *form, u uint64, offset int64) stream.Status {
	e := widthError(f, u, offset)
	if wire.Fits(u, f.width) {
		e = typeError(f, u, offset)
	}
	e.Path = d.path()
	return d.fail(e)
}

// payload returns the whole payload at hand once it is there. It is part of the
// window where it came in one piece (whole), else a slice that the caller may keep.
func (d *decodeState) payload() (b []byte, whole bool, status stream.Status) {
	left := d.p.Left()
	if left == 0 && len(d.part) == 0 {
		return nil, true, stream.Done
	}
	piece, status := d.p.Payload()
	if status == stream.Done && len(d.part) == 0 {
		return piece, true, status
	}
	d.appendPart(piece, len(d.part)+left)
	if status != stream.Done {
		return nil, false, status
	}
	b, d.part = d.part, nil
	return b, false, status
}

// appendPart appends a piece to the part of a payload that will have size bytes. The
// memory grows with what arrived, and ends at the exact size.
func (d *decodeState) appendPart(piece []byte, size int) {
	if need := len(d.part) + len(piece); need > cap(d.part) {
		grown := max(need, 2*cap(d.part))
		if 2*grown >= size || d.mayReserve(int64(need), int64(size)) {
			grown = size
		}
		d.part = append(make([]byte, 0, grown), d.part...)
	}
	d.part = append(d.part, piece...)
}

// mayReserve reports whether there may be memory for the whole of a value of which a part
// has arrived, in bytes: a good part, or one that is large in itself. It saves copies,
// and having large values twice while they grow.
func (d *decodeState) mayReserve(part, whole int64) bool {
	const share, large = 16, 128 << 10
	if whole > share*part && part < large {
		return false
	}
	d.setBudget(d.read())
	return d.affordable(whole)
}

func (d *decodeState) text(f *form) stream.Status {
	b, whole, status := d.payload()
	if status != stream.Done {
		return status
	}
	if status := d.checkText(f, b); status != stream.Done {
		return status
	}
	d.setString(d.dst, b, whole)
	if !d.charge(int64(len(b))) {
		return stream.Failed
	}
	return stream.Done
}

// checkText checks a payload that is complete and bound to a destination: a string is
// UTF-8.
func (d *decodeState) checkText(f *form, b []byte) stream.Status {
	if f.subtype != wire.String || d.options.verbatim {
		return stream.Done
	}
	if i := wire.BadUTF8(stringOf(b)); i >= 0 {
		start := d.p.Offset() - int64(len(b))
		return d.fail(&SyntaxError{Offset: start + int64(i), Path: d.path(), Err: invalidUTF8{i}})
	}
	return stream.Done
}

func (d *decodeState) bytes(f *form) stream.Status {
	b, whole, status := d.payload()
	if status != stream.Done {
		return status
	}
	if status := d.checkText(f, b); status != stream.Done {
		return status
	}
	d.setBytes(f, d.dst, b, whole)
	if !d.charge(int64(len(b))) {
		return stream.Failed
	}
	return stream.Done
}

// setString sets the string at p. The bytes are part of the window if they came in one
// piece (whole), else they are there to be kept.
func (d *decodeState) setString(p pointer, b []byte, whole bool) {
	if !whole || d.alias {
		*at[string](p) = stringOf(b)
		return
	}
	*at[string](p) = d.slab.newString(b)
}

// setBytes is setString for []byte.
func (d *decodeState) setBytes(f *form, p pointer, b []byte, whole bool) {
	switch dst := at[[]byte](p); {
	case len(b) == 0 && f.presence:
		*dst = []byte{}
	case len(b) == 0:
		*dst = nil
	case !whole || d.alias:
		*dst = b[:len(b):len(b)]
	case d.options.reuse && !d.options.alias:
		*dst = append((*dst)[:0], b...)
	case len(b) > maxSlabPart:
		*dst = append([]byte(nil), b...)
	default:
		*dst = elements[byte](d.slab.cutUnaligned(len(b)), len(b))
		copy(*dst, b)
	}
}

// byteArray reads a payload whose length is that of the Go array.
func (d *decodeState) byteArray(f *form) stream.Status {
	b, _, status := d.payload()
	if status != stream.Done {
		return status
	}
	if status := d.checkText(f, b); status != stream.Done {
		return status
	}
	copy(elements[byte](d.dst, f.length), b)
	return stream.Done
}

// native reads the elements of an array of integers, booleans or floats into a slice,
// which grows with the elements that arrive.
func (d *decodeState) native(f *form) stream.Status {
	s := d.dst.slice()
	if d.stored == 0 {
		if left := d.p.Left(); !f.isAllocatable(left) {
			return d.overLimit("Memory", math.MaxInt, int64(left)*int64(f.elem.size))
		}
		d.clearNative(f, s, d.p.Left())
	}
	for d.p.Left() > 0 {
		need := d.stored + d.p.Left()
		if s.cap == d.stored {
			d.growNative(f, d.dst, d.capacity(f, s.cap, need))
		}
		s.len = min(s.cap, need)
		before := d.stored
		status := d.elements(f, s.first(), s.len)
		if status != stream.Done {
			s.len = d.stored
			if status == stream.More && d.stored == min(s.cap, need) && d.stored > before {
				continue
			}
			return status
		}
	}
	if !d.charge(int64(uintptr(d.stored) * f.elem.size)) {
		return stream.Failed
	}
	d.stored = 0
	return stream.Done
}

// isAllocatable reports whether the size of an array of n elements is an int. On a 64-bit
// platform it is.
func (f *form) isAllocatable(n int) bool { return int64(n) <= math.MaxInt/int64(f.elem.size) }

// capacity is how many elements to have room for, of need in all: those that the bytes
// at hand may hold, at least twice as many as before. When a good part has arrived it is
// all of them.
func (d *decodeState) capacity(f *form, have, need int) int {
	if d.mayReserve(int64(d.stored)*int64(f.elem.size), int64(need)*int64(f.elem.size)) {
		return need
	}
	atHand := len(d.p.Window())
	if f.wire == wire.FixlenArray {
		atHand /= f.subtype.Width()
	}
	return min(need, max(2*have, d.stored+atHand, 8))
}

// clearNative empties the slice before an array of n elements is read into it.
func (d *decodeState) clearNative(f *form, s *sliceHeader, n int) {
	switch {
	case d.options.reuse && s.cap > 0 && f.elem.kind != kindPointer && (n > 0 || f.presence):
		s.len = 0
	case f.presence:
		d.growNative(f, addressOf(s), 0)
	default:
		s.clear()
	}
}

// growNative gives the slice at p room for n elements; the stored ones are kept.
func (d *decodeState) growNative(f *form, p pointer, n int) {
	if !f.elem.pointerFree || n == 0 {
		v := p.value(f.typ)
		grown := reflect.MakeSlice(f.typ, n, n)
		reflect.Copy(grown, v)
		v.Set(grown)
		return
	}
	data := d.slab.cut(n * int(f.elem.size))
	s := p.slice()
	if s.len > 0 {
		size := s.len * int(f.elem.size)
		copy(elements[byte](data, size), elements[byte](s.first(), size))
	}
	s.set(data, n, n)
}

// nativeArray reads the elements of an array into a Go array. What does not arrive is
// zero.
func (d *decodeState) nativeArray(f *form) stream.Status {
	if d.stored == 0 {
		f.mem.reset(d.dst)
	}
	if d.p.Left() > 0 {
		if status := d.elements(f, d.dst, d.stored+d.p.Left()); status != stream.Done {
			return status
		}
	}
	d.stored = 0
	return stream.Done
}

// elements reads elements into memory at p that has room for n, from the stored ones
// on, as far as the bytes at hand go.
func (d *decodeState) elements(f *form, p pointer, n int) stream.Status {
	if !f.elem.isPlain() {
		return d.checkedElements(f, p, n)
	}
	stored, size, code := consumeElements(f, p.arrayIndex(d.stored, f.elem.size), n-d.stored, d.p.Window())
	d.stored += stored
	status := d.p.Consumed(stored, size, code)
	if status == stream.Failed {
		return d.elementFault(f)
	}
	return status
}

// consumeElements reads up to n plain elements of an array from b into memory at p. The
// results are those of wire.ConsumeUnsigneds.
func consumeElements(f *form, p pointer, n int, b []byte) (stored, size, code int) {
	switch f.goKind {
	case reflect.Bool:
		return wire.ConsumeBools(b, elements[bool](p, n))
	case reflect.Uint8:
		return wire.ConsumeUnsigneds(b, elements[uint8](p, n), 8)
	case reflect.Uint16:
		return wire.ConsumeUnsigneds(b, elements[uint16](p, n), 16)
	case reflect.Uint32:
		return wire.ConsumeUnsigneds(b, elements[uint32](p, n), 32)
	case reflect.Uint64:
		return wire.ConsumeUnsigneds(b, elements[uint64](p, n), 64)
	case reflect.Uint:
		return wire.ConsumeUnsigneds(b, elements[uint](p, n), f.width)
	case reflect.Int8:
		return wire.ConsumeSigneds(b, elements[int8](p, n), 8)
	case reflect.Int16:
		return wire.ConsumeSigneds(b, elements[int16](p, n), 16)
	case reflect.Int32:
		return wire.ConsumeSigneds(b, elements[int32](p, n), 32)
	case reflect.Int64:
		return wire.ConsumeSigneds(b, elements[int64](p, n), 64)
	case reflect.Int:
		return wire.ConsumeSigneds(b, elements[int](p, n), f.width)
	case reflect.Float32:
		stored, size = wire.ConsumeFloat32s(b, elements[float32](p, n))
	case reflect.Float64:
		stored, size = wire.ConsumeFloat64s(b, elements[float64](p, n))
	}
	if stored < n {
		code = wire.More
	}
	return stored, size, code
}

// elementFault turns the parser's word that an element is over the declared width
// into the error of that element.
func (d *decodeState) elementFault(f *form) stream.Status {
	if !d.p.LiftWidthFault() {
		return stream.Failed
	}
	u, _ := wire.ConsumeVarint(d.p.Window())
	e := widthError(f.elem.behind(), u, d.p.Offset())
	e.Path = d.path() + indexed(d.stored)
	return d.fail(e)
}

// behind is the form behind pointers and proxies: what stands on the wire. It is nil
// after a fault, and while that form is in progress.
func (f *form) behind() *form {
	for f != nil && (f.kind == kindPointer || f.kind == kindProxy) {
		f = f.next()
	}
	return f
}

// next is the form behind one pointer or proxy.
func (f *form) next() *form {
	if f.kind != kindProxy {
		return f.elem
	}
	if f.proxy == nil {
		return nil
	}
	return f.proxy.form
}

// checkedElements reads elements that need a check or a conversion one by one.
func (d *decodeState) checkedElements(f *form, p pointer, n int) stream.Status {
	scalar := f.elem.behind()
	for d.stored < n {
		var u [1]uint64
		var narrow [1]float32
		var wide [1]float64
		var status stream.Status
		var got int
		offset := d.p.Offset()
		switch {
		case f.wire == wire.UnsignedArray || f.wire == wire.SignedArray:
			width := uint(64)
			if scalar.kind == kindInteger {
				width = scalar.width
			}
			got, status = stream.ConsumeUnsigneds(&d.p, u[:], width)
		case f.subtype == wire.FP32:
			got, status = d.p.Float32s(narrow[:])
		default:
			got, status = d.p.Float64s(wide[:])
		}
		if status == stream.Failed {
			return d.elementFault(f)
		}
		if got == 0 {
			return status
		}
		from := len(d.stands)
		_, dst, ok := d.enter(f.elem, p.arrayIndex(d.stored, f.elem.size))
		if !ok {
			return stream.Failed
		}
		switch scalar.kind {
		case kindBool:
			*at[bool](dst) = u[0] != 0
		case kindInteger:
			if !storeInteger(scalar, dst, u[0]) {
				e := typeError(scalar, u[0], offset)
				e.Path = d.path() + indexed(d.stored)
				return d.fail(e)
			}
		case kindFloat32:
			*at[float32](dst) = narrow[0]
		case kindNarrowFloat:
			*at[float64](dst) = float64(narrow[0])
		case kindFloat64:
			*at[float64](dst) = wide[0]
		}
		if err := d.settle(from); err != nil {
			return d.fail(within(err, d.path()+indexed(d.stored)))
		}
		d.stored++
		if status == stream.Done {
			return stream.Done
		}
	}
	return stream.More
}

// clearWrapper empties a slice or array before its elements arrive: a wrapper that is
// opened again replaces what was there.
func (d *decodeState) clearWrapper(f *form, p pointer) {
	if f.kind == kindFields {
		if s := p.slice(); f.presence && s.isNil() {
			*at[Fields](p) = Fields{}
		}
		return
	}
	if f.kind == kindWrapperArray {
		d.resetValue(f, p)
		return
	}
	switch s := p.slice(); {
	case (d.options.reuse || f.scratch) && s.cap > 0:
		s.len = 0
	case f.presence:
		p.value(f.typ).Set(reflect.MakeSlice(f.typ, 0, 0))
	default:
		s.clear()
	}
}

// element sets dst to the element of a wrapper whose header was read. A slice gets as
// many elements as the index needs, at their defaults.
func (d *decodeState) element(fr *frame) bool {
	elem := fr.form.elem
	if fr.form.kind == kindFields {
		return d.treeElement(fr)
	}
	if fr.form.kind == kindWrapperArray {
		d.dst = fr.dst.arrayIndex(fr.index, elem.size)
		return true
	}
	s := fr.dst.slice()
	if fr.index >= s.len {
		if room := fr.growth(s.len); room > 0 {
			if !d.charge(int64(room) * elem.weight) {
				return false
			}
			fr.room = room
		}
		d.extend(fr.form, fr.dst, fr.index+1)
	}
	d.dst = s.index(fr.index, elem.size)
	return true
}
