package sofab_test

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sofab-go/sofab"
)

// hostileGrowths are messages of n units whose cost must grow in proportion, because
// each unit touches something that grows.
var hostileGrowths = []struct {
	name   string
	size   int
	unit   func(i int) string
	end    string
	decode func(data []byte) error
}{
	{"leaps in a reopened wrapper", 2000, func(int) string { return "1e a2 1f 02 07" }, "", into[hostileTree](sofab.Unmarshal)},
	{"leaps in a reopened map", 500, func(int) string { return "26 a6 06 07 07" }, "", into[hostileTree](sofab.Unmarshal)},
	{"unknown fields", 20000, func(int) string { return "08 05" }, "", into[hostileUnknown](sofab.Unmarshal)},
	{"repeated RawMessage", 10000, func(int) string { return "06 00 05 07" }, "", into[hostileRaw](sofab.Unmarshal)},
	{"repeated RawField", 10000, func(int) string { return "0e 00 05 07" }, "", into[hostileRaw](sofab.Unmarshal)},
	{"RawMessage byte by byte", 20000, func(int) string { return "00 05" }, "", into[sofab.RawMessage](feedBytes)},
	{"Fields byte by byte", 10000, func(int) string { return "00 05" }, "", into[sofab.Fields](feedBytes)},
	{"required field again and again", 20000, func(int) string { return "08 05" }, "10 05", into[hostileRequired](feedBytes)},
	{"reopened any", 5000, func(int) string { return "06 3e 06 00 05 07 07 07" }, "", into[hostileAny](sofab.Unmarshal)},
	{"string in pieces", 50000, func(i int) string {
		if i == 0 {
			return "12 82 80 c0 01"
		}
		return "61"
	}, "", into[hostileTree](feedBytes)},
	{"blob at its end", 50000, func(i int) string { return "01" }, "", into[hostileTree](sofab.Unmarshal)},
	{"deep", 200, func(int) string { return strings.Repeat("2e", 255) + strings.Repeat("07", 255) }, "", into[hostileTree](sofab.Unmarshal)},
}

type hostileRequired struct {
	A uint8 `sofab:"1,presence,required"`
	B uint8 `sofab:"2,presence,required"`
}

func into[T any](decode func([]byte, any) error) func([]byte) error {
	return func(data []byte) error { return decode(data, new(T)) }
}

func feedBytes(data []byte, v any) error {
	f, err := sofab.NewFeeder(v)
	if err != nil {
		return err
	}
	for i := range data {
		err = f.Feed(data[i : i+1])
	}
	return err
}

// TestHostileTime compares the time for a message with that for one eight times as long.
// Were it in the square, the factor would be 64.
func TestHostileTime(t *testing.T) {
	if testing.Short() {
		t.Skip("measures time")
	}
	for _, g := range hostileGrowths {
		message := func(n int) []byte {
			var s strings.Builder
			for i := range n {
				s.WriteString(g.unit(i))
			}
			return unhex(t, s.String()+g.end)
		}
		best := func(data []byte) time.Duration {
			least := time.Hour
			for range 3 {
				start := time.Now()
				_ = g.decode(data)
				least = min(least, time.Since(start))
			}
			return least
		}
		short, long := message(g.size/8), message(g.size)
		factor := 0.0
		for range 20 { // a busy machine delays the long one more than the short one
			a, b := best(short), best(long)
			if factor = float64(b) / float64(a); factor < 32 {
				break
			}
		}
		if factor >= 32 {
			t.Errorf("%s: 8 times the message takes %.0f times as long", g.name, factor)
		}
	}
}

const littleMemoryVariable = "SOFAB_TEST_LITTLE_MEMORY"

// TestHostileLittleMemory runs the tests of hostile inputs in a process that has little
// memory, and would be killed for using more: running out of memory cannot be recovered
// from.
func TestHostileLittleMemory(t *testing.T) {
	if os.Getenv(littleMemoryVariable) != "" {
		t.Skip("is the child")
	}
	if runtime.GOOS != "linux" || raceEnabled || strconv.IntSize < 64 {
		t.Skip("needs Linux, and the memory layout of a plain binary")
	}
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("needs a shell")
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// The runtime reserves much of its addresses without using them, so that the limit
	// is what this process has, and some more.
	limit := addressSpace(t) + 512<<10
	cmd := exec.Command(shell, "-c", fmt.Sprintf("ulimit -v %d && exec \"$0\" \"$@\"", limit),
		exe, "-test.run=^(TestHostile|TestBudget|TestBudgetHolds)$", "-test.count=1")
	cmd.Env = append(os.Environ(), littleMemoryVariable+"=1", "GOMEMLIMIT=48MiB")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// addressSpace is the size of the address space of this process, in KiB.
func addressSpace(t *testing.T) int {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip(err)
	}
	_, text, _ := strings.Cut(string(status), "VmSize:")
	size, err := strconv.Atoi(strings.Fields(text + " 0")[0])
	if err != nil || size == 0 {
		t.Skipf("no VmSize in %q (%v)", status, err)
	}
	return size
}
