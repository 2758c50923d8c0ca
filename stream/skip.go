package stream

import (
	"encoding/binary"
	"math"
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
	pos, depth := skipFlat(p.win, p.pos, p.depth, until)
	p.opened = p.opened && pos == p.pos
	p.pos, p.depth = pos, depth
}

// skipFlat steps over whole fields of b from pos on, up to and with the sequence end that
// makes the depth until, and returns where it stopped and the depth there. It looks at
// the first bytes of a field as one word, and only then whether b has them.
func skipFlat(b []byte, pos, depth, until int) (int, int) {
	for pos < len(b) {
		x, q := wordAt(b, pos), pos
		head := wire.Type(x & 7)
		if x&0x80 != 0 {
			if q++; x&0x8000 != 0 || q == len(b) {
				break
			}
			x = wordAt(b, q)
		}
		// From here on b[q], the lowest byte of x, is the last of the header.
		switch head {
		case wire.Unsigned, wire.Signed:
			if x&0x8000 == 0 {
				q += 2
			} else if last := ^x & (continued - 0x80); last != 0 {
				q += bits.TrailingZeros64(last)>>3 + 1
			} else if _, n := wire.ConsumeVarint(b[q+1:]); n > 0 {
				q += n + 1
			} else {
				return pos, depth
			}
		case wire.Fixlen:
			word, length := x>>8&0xff, x>>11&0x1f
			if word >= 0x80 {
				word, q = twoBytes(x), q+1
				length = word >> 3
			}
			if word&6 != uint64(wire.String) && word != fp32Word && word != fp64Word {
				return pos, depth
			}
			q += 2 + int(length)
		case wire.UnsignedArray, wire.SignedArray:
			count := x >> 8 & 0xff
			if count >= 0x80 {
				count, q = twoBytes(x), q+1
			}
			if q = skipElements(b, q+2, count); q < 0 {
				return pos, depth
			}
		case wire.FixlenArray:
			count := x >> 8 & 0xff
			if count >= 0x80 {
				count, q, x = twoBytes(x), q+1, x>>8
			}
			word := x >> 16 & 0xff
			if count > mostFlat || word != fp32Word && word != fp64Word {
				return pos, depth
			}
			q += 3 + int(count*(word>>3))
		case wire.SequenceStart:
			if depth == wire.MaxDepth {
				return pos, depth
			}
			depth++
			q++
		case wire.SequenceEnd:
			if depth == 0 {
				return pos, depth
			}
			q++
			if depth--; depth == until {
				return q, depth
			}
		}
		if q > len(b) {
			break
		}
		pos = q
	}
	return pos, depth
}

const (
	continued = 0x8080808080808080 // the continuation bits of eight bytes
	ones      = 0x0101010101010101 // one in each of eight bytes
	mostFlat  = 1<<14 - 1          // the largest varint of two bytes

	fp32Word = 4<<3 | uint64(wire.FP32)
	fp64Word = 8<<3 | uint64(wire.FP64)
)

// wordAt is the eight bytes from b[q] on, the first one lowest, with zeros behind the end
// of b. With these any unit seems to end: the caller must look whether it does so in b.
func wordAt(b []byte, q int) uint64 {
	if q >= 0 && q <= len(b)-8 {
		return binary.LittleEndian.Uint64((*[8]byte)(b[q:])[:])
	}
	return lastWord(b, q)
}

// lastWord is wordAt for less than eight bytes.
func lastWord(b []byte, q int) (x uint64) {
	if len(b) >= 8 {
		return binary.LittleEndian.Uint64(b[len(b)-8:]) >> uint(8*(q+8-len(b)))
	}
	for i := len(b) - 1; i >= q; i-- {
		x = x<<8 | uint64(b[i])
	}
	return x
}

// twoBytes is the varint of two bytes behind the lowest byte of x. Of a longer one it is
// all ones: above mostFlat, and no fixlen word.
func twoBytes(x uint64) uint64 {
	if x&0x800000 != 0 {
		return math.MaxUint64
	}
	return x>>8&0x7f | x>>9&0x3f80
}

// skipElements is the offset behind count varints at b[q:], -1 if there are not as many or
// one is wrong. A few are counted by the word, with less work than wire.SkipVarints.
func skipElements(b []byte, q int, count uint64) int {
	if count > mostFlat {
		return -1
	}
	if count > 16 {
		_, n, code := wire.SkipVarints(b[min(q, len(b)):], int(count))
		if code != 0 {
			return -1
		}
		return q + n
	}
	begun := 0 // bytes in front of q that begin a varint
	for count > 0 && q < len(b) {
		last := ^wordAt(b, q) & continued
		if begun+bits.TrailingZeros64(last)>>3 >= wire.MaxVarintLen-1 {
			// The tenth byte must be the last, 00 or 01.
			if tenth := q - begun + wire.MaxVarintLen - 1; tenth >= len(b) || b[tenth] > 1 {
				return -1
			}
		}
		ends := last >> 7 * ones // in each byte, the varints that end in it or below
		if count <= 8 {
			// This sets the top bit of every byte that counts as many.
			if at := (ends + (0x80-count)*ones) & continued; at != 0 {
				return q + bits.TrailingZeros64(at)>>3 + 1
			}
		}
		count -= ends >> 56
		q += 8
		if last == 0 {
			begun += 8
		} else {
			begun = bits.LeadingZeros64(last) >> 3
		}
	}
	if count > 0 {
		return -1
	}
	return q
}
