// Package list serves the pages that find channels: the start, a search of the
// whole catalog or of one country, and the index of countries.
//
// A page takes the same query parameters as the API's search (wanted.go). From them
// come the matches, and every link and form that narrows, widens or sorts them
// (choices.go, menus.go). The filters themselves are declared in package filter:
// these pages read names, labels and kinds from there and name few filters here.
//
// What a page needs of the whole catalog, such as the options of a menu, is
// computed once for each view of the catalog (page.Memo); matches are found anew for
// every request.
package list

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/part"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/cities"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/feed"
	"miramundo.dev/shared/guide"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
	"miramundo.dev/shared/works"
)

// Endpoints are the pages of this package in every locale.
var Endpoints = slices.Concat(
	page.Endpoints(site.Home, "Show the home page", "Returns the page that presents the catalog or, with filters in the query, the channels that match a search.", (*Server).home, catalog.ErrNotLoaded),
	page.Endpoints(site.Country, "Show a country's channels", "Returns the page that lists the channels of one country.", (*Server).country, catalog.ErrNotLoaded, fault.ErrNotFound),
	page.Endpoints(site.Countries, "Show all countries", "Returns the page that lists every country that has channels, by region of the world or by name.", (*Server).countries, catalog.ErrNotLoaded),
	page.Endpoints(site.Schedule, "Show what is on now", "Returns the page that lists the TV channels of which a programme is on now, with what comes next.", (*Server).schedule, catalog.ErrNotLoaded),
	nearEndpoints,
	surpriseEndpoints,
	suggestEndpoints,
	[]api.Endpoint{suggestionsEndpoint},
	cardsEndpoints,
)

// Options are what a Server needs.
type Options struct {
	Pages   *page.Renderer
	Catalog index.DatedViewer
	Guides  *guide.Live      // nil to show cards without programmes
	Works   *works.Countries // nil when nothing is known of what plays where
	Cities  *cities.Atlas    // nil to name no cities
	Now     func() time.Time // the clock, which tests replace
}

// A Server serves the pages of this package.
type Server struct {
	Options
	memo  page.Memo
	onAir onAir
}

// New returns a server of the pages of this package.
func New(o Options) *Server { return &Server{Options: o} }

// How many channels a page shows: few enough for a phone to load at once.
const (
	pageSize  = 30 // matches of a search
	shelfSize = 12 // channels of a shelf of the home page
)

// A listing is the body of a page that finds channels.
type listing struct {
	wanted
	Flag    string // code of the country that the page is about; empty for any other page
	Land    *land  // what the page of a country has besides the list; nil for any other page
	Heading string
	Tabs    part.Chips // the kinds
	Topics  part.Chips // categories, or genres of stations
	Rest    *rest      // the less frequent of them, which are folded on a wide window; nil when there are few
	Cards   part.Cards // the matches of this page of the list; empty on the home page
	Start   *start     // the sections of the home page; nil for a search

	Total    string      // the number of matches, as a sentence
	Active   []part.Chip // the filters in use, each a link that drops it
	Read     []reading   // the filters that words were taken for
	Advice   []advice    // what else to try, and what is known of the channel that was looked for
	Sorts    []part.Chip // the orders that apply
	Menus    []menu
	Flags    []part.Chip // checkboxes of the form
	Around   *around     // what a list near a place has besides; nil for any other list
	Works    string      // what the list of what plays in a country means; empty for any other list
	Hidden   [][2]string // names and values of parameters that the form keeps
	Previous string      // URL of the page before; empty on the first
	Next     string      // URL of the page after; empty on the last
	Try      []part.Chip // searches with matches; empty unless this search has none
	Popular  *shelf      // the most popular channels of the page, when this search has no matches; else nil
	Home     string      // path of the home page
}

// Words returns the words of the search, which the layout shows in its search
// field.
func (b *listing) Words() string { return b.Q }

// Path returns the path of the page without a query.
func (b *listing) Path() string { return b.path }

// Radio reports whether the topics are genres of stations. Such a list leads to what is near
// the visitor.
func (b *listing) Radio() bool { return b.kind() == filter.Radio }

// home shows the home page or, with any filter, a search of the whole catalog.
func (s *Server) home(ctx context.Context, l i18n.Locale, in listIn) (*page.Rendered, error) {
	snapshot, err := s.Catalog.View()
	if err != nil {
		return nil, err
	}
	v := s.Pages.View(site.Home, l, nil)
	w := in.wanted(site.Home.Path(l, ""))
	if there, err := w.here(ctx); there != nil || err != nil {
		return there, err
	}
	if w == w.unfiltered() {
		v.Body = s.start(v, snapshot, w)
	} else {
		b := s.listing(v, snapshot, w)
		v.Body, v.Title = b, titleOfList(b)
	}
	v.Statements = []any{websiteOf(v), organizationOf(v)}
	return listPage(v, w, w.plain())
}

type countryIn struct {
	Slug string `path:"id" maxLength:"100" description:"Name of the country in the address, in the language of the page."`
	listIn
}

