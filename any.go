package sofab

import (
	"fmt"
	"math"
	"reflect"

	"github.com/sofab-go/sofab/tags"
	"github.com/sofab-go/sofab/wire"
)

// anyValue stands for a value of type any: a union whose arms are the types that
// decoding gives. Which arm is set does not depend on the value, only on its type:
//
//	0 u64   1 i64   2 boolean   3 fp64   4 string   5 blob   6 fp32
//	7 array of Value   8 array of { 0 string key, 1 Value }
//	9 array of u64   10 array of i64   11 array of fp64   12 array of fp32
//
// The arm that is set is always written, so that 0, "" and false keep their type, and
// an empty list or map is an explicitly empty array. A nil any is absent.
type anyValue struct {
	arm uint8 // 1 + the id of the arm that is set, 0 for none

	u64  uint64
	i64  int64
	bool bool
	f64  float64
	text string
	blob []byte
	f32  float32
	list []any
	dict map[string]any
	u64s []uint64
	i64s []int64
	f64s []float64
	f32s []float32
}

// The values of anyValue.arm.
const (
	anyUint64 = iota + 1
	anyInt64
	anyBool
	anyFloat64
	anyString
	anyBytes
	anyFloat32
	anyList
	anyMap
	anyUint64s
	anyInt64s
	anyFloat64s
	anyFloat32s
)

// anything fills the form of any, or of another interface type without methods.
func (c *compiler) anything(f *form, t reflect.Type, s site) bool {
	standIn := c.newForm(reflect.TypeFor[anyValue](), kindStruct, wire.SequenceStart)
	standIn.table = &table{typ: standIn.typ, plain: true, arms: &arms{numbered: true}}
	// The form is met again in the arms.
	f.kind, f.wire = kindProxy, wire.SequenceStart
	f.proxy = &proxy{form: standIn, load: loadAny, store: storeAny, resume: resumeAny, reset: resetAny, isZero: isNilValue, clear: clearAny}
	for i := range anyFloat32s {
		field := standIn.typ.Field(i + 1)
		arm := c.form(field.Type, &tags.Options{Presence: true}, s)
		if arm == nil {
			return false
		}
		standIn.table.rows = append(standIn.table.rows, row{id: wire.ID(i), offset: field.Offset, form: arm})
	}
	standIn.table.index()
	c.own = append(c.own, standIn.table)
	return true
}

// heldByAny fills the form of []any or map[string]any as a message: that of an any that
// holds it, so that Marshal of what is in an any, which does not see the any, writes
// what Unmarshal into an any reads.
func (c *compiler) heldByAny(t reflect.Type, s site) *form {
	f := c.newForm(t, kindProxy, wire.SequenceStart)
	f.proxy = &proxy{form: c.form(reflect.TypeFor[any](), nil, s), load: loadHeld, store: storeHeld, isZero: isNilValue}
	return f
}

func loadHeld(f *form, value, standIn pointer) error {
	*at[any](standIn) = value.value(f.typ).Interface()
	return nil
}

// storeHeld sets the value to what arrived. Another arm than that of the type is
// skipped.
func storeHeld(d *decodeState, f *form, value, standIn pointer) error {
	v, target := reflect.ValueOf(*at[any](standIn)), value.value(f.typ)
	switch {
	case !v.IsValid():
		target.SetZero()
	case v.Type() == f.typ:
		target.Set(v)
	default:
		return d.notAssigned(target, v.Interface())
	}
	return nil
}

// sourceOf is the value that is marshalled for v: v itself, or if that points to an any
// with a pointer or struct in it, that.
func sourceOf(v any) any { return throughAny(v, reflect.Pointer, reflect.Struct) }

// targetOf is the pointer to what is decoded into for v: v itself, or if that points to
// an any with a pointer in it, that.
func targetOf(v any) any { return throughAny(v, reflect.Pointer, reflect.Pointer) }

// throughAny follows pointers to any as long as what is in the any is of one of two
// kinds. Pointers in a circle are not followed for ever.
func throughAny(v any, a, b reflect.Kind) any {
	for range wire.MaxDepth {
		p, ok := v.(*any)
		if !ok || p == nil {
			break
		}
		if k := reflect.ValueOf(*p).Kind(); k != a && k != b {
			break
		}
		v = *p
	}
	return v
}

