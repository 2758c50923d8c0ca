package sofab_test

import (
	"encoding/binary"
	"math"
	"reflect"
	"slices"
	"unicode/utf8"
)

// A refDecoder decodes a message that is there as a whole.
type refDecoder struct {
	oracleReader
	open int
	cap  int // most elements where no bound is declared
}

// refDecode decodes data into the struct v.
func refDecode(data []byte, v reflect.Value, limit int) error {
	refReset(v)
	return refMerge(data, v, limit)
}

// refMerge decodes data into the struct v and keeps what is there.
func refMerge(data []byte, v reflect.Value, limit int) error {
	d := &refDecoder{oracleReader: oracleReader{data}, cap: limit}
	return d.structure(v)
}

// head reads a header. It reports whether the scope ends.
func (d *refDecoder) head() (id, typ uint64, end bool, err error) {
	if len(d.rest) == 0 && d.open == 0 {
		return 0, 0, true, nil
	}
	h, err := d.varint()
	if err != nil {
		return 0, 0, false, err
	}
	id, typ = h>>3, h&7
	switch {
	case id > oracleMax, typ == 7 && d.open == 0, typ == 6 && d.open == 255:
		return 0, 0, false, errOracleInvalid
	case typ == 7:
		d.open--
		return 0, 0, true, nil
	case typ == 6:
		d.open++
	}
	return id, typ, false, nil
}

func (d *refDecoder) structure(v reflect.Value) error {
	fields := refFields(v.Type())
	seen := map[uint64]bool{}
	for {
		id, typ, end, err := d.head()
		if err != nil {
			return err
		}
		if end {
			return refMissing(fields, seen, v)
		}
		i := slices.IndexFunc(fields, func(f refField) bool { return f.id == id })
		if i < 0 {
			err = d.skip(typ)
		} else {
			f := fields[i]
			err = d.value(typ, f.typ, f.opts, nil, func() reflect.Value {
				seen[id] = true
				return refLocate(v, f.index)
			})
		}
		if err != nil {
			return err
		}
	}
}

// refMissing is an error if a required field neither arrived now nor in an earlier part
// of the same struct. A struct that is part of it and did not arrive is looked into.
func refMissing(fields []refField, seen map[uint64]bool, v reflect.Value) error {
	for _, f := range fields {
		if seen[f.id] {
			continue
		}
		if len(f.index) == 1 && f.typ.Kind() == reflect.Struct {
			if err := refMissing(refFields(f.typ), nil, v.FieldByIndex(f.index)); err != nil {
				return err
			}
		}
		if !f.opts.has("required") {
			continue
		}
		if at, err := v.FieldByIndexErr(f.index); err != nil || at.Kind() != reflect.Pointer && at.Kind() != reflect.Slice || at.IsNil() {
			return errOracleMissing
		}
	}
	return nil
}

// refLocate is a field; nil embedded pointers on the way are allocated.
func refLocate(v reflect.Value, index []int) reflect.Value {
	for i, n := range index {
		v = v.Field(n)
		if i < len(index)-1 && v.Kind() == reflect.Pointer {
			if v.IsNil() {
				v.Set(reflect.New(v.Type().Elem()))
				refReset(v.Elem())
			}
			v = v.Elem()
		}
	}
	return v
}

// value decodes a field of type t, or skips it. The index of an element of a wrapper is
// judged by admit as soon as the element has proved to be the declared one.
func (d *refDecoder) value(typ uint64, t reflect.Type, o *refOptions, admit func() error, locate func() reflect.Value) error {
	s := refShapeOf(t, o)
	if typ != s.wire {
		return d.skip(typ)
	}
	if admit == nil {
		admit = func() error { return nil }
	}
	target := func() reflect.Value {
		v := locate()
		for v.Kind() == reflect.Pointer {
			if v.IsNil() {
				v.Set(reflect.New(v.Type().Elem()))
				refReset(v.Elem())
			}
			v = v.Elem()
		}
		return v
	}
	switch typ {
	case 0, 1:
		u, err := d.varint()
		if err != nil {
			return err
		}
		return refStore(target(), s, u)
	case 2:
		return d.fixlen(s, o, admit, target)
	case 6:
		if err := admit(); err != nil {
			return err
		}
		if s.wrapper {
			return d.wrapper(s.base, o, target())
		}
		return d.structure(target())
	}
	return d.native(s, o, admit, target)
}

func refStore(v reflect.Value, s refShape, u uint64) error {
	n := int64(u>>1) ^ -int64(u&1)
	switch {
	case v.Kind() == reflect.Bool:
		v.SetBool(u != 0)
		return nil
	case u>>(s.bits-1)>>1 != 0:
		return errOracleInvalid
	case v.CanInt():
		if s.wire == 0 {
			if u > math.MaxInt64 {
				return errOracleInvalid
			}
			n = int64(u)
		}
		if v.OverflowInt(n) {
			return errOracleInvalid
		}
		v.SetInt(n)
		return nil
	}
	if s.wire == 1 {
		if n < 0 {
			return errOracleInvalid
		}
		u = uint64(n)
	}
	if v.OverflowUint(u) {
		return errOracleInvalid
	}
	v.SetUint(u)
	return nil
}

func refStoreFloat(v reflect.Value, raw []byte) {
	switch {
	case len(raw) == 8:
		v.SetFloat(math.Float64frombits(binary.LittleEndian.Uint64(raw)))
	case v.Kind() == reflect.Float32:
		v.Set(reflect.ValueOf(math.Float32frombits(binary.LittleEndian.Uint32(raw))).Convert(v.Type()))
	default:
		v.SetFloat(float64(math.Float32frombits(binary.LittleEndian.Uint32(raw))))
	}
}

