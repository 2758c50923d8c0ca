package sofab_test

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/sofab-go/sofab"
)

// A second encoder and decoder of Go values, over plain reflect, written from FORMAT
// 3.4 and 3.5 and the type table of the package with no eye on speed. It knows the
// kinds bool, integer, float, string, []byte, slice, array, struct and pointer, and
// every option that goes with them.

var (
	errOracleLimit   = errors.New("oracle: limit")
	errOracleRefused = errors.New("oracle: value refused")
	errOracleMissing = errors.New("oracle: required field is missing")
)

// refOptions are the options of one value, read from the text of a tag without the
// package's parser. Quoted values have no commas or escapes but in lists.
type refOptions struct {
	given map[string]string
	elem  *refOptions
}

func refParse(text string) (id uint64, o *refOptions) {
	o = &refOptions{given: map[string]string{}}
	head, rest, _ := strings.Cut(text, ",")
	id, _ = strconv.ParseUint(head, 10, 32)
	for rest != "" {
		var key, value string
		end := strings.IndexAny(rest, ",=")
		if end < 0 {
			end = len(rest)
		}
		key, rest = rest[:end], rest[end:]
		switch {
		case strings.HasPrefix(rest, "='"):
			value, rest, _ = strings.Cut(rest[2:], "'")
		case strings.HasPrefix(rest, "="):
			value, _, _ = strings.Cut(rest[1:], ",")
			rest = rest[1+len(value):]
		}
		rest = strings.TrimPrefix(rest, ",")
		at := o
		for {
			inner, found := strings.CutPrefix(key, "elem.")
			if !found {
				break
			}
			key = inner
			if at.elem == nil {
				at.elem = &refOptions{given: map[string]string{}}
			}
			at = at.elem
		}
		at.given[key] = value

	}
	return id, o
}

func (o *refOptions) has(key string) bool {
	if o == nil {
		return false
	}
	_, ok := o.given[key]
	return ok
}

func (o *refOptions) number(key string) int {
	if o == nil {
		return 0
	}
	n, _ := strconv.Atoi(o.given[key])
	return n
}

func (o *refOptions) inner() *refOptions {
	if o == nil {
		return nil
	}
	return o.elem
}

// A refField is a field of a struct or one promoted into it.
type refField struct {
	id    uint64
	index []int
	typ   reflect.Type
	opts  *refOptions
}

// refFields are the fields by ascending id. The shallower of two with one id hides the
// other.
func refFields(t reflect.Type) []refField {
	if known, ok := refKnown.Load(t); ok {
		return known.([]refField)
	}
	byID := map[uint64]refField{}
	var collect func(t reflect.Type, index []int)
	collect = func(t reflect.Type, index []int) {
		for i := range t.NumField() {
			sf := t.Field(i)
			at := append(slices.Clone(index), i)
			text, tagged := sf.Tag.Lookup("sofab")
			target := sf.Type
			if target.Kind() == reflect.Pointer {
				target = target.Elem()
			}
			switch {
			case text == "-" || sf.Name == "_":
			case text == ",inline" || sf.Anonymous && !tagged && target.Kind() == reflect.Struct:
				collect(target, at)
			case tagged:
				f := refField{index: at, typ: sf.Type}
				f.id, f.opts = refParse(text)
				if other, taken := byID[f.id]; !taken || len(at) < len(other.index) {
					byID[f.id] = f
				}
			}
		}
	}
	collect(t, nil)
	fields := make([]refField, 0, len(byID))
	for _, f := range byID {
		fields = append(fields, f)
	}
	slices.SortFunc(fields, func(a, b refField) int { return int(int64(a.id) - int64(b.id)) })
	refKnown.Store(t, fields)
	return fields
}

var refKnown sync.Map // of fields by type

// refDefault is the default of a field.
func refDefault(t reflect.Type, o *refOptions) reflect.Value {
	v := reflect.New(t).Elem()
	if o.has("default") {
		refSet(v, o, o.given["default"])
		return v
	}
	refReset(v)
	return v
}

// refReset sets the fields of every struct in the memory of v to their defaults.
func refReset(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for _, f := range refFields(v.Type()) {
			at := v
			for i, n := range f.index {
				if at = at.Field(n); at.Kind() == reflect.Pointer && i < len(f.index)-1 {
					at.SetZero()
					break
				}
			}
			if at.Type() == f.typ && at.CanSet() {
				at.Set(refDefault(f.typ, f.opts))
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			refReset(v.Index(i))
		}
	default:
		v.SetZero()
	}
}

