package list

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/part"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

// airingSize is how many channels with a guide a page of the schedule goes through.
const airingSize = 60

type scheduleIn struct {
	Country string `query:"country" maxLength:"2" description:"ISO 3166-1 alpha-2, in upper case; without it, all countries."`
	Offset  int    `query:"offset" default:"0" minimum:"0" maximum:"100000" description:"Number of channels with a guide to skip."`
}

// A schedule is the body of the page of what is on now.
type schedule struct {
	Country   string // code of the chosen country; empty for all
	Countries []airingCountry
	Rows      []airing
	More      string // URL of the next page; empty on the last
	Channels  string // URL of the channels of the country, or of all
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
	v, now := s.Pages.View(site.Schedule, l, nil), s.Now()
	in.Country = strings.ToUpper(in.Country)
	b := schedule{Country: in.Country, Countries: s.onAir.countries(v, s, snapshot, in.Country), Channels: cmp.Or(v.Country(in.Country), v.Path("home"))}
	q := index.Query{Selection: filter.Selection{Kind: filter.TV, Playable: true, Guide: true, Country: in.Country, Sort: filter.ByPopularity}, Limit: airingSize, Offset: in.Offset}
	docs, total := snapshot.Find(q)
	for _, doc := range docs {
		c := snapshot.Card(doc, int(l))
		if g := s.Guides.Now(c.ID, now); g != nil && g.Now != nil {
			b.Rows = append(b.Rows, airingOf(v, &c, g, now))
		}
	}
	if next := in.Offset + airingSize; next < total {
		values := url.Values{"offset": {strconv.Itoa(next)}}
		if in.Country != "" {
			values.Set("country", in.Country)
		}
		b.More = v.Path("schedule") + "?" + values.Encode()
	}
	v.Body, v.Areas = b, []string{"schedule"}
	v.NoIndex = in != scheduleIn{}
	return v.Show()
}

// airingOf returns the row of a channel. g has a current programme.
func airingOf(v *page.View, c *index.Card, g *catalog.GuideNow, now time.Time) airing {
	a := airing{
		ID: c.ID, Path: v.Channel(c.ID), Name: part.Called(c.Name), Plate: part.NewPlate(v, c.Kind.String(), c.ID, c.Name, c.LogoURL),
		Now: g.Now, From: hourOf(g.Now.Start), To: hourOf(g.Now.Stop), Percent: part.Percent(g.Now, now),
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

// onAir counts the channels of each country that have a programme now, once a minute.
type onAir struct {
	mu     sync.Mutex
	minute int64
	counts map[string]int // by ISO 3166-1 alpha-2
}

// countries returns the countries where something is on now, by name, after a choice of
// all, and the chosen country even when nothing is on there.
func (o *onAir) countries(v *page.View, s *Server, snapshot *index.View, chosen string) []airingCountry {
	counts := o.count(s, snapshot)
	var list []airingCountry
	for code, n := range counts {
		list = append(list, airingCountry{code, v.CountryName(code), v.Locale.Number(n)})
	}
	if chosen != "" && counts[chosen] == 0 && v.Country(chosen) != "" {
		list = append(list, airingCountry{Code: chosen, Name: v.CountryName(chosen)})
	}
	slices.SortFunc(list, func(a, b airingCountry) int { return strings.Compare(site.Slug(a.Name), site.Slug(b.Name)) })
	return append([]airingCountry{{Name: v.T("schedule.any")}}, list...)
}

func (o *onAir) count(s *Server, snapshot *index.View) map[string]int {
	now := s.Now()
	o.mu.Lock()
	defer o.mu.Unlock()
	if minute := now.Unix() / 60; o.counts == nil || o.minute != minute {
		counts := map[string]int{}
		for id := range s.Guides.Channels(now) {
			c, ok := snapshot.Summary(id)
			if ok && c.Country != "" && c.Kind != catalog.Station && c.Playable && s.Guides.OnAir(id, now) {
				counts[c.Country]++
			}
		}
		o.minute, o.counts = minute, counts
	}
	return o.counts
}
