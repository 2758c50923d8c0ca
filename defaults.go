package sofab

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/sofab-go/sofab/tags"
	"github.com/sofab-go/sofab/wire"
)

// A defaultValue is the declared default of a field. Absent on the wire means the
// default, so it is set before decoding and its value is not written.
type defaultValue struct {
	value reflect.Value // of the field's type; never handed out, only copied
	p     pointer       // its address
	heap  int64         // about how many bytes set allocates
}

// defaultValue reads the option default of a field. It is nil after a fault.
func (c *compiler) defaultValue(r *row, o *tags.Options, s site) *defaultValue {
	v := reflect.New(r.form.typ).Elem()
	if err := parseDefault(r.form, v, o.Default); err != nil {
		c.fault(s, o.Pos("default"), "default=%q: %v", o.Default, err)
		return nil
	}
	d := &defaultValue{value: v, p: pointerOf(v)}
	switch r.form.kind {
	case kindBytes, kindNative:
		d.heap = int64(v.Len()) * int64(v.Type().Elem().Size())
	case kindProxy:
		d.heap = standInHeap + int64(len(o.Default))
	}
	return d
}

// standInHeap is about how many bytes it takes to load and store a value with a stand-in.
const standInHeap = 128

// parseDefault sets v to the value that the text of a default stands for.
func parseDefault(f *form, v reflect.Value, text string) error {
	switch f.kind {
	case kindBool:
		b, err := strconv.ParseBool(text)
		if err != nil || text != "true" && text != "false" {
			return errors.New("want true or false")
		}
		v.SetBool(b)
		return nil
	case kindInteger:
		return parseInteger(f, v, text)
	case kindFloat32, kindFloat64, kindNarrowFloat:
		return parseFloat(f, v, text)
	case kindString:
		v.SetString(text)
		return checkLength(f, text)
	case kindBytes, kindByteArray:
		b, err := parseBytes(f, text)
		if err != nil {
			return err
		}
		if f.kind == kindBytes {
			v.SetBytes(b)
			return checkLength(f, string(b))
		}
		if len(b) != f.length {
			return fmt.Errorf("has %d bytes where exactly %d are needed", len(b), f.length)
		}
		copy(elements[byte](pointerOf(v), f.length), b)
		return nil
	case kindNative, kindNativeArray:
		return parseList(f, v, text)
	case kindProxy:
		return parseStandIn(f, v, text)
	}
	return fmt.Errorf("type %v has no declared default", f.typ)
}

// parseStandIn sets v to the value for which the text of a default stands in. Text is
// taken as it is.
func parseStandIn(f *form, v reflect.Value, text string) error {
	x := f.proxy
	standIn := reflect.New(x.form.typ).Elem()
	var err error
	switch {
	case x.form.kind != kindBytes:
		err = parseDefault(x.form, standIn, text)
	case x.form.subtype == wire.String:
		standIn.SetBytes([]byte(text))
		err = checkLength(x.form, text)
	default:
		err = errors.New("a value in binary form has no declared default")
	}
	if err != nil {
		return err
	}
	var d decodeState
	d.options = &std.settings
	if err := x.store(&d, f, pointerOf(v), pointerOf(standIn)); err != nil {
		return bare(err)
	}
	return nil
}

// bare is the cause of an error of a value that is not part of a message.
func bare(err error) error {
	if cause := errors.Unwrap(err); cause != nil {
		return cause
	}
	return err
}

func checkLength(f *form, text string) error {
	if f.maxlen > 0 && len(text) > f.maxlen {
		return fmt.Errorf("has %d bytes, more than maxlen=%d allows", len(text), f.maxlen)
	}
	if f.subtype == wire.String && wire.BadUTF8(text) >= 0 {
		return errors.New("is not UTF-8")
	}
	return nil
}

func parseInteger(f *form, v reflect.Value, text string) error {
	var err error
	if v.CanInt() {
		var n int64
		if n, err = strconv.ParseInt(text, 10, v.Type().Bits()); err == nil {
			v.SetInt(n)
			err = canonical(text, strconv.FormatInt(n, 10))
		}
	} else {
		var n uint64
		if n, err = strconv.ParseUint(text, 10, v.Type().Bits()); err == nil {
			v.SetUint(n)
			err = canonical(text, strconv.FormatUint(n, 10))
		}
	}
	if err != nil {
		return fmt.Errorf("want an integer of type %v", v.Type())
	}
	u, ok := loadInteger(f, pointerOf(v))
	if !ok || !wire.Fits(u, f.width) {
		return fmt.Errorf("does not fit %s", f.bound)
	}
	if f.members != nil && !slices.Contains(f.members, wire.Unzigzag(u)) {
		return errors.New("is not one of the enum's members")
	}
	return nil
}

// canonical is an error if a number is not written the one way that it prints: with a
// plus sign or a leading zero.
func canonical(text, printed string) error {
	if text != printed {
		return strconv.ErrSyntax
	}
	return nil
}

func parseFloat(f *form, v reflect.Value, text string) error {
	bits := v.Type().Bits()
	if f.kind == kindNarrowFloat {
		bits = 32
	}
	n, err := strconv.ParseFloat(text, bits)
	if err != nil {
		return fmt.Errorf("want a number that fits fp%d", bits)
	}
	v.SetFloat(n)
	return nil
}

