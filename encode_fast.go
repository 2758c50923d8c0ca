package sofab

import (
	"math"
	"slices"

	"github.com/sofab-go/sofab/stream"
	"github.com/sofab-go/sofab/wire"
)

const (
	// opRoom is the room that is there before each instruction of runFlat: for a header
	// and the longest value of those whose length it does not look at, and for what is
	// written ahead.
	opRoom = 32
	// shortArray is the most elements of an array that runFlat writes.
	shortArray = 10
	// arrayRoom is how much of opRoom is left for elements of an array behind its header
	// and its count, and for what is written behind the last of them.
	arrayRoom = 16
	// shortTexts is the most elements of a wrapper of strings that runFlat writes: if it
	// runs out of room, what it has written of them is for nothing.
	shortTexts = 32
)

// runFlat executes the instructions from op on for a struct at p, up to one that it leaves
// to others or the last, and returns that. It leaves those for which the window has no
// room, whose value is refused or long, or that need more than the window.
//
// It must not let go of the window or the pointers: what calls it may have them on its
// stack.
func runFlat(win *stream.Window, op *encodeOp, p pointer) *encodeOp {
	b := win.Buffer()
	w, n, room := bytesData(b), win.Filled(), len(b)-opRoom
loop:
	for ; ; op = op.following() {
		if n > room {
			break
		}
		v, code := p.add(op.offset), op.code
		var u uint64
	value:
		switch code {
		case encBool, encUint8:
			u = uint64(*at[uint8](v))
		case encUint16:
			u = uint64(*at[uint16](v))
		case encUint32:
			u = uint64(*at[uint32](v))
		case encUint64:
			u = *at[uint64](v)
		case encInt8:
			u = wire.Zigzag(int64(*at[int8](v)))
		case encInt16:
			u = wire.Zigzag(int64(*at[int16](v)))
		case encInt32:
			u = wire.Zigzag(int64(*at[int32](v)))
		case encInt64:
			u = wire.Zigzag(*at[int64](v))
		case encMember:
			var ok bool
			if u, ok = memberOf(op.form, v); !ok {
				break loop
			}
		case encFloat32:
			if x := *at[float32](v); x != 0 || op.keep {
				w.put64(n, op.head)
				n += int(op.headLen)
				w.put8(n, 4<<3|byte(wire.FP32))
				w.put32(n+1, math.Float32bits(x))
				n += 5
			}
			continue
		case encFloat64:
			if x := *at[float64](v); x != 0 || op.keep {
				w.put64(n, op.head)
				n += int(op.headLen)
				w.put8(n, 8<<3|byte(wire.FP64))
				w.put64(n+1, math.Float64bits(x))
				n += 9
			}
			continue
		case encText:
			x := *at[string](v)
			if x == "" && !op.keep {
				continue
			}
			// The sum may be more than an int holds; a uint holds it.
			if uint64(len(x)) > op.limit || uint(n+len(x)) > uint(room) {
				break loop
			}
			w.put64(n, op.head)
			m := n + int(op.headLen)
			if len(x) < 16 {
				// Two words that overlap, or two halves of one.
				w.put8(m, byte(len(x)<<3)|op.word)
				m++
				src, dst := stringData(x), w.add(uintptr(m))
				if len(x) >= 8 {
					a, b := src.get64(0), src.get64(len(x)-8)
					dst.put64(0, a)
					dst.put64(len(x)-8, b)
					if (a|b)&0x8080808080808080 == 0 {
						n = m + len(x)
						continue
					}
				} else if len(x) >= 4 {
					a, b := src.get32(0), src.get32(len(x)-4)
					dst.put32(0, a)
					dst.put32(len(x)-4, b)
					if (a|b)&0x80808080 == 0 {
						n = m + len(x)
						continue
					}
				} else if len(x) > 0 {
					a, b, c := src.get8(0), src.get8(len(x)>>1), src.get8(len(x)-1)
					dst.put8(0, a)
					dst.put8(len(x)>>1, b)
					dst.put8(len(x)-1, c)
					if a|b|c < 0x80 {
						n = m + len(x)
						continue
					}
				}
				if op.word == uint8(wire.String) && !copyShort(dst, x) && !wire.ValidLonger(elements[byte](src, len(x))) {
					break loop
				}
				n = m + len(x)
				continue
			}
			if m = putText(w, m, x, op.form.subtype); m == 0 {
				break loop
			}
			n = m
			continue
		case encBytes:
			x := *at[[]byte](v)
			if len(x) == 0 && !op.keep && (x == nil || !op.form.presence) {
				continue
			}
			if uint64(len(x)) > op.limit || len(x) > longBytes || n+len(x) > room {
				break loop
			}
			w.put64(n, op.head)
			m := putText(w, n+int(op.headLen), stringOf(x), op.form.subtype)
			if m == 0 {
				break loop
			}
			n = m
			continue
		case encArray:
			x := v.slice()
			if x.len == 0 && !op.form.presence {
				continue
			}
			if x.len == 0 || x.len > shortArray || uint64(x.len) > op.limit || n+x.len*int(op.most)-arrayRoom > room {
				break loop
			}
			w.put64(n, op.head)
			n += int(op.headLen)
			w.put8(n, byte(x.len))
			n = putElements(op.elem, w, n+1, x.first(), x.len)
			continue
		case encTexts:
			x := *at[[]string](v)
			if len(x) == 0 && (x == nil || !op.form.presence) {
				continue
			}
			if len(x) == 0 || len(x) > shortTexts || uint64(len(x)) > op.limit || win.Depth() == wire.MaxDepth {
				break loop
			}
			// The last element is always written, so that the header stays.
			w.put64(n, op.head)
			m, next := putTexts(op.form.elem, w, n+int(op.headLen), room, x, 0)
			if next < len(x) {
				break loop
			}
			w.put8(m, byte(wire.SequenceEnd))
			n = m + 1
			continue
		case encBegin:
			if win.Depth() == wire.MaxDepth {
				break loop
			}
			w.put64(n, op.head)
			win.BeginAt(n, int(op.headLen))
			n += int(op.headLen)
			continue
		case encEnd:
			if win.EndAt(n, int(op.headLen)) {
				w.put8(n, byte(wire.SequenceEnd))
				n++
			} else {
				n -= int(op.headLen)
			}
			continue
		case encPointer:
			if v = v.load(); !v.isNil() {
				code = op.elem
				goto value
			}
			continue
		default:
			break loop
		}
		if u == op.limit && !op.keep {
			continue
		}
		w.put64(n, op.head)
		n += int(op.headLen)
		// Each length goes on by itself: where the ways met, registers would be shuffled.
		if u < 1<<7 {
			w.put8(n, byte(u))
			n++
			continue
		}
		if u < 1<<28 {
			word, size := wire.VarintHalf(uint32(u))
			w.put32(n, word)
			n += size
			continue
		}
		if u < 1<<56 {
			word, size := wire.VarintWord(u)
			w.put64(n, word)
			n += size
			continue
		}
		n += wire.PutLong(at[[wire.MaxVarintLen]byte](w.add(uintptr(n))), u)
	}
	win.SetFilled(n)
	return op
}

