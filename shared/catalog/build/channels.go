package build

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/build/clean"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/source"
)

// A TV channel is one row of the channels' file joined with the rows of four
// other files: feeds, streams, guides and logos. Where several rows compete
// (guides, logos), the best by a fixed order is taken, and the last criterion
// is a text, so that the choice does not depend on the order of
// the rows. The main feed is the row marked so, or else the first.

const originIPTVOrg = "iptv-org"

// A joined holds the rows of the other files of iptv-org by their channel, and
// the cities by their code.
type joined struct {
	feeds   map[string][]*source.Feed
	streams map[string][]*source.Stream
	guides  map[string][]*source.Guide
	logos   map[string][]*source.Logo
	cities  map[string]*source.City
}

func join(ds *source.Dataset) *joined {
	j := &joined{
		feeds:   by(ds.Feeds, func(f *source.Feed) string { return f.Channel }),
		streams: by(ds.Streams, func(s *source.Stream) string { return s.Channel }),
		guides:  by(ds.Guides, func(g *source.Guide) string { return g.Channel }),
		logos:   by(ds.Logos, func(l *source.Logo) string { return l.Channel }),
		cities:  make(map[string]*source.City, len(ds.Cities)),
	}
	for i := range ds.Cities {
		j.cities[ds.Cities[i].Code] = &ds.Cities[i]
	}
	return j
}

// by groups rows by key, in the order of the rows. The pointers are into rows.
func by[T any](rows []T, key func(*T) string) map[string][]*T {
	m := make(map[string][]*T, len(rows))
	for i := range rows {
		k := key(&rows[i])
		m[k] = append(m[k], &rows[i])
	}
	return m
}

// channels returns the TV channels that may be shown and the rows of those that
// must not be, and counts in rep the rows that are left out. Of rows with the
// same id the first counts.
func channels(ds *source.Dataset, now time.Time, rep *Report) ([]catalog.Record, hidden) {
	j := join(ds)
	blocked := map[string]bool{}
	for _, b := range ds.Blocklist {
		blocked[b.Channel] = true
	}
	seen := make(map[string]bool, len(ds.Channels))
	shown := make(map[string]bool, len(ds.Channels))
	records, left := make([]catalog.Record, 0, len(ds.Channels)), hidden{}
	for i := range ds.Channels {
		c := &ds.Channels[i]
		reason := refusal(c, blocked, seen, now)
		seen[c.ID] = true
		if reason != "" {
			rep.leaveOut(reason)
			if reason == reasonNSFW || reason == reasonBlocked || reason == reasonClosed {
				left[c.ID] = hiddenRow{c, reason}
			}
			continue
		}
		shown[c.ID] = true
		records = append(records, j.channel(c, rep))
	}
	for i := range ds.Streams {
		if !shown[ds.Streams[i].Channel] {
			rep.leaveOut(reasonOrphan)
		}
	}
	return records, left
}

// refusal returns the reason for which c must not be shown, or "" when it may
// be.
func refusal(c *source.Channel, blocked, seen map[string]bool, now time.Time) string {
	switch {
	case !validID(c.ID) || clean.Text(c.Name, clean.MaxName) == "":
		return reasonInvalid
	case seen[c.ID]:
		return reasonDuplicate
	case c.NSFW:
		return reasonNSFW
	case blocked[c.ID]:
		return reasonBlocked
	case closed(c.Closed, now):
		return reasonClosed
	}
	return ""
}

// validID reports whether id can be a path segment of the interface.
func validID(id string) bool {
	return id != "" && len(id) <= 128 && id == clean.Text(id, 128) && id != "." && id != ".." && !strings.ContainsAny(id, "/\\?#% ")
}

// closed reports whether s is a date that is not in the future. A month or a
// year alone counts from its first day.
func closed(s string, now time.Time) bool {
	t, ok := clean.Date(s)
	return ok && !t.After(now)
}

func (j *joined) channel(c *source.Channel, rep *Report) catalog.Record {
	feeds := j.feeds[c.ID]
	r := catalog.Record{
		ID:         c.ID,
		Kind:       catalog.TV,
		Name:       clean.Text(c.Name, clean.MaxName),
		AltNames:   clean.Texts(c.AltNames, clean.MaxName),
		Country:    clean.Country(c.Country),
		Categories: clean.Texts(c.Categories, 64),
		Website:    clean.WebURL(c.Website),
		Network:    clean.Text(c.Network, clean.MaxName),
		Owners:     clean.Texts(c.Owners, clean.MaxName),
		Launched:   clean.Day(c.Launched),
		ReplacedBy: clean.Text(c.ReplacedBy, 128),
		Origin:     cmp.Or(c.Origin, originIPTVOrg),
	}
	main := mainFeed(feeds)
	j.feed(&r, main, feeds)
	j.guide(&r, main)
	r.LogoSource = logo(j.logos[c.ID], main)
	r.Streams = tvStreams(&r, j.streams[c.ID], rep)
	if q := bestQuality(r.Streams); q != "" {
		r.Quality = q
	} else if main != nil {
		r.Quality = clean.Text(main.Format, 32)
	}
	return r
}

func mainFeed(feeds []*source.Feed) *source.Feed {
	if len(feeds) == 0 {
		return nil
	}
	if i := slices.IndexFunc(feeds, func(f *source.Feed) bool { return f.Main }); i >= 0 {
		return feeds[i]
	}
	return feeds[0]
}

