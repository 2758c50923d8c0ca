package stream

import (
	"io"

	"github.com/sofab-go/sofab/wire"
)

// Status is the result of one step of a [Parser].
type Status int8

const (
	// Done: the step is complete.
	Done Status = iota
	// More: the window ends inside the step. What was consumed stays consumed, and
	// the same step is repeated after [Parser.Fetch].
	More
	// Failed: the message is malformed or over a limit; see [Parser.Err]. It stays so
	// until the parser is reset.
	Failed
)

// state is what of the current field comes next.
type state uint8

const (
	atHeader      state = iota // the field is read, a header or the end comes next
	atVarint                   // the varint of an unsigned or signed
	atFixlenWord               // the word of a fixlen value
	atCount                    // the count of an array
	atElementWord              // the element word of a fixlen array
	atFloat                    // the bytes of an fp32 or fp64
	atPayload                  // left bytes of a string or blob
	atVarints                  // left elements of an integer array
	atFloats                   // left elements of a fixlen array
)

// firstState is the state behind a header of each wire type.
var firstState = [8]state{
	wire.Unsigned: atVarint, wire.Signed: atVarint, wire.Fixlen: atFixlenWord,
	wire.UnsignedArray: atCount, wire.SignedArray: atCount, wire.FixlenArray: atCount,
	wire.SequenceStart: atHeader, wire.SequenceEnd: atHeader,
}

// A Parser takes a message apart into units. It is the low level under [Decoder] and
// [Feeder] and under package sofab; programs rarely need it.
//
// For every field, the steps are [Parser.Head], then [Parser.Words] where the wire
// type has words, then the value: [Parser.Varint], [Parser.Float32], …, or
// [Parser.Skip]. A step that returns [More] is repeated after Fetch. The parser
// checks what can be told without a schema: every rule of one unit, through package
// wire, and the balance and depth of sequences.
//
// The zero Parser is not ready; use a Reset method first.
type Parser struct {
	input
	state    state
	typ      wire.Type
	subtype  wire.Subtype
	opened   bool // the last step was the header of a sequence start
	framed   bool // a sequence end at depth 0 ends the message
	id       wire.ID
	depth    int
	left     int   // bytes of the payload or elements of the array not consumed yet
	skipTo   int   // depth at which the running Skip is complete, or -1
	wordAt   int64 // offset of the word that left comes from
	err      error
	errAt    int64
	finished bool // the end of a framed message was read
}

// ResetBytes starts a message that is data as a whole. The parser borrows data.
func (p *Parser) ResetBytes(data []byte) {
	p.setBytes(data)
	p.restart()
}

// ResetReader starts a message that is read from r. The parser reads ahead, but only
// when it has no bytes left that the step at hand could use.
func (p *Parser) ResetReader(r io.Reader) {
	p.setReader(r)
	p.restart()
}

// ResetChunks starts a message that arrives through [Parser.Feed].
func (p *Parser) ResetChunks() { p.ResetBytes(nil) }

// NextMessage starts the next message of the same input, where the last one ended.
func (p *Parser) NextMessage() { p.restart() }

func (p *Parser) restart() {
	p.state, p.opened, p.finished = atHeader, false, false
	p.depth, p.skipTo, p.err = 0, -1, nil
}

// SetFramed makes a sequence end at depth 0 the end of the message instead of a
// fault. Head then returns Done with the type SequenceEnd, and Finished is true.
func (p *Parser) SetFramed(framed bool) { p.framed = framed }

// Finished reports whether the sequence end behind a framed message was read.
func (p *Parser) Finished() bool { return p.finished }

// SetEnd says that the message ends size bytes on, so that Fetch gets nothing from
// behind it. A negative size lifts that.
func (p *Parser) SetEnd(size int64) { p.setEnd(size) }

// AtEnd reports whether the bytes at hand reach the end that SetEnd has set.
func (p *Parser) AtEnd() bool { return p.end >= 0 && p.atEnd() == p.end }

// GoesOn reports whether the input goes on behind the end that SetEnd has set, and
// lifts that. It waits for a byte if need be.
func (p *Parser) GoesOn() (bool, error) { return p.goesOn() }

// Feed gives the next chunk of a message that was started with ResetChunks. The
// chunk is borrowed until Fetch returns false and Release is called.
func (p *Parser) Feed(chunk []byte) { p.feed(chunk) }

// Release ends the loan of a chunk; the start of an unfinished unit is copied.
func (p *Parser) Release() { p.release() }

// Fetch gets more bytes behind those not consumed yet. It returns false if there are
// none for now: the slice or chunk is used up, or the reader is at its end or
// returned the error.
func (p *Parser) Fetch() (bool, error) { return p.fetch() }

