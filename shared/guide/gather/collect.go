// Package gather collects the programmes that an XMLTV file has for the channels of a
// catalog.
package gather

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"miramundo.dev/shared/guide"
	"miramundo.dev/shared/guide/match"
	"miramundo.dev/shared/guide/pin"
	"miramundo.dev/shared/guide/setting"
	"miramundo.dev/shared/source/xmltv"
)

// A collector is fed by the parser, channel by channel and programme by
// programme, and holds only the programmes of channels that the catalog may have.
// Files usually declare their channels first, but need not: programmes of a
// channel not declared yet are held until it is, or until the file ends. Memory is
// bounded by an estimate; at the bound descriptions are dropped first, and when
// that is not enough the file is refused.

// ErrTooMuch is the error of a file whose programmes would take too much memory.
var ErrTooMuch = errors.New("the programmes of known channels take more memory than there is for them")

// maxText is the greatest number of characters of an id or a name in a report.
const maxText = 60

// margin is how long before and after its window a guide is read: the end of a
// programme without one is the start of the next.
const margin = 6 * time.Hour

// A Found counts the channels and programmes of a file.
type Found struct {
	Declared   int `json:"channels"`   // in the file
	Matched    int `json:"matched"`    // that are of the catalog
	Channels   int `json:"kept"`       // of the catalog, with programmes
	Programmes int `json:"programmes"` // of these
	Skipped    int `json:"skipped"`    // programmes that made no sense or were too many

	// Lean is set when all descriptions were dropped, because with them the file
	// would have taken too much memory.
	Lean bool `json:"without_descriptions"`

	Unmatched int         `json:"unmatched"` // that are none of the catalog's
	Sample    []Unmatched `json:"unmatched_sample"`
}

// Unmatched is a channel of a guide that matches no channel of the catalog. Long
// texts are cut.
type Unmatched struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Reason string `json:"reason"`

	// The channel of the catalog whose name is most like, as a proposal to pin;
	// empty when none is alike.
	Nearest     string `json:"nearest_id"`
	NearestName string `json:"nearest_name"`
}

// Options are what a collector needs.
type Options struct {
	Source  setting.Source
	Matcher *match.Matcher
	Pins    pin.Set // of the source
	Window  guide.Window
	Memory  int64 // bytes that the programmes may take
	Sample  int   // greatest number of unmatched channels that are named
}

// A Collector turns the content of a file into grids.
type Collector struct {
	Options
	tracks map[string]*track // by their ids in the file
	found  Found
	order  int   // tracks so far
	held   int64 // estimate of the memory of all tracks, in bytes
}

// A track is a channel of a file.
type track struct {
	id       string
	match    match.Match
	order    int  // in the file
	declared bool // as a channel, not only named by programmes
	ps       []guide.Programme
}

// NewCollector returns a collector of the programmes of a file.
func NewCollector(o Options) *Collector {
	return &Collector{Options: o, tracks: map[string]*track{}}
}

// Reading returns the options for the parser of the file.
func (c *Collector) Reading() xmltv.Options {
	return xmltv.Options{
		Location: c.Source.Zone, Language: c.Source.Language, From: c.Window.From.Add(-margin), To: c.Window.To.Add(margin),
		Wants: c.wants,
	}
}

// wants reports whether the programmes of a channel of the file are to be parsed:
// those of matched channels, and of channels that are not declared yet.
func (c *Collector) wants(id string) bool {
	t := c.tracks[id]
	return t == nil || !t.declared || t.match.Channel != ""
}

// Channel takes a channel of the file. Of several with one id the first counts.
// The error is ErrTooMuch.
func (c *Collector) Channel(ch *xmltv.Channel) error {
	t := c.tracks[ch.ID]
	if t != nil && t.declared {
		return nil // the first has the say
	}
	if t == nil {
		t = c.track(ch.ID)
	}
	t.declared = true
	t.match = c.match(ch.ID, func() match.Match { return c.Matcher.Find(c.channel(ch)) })
	c.found.Declared++
	if t.match.Channel == "" {
		c.miss(ch, t.match.Reason)
		c.drop(t)
		return c.bound()
	}
	c.found.Matched++
	return c.bound()
}

