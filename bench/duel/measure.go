package main

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"github.com/sofab-go/sofab/bench/data"
	"github.com/sofab-go/sofab/bench/peers"
)

// ours is the contender that the ratios are about.
const ours = "sofab"

// A cell is what was measured of one contender in one direction.
type cell struct {
	ns     float64 // per operation, median of the rounds
	ratio  float64 // its time over ours, median of the ratios within each round
	bytes  uint64  // allocated per operation
	allocs uint64
}

// A result is what was measured of one workload.
type result struct {
	workload   *data.Workload
	contenders []string // those that took part
	wire       map[string]int
	cells      map[string]map[peers.Direction]cell
}

func (r *result) cell(contender string, d peers.Direction) (cell, bool) {
	c, ok := r.cells[contender][d]
	return c, ok
}

// A plan says what to measure, and for how long.
type plan struct {
	contenders []peers.Contender
	directions []peers.Direction
	rounds     int
	batch      time.Duration // of one contender in one round
}

// A runner is one contender in one direction.
type runner struct {
	name string
	run  func() error
	n    int       // operations of one batch
	ns   []float64 // per operation, of each round
	cell cell
}

func (p *plan) measure(w *data.Workload) (*result, error) {
	r := &result{workload: w, wire: map[string]int{}, cells: map[string]map[peers.Direction]cell{}}
	bound := map[string]*peers.Operations{}
	for _, c := range p.contenders {
		ops, err := c.Bind(w)
		if err != nil {
			return nil, fmt.Errorf("%s, %s: %w", w.Name, c.Name, err)
		}
		if ops == nil {
			continue
		}
		bound[c.Name] = ops
		r.contenders = append(r.contenders, c.Name)
		r.wire[c.Name] = len(ops.Wire)
		r.cells[c.Name] = map[peers.Direction]cell{}
	}
	for _, d := range p.directions {
		var runners []*runner
		for _, name := range r.contenders {
			if run := bound[name].Run[d]; run != nil {
				runners = append(runners, &runner{name: name, run: run})
			}
		}
		if err := p.duel(runners); err != nil {
			return nil, fmt.Errorf("%s, %s: %w", w.Name, d, err)
		}
		for _, x := range runners {
			r.cells[x.name][d] = x.cell
		}
	}
	return r, nil
}

// duel lets the runners take turns, in another order in each round, so that nobody
// always follows the same one.
func (p *plan) duel(runners []*runner) error {
	for _, x := range runners {
		if err := x.prepare(p.batch); err != nil {
			return fmt.Errorf("%s: %w", x.name, err)
		}
	}
	order := rand.New(rand.NewPCG(1, 2))
	for range p.rounds {
		for _, i := range order.Perm(len(runners)) {
			x := runners[i]
			runtime.GC()
			d, err := x.batch(x.n)
			if err != nil {
				return fmt.Errorf("%s: %w", x.name, err)
			}
			x.ns = append(x.ns, float64(d.Nanoseconds())/float64(x.n))
		}
	}
	for _, x := range runners {
		x.cell.ns = median(x.ns)
		if runners[0].name == ours {
			ratios := make([]float64, p.rounds)
			for i := range ratios {
				ratios[i] = x.ns[i] / runners[0].ns[i]
			}
			x.cell.ratio = median(ratios)
		}
	}
	return nil
}

// prepare warms the runner up, finds how many operations fill a batch and counts what
// they allocate.
func (x *runner) prepare(batch time.Duration) error {
	for x.n = 1; ; x.n *= 2 {
		d, err := x.batch(x.n)
		if err != nil {
			return err
		}
		if d >= batch/2 {
			x.n = max(1, int(float64(x.n)*float64(batch)/float64(d)))
			break
		}
	}
	n := uint64(min(x.n, 1000))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := x.batch(int(n)); err != nil {
		return err
	}
	runtime.ReadMemStats(&after)
	x.cell.bytes = (after.TotalAlloc - before.TotalAlloc) / n
	x.cell.allocs = (after.Mallocs - before.Mallocs) / n
	return nil
}

func (x *runner) batch(n int) (time.Duration, error) {
	start := time.Now()
	for range n {
		if err := x.run(); err != nil {
			return 0, err
		}
	}
	return time.Since(start), nil
}

func median[T cmp.Ordered](list []T) T {
	list = slices.Clone(list)
	slices.Sort(list)
	return list[len(list)/2]
}
