package sofab

import (
	"math"
	"math/bits"
	"reflect"
	"sync/atomic"

	"github.com/sofab-go/sofab/stream"
)

const (
	// maxSlab is the largest common allocation for strings, blobs and arrays: what a
	// single kept string can hold on to.
	maxSlab = 4 << 10
	// maxSlabPart is the largest value that is cut out of one.
	maxSlabPart = 1 << 10
	// slabAlign is the alignment of numbers in a slab.
	slabAlign = 8
	// firstSlab is the size of the first one in a message of an unknown type.
	firstSlab = 64
	// slabSpare is what a message with lists of texts needs beyond what it cuts out: room
	// for the header and the word of the last one.
	slabSpare = 8
	// maxChunk is the largest common allocation for the elements of several slices.
	maxChunk = 8 << 10
	// minElement is the least number of bytes that an element or a pointer takes on the
	// wire.
	minElement = 2
)

// A slab is a common allocation for strings, blobs, short arrays and what else holds no
// pointers. It is sized by what the last message of the same type needed, never beyond
// what the bytes at hand can pay for.
type slab struct {
	base    pointer // it is zero from base[at] on
	at      int     // of its bytes are cut out
	size    int     // of it in bytes
	room    int     // up to there strings may be cut without a look at caps, options and the budget
	paid    int     // at - paid bytes are texts that simple has cut and not charged
	earlier int     // bytes that this message has cut out of earlier slabs
	spare   int     // bytes that it needs beside
	hand    int     // bytes at hand, which bound what is allocated ahead
	table   *table  // of the message
	own     bool    // every value gets an allocation of its own
}

// chunks are common allocations for values that hold pointers, sized like a slab.
type chunks struct {
	slots [chunkSlots]chunk
	used  uint64      // bit i: slots[i] is in use
	grown sliceHeader // to move a slice of any type in
}

// chunkSlots is how many types can have a chunk at a time.
const chunkSlots = 64

// A chunk is free elements of one type, cut off from the front: for the elements of
// slices, and for what pointers point to.
type chunk struct {
	form *form // of the elements
	next pointer
	free int
	used int // elements that this message needed
	cuts int // slices and pointers that needed them
	step int // elements that a slice gets room for at a time
}

// maxStep is the most room that a slice gets ahead of its elements.
const maxStep = 8

// learned is what the last message needed of a type: elements of it, and in how many
// slices. It is a hint; a lost update does no harm.
type learned struct{ used, cuts atomic.Int32 }

// step is how many elements a slice has on average.
func (l *learned) step() int {
	used, cuts := int(l.used.Load()), int(l.cuts.Load())
	if cuts <= 0 || used <= cuts {
		return 1
	}
	return min((used+cuts-1)/cuts, maxStep)
}

// free is the number of bytes left of the slab.
func (m *slab) free() int { return m.size - m.at }

// cut takes n bytes, at least one, that hold no pointers and are zero, aligned for any
// number.
func (m *slab) cut(n int) pointer {
	if at := (m.at + slabAlign - 1) &^ (slabAlign - 1); n <= m.size-at {
		m.at = at + n
		return m.base.add(uintptr(at))
	}
	m.at = m.size
	return m.cutUnaligned(n)
}

// cutInRoom is cut as far as the room goes, nil behind it. simple does not charge for it.
func (m *slab) cutInRoom(n int) pointer {
	at := (m.at + slabAlign - 1) &^ (slabAlign - 1)
	if n > m.room-at {
		return pointer{}
	}
	m.paid += at + n - m.at
	m.at = at + n
	return m.base.add(uintptr(at))
}

// cutUnaligned is cut for bytes.
func (m *slab) cutUnaligned(n int) pointer {
	if n > maxSlabPart || !shareMemory || m.own {
		return bytesData(alignedBytes((n + 7) &^ 7))
	}
	if n > m.free() {
		m.replace(n)
	}
	p := m.base.add(uintptr(m.at))
	m.at += n
	return p
}

