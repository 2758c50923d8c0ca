package sofab_test

import (
	"math"
	"testing"

	"github.com/sofab-go/sofab"
	"github.com/sofab-go/sofab/wire"
)

// On a 32-bit platform an array whose memory has no address is over the limit, however much
// the limits allow.
func TestArraysBeyondTheAddressSpace(t *testing.T) {
	if math.MaxInt > math.MaxInt32 {
		t.Skip("there is no such array on a 64-bit platform")
	}
	const n = 300_000_000
	codec := newCodec(sofab.Options{Limits: sofab.Limits{Array: wire.MaxArray, Memory: 1 << 40}})
	data := make([]byte, 0, n+20)
	data = append(data, 0x0a, 0x0a, 'A', 0x03)
	data = wire.AppendVarint(data, n)
	data = data[:len(data)+n]
	for range 2 { // the second one begins with a slab
		var v struct {
			L []uint64 `sofab:"0"`
			S string   `sofab:"1"`
		}
		const want = "sofab: L: 2400000000 bytes are over the limit of 2147483647 at offset 4; raise Options.Limits.Memory"
		if err := codec.Unmarshal(data, &v); textOf(err) != want || v.S != "A" {
			t.Errorf("%q, %v\nwant %s", v.S, err, want)
		}
	}
}