// Window is the bytes at hand, from the next one on. It is valid until the next step.
func (p *Parser) Window() []byte { return p.win[p.pos:] }

// Ahead is what was read from the input and not consumed, also behind the end of the
// message. It is valid until the next step.
func (p *Parser) Ahead() []byte { return p.ahead() }

// Offset is the absolute offset of the next byte.
func (p *Parser) Offset() int64 { return p.offset() }

// WordOffset is the absolute offset of the length or count word of the current field.
func (p *Parser) WordOffset() int64 { return p.wordAt }

// InputEnd is the absolute offset behind the bytes at hand.
func (p *Parser) InputEnd() int64 { return p.atEnd() }

// ID is the id of the current field.
func (p *Parser) ID() wire.ID { return p.id }

// Type is the wire type of the current field.
func (p *Parser) Type() wire.Type { return p.typ }

// Subtype is the subtype of the current fixlen value or array, after Words.
func (p *Parser) Subtype() wire.Subtype { return p.subtype }

// Left is, after Words, how many bytes of a string or blob or elements of an array
// have not been consumed.
func (p *Parser) Left() int { return p.left }

// Depth is the number of open sequences.
func (p *Parser) Depth() int { return p.depth }

// Complete reports whether the message may end here: between two fields, with no
// sequence open and nothing at hand.
func (p *Parser) Complete() bool {
	return p.state == atHeader && p.depth == 0 && p.pos == len(p.win) && p.err == nil && p.skipTo < 0
}

// Whole reports whether all of the input is at hand or was consumed: it is a slice.
func (p *Parser) Whole() bool { return p.r == nil && p.chunk == nil && p.end < 0 }

// Between reports whether the current field was consumed, so that Head is next.
func (p *Parser) Between() bool { return p.state == atHeader && p.skipTo < 0 }

// Err is the fault that made a step return Failed, and the absolute offset of its unit.
func (p *Parser) Err() (offset int64, err error) { return p.errAt, p.err }

// Unbalanced reports whether the fault is a sequence end without an open sequence.
func (p *Parser) Unbalanced() bool { return p.err == errBalance }

// Fail latches a fault that a layer above has found, as if the parser had.
func (p *Parser) Fail(err error, offset int64) Status {
	if p.err == nil {
		p.err, p.errAt = err, offset
	}
	return Failed
}

// LiftWidthFault lifts the fault of an element over the declared width, if that is
// what made the last step fail, and reports whether it was. The element is not
// consumed; the layer above says what is wrong, and may skip the rest of the field.
func (p *Parser) LiftWidthFault() bool {
	if p.err != wire.Err(wire.BadWidth) {
		return false
	}
	p.err = nil
	return true
}

// stop is the status for a negative length of a Consume function.
func (p *Parser) stop(n int) Status {
	if n == wire.More && p.err == nil {
		return More
	}
	return p.Fail(wire.Err(n), p.offset())
}

// Head reads the header of the next field. A sequence start or end has then taken
// effect on the depth.
func (p *Parser) Head() Status {
	if p.err != nil {
		return Failed
	}
	id, typ, n := wire.ConsumeHeader(p.win[p.pos:])
	if n < 0 {
		return p.stop(n)
	}
	p.opened = false
	switch typ {
	case wire.SequenceStart:
		if p.depth == wire.MaxDepth {
			return p.Fail(errDepth, p.offset())
		}
		p.depth++
		p.opened = true
	case wire.SequenceEnd:
		switch {
		case p.depth > 0:
			p.depth--
		case p.framed:
			p.finished = true
		default:
			return p.Fail(errBalance, p.offset())
		}
	}
	p.pos += n
	p.id, p.typ, p.state = id, typ, firstState[typ]
	return Done
}

// Advance says that the layer above has consumed n bytes of the window: whole fields, and
// starts and ends of sequences, so many more starts than ends. No more than 255 sequences
// may be open at any place.
func (p *Parser) Advance(n, sequences int) {
	p.pos += n
	p.depth += sequences
	p.opened = false
}

