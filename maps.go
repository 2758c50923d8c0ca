package sofab

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/sofab-go/sofab/tags"
	"github.com/sofab-go/sofab/wire"
)

// mapping fills the form of a map. Its stand-in is a slice of entries, sorted by key,
// each a struct with the key at id 0 and the value at id 1 (section 3.1):
//
//	array of { 0 key, 1 value }
//
// An entry at its default, which is that of the zero key with the zero value, is a gap
// on the wire unless it is the last one, as in any array of structs; so a gap reads as
// exactly that entry.
func (c *compiler) mapping(f *form, t reflect.Type, o *tags.Options, s site) bool {
	if !c.fits(o, "M", t, s) {
		return false
	}
	if pos := o.Key.Pos("presence"); pos >= 0 {
		c.fault(s, pos, "\"key.presence\": the key of a map has no presence")
		return false
	}
	entryType := reflect.StructOf([]reflect.StructField{{Name: "Key", Type: t.Key()}, {Name: "Value", Type: t.Elem()}})
	if t == reflect.TypeFor[map[string]any]() {
		entryType = reflect.TypeFor[dictEntry]()
	}
	entries := c.newForm(reflect.SliceOf(entryType), kindWrapper, wire.SequenceStart)
	entries.count, entries.presence, entries.scratch = o.Count, o.Presence, true
	entries.elem = c.newForm(entryType, kindStruct, wire.SequenceStart)
	entries.elem.allocatable()
	entries.elem.table = &table{typ: entryType, plain: true}
	// The form can be met again while its key and value are compiled.
	f.kind, f.wire, f.count = kindProxy, wire.SequenceStart, o.Count
	f.proxy = &proxy{form: entries, load: loadMap, store: storeMap, isZero: isZeroMap, isNil: isNilWord, clear: closeEntries, explain: nameEntry}
	if entryType == reflect.TypeFor[dictEntry]() {
		f.proxy.load, f.proxy.store, f.proxy.clear = loadDict, storeDict, closeDict
	}
	key, value := c.form(t.Key(), o.Key, s), c.form(t.Elem(), o.Val, s)
	if key == nil || value == nil {
		return false
	}
	entries.elem.table.rows = []row{
		{id: 0, name: "key", offset: entryType.Field(0).Offset, form: key},
		{id: 1, offset: entryType.Field(1).Offset, form: value, presence: o.Val != nil && o.Val.Presence && value.isNeverNil()},
	}
	entries.elem.table.index()
	c.own = append(c.own, entries.elem.table)
	c.keys = append(c.keys, mapKey{key, s})
	return true
}

// A mapKey is the key of a map, to be judged when its form is complete.
type mapKey struct {
	form *form
	site site
}

// checkKeys reports the keys of maps that are none on the wire: keys are compared, so
// that their order and their identity must follow from what is written.
func (c *compiler) checkKeys() {
	for _, k := range c.keys {
		if why := k.form.notKey(); why != "" {
			c.fault(k.site, -1, "%stype %v cannot be the key of a map: %s", k.site.subject(), k.form.typ, why)
		}
	}
}

// notKey is why values of the form are no keys, "" if they are.
func (f *form) notKey() string {
	const keys = "a key is an integer, bool, string, float, [N]byte, a struct of these, or a type with MarshalText"
	switch f.typ.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Chan:
		return keys
	}
	switch f.kind {
	case kindBool, kindInteger, kindFloat32, kindFloat64, kindNarrowFloat, kindString, kindByteArray:
		return ""
	case kindNativeArray:
		if f.elem.goKind == reflect.Uint8 {
			return ""
		}
	case kindStruct:
		return f.table.notKey()
	case kindProxy:
		if f.proxy.form.isKeyStandIn() {
			return ""
		}
	}
	return keys
}

// notKey is why the structs are no keys.
func (t *table) notKey() string {
	for i := range t.rows {
		if why := t.rows[i].form.notKey(); why != "" {
			return "field " + t.rows[i].name + ": " + why
		}
	}
	if !t.plain {
		return "it has fields that are not on the wire, so that two keys could become one"
	}
	return ""
}

// isKeyStandIn reports whether keys can be compared by stand-ins of this form.
func (f *form) isKeyStandIn() bool {
	switch f.kind {
	case kindBytes:
		return true
	case kindPointer:
		return f.elem.isKeyStandIn()
	case kindStruct:
		for i := range f.table.rows {
			if !f.table.rows[i].form.isKeyStandIn() {
				return false
			}
		}
		return true
	case kindProxy:
		return f.proxy.form.isKeyStandIn()
	}
	return f.notKey() == ""
}

// isZeroMap reports whether a map is absent on the wire.
func isZeroMap(f *form, value pointer) bool {
	return isNilWord(value) || !f.presence && value.value(f.typ).Len() == 0
}

