package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"miramundo.dev/scripts/bench/machine"
	"miramundo.dev/scripts/bench/report"
)

// A sample is what a run had done, and what it used, at a moment.
type sample struct {
	at       time.Duration // since the first sample
	answers  [3]int        // by class, since the start
	memory   int           // bytes of the largest processes of all services
	greatest int           // bytes of the largest process
}

// Classes of answers, in the order in which the plot shows them.
var classes = [3]string{"carried out", "refused, or to be paid", "unavailable, or no answer"}

// A record is what a run did over time. The zero value is empty.
type record struct {
	mu      sync.Mutex
	began   time.Time
	samples []sample
}

// sampled is how often a record takes a sample.
const sampled = 5 * time.Second

// keepRecord takes samples until ctx is done.
func (w *world) keepRecord(ctx context.Context) {
	for ctx.Err() == nil {
		w.sample()
		pause(ctx, sampled)
	}
}

// sample takes one sample. It takes none when it cannot be told which processes there are.
func (w *world) sample() {
	used, err := w.memory()
	if err != nil {
		return
	}
	s := sample{}
	for _, n := range used {
		s.memory += n
		s.greatest = max(s.greatest, n)
	}
	for name, n := range w.answers.all() {
		s.answers[class(name)] += n
	}
	w.record.mu.Lock()
	defer w.record.mu.Unlock()
	if w.record.began.IsZero() {
		w.record.began = time.Now()
	}
	s.at = time.Since(w.record.began)
	w.record.samples = append(w.record.samples, s)
}

// class returns the class of answers with a name of [world.answers].
func class(name string) int {
	switch name[0] {
	case '2', '3':
		return 0
	case '4':
		return 1
	}
	return 2
}

// lines returns what the plots show: answers a second by class, and memory in MB, over
// minutes.
func (r *record) lines() (answers, memory []report.Line) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, name := range classes {
		l := report.Line{Name: name}
		for j, s := range r.samples[1:] {
			before := r.samples[j]
			l.Points = append(l.Points, report.Point{X: s.at.Minutes(), Y: float64(s.answers[i]-before.answers[i]) / (s.at - before.at).Seconds()})
		}
		answers = append(answers, l)
	}
	all, one := report.Line{Name: "the largest of each service, in all"}, report.Line{Name: "the largest"}
	for _, s := range r.samples {
		all.Points = append(all.Points, report.Point{X: s.at.Minutes(), Y: float64(s.memory >> 20)})
		one.Points = append(one.Points, report.Point{X: s.at.Minutes(), Y: float64(s.greatest >> 20)})
	}
	return answers, []report.Line{all, one}
}

// pageHead is what the page says before its tables: the command, the day, the commit, the
// machine, the length of the run, and what became of the promises.
const pageHead = `# What breaking it showed

The service as it is deployed, on the official emulators, while processes are killed and paused, and the database and the bus are cut, slowed and
held up. Clients keep libraries, make favorites, report plays, chat, buy credits, search and play meanwhile; the
comment of ` + "`scripts/chaos`" + ` says what is checked.

` + "`%s`" + ` wrote this page (%s, commit %s, %s).

**Faults for %s, %d requests, %d libraries, %d payments, %d messages, %d answers of instances that a block was in force: %s.**
`

// writePage writes what a run did as a page with plots into a file.
func (w *world) writePage(file string) error {
	w.record.mu.Lock()
	enough := len(w.record.samples) > 1
	w.record.mu.Unlock()
	if !enough {
		return errors.New("the run has too few samples for a page: it was too short, or the processes were not listed")
	}
	requests := 0
	for _, n := range w.answers.all() {
		requests += n
	}
	broken := w.broken.list()
	outcome := "no promise was broken"
	if len(broken) > 0 {
		outcome = fmt.Sprintf("%d promises were broken", len(broken))
	}
	command := fmt.Sprintf("make chaos ARGS='-for %s -seed %d -report %s'", w.length, w.seed, file)
	m := machine.Describe()
	on := fmt.Sprintf("%d cores, %s", m.Cores, m.CPU)
	head := fmt.Sprintf(pageHead, command, time.Now().UTC().Format(time.DateOnly), w.commit, on,
		w.length, requests, len(w.libraries.all), len(w.till.all), len(w.talk.said), w.blocks.Load(), outcome)

	t := report.New(io.Discard)
	for _, c := range []struct {
		title, column string
		t             *tally
	}{{"Faults", "fault", &w.faults}, {"Answers", "status", &w.answers}} {
		t.Title(c.title)
		t.Head(c.column, "times")
		counts := c.t.all()
		for _, name := range slices.Sorted(maps.Keys(counts)) {
			t.Row(name, fmt.Sprint(counts[name]))
		}
	}
	answers, memory := w.record.lines()
	t.Title("Over time")
	t.Plot(report.Plot{Name: "answers", Title: "Answers", X: "minutes", Y: "a second", Lines: answers, Linear: true})
	t.Plot(report.Plot{Name: "memory", Title: "Memory of the processes", X: "minutes", Y: "MB", Lines: memory, Linear: true})
	if len(broken) > 0 {
		t.Title("Broken promises")
		t.Head("promise")
		for _, line := range broken {
			t.Row(line)
		}
	}
	return t.WritePage(file, head)
}
