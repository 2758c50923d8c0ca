//go:build !sofab_plain

package sofab

// The build tag sofab_plain turns every technique off that is there for speed only, so
// that the tests run both ways. The results are the same.
const (
	// fastPaths lets encoding and decoding take their fast prefixes; see runOps and fast.
	fastPaths = true
	// shareMemory lets the decoder cut small values out of common allocations; see memory.
	shareMemory = true
)