// Words reads the words between the header and the value: the fixlen word, or the
// count and the element word. Subtype, Left and WordOffset are then known. For the
// other wire types, and when the words were read, it does nothing.
func (p *Parser) Words() Status {
	if p.err != nil {
		return Failed
	}
	switch p.state {
	case atFixlenWord:
		length, subtype, n := wire.ConsumeFixlenWord(p.win[p.pos:])
		if n < 0 {
			return p.stop(n)
		}
		p.wordAt = p.offset()
		p.pos += n
		p.subtype, p.left, p.state = subtype, length, atPayload
		if subtype <= wire.FP64 {
			p.state = atFloat
		}
	case atCount:
		count, n := wire.ConsumeCount(p.win[p.pos:])
		if n < 0 {
			return p.stop(n)
		}
		p.wordAt = p.offset()
		p.pos += n
		p.left, p.state = count, atElementWord
		if p.typ != wire.FixlenArray {
			p.state = atVarints
			p.endAtZero()
			return Done
		}
		fallthrough
	case atElementWord:
		subtype, n := wire.ConsumeElementWord(p.win[p.pos:])
		if n < 0 {
			return p.stop(n)
		}
		p.pos += n
		p.subtype, p.state = subtype, atFloats
	}
	p.endAtZero()
	return Done
}

// endAtZero ends a payload or array of which nothing is left.
func (p *Parser) endAtZero() {
	if p.left == 0 && p.state >= atPayload {
		p.state = atHeader
	}
}

// Varint reads the value of an unsigned, or the zig-zag value of a signed.
func (p *Parser) Varint() (uint64, Status) {
	if p.err != nil {
		return 0, Failed
	}
	v, n := wire.ConsumeVarint(p.win[p.pos:])
	if n < 0 {
		return 0, p.stop(n)
	}
	p.pos += n
	p.state = atHeader
	return v, Done
}

// Float32 reads the value of an fp32 after Words.
func (p *Parser) Float32() (float32, Status) {
	v, n := wire.ConsumeFloat32(p.win[p.pos:])
	if n < 0 {
		return 0, p.stop(n)
	}
	p.pos += n
	p.state = atHeader
	return v, Done
}

// Float64 reads the value of an fp64 after Words.
func (p *Parser) Float64() (float64, Status) {
	v, n := wire.ConsumeFloat64(p.win[p.pos:])
	if n < 0 {
		return 0, p.stop(n)
	}
	p.pos += n
	p.state = atHeader
	return v, Done
}

// Payload consumes what the window holds of a string or blob, after Words. The piece
// is part of the window. The status is Done with the last piece, else More.
func (p *Parser) Payload() ([]byte, Status) {
	n := min(p.left, len(p.win)-p.pos)
	piece := p.win[p.pos : p.pos+n : p.pos+n]
	return piece, p.took(n, n)
}

// took ends a step that consumed n bytes and that many bytes or elements of what is
// left.
func (p *Parser) took(n, units int) Status {
	p.pos += n
	p.left -= units
	if p.left == 0 {
		p.state = atHeader
		return Done
	}
	return More
}

// Consumed ends a step in which the layer above consumed elements of an array from the
// window: how many, in how many bytes, and the code of the Consume function of package
// wire that it used.
func (p *Parser) Consumed(elements, n, code int) Status {
	status := p.took(n, elements)
	if code != 0 && code != wire.More {
		return p.stop(code)
	}
	return status
}

func (p *Parser) elements(elements, n, code int) (int, Status) {
	return elements, p.Consumed(elements, n, code)
}

// ConsumeUnsigneds consumes elements of an array of unsigned into dst, after Words. It
// stops when dst is full, the array ends (Done) or the window does, and returns how
// many it stored. An element of more than width bits is malformed.
func ConsumeUnsigneds[T wire.Integer](p *Parser, dst []T, width uint) (int, Status) {
	dst = dst[:min(len(dst), p.left)]
	return p.elements(wire.ConsumeUnsigneds(p.win[p.pos:], dst, width))
}

// ConsumeSigneds is [ConsumeUnsigneds] for an array of signed.
func ConsumeSigneds[T wire.Integer](p *Parser, dst []T, width uint) (int, Status) {
	dst = dst[:min(len(dst), p.left)]
	return p.elements(wire.ConsumeSigneds(p.win[p.pos:], dst, width))
}

// Bools is [ConsumeUnsigneds] for booleans.
func (p *Parser) Bools(dst []bool) (int, Status) {
	dst = dst[:min(len(dst), p.left)]
	return p.elements(wire.ConsumeBools(p.win[p.pos:], dst))
}

// Float32s consumes elements of an fp32 array into dst, as [ConsumeUnsigneds] does.
func (p *Parser) Float32s(dst []float32) (int, Status) {
	elements, n := wire.ConsumeFloat32s(p.win[p.pos:], dst[:min(len(dst), p.left)])
	return elements, p.took(n, elements)
}

// Float64s consumes elements of an fp64 array into dst, as [ConsumeUnsigneds] does.
func (p *Parser) Float64s(dst []float64) (int, Status) {
	elements, n := wire.ConsumeFloat64s(p.win[p.pos:], dst[:min(len(dst), p.left)])
	return elements, p.took(n, elements)
}
