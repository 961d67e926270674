// Package report collects the figures of a run of the bench: sections with tables,
// the goals that they are judged by, and plots. It prints each table as text as soon
// as it is complete, and writes the whole run as a Markdown document.
package report

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"
)

// A Report has the figures of a run, in the order in which they were added. Its
// methods must not be called concurrently.
type Report struct {
	out      io.Writer
	sections []*section
	open     *table // the table whose rows are being added; nil for none
	reached  map[*Goal]float64
	failures []string
}

// A section is a titled group of figures.
type section struct {
	title, limit string
	blocks       []block
}

// A block is a table, a note or a plot.
type block struct {
	table *table
	note  string
	plot  *Plot
}

// A table has rows of cells. The first row names the columns.
type table struct{ rows [][]string }

// New returns a report that prints its tables to out.
func New(out io.Writer) *Report { return &Report{out: out, reached: map[*Goal]float64{}} }

// Title starts a section.
func (r *Report) Title(title string) {
	r.Flush()
	r.sections = append(r.sections, &section{title: title})
	fmt.Fprintf(r.out, "\n## %s\n", title)
}

// Limit says what limits the figures of the section. It is shown in the document
// only.
func (r *Report) Limit(sentence string) { r.section().limit = sentence }

// Head starts a table, and names its columns.
func (r *Report) Head(cells ...string) {
	r.Flush()
	r.open = &table{[][]string{cells}}
	r.add(block{table: r.open})
}

// Row adds a row, whose first cell is the name of the figure.
func (r *Report) Row(cells ...string) {
	if r.open == nil {
		r.Head("figure", "reached")
	}
	r.open.rows = append(r.open.rows, cells)
}

// Goal adds a row with a figure beside its goal in the design, and whether it is
// reached.
func (r *Report) Goal(name, reached, asked string, ok bool) {
	r.Row(name, reached, "", asked, Verdict(ok))
}

// Note adds a line of text.
func (r *Report) Note(format string, args ...any) {
	r.Flush()
	text := fmt.Sprintf(format, args...)
	r.add(block{note: text})
	fmt.Fprintln(r.out, text)
}

// Plot adds a plot. It is shown in the document only.
func (r *Report) Plot(p Plot) {
	r.Flush()
	r.add(block{plot: &p})
}

// Fail notes that a part of the run has failed.
func (r *Report) Fail(part string, err error) {
	r.Flush()
	r.failures = append(r.failures, part+": "+err.Error())
}

// Failures returns what was passed to Fail.
func (r *Report) Failures() []string { return r.failures }

// Flush prints the table whose rows were added last.
func (r *Report) Flush() {
	if r.open != nil {
		fmt.Fprintf(r.out, "\n%s", r.open.text())
		r.open = nil
	}
}

func (r *Report) add(b block) {
	s := r.section()
	s.blocks = append(s.blocks, b)
}

func (r *Report) section() *section {
	if len(r.sections) == 0 {
		r.sections = append(r.sections, &section{})
	}
	return r.sections[len(r.sections)-1]
}

// widths returns the width of each column, in characters.
func (t *table) widths() (widths []int) {
	for _, row := range t.rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	return widths
}

// text returns t in columns: the first is aligned to the left, the others to the
// right.
func (t *table) text() string {
	var b strings.Builder
	widths := t.widths()
	for _, row := range t.rows {
		for i, cell := range row {
			switch space := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)); {
			case i > 0:
				b.WriteString("  " + space + cell)
			case len(row) > 1:
				b.WriteString(cell + space)
			default:
				b.WriteString(cell)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// wide is the width in characters above which a column is one of sentences, which Markdown
// aligns to the left like the first column.
const wide = 40

// markdown returns t as a Markdown table.
func (t *table) markdown() string {
	var b strings.Builder
	widths := t.widths()
	columns := len(widths)
	line := func(cells []string) {
		b.WriteByte('|')
		for i := range columns {
			cell := ""
			if i < len(cells) {
				cell = strings.TrimSpace(cells[i])
			}
			b.WriteString(" " + escape(cell) + " |")
		}
		b.WriteByte('\n')
	}
	line(t.rows[0])
	for i, width := range widths {
		switch {
		case i == 0:
			b.WriteString("| --- |")
		case width > wide:
			b.WriteString(" --- |")
		default:
			b.WriteString(" ---: |")
		}
	}
	b.WriteByte('\n')
	for _, row := range t.rows[1:] {
		line(row)
	}
	return b.String()
}

// escape escapes what Markdown would read as markup in a cell or a note.
func escape(s string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", "*", `\*`, "_", `\_`, "`", "\\`", "\n", " ").Replace(s)
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