// parseBytes reads hex:…, b64:… or, where the wire form is a string, plain text.
func parseBytes(f *form, text string) ([]byte, error) {
	if digits, ok := strings.CutPrefix(text, "hex:"); ok {
		return hex.DecodeString(digits)
	}
	if digits, ok := strings.CutPrefix(text, "b64:"); ok {
		return base64.StdEncoding.DecodeString(digits)
	}
	if f.subtype == wire.String {
		return []byte(text), nil
	}
	return nil, errors.New("want hex: and hexadecimal digits, or b64: and base64")
}

// parseList reads [1,2,3].
func parseList(f *form, v reflect.Value, text string) error {
	if len(text) < 2 || text[0] != '[' || text[len(text)-1] != ']' {
		return errors.New("want a list such as '[1,2]'")
	}
	var parts []string
	if inner := text[1 : len(text)-1]; inner != "" {
		parts = strings.Split(inner, ",")
	}
	if f.count > 0 && len(parts) > f.count {
		return fmt.Errorf("has %d elements, more than count=%d allows", len(parts), f.count)
	}
	if f.kind == kindNative {
		v.Set(reflect.MakeSlice(v.Type(), len(parts), len(parts)))
	} else if len(parts) != f.length {
		return fmt.Errorf("has %d elements where exactly %d are needed", len(parts), f.length)
	}
	for i, part := range parts {
		if err := parseDefault(f.elem, v.Index(i), strings.TrimSpace(part)); err != nil {
			return fmt.Errorf("element %d: %v", i, err)
		}
	}
	return nil
}

// set gives the field its default. Slices, and values with a stand-in, get memory of
// their own.
func (d *defaultValue) set(state *decodeState, f *form, p pointer) {
	switch f.kind {
	case kindBytes:
		*at[[]byte](p) = bytes.Clone(*at[[]byte](d.p))
	case kindNative:
		v := reflect.MakeSlice(f.typ, d.value.Len(), d.value.Len())
		reflect.Copy(v, d.value)
		p.value(f.typ).Set(v)
	case kindProxy:
		// Both ways were taken when the default was compiled, so that neither fails.
		_ = f.proxy.with(f, d.p, func(_ *form, standIn pointer) error {
			return f.proxy.store(state, f, p, standIn)
		})
	default:
		p.value(f.typ).Set(d.value)
	}
}

// equals reports whether the value at p is the default (section 3.2): numbers by
// value, so that −0.0 equals 0 and NaN nothing, strings and blobs by bytes, arrays by
// length and elements.
func (d *defaultValue) equals(f *form, p pointer) bool {
	switch f.kind {
	case kindBool:
		return *at[bool](p) == *at[bool](d.p)
	case kindInteger:
		return integersEqual(f, p, d.p)
	case kindFloat32:
		return *at[float32](p) == *at[float32](d.p)
	case kindFloat64, kindNarrowFloat:
		return *at[float64](p) == *at[float64](d.p)
	case kindString:
		return *at[string](p) == *at[string](d.p)
	case kindBytes:
		return bytes.Equal(*at[[]byte](p), *at[[]byte](d.p))
	case kindByteArray:
		return bytes.Equal(elements[byte](p, f.length), elements[byte](d.p, f.length))
	case kindNative:
		a, b := p.slice(), d.p.slice()
		return a.len == b.len && (&defaultValue{p: b.first()}).elementsEqual(f, a.first(), a.len)
	case kindNativeArray:
		return d.elementsEqual(f, p, f.length)
	case kindProxy:
		// A value that cannot be loaded is no default; writing it tells why.
		equal := false
		_ = f.proxy.with(f, d.p, func(_ *form, a pointer) error {
			return f.proxy.with(f, p, func(standIn *form, b pointer) error {
				equal = (&defaultValue{p: a}).equals(standIn, b)
				return nil
			})
		})
		return equal
	}
	return false
}

func (d *defaultValue) elementsEqual(f *form, p pointer, n int) bool {
	for i := range n {
		element := defaultValue{p: d.p.arrayIndex(i, f.elem.size)}
		if !element.equals(f.elem, p.arrayIndex(i, f.elem.size)) {
			return false
		}
	}
	return true
}

// isZeroArray reports whether the array at p holds only zeros. It is then at its
// default and not written. A −0.0 is not a zero here: arrays keep every bit.
func isZeroArray(f *form, p pointer) bool {
	for i := range f.length {
		e := p.arrayIndex(i, f.elem.size)
		switch f.elem.kind {
		case kindBool:
			if *at[bool](e) {
				return false
			}
		case kindInteger:
			if u, _ := loadInteger(f.elem, e); u != 0 {
				return false
			}
		case kindFloat32:
			if math.Float32bits(*at[float32](e)) != 0 {
				return false
			}
		case kindFloat64, kindNarrowFloat:
			if math.Float64bits(*at[float64](e)) != 0 {
				return false
			}
		case kindProxy:
			if !f.elem.proxy.isZero(f.elem, e) {
				return false
			}
		default:
			return false
		}
	}
	return true
}
