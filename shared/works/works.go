// Package works finds out which channels play in a country.
//
// It judges all channels at once by the rules of package health, from what networks report
// (an overlay of package social) and from the streams of the catalog with their probes. A
// country costs nothing until a search asks for it; then its answer is kept until a count,
// the catalog or the day is another. Everything is read from memory.
package works

import (
	"sync"
	"time"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/docset"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/health"
	"miramundo.dev/shared/social"
)

// maxKept is how many countries are kept: about 60 kB each with 100,000 channels. When a
// further one is asked for, any of them makes room.
const maxKept = 64

// Countries say what plays in countries. The methods may be called concurrently; those of
// a nil Countries know nothing.
type Countries struct {
	overlay *social.Overlay
	now     func() time.Time

	mu   sync.Mutex
	kept map[asked]*answer
}

// An asked is what an answer is for.
type asked struct {
	country string
	stale   bool
}

// An answer is what plays in a country, as of a state of everything that it is made from.
type answer struct {
	mu    sync.Mutex // held while works is made
	of    state
	works *index.Works
}

// A state identifies what an answer is made from.
type state struct {
	view, counts uint64
	today        social.Date
}

// New returns what plays in countries by the counts of an overlay, which may be nil.
func New(overlay *social.Overlay, now func() time.Time) *Countries {
	return &Countries{overlay: overlay, now: now, kept: map[asked]*answer{}}
}

// In returns what is known of which records of v play in a country, which must be an
// existing one, as ISO 3166-1 alpha-2; nil when nothing is. With stale, the catalog is too
// old for what probes found to count.
func (c *Countries) In(v *index.View, country string, stale bool) *index.Works {
	if c == nil {
		return nil
	}
	now := state{v.Fingerprint(), c.overlay.Version(), social.DateOf(c.now())}
	a := c.answerFor(asked{country, stale})
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.works == nil || a.of != now {
		a.works, a.of = c.judge(v, country, stale, now.today), now
	}
	return a.works
}

// answerFor returns the answer that is kept for what is asked, or an empty one.
func (c *Countries) answerFor(q asked) *answer {
	c.mu.Lock()
	defer c.mu.Unlock()
	a, ok := c.kept[q]
	if !ok {
		for other := range c.kept {
			if len(c.kept) < maxKept {
				break
			}
			delete(c.kept, other)
		}
		a = &answer{}
		c.kept[q] = a
	}
	return a
}

// judge makes the answer for a country.
func (c *Countries) judge(v *index.View, country string, stale bool, today social.Date) *index.Works {
	open, shut := v.Reach(country)
	if stale {
		clear(open)
	}
	w := index.Works{Country: country, Confirmed: make(docset.Bits, len(open)), Likely: open, Fails: shut, Reports: c.reports(country)}
	for channel, said := range c.overlay.AgreedIn(country) {
		doc, ok := v.Doc(channel)
		if !ok {
			continue
		}
		reach := health.Unmeasured
		switch {
		case open.Has(doc):
			reach = health.Open
		case shut.Has(doc):
			reach = health.Shut
		}
		set(&w, doc, health.Verdict(said, today, reach))
	}
	return index.NewWorks(w)
}

// reports returns what counts the reports of channels from a country.
func (c *Countries) reports(country string) func(channel string) (plays, fails int) {
	return func(channel string) (plays, fails int) {
		shown, ok := c.overlay.Look([]byte(channel))
		if !ok {
			return 0, 0
		}
		sums, _ := shown.In(country)
		return int(max(sums.Plays, 0)), int(max(sums.Fails, 0))
	}
}

// set moves a record to the set of its verdict.
func set(w *index.Works, doc uint32, v catalog.Verdict) {
	w.Confirmed.Remove(doc)
	w.Likely.Remove(doc)
	w.Fails.Remove(doc)
	switch v {
	case catalog.Confirmed:
		w.Confirmed.Add(doc)
	case catalog.Likely:
		w.Likely.Add(doc)
	case catalog.Fails:
		w.Fails.Add(doc)
	}
}