// longBytes is the most bytes of a blob that runFlat copies: memory is copied faster where
// nothing is looked at in between, and from 8 KiB on it may be borrowed.
const longBytes = 4 << 10

// memberOf is the varint of an integer, which may have a declared width or members; ok is
// false when it may be refused.
func memberOf(f *form, v pointer) (u uint64, ok bool) {
	if u, ok = loadInteger(f, v); u == 0 && ok {
		return u, f.isMember(0)
	}
	return u, ok && wire.Fits(u, f.width) && f.isMember(wire.Unzigzag(u))
}

// runOps executes the instructions from op on for a struct at p.
func (s *encodeState) runOps(op *encodeOp, p pointer) error {
	win := s.Window()
	for {
		op = runFlat(win, op, p)
		if op.code == encStop {
			return nil
		}
		if len(win.Buffer())-win.Filled() < opRoom {
			if s.Err() != nil {
				return errStopped
			}
			s.Reserve(opRoom)
			continue
		}
		if err := s.op(op, p.add(op.offset)); err != nil {
			return within(err, op.name)
		}
		op = op.following()
	}
}

// op executes an instruction that is left over, for a value at v.
func (s *encodeState) op(op *encodeOp, v pointer) error {
	switch op.code {
	case encRow:
		return s.row(op.row, v)
	case encBegin: // too deep
		return s.begin(op.row.id)
	case encStructs:
		if x := *v.slice(); x.len > 0 {
			return s.structs(op.form, op.row.id, x)
		}
	case encTexts:
		if x := *at[[]string](v); len(x) > 0 {
			return s.texts(op.form, op.row.id, x)
		}
	case encArrays:
		if x := *v.slice(); x.len > 0 {
			return s.arrays(op, x)
		}
	case encTarget:
		if v = v.load(); v.isNil() {
			return nil
		}
		return s.flatStruct(op.head, int(op.headLen), op.form.elem.table, v, true)
	}
	return s.field(op.row, v)
}