// set sets the arm for what v holds. It takes no copy of it, unless it has to be
// converted.
func (x *anyValue) set(v any) error {
	switch v := v.(type) {
	case nil:
	case string:
		x.arm, x.text = anyString, v
	case float64:
		x.arm, x.f64 = anyFloat64, v
	case bool:
		x.arm, x.bool = anyBool, v
	case int:
		x.arm, x.i64 = anyInt64, int64(v)
	case int64:
		x.arm, x.i64 = anyInt64, v
	case uint64:
		x.arm, x.u64 = anyUint64, v
	case float32:
		x.arm, x.f32 = anyFloat32, v
	case map[string]any:
		if v != nil {
			x.arm, x.dict = anyMap, v
		}
	case []any:
		if v != nil {
			x.arm, x.list = anyList, v
		}
	case []byte:
		if v != nil {
			x.arm, x.blob = anyBytes, v
		}
	case []uint64:
		if v != nil {
			x.arm, x.u64s = anyUint64s, v
		}
	case []int64:
		if v != nil {
			x.arm, x.i64s = anyInt64s, v
		}
	case []float64:
		if v != nil {
			x.arm, x.f64s = anyFloat64s, v
		}
	case []float32:
		if v != nil {
			x.arm, x.f32s = anyFloat32s, v
		}
	default:
		return x.setOther(reflect.ValueOf(v))
	}
	return nil
}

// setOther sets the arm for a value of another type by its kind: a named type as the
// unnamed one, narrow integers as wide ones, a list or map of other values as a list or
// map of any, a pointer as what it points to.
func (x *anyValue) setOther(v reflect.Value) error {
	for hops := 0; v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface; hops++ {
		if v.IsNil() {
			return nil
		}
		if hops == wire.MaxDepth {
			return &UnsupportedValueError{Value: v, Str: "more than 255 pointers deep; does the value contain itself?"}
		}
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.Bool:
		x.arm, x.bool = anyBool, v.Bool()
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		x.arm, x.i64 = anyInt64, v.Int()
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		x.arm, x.u64 = anyUint64, v.Uint()
	case reflect.Float32:
		x.arm, x.f32 = anyFloat32, v.Convert(reflect.TypeFor[float32]()).Interface().(float32)
	case reflect.Float64:
		x.arm, x.f64 = anyFloat64, v.Float()
	case reflect.String:
		x.arm, x.text = anyString, v.String()
	case reflect.Slice:
		if v.IsNil() {
			return nil
		}
		x.setList(v)
	case reflect.Array:
		x.setList(v)
	case reflect.Map:
		if v.Type().Key().Kind() != reflect.String {
			return &UnsupportedValueError{Value: v, Str: fmt.Sprintf("a %v in an any has keys that are no strings; use a field of that type", v.Type())}
		}
		if !v.IsNil() {
			x.arm, x.dict = anyMap, dictOf(v)
		}
	default:
		return &UnsupportedValueError{Value: v, Str: fmt.Sprintf("type %v has no place in an any; use a field of that type, or of an interface registered with RegisterUnion", v.Type())}
	}
	return nil
}

