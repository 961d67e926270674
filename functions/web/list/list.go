// Package list serves the pages that find channels: the start, a search of the
// whole catalog or of one country, and the index of countries.
//
// The query of a page says what is searched for, in the words of the API's search
// (wanted.go). From it come the matches, and every link and form that narrows,
// widens or sorts them (choices.go, menus.go).
package list

import (
	"context"
	"slices"
	"strings"
	"time"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/part"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/guide"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

// Endpoints are the pages of this package in every locale.
var Endpoints = slices.Concat(
	page.Endpoints(site.Home, "Show the home page", "Returns the page that presents the catalog or, with filters in the query, the channels that match a search.", (*Server).home, catalog.ErrNotLoaded),
	page.Endpoints(site.Country, "Show a country's channels", "Returns the page that lists the channels of one country.", (*Server).country, catalog.ErrNotLoaded, fault.ErrNotFound),
	page.Endpoints(site.Countries, "Show all countries", "Returns the page that lists every country that has channels.", (*Server).countries, catalog.ErrNotLoaded),
)

// Options are what a Server needs.
type Options struct {
	Pages   *page.Renderer
	Catalog index.DatedViewer
	Guides  *guide.Live // nil for no programmes
	Now     func() time.Time
}

// A Server serves the pages of this package.
type Server struct {
	Options
	memo memo
}

// New returns a server of the pages of this package.
func New(o Options) *Server { return &Server{Options: o} }

// How many channels a page of a list and the sections of the start have: few
// enough for a phone to load at once.
const (
	pageSize  = 30
	bestSize  = 24
	radioSize = 12
)

// A listing is the body of a page that finds channels.
type listing struct {
	wanted
	Flag    string // code of the country that the page is about; empty for any other page
	Heading string
	Tabs    part.Chips
	Topics  part.Chips // categories, or tags of stations
	Cards   part.Cards
	Start   *start // the rest of the start; nil for a search

	Total    string
	Active   []part.Chip // the filters in use, each a link that drops it
	Sorts    []part.Chip
	Menus    []menu
	Flags    []part.Chip // checkboxes of the form
	Hidden   [][2]string // parameters that the form keeps
	Previous string
	Next     string
	Try      []part.Chip // searches that find something, when this one did not
	Home     string
}

// A start is the part of the start below the best channels.
type start struct {
	Lead      string
	Radio     part.Cards
	Countries part.Chips
	AllTV     string
	AllRadio  string
}

// Words returns the words of the search.
func (b *listing) Words() string { return b.Q }

// Path returns the path of the page without a query.
func (b *listing) Path() string { return b.path }

// Radio reports whether the topics are tags of stations.
func (b *listing) Radio() bool { return b.kind() == filter.Radio }

// home shows the start, or the matches of a search of the whole catalog.
func (s *Server) home(_ context.Context, l i18n.Locale, in listIn) (*page.Sheet, error) {
	at, err := s.Catalog.View()
	if err != nil {
		return nil, err
	}
	v := s.Pages.View(site.Home, l, nil)
	w := in.wanted(site.Home.Path(l, ""))
	if w == w.nothing() {
		v.Body = s.start(v, at, w)
	} else {
		b := s.listing(v, at, w)
		v.Body, v.Title = b, titleOfList(b)
	}
	v.Statements = []any{websiteOf(v), organizationOf(v)}
	return listPage(v, w)
}

type countryIn struct {
	Slug string `path:"id" maxLength:"100" description:"Name of the country in the address, in the language of the page."`
	listIn
}

// country shows the matches of a search of one country: all of them at first.
func (s *Server) country(_ context.Context, l i18n.Locale, in countryIn) (*page.Sheet, error) {
	code, ok := site.CountryOf(l, in.Slug)
	if !ok {
		return nil, fault.ErrNotFound
	}
	at, err := s.Catalog.View()
	if err != nil {
		return nil, err
	}
	v := s.Pages.View(site.Country, l, nil)
	v.Name = code
	name := v.CountryName(code)
	w := in.wantedOf(v.Country(code), code)
	b := s.listing(v, at, w)
	b.Flag, v.Body = code, b
	v.Title = v.T("country.title", "country", name)
	if w != w.nothing() {
		v.Title = name + " · " + titleOfList(b)
	}
	if w.Q == "" {
		b.Heading = name
	}
	v.Statements = []any{trailOf(v)}
	tv, radio := s.total(at, w.nothing().of(filter.TV)), s.total(at, w.nothing().of(filter.Radio))
	v.Description = v.T("country.description", "country", name, "tv", v.N("list.found_tv", tv), "radio", v.N("list.found_radio", radio))
	return listPage(v, w)
}

// listPage renders a list. Search engines may index the list of each kind in each
// place, and none of the countless other searches.
func listPage(v *page.View, w wanted) (*page.Sheet, error) {
	v.NoIndex = !w.plain()
	if w.plain() {
		_, v.Variant, _ = strings.Cut(w.address(), "?")
	}
	v.Areas = []string{"list", "keep"}
	return v.Show()
}

// start returns the start, which visitors see before they search.
func (s *Server) start(v *page.View, at *index.View, w wanted) *listing {
	tv, radio := w.of(filter.TV), w.of(filter.Radio)
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

// listing returns the matches of w.
func (s *Server) listing(v *page.View, at *index.View, w wanted) *listing {
	l := int(v.Locale)
	found := at.Cards(s.query(w, pageSize), l)
	b := &listing{
		wanted: w, Heading: v.T("list.heading_" + w.kind()), Home: v.Path("home"),
		Tabs:  s.tabs(v, at, w, w.kind(), found.Total > 0),
		Cards: s.cards(v, found.Cards),
		Total: v.N("list.found_"+w.kind(), found.Total),
		Sorts: sortsOf(v, w), Flags: flagsOf(v, w), Hidden: w.hidden(),
	}
	if w.Q != "" {
		b.Heading = v.T("list.heading_q", "q", w.Q)
	}
	b.Topics = s.topics(v, at, w, found.Categories)
	b.Active = s.active(v, at, w)
	b.Menus = s.menus(v, at, w)
	if w.Offset > 0 {
		b.Previous = w.to(func(w *wanted) { w.Offset = max(0, w.Offset-pageSize) })
	}
	if w.Offset+pageSize < found.Total {
		b.Next = w.to(func(w *wanted) { w.Offset += pageSize })
	}
	if len(b.Cards) == 0 {
		b.Try = s.try(v, at, w, b.Active)
	}
	return b
}

// titleOfList returns the title of a page that shows a list: the chosen filters
// and the kind.
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

// query returns the query of w, for at most limit matches.
func (s *Server) query(w wanted, limit int) index.Query {
	q := w.query()
	q.Limit = limit
	q.Stalled = q.Online && index.Stale(s.Catalog, s.Now())
	return q
}

// cards returns the cards of channels, with their current programmes.
func (s *Server) cards(v *page.View, list []index.Card) part.Cards {
	return part.NewCards(v, list, s.Guides, s.Now())
}

// total returns how many channels match w exactly.
func (s *Server) total(at *index.View, w wanted) int {
	q := s.query(w, 0)
	q.Sort = ""
	_, n := at.Find(q)
	return n
}

// near returns how many channels match w when similar spellings count too.
func (s *Server) near(at *index.View, w wanted) int {
	if w.sort() != "relevance" {
		return 0
	}
	_, n := at.Find(s.query(w, 0))
	return n
}