// replace allocates the next slab, with room for n bytes at least.
func (m *slab) replace(n int) {
	m.earlier += m.at
	expected := max(int(m.table.slabbed.Load())-m.earlier, m.earlier/2, firstSlab)
	m.allocate(max(n, min(expected, m.most())))
}

// most is the largest slab that the bytes at hand can pay for.
func (m *slab) most() int { return 8 * min(m.hand, maxSlab/8) }

// expect allocates the first slab if the last messages of the type needed one, as
// large as they needed it. There are bytes at hand.
func (m *slab) expect() {
	if m.size > 0 || m.earlier > 0 {
		return
	}
	if n := int(m.table.slabbed.Load()); n > 0 {
		m.allocate(min(n, m.most()))
	}
}

// allocate begins a slab of n bytes, at least one.
func (m *slab) allocate(n int) {
	n = (n + 7) &^ 7
	m.base, m.at, m.size, m.room = bytesData(alignedBytes(n)), 0, n, 0
}

// newString is a string with the bytes of b.
func (m *slab) newString(b []byte) string {
	if len(b) == 0 || len(b) > maxSlabPart {
		return string(b)
	}
	s := elements[byte](m.cutUnaligned(len(b)), len(b))
	copy(s, b)
	return stringOf(s)
}

// chunkOf is the chunk for elements of a form.
func (d *decodeState) chunkOf(f *form) *chunk {
	slot := f.serial % chunkSlots
	c := &d.chunks.slots[slot]
	if c.form != f {
		c.learn()
		*c = chunk{form: f, step: f.learned.step()}
		d.chunks.used |= 1 << slot
	}
	return c
}

// learn remembers what the message needed of the type.
func (c *chunk) learn() {
	if c.form == nil {
		return
	}
	if l := &c.form.learned; int(l.used.Load()) != c.used || int(l.cuts.Load()) != c.cuts {
		l.used.Store(int32(c.used))
		l.cuts.Store(int32(c.cuts))
	}
}

// isLarge reports whether what is free belongs to the allocation of one large slice: another
// one must not begin in it, because it would hold on to all of it.
func (c *chunk) isLarge() bool { return c.free*int(c.form.size) > maxChunk }

// take cuts n elements off, allocating a new chunk if need be. They are zero.
func (d *decodeState) take(c *chunk, n int) pointer {
	if c.free < n {
		d.newChunk(c, n)
	}
	p := c.next
	c.advance(n)
	return p
}

// advance cuts n elements off. The address behind the last one is never kept.
func (c *chunk) advance(n int) {
	c.free -= n
	if c.free == 0 {
		c.next = pointer{}
		return
	}
	c.next = c.next.arrayIndex(n, c.form.size)
}

// newChunk allocates elements: n, or as many as the message is expected to need.
func (d *decodeState) newChunk(c *chunk, n int) {
	count := n
	if shareMemory && !d.options.ownMemory && c.form.size > 0 {
		size := int(c.form.size)
		expected := n + max(int(c.form.learned.used.Load()), 2*c.used, firstElements) - c.used
		expected = min(expected, d.slab.hand/minElement, max(maxChunk, stream.MemoryPerByte*d.slab.hand)/size)
		if n*size <= maxChunk || c.cuts != 1 || c.form.learned.cuts.Load() != 1 {
			expected = min(expected, maxChunk/size) // not for one large slice alone
		}
		count = max(n, expected)
	}
	c.next, c.free = c.form.array.allocate(count), count
}

// firstElements is the room for the first elements of a type in a message.
const firstElements = 4

// newTarget allocates what a pointer points to.
func (d *decodeState) newTarget(f *form) pointer {
	if f.pointerFree {
		return d.slab.cut(max(int(f.size), 1))
	}
	c := d.chunkOf(f)
	c.used++
	c.cuts++
	return d.take(c, 1)
}

// extend gives the slice at p a length of n; the new elements are at their defaults.
func (d *decodeState) extend(f *form, p pointer, n int) {
	s := p.slice()
	old := s.len
	if n > s.cap {
		d.makeRoom(f, p, n)
	}
	s.len = n
	if f.elem.fresh || d.options.reuse {
		for i := old; i < n; i++ {
			d.resetValue(f.elem, s.index(i, f.elem.size))
		}
	}
}

