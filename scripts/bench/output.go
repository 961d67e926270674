package main

import (
	"fmt"
	"io"
	"time"
)

// A table prints rows of figures.
type table struct{ out io.Writer }

func newTable(out io.Writer) *table { return &table{out} }

func (t *table) title(s string) { fmt.Fprintf(t.out, "\n## %s\n", s) }

func (t *table) head(cells ...string) {
	fmt.Fprintln(t.out)
	t.row(cells...)
}

func (t *table) row(cells ...string) {
	fmt.Fprintf(t.out, "%-40s", cells[0])
	for _, c := range cells[1:] {
		fmt.Fprintf(t.out, " %14s", c)
	}
	fmt.Fprintln(t.out)
}

// goal prints a figure beside its goal in the design, and whether it is reached.
func (t *table) goal(name, reached, asked string, ok bool) {
	t.row(name, reached, "", asked, verdict(ok))
}

// time prints a processor time as measured, the same on the machine of the goals,
// and the goal, which is compared with the latter.
func (t *table) time(name string, f figure, asked time.Duration) {
	t.row(name, micros(f.reached), micros(f.scaled), micros(asked), verdict(f.scaled <= asked))
}

func verdict(ok bool) string {
	if ok {
		return "reached"
	}
	return "MISSED"
}

func micros(d time.Duration) string { return fmt.Sprintf("%.1f", float64(d.Nanoseconds())/1000) }
