package library

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/rank"
	"miramundo.dev/shared/library"
	"miramundo.dev/shared/library/m3u"
)

// maxUnmatched is how many of those that were not matched a report names.
const maxUnmatched = 100

type importIn struct {
	List     []byte `body:"audio/x-mpegurl,audio/mpegurl,application/x-mpegurl,application/vnd.apple.mpegurl,text/plain" description:"A list in M3U."`
	Backup   []byte `body:"application/json" description:"What the export returns, or a library as it is shown."`
	Category string `query:"category" maxLength:"200" description:"Name of the folder that takes the groups of a list as its sub-tabs. Without it, a group called A / B goes to the folder A, and the others to Importados."`
	Replace  bool   `query:"replace" default:"0" description:"1 to remove all that was in the library before."`
}

// A report says what became of a list.
type report struct {
	Matched   int         `json:"matched" description:"Entries whose channel was found."`
	Added     int         `json:"added"`
	Repeated  int         `json:"repeated" description:"Were in the sub-tab already."`
	OverCap   int         `json:"over_cap" description:"Found no room within the limits of folders, sub-tabs and items."`
	Missed    int         `json:"unmatched_total" description:"Entries whose channel was not found."`
	Unmatched []unmatched `json:"unmatched" nullable:"false" description:"The first 100 of them."`
}

// An unmatched entry is one whose channel was not found.
type unmatched struct {
	Line   int    `json:"line" description:"Of a list, the line of its address; of a backup, its number; from 1."`
	Name   string `json:"name"`
	Reason string `json:"reason" enum:"not_in_catalog,ambiguous_name"`
}

// An imported library is one with the channels of a list.
type imported struct {
	*Library
	Report report `json:"report"`
}

func (s *Server) importList(ctx context.Context, in importIn) (*imported, error) {
	v, err := s.catalog.View()
	if err != nil {
		return nil, err
	}
	m := &matcher{View: v, finder: s.lists.of(v.Index()), links: s.links}
	plan, err := s.plan(m, in)
	if err != nil {
		return nil, err
	}
	if in.Replace && m.report.Matched == 0 && m.report.Missed > 0 {
		return nil, library.ErrBackup.With("reason", "nothing_matched")
	}
	out := &imported{Report: m.report}
	out.Library, err = s.change(ctx, func(l *library.Library, _ *index.View) error {
		if in.Replace {
			l.Clear()
		}
		merged := l.Merge(plan)
		out.Report.Added, out.Report.Repeated, out.Report.OverCap = merged.Added, merged.Repeated, merged.OverCap
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// plan reads a list or a backup and finds its channels.
func (s *Server) plan(m *matcher, in importIn) ([]library.Category, error) {
	m.report.Unmatched = []unmatched{}
	if in.Backup == nil {
		entries, whole := m3u.Parse(string(in.List))
		if !whole {
			return nil, library.ErrBackup.With("reason", "too_many").With("bound", m3u.MaxEntries)
		}
		if len(entries) == 0 {
			return nil, library.ErrBackup.With("reason", "empty")
		}
		return m.planList(entries, in.Category), nil
	}
	b, err := library.ParseBackup(in.Backup)
	if err != nil {
		return nil, err
	}
	return b.Plan(s.now(), m.backedUp), nil
}

// A matcher finds the channels of lists, and notes how it goes.
type matcher struct {
	*index.View
	*finder
	links  catalog.LinkBase
	report report
}

// note counts an entry, whose channel was found when reason is empty.
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

// backedUp finds the channel of an item of a backup, by its id or else by its
// name. A pinned stream that is gone is pinned no more.
func (m *matcher) backedUp(n int, it *library.BackupItem) (library.Item, bool) {
	c, ok := m.Item(it.Channel, 0)
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
		out.Stream, _ = pinned(m.View, c.ID, *it.Stream) // none when it is gone
	}
	return out, true
}

// named finds a channel by its name: a TV channel before a station, when that
// is not said.
func (m *matcher) named(radio bool, country, name string) (*catalog.Channel, string) {
	id, reason := "", notInCatalog
	if !radio {
		id, reason = m.byName(catalog.TV, country, name)
	}
	if reason == notInCatalog {
		id, reason = m.byName(catalog.Station, country, name)
	}
	if reason != "" {
		return nil, reason
	}
	if c, ok := m.Item(id, 0); ok {
		return c, ""
	}
	return nil, notInCatalog
}

// importCategory is the folder of lists that name none.
const importCategory = "Importados"

// planList finds the channels of a list, in folders and sub-tabs.
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

// placeOf returns the folder and the sub-tab for a group of a list.
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

// entry finds the channel of an entry: by its id, its address, or its name.
func (m *matcher) entry(e *m3u.Entry) (library.Item, string) {
	id, feed := e.ID, ""
	if at := strings.LastIndexByte(id, '@'); at >= 0 {
		id, feed = id[:at], id[at+1:]
	}
	c, ok := m.Item(id, 0)
	if !ok && e.UUID != "" {
		c, ok = m.Item("rb."+e.UUID, 0)
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
func (m *matcher) played(url string) (c *catalog.Channel, feed string, ok bool) {
	if id, ours := m.streamID(url); ours {
		if f, found := m.Stream(id); found {
			c, ok = m.Item(f.Channel.ID, 0)
			return c, f.Stream.Feed, ok
		}
		return nil, "", false
	}
	r, s, ok := m.byURL(url)
	if !ok {
		return nil, "", false
	}
	c, ok = m.Item(r.ID, 0)
	return c, s.Feed, ok
}

// streamID returns the stream of an address of ours, with or without the
// ending that players like.
func (m *matcher) streamID(url string) (string, bool) {
	for _, host := range []string{m.links.Hop, m.links.Base} {
		if id, ok := strings.CutPrefix(url, host+catalog.StreamsPath); ok {
			id, _, _ = strings.Cut(id, "?")
			return strings.TrimSuffix(id, ".m3u8"), true
		}
	}
	return "", false
}

// ofFeed returns the stream to pin so that a feed of a channel is played: none
// when the channel plays that one by itself, or does not have it.
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

// countryOf returns the country that an entry tells, itself or at the end of
// its id; "" for none.
func countryOf(e *m3u.Entry, id string) string {
	if code := catalog.CountryCode(e.Country); len(code) == 2 {
		return code
	}
	if dot := strings.LastIndexByte(id, '.'); dot >= 0 && len(id)-dot == 3 {
		return catalog.CountryCode(id[dot+1:])
	}
	return ""
}

// plainName returns a title without what lists append to names: labels in
// brackets, and the height of the picture in parentheses.
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

// A file is a backup as it is saved.
type file struct{ *library.Backup }

// Schema returns the shape of the backup.
func (file) Schema() any { return library.Backup{} }

// fileName is what browsers call the backup.
var fileName = []string{`attachment; filename="miramundo-library.json"`}

// Reply writes the backup.
func (f file) Reply(w http.ResponseWriter, r *http.Request) error {
	data, err := json.MarshalIndent(f.Backup, "", " ")
	if err != nil {
		return err
	}
	w.Header()["Content-Disposition"] = fileName
	return api.WriteJSON(w, r, data)
}

func (s *Server) export(ctx context.Context, _ struct{}) (file, error) {
	owner, err := ownerOf(ctx)
	if err != nil {
		return file{}, err
	}
	l, err := library.Load(ctx, s.db, owner)
	if err != nil {
		return file{}, told(err)
	}
	return file{l.Backup(s.now())}, nil
}