// country shows a search within one country, whose page without a query lists all
// of its channels. A search adds its filters to the title.
func (s *Server) country(ctx context.Context, l i18n.Locale, in countryIn) (*page.Rendered, error) {
	code, ok := site.CountryOf(l, in.Slug)
	if !ok {
		return nil, fault.ErrNotFound
	}
	snapshot, err := s.Catalog.View()
	if err != nil {
		return nil, err
	}
	v := s.Pages.View(site.Country, l, nil)
	v.Name = code
	name := v.CountryName(code)
	w := in.wantedOf(v.Country(code), code)
	if there, err := w.here(ctx); there != nil || err != nil {
		return there, err
	}
	tv, radio := s.countExact(snapshot, w.unfiltered().withKind(filter.TV)), s.countExact(snapshot, w.unfiltered().withKind(filter.Radio))
	w.radio = tv == 0 && radio > 0
	b := s.listing(v, snapshot, w)
	b.Flag, b.Land, v.Body = code, s.landOf(v, snapshot, w), b
	v.Title = v.T("country.title", "country", name)
	if w != w.unfiltered() {
		v.Title = name + " · " + titleOfList(b)
	}
	if w.Q == "" {
		b.Heading = name
	}
	v.Statements = []any{trailOf(v)}
	v.Description = v.T("country.description", "country", name, "tv", v.N("list.found_tv", tv), "radio", v.N("list.found_radio", radio))
	return listPage(v, w, w.plain() || w.continues() && len(b.Cards) > 0)
}

// listPage renders a list. Search engines may index the list of each kind in each
// country, but not the other searches, of which there are countless.
func listPage(v *page.View, w wanted, indexed bool) (*page.Rendered, error) {
	v.NoIndex = !indexed
	if indexed {
		_, v.Variant, _ = strings.Cut(w.address(), "?")
	}
	v.Areas = []string{"list", "keep", "near"}
	v.Locates, v.Unshared = true, w.Near != ""
	if w != w.unfiltered() || w.fixed {
		v.Others = append(v.Others, playlistsOf(v, w)...)
	}
	return v.Show()
}

// playlistsOf returns the search w, from its first match on, as lists for media players.
func playlistsOf(v *page.View, w wanted) (all []page.Other) {
	q := w.query()
	query := url.Values{"lang": {v.Locale.Tag()}}
	for _, p := range q.Pairs() {
		query.Set(p[0], p[1])
	}
	for _, f := range []struct{ format, media string }{{feed.M3U, feed.M3UType}, {feed.XSPF, feed.XSPFType}} {
		address := v.Base() + catalog.ChannelsPath + "." + f.format + "?" + query.Encode()
		all = append(all, page.Other{Type: f.media, URL: address, Title: v.Title + " (" + strings.ToUpper(f.format) + ")"})
	}
	return all
}

// listing returns the body of the page of the search w: one page of its matches,
// and every link and form to continue from it.
func (s *Server) listing(v *page.View, snapshot *index.View, w wanted) *listing {
	l := int(v.Locale)
	found := snapshot.Cards(s.queryOf(snapshot, w, pageSize), l)
	b := &listing{
		wanted: w, Heading: v.T("list.heading_" + w.kind()), Home: v.Path("home"),
		Tabs:  s.tabs(v, snapshot, w, w.kind(), found.Total),
		Cards: s.cards(v, found.Cards),
		Total: v.N("list.found_"+w.kind(), found.Total),
		Sorts: sortsOf(v, w), Flags: flagsOf(v, w), Hidden: w.hidden(),
	}
	if w.Q != "" {
		b.Heading = v.T("list.heading_q", "q", w.Q)
	}
	if w.Near != "" {
		b.Around = s.around(v, snapshot, w)
		if w.Q == "" {
			b.Heading = b.Around.Heading
		}
	}
	if w.WorksIn != "" {
		b.Works = v.T("list.works_in_means", "country", v.CountryName(w.WorksIn))
		b.Cards.Places(w.WorksIn)
	}
	b.Topics, b.Rest = folded(v, s.topics(v, snapshot, w, found.Categories))
	b.Active = s.active(v, snapshot, w)
	b.Read = readingsOf(w, found.Understood)
	b.Menus = s.menus(v, snapshot, w)
	if w.Offset > 0 {
		b.Previous = w.urlWith(func(w *wanted) { w.Offset = max(0, w.Offset-pageSize) })
	}
	if w.Offset+pageSize < found.Total {
		b.Next = w.urlWith(func(w *wanted) { w.Offset += pageSize })
	}
	if len(b.Cards) == 0 {
		b.Try = s.alternatives(v, snapshot, w, b.Active)
		b.Popular = s.popular(v, snapshot, w)
	}
	b.Advice = adviceOf(v, w, found.Suggestions, b.Try)
	return b
}

// titleOfList returns the title of a search: the chosen filters, if any, and the
// heading, which already contains the words of the search.
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

// query returns the query of w for the index, for at most limit matches. It leaves
// out the visitor's country and language, which the API puts forward in some orders:
// shared caches keep one page for all visitors. When the catalog is too old to say
// which channels are online, a search for channels that are online matches none.
//
// For what plays in a country it needs the view that is searched: see queryOf.
func (s *Server) query(w wanted, limit int) index.Query {
	q := w.query()
	q.Limit = limit
	q.Stalled = q.Online && index.Stale(s.Catalog, s.Now())
	return q
}

// queryOf returns the query of w for a view, with what plays in the country of works_in.
func (s *Server) queryOf(snapshot *index.View, w wanted, limit int) index.Query {
	q := s.query(w, limit)
	if q.WorksIn != "" {
		q.Works = s.Works.In(snapshot, q.WorksIn, index.Stale(s.Catalog, s.Now()))
	}
	return q
}

// cards returns the cards of channels, with their current programmes.
func (s *Server) cards(v *page.View, list []index.Card) part.Cards {
	return part.NewCards(v, list, s.Guides, s.Now())
}

// countExact returns how many channels match w as it is typed, without corrections.
func (s *Server) countExact(snapshot *index.View, w wanted) int {
	q := s.queryOf(snapshot, w, 0)
	return snapshot.Count(&q)
}

// countSimilar returns how many channels match w when similar spellings count too.
func (s *Server) countSimilar(snapshot *index.View, w wanted) int {
	if w.sort() != "relevance" {
		return 0
	}
	_, n := snapshot.Find(s.queryOf(snapshot, w, 0))
	return n
}