// feed fills in the fields that come from feeds: places, names and format from
// the main feed, languages from all of them, those of the main feed first.
func (j *joined) feed(r *catalog.Record, main *source.Feed, feeds []*source.Feed) {
	if main == nil {
		return
	}
	languages := slices.Clone(main.Languages)
	for _, f := range feeds {
		languages = append(languages, f.Languages...)
	}
	r.Languages = languageCodes(languages)
	r.FeedFormat = clean.Text(main.Format, 32)
	r.Timezones = clean.Texts(main.Timezones, 64)
	r.BroadcastArea = clean.Texts(main.BroadcastArea, 64)
	r.FeedNames = feedNames(main, feeds)
	if len(feeds) > 1 {
		r.FeedName = clean.Text(main.Name, clean.MaxName)
	}
	r.Subdivision, r.City = j.place(r.BroadcastArea)
}

// feedNames returns the names of feeds, the alternative ones of the main feed
// first: they are names of the channel. The name of an only feed says nothing
// that the channel's does not.
func feedNames(main *source.Feed, feeds []*source.Feed) (names []catalog.FeedName) {
	add := func(id string, list []string) {
		for _, name := range clean.Texts(list, clean.MaxName) {
			names = append(names, catalog.FeedName{Feed: clean.Text(id, 64), Name: name})
		}
	}
	add("", main.AltNames)
	if len(feeds) == 1 {
		return names
	}
	add(main.ID, []string{main.Name})
	for _, f := range feeds {
		if f != main {
			add(f.ID, append([]string{f.Name}, f.AltNames...))
		}
	}
	return names
}

// languageCodes returns codes as ISO 639-3. The source contains a few codes of
// 639-2; an unknown code is kept unchanged.
func languageCodes(list []string) []string {
	out := make([]string, 0, len(list))
	for _, s := range list {
		if code, ok := i18n.LanguageCode(s); ok {
			s = code
		}
		out = append(out, s)
	}
	return clean.Texts(out, 8)
}

// place returns the subdivision and the city that a broadcast area names
// first. A city brings its subdivision.
func (j *joined) place(area []string) (subdivision, city string) {
	for _, a := range area {
		kind, code, _ := strings.Cut(a, "/")
		switch {
		case kind == "s" && subdivision == "":
			subdivision = code
		case kind == "ct" && city == "":
			city = code
		}
	}
	if c := j.cities[city]; c != nil && subdivision == "" {
		subdivision = c.Subdivision
	}
	return subdivision, city
}

// guide fills in the guide that fits r best: of its main feed, then in its
// language, then the first by site and language.
func (j *joined) guide(r *catalog.Record, main *source.Feed) {
	rows := j.guides[r.ID]
	if len(rows) == 0 {
		return
	}
	best := slices.MinFunc(rows, func(a, b *source.Guide) int {
		return cmp.Or(
			cmp.Compare(misfit(r, main, a), misfit(r, main, b)),
			cmp.Compare(a.Site, b.Site), cmp.Compare(a.Lang, b.Lang))
	})
	r.HasGuide, r.GuideSite, r.GuideLang = true, clean.Text(best.Site, 255), clean.Text(best.Lang, 16)
	sites := map[string]bool{}
	for _, g := range rows {
		sites[g.Site] = true
	}
	r.GuideSites = len(sites)
}

// misfit returns 0 for a guide of the main feed in the channel's language, 1
// for one in another language, and 2 more for one of another feed.
func misfit(r *catalog.Record, main *source.Feed, g *source.Guide) int {
	n := 0
	if main != nil && g.Feed != main.ID {
		n += 2
	}
	if code, ok := i18n.LanguageCode(g.Lang); !ok || !slices.Contains(r.Languages, code) {
		n++
	}
	return n
}

// logo returns the URL of the picture that fits best: in use, of the main
// feed, in a format that every decoder reads, near 512 by 512 pixels, twice the
// size of our thumbnails. The order of the criteria is that of their weight.
// Rows without a size or a usable URL are ignored; it returns "" when none is
// left.
func logo(rows []*source.Logo, main *source.Feed) string {
	rows = slices.DeleteFunc(slices.Clone(rows), func(l *source.Logo) bool { return clean.WebURL(l.URL) == "" || l.Width <= 0 || l.Height <= 0 })
	if len(rows) == 0 {
		return ""
	}
	return slices.MinFunc(rows, func(a, b *source.Logo) int {
		return cmp.Or(
			cmp.Compare(boolRank(a.InUse), boolRank(b.InUse)),
			cmp.Compare(feedRank(a.Feed, main), feedRank(b.Feed, main)),
			cmp.Compare(formatRank(a.Format), formatRank(b.Format)),
			cmp.Compare(distance(a), distance(b)),
			cmp.Compare(a.URL, b.URL))
	}).URL
}

// boolRank returns 0 for true and 1 for false, so that true sorts first.
func boolRank(good bool) int {
	if good {
		return 0
	}
	return 1
}

// feedRank sorts pictures of the main feed first, then those of the channel as
// a whole.
func feedRank(feed string, main *source.Feed) int {
	switch {
	case main != nil && feed == main.ID:
		return 0
	case feed == "":
		return 1
	}
	return 2
}

// formatRank sorts formats by how well the logos job decodes them; it cannot
// draw SVG, which comes last.
func formatRank(format string) int {
	switch strings.ToUpper(format) {
	case "PNG":
		return 0
	case "JPEG":
		return 1
	case "SVG":
		return 3
	}
	return 2
}

func distance(l *source.Logo) float64 {
	return max(l.Width-512, 512-l.Width) + max(l.Height-512, 512-l.Height)
}
