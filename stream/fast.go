//go:build !sofab_plain

package stream

// flatSkip lets whole fields be skipped in one loop; see skipFields. The build tag
// sofab_plain turns it off, with the same results.
const flatSkip = true
