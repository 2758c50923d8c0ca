package sofab_test

import (
	"runtime"
	"testing"

	"github.com/sofab-go/sofab"
)

type keptItem struct {
	S string `sofab:"1"`
	N uint64 `sofab:"2"`
}

type keptGroup struct {
	Items []keptItem `sofab:"1"`
}

type keptMessage struct {
	Groups []keptGroup `sofab:"1"`
}

func keptGroups(groups, items int) keptMessage {
	m := keptMessage{Groups: make([]keptGroup, groups)}
	for i := range m.Groups {
		for n := range items {
			m.Groups[i].Items = append(m.Groups[i].Items, keptItem{S: "x", N: uint64(n + 1)})
		}
	}
	return m
}

// TestRetention keeps a small slice out of each of many messages, whatever the message
// before it looked like. It must not hold on to more than the allocations that small
// values share.
func TestRetention(t *testing.T) {
	const kept = 50
	for name, before := range map[string]keptMessage{
		"many small slices": keptGroups(100, 20),
		"one large slice":   keptGroups(1, 20000),
		"one small slice":   keptGroups(1, 3),
		"two large slices":  keptGroups(2, 10000),
	} {
		t.Run(name, func(t *testing.T) {
			first, second := mustMarshal(t, before), mustMarshal(t, keptGroups(200, 100))
			var slices [kept][]keptItem
			for i := range slices {
				var a, b keptMessage
				if err := sofab.Unmarshal(first, &a); err != nil {
					t.Fatal(err)
				}
				if err := sofab.Unmarshal(second, &b); err != nil {
					t.Fatal(err)
				}
				slices[i] = b.Groups[i%200].Items[:1:1]
			}
			with := liveHeap()
			runtime.KeepAlive(&slices)
			clear(slices[:])
			per := (with - min(with, liveHeap())) / kept
			// The elements of a slice share 8 KiB, and their strings 4 KiB; a slice may
			// have grown out of one.
			if per > 32<<10 {
				t.Errorf("a slice of 100 elements retains %d bytes", per)
			}
		})
	}
}

func liveHeap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestRetentionOfTexts is the same for a list of strings behind a larger one, for which there
// is room ahead.
func TestRetentionOfTexts(t *testing.T) {
	type list struct {
		T []string `sofab:"0"`
	}
	type message struct {
		L    []list `sofab:"0"`
		Rest []byte `sofab:"1"`
	}
	const kept = 20
	many := make([]string, 20000)
	for i := range many {
		many[i] = "x"
	}
	first := mustMarshal(t, message{L: []list{{many}}})
	second := mustMarshal(t, message{[]list{{many[:600]}, {many[:2]}}, make([]byte, 1<<19)})
	var slices [kept][]string
	for i := range slices {
		var a, b message
		if err := sofab.Unmarshal(first, &a); err != nil {
			t.Fatal(err)
		}
		if err := sofab.Unmarshal(second, &b); err != nil {
			t.Fatal(err)
		}
		slices[i] = b.L[1].T
	}
	with := liveHeap()
	runtime.KeepAlive(&slices)
	clear(slices[:])
	if per := (with - min(with, liveHeap())) / kept; per > 32<<10 {
		t.Errorf("a slice of 2 strings retains %d bytes", per)
	}
}
