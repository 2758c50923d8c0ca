// Command instr does one operation on one workload n times, under a program that
// counts its instructions: see .ci/instructions. With the collector off and one thread
// of Go code, each time takes the same instructions.
package main

import (
	"flag"
	"log"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/sofab-go/sofab"
	"github.com/sofab-go/sofab/bench/data"
)

func main() {
	log.SetFlags(0)
	name := flag.String("w", "full", "workload")
	op := flag.String("op", "marshal", "marshal, append or unmarshal")
	n := flag.Int("n", 1, "number of times")
	flag.Parse()
	debug.SetGCPercent(-1)
	runtime.GOMAXPROCS(1)
	w := data.Find(*name)
	if w == nil || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	var err error
	switch *op {
	case "marshal":
		err = marshal(w, *n)
	case "append":
		err = appendMessage(w, *n)
	case "unmarshal":
		err = unmarshal(w, *n)
	default:
		flag.Usage()
		os.Exit(2)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// Instructions are counted within marshal, appendMessage and unmarshal.

//go:noinline
func marshal(w *data.Workload, n int) error {
	for range n {
		if _, err := sofab.Marshal(w.Value); err != nil {
			return err
		}
	}
	return nil
}

//go:noinline
func appendMessage(w *data.Workload, n int) (err error) {
	buf := make([]byte, 0, 2*w.Size)
	for range n {
		if buf, err = sofab.MarshalAppend(buf[:0], w.Value); err != nil {
			return err
		}
	}
	return nil
}

//go:noinline
func unmarshal(w *data.Workload, n int) error {
	message, err := sofab.Marshal(w.Value)
	if err != nil {
		return err
	}
	for range n {
		if err := sofab.Unmarshal(message, w.Fresh()); err != nil {
			return err
		}
	}
	return nil
}