// word reads a fixlen word and checks what holds for every field.
func (d *refDecoder) word() (length int, subtype uint64, err error) {
	w, err := d.varint()
	if err != nil {
		return 0, 0, err
	}
	n, sub := w>>3, w&7
	if sub > 3 || sub == 0 && n != 4 || sub == 1 && n != 8 || n > oracleMax {
		return 0, 0, errOracleInvalid
	}
	return int(n), sub, nil
}

func (d *refDecoder) fixlen(s refShape, o *refOptions, admit func() error, target func() reflect.Value) error {
	n, sub, err := d.word()
	if err != nil {
		return err
	}
	if sub != s.subtype {
		_, err = d.bytes(uint64(n))
		return err
	}
	if err := admit(); err != nil {
		return err
	}
	if sub > 1 {
		most := o.number("maxlen")
		if s.base.Kind() == reflect.Array && n != s.base.Len() || most > 0 && n > most {
			return errOracleInvalid
		}
		if s.base.Kind() != reflect.Array && most == 0 && n > refTextLimit {
			return errOracleLimit
		}
	}
	raw, err := d.bytes(uint64(n))
	if err != nil {
		return err
	}
	if sub == 2 && !utf8.Valid(raw) {
		return errOracleInvalid
	}
	v := target()
	switch v.Kind() {
	case reflect.Float32, reflect.Float64:
		refStoreFloat(v, raw)
		return nil
	case reflect.String:
		v.SetString(string(raw))
		return nil
	case reflect.Slice:
		v.SetZero()
		if n > 0 || o.has("presence") {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
		}
	}
	for i := range raw {
		v.Index(i).SetUint(uint64(raw[i]))
	}
	return nil
}

func (d *refDecoder) native(s refShape, o *refOptions, admit func() error, target func() reflect.Value) error {
	n, err := d.varint()
	if err != nil {
		return err
	}
	if n > oracleMax {
		return errOracleInvalid
	}
	var width uint64
	if s.wire == 5 {
		w, err := d.varint()
		switch {
		case err != nil:
			return err
		case w != 32 && w != 65:
			return errOracleInvalid
		case w&7 != s.subtype:
			_, err = d.bytes(n * (w >> 3))
			return err
		}
		width = w >> 3
	}
	if err := admit(); err != nil {
		return err
	}
	count := o.number("count")
	if s.base.Kind() == reflect.Array {
		count = s.base.Len()
	}
	switch {
	case s.base.Kind() == reflect.Array || count > 0:
		if n > uint64(count) {
			return errOracleInvalid
		}
	case n > uint64(d.cap):
		return errOracleLimit
	}
	list := reflect.New(s.base).Elem()
	if s.base.Kind() == reflect.Slice && (n > 0 || o.has("presence")) {
		list.Set(reflect.MakeSlice(s.base, int(n), int(n)))
	}
	elem := refShapeOf(s.base.Elem(), o.inner())
	for i := range int(n) {
		e := list.Index(i)
		for e.Kind() == reflect.Pointer {
			e.Set(reflect.New(e.Type().Elem()))
			e = e.Elem()
		}
		if s.wire == 5 {
			raw, err := d.bytes(width)
			if err != nil {
				return err
			}
			refStoreFloat(e, raw)
			continue
		}
		u, err := d.varint()
		if err != nil {
			return err
		}
		if err := refStore(e, elem, u); err != nil {
			return err
		}
	}
	target().Set(list)
	return nil
}

func (d *refDecoder) wrapper(t reflect.Type, o *refOptions, v reflect.Value) error {
	if t.Kind() == reflect.Array {
		refReset(v)
	} else {
		v.SetZero()
		if o.has("presence") {
			v.Set(reflect.MakeSlice(t, 0, 0))
		}
	}
	came := map[uint64]bool{}
	for {
		id, typ, end, err := d.head()
		if err == nil && end {
			err = refMissingInGaps(v, came)
		}
		if err != nil || end {
			return err
		}
		admit := func() error {
			count := o.number("count")
			switch {
			case t.Kind() == reflect.Array && id >= uint64(t.Len()), count > 0 && id >= uint64(count):
				return errOracleInvalid
			case t.Kind() == reflect.Slice && count == 0 && id >= uint64(d.cap):
				return errOracleLimit
			}
			return nil
		}
		err = d.value(typ, t.Elem(), o.inner(), admit, func() reflect.Value {
			came[id] = true
			for t.Kind() == reflect.Slice && uint64(v.Len()) <= id {
				e := reflect.New(t.Elem()).Elem()
				refReset(e)
				v.Set(reflect.Append(v, e))
			}
			return v.Index(int(id))
		})
		if err != nil {
			return err
		}
	}
}

// refMissingInGaps is refMissing for the elements that did not arrive.
func refMissingInGaps(v reflect.Value, came map[uint64]bool) error {
	for i := range v.Len() {
		if e := v.Index(i); e.Kind() == reflect.Struct && !came[uint64(i)] {
			if err := refMissing(refFields(e.Type()), nil, e); err != nil {
				return err
			}
		}
	}
	return nil
}

// skip steps over the field whose header was read.
func (d *refDecoder) skip(typ uint64) error {
	var n node
	n.typ = typ
	switch typ {
	case 0, 1:
		_, err := d.varint()
		return err
	case 2:
		return d.oracleReader.fixlen(&n)
	case 6:
		for {
			_, inner, end, err := d.head()
			if err != nil || end {
				return err
			}
			if err := d.skip(inner); err != nil {
				return err
			}
		}
	}
	return d.array(&n)
}
