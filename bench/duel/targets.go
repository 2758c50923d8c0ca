package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/sofab-go/sofab/bench/data"
	"github.com/sofab-go/sofab/bench/peers"
)

// A speedTarget is a row of ratios that are demanded of a workload: the time of a peer
// over ours, at least, and our time over that of the hand-written code, at most.
type speedTarget struct {
	workloads  []string
	peers      map[string][2]float64 // encoding, decoding
	byHandMost float64               // of the direction append; 0 for none
}

var speedTargets = []speedTarget{
	{[]string{"full"}, map[string][2]float64{"protobuf-go": {2.3, 2.4}, "vtprotobuf": {1.3, 1.9}, "msgp": {1.0, 1.3}, "encoding/json": {7, 19}}, 1.15},
	{[]string{"typical", "small"}, map[string][2]float64{"protobuf-go": {2.2, 2.0}, "vtprotobuf": {0.9, 0.95}, "msgp": {0.9, 1.0}, "encoding/json": {5, 15}}, 1.3},
	{[]string{"perf12"}, map[string][2]float64{"protobuf-go": {2.1, 2.0}, "vtprotobuf": {1.0, 1.2}, "msgp": {0.95, 1.3}, "encoding/json": {8, 20}}, 1.25},
	{[]string{"u64x1000", "random1e5"}, map[string][2]float64{"protobuf-go": {2.5, 2.8}, "vtprotobuf": {2.1, 3.0}, "msgp": {1.0, 1.0}, "encoding/json": {9, 40}}, 1.05},
	{[]string{"composite"}, map[string][2]float64{"protobuf-go": {2.2, 2.2}, "vtprotobuf": {0.9, 1.4}, "msgp": {1.0, 1.0}, "encoding/json": {3.4, 8}}, 1.0},
	{[]string{"orders"}, map[string][2]float64{"protobuf-go": {3.0, 2.9}, "vtprotobuf": {0.95, 1.9}, "msgp": {1.0, 1.7}, "encoding/json": {5.5, 18}}, 1.05},
	{[]string{"wide"}, map[string][2]float64{"protobuf-go": {3.3, 1.8}, "vtprotobuf": {1.9, 4}, "encoding/json": {9, 35}}, 0},
}

// targetPeers are those that a target names, in the order of the table.
var targetPeers = []string{"protobuf-go", "vtprotobuf", "msgp", "encoding/json"}

// columns are the directions of the two ratios of a peer.
var columns = [2]peers.Direction{peers.Encode, peers.Decode}

const (
	byHand = "hand-written"
	memcpy = "memcpy"
)

// An absoluteTarget is demanded of our own figures.
type absoluteTarget struct {
	workload string
	what     string
	limit    float64
	least    bool // the figure must be at least the limit, not at most
	figure   func(r *result) float64
}

var absoluteTargets = []absoluteTarget{
	{"blob1MB", "enc ÷ memcpy", 1.05, false, func(r *result) float64 { return r.over(memcpy, peers.Encode) }},
	{"blob1MB", "append ÷ memcpy", 1.05, false, func(r *result) float64 { return r.over(memcpy, peers.Append) }},
	{"blob1MB", "dec ÷ memcpy", 1.05, false, func(r *result) float64 { return r.over(memcpy, peers.Decode) }},
	{"blob1MB", "alias+reuse, ns", 100, false, func(r *result) float64 { return r.cells[ours][peers.Reuse].ns }},
	{"full", "enc, allocs", 1, false, allocsOf(peers.Encode)},
	{"full", "append, allocs", 0, false, allocsOf(peers.Append)},
	{"full", "dec, allocs", 3, false, allocsOf(peers.Decode)},
	{"orders", "enc, allocs", 1, false, allocsOf(peers.Encode)},
	{"orders", "append, allocs", 0, false, allocsOf(peers.Append)},
	{"orders", "dec, allocs", 20, false, allocsOf(peers.Decode)},
	{"small", "alias+reuse, allocs", 0, false, allocsOf(peers.Reuse)},
	{"typical", "alias+reuse, allocs", 0, false, allocsOf(peers.Reuse)},
	{"full", "skip, GB/s", 3, true, speedOf(peers.Skip)},
	{"perf12", "skip, GB/s", 3, true, speedOf(peers.Skip)},
	{"orders", "skip, GB/s", 3, true, speedOf(peers.Skip)},
	{"orders", "skip, allocs", 0, false, allocsOf(peers.Skip)},
}

// over is our time over that of the peer.
func (r *result) over(peer string, d peers.Direction) float64 {
	if c, ok := r.cell(peer, d); ok {
		return 1 / c.ratio
	}
	return 0
}

func allocsOf(d peers.Direction) func(*result) float64 {
	return func(r *result) float64 { return float64(r.cells[ours][d].allocs) }
}

func speedOf(d peers.Direction) func(*result) float64 {
	return func(r *result) float64 { return float64(r.wire[ours]) / r.cells[ours][d].ns }
}

// printTargets measures what the targets speak of, whatever contenders and directions
// are chosen, and prints each with what was measured.
func printTargets(w io.Writer, p *plan, list []data.Workload, format string) error {
	names := strings.Join(append(targetPeers, ours, byHand, memcpy), ",")
	p.contenders = chosen("contender", names, peers.All, func(c peers.Contender) string { return c.Name })
	p.directions = peers.Directions
	results := map[string]*result{}
	for i := range list {
		r, err := p.measure(&list[i])
		if err != nil {
			return err
		}
		results[list[i].Name] = r
	}
	rows := [][]string{{"workload", "figure", "target", "measured", ""}}
	missed := 0
	row := func(workload, what, target string, value float64, met bool) {
		verdict := "met"
		if !met {
			verdict = "MISSED"
			missed++
		}
		rows = append(rows, []string{workload, what, target, ratio(value), verdict})
	}
	for _, t := range speedTargets {
		for _, name := range t.workloads {
			if r := results[name]; r != nil {
				t.rows(r, row)
			}
		}
	}
	for _, t := range absoluteTargets {
		r := results[t.workload]
		if r == nil {
			continue
		}
		value, sign := t.figure(r), "≤ "
		if t.least {
			sign = "≥ "
		}
		row(t.workload, t.what, sign+ratio(t.limit), value, value == t.limit || value > t.limit == t.least)
	}
	fmt.Fprintln(w)
	if format == "markdown" {
		for i, r := range rows {
			fmt.Fprintf(w, "| %s |\n", strings.Join(r, " | "))
			if i == 0 {
				fmt.Fprintln(w, "|---|---|--:|--:|---|")
			}
		}
	} else {
		align(w, rows, 2)
	}
	fmt.Fprintf(w, "\n%d of %d targets missed.\n", missed, len(rows)-1)
	return nil
}

func (t *speedTarget) rows(r *result, row func(workload, what, target string, value float64, met bool)) {
	for _, peer := range targetPeers {
		want, ok := t.peers[peer]
		if !ok {
			continue
		}
		for i, d := range columns {
			got := r.cells[peer][d].ratio
			row(r.workload.Name, fmt.Sprintf("%s %s ÷ ours", peer, d), "≥ "+ratio(want[i]), got, got >= want[i])
		}
	}
	if t.byHandMost > 0 {
		got := r.over(byHand, peers.Append)
		row(r.workload.Name, "append ÷ "+byHand, "≤ "+ratio(t.byHandMost), got, got <= t.byHandMost)
	}
}
