package stream

import (
	"encoding/binary"
	"math/bits"

	"github.com/sofab-go/sofab/wire"
)

// Skip consumes the rest of the current field; behind the header of a sequence start,
// everything up to the matching end. It looks at framing only, copies nothing and
// allocates nothing.
func (p *Parser) Skip() Status {
	if p.skipTo < 0 {
		p.skipTo = p.depth
		if p.opened {
			p.skipTo--
		}
	}
	for {
		if status := p.skipValue(); status != Done {
			return status
		}
		if p.depth > p.skipTo {
			p.skipFields(p.skipTo)
		}
		if p.depth == p.skipTo {
			p.skipTo = -1
			return Done
		}
		if status := p.Head(); status != Done {
			return status
		}
	}
}

func (p *Parser) skipValue() Status {
	if status := p.Words(); status != Done {
		return status
	}
	switch p.state {
	case atVarint:
		_, status := p.Varint()
		return status
	case atFloat:
		n := p.subtype.Width()
		if len(p.win)-p.pos < n {
			return More
		}
		p.pos += n
		p.state = atHeader
	case atPayload:
		_, status := p.Payload()
		return status
	case atVarints:
		_, status := p.elements(wire.SkipVarints(p.win[p.pos:], p.left))
		return status
	case atFloats:
		width := p.subtype.Width()
		n := min(p.left, (len(p.win)-p.pos)/width)
		return p.took(n*width, n)
	}
	return Done
}

// skipFields consumes fields from between two fields on, as long as each is at hand as
// a whole and well-formed, up to and with the sequence end that makes the depth that of
// the second argument. It stops in front of the first other field, and leaves it to the
// general steps, which also find the words for what is wrong.
func (p *Parser) skipFields(until int) {
	if !flatSkip || p.err != nil || p.state != atHeader {
		return
	}
	win, pos, depth := p.win, p.pos, p.depth
fields:
	for pos < len(win) && depth != until {
		head, q := win[pos], pos+1
		if head >= 0x80 {
			if q < len(win) && win[q] < 0x80 {
				q++
			} else if _, _, n := wire.ConsumeHeader(win[pos:]); n > 0 {
				q = pos + n
			} else {
				break
			}
		}
		switch wire.Type(head & 7) {
		case wire.Unsigned, wire.Signed:
			n := varintLen(win, q)
			if n == 0 {
				break fields
			}
			q += n
		case wire.Fixlen:
			word, n := shortVarint(win, q)
			q += n
			length := int(word >> 3)
			switch {
			case n == 0 || length > len(win)-q:
				break fields
			case word&7 <= uint64(wire.FP64):
				if length != wire.Subtype(word&7).Width() {
					break fields
				}
			case word&7 > uint64(wire.Blob):
				break fields
			}
			q += length
		case wire.UnsignedArray, wire.SignedArray:
			count, n := shortVarint(win, q)
			q += n
			if n == 0 || count > uint64(len(win)-q) {
				break fields
			}
			_, n, code := wire.SkipVarints(win[q:], int(count))
			if code != 0 {
				break fields
			}
			q += n
		case wire.FixlenArray:
			count, n := shortVarint(win, q)
			q += n
			if n == 0 || q == len(win) || count > uint64(len(win)-q) {
				break fields
			}
			subtype, n := wire.ConsumeElementWord(win[q:])
			if q += n; n < 0 || int(count)*subtype.Width() > len(win)-q {
				break fields
			}
			q += int(count) * subtype.Width()
		case wire.SequenceStart:
			if depth == wire.MaxDepth {
				break fields
			}
			depth++
		case wire.SequenceEnd:
			if depth == 0 {
				break fields
			}
			depth--
		}
		pos = q
	}
	p.opened = p.opened && pos == p.pos
	p.pos, p.depth = pos, depth
}

// varintLen is the length of the varint at b[q:], 0 if it is not whole or wrong.
func varintLen(b []byte, q int) int {
	if q < len(b) && b[q] < 0x80 {
		return 1
	}
	if len(b)-q >= 8 {
		const continued = 0x8080808080808080
		if last := ^binary.LittleEndian.Uint64(b[q:]) & continued; last != 0 {
			return bits.TrailingZeros64(last)>>3 + 1
		}
	}
	_, n := wire.ConsumeVarint(b[min(q, len(b)):])
	return max(n, 0)
}

// shortVarint reads a varint of at most four bytes at b[q:]; of another its length is 0.
func shortVarint(b []byte, q int) (v uint64, n int) {
	if q < len(b) && b[q] < 0x80 {
		return uint64(b[q]), 1
	}
	return shorterVarint(b, q)
}

func shorterVarint(b []byte, q int) (v uint64, n int) {
	for i := 0; i < 4 && q+i < len(b); i++ {
		c := b[q+i]
		v |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			return v, i + 1
		}
	}
	return 0, 0
}
