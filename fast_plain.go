//go:build sofab_plain

package sofab

const (
	fastPaths   = false // every field goes through the general steps
	shareMemory = false // every decoded value gets an allocation of its own
)
