package sofab

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/sofab-go/sofab/wire"
)

// kind says which functions encode and decode a value.
type kind uint8

const (
	kindBool         kind = iota // bool as unsigned
	kindInteger                  // integer as unsigned or signed
	kindFloat32                  // float32 as fp32
	kindFloat64                  // float64 as fp64
	kindNarrowFloat              // float64 as fp32
	kindString                   // string as string or blob
	kindBytes                    // []byte as blob or string
	kindByteArray                // [N]byte as blob or string
	kindNative                   // []T as an array of integers, booleans or floats
	kindNativeArray              // [N]T likewise
	kindWrapper                  // []T as a sequence of elements
	kindWrapperArray             // [N]T likewise
	kindStruct                   // struct as a sequence
	kindPointer                  // *T as T, with presence
	kindProxy                    // a value that another Go value stands in for
	kindRaw                      // a value of which only the bytes are known here
	kindFields                   // Fields as a sequence
)

var kindNames = [...]string{
	kindBool: "boolean", kindInteger: "integer", kindFloat32: "fp32", kindFloat64: "fp64",
	kindNarrowFloat: "fp32 of float64", kindString: "string", kindBytes: "bytes", kindByteArray: "bytes",
	kindNative: "native array", kindNativeArray: "native array", kindWrapper: "wrapper", kindWrapperArray: "wrapper",
	kindStruct: "struct", kindPointer: "pointer", kindProxy: "proxy",
	kindRaw: "raw value", kindFields: "tree of fields",
}

func (k kind) String() string { return kindNames[k] }

// A form says how the values of a Go type stand on the wire, under the options of
// one tag. Forms are compiled once and never change.
type form struct {
	kind    kind
	wire    wire.Type    // of the field; a pointer has that of what it points to
	subtype wire.Subtype // where wire is Fixlen or FixlenArray
	goKind  reflect.Kind // of a leaf
	typ     reflect.Type
	size    uintptr // of the Go value, in bytes
	weight  int64   // size, and the bytes that the defaults in a new value allocate; at least 1

	width    uint   // of an integer on the wire, in bits
	bound    string // name of that width: "u8", "i32"
	mixed    bool   // an integer whose sign on the wire is not that of the Go type
	maxlen   int    // of a string or blob, in bytes; 0 is unbounded
	length   int    // of a Go array, in elements or bytes; -1 otherwise
	count    int    // of an array or wrapper, in elements; 0 is unbounded
	presence bool   // a non-nil empty value is written
	noGaps   bool   // elements of a wrapper that do not arrive lack a required field
	scratch  bool   // a slice whose memory is only used while decoding
	fleeting bool   // bytes from a method, which may use their memory again
	members  []int64

	mem         memType   // of typ; the image is its zero value
	serial      uint32    // picks the chunk of the decoder
	array       arrayType // of typ: elements, and what pointers point to
	pointerFree bool      // typ holds no pointers
	learned     learned

	// For the fast prefix of decoding:
	op       op
	target   *form // behind pointers
	pointees int64 // bytes that those pointers point to
	fresh    bool  // the default is not the zero value

	elem  *form  // of the elements, or of what a pointer points to
	table *table // of a struct
	proxy *proxy // of a value with a stand-in

	raw      *rawForm // of a value that stands as bytes
	tree     *tree    // of Fields
	variants []*form  // by the subtype of what arrives, where the form follows it

	byPointer bool // encoding calls a method of a pointer to the value, which may change it
}

// A row is one field of a struct.
type row struct {
	id       wire.ID
	name     string
	offset   uintptr // within the struct, or within the last of via
	via      []step  // embedded pointers on the way to the field
	form     *form
	def      *defaultValue // declared default, nil for the zero value
	presence bool          // always written
	required bool
	index    int // of the row in its table
}

// step is an embedded pointer between a struct and a promoted field.
type step struct {
	offset uintptr      // within the struct, or within the target of the step before
	typ    reflect.Type // that it points to
}

