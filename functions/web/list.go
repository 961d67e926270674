package web

import (
	"context"
	"html/template"
	"strings"

	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

// How many channels a page of a list has, and the sections of the start: few
// enough for a phone to load at once.
const (
	pageSize  = 30
	bestSize  = 24
	radioSize = 12
)

// A listing is what the pages that find channels show.
type listing struct {
	wanted
	Flag    string // the country that the page is about; empty for the start
	Heading string
	Tabs    []choice
	Topics  []choice // categories, or tags of stations
	Cards   []card
	Start   *start // of the start; nil when something was asked for

	Total    string
	Active   []choice // filters, each to be dropped
	Sorts    []choice
	Menus    []menu
	Flags    []choice // to be checked
	Hidden   [][2]string
	Previous string
	Next     string
	Try      []choice // what finds something, when this did not
	Home     string
}

// A start is what the start shows besides the best channels.
type start struct {
	Lead      string
	Radio     []card
	Countries []choice
	AllTV     string
	AllRadio  string
}

// Words returns the words that the list was found by.
func (b *listing) Words() string { return b.Q }

// Path returns the address of the page without any wish.
func (b *listing) Path() string { return b.path }

// Radio reports whether the topics are tags of stations.
func (b *listing) Radio() bool { return b.kind() == kindRadio }

type homeIn struct {
	listIn
	Country string `query:"country" maxLength:"32" description:"ISO 3166-1 alpha-2."`
}

// home shows the start, or what a search of the whole catalog finds.
func (s *Server) home(_ context.Context, l i18n.Locale, in homeIn) (*sheet, error) {
	at, err := s.Catalog.View()
	if err != nil {
		return nil, err
	}
	v := s.view(site.Home, l, nil)
	w := in.wanted(site.Home.Path(l, ""), in.Country, false)
	if w == w.nothing() {
		v.Body = s.start(v, at, w)
	} else {
		b := s.listing(v, at, w)
		v.Body, v.Title = b, titleOfList(b)
	}
	return listPage(v, w)
}

type countryIn struct {
	Slug string `path:"id" maxLength:"100" description:"Of the country, in the language of the page."`
	listIn
}

// country shows what a search of one country finds: all of it to begin with.
func (s *Server) country(_ context.Context, l i18n.Locale, in countryIn) (*sheet, error) {
	code, ok := site.CountryOf(l, in.Slug)
	if !ok {
		return nil, fault.ErrNotFound
	}
	at, err := s.Catalog.View()
	if err != nil {
		return nil, err
	}
	v := s.view(site.Country, l, nil)
	v.Name = code
	name := v.CountryName(code)
	w := in.wanted(v.Country(code), code, true)
	b := s.listing(v, at, w)
	b.Flag, v.Body = code, b
	v.Title = v.T("country.title", "country", name)
	if w != w.nothing() {
		v.Title = name + " · " + titleOfList(b)
	}
	if w.Q == "" {
		b.Heading = name
	}
	tv, radio := s.total(at, w.nothing().of(kindTV)), s.total(at, w.nothing().of(kindRadio))
	v.Description = v.T("country.description", "country", name, "tv", v.N("list.found_tv", tv), "radio", v.N("list.found_radio", radio))
	return listPage(v, w)
}

// listPage renders a list. Search engines are to have each kind of each place,
// and none of the countless other choices.
func listPage(v *view, w wanted) (*sheet, error) {
	v.NoIndex = !w.plain()
	v.Areas = []string{"list", "keep"}
	return v.show()
}

// start returns what one sees who asked for nothing yet.
func (s *Server) start(v *view, at *index.View, w wanted) *listing {
	tv, radio := w.of(kindTV), w.of(kindRadio)
	best := at.Cards(s.query(tv, bestSize), int(v.Locale))
	votes := at.Cards(s.query(radio, radioSize), int(v.Locale))
	places := s.countryFacets(at, v.Locale)
	return &listing{
		wanted: w, Heading: v.Title, Home: w.path,
		Tabs:   s.tabs(v, at, w, "", false),
		Topics: topicsOf(v, tv, best.Categories),
		Cards:  s.cards(v, best.Cards),
		Start: &start{
			Lead: v.T("home.lead", "tv", v.N("list.found_tv", best.Total), "radio", v.N("list.found_radio", votes.Total),
				"countries", v.N("home.count_countries", len(places))),
			Radio:     s.cards(v, votes.Cards),
			Countries: s.mostOf(v, at, places),
			AllTV:     tv.address(), AllRadio: radio.address(),
		},
	}
}

// listing returns what w finds.
func (s *Server) listing(v *view, at *index.View, w wanted) *listing {
	l := int(v.Locale)
	page := at.Cards(s.query(w, pageSize), l)
	b := &listing{
		wanted: w, Heading: v.T("list.heading_" + w.kind()), Home: v.Path("home"),
		Tabs:  s.tabs(v, at, w, w.kind(), page.Total > 0),
		Cards: s.cards(v, page.Cards),
		Total: v.N("list.found_"+w.kind(), page.Total),
		Sorts: sortsOf(v, w), Flags: flagsOf(v, w), Hidden: w.hidden(),
	}
	if w.Q != "" {
		b.Heading = v.T("list.heading_q", "q", w.Q)
	}
	b.Topics = s.topics(v, at, w, page.Categories)
	b.Active = s.active(v, at, w)
	b.Menus = s.menus(v, at, w)
	if w.Offset > 0 {
		b.Previous = w.to(func(w *wanted) { w.Offset = max(0, w.Offset-pageSize) })
	}
	if w.Offset+pageSize < page.Total {
		b.Next = w.to(func(w *wanted) { w.Offset += pageSize })
	}
	if len(b.Cards) == 0 {
		b.Try = s.try(v, at, w, b.Active)
	}
	return b
}

// titleOfList returns the title of a page that shows a list: what was chosen,
// and of which kind.
func titleOfList(b *listing) string {
	var chosen []string
	for _, c := range b.Active {
		if c.ID != "drop-q" {
			chosen = append(chosen, c.Text)
		}
	}
	if len(chosen) == 0 {
		return b.Heading
	}
	return strings.Join(chosen, ", ") + " · " + b.Heading
}

// query returns what to search for.
func (s *Server) query(w wanted, limit int) index.Query {
	q := w.query()
	q.Limit = limit
	if q.Online {
		at, ok := s.Catalog.Synced()
		q.Stalled = !ok || s.Now().Sub(at) > staleAfter
	}
	return q
}

// total returns how many have all that w asks for.
func (s *Server) total(at *index.View, w wanted) int {
	q := s.query(w, 0)
	q.Sort = ""
	_, n := at.Find(q)
	return n
}

// near returns how many w finds by words that are not spelt as they are asked
// for.
func (s *Server) near(at *index.View, w wanted) int {
	if w.sort() != "relevance" {
		return 0
	}
	_, n := at.Find(s.query(w, 0))
	return n
}

// A menu is one choice of many, in a form.
type menu struct {
	Name, Label string
	Options     template.HTML
}