// isNilWord reports whether a map, slice, interface or pointer is nil.
func isNilWord(value pointer) bool { return value.load().isNil() }

// isNilValue is isNilWord for a proxy.
func isNilValue(_ *form, value pointer) bool { return isNilWord(value) }

// keyOf is the form of the keys of a map.
func (f *form) keyOf() *form { return f.proxy.form.elem.table.rows[0].form }

// loadMap fills the stand-in with the entries of a map, sorted by key. It reads the map
// through reflection, so that a map that is changed meanwhile ends in the error of Go's
// own maps.
func loadMap(f *form, value, standIn pointer) error {
	m, entries := value.value(f.typ), standIn.value(f.proxy.form.typ)
	n := m.Len()
	if n == 0 {
		if !m.IsNil() && entries.IsNil() {
			entries.Set(reflect.MakeSlice(entries.Type(), 0, 1))
		}
		return nil
	}
	w := mapWorks.Get().(*mapWork)
	entries.Grow(n + 1) // and one to sort with
	entries.SetLen(n)
	w.iter.Reset(m)
	i := 0
	for ; i < n && w.iter.Next(); i++ {
		entry := entries.Index(i)
		entry.Field(0).SetIterKey(&w.iter)
		entry.Field(1).SetIterValue(&w.iter)
	}
	entries.SetLen(i)
	err := w.sort(f, entries, standIn.slice())
	w.release()
	if err == errNaNKey {
		err = &UnsupportedValueError{Value: m, Str: errNaNKey.Error()}
	}
	return err
}

// closeEntries gives the entries of a map back. Their memory is kept for the next map
// unless it is large.
func closeEntries(entries *form, standIn pointer) {
	s := standIn.slice()
	if uintptr(s.cap)*entries.elem.size > maxKeptScratch {
		s.clear()
		return
	}
	standIn.value(entries.typ).Clear()
	s.len = 0
}

// A mapWork is what it takes to sort entries. Keys are extracted into one of the lists,
// in the order of the entries; sorting the list gives the order of the entries.
type mapWork struct {
	iter     reflect.MapIter
	integers []rankedInteger
	strings  []rankedString
	order    []int // indexes of the entries, as they have to stand
}

type rankedInteger struct {
	key   uint64
	index int
}

type rankedString struct {
	key   string
	index int
}

var mapWorks = sync.Pool{New: func() any { return new(mapWork) }}

// maxKeptKeys is how many keys there is room for in a mapWork that is kept.
const maxKeptKeys = 4 << 10

// release gives w back without what it refers to.
func (w *mapWork) release() {
	w.iter.Reset(reflect.Value{})
	clear(w.strings)
	w.integers, w.strings, w.order = w.integers[:0], w.strings[:0], w.order[:0]
	if max(cap(w.integers), cap(w.strings), cap(w.order)) > maxKeptKeys {
		*w = mapWork{}
	}
	mapWorks.Put(w)
}

// sort sorts the entries of a map by key: numbers by value, false before true, strings
// and bytes bytewise, structs field by field in the order of ids, keys with a text by
// their text.
func (w *mapWork) sort(f *form, entries reflect.Value, s *sliceHeader) error {
	key := f.keyOf()
	size := f.proxy.form.elem.size
	var err error
	switch target := key.behind(); {
	case key.kind == kindBool, key.kind == kindInteger, key.isFloat():
		err = w.rankIntegers(key, s, size)
	case target.kind == kindString, target.kind == kindBytes:
		err = w.rankStrings(key, s, size)
	default:
		err = w.rankOthers(key, s, size)
	}
	if err == nil {
		arrange(entries, w.order)
	}
	return err
}

func (f *form) isFloat() bool {
	return f.kind == kindFloat32 || f.kind == kindFloat64 || f.kind == kindNarrowFloat
}

// rankIntegers orders entries by keys that are numbers.
func (w *mapWork) rankIntegers(key *form, s *sliceHeader, size uintptr) error {
	for i := range s.len {
		u, err := numberRank(key, s.index(i, size))
		if err != nil {
			return err
		}
		w.integers = append(w.integers, rankedInteger{u, i})
	}
	slices.SortFunc(w.integers, func(a, b rankedInteger) int { return cmp.Compare(a.key, b.key) })
	for _, r := range w.integers {
		w.order = append(w.order, r.index)
	}
	return nil
}

// errNaNKey is the fault of a NaN as the key of a map: it is no key, because it does
// not equal itself.
var errNaNKey = errors.New("NaN cannot be the key of a map")

