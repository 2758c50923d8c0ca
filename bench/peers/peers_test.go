package peers

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sofab-go/sofab/bench/data"
)

// TestRoundTrip runs every operation that is measured, twice, and compares what it
// gives with the source.
func TestRoundTrip(t *testing.T) {
	for i := range data.Workloads {
		w := &data.Workloads[i]
		for _, c := range All {
			t.Run(w.Name+"/"+c.Name, func(t *testing.T) {
				ops, err := c.Bind(w)
				if err != nil {
					t.Fatal(err)
				}
				if ops == nil {
					t.Skip("does not take part")
				}
				for _, d := range Directions {
					run := ops.Run[d]
					if run == nil {
						continue
					}
					for range 2 {
						if err := run(); err != nil {
							t.Fatalf("%s: %v", d, err)
						}
					}
					switch d {
					case Encode, Append:
						checkEncoded(t, c.Name, w, ops, d)
					case Decode, Reuse:
						got, err := ops.Decoded(d)
						if err != nil {
							t.Fatalf("%s: %v", d, err)
						}
						checkDecoded(t, w, d, got)
					}
				}
			})
		}
	}
}

// checkEncoded demands that the message is as long as the first one and, of the two
// contenders that share the format, the very bytes.
func checkEncoded(t *testing.T, name string, w *data.Workload, ops *Operations, d Direction) {
	t.Helper()
	got := ops.Encoded(d)
	switch name {
	case "sofab", "hand-written":
		ours, err := bindSofab(w)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != w.Size {
			t.Errorf("%s gives %d bytes, want %d", d, len(got), w.Size)
		}
		if !bytes.Equal(got, ours.Wire) {
			t.Errorf("%s gives other bytes than sofab", d)
		}
	case "gob": // sends the types only once where it appends
	case "encoding/json": // ends with a line break where it appends
		if want := bytes.TrimSpace(ops.Wire); !bytes.Equal(bytes.TrimSpace(got), want) {
			t.Errorf("%s gives other bytes than a fresh encoding", d)
		}
	default:
		if !bytes.Equal(got, ops.Wire) {
			t.Errorf("%s gives other bytes than a fresh encoding", d)
		}
	}
}

// checkDecoded takes a nil slice for an empty one, which several formats cannot tell apart.
func checkDecoded(t *testing.T, w *data.Workload, d Direction, got any) {
	t.Helper()
	if reflect.DeepEqual(w.Value, got) {
		return
	}
	if diff := cmp.Diff(w.Value, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s gives another value (-source +decoded):\n%.2000s", d, diff)
	}
}
