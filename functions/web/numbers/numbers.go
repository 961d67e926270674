// Package numbers serves the page of the public numbers.
//
// It shows what GET /api/vitrine returns: the same publication, in tables, and the
// days as charts that the server draws. The charts are readable without colour, and
// the table of all days has the same numbers.
package numbers

import (
	"context"
	"time"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
	"miramundo.dev/shared/vitrine"
)

// Endpoints are the page in every locale.
var Endpoints = page.Endpoints(site.Numbers, "Show the public numbers",
	"Returns the page that shows how much the service is used, as GET /api/vitrine does.", (*Server).numbers, fault.ErrUnavailable)

// A Server serves the page.
type Server struct {
	pages  *page.Renderer
	reader *vitrine.Reader
	now    func() time.Time
}

// New returns a server that renders the page with r. Without a reader there are no
// numbers to show.
func New(r *page.Renderer, reader *vitrine.Reader, now func() time.Time) *Server {
	return &Server{r, reader, now}
}

// A body is the body of the page.
type body struct {
	Head    vitrine.Head
	Date    string // of the publication, in UTC
	Time    string
	Since   string // first day that was counted; empty before it
	Summary []row
	Days    []vitrine.DayNumbers
	Charts  []chart
	Lists   []list
}

// A row is a kind of number, with that of today and of the windows.
type row struct {
	Text   string // key of its name
	Values [3]vitrine.Number
}

// A list is a list of numbers under a heading. A number whose unit is milliseconds
// has one of its own text.
type list struct {
	Title string // key of the heading
	Items []item
	Bars  bool // whether the numbers can be compared with each other
	Most  int64
}

type item struct {
	Text         string // key of the name
	Value        vitrine.Number
	Milliseconds bool
}

// Width returns the length of the bar of a number in a list, of 100; at least 1 unless
// the number is zero or was not measured.
func (l list) Width(n vitrine.Number) int64 {
	if n == nil || *n == 0 {
		return 0
	}
	return max(1, *n*100/l.Most)
}

func (s *Server) numbers(ctx context.Context, l i18n.Locale, _ struct{}) (*page.Rendered, error) {
	var shown vitrine.Shown
	if s.reader != nil {
		var err error
		if shown, err = s.reader.Current(ctx); err != nil {
			return nil, err
		}
	}
	return s.pages.View(site.Numbers, l, bodyOf(shown, s.now())).Show()
}

// bodyOf returns the body for a publication as it is seen at a time.
func bodyOf(shown vitrine.Shown, now time.Time) body {
	b := body{Head: vitrine.HeadOf(shown.At, now)}
	if !b.Head.Published {
		return b
	}
	p, at := shown.Public, shown.At.UTC()
	b.Date, b.Time, b.Since, b.Days = at.Format(time.DateOnly), at.Format("15:04"), p.Since, p.Days
	b.Summary, b.Charts = summary(p), charts(p.Days)
	b.Lists = lists(p)
	return b
}

// kinds are the numbers of a day in their order, with the keys of their names.
var kinds = []struct {
	text string
	of   func(vitrine.NumberSums) vitrine.Number
}{
	{"numbers.visitors", func(n vitrine.NumberSums) vitrine.Number { return n.Visitors }},
	{"numbers.pages", func(n vitrine.NumberSums) vitrine.Number { return n.Pages }},
	{"numbers.use", func(n vitrine.NumberSums) vitrine.Number { return n.Use }},
	{"numbers.api", func(n vitrine.NumberSums) vitrine.Number { return n.API }},
	{"numbers.ai", func(n vitrine.NumberSums) vitrine.Number { return n.AI }},
	{"numbers.machine", func(n vitrine.NumberSums) vitrine.Number { return n.Machine }},
}

// summary returns the numbers of today and of the windows.
func summary(p vitrine.Public) (rows []row) {
	var today, week, month vitrine.NumberSums
	if p.Today != nil {
		today = p.Today.NumberSums
	}
	if p.Windows != nil {
		week, month = p.Windows.Week.NumberSums, p.Windows.Month.NumberSums
	}
	for _, k := range kinds {
		rows = append(rows, row{k.text, [3]vitrine.Number{k.of(today), k.of(week), k.of(month)}})
	}
	return rows
}

// Values returns the numbers of a day, in the order of the summary.
func (b body) Values(d vitrine.DayNumbers) (all []vitrine.Number) {
	for _, k := range kinds {
		all = append(all, k.of(d.NumberSums))
	}
	return all
}

// lists returns the numbers of a month and of the catalog; parts that were not
// published are left out.
func lists(p vitrine.Public) (all []list) {
	add := func(title string, bars bool, items ...item) {
		l := list{Title: title, Items: items, Bars: bars}
		for _, it := range items {
			if it.Value != nil {
				l.Most = max(l.Most, *it.Value)
			}
		}
		all = append(all, l)
	}
	if n := p.Surfaces; n != nil {
		add("numbers.surfaces", true,
			item{"numbers.surface_site", n.Site, false}, item{"numbers.surface_api", n.API, false}, item{"numbers.surface_mcp", n.MCP, false},
			item{"numbers.surface_feeds", n.Feeds, false}, item{"numbers.surface_hop", n.Hop, false}, item{"numbers.surface_chat", n.Chat, false},
			item{"numbers.surface_documents", n.Documents, false})
	}
	if n := p.Use; n != nil {
		items := []item{
			{"numbers.use", n.Plays, false}, {"numbers.reports", n.Reports, false}, {"numbers.favorites", n.Favorites, false},
			{"numbers.comments", n.Comments, false}, {"numbers.messages", n.Messages, false}, {"numbers.lists", n.Feeds, false},
		}
		if a := p.Accounts; a != nil {
			items = append(items, item{"numbers.guests", a.Guests, false}, item{"numbers.signins", a.SignIns, false})
		}
		add("numbers.uses", false, items...)
	}
	if n := p.Quality; n != nil {
		add("numbers.quality", false, item{"numbers.failures", n.Failures, false}, item{"numbers.median", n.Median, true}, item{"numbers.slow", n.Slow, true})
	}
	if n := p.Catalog; n != nil {
		add("numbers.catalog", false, item{"numbers.channels", n.Channels, false}, item{"numbers.stations", n.Stations, false},
			item{"numbers.streams", n.Streams, false}, item{"numbers.playable", n.Playable, false})
	}
	return all
}