// numberRank maps a number to an unsigned one in the same order.
func numberRank(f *form, p pointer) (uint64, error) {
	const sign = 1 << 63
	switch f.kind {
	case kindBool:
		return uint64(wire.BoolByte(*at[bool](p))), nil
	case kindInteger:
		u, _ := loadInteger(f, p)
		if f.wire == wire.Signed {
			u = uint64(wire.Unzigzag(u))
		}
		if f.goKind >= reflect.Int && f.goKind <= reflect.Int64 {
			u ^= sign
		}
		return u, nil
	}
	v := 0.0
	if f.kind == kindFloat32 {
		v = float64(*at[float32](p))
	} else {
		v = *at[float64](p)
	}
	if v != v {
		return 0, errNaNKey
	}
	u := math.Float64bits(v + 0) // −0 + 0 is 0
	if u&sign != 0 {
		return ^u, nil
	}
	return u | sign, nil
}

// rankStrings orders entries by keys that are strings or stand as strings or blobs.
func (w *mapWork) rankStrings(key *form, s *sliceHeader, size uintptr) error {
	for i := range s.len {
		text, err := keyText(key, s.index(i, size))
		if err != nil {
			return err
		}
		w.strings = append(w.strings, rankedString{text, i})
	}
	slices.SortFunc(w.strings, func(a, b rankedString) int { return strings.Compare(a.key, b.key) })
	for i, r := range w.strings {
		if i > 0 && r.key == w.strings[i-1].key {
			return sameKey(key, s.index(r.index, size))
		}
		w.order = append(w.order, r.index)
	}
	return nil
}

// keyText is the string or blob that a key stands as.
func keyText(f *form, p pointer) (text string, err error) {
	switch f.kind {
	case kindString:
		return *at[string](p), nil
	case kindBytes:
		return string(*at[[]byte](p)), nil
	}
	err = f.proxy.with(f, p, func(f *form, p pointer) (err error) {
		text, err = keyText(f, p)
		return err
	})
	return text, err
}

// rankOthers orders entries by comparing their keys in place.
func (w *mapWork) rankOthers(key *form, s *sliceHeader, size uintptr) error {
	var err error
	compare := func(i, j int) int {
		n, fault := compareKeys(key, s.index(i, size), s.index(j, size))
		if fault != nil {
			err = fault
		}
		return n
	}
	for i := range s.len {
		compare(i, i) // finds a NaN, also in the only entry
		w.order = append(w.order, i)
	}
	slices.SortFunc(w.order, compare)
	for i := 1; i < len(w.order) && err == nil; i++ {
		if compare(w.order[i-1], w.order[i]) == 0 {
			err = sameKey(key, s.index(w.order[i], size))
		}
	}
	return err
}

// sameKey is the error of two keys of a map that are one on the wire.
func sameKey(f *form, p pointer) error {
	v := p.value(f.typ)
	return &UnsupportedValueError{Value: v, Str: fmt.Sprintf("two keys are the same on the wire: %v", v)}
}

// compareKeys compares two keys as they stand on the wire.
func compareKeys(f *form, a, b pointer) (int, error) {
	switch f.kind {
	case kindString:
		return strings.Compare(*at[string](a), *at[string](b)), nil
	case kindBytes:
		return bytes.Compare(*at[[]byte](a), *at[[]byte](b)), nil
	case kindByteArray, kindNativeArray:
		return bytes.Compare(elements[byte](a, f.length), elements[byte](b, f.length)), nil
	case kindStruct:
		for i := range f.table.rows {
			r := &f.table.rows[i]
			if n, err := compareKeys(r.form, a.add(r.offset), b.add(r.offset)); n != 0 || err != nil {
				return n, err
			}
		}
		return 0, nil
	case kindPointer:
		if a, b = a.load(), b.load(); a.isNil() || b.isNil() {
			return cmp.Compare(wire.BoolByte(!a.isNil()), wire.BoolByte(!b.isNil())), nil
		}
		return compareKeys(f.elem, a, b)
	case kindProxy:
		return compareStandIns(f, a, b)
	}
	x, err := numberRank(f, a)
	if err != nil {
		return 0, err
	}
	y, err := numberRank(f, b)
	return cmp.Compare(x, y), err
}

// compareStandIns compares two keys by their stand-ins. One at its default comes first.
func compareStandIns(f *form, a, b pointer) (n int, err error) {
	if x, y := f.proxy.isZero(f, a), f.proxy.isZero(f, b); x || y {
		return cmp.Compare(wire.BoolByte(!x), wire.BoolByte(!y)), nil
	}
	err = f.proxy.with(f, a, func(_ *form, a pointer) error {
		return f.proxy.with(f, b, func(standIn *form, b pointer) (err error) {
			n, err = compareKeys(standIn, a, b)
			return err
		})
	})
	return n, err
}

