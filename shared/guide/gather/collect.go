// Package gather collects the programmes that an XMLTV file has for the channels of a
// catalog.
package gather

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"miramundo.dev/shared/guide"
	"miramundo.dev/shared/guide/setting"
	"miramundo.dev/shared/source/xmltv"
)

// ErrTooMuch says that the programmes of a file would take too much memory.
var ErrTooMuch = errors.New("the programmes of known channels take more memory than there is for them")

// Bounds of what a report names of the channels that are none of the catalog's.
const (
	sample  = 200 // channels
	maxText = 60  // characters of an id or a name
)

// margin is how long before and after its window a guide is read: one that does
// not say when its programmes stop says so by the next that starts.
const margin = 6 * time.Hour

// A Found says what a file gave.
type Found struct {
	Declared   int `json:"channels"`   // in the file
	Matched    int `json:"matched"`    // that are of the catalog
	Channels   int `json:"kept"`       // of the catalog, with programmes
	Programmes int `json:"programmes"` // of these
	Skipped    int `json:"skipped"`    // programmes that made no sense or were too many

	// Lean says that all descriptions were left out, because with them the file
	// would have taken too much memory.
	Lean bool `json:"without_descriptions"`

	Unmatched int         `json:"unmatched"` // that are none of the catalog's
	Sample    []Unmatched `json:"unmatched_sample"`
}

// Unmatched is a channel of a guide that is none of the catalog, its texts cut
// where they are long.
type Unmatched struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// A Collector turns the content of a file into grids.
type Collector struct {
	source  setting.Source
	matcher *Matcher
	window  guide.Window
	tracks  map[string]*track // by their ids in the file
	found   Found
	order   int   // how many tracks there were
	held    int64 // about the bytes that the programmes take
	most    int64
}

// A track is a channel of a file.
type track struct {
	id       string
	match    match
	order    int  // in the file
	declared bool // not only named by programmes
	ps       []guide.Programme
}

// NewCollector returns a collector of the programmes within a window, which may
// take up to most bytes of memory.
func NewCollector(s setting.Source, m *Matcher, w guide.Window, most int64) *Collector {
	return &Collector{source: s, matcher: m, window: w, most: most, tracks: map[string]*track{}}
}

// Options returns how the file is to be read.
func (c *Collector) Options() xmltv.Options {
	return xmltv.Options{
		Location: c.source.Zone, Language: c.source.Language, From: c.window.From.Add(-margin), To: c.window.To.Add(margin),
		Wants: c.wants,
	}
}

// wants reports whether programmes of a channel of the file are wanted: those
// of one that is not declared, or not yet, are, in case it will be.
func (c *Collector) wants(id string) bool {
	t := c.tracks[id]
	return t == nil || !t.declared || t.match.channel != ""
}

// Channel takes a channel of the file.
func (c *Collector) Channel(ch *xmltv.Channel) error {
	t := c.tracks[ch.ID]
	if t != nil && t.declared {
		return nil // the first has the say
	}
	if t == nil {
		t = c.track(ch.ID)
	}
	t.declared = true
	t.match = c.matcher.find(ch.ID, ch.Names, c.source.Country)
	c.found.Declared++
	if t.match.channel == "" {
		c.miss(ch, t.match.reason)
		c.drop(t)
		return c.bound()
	}
	c.found.Matched++
	return c.bound()
}

// track begins a track, matched by its id as long as no names are known.
func (c *Collector) track(id string) *track {
	t := &track{id: id, order: c.order, match: c.matcher.id(id)}
	c.order++
	c.held += int64(perTrack + len(id))
	c.tracks[id] = t
	return t
}

// miss notes a channel that is none of the catalog's.
func (c *Collector) miss(ch *xmltv.Channel, reason string) {
	c.found.Unmatched++
	if len(c.found.Sample) < sample {
		name := ""
		if len(ch.Names) > 0 {
			name = ch.Names[0]
		}
		c.found.Sample = append(c.found.Sample, Unmatched{cut(ch.ID), cut(name), reason})
	}
}

// cut returns the beginning of a text that is too long for a report.
func cut(text string) string {
	chars := 0
	for at := range text {
		if chars == maxText {
			return text[:at] + "…"
		}
		chars++
	}
	return text
}

// About what a programme and a track take besides their texts.
const (
	perProgramme = 128
	perTrack     = 192
)

func size(p *guide.Programme) int64 {
	return int64(perProgramme + len(p.Title) + len(p.Desc) + len(p.Category))
}

// Programme takes a programme of the file.
func (c *Collector) Programme(x *xmltv.Programme) error {
	if !c.wants(x.Channel) {
		return nil
	}
	t := c.tracks[x.Channel]
	if t == nil {
		t = c.track(x.Channel)
	}
	p := guide.Programme{Start: x.Start, Stop: x.Stop, Title: x.Title, Desc: x.Desc, Category: x.Category}
	if c.found.Lean {
		p.Desc = ""
	}
	t.ps = append(t.ps, p)
	c.held += size(&p)
	return c.bound()
}

// bound leaves out the descriptions when there is no room for them, and returns
// ErrTooMuch when there is none without them either.
func (c *Collector) bound() error {
	if c.held > c.most && !c.found.Lean {
		c.leaveDescs()
	}
	if c.held > c.most {
		return fmt.Errorf("%w: %d MiB", ErrTooMuch, c.most>>20)
	}
	return nil
}

// leaveDescs drops all descriptions, and those that come.
func (c *Collector) leaveDescs() {
	c.found.Lean = true
	for _, t := range c.tracks {
		for i := range t.ps {
			c.held -= int64(len(t.ps[i].Desc))
			t.ps[i].Desc = ""
		}
	}
}

// drop drops the programmes of a track.
func (c *Collector) drop(t *track) {
	for i := range t.ps {
		c.held -= size(&t.ps[i])
	}
	t.ps = nil
}

// Grids returns what the file gave of each channel of the catalog, once all of
// it is read. Of several channels of the file that are one of the catalog's,
// that is shown which was found by the better way, or else is the first, and
// has programmes.
func (c *Collector) Grids() (map[string]guide.Grid, Found) {
	tracks := slices.SortedFunc(maps.Values(c.tracks), func(a, b *track) int {
		return cmp.Or(a.match.rank-b.match.rank, a.order-b.order)
	})
	grids := map[string]guide.Grid{}
	for _, t := range tracks {
		if t.match.channel == "" && !t.declared {
			c.miss(&xmltv.Channel{ID: t.id}, noneSuch)
		}
		if _, taken := grids[t.match.channel]; taken || t.match.channel == "" {
			continue
		}
		ps, skipped := guide.Fix(t.ps, c.window)
		c.found.Skipped += skipped
		if g, ok := guide.NewGrid(c.source.Name, c.source.Site, c.window, ps); ok {
			grids[t.match.channel] = g
			c.found.Programmes += g.Len()
		}
		t.ps = nil
	}
	c.found.Channels = len(grids)
	return grids, c.found
}
