package wire

// AppendHeader appends the header of a field (section 1.5). The id must not be
// above [MaxID]; a sequence end is written with id 0.
func AppendHeader(b []byte, id ID, t Type) []byte {
	return AppendVarint(b, uint64(id)<<3|uint64(t))
}

// PutHeader writes a header at the start of b, which must have room for it, and
// returns the number of bytes written, 5 at the most.
func PutHeader(b []byte, id ID, t Type) int {
	return PutVarint(b, uint64(id)<<3|uint64(t))
}

// ConsumeHeader reads a header. An id above [MaxID] is [BadID], also that of a
// sequence end.
func ConsumeHeader(b []byte) (id ID, t Type, n int) {
	if len(b) > 0 && b[0] < 0x80 {
		return ID(b[0] >> 3), Type(b[0] & 7), 1
	}
	u, n := consumeLongVarint(b)
	if n < 0 {
		return 0, 0, n
	}
	if u>>3 > MaxID {
		return 0, 0, BadID
	}
	return ID(u >> 3), Type(u & 7), n
}

// SizeHeader is the length of a header with this id.
func SizeHeader(id ID) int { return SizeVarint(uint64(id) << 3) }
