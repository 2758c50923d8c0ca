//go:build race

package stream_test

// raceEnabled: the race detector makes slices.Grow allocate a second time.
const raceEnabled = true
