package usage

import (
	"time"

	"github.com/axiomhq/hyperloglog"

	"miramundo.dev/shared/agent"
	"miramundo.dev/shared/identity"
)

// A batch is what is counted until the next tally. Its maps keep their keys when it
// is emptied, so that counting what was counted before allocates nothing.
type batch struct {
	day   identity.Day
	last  time.Time // when something was counted last
	empty bool

	routes   map[string]*Route
	surfaces [surfaces][agent.Kinds]int64
	families map[string]int64 // of assistants
	labels   map[string]int64
	sketches map[string]*hyperloglog.Sketch
}

func newBatch() batch {
	return batch{
		empty: true, routes: map[string]*Route{}, families: map[string]int64{}, labels: map[string]int64{},
		sketches: map[string]*hyperloglog.Sketch{},
	}
}

// begin makes an empty batch one of a day.
func (b *batch) begin(day identity.Day) {
	b.day, b.last = day, day.Start()
	clear(b.labels) // names of callers that may not come again
}

// route returns the counts of a route; those of Unmatched for "".
func (b *batch) route(name string) *Route {
	if name == "" {
		name = Unmatched
	}
	r := b.routes[name]
	if r == nil {
		r = new(Route)
		b.routes[name] = r
	}
	return r
}

// label counts one more of a label.
func (b *batch) label(label string) { b.labels[bounded(b.labels, label, maxNamed)]++ }

// sketch returns a sketch to add to.
func (b *batch) sketch(name string) *hyperloglog.Sketch {
	s := b.sketches[name]
	if s == nil {
		s = newSketch()
		b.sketches[name] = s
	}
	return s
}

// take returns what b has, and empties it.
func (b *batch) take() Counts {
	c := Counts{Routes: map[string]Route{}, Labels: map[string]int64{}, Sketches: map[string]Sketch{}}
	for name, r := range b.routes {
		if r.Calls > 0 {
			c.Routes[name] = *r
			*r = Route{}
		}
	}
	note := func(label string, n int64) {
		if n > 0 {
			c.Labels[label] = n
		}
	}
	for s := range surfaces {
		for k := range agent.Kinds {
			note(callsLabel(s, k), b.surfaces[s][k])
			b.surfaces[s][k] = 0
		}
	}
	for family, n := range b.families {
		note(Label(assistants, family), n)
		b.families[family] = 0
	}
	for label, n := range b.labels {
		note(label, n)
		b.labels[label] = 0
	}
	for name, s := range b.sketches {
		c.Sketches[name] = encode(s)
	}
	clear(b.sketches)
	b.empty = true
	return c
}