// match returns the channel that one of the file is pinned to, or else the match
// that otherwise returns. Pins have no spaces around the ids.
func (c *Collector) match(id string, otherwise func() match.Match) match.Match {
	if channel, ok := c.Pins[strings.TrimSpace(id)]; ok {
		return c.Matcher.Pinned(channel)
	}
	return otherwise()
}

// channel returns a channel of the file as matching needs it.
func (c *Collector) channel(ch *xmltv.Channel) *match.Channel {
	return &match.Channel{ID: ch.ID, Names: ch.Names, Country: c.Source.Country, Site: c.Source.Site}
}

// track adds a track, matched by its id until it is declared with its names.
func (c *Collector) track(id string) *track {
	t := &track{id: id, order: c.order, match: c.match(id, func() match.Match { return c.Matcher.ByID(id) })}
	c.order++
	c.held += int64(perTrack + len(id))
	c.tracks[id] = t
	return t
}

// miss counts a channel that matches none of the catalog.
func (c *Collector) miss(ch *xmltv.Channel, reason string) {
	c.found.Unmatched++
	if len(c.found.Sample) < c.Sample {
		name := ""
		if len(ch.Names) > 0 {
			name = ch.Names[0]
		}
		near, called := c.Matcher.Nearest(c.channel(ch))
		if cut(near) != near {
			near, called = "", "" // a part of an id is of no use
		}
		c.found.Sample = append(c.found.Sample, Unmatched{cut(ch.ID), cut(name), reason, near, cut(called)})
	}
}

// cut returns a text of at most maxText characters, with an ellipsis where it was
// cut.
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

// Estimates of the memory of a programme and of a track besides their texts, in
// bytes.
const (
	perProgramme = 128
	perTrack     = 192
)

func size(p *guide.Programme) int64 {
	return int64(perProgramme + len(p.Title) + len(p.Desc) + len(p.Category))
}

// Programme takes a programme of the file. The error is ErrTooMuch.
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

// bound drops the descriptions when the tracks exceed the bound, and returns
// ErrTooMuch when they still do.
func (c *Collector) bound() error {
	if c.held > c.Memory && !c.found.Lean {
		c.leaveDescs()
	}
	if c.held > c.Memory {
		return fmt.Errorf("%w: %d MiB", ErrTooMuch, c.Memory>>20)
	}
	return nil
}

// leaveDescs drops all descriptions, those still to come included.
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

// Grids returns the grid of each channel of the catalog that the file has, and
// the counts. It must be called once, after the whole file was read. Of several
// channels of the file that match the same channel of the catalog, the one with
// the best match is taken, or the first of equal ones, among those with
// programmes that start in the window, or else that are on in it.
func (c *Collector) Grids() (map[string]guide.Grid, Found) {
	tracks := slices.SortedFunc(maps.Values(c.tracks), func(a, b *track) int {
		return cmp.Or(a.match.Rank-b.match.Rank, a.order-b.order)
	})
	grids := map[string]guide.Grid{}
	for _, t := range tracks {
		if t.match.Channel == "" && !t.declared {
			c.miss(&xmltv.Channel{ID: t.id}, t.match.Reason)
		}
		was, taken := grids[t.match.Channel]
		if t.match.Channel == "" || taken && was.Begins() {
			continue
		}
		ps, skipped := guide.Fix(t.ps, c.Window)
		c.found.Skipped += skipped
		if g, ok := guide.NewGrid(c.Source.Name, c.Source.Site, c.Window, ps); ok && (!taken || g.Begins()) {
			grids[t.match.Channel] = g
			c.found.Programmes += g.Len() - was.Len()
		}
		t.ps = nil
	}
	c.found.Channels = len(grids)
	return grids, c.found
}
