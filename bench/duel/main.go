// Command duel lets all contenders encode and decode the same messages, taking turns
// within one process, and prints what it took them.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/sofab-go/sofab/bench/data"
	"github.com/sofab-go/sofab/bench/peers"
)

// ballast keeps the heap at a size that programs have. With an empty one the collector
// would run every few operations and hit whoever allocates least.
const ballast = 64 << 20

func main() {
	log.SetFlags(0)
	workloads := flag.String("workloads", "all", "comma-separated names")
	directions := flag.String("directions", "all", "comma-separated: enc, append, dec, reuse, skip")
	contenders := flag.String("contenders", "all", "comma-separated names; sofab always takes part")
	rounds := flag.Int("rounds", 7, "rounds, in each of which everybody has one turn")
	batch := flag.Duration("time", 30*time.Millisecond, "length of one turn")
	format := flag.String("format", "text", "text or markdown")
	targets := flag.Bool("targets", false, "print the performance targets and whether they are met")
	summary := flag.Bool("summary", false, "print one table for each direction, with all workloads")
	flag.Parse()
	if flag.NArg() > 0 || *rounds < 1 || *batch <= 0 || *format != "text" && *format != "markdown" {
		flag.Usage()
		os.Exit(2)
	}
	p := plan{rounds: *rounds, batch: *batch}
	names := *contenders
	if names != "all" {
		names = ours + "," + names
	}
	p.contenders = chosen("contender", names, peers.All, func(c peers.Contender) string { return c.Name })
	p.directions = chosen("direction", *directions, peers.Directions, func(d peers.Direction) string { return string(d) })
	list := chosen("workload", *workloads, data.Workloads, func(w data.Workload) string { return w.Name })

	weight := make([]byte, ballast)
	printHead(os.Stdout, &p, *format)
	var err error
	switch {
	case *targets:
		err = printTargets(os.Stdout, &p, list, *format)
	case *summary:
		err = printSummary(os.Stdout, &p, list, *format)
	default:
		err = printTables(os.Stdout, &p, list, *format)
	}
	runtime.KeepAlive(weight)
	if err != nil {
		log.Fatal(err)
	}
}

// chosen are the elements of all that names lists, in the order of all.
func chosen[T any](what, names string, all []T, name func(T) string) []T {
	if names == "all" {
		return all
	}
	want := map[string]bool{}
	for n := range strings.SplitSeq(names, ",") {
		want[strings.TrimSpace(n)] = true
	}
	var list []T
	for _, x := range all {
		if want[name(x)] {
			list = append(list, x)
			delete(want, name(x))
		}
	}
	for n := range want {
		known := make([]string, len(all))
		for i, x := range all {
			known[i] = name(x)
		}
		log.Fatalf("there is no %s %q; there are %s", what, n, strings.Join(known, ", "))
	}
	return list
}

// processor is the name of the CPU, as far as the system tells.
func processor() string {
	info, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(info)) {
		if key, value, _ := strings.Cut(line, ":"); strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown CPU"
}

// version is that of the module in the build, "" where the build does not say.
func version(module string) string {
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		return ""
	}
	for _, m := range info.Deps {
		if m.Path == module {
			return m.Version
		}
	}
	return ""
}

// modules are those of the contenders that have a version of their own.
var modules = []string{
	"google.golang.org/protobuf", "github.com/planetscale/vtprotobuf", "github.com/tinylib/msgp",
	"github.com/vmihailenco/msgpack/v5", "github.com/fxamacker/cbor/v2", "github.com/bytedance/sonic",
	"github.com/go-json-experiment/json",
}

func head(p *plan) []string {
	lines := []string{
		fmt.Sprintf("%s, %d CPUs, %s/%s, %s, %s", processor(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH,
			runtime.Version(), time.Now().UTC().Format(time.DateOnly)),
		fmt.Sprintf("Medians of %d rounds with turns of %v, %d MB of ballast on the heap.", p.rounds, p.batch, ballast>>20),
		"× is time ÷ time of sofab in the same round: above 1 is slower than sofab, below 1 is faster.",
	}
	var peers []string
	for _, m := range modules {
		if v := version(m); v != "" {
			peers = append(peers, m+" "+v)
		}
	}
	return append(lines, strings.Join(peers, ", "))
}
