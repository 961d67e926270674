package library

import (
	"cmp"
	"strings"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/rank"
	"miramundo.dev/shared/library"
	"miramundo.dev/shared/library/m3u"
)

// An imported entry names a channel in words of its own. A matcher looks for the
// channel of the catalog by the most certain hint first: the catalog's id, then the
// address of a stream, then the name within a country, when one channel alone has
// it. Entries without a match are reported, never guessed.

// A matcher finds the channels of imported entries, and counts them in a report.
type matcher struct {
	*index.View
	*finder
	links  catalog.LinkBase
	report report
}

// note counts an entry. Its channel was found when reason is empty.
func (m *matcher) note(line int, name, reason string) {
	if reason == "" {
		m.report.Matched++
		return
	}
	m.report.Missed++
	if len(m.report.Unmatched) < maxUnmatched {
		m.report.Unmatched = append(m.report.Unmatched, unmatched{line, library.ShortName(name), reason})
	}
}

// backedUp finds the channel of an item of a backup, by its id or else by its name.
// A pinned stream that the catalog does not have any more is dropped.
func (m *matcher) backedUp(n int, it *library.BackupItem) (library.Item, bool) {
	c, ok := m.Summary(it.Channel)
	if reason := ""; !ok {
		country := ""
		if it.Country != nil {
			country = *it.Country
		}
		c, reason = m.named(it.Kind == catalog.Station.String(), country, it.Name)
		if reason != "" {
			m.note(n, cmp.Or(it.Name, it.Channel), reason)
			return library.Item{}, false
		}
	}
	m.note(n, "", "")
	out := itemFor(c)
	if it.Stream != nil {
		out.Stream, _ = pinned(m.View, c.ID, *it.Stream) // none when the catalog does not have it
	}
	return out, true
}

// named finds a channel by its name. Unless the entry says that it is radio, a TV
// channel comes before a station.
func (m *matcher) named(radio bool, country, name string) (index.Summary, string) {
	id, reason := "", notInCatalog
	if !radio {
		id, reason = m.byName(catalog.TV, country, name)
	}
	if reason == notInCatalog {
		id, reason = m.byName(catalog.Station, country, name)
	}
	if reason != "" {
		return index.Summary{}, reason
	}
	if c, ok := m.Summary(id); ok {
		return c, ""
	}
	return index.Summary{}, notInCatalog
}

// importCategory is the folder for the groups of a list that name no folder.
const importCategory = "Importados"

// planList returns the channels of a list in folders and sub-tabs, to be merged into
// a library.
func (m *matcher) planList(entries []m3u.Entry, folder string) []library.Category {
	var plan []library.Category
	type place struct{ category, group int }
	folders, places := map[string]int{}, map[[2]string]place{}
	for i := range entries {
		e := &entries[i]
		it, reason := m.entry(e)
		m.note(e.Line, cmp.Or(e.Name, e.ID, e.URL), reason)
		if reason != "" {
			continue
		}
		category, group := placeOf(e.Group, folder)
		at, ok := places[[2]string{category, group}]
		if !ok {
			if _, ok := folders[category]; !ok {
				folders[category] = len(plan)
				plan = append(plan, library.Category{Name: category})
			}
			at.category = folders[category]
			c := &plan[at.category]
			at.group = len(c.Groups)
			c.Groups = append(c.Groups, library.Group{Name: group})
			places[[2]string{category, group}] = at
		}
		g := &plan[at.category].Groups[at.group]
		g.Items = append(g.Items, it)
	}
	return plan
}

// placeOf returns the folder and the sub-tab for a group of a list. A group called
// "A / B" is the sub-tab B of the folder A, unless the caller named a folder.
func placeOf(group, folder string) (category, tab string) {
	if folder == "" {
		var ok bool
		if category, tab, ok = strings.Cut(group, " / "); ok {
			return category, tab
		}
		folder = importCategory
	}
	return folder, cmp.Or(group, library.DefaultGroup)
}

// entry finds the channel of an entry, by its id, its address or its name.
func (m *matcher) entry(e *m3u.Entry) (library.Item, string) {
	id, feed := e.ID, ""
	if at := strings.LastIndexByte(id, '@'); at >= 0 {
		id, feed = id[:at], id[at+1:]
	}
	c, ok := m.Summary(id)
	if !ok && e.UUID != "" {
		c, ok = m.Summary(catalog.StationPrefix + e.UUID)
	}
	if !ok {
		c, feed, ok = m.played(e.URL)
	}
	if reason := ""; !ok {
		if c, reason = m.named(e.Radio, countryOf(e, id), plainName(e.Name)); reason != "" {
			return library.Item{}, reason
		}
	}
	it := itemFor(c)
	it.Stream = m.ofFeed(c.ID, feed)
	return it, ""
}

// played finds the channel that is played at an address, ours or the
// provider's, and the feed of it.
func (m *matcher) played(url string) (c index.Summary, feed string, ok bool) {
	if id, ours := m.streamID(url); ours {
		if f, found := m.Stream(id); found {
			c, ok = m.Summary(f.Channel.ID)
			return c, f.Stream.Feed, ok
		}
		return index.Summary{}, "", false
	}
	r, s, ok := m.byURL(url)
	if !ok {
		return index.Summary{}, "", false
	}
	c, ok = m.Summary(r.ID)
	return c, s.Feed, ok
}

// streamID returns the stream of an address of this service, with or without the
// ending of a playlist.
func (m *matcher) streamID(url string) (string, bool) {
	for _, host := range []string{m.links.Hop, m.links.Base} {
		if id, ok := strings.CutPrefix(url, host+catalog.StreamsPath); ok {
			id, _, _ = strings.Cut(id, "?")
			return strings.TrimSuffix(id, catalog.PlaylistExt), true
		}
	}
	return "", false
}

// ofFeed returns the stream to pin so that a feed of a channel plays, or "" when the
// channel plays that feed anyway or does not have it.
func (m *matcher) ofFeed(channel, feed string) string {
	if feed == "" {
		return ""
	}
	c, ok := m.Channel(channel, 0, rank.Caller{})
	if !ok {
		return ""
	}
	for i, s := range c.Streams {
		if s.Feed != nil && *s.Feed == feed {
			if i == 0 {
				return ""
			}
			return s.ID
		}
	}
	return ""
}

// countryOf returns the country of an entry, from its attribute or the end of its
// id, or "" when it has none.
func countryOf(e *m3u.Entry, id string) string {
	if code := catalog.CountryCode(e.Country); len(code) == 2 {
		return code
	}
	if dot := strings.LastIndexByte(id, '.'); dot >= 0 && len(id)-dot == 3 {
		return catalog.CountryCode(id[dot+1:])
	}
	return ""
}

// plainName returns a title without the suffixes that lists append to names: labels
// in brackets, and the height of the picture in parentheses.
func plainName(title string) string {
	for {
		open := -1
		switch title = strings.TrimSpace(title); {
		case strings.HasSuffix(title, "]"):
			open = strings.LastIndexByte(title, '[')
		case strings.HasSuffix(title, "p)"), strings.HasSuffix(title, "i)"):
			open = strings.LastIndexByte(title, '(')
		}
		if open <= 0 {
			return title
		}
		title = title[:open]
	}
}
