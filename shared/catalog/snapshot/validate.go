package snapshot

import (
	"fmt"
	"unicode/utf8"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/fold"
)

// Validation is what lets all readers of columns index them without checks: each
// number is below the length of what it refers to, columns of the same rows have
// the same length, each text is valid UTF-8, and words are sorted. It reads every
// number once.

// maxNumbered is how many values, and how many aliases of each kind, there may be: the
// tables that find them have 25 bits for the number of one.
const maxNumbered = 1<<25 - 2

// validate returns an error that names the first part of c that is inconsistent,
// or nil.
func (c *Columns) validate() error {
	for _, f := range []func() (string, bool){c.badTexts, c.badTables, c.badDocs, c.badStations, c.badStreams, c.badWords, c.badGone} {
		if what, bad := f(); bad {
			return fmt.Errorf("%w: %s", ErrCorrupt, what)
		}
	}
	return nil
}

// The functions below each return the name of a part of c, and whether it is
// inconsistent; the name is that of the last part checked when all are good.

func (c *Columns) badTexts() (string, bool) {
	for name, v := range map[string]struct {
		t     *Texts
		width int
	}{
		"categories": {&c.Categories, CategoryWidth}, "languages": {&c.Languages, TermWidth}, "countries": {&c.Countries, TermWidth},
		"subdivisions": {&c.Subdivisions, SubdivisionWidth}, "cities": {&c.Cities, CityWidth},
		"channel aliases": {&c.ChannelAliases, AliasWidth}, "stream aliases": {&c.StreamAliases, AliasWidth},
		"values": {&c.Values, 1}, "ids": {&c.Docs.IDs, 1}, "names": {&c.Docs.Names, 1}, "slugs": {&c.Docs.Slugs, 1}, "websites": {&c.Docs.Websites, 1},
		"alternative names": {&c.Docs.AltNames.Items, 1}, "logos": {&c.Docs.LogoPath, 1}, "places": {&c.Stations.Places, 1},
		"paths": {&c.Streams.Path, 1}, "tokens": {&c.Words.Tokens, 1}, "other tokens": {&c.Others.Tokens, 1},
		"gone ids": {&c.Gone.IDs, 1}, "gone names": {&c.Gone.Names, 1}, "gone alternative names": {&c.Gone.AltNames.Items, 1},
	} {
		if !v.t.valid() || v.t.Len()%v.width != 0 {
			return name, true
		}
	}
	for name, n := range map[string]int{
		"values": c.Values.Len(), "channel aliases": c.ChannelAliases.Len() / AliasWidth, "stream aliases": c.StreamAliases.Len() / AliasWidth,
	} {
		if n > maxNumbered {
			return name + ", which are too many", true
		}
	}
	return "the null value", c.Values.Len() == 0 || len(c.Values.At(0)) > 0
}

// valid reports whether each string of t is valid UTF-8.
func (t *Texts) valid() bool {
	if n := len(t.Ends); n == 0 || int(t.Ends[n-1]) != len(t.Bytes) {
		return n == 0 && len(t.Bytes) == 0
	}
	if !utf8.Valid(t.Bytes) {
		return false
	}
	for _, end := range t.Ends {
		if int(end) < len(t.Bytes) && !utf8.RuneStart(t.Bytes[end]) {
			return false
		}
	}
	return true
}

func (c *Columns) badTables() (string, bool) {
	l := &c.Lists
	if n := len(l.Ends); n == 0 || l.Ends[0] != 0 || int(l.Ends[n-1]) != len(l.Items) || !below(l.Items, c.Values.Len()) {
		return "lists", true
	}
	values, lists, any := c.Values.Len(), len(l.Ends), -1
	for name, t := range map[string]struct {
		table  *Table
		bounds []int
	}{
		"topics":  {&c.Topics, []int{values, lists}},
		"tongues": {&c.Tongues, []int{lists}},
		"houses":  {&c.Houses, []int{values, lists}},
		"pasts":   {&c.Pasts, []int{values, values, lists}},
		"feeds":   {&c.Feeds, []int{values, values, lists, lists}},
		"states":  {&c.States, []int{int(catalog.Station) + 1, values, 2, values, values, values, values, values}},
		"sounds":  {&c.Sounds, []int{values, any, values}},
		"traits":  {&c.Streams.Traits, []int{values, values, values, values, 2, values, values, values}},
		"gone":    {&c.Gone.Facts, []int{int(catalog.Station) + 1, len(GoneReasons), values, values, values}},
	} {
		if !t.table.within(t.bounds) {
			return name, true
		}
	}
	return "", false
}

