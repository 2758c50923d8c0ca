package sofab

import (
	"math"

	"github.com/sofab-go/sofab/stream"
)

// noSizeEnd is the offset behind a message that no maxsize bounds.
const noSizeEnd = math.MaxInt64

// checkSize is an error if the body of a struct, which started where so many bytes were
// written, is over the maxsize of its type.
func (s *encodeState) checkSize(t *table, start int64) error {
	if size := s.Written() - start; t.maxsize > 0 && size > int64(t.maxsize) {
		return &BoundError{Offset: -1, Bound: "maxsize", Limit: int64(t.maxsize), Got: size}
	}
	return nil
}

// openSized enters the bound of a struct whose body starts here.
func (d *decodeState) openSized(fr *frame) {
	fr.outerEnd = d.sizeEnd
	d.sizeEnd = min(d.sizeEnd, d.p.Offset()+int64(fr.table.maxsize))
}

// checkSize ends a step that did not end as Done. Bytes that were consumed behind the
// bound of an open struct are a fault; it comes before any other that was found behind
// them, so that it does not depend on how the input was cut.
func (d *decodeState) checkSize(status stream.Status) stream.Status {
	if d.p.Offset() <= d.sizeEnd || 0 < d.raw.over && d.raw.over < d.sizeEnd {
		return status
	}
	return d.oversize()
}

// oversize fails because the body of an open struct goes on behind sizeEnd.
func (d *decodeState) oversize() stream.Status {
	i := len(d.frames) - 1
	for d.frames[i].table == nil || d.frames[i].table.maxsize == 0 || d.frames[i].outerEnd == d.sizeEnd {
		i--
	}
	limit := int64(d.frames[i].table.maxsize)
	d.fault = &BoundError{Path: d.pathOf(d.frames[:i+1], false), Offset: d.sizeEnd, Bound: "maxsize", Limit: limit, Got: limit + 1}
	return stream.Failed
}
