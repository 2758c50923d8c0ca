package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/sofab-go/sofab/bench/data"
)

func printHead(w io.Writer, p *plan, format string) {
	for _, line := range head(p) {
		if format == "markdown" {
			line += "  "
		}
		fmt.Fprintln(w, line)
	}
	fmt.Fprintln(w)
	for _, c := range p.contenders {
		if c.Note != "" {
			if format == "markdown" {
				fmt.Fprintf(w, "* %s: %s\n", c.Name, c.Note)
			} else {
				fmt.Fprintf(w, "%-14s %s\n", c.Name, c.Note)
			}
		}
	}
}

// printTables measures the workloads and prints one table for each as soon as it is done.
func printTables(w io.Writer, p *plan, list []data.Workload, format string) error {
	for i := range list {
		r, err := p.measure(&list[i])
		if err != nil {
			return err
		}
		if format == "markdown" {
			printMarkdown(w, p, r)
		} else {
			printText(w, p, r)
		}
	}
	return nil
}

func printText(w io.Writer, p *plan, r *result) {
	groups := []string{"", ""}
	rows := [][]string{{r.workload.Name, "wire"}}
	for _, d := range p.directions {
		groups = append(groups, string(d), "", "", "")
		rows[0] = append(rows[0], "ns", "×", "B/op", "allocs")
	}
	rows = append([][]string{groups}, rows...)
	for _, name := range r.contenders {
		row := []string{name, strconv.Itoa(r.wire[name])}
		for _, d := range p.directions {
			if c, ok := r.cell(name, d); ok {
				row = append(row, number(c.ns), ratio(c.ratio), strconv.FormatUint(c.bytes, 10), strconv.FormatUint(c.allocs, 10))
			} else {
				row = append(row, "–", "", "", "")
			}
		}
		rows = append(rows, row)
	}
	fmt.Fprintln(w)
	align(w, rows, 1)
}

// align prints rows whose first columns stand left and the others right.
func align(w io.Writer, rows [][]string, left int) {
	width := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, s := range row {
			width[i] = max(width[i], utf8.RuneCountInString(s))
		}
	}
	for _, row := range rows {
		var line strings.Builder
		for i, s := range row {
			if i > 0 {
				line.WriteString("  ")
			}
			space := strings.Repeat(" ", width[i]-utf8.RuneCountInString(s))
			if i < left {
				line.WriteString(s + space)
			} else {
				line.WriteString(space + s)
			}
		}
		fmt.Fprintln(w, strings.TrimRight(line.String(), " "))
	}
}

func printMarkdown(w io.Writer, p *plan, r *result) {
	fmt.Fprintf(w, "\n| %s | wire |", r.workload.Name)
	for _, d := range p.directions {
		fmt.Fprintf(w, " %s: ns | × | B, allocs |", d)
	}
	fmt.Fprint(w, "\n|---|--:|", strings.Repeat("--:|--:|--:|", len(p.directions)), "\n")
	for _, name := range r.contenders {
		fmt.Fprintf(w, "| %s | %d |", name, r.wire[name])
		for _, d := range p.directions {
			if c, ok := r.cell(name, d); ok {
				fmt.Fprintf(w, " %s | %s | %d, %d |", number(c.ns), emphasized(c.ratio, name), c.bytes, c.allocs)
			} else {
				fmt.Fprint(w, " | | |")
			}
		}
		fmt.Fprintln(w)
	}
}

// emphasized marks the ratios of those that are faster than we are.
func emphasized(x float64, name string) string {
	if name != ours && x > 0 && x < 1 {
		return "**" + ratio(x) + "**"
	}
	return ratio(x)
}

// ratio has two places below 10, one below 100.
func ratio(x float64) string {
	switch {
	case x < 9.995:
		return strconv.FormatFloat(x, 'f', 2, 64)
	case x < 99.95:
		return strconv.FormatFloat(x, 'f', 1, 64)
	}
	return strconv.FormatFloat(x, 'f', 0, 64)
}

// number has one place where it is small.
func number(ns float64) string {
	if ns < 100 {
		return strconv.FormatFloat(ns, 'f', 1, 64)
	}
	return strconv.FormatFloat(ns, 'f', 0, 64)
}