// refSet sets v to the value of a default.
func refSet(v reflect.Value, o *refOptions, text string) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(text == "true")
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n, _ := strconv.ParseInt(text, 10, 64)
		v.SetInt(n)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		n, _ := strconv.ParseUint(text, 10, 64)
		v.SetUint(n)
	case reflect.Float32, reflect.Float64:
		n, _ := strconv.ParseFloat(text, 64)
		v.SetFloat(n)
	case reflect.String:
		v.SetString(text)
	case reflect.Slice, reflect.Array:
		if isRefBytes(v.Type(), o) {
			b, _ := hex.DecodeString(strings.TrimPrefix(text, "hex:"))
			if rest, ok := strings.CutPrefix(text, "b64:"); ok {
				b, _ = base64.StdEncoding.DecodeString(rest)
			}
			if v.Kind() == reflect.Slice {
				v.Set(reflect.MakeSlice(v.Type(), len(b), len(b)))
			}
			for i := range b {
				v.Index(i).SetUint(uint64(b[i]))
			}
			return
		}
		var parts []string
		if inner := strings.Trim(text, "[]"); inner != "" {
			parts = strings.Split(inner, ",")
		}
		if v.Kind() == reflect.Slice {
			v.Set(reflect.MakeSlice(v.Type(), len(parts), len(parts)))
		}
		for i := range parts {
			refSet(v.Index(i), o.inner(), parts[i])
		}
	}
}

func isRefBytes(t reflect.Type, o *refOptions) bool {
	list := t.Kind() == reflect.Slice || t.Kind() == reflect.Array
	return list && t.Elem().Kind() == reflect.Uint8 && !o.has("array")
}

// refShape is how values of a type stand on the wire.
type refShape struct {
	base    reflect.Type // behind pointers
	wire    uint64
	subtype uint64
	native  bool // array wire type
	wrapper bool
	bits    uint // of an integer
}

func refShapeOf(t reflect.Type, o *refOptions) refShape {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	s := refShape{base: t}
	switch t.Kind() {
	case reflect.Bool:
		s.bits = 64
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		s.wire, s.bits = 1, uint(t.Bits())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		s.bits = uint(t.Bits())
	case reflect.Float32:
		s.wire = 2
	case reflect.Float64:
		s.wire, s.subtype = 2, 1
		if o.has("fp32") {
			s.subtype = 0
		}
	case reflect.String:
		s.wire, s.subtype = 2, 2
		if o.has("blob") {
			s.subtype = 3
		}
	case reflect.Struct:
		s.wire = 6
	case reflect.Slice, reflect.Array:
		if isRefBytes(t, o) {
			s.wire, s.subtype = 2, 3
			if o.has("string") {
				s.subtype = 2
			}
			break
		}
		elem := refShapeOf(t.Elem(), o.inner())
		switch {
		case elem.native || elem.wrapper || elem.wire == 6 || elem.wire == 2 && elem.subtype > 1:
			s.wire, s.wrapper = 6, true
		default:
			s.wire, s.subtype, s.native = elem.wire+3, elem.subtype, true
		}
	}
	if s.wire <= 1 && t.Kind() != reflect.Bool {
		if o.has("enum") {
			s.wire, s.bits = 1, 32
		}
		for _, sign := range []string{"u", "i"} {
			for _, bits := range []uint{8, 16, 32, 64} {
				if o.has(sign + strconv.Itoa(int(bits))) {
					s.bits, s.wire = bits, uint64(strings.Index("ui", sign))
				}
			}
		}
	}
	return s
}

// refEncode is the message of the struct v, or errOracleRefused.
func refEncode(v reflect.Value) ([]byte, error) {
	fields, err := refStruct(v, 0)
	if err != nil {
		return nil, err
	}
	return oracleAppend(nil, fields), nil
}

