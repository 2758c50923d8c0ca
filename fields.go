package sofab

import (
	"fmt"
	"reflect"

	"github.com/sofab-go/sofab/stream"
	"github.com/sofab-go/sofab/tags"
	"github.com/sofab-go/sofab/wire"
)

// Fields is a message of which no type is known, as an ordered tree. Unmarshal into a
// *Fields reads any message; Marshal writes the fields as they stand, also at their
// defaults, and polices neither the order of ids nor their repetition. So a canonical
// message comes back byte for byte. As the type of a struct field, Fields is the nested
// message; nil and empty ones are absent.
//
// Decoded strings must be UTF-8, and the caps of [Limits] hold; Limits.Array also caps
// the fields of one scope. Memory is charged to the budget.
type Fields []Field

// A Field is one field of a message of which no type is known. Its wire type is that of
// the Go type of Value, which is one of these:
//
//	uint64, int64                   unsigned, signed
//	float32, float64, string, []byte   fixlen: fp32, fp64, string, blob
//	[]uint64, []int64               arrays of unsigned, signed
//	[]float32, []float64            fixlen arrays of fp32, fp64
//	Fields                          sequence: struct, union, map or array of such
//
// A boolean arrives as uint64. An empty blob, array or sequence is not nil.
type Field struct {
	ID    wire.ID
	Value any
}

// Get is the value of the last field with the given id, nil if there is none.
func (f Fields) Get(id wire.ID) any {
	for i := len(f) - 1; i >= 0; i-- {
		if f[i].ID == id {
			return f[i].Value
		}
	}
	return nil
}

// A tree has the forms for the values of Fields.
type tree struct {
	unsigned, signed, fp32, fp64, text, blob  *form
	unsigneds, signeds, fp32s, fp64s, message *form

	// The same, as they are decoded: by wire type, then by subtype.
	byType  [wire.SequenceEnd]*form
	fixlen  [wire.Blob + 1]*form
	fixlens [wire.FP64 + 1]*form
}

// treeOptions make empty values come back as such.
var treeOptions = tags.Options{Presence: true}

func init() {
	specialTypes[reflect.TypeFor[Fields]()] = fillFields
}

func fillFields(c *compiler, f *form, t reflect.Type, o *tags.Options, s site) bool {
	f.kind, f.wire = kindFields, wire.SequenceStart
	// Fields have no elements of one form: what arrives is not for the fast prefix.
	f.elem = &form{wire: wireAny}
	if c.tree == nil {
		c.tree = new(tree)
		c.newTree(c.tree, s)
	}
	f.tree = c.tree
	return c.fits(o, "fields", t, s)
}

// newTree compiles the forms of a tree.
func (c *compiler) newTree(x *tree, s site) {
	x.unsigned, x.byType[wire.Unsigned] = treeForm[uint64](c, s)
	x.signed, x.byType[wire.Signed] = treeForm[int64](c, s)
	x.fp32, x.fixlen[wire.FP32] = treeForm[float32](c, s)
	x.fp64, x.fixlen[wire.FP64] = treeForm[float64](c, s)
	x.text, x.fixlen[wire.String] = treeForm[string](c, s)
	x.blob, x.fixlen[wire.Blob] = treeForm[[]byte](c, s)
	x.unsigneds, x.byType[wire.UnsignedArray] = treeForm[[]uint64](c, s)
	x.signeds, x.byType[wire.SignedArray] = treeForm[[]int64](c, s)
	x.fp32s, x.fixlens[wire.FP32] = treeForm[[]float32](c, s)
	x.fp64s, x.fixlens[wire.FP64] = treeForm[[]float64](c, s)
	x.message, x.byType[wire.SequenceStart] = treeForm[Fields](c, s)
	x.byType[wire.Fixlen] = x.fixlen[wire.FP32]
	x.byType[wire.FixlenArray] = x.fixlens[wire.FP32]
	for _, f := range x.fixlen {
		f.variants = x.fixlen[:]
	}
	for _, f := range x.fixlens {
		f.variants = x.fixlens[:]
	}
}

// treeForm compiles the form of a T, and that of an interface to decode a T into.
func treeForm[T any](c *compiler, s site) (encoded, decoded *form) {
	encoded = c.form(reflect.TypeFor[T](), &treeOptions, s)
	decoded = c.newForm(reflect.TypeFor[any](), kindProxy, encoded.wire)
	decoded.subtype, decoded.proxy = encoded.subtype, &proxy{form: encoded, store: storeTree[T]}
	return encoded, decoded
}

func storeTree[T any](_ *decodeState, _ *form, value, standIn pointer) error {
	*at[any](value) = *at[T](standIn)
	return nil
}

// tree writes a nested message of which no type is known.
func (s *encodeState) tree(f *form, id wire.ID, p pointer, keep bool) error {
	v := *at[Fields](p)
	if len(v) == 0 && !keep && !(f.presence && v != nil) {
		return nil
	}
	if err := s.begin(id); err != nil {
		return err
	}
	if err := s.treeFields(f, v); err != nil {
		return err
	}
	s.end(true)
	return nil
}

func (s *encodeState) treeFields(f *form, v Fields) error {
	for i := range v {
		if err := s.treeField(f.tree, &v[i]); err != nil {
			return within(err, indexed(i))
		}
	}
	return nil
}

func (s *encodeState) treeField(x *tree, v *Field) error {
	f := x.of(v.Value)
	switch {
	case f == nil:
		return &UnsupportedValueError{
			Value: reflect.ValueOf(v.Value),
			Str:   fmt.Sprintf("value of type %T; a Field takes uint64, int64, float32, float64, string, []byte, []uint64, []int64, []float32, []float64 or Fields", v.Value),
		}
	case v.ID > wire.MaxID:
		return &UnsupportedValueError{Value: reflect.ValueOf(v.ID), Str: fmt.Sprintf("id %d is above %d", v.ID, wire.MaxID)}
	}
	return s.value(f, v.ID, boxed(v.Value), true)
}

// of is the form of a value, nil if it is none of a Field.
func (x *tree) of(v any) *form {
	switch v.(type) {
	case uint64:
		return x.unsigned
	case int64:
		return x.signed
	case float32:
		return x.fp32
	case float64:
		return x.fp64
	case string:
		return x.text
	case []byte:
		return x.blob
	case []uint64:
		return x.unsigneds
	case []int64:
		return x.signeds
	case []float32:
		return x.fp32s
	case []float64:
		return x.fp64s
	case Fields:
		return x.message
	}
	return nil
}

// treeHeader finds the form of a field of a message of which no type is known.
func (d *decodeState) treeHeader(fr *frame) stream.Status {
	fr.index = len(*at[Fields](fr.dst))
	d.form = fr.form.tree.byType[d.p.Type()]
	d.step = atWords
	return stream.Done
}

// treeFieldSize is the most that a field takes in memory: itself four times, because
// slices double, and what its value points to.
var treeFieldSize = 5 * int64(reflect.TypeFor[Field]().Size())

// treeElement sets dst to the value of a new field.
func (d *decodeState) treeElement(fr *frame) bool {
	if !d.charge(treeFieldSize) {
		return false
	}
	v := at[Fields](fr.dst)
	if n := len(*v); n == cap(*v) {
		*v = append(make(Fields, 0, max(1, 2*n)), *v...)
	}
	*v = append(*v, Field{ID: d.p.ID()})
	d.dst = addressOf(&(*v)[fr.index].Value)
	return true
}
