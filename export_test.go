package sofab

import "github.com/sofab-go/sofab/stream"

// EncodeThroughBuffer encodes the message of v through a buffer of the given size that
// is handed on whenever it is full, and returns what was handed on, also beside an
// error.
func EncodeThroughBuffer(v any, size int) ([]byte, error) {
	var written []byte
	s := new(encodeState)
	err := s.ResetBuffer(make([]byte, size), 0, func(_ *stream.Encoder, p []byte) error {
		written = append(written, p...)
		return nil
	})
	if err == nil {
		err = std.encode(s, v)
	}
	if err == nil {
		err = s.Flush()
	}
	return written, err
}

// TableText is the compiled table of the message of v, as it prints.
func TableText(v any) string { return std.types.entryOf(v).table.String() }

// SharesMemory is whether small decoded values share allocations.
const SharesMemory = shareMemory

// FastPaths is whether the fast prefixes are on.
const FastPaths = fastPaths

// IsSimple reports whether Unmarshal decodes into v without a pooled state.
func IsSimple(v any) bool { return std.types.entryOf(v).simple }

// StringOf is a string over the bytes of b, which must not change from now on.
func StringOf(b []byte) string { return stringOf(b) }
