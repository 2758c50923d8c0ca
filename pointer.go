package sofab

import (
	"encoding/binary"
	"reflect"
	"sync"
	"unsafe"

	"github.com/modern-go/reflect2"
)

// pointer is the address of a Go value whose type the codec knows. It is the only way
// in which this package reaches memory without reflection. Loads and stores are typed,
// so that the collector sees every pointer that is stored.
type pointer struct{ p unsafe.Pointer }

func (p pointer) isNil() bool { return p.p == nil }

// add is the address of a part of the value: offset is less than its size.
func (p pointer) add(offset uintptr) pointer { return pointer{unsafe.Add(p.p, offset)} }

// at is p as a pointer to a type that the caller knows the value to have.
func at[T any](p pointer) *T { return (*T)(p.p) }

// addressOf is the inverse of at.
func addressOf[T any](p *T) pointer { return pointer{unsafe.Pointer(p)} }

// load is the pointer that the value holds.
func (p pointer) load() pointer { return pointer{*(*unsafe.Pointer)(p.p)} }

// store makes the value, a pointer, point to target.
func (p pointer) store(target pointer) { *(*unsafe.Pointer)(p.p) = target.p }

// dataWord is the address of the data word of the value, an interface: where the
// interface has the address of what it holds, or what it holds itself where that is
// stored directly (see storedDirectly).
func (p pointer) dataWord() pointer { return p.add(unsafe.Sizeof(uintptr(0))) }

// value is the value as reflection sees it, addressable.
func (p pointer) value(t reflect.Type) reflect.Value { return reflect.NewAt(t, p.p).Elem() }

// reflectPointer is a reflect.Value that holds p as a *t.
func (p pointer) reflectPointer(t reflect.Type) reflect.Value { return reflect.NewAt(t, p.p) }

// pointerOf is the address of an addressable value.
func pointerOf(v reflect.Value) pointer { return pointer{v.Addr().UnsafePointer()} }

// newValue allocates a zero value of type t.
func newValue(t reflect.Type) pointer { return pointer{reflect.New(t).UnsafePointer()} }

// following is the row behind r, which must not be the last one.
func (r *fastRow) following() *fastRow {
	return (*fastRow)(unsafe.Add(unsafe.Pointer(r), unsafe.Sizeof(*r)))
}

// following is the instruction behind op, which must not be the last one, encStop.
func (op *encodeOp) following() *encodeOp {
	return (*encodeOp)(unsafe.Add(unsafe.Pointer(op), unsafe.Sizeof(*op)))
}

// sliceHeader is the memory of a slice of any element type.
type sliceHeader struct {
	data unsafe.Pointer
	len  int
	cap  int
}

// slice is the value, a slice, as its three words.
func (p pointer) slice() *sliceHeader { return (*sliceHeader)(p.p) }

// index is the address of element i, which must be below the capacity.
func (s *sliceHeader) index(i int, size uintptr) pointer {
	return pointer{unsafe.Add(s.data, uintptr(i)*size)}
}

// first is the address of the elements.
func (s *sliceHeader) first() pointer { return pointer{s.data} }

// endsAt reports whether the capacity ends where p points to. It compares addresses as
// numbers: a pointer behind the last element must not be seen by the collector.
func (s *sliceHeader) endsAt(p pointer, size uintptr) bool {
	return uintptr(s.data)+uintptr(s.cap)*size == uintptr(p.p)
}

// isNil reports whether the slice is nil.
func (s *sliceHeader) isNil() bool { return s.data == nil }

// set makes the slice have the given elements, of a type that the slice has.
func (s *sliceHeader) set(data pointer, length, capacity int) {
	s.data, s.len, s.cap = data.p, length, capacity
}

// clear makes the slice nil.
func (s *sliceHeader) clear() { *s = sliceHeader{} }

// arrayIndex is the address of element i of an array.
func (p pointer) arrayIndex(i int, size uintptr) pointer {
	return pointer{unsafe.Add(p.p, uintptr(i)*size)}
}

// elements is a slice over the n elements of an array.
func elements[T any](p pointer, n int) []T { return unsafe.Slice((*T)(p.p), n) }

// stringOf is a string over the bytes of b, which must not change from now on.
func stringOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// stringAt is a string over the n bytes at p, which must not change from now on; p is valid
// for as many, and nil only if there are none. It spares the checks of unsafe.String.
func stringAt(p pointer, n int) string {
	return *(*string)(unsafe.Pointer(&stringHeader{p.p, n}))
}

