package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/sofab-go/sofab/bench/data"
)

// printSummary measures all workloads and prints one table for each direction: how long
// the others took, as multiples of our time, which stands in the first row.
func printSummary(w io.Writer, p *plan, list []data.Workload, format string) error {
	results := make([]*result, len(list))
	for i := range list {
		r, err := p.measure(&list[i])
		if err != nil {
			return err
		}
		results[i] = r
	}
	for _, d := range p.directions {
		rows := [][]string{{string(d)}}
		for i := range list {
			rows[0] = append(rows[0], list[i].Name)
		}
		for _, c := range p.contenders {
			row, took := []string{c.Name}, false
			for _, r := range results {
				cell, ok := r.cell(c.Name, d)
				took = took || ok
				switch {
				case !ok:
					row = append(row, "–")
				case c.Name == ours:
					row = append(row, number(cell.ns)+" ns")
				case format == "markdown":
					row = append(row, emphasized(cell.ratio, c.Name))
				default:
					row = append(row, ratio(cell.ratio))
				}
			}
			if took {
				rows = append(rows, row)
			}
		}
		fmt.Fprintln(w)
		if format != "markdown" {
			align(w, rows, 1)
			continue
		}
		for i, row := range rows {
			fmt.Fprintf(w, "| %s |\n", strings.Join(row, " | "))
			if i == 0 {
				fmt.Fprintf(w, "|---|%s\n", strings.Repeat("--:|", len(list)))
			}
		}
	}
	return nil
}
