//go:build !race

package sofab_test

const raceEnabled = false