// arrange moves entries so that the i-th is the one that was at order[i]. The slice has
// room for one more, and order is used up.
func arrange(entries reflect.Value, order []int) {
	n := len(order)
	entries.SetLen(n + 1)
	spare := entries.Index(n)
	for i := range order {
		if order[i] == i {
			continue
		}
		spare.Set(entries.Index(i))
		at := i
		for from := order[at]; from != i; from = order[at] {
			entries.Index(at).Set(entries.Index(from))
			order[at] = at
			at = from
		}
		entries.Index(at).Set(spare)
		order[at] = at
	}
	spare.SetZero()
	entries.SetLen(n)
}

// nameEntry puts the key of an entry into the path of an error, in place of its index:
// the sender has no use for the position among the sorted keys.
func nameEntry(f *form, standIn pointer, err error) error {
	e, ok := err.(errorWithPath)
	if !ok {
		return err
	}
	path := e.path()
	digits, rest, ok := strings.Cut(strings.TrimPrefix(*path, "["), "]")
	i, fault := strconv.Atoi(digits)
	s := standIn.slice()
	if !ok || fault != nil || i >= s.len {
		return err
	}
	*path = "[" + keyName(s.index(i, f.proxy.form.elem.size).value(f.keyOf().typ)) + "]" + rest
	return err
}

// keyName is a key as it is shown in a path.
func keyName(v reflect.Value) string {
	if v.Kind() == reflect.String {
		return strconv.Quote(v.String())
	}
	return fmt.Sprint(v)
}

// storeMap sets a map from its entries. The map is made at once, when all of them have
// arrived; of two entries with one key the later one wins. With the option Merge the
// entries go into the map that is there.
func storeMap(d *decodeState, f *form, value, standIn pointer) error {
	m, entries := value.value(f.typ), standIn.value(f.proxy.form.typ)
	merge := d.options.merge && !m.IsNil()
	n := entries.Len()
	if n == 0 && !f.presence {
		if !merge {
			m.SetZero()
		}
		return nil
	}
	if !d.charge(mapSize(n, int64(f.proxy.form.elem.size))) {
		return d.fault
	}
	key := f.keyOf()
	checked := key.isFloat() || key.kind == kindStruct // may be NaN
	fresh := reflect.MakeMapWithSize(f.typ, n)
	for i := range n {
		entry := entries.Index(i)
		if checked {
			if _, err := compareKeys(key, pointerOf(entry), pointerOf(entry)); err != nil {
				return within(d.refuse("%v", err), indexed(i))
			}
		}
		fresh.SetMapIndex(entry.Field(0), entry.Field(1))
		if d.options.strict && fresh.Len() <= i {
			return within(d.refuse("the key %s arrived before", keyName(entry.Field(0))), indexed(i))
		}
	}
	if !merge {
		m.Set(fresh)
		return nil
	}
	for entry := fresh.MapRange(); entry.Next(); {
		m.SetMapIndex(entry.Key(), entry.Value())
	}
	return nil
}

// mapSize is about how many bytes a map of n entries takes: the tables of a map are up to
// half empty.
func mapSize(n int, entry int64) int64 { return int64(n) * (2*entry + 16) }

// A dictEntry is an entry of a map[string]any. That type is what dynamic values consist
// of, and goes without reflection; BenchmarkAny pays for it.
type dictEntry struct {
	Key   string
	Value any
}

// loadDict is loadMap for map[string]any.
func loadDict(_ *form, value, standIn pointer) error {
	m, entries := *at[map[string]any](value), at[[]dictEntry](standIn)
	list := (*entries)[:0]
	if list == nil && m != nil {
		list = make([]dictEntry, 0, len(m))
	}
	for key, v := range m {
		list = append(list, dictEntry{key, v})
	}
	slices.SortFunc(list, func(a, b dictEntry) int { return strings.Compare(a.Key, b.Key) })
	*entries = list
	return nil
}

// closeDict is closeEntries for map[string]any.
func closeDict(entries *form, standIn pointer) {
	list := at[[]dictEntry](standIn)
	clear(*list)
	*list = (*list)[:0]
	if uintptr(cap(*list))*entries.elem.size > maxKeptScratch {
		*list = nil
	}
}

// storeDict is storeMap for map[string]any.
func storeDict(d *decodeState, f *form, value, standIn pointer) error {
	m, list := at[map[string]any](value), *at[[]dictEntry](standIn)
	merge := d.options.merge && *m != nil
	if len(list) == 0 && !f.presence {
		if !merge {
			*m = nil
		}
		return nil
	}
	if !d.charge(mapSize(len(list), int64(f.proxy.form.elem.size))) {
		return d.fault
	}
	fresh := make(map[string]any, len(list))
	for i := range list {
		fresh[list[i].Key] = list[i].Value
		if d.options.strict && len(fresh) <= i {
			return within(d.refuse("the key %q arrived before", list[i].Key), indexed(i))
		}
	}
	if !merge {
		*m = fresh
		return nil
	}
	maps.Copy(*m, fresh)
	return nil
}