// makeRoom gives the slice at p, which has no room for n elements, that room and a
// little more. A slice that ends where the rest of the chunk of its type begins grows in
// place: the two are parts of one allocation, because the rest never begins with one.
func (d *decodeState) makeRoom(f *form, p pointer, n int) {
	s := p.slice()
	c := d.chunkOf(f.elem)
	had := s.cap
	if s.len == 0 {
		had = 0
		if c.cuts++; c.isLarge() {
			c.next, c.free = pointer{}, 0
		}
	}
	if more := n - s.cap; had > 0 && c.free >= more && s.endsAt(c.next, f.elem.size) {
		more = max(more, min(c.step, c.free))
		c.advance(more)
		s.cap += more
	} else {
		d.move(c, f, p, n)
	}
	c.used += s.cap - had
}

// largeSlice is the size in bytes from which on slices grow more slowly.
const largeSlice = 1 << 20

// roomFor is how many elements a slice with old elements gets room for when it grows to
// n: exactly n the first time, later on twice what it has or, where that is much, half
// as much again.
func roomFor(n, old int, size uintptr) int {
	if uintptr(old)*size >= largeSlice {
		return max(n, old+old/2)
	}
	return max(n, 2*old)
}

// growth is how many elements are to be charged for the element at hand of a wrapper
// whose slice has a length of old, 0 for none. It goes by what the message says only;
// where memory that is there already can be used, less is allocated.
func (fr *frame) growth(old int) int {
	if n := fr.index + 1; n > fr.room {
		return roomFor(n, old, fr.form.elem.size)
	}
	return 0
}

// move gives the slice at p room for n elements elsewhere, and at first for a step.
func (d *decodeState) move(c *chunk, f *form, p pointer, n int) {
	s := p.slice()
	room := roomFor(n, s.len, f.elem.size)
	if c.free < room {
		d.newChunk(c, room)
	}
	room = max(room, min(c.step, c.free))
	data := d.take(c, room)
	if s.len > 0 {
		moved := &d.chunks.grown
		moved.set(data, s.len, room)
		reflect.Copy(addressOf(moved).value(f.typ), p.value(f.typ))
		moved.clear()
	}
	s.set(data, s.len, room)
}

// trim gives the unused room of the slice at p back to the chunk of its type, if that
// goes on behind it. Memory that was there before the message is not touched.
func (d *decodeState) trim(f *form, p pointer) {
	if f.kind != kindWrapper || f.scratch || d.options.reuse {
		return
	}
	s := p.slice()
	unused := s.cap - s.len
	if unused == 0 {
		return
	}
	c := &d.chunks.slots[f.elem.serial%chunkSlots]
	if c.form != f.elem || c.free > 0 && !s.endsAt(c.next, f.elem.size) {
		return
	}
	c.next = s.index(s.len, f.elem.size)
	c.free += unused
	c.used -= unused
	s.cap = s.len
}

// learn remembers what the message needed of slabs, in bytes. The most that was needed
// counts, so that messages of changing sizes mostly fit the first slab; a message that
// needs less than half of it halves it.
func (m *slab) learn() {
	if m.table == nil {
		return
	}
	needed := m.earlier + m.at + m.spare
	switch learned := int(m.table.slabbed.Load()); {
	case needed > learned:
		m.table.slabbed.Store(int32(min(needed, math.MaxInt32)))
	case needed < (learned+1)/2:
		m.table.slabbed.Store(int32(learned / 2))
	}
}

// forget lets go of the slab and remembers what the message needed, for the next one of
// the table.
func (m *slab) forget() {
	m.learn()
	*m = slab{}
}

// forget lets go of the chunks and remembers what the message needed of them.
func (m *chunks) forget() {
	for ; m.used != 0; m.used &= m.used - 1 {
		c := &m.slots[bits.TrailingZeros64(m.used)]
		c.learn()
		*c = chunk{}
	}
}