func refStruct(v reflect.Value, open int) (tree, error) {
	var out tree
fields:
	for _, f := range refFields(v.Type()) {
		at := v
		for i, n := range f.index {
			if at = at.Field(n); i < len(f.index)-1 && at.Kind() == reflect.Pointer {
				if at.IsNil() {
					if f.opts.has("required") {
						return nil, errOracleRefused
					}
					continue fields
				}
				at = at.Elem()
			}
		}
		keep := f.opts.has("presence") && at.Kind() != reflect.Slice && at.Kind() != reflect.Pointer
		if f.opts.has("required") && (at.Kind() == reflect.Pointer || at.Kind() == reflect.Slice) && at.IsNil() {
			return nil, errOracleRefused
		}
		if f.opts.has("default") {
			if !keep && refSame(at, refDefault(f.typ, f.opts)) {
				continue
			}
			keep = true
		}
		n, err := refValue(f.id, at, f.opts, keep, open)
		if err != nil {
			return nil, err
		}
		if n != nil {
			out = append(out, *n)
		}
	}
	return out, nil
}

// refSame compares a value with a default as FORMAT 3.2 does: numbers by value.
func refSame(v, def reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Array:
		if v.Len() != def.Len() {
			return false
		}
		for i := range v.Len() {
			if !refSame(v.Index(i), def.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Float32, reflect.Float64:
		return v.Float() == def.Float()
	}
	return v.Equal(def)
}

func float32Bits(v reflect.Value) uint32 {
	return math.Float32bits(v.Convert(reflect.TypeFor[float32]()).Interface().(float32))
}

// refInteger is the varint of an integer; ok says whether it is within its width.
func refInteger(v reflect.Value, s refShape, o *refOptions) (u uint64, ok bool) {
	switch {
	case v.Kind() == reflect.Bool:
		if v.Bool() {
			return 1, true
		}
		return 0, true
	case v.CanInt():
		n := v.Int()
		if s.wire == 0 {
			return uint64(n), n >= 0 && uint64(n)>>(s.bits-1)>>1 == 0
		}
		u = uint64(n<<1) ^ uint64(n>>63)
	default:
		n := v.Uint()
		if s.wire == 0 {
			return n, n>>(s.bits-1)>>1 == 0
		}
		if n > math.MaxInt64 {
			return n, false
		}
		u = n << 1
	}
	if list := o.members(); list != nil && !slices.Contains(list, int64(u>>1)^-int64(u&1)) {
		return u, false
	}
	return u, u>>(s.bits-1)>>1 == 0
}

func (o *refOptions) members() []int64 {
	if o == nil || o.given["enum"] == "" {
		return nil
	}
	var list []int64
	for text := range strings.SplitSeq(o.given["enum"], "|") {
		n, _ := strconv.ParseInt(text, 10, 64)
		list = append(list, n)
	}
	return list
}

// refFloat is the bytes of a float on the wire.
func refFloat(v reflect.Value, s refShape) ([]byte, error) {
	switch {
	case v.Kind() == reflect.Float32:
		return binary.LittleEndian.AppendUint32(nil, float32Bits(v)), nil
	case s.subtype == 0:
		narrow := float32(v.Float())
		if float64(narrow) != v.Float() && v.Float() == v.Float() {
			return nil, errOracleRefused
		}
		return binary.LittleEndian.AppendUint32(nil, math.Float32bits(narrow)), nil
	}
	return binary.LittleEndian.AppendUint64(nil, math.Float64bits(v.Float())), nil
}

// refValue is the node of a value, nil if it is at its default and not kept.
func refValue(id uint64, v reflect.Value, o *refOptions, keep bool, open int) (*node, error) {
	s := refShapeOf(v.Type(), o)
	n := &node{id: id, typ: s.wire}
	switch v.Kind() {
	case reflect.Pointer:
		switch {
		case v.IsNil() && !keep:
			return nil, nil
		case v.IsNil() && s.wire == 6:
			if open == 255 {
				return nil, errOracleRefused
			}
			return n, nil
		case v.IsNil():
			return refValue(id, reflect.Zero(s.base), o, true, open)
		case v.Elem().Kind() == reflect.Pointer && v.Elem().IsNil():
			return nil, errOracleRefused
		}
		return refValue(id, v.Elem(), o, true, open)
	case reflect.Struct:
		if open == 255 {
			return nil, errOracleRefused
		}
		var err error
		if n.kids, err = refStruct(v, open+1); err != nil || len(n.kids) == 0 && !keep {
			return nil, err
		}
		return n, nil
	case reflect.Float32, reflect.Float64:
		if v.Float() == 0 && !keep {
			return nil, nil
		}
		var err error
		n.raw, err = refFloat(v, s)
		n.word = uint64(len(n.raw))<<3 | s.subtype
		return n, err
	case reflect.String:
		n.raw = []byte(v.String())
		return refText(n, s, o, keep)
	case reflect.Slice, reflect.Array:
		keep = keep || o.has("presence") && v.Kind() == reflect.Slice && !v.IsNil()
		if s.wire == 2 {
			for i := range v.Len() {
				n.raw = append(n.raw, byte(v.Index(i).Uint()))
			}
			if v.Kind() == reflect.Array && !keep && v.IsZero() {
				return nil, nil
			}
			return refText(n, s, o, keep || v.Kind() == reflect.Array)
		}
		if count := o.number("count"); count > 0 && v.Len() > count {
			return nil, errOracleRefused
		}
		if s.native {
			return refNative(n, v, s, o, keep)
		}
		return refWrapper(n, v, o, keep, open)
	}
	u, ok := refInteger(v, s, o)
	if u == 0 && !keep {
		return nil, nil
	}
	if !ok {
		return nil, errOracleRefused
	}
	n.value = u
	return n, nil
}

// refText ends the node of a string or blob.
func refText(n *node, s refShape, o *refOptions, keep bool) (*node, error) {
	if len(n.raw) == 0 && !keep {
		return nil, nil
	}
	if s.subtype == 2 && !utf8.Valid(n.raw) {
		return nil, errOracleRefused
	}
	if most := o.number("maxlen"); most > 0 && len(n.raw) > most {
		return nil, errOracleRefused
	}
	n.word = uint64(len(n.raw))<<3 | s.subtype
	return n, nil
}

// refNative ends the node of a native array.
func refNative(n *node, v reflect.Value, s refShape, o *refOptions, keep bool) (*node, error) {
	if v.Len() == 0 && !keep {
		return nil, nil
	}
	elem := refShapeOf(v.Type().Elem(), o.inner())
	allZero, refused := true, false
	for i := range v.Len() {
		e := v.Index(i)
		for e.Kind() == reflect.Pointer {
			if e.IsNil() {
				return nil, errOracleRefused
			}
			e = e.Elem()
			allZero = false
		}
		if n.typ != 5 {
			u, ok := refInteger(e, elem, o.inner())
			refused = refused || !ok
			n.elems = append(n.elems, u)
			allZero = allZero && u == 0
			continue
		}
		raw, err := refFloat(e, elem)
		refused = refused || err != nil
		n.raw = append(n.raw, raw...)
		allZero = allZero && err == nil && !slices.ContainsFunc(raw, func(b byte) bool { return b != 0 })
	}
	if v.Kind() == reflect.Array && allZero && !keep {
		return nil, nil
	}
	if refused {
		return nil, errOracleRefused
	}
	n.word = 4 << 3
	if s.subtype == 1 {
		n.word = 8<<3 | 1
	}
	return n, nil
}

// refWrapper ends the node of a wrapper: the last element is written whatever it is.
func refWrapper(n *node, v reflect.Value, o *refOptions, keep bool, open int) (*node, error) {
	if v.Len() == 0 && !keep {
		return nil, nil
	}
	if open == 255 {
		return nil, errOracleRefused
	}
	for i := range v.Len() {
		last := i == v.Len()-1 && (v.Kind() == reflect.Slice || len(n.kids) > 0)
		kid, err := refValue(uint64(i), v.Index(i), o.inner(), last, open+1)
		if err != nil {
			return nil, err
		}
		if kid != nil {
			n.kids = append(n.kids, *kid)
		}
	}
	if len(n.kids) == 0 && !keep {
		return nil, nil
	}
	return n, nil
}

// refVerdict is the letter of FORMAT 9.2.
func refVerdict(err error) string {
	switch err {
	case nil:
		return "A"
	case errOracleIncomplete:
		return "I"
	case errOracleLimit:
		return "L"
	case errOracleMissing:
		return "M"
	}
	return "R"
}

// refCodec is a codec whose cap of elements is one that the oracle can afford.
func refCodec(o sofab.Options) *sofab.Codec {
	o.Limits.Array = refLimit
	return newCodec(o)
}

const (
	refLimit     = 40
	refTextLimit = 16 << 20 // the default
)
