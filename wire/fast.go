//go:build !sofab_plain

package wire

// wordAtATime lets varints be read and written eight bytes at a time, without a branch
// for each byte, where the slice has the room. Strings are then checked a word at a
// time, too. The build tag sofab_plain turns it off, with the same results.
const wordAtATime = true
