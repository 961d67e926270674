// Package table prints the figures of a measurement, beside their goals.
package table

import (
	"fmt"
	"io"
	"time"
)

// A Table prints rows of figures.
type Table struct{ out io.Writer }

// New returns a table that prints to out.
func New(out io.Writer) *Table { return &Table{out} }

// Title prints the heading of the rows that follow.
func (t *Table) Title(s string) { fmt.Fprintf(t.out, "\n## %s\n", s) }

// Head prints the names of the columns, after an empty line.
func (t *Table) Head(cells ...string) {
	fmt.Fprintln(t.out)
	t.Row(cells...)
}

// Row prints a row, whose first cell is the name of the figure.
func (t *Table) Row(cells ...string) {
	fmt.Fprintf(t.out, "%-40s", cells[0])
	for _, c := range cells[1:] {
		fmt.Fprintf(t.out, " %14s", c)
	}
	fmt.Fprintln(t.out)
}

// Goal prints a figure beside its goal in the design, and whether it is reached.
func (t *Table) Goal(name, reached, asked string, ok bool) {
	t.Row(name, reached, "", asked, Verdict(ok))
}

// Verdict returns whether a goal is reached, in a word.
func Verdict(ok bool) string {
	if ok {
		return "reached"
	}
	return "MISSED"
}

// Micros returns d in microseconds.
func Micros(d time.Duration) string { return fmt.Sprintf("%.1f", float64(d.Nanoseconds())/1000) }
