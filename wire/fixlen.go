package wire

// AppendFixlenWord appends the word in front of a fixlen value (section 1.6):
// its length in bytes, at most [MaxFixlen], and its subtype.
func AppendFixlenWord(b []byte, length int, s Subtype) []byte {
	return AppendVarint(b, uint64(length)<<3|uint64(s))
}

// PutFixlenWord writes a fixlen word at the start of b, which must have room for
// it, and returns the number of bytes written, 5 at the most.
func PutFixlenWord(b []byte, length int, s Subtype) int {
	return PutVarint(b, uint64(length)<<3|uint64(s))
}

// ConsumeFixlenWord reads a fixlen word. A reserved subtype, a float whose length
// is not that of its type and a length above [MaxFixlen] are malformed, before any
// byte of the payload is looked at.
func ConsumeFixlenWord(b []byte) (length int, s Subtype, n int) {
	u, n := ConsumeVarint(b)
	if n < 0 {
		return 0, 0, n
	}
	s = Subtype(u & 7)
	if s > Blob {
		return 0, 0, BadSubtype
	}
	if w := s.Width(); w != 0 && u>>3 != uint64(w) {
		return 0, 0, BadFloatWidth
	}
	if u>>3 > MaxFixlen {
		return 0, 0, BadLength
	}
	return int(u >> 3), s, n
}

// SizeFixlenWord is the length of the fixlen word of a value of that many bytes.
func SizeFixlenWord(length int) int { return SizeVarint(uint64(length) << 3) }