// setList sets the arm for a slice or array.
func (x *anyValue) setList(v reflect.Value) {
	n := v.Len()
	switch v.Type().Elem().Kind() {
	case reflect.Uint8:
		x.arm, x.blob = anyBytes, make([]byte, n)
		for i := range n {
			x.blob[i] = byte(v.Index(i).Uint())
		}
	case reflect.Uint, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		x.arm, x.u64s = anyUint64s, make([]uint64, n)
		for i := range n {
			x.u64s[i] = v.Index(i).Uint()
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		x.arm, x.i64s = anyInt64s, make([]int64, n)
		for i := range n {
			x.i64s[i] = v.Index(i).Int()
		}
	case reflect.Float64:
		x.arm, x.f64s = anyFloat64s, make([]float64, n)
		for i := range n {
			x.f64s[i] = v.Index(i).Float()
		}
	case reflect.Float32:
		x.arm, x.f32s = anyFloat32s, make([]float32, n)
		for i := range n {
			x.f32s[i] = v.Index(i).Convert(reflect.TypeFor[float32]()).Interface().(float32)
		}
	default:
		x.arm, x.list = anyList, make([]any, n)
		for i := range n {
			x.list[i] = v.Index(i).Interface()
		}
	}
}

// dictOf is a string-keyed map with values of type any.
func dictOf(v reflect.Value) map[string]any {
	if t := reflect.TypeFor[map[string]any](); v.CanConvert(t) {
		return v.Convert(t).Interface().(map[string]any)
	}
	dict := make(map[string]any, v.Len())
	for entry := v.MapRange(); entry.Next(); {
		dict[entry.Key().String()] = entry.Value().Interface()
	}
	return dict
}

// get is the value of the arm that is set, nil if none is.
func (x *anyValue) get() any {
	switch x.arm {
	case anyUint64:
		return x.u64
	case anyInt64:
		return x.i64
	case anyBool:
		return x.bool
	case anyFloat64:
		return x.f64
	case anyString:
		return x.text
	case anyBytes:
		return x.blob
	case anyFloat32:
		return x.f32
	case anyList:
		return x.list
	case anyMap:
		return x.dict
	case anyUint64s:
		return x.u64s
	case anyInt64s:
		return x.i64s
	case anyFloat64s:
		return x.f64s
	case anyFloat32s:
		return x.f32s
	}
	return nil
}

// clearAny forgets the arm that is set; the others are zero.
func clearAny(_ *form, standIn pointer) {
	x := at[anyValue](standIn)
	switch x.arm {
	case anyString:
		x.text = ""
	case anyBytes:
		x.blob = nil
	case anyList:
		x.list = nil
	case anyMap:
		x.dict = nil
	case anyUint64s:
		x.u64s = nil
	case anyInt64s:
		x.i64s = nil
	case anyFloat64s:
		x.f64s = nil
	case anyFloat32s:
		x.f32s = nil
	}
	x.arm, x.u64, x.i64, x.bool, x.f64, x.f32 = 0, 0, 0, false, 0, 0
}

func loadAny(_ *form, value, standIn pointer) error {
	return at[anyValue](standIn).set(*at[any](value))
}

// resumeAny loads what a union that is opened again continues. A value that was not
// decoded, which the option Merge can meet, may have no arm.
func resumeAny(_ *decodeState, _ *form, value, standIn pointer) error {
	v := *at[any](value)
	if _, held := heldTarget(v); !held {
		_ = at[anyValue](standIn).set(v)
	}
	return nil
}

// boxSize is what an interface allocates for a value at most.
const boxSize = 24

// storeAny sets an any to the arm that arrived, or what a pointer in it points to.
func storeAny(d *decodeState, _ *form, value, standIn pointer) error {
	x, v := at[anyValue](standIn), at[any](value)
	if target, held := heldTarget(*v); held {
		if x.arm == 0 {
			return nil
		}
		return d.assign(target, x.get())
	}
	if !d.charge(boxSize) {
		return d.fault
	}
	*v = x.get()
	return nil
}

// heldTarget is what a non-nil pointer in v points to in the end: a value is decoded
// into it instead of replacing the pointer. Pointers that lead in a circle lead
// nowhere.
func heldTarget(v any) (reflect.Value, bool) {
	if v == nil {
		return reflect.Value{}, false
	}
	target := reflect.ValueOf(v)
	if target.Kind() != reflect.Pointer || target.IsNil() {
		return reflect.Value{}, false
	}
	for range wire.MaxDepth {
		switch {
		case target.Kind() == reflect.Pointer && !target.IsNil():
		case target.Kind() == reflect.Interface && target.Elem().Kind() == reflect.Pointer && !target.Elem().IsNil():
		default:
			return target, true
		}
		target = target.Elem()
	}
	return reflect.Value{}, false
}

// resetAny sets an any to nil, or what a pointer in it points to to zero.
func resetAny(_ *decodeState, _ *form, value pointer) {
	v := at[any](value)
	target, held := heldTarget(*v)
	switch {
	case !held:
		*v = nil
	case isAnyKind(target.Kind()):
		target.SetZero()
	}
}

// isAnyKind reports whether a value of the kind can be decoded into through a pointer
// in an any.
func isAnyKind(k reflect.Kind) bool {
	switch k {
	case reflect.Bool, reflect.String, reflect.Slice, reflect.Array, reflect.Map, reflect.Interface, reflect.Pointer:
		return true
	}
	return reflect.Int <= k && k <= reflect.Float64 && k != reflect.Uintptr
}

// assign sets a Go value, which a pointer in an any points to, from a decoded one: the
// same type of another name or width, a list of values that can be assigned in turn, a
// map of them. A number must fit. A value of another type is skipped like a field that
// arrives with another type.
func (d *decodeState) assign(target reflect.Value, v any) error {
	if v == nil {
		target.SetZero()
		return nil
	}
	switch target.Kind() {
	case reflect.Pointer:
		if !d.charge(int64(target.Type().Elem().Size())) {
			return d.fault
		}
		target.Set(reflect.New(target.Type().Elem()))
		return d.assign(target.Elem(), v)
	case reflect.Interface:
		if target.NumMethod() == 0 {
			target.Set(reflect.ValueOf(v))
			return nil
		}
	case reflect.Slice, reflect.Array:
		if source := reflect.ValueOf(v); source.Kind() == reflect.Slice {
			return d.assignList(target, source)
		}
	case reflect.Map:
		if dict, ok := v.(map[string]any); ok && target.Type().Key().Kind() == reflect.String {
			return d.assignMap(target, dict)
		}
	}
	return d.assignScalar(target, v)
}

// assignScalar assigns a number, boolean or string.
func (d *decodeState) assignScalar(target reflect.Value, v any) error {
	switch v := v.(type) {
	case uint64:
		if target.CanUint() && target.Kind() != reflect.Uintptr {
			if target.OverflowUint(v) {
				e := &BoundError{Offset: d.headAt, Bound: fmt.Sprintf("u%d", target.Type().Bits()), Limit: math.MaxInt64}
				if target.Type().Bits() < 64 {
					e.Limit = 1<<target.Type().Bits() - 1
				}
				e.setGot(v)
				return e
			}
			target.SetUint(v)
			return nil
		}
	case int64:
		if target.CanInt() {
			if target.OverflowInt(v) {
				return &BoundError{Offset: d.headAt, Bound: fmt.Sprintf("i%d", target.Type().Bits()), Limit: 1<<(target.Type().Bits()-1) - 1, Got: v}
			}
			target.SetInt(v)
			return nil
		}
	case bool:
		if target.Kind() == reflect.Bool {
			target.SetBool(v)
			return nil
		}
	case float64:
		if target.Kind() == reflect.Float64 {
			target.SetFloat(v)
			return nil
		}
	case float32:
		if target.Kind() == reflect.Float32 {
			target.Set(reflect.ValueOf(v).Convert(target.Type()))
			return nil
		}
	case string:
		if target.Kind() == reflect.String {
			target.SetString(v)
			return nil
		}
	}
	return d.notAssigned(target, v)
}

// notAssigned is what becomes of a value of another type than the pointer's.
func (d *decodeState) notAssigned(target reflect.Value, v any) error {
	d.skipped++
	if !d.options.strict && isAnyKind(target.Kind()) {
		return nil
	}
	return &UnmarshalTypeError{
		Value: "any of " + reflect.TypeOf(v).String(), Type: target.Type(), Offset: d.headAt, Field: d.path(), ID: d.p.ID(),
	}
}

// assignList assigns the elements of a decoded slice.
func (d *decodeState) assignList(target, source reflect.Value) error {
	n := source.Len()
	switch {
	case source.Type().Elem().Kind() == reflect.Uint8 && target.Type().Elem().Kind() != reflect.Uint8,
		target.Kind() == reflect.Array && n > target.Len():
		return d.notAssigned(target, source.Interface())
	case target.Kind() == reflect.Array:
		target.SetZero()
	case source.CanConvert(target.Type()):
		target.Set(source.Convert(target.Type()))
		return nil
	default:
		if !d.charge(int64(n) * int64(target.Type().Elem().Size())) {
			return d.fault
		}
		target.Set(reflect.MakeSlice(target.Type(), n, n))
	}
	for i := range n {
		v := source.Index(i).Interface()
		if b, ok := v.(byte); ok {
			v = uint64(b)
		}
		if err := d.assign(target.Index(i), v); err != nil {
			return within(err, indexed(i))
		}
	}
	return nil
}

// assignMap assigns the entries of a decoded map.
func (d *decodeState) assignMap(target reflect.Value, source map[string]any) error {
	t := target.Type()
	if !d.charge(mapSize(len(source), int64(t.Key().Size()+t.Elem().Size()))) {
		return d.fault
	}
	target.Set(reflect.MakeMapWithSize(t, len(source)))
	for key, v := range source {
		value := reflect.New(t.Elem()).Elem()
		if err := d.assign(value, v); err != nil {
			return within(err, "["+fmt.Sprintf("%q", key)+"]")
		}
		target.SetMapIndex(reflect.ValueOf(key).Convert(t.Key()), value)
	}
	return nil
}
