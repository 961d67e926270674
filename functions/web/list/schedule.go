package list

import (
	"cmp"
	"context"
	"net/url"
	"strconv"
	"strings"
	"time"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/part"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

// How many channels with a guide a page of the schedule goes through: beside the grid, the
// list is for those without scripts alone.
const (
	airingSize = 60
	besideGrid = 24
)

// The views of the page: a list of what is on, and a grid of channels and hours. The grid is
// drawn by the script; without one, its page has the list too.
const (
	viewNow      = "now"
	viewTimeline = "timeline"
)

type scheduleIn struct {
	Country string `query:"country" maxLength:"2" description:"ISO 3166-1 alpha-2, in upper case; without it, all countries."`
	Offset  int    `query:"offset" default:"0" minimum:"0" maximum:"100000" description:"Number of channels with a guide to skip."`
	View    string `query:"view" default:"now" enum:"now,timeline" description:"now lists what is on; timeline also has the grid of channels and hours."`
	Of      string `query:"of" maxLength:"64" description:"What of the visitor's the script shows in the grid: favorites, or the id of a folder."`
	Q       string `query:"q" maxLength:"200" description:"Words of the titles of programmes of the next 24 hours, which are listed in place of what is on."`
}

// A schedule is the body of the page of what is on now.
type schedule struct {
	Country   string // code of the chosen country; empty for all
	Countries []airingCountry
	View      string // one of the views
	Views     part.Chips
	Of        string // what of the visitor's the grid shows; empty for a country
	Rows      []airing
	More      string // URL of the next page; empty on the last
	Channels  string // URL of the channels of the country, or of all

	Q     string // the words that programmes are looked for by; empty when the page lists what is on
	Found []airing
}

// An airingCountry is a choice of the menu of countries.
type airingCountry struct {
	Code, Name, Count string
}

// An airing is a channel with its programme and the next one.
type airing struct {
	ID, Path, Name string
	Plate          part.Plate
	Now            *catalog.Programme
	From, To       string // the hours of the programme in UTC, such as 20:15
	Percent        int    // how much of it has passed
	Next           *following
	On             bool   // it is on now, and not only found
	Calendar       string // path of the calendar file of a programme that was found
}

// A following is the programme after the current one.
type following struct {
	*catalog.Programme
	From string // its hour in UTC
}

// schedule shows the TV channels of which a programme is on now, most popular first.
func (s *Server) schedule(_ context.Context, l i18n.Locale, in scheduleIn) (*page.Rendered, error) {
	snapshot, err := s.Catalog.View()
	if err != nil {
		return nil, err
	}
	v := s.Pages.View(site.Schedule, l, nil)
	in.Country, in.Q = strings.ToUpper(in.Country), strings.TrimSpace(in.Q)
	b := &schedule{
		Country: in.Country, Countries: s.onAir.countries(v, s, snapshot, in.Country), Channels: cmp.Or(v.Country(in.Country), v.Path("home")),
		View: in.View, Of: in.Of, Q: in.Q, Views: viewsOf(v, in),
	}
	v.Body, v.Areas, v.Modules = b, []string{"schedule"}, []string{"schedule"}
	v.NoIndex = in != scheduleIn{View: viewNow}
	switch {
	case in.Q != "":
		b.Found = s.programmes(v, snapshot, in)
		return v.Show()
	case in.View == viewTimeline:
		v.Modules = append(v.Modules, "timeline")
		v.Data = s.firstRows(v, snapshot, in)
	}
	s.listOnAir(v, snapshot, in, b)
	return v.Show()
}

// viewsOf returns the links to the views, which keep the country.
func viewsOf(v *page.View, in scheduleIn) part.Chips {
	var chips part.Chips
	for _, view := range []string{viewNow, viewTimeline} {
		values := url.Values{}
		if in.Country != "" {
			values.Set("country", in.Country)
		}
		if view != viewNow {
			values.Set("view", view)
		}
		chips = append(chips, part.Chip{Text: v.T("schedule." + view), Href: withQuery(v.Path("schedule"), values), Current: view == in.View && in.Q == ""})
	}
	return chips
}

// withQuery returns a path with a query, which may be empty.
func withQuery(path string, values url.Values) string {
	if len(values) == 0 {
		return path
	}
	return path + "?" + values.Encode()
}

// airingQuery selects the TV channels that can be played and whose programmes are known, most
// popular first: the same as the grid of the API.
func airingQuery(country string, limit, offset int) index.Query {
	return index.Query{Selection: filter.Selection{Kind: filter.TV, Playable: true, Country: country, Sort: filter.ByPopularity}, Scheduled: true, Limit: limit, Offset: offset}
}

// listOnAir lists the channels of which a programme is on now.
func (s *Server) listOnAir(v *page.View, snapshot *index.View, in scheduleIn, b *schedule) {
	now, size := s.Now(), airingSize
	if in.View == viewTimeline {
		size = besideGrid
	}
	docs, total := snapshot.Find(airingQuery(in.Country, size, in.Offset))
	for _, doc := range docs {
		c := snapshot.Card(doc, int(v.Locale))
		if g := s.Guides.Now(c.ID, now); g != nil && g.Now != nil {
			b.Rows = append(b.Rows, airingOf(v, &c, g, now))
		}
	}
	if next := in.Offset + size; next < total {
		values := url.Values{"offset": {strconv.Itoa(next)}}
		if in.Country != "" {
			values.Set("country", in.Country)
		}
		b.More = withQuery(v.Path("schedule"), values)
	}
}

// airingOf returns the row of a channel. g has a current programme.
func airingOf(v *page.View, c *index.Card, g *catalog.GuideNow, now time.Time) airing {
	a := airing{
		ID: c.ID, Path: v.Channel(c.ID), Name: part.Called(c.Name), Plate: part.NewPlate(v, c.Kind.String(), c.ID, c.Name, c.LogoURL),
		Now: g.Now, From: hourOf(g.Now.Start), To: hourOf(g.Now.Stop), Percent: part.Percent(g.Now, now), On: true,
	}
	if g.After != nil {
		a.Next = &following{g.After, hourOf(g.After.Start)}
	}
	return a
}

// hourOf returns the hour of an RFC 3339 time in UTC; empty for any other text.
func hourOf(moment string) string {
	t, err := time.Parse(time.RFC3339, moment)
	if err != nil {
		return ""
	}
	return t.UTC().Format("15:04")
}
