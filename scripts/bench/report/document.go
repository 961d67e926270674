package report

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"
	"time"

	"miramundo.dev/scripts/bench/machine"
)

//go:embed document.md.tmpl
var documentText string

var document = template.Must(template.New("document").Parse(documentText))

// A Run says when, of what and where a report was measured.
type Run struct {
	Date    time.Time
	Commit  string
	Command string
	Machine machine.Info
	Factor  machine.Factor
}

// Write writes the report as Markdown into file, and its plots into the folder beside
// it that has the file's name without its ending. It replaces what is there.
func (r *Report) Write(file string, run Run) error {
	r.Flush()
	text, err := r.markdown(filepath.Base(plotFolder(file)), run)
	if err != nil {
		return err
	}
	return r.save(file, text)
}

// WritePage is Write for a page that is not about a run of the bench: head is the Markdown
// above the sections.
func (r *Report) WritePage(file, head string) error {
	r.Flush()
	b := bytes.NewBufferString(head)
	for _, s := range r.sections {
		fmt.Fprintf(b, "\n## %s\n\n", escape(s.title))
		if s.limit != "" {
			fmt.Fprintf(b, "%s\n\n", s.limit)
		}
		b.WriteString(s.text(filepath.Base(plotFolder(file))))
	}
	return r.save(file, b.Bytes())
}

// plotFolder returns the folder of the plots of a document.
func plotFolder(file string) string { return strings.TrimSuffix(file, filepath.Ext(file)) }

// save writes a document and its plots, and removes the plots of the document before.
func (r *Report) save(file string, text []byte) error {
	dir := plotFolder(file)
	old, err := filepath.Glob(filepath.Join(dir, "*.svg"))
	if err != nil {
		return err
	}
	for _, name := range old {
		if err := os.Remove(name); err != nil {
			return err
		}
	}
	errs := []error{os.WriteFile(file, text, 0o644)}
	for _, s := range r.sections {
		for _, b := range s.blocks {
			if b.plot != nil {
				errs = append(errs, os.MkdirAll(dir, 0o755), b.plot.save(filepath.Join(dir, b.plot.Name+".svg")))
			}
		}
	}
	return errors.Join(errs...)
}

// markdown returns the document. Its links to plots start with dir.
func (r *Report) markdown(dir string, run Run) ([]byte, error) {
	type shown struct{ Title, Limit, Text string }
	data := struct {
		Run
		Day      string
		Goals    string
		Sections []shown
		Failures []string
	}{Run: run, Day: run.Date.UTC().Format(time.DateOnly)}
	for _, s := range r.sections {
		one := shown{escape(s.title), s.limit, s.text(dir)}
		if s.title == goalsTitle {
			data.Goals = one.Text
			continue
		}
		data.Sections = append(data.Sections, one)
	}
	for _, f := range r.failures {
		data.Failures = append(data.Failures, escape(f))
	}
	var b bytes.Buffer
	err := document.Execute(&b, data)
	return b.Bytes(), err
}

// text returns the blocks of s as Markdown.
func (s *section) text(dir string) string {
	var parts []string
	for _, b := range s.blocks {
		switch {
		case b.table != nil:
			parts = append(parts, b.table.markdown())
		case b.plot != nil:
			parts = append(parts, "!["+escape(b.plot.Title)+"]("+dir+"/"+b.plot.Name+".svg)\n")
		case strings.TrimSpace(b.note) != "":
			parts = append(parts, escape(strings.TrimSpace(b.note))+"\n")
		}
	}
	return strings.Join(parts, "\n")
}