// stringHeader is the memory of a string.
type stringHeader struct {
	data unsafe.Pointer
	len  int
}

// stringSize is the size of a string in memory, without the bytes.
const stringSize = unsafe.Sizeof("")

// alignedBytes allocates n bytes, a multiple of 8, that hold no pointers and are
// aligned for any number.
func alignedBytes(n int) []byte {
	words := make([]uint64, n/8)
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), n)
}

// memType copies, clears and allocates values of one type, with less ado than
// reflection. It is made once per type.
type memType struct {
	typ   reflect2.Type
	image unsafe.Pointer // a value that is only ever copied
}

// newMemType returns the memType of t with the image of a zero value.
func newMemType(t reflect.Type) memType {
	return memType{typ: reflect2.Type2(t), image: reflect.New(t).UnsafePointer()}
}

// imageAt is the image, to be changed before it is first copied.
func (m memType) imageAt() pointer { return pointer{m.image} }

// reset makes the value at p equal to the image.
func (m memType) reset(p pointer) { m.typ.UnsafeSet(p.p, m.image) }

// copy makes the value at p equal to that at from.
func (m memType) copy(p, from pointer) { m.typ.UnsafeSet(p.p, from.p) }

// arrayType allocates arrays of elements of one type.
type arrayType struct{ slice *reflect2.UnsafeSliceType }

// newArrayType returns the arrayType of elements of type t.
func newArrayType(t reflect.Type) arrayType {
	return arrayType{reflect2.Type2(reflect.SliceOf(t)).(*reflect2.UnsafeSliceType)}
}

// allocate allocates n zero elements.
func (a arrayType) allocate(n int) pointer {
	return pointer{(*sliceHeader)(a.slice.UnsafeMakeSlice(n, n)).data}
}

// put8, put16, put32 and put64 store a number at an offset, the lowest byte first.
func (p pointer) put8(n int, v byte) { *(*byte)(unsafe.Add(p.p, n)) = v }

func (p pointer) put16(n int, v uint16) {
	binary.LittleEndian.PutUint16((*[2]byte)(unsafe.Add(p.p, n))[:], v)
}

func (p pointer) put32(n int, v uint32) {
	binary.LittleEndian.PutUint32((*[4]byte)(unsafe.Add(p.p, n))[:], v)
}

func (p pointer) put64(n int, v uint64) {
	binary.LittleEndian.PutUint64((*[8]byte)(unsafe.Add(p.p, n))[:], v)
}

// get8, get16, get32 and get64 load a number from an offset, the lowest byte first.
func (p pointer) get8(n int) uint8 { return *(*uint8)(unsafe.Add(p.p, n)) }

func (p pointer) get16(n int) uint16 {
	return binary.LittleEndian.Uint16((*[2]byte)(unsafe.Add(p.p, n))[:])
}

func (p pointer) get32(n int) uint32 {
	return binary.LittleEndian.Uint32((*[4]byte)(unsafe.Add(p.p, n))[:])
}

func (p pointer) get64(n int) uint64 {
	return binary.LittleEndian.Uint64((*[8]byte)(unsafe.Add(p.p, n))[:])
}

// stringData is the address of the bytes of a string, which are only read.
func stringData(s string) pointer { return pointer{unsafe.Pointer(unsafe.StringData(s))} }

// bytesData is the address of the bytes of a slice.
func bytesData(b []byte) pointer { return pointer{unsafe.Pointer(unsafe.SliceData(b))} }

// pointerPool keeps values of one type for later use.
type pointerPool struct{ pool sync.Pool }

// get is a value that was put, or nil.
func (x *pointerPool) get() pointer {
	p, _ := x.pool.Get().(unsafe.Pointer)
	return pointer{p}
}

func (x *pointerPool) put(p pointer) { x.pool.Put(p.p) }

// typeID is a number that stands for the dynamic type of v.
func typeID(v any) uintptr { return reflect2.RTypeOf(v) }

// boxed is the data word of an interface that holds a value: its address, or the
// value itself where the type is stored directly (see storedDirectly).
func boxed(v any) pointer { return pointer{reflect2.PtrOf(v)} }

// storedDirectly reports whether an interface holds values of type t in its data word
// instead of pointing to them. It asks the runtime: the data word of a boxed zero
// value is then nil. The layout rules behind it change between Go releases and are
// not repeated here.
func storedDirectly(t reflect.Type) bool {
	if t.Size() != unsafe.Sizeof(uintptr(0)) {
		return false
	}
	return boxed(reflect.Zero(t).Interface()).isNil()
}