// structs writes a wrapper of structs, or of pointers to structs, as the function
// wrapper does. It has a copy of the slice, because the methods of what is in it may
// change the value, and so may a writer.
func (s *encodeState) structs(f *form, id wire.ID, x sliceHeader) error {
	if err := checkCount(f, x.len); err != nil {
		return err
	}
	if err := s.begin(id); err != nil {
		return err
	}
	inner := f.elem
	if inner.kind == kindPointer {
		inner = inner.elem
	}
	for i := range x.len {
		v, last := x.index(i, f.elem.size), i == x.len-1
		keep := last
		if f.elem.kind == kindPointer {
			if v, keep = v.load(), true; v.isNil() {
				if last {
					if err := s.emptyElement(inner, wire.ID(i)); err != nil {
						return within(err, indexed(i))
					}
				}
				continue
			}
		}
		head, size := uint64(i)<<3|uint64(wire.SequenceStart), 1
		if head >= 1<<7 {
			head, size = wire.VarintWord(head)
		}
		if err := s.flatStruct(head, size, inner.table, v, keep); err != nil {
			return within(err, indexed(i))
		}
	}
	s.end(f.presence)
	return nil
}

// texts writes a wrapper of strings, as the function wrapper does.
func (s *encodeState) texts(f *form, id wire.ID, list []string) error {
	if err := checkCount(f, len(list)); err != nil {
		return err
	}
	if err := s.begin(id); err != nil {
		return err
	}
	for i := 0; ; i++ {
		b := s.Reserve(opRoom)
		var n int
		n, i = putTexts(f.elem, bytesData(b), 0, len(b)-opRoom, list, i)
		s.Advance(n)
		if i == len(list) {
			s.end(f.presence)
			return nil
		}
		if err := s.text(f.elem, wire.ID(i), list[i]); err != nil {
			return within(err, indexed(i))
		}
	}
}

// arrays writes a wrapper of arrays, as the function wrapper does. It leaves those that
// are not short to others. Of each slice it has a copy, as structs has.
func (s *encodeState) arrays(op *encodeOp, x sliceHeader) error {
	f := op.form
	if err := checkCount(f, x.len); err != nil {
		return err
	}
	if err := s.begin(op.row.id); err != nil {
		return err
	}
	most := int(min(op.limit, shortArray))
	for i := range x.len {
		v := x.index(i, f.elem.size)
		list := *v.slice()
		if list.len == 0 || list.len > most {
			if err := s.value(f.elem, wire.ID(i), v, i == x.len-1); err != nil {
				return within(err, indexed(i))
			}
			continue
		}
		w := bytesData(s.Reserve(opRoom + shortArray*wire.MaxVarintLen))
		n := putVarint(w, 0, uint64(i)<<3|uint64(f.elem.wire))
		w.put8(n, byte(list.len))
		s.Advance(putElements(op.elem, w, n+1, list.first(), list.len))
	}
	s.end(f.presence)
	return nil
}