// within reports whether the cells of each column of t are below its bound. A
// negative bound means 31 bits.
func (t *Table) within(bounds []int) bool {
	if len(t.Cells)%t.Width != 0 {
		return false
	}
	for i, cell := range t.Cells {
		bound := bounds[i%t.Width]
		if bound >= 0 && int(cell) >= bound || cell > 1<<31-1 {
			return false
		}
	}
	return true
}

func (c *Columns) badDocs() (string, bool) {
	d := &c.Docs
	n := d.Len()
	if n > MaxRecords {
		return "too many records", true
	}
	for _, length := range []int{
		d.IDs.Len(), d.Names.Len(), d.Slugs.Len(), d.Websites.Len(), len(d.AltNames.Ends), len(d.Topic), len(d.Tongue), len(d.House), len(d.Past),
		len(d.Feed), len(d.LogoHost), len(d.GuideSites), len(d.NameEnds), d.LogoPath.Len(), len(c.Streams.Ends),
	} {
		if length != n {
			return "columns of different lengths", true
		}
	}
	if !endsAt(d.AltNames.Ends, d.AltNames.Items.Len()) {
		return "alternative names", true
	}
	if !endsAt(d.NameEnds, len(d.NameHashes)) || len(d.NameClasses) != len(d.NameHashes) || !below(d.NameClasses, int(nameClasses)) {
		return "hashes of names", true
	}
	return "groups of records", !below(d.Topic, c.Topics.Len()) || !below(d.Tongue, c.Tongues.Len()) || !below(d.House, c.Houses.Len()) || !below(d.Past, c.Pasts.Len()) ||
		!below(d.Feed, c.Feeds.Len()) || !below(d.State, c.States.Len()) || !below(d.LogoHost, c.Values.Len())
}

func (c *Columns) badStations() (string, bool) {
	s, n := &c.Stations, 0
	for _, state := range c.Docs.State {
		n += int(c.States.Row(state)[StateKind])
	}
	for _, length := range []int{len(s.TagList), len(s.Votes), len(s.Clicks), len(s.Sound), s.Places.Len()} {
		if length != n {
			return "columns of stations of different lengths", true
		}
	}
	return "groups of stations", !below(s.TagList, len(c.Lists.Ends)) || !below(s.Sound, c.Sounds.Len()) ||
		!below(s.Votes, 1<<31) || !below(s.Clicks, 1<<31)
}

func (c *Columns) badStreams() (string, bool) {
	s := &c.Streams
	n := len(s.IDs)
	if !endsAt(s.Ends, n) || len(s.Host) != n || s.Path.Len() != n || len(s.Title) != n || len(s.Trait) != n {
		return "columns of streams of different lengths", true
	}
	return "groups of streams", !below(s.Host, c.Values.Len()) || !below(s.Title, c.Values.Len()) || !below(s.Trait, s.Traits.Len())
}

func (c *Columns) badWords() (string, bool) {
	if what, bad := c.Words.bad(c.Docs.Len()); bad {
		return what, true
	}
	return c.Others.bad(c.Docs.Len())
}

// bad names the part of the words of n records that is inconsistent.
func (w *Words) bad(n int) (string, bool) {
	if len(w.Ends) != w.Tokens.Len() || !endsAt(w.Ends, len(w.Docs)) {
		return "words", true
	}
	at := uint32(0)
	for i, end := range w.Ends {
		if len(w.Tokens.At(uint32(i))) > fold.MaxWord {
			return "a word that is too long", true
		}
		if i > 0 && string(w.Tokens.At(uint32(i-1))) >= string(w.Tokens.At(uint32(i))) {
			return "words out of order", true
		}
		for first := at; at < end; at++ {
			if at > first && w.Docs[at] <= w.Docs[at-1] {
				return "records of a word out of order", true
			}
		}
	}
	return "records of words", !below(w.Docs, n)
}

// endsAt reports whether the last of ends is n.
func endsAt(ends []uint32, n int) bool {
	if len(ends) == 0 {
		return n == 0
	}
	return int(ends[len(ends)-1]) == n
}

// below reports whether all numbers are below bound.
func below(numbers []uint32, bound int) bool {
	var most uint32
	for _, n := range numbers {
		most = max(most, n)
	}
	return len(numbers) == 0 || int(most) < bound
}
