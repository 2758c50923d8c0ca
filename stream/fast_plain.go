//go:build sofab_plain

package stream

const flatSkip = false // fields are skipped step by step