// flatStruct writes a struct with the given header, as the function structure does.
func (s *encodeState) flatStruct(head uint64, size int, t *table, p pointer, keep bool) error {
	if s.Depth() == wire.MaxDepth {
		return s.begin(0)
	}
	win := s.Window()
	b := s.Reserve(opRoom)
	addressOf(&b[0]).put64(0, head)
	n := win.Filled()
	win.BeginAt(n, size)
	win.SetFilled(n + size)
	if op := runFlat(win, &t.ops[0], p); op.code != encStop {
		if err := s.runOps(op, p); err != nil {
			return err
		}
	}
	if keep {
		win.EndKept()
	} else if n := win.Filled(); !win.EndAt(n, size) {
		win.SetFilled(n - size)
		return nil
	}
	s.Reserve(1)[0] = byte(wire.SequenceEnd)
	s.Advance(1)
	return nil
}

const (
	// scratchSize is the size of the buffer on the stack for messages that are appended
	// to a slice with little room. A buffer on the stack costs what it takes to clear it.
	scratchSize = 512
	// shortScratchSize is that for types whose messages are short.
	shortScratchSize = 128
)

// appendFlat appends the message of a struct at p of which runFlat writes at least the
// start: straight to where it belongs if dst has room for the length that messages of the
// type have, and for all that runFlat demands.
func (c *Codec) appendFlat(dst []byte, t *table, p pointer) ([]byte, error) {
	if cap(dst)-len(dst) < int(t.length.Load())+opRoom {
		return c.appendScratch(dst, opRoom, t, p)
	}
	win := stream.WindowOf(dst[len(dst):cap(dst)])
	if op := runFlat(&win, &t.ops[0], p); op.code != encStop {
		return c.appendRest(dst, opRoom, &win, t, op, p)
	}
	return dst[:len(dst)+win.Filled()], nil
}

// appendScratch is appendFlat through a buffer on the stack, or that of a pooled state if
// messages of the type are long. If dst has to grow there is room for spare bytes behind
// it; without any, dst is nil and the result is as long as the message.
func (c *Codec) appendScratch(dst []byte, spare int, t *table, p pointer) ([]byte, error) {
	var win stream.Window
	if expected := t.length.Load() + opRoom; expected <= shortScratchSize {
		var scratch [shortScratchSize]byte
		win = stream.WindowOf(scratch[:])
	} else if expected <= scratchSize {
		var scratch [scratchSize]byte
		win = stream.WindowOf(scratch[:])
	}
	if op := runFlat(&win, &t.ops[0], p); op.code != encStop {
		return c.appendRest(dst, spare, &win, t, op, p)
	}
	b := win.Buffer()[:win.Filled()]
	t.learnLength(len(b))
	return joined(dst, spare, b), nil
}

// joined is dst with b appended, where spare is as for appendScratch.
func joined(dst []byte, spare int, b []byte) []byte {
	switch {
	case spare == 0:
		// In this form the compiler does not clear the memory first.
		dst = make([]byte, len(b))
		copy(dst, b)
		return dst
	case len(b) > cap(dst)-len(dst):
		dst = slices.Grow(dst, len(b)+spare)
	}
	return append(dst, b...)
}

// appendRest goes on with a message of which runFlat has executed the instructions before op.
func (c *Codec) appendRest(dst []byte, spare int, win *stream.Window, t *table, op *encodeOp, p pointer) ([]byte, error) {
	s := encodeStates.Get().(*encodeState)
	s.verbatim = c.settings.verbatim
	s.ResumeAppend(dst, win)
	err := s.runOps(op, p)
	if err != nil {
		err = rooted(err, t.typ)
	}
	t.learnLength(int(s.Written()))
	return s.finishAppend(dst, spare, err)
}

// learnLength remembers how long a message was. The longest counts, so that messages of
// changing lengths mostly fit what is chosen for them; a message of less than half of that
// halves it, if that makes a difference to the choice.
func (t *table) learnLength(n int) {
	learned := int(t.length.Load())
	if n > learned || n < learned/2 && learned > shortScratchSize-opRoom {
		t.length.Store(int32(min(max(n, learned/2), math.MaxInt32)))
	}
}
