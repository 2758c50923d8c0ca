//go:build race

package sofab_test

// raceEnabled: under the race detector pools drop values at random.
const raceEnabled = true