// A table is the codec of a struct type: its rows by ascending id.
type table struct {
	typ   reflect.Type
	rows  []row
	fast  []fastRow  // the rows as the fast prefix of decoding reads them, with those of structs in the struct
	spots []int32    // where they are in fast, by index, and where the end is
	parts []bool     // rows of structs whose own rows follow in fast
	depth int        // of those structs
	ops   []encodeOp // the rows in flat form
	flat  bool       // a message starts with what runFlat does
	dense []uint16   // 1 + index of the row by id, as far as it is half full
	// plain: the memory of the struct is covered by its rows, so that it can be
	// cleared as a whole.
	plain    bool
	defaults bool         // something inside has a declared default
	required bool         // some row is required
	arms     *arms        // of a union
	heap     int64        // bytes that a reset to the defaults allocates
	measured bool         // heap is final
	finished bool         // the flags above are final
	mem      memType      // of typ, where the struct is plain; the image holds the defaults
	imaged   bool         // the image and the lists are all that a reset needs
	keepable bool         // the image and the slices of kept are all that a reset with Options.Reuse needs
	kept     []uintptr    // offsets of slices
	lists    []*row       // rows whose default is a slice, which the image cannot share
	slabbed  atomic.Int32 // bytes of slabs that the last message needed
	length   atomic.Int32 // of the last messages, in bytes; see learnLength
	maxsize  int          // most bytes of a message of this type, 0 is unbounded
	leavable bool         // nothing has to be done about a struct when its sequence ends
	blind    bool         // has a required field whose value does not show whether it has arrived
	unknown  *row         // holds the fields that no row claims, or nil
	whole    *form        // of a message that is one value and no struct, or nil
}

// find is the row with the given id, or nil.
func (t *table) find(id wire.ID) *row {
	if int64(id) < int64(len(t.dense)) {
		if i := t.dense[id]; i != 0 {
			return &t.rows[i-1]
		}
		return nil
	}
	lo, hi := 0, len(t.rows)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if t.rows[mid].id < id {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(t.rows) && t.rows[lo].id == id {
		return &t.rows[lo]
	}
	return nil
}

// index makes the rows findable; they are sorted by id. The dense part ends where it
// would be less than half full.
func (t *table) index() {
	n := 0
	for i := range t.rows {
		t.rows[i].index = i
		if t.rows[i].id < wire.ID(2*(i+1)) && i < 1<<16-1 {
			n = i + 1
		}
	}
	if n == 0 {
		return
	}
	t.dense = make([]uint16, t.rows[n-1].id+1)
	for i := range t.rows[:n] {
		t.dense[t.rows[i].id] = uint16(i + 1)
	}
}

// String prints the table, a row a line: id, Go name, offset, wire type and form. It is
// the mapping of a type as a debugger wants to see it; DESIGN.md shows one.
func (t *table) String() string {
	var b strings.Builder
	b.WriteString(typeText(t.typ))
	if t.arms != nil {
		b.WriteString(", union")
	}
	if t.maxsize > 0 {
		fmt.Fprintf(&b, ", maxsize=%d", t.maxsize)
	}
	b.WriteByte('\n')
	for i := range t.rows {
		r := &t.rows[i]
		offset := "+" + strconv.Itoa(int(r.offset))
		for range r.via {
			offset = "->" + offset
		}
		fmt.Fprintf(&b, "%5d  %-10s %-6s %-15s  %v", r.id, r.name, offset, r.form.wireText(), r.form)
		if r.def != nil {
			fmt.Fprintf(&b, ", default=%v", r.def.value)
		}
		if r.presence {
			b.WriteString(", presence")
		}
		if r.required {
			b.WriteString(", required")
		}
		b.WriteByte('\n')
	}
	if t.whole != nil {
		fmt.Fprintf(&b, "  all  %v\n", t.whole)
	}
	if u := t.unknown; u != nil {
		fmt.Fprintf(&b, " rest  %-10s +%-5d any\n", u.name, u.offset)
	}
	return b.String()
}

// wireText is the wire type of the form, with its subtype where it has one.
func (f *form) wireText() string {
	switch f.wire {
	case wireAny:
		return "any"
	case wire.Fixlen:
		return f.subtype.String()
	case wire.FixlenArray:
		return "array of " + f.subtype.String()
	}
	return f.wire.String()
}

// shownLevels is how deep String looks into a form, because a type may hold itself.
const shownLevels = 4

// String is the form in one line, structs by their names.
func (f *form) String() string { return f.text(shownLevels) }

func (f *form) text(levels int) string {
	if levels == 0 {
		return "…"
	}
	switch f.kind {
	case kindPointer:
		return "pointer to " + f.elem.text(levels-1)
	case kindProxy:
		return typeText(f.typ) + ", proxy of " + f.proxy.form.text(levels-1)
	case kindStruct:
		if f.typ.Name() == "" {
			return typeText(f.typ)
		}
		if f.table.arms != nil {
			return "union " + f.typ.String()
		}
		return "struct " + f.typ.String()
	case kindInteger:
		return f.bound
	}
	s := f.kind.String()
	if f.length >= 0 {
		s += "[" + strconv.Itoa(f.length) + "]"
	}
	if f.maxlen > 0 {
		s += " maxlen=" + strconv.Itoa(f.maxlen)
	}
	if f.count > 0 {
		s += " count=" + strconv.Itoa(f.count)
	}
	switch f.kind {
	case kindNative, kindNativeArray, kindWrapper, kindWrapperArray:
		s += " of " + f.elem.text(levels-1)
	}
	return s
}
