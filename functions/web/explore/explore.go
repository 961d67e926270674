// Package explore serves the page on which visitors look around: a globe of countries
// and of the cities that stations are in, genres, categories, and chance.
//
//	explore.go  the page
//	chosen.go   what there is in a country or a city
//	data.go     what the globe shows
//
// Package cities counts stations to the cities around them, and the file of the globe is
// written, once for each release; the page is rendered once for each view of the catalog.
package explore

import (
	"context"
	"net/url"
	"slices"
	"time"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/part"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/cities"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/guide"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

// Endpoints are the page in every locale, and what its globe asks for.
var Endpoints = slices.Concat(
	page.Endpoints(site.Explore, "Show the globe", "Returns the page with a globe of countries and of the cities of radio stations, all countries by region, genres and categories.", (*Server).explore, catalog.ErrNotLoaded, fault.ErrNotFound),
	chosenEndpoints,
	dataEndpoints,
)

// Options are what a Server needs.
type Options struct {
	Pages   *page.Renderer
	Catalog index.Viewer
	Guides  *guide.Live      // nil to show channels without programmes
	Cities  *cities.Atlas    // the cities that stations are counted to
	Now     func() time.Time // the clock, which tests replace
}

// A Server serves the page.
type Server struct {
	Options
	views    page.Memo // by view of the catalog
	releases page.Memo // by index, which lasts longer
}

// New returns a server of the page.
func New(o Options) *Server { return &Server{Options: o} }

// A world is the body of the page.
type world struct {
	Lead    string
	Chosen  *chosen // what stands beside the globe
	Genres  []tile
	Topics  []tile
	Regions []region
	Globe   string // path of the borders that the globe is drawn from
	Places  string // path of what it shows
	Parts   string // path that the chosen country or city is added to
	TV      string // path of a TV channel at random
	Radio   string // path of a station at random
}

// A tile leads to the channels of a genre or of a category.
type tile struct {
	Text, Href, Count string
	Tone              int // the number of its colour, which is one of those of plates
}

// A region is a part of the world with its countries.
type region struct {
	ID, Name  string
	Countries part.Chips
}

type exploreIn struct {
	At string `query:"at" maxLength:"12" description:"Code of a country, ISO 3166-1 alpha-2, or number of a city, to show what there is; without it, the cities with the most stations."`
}

// A key names what is kept of a view.
type key struct {
	what   string
	locale i18n.Locale
}

// explore shows the page. Without a country or a city it is rendered once for each
// locale and view of the catalog.
func (s *Server) explore(_ context.Context, l i18n.Locale, in exploreIn) (*page.Rendered, error) {
	snapshot, err := s.Catalog.View()
	if err != nil {
		return nil, err
	}
	if in.At != "" {
		return s.exploreAt(snapshot, l, in.At)
	}
	type rendered struct {
		page *page.Rendered
		err  error
	}
	body := s.world(snapshot, l)
	all := s.views.Get(snapshot, key{"page", l}, func() any {
		v := s.view(l)
		v.Body = body
		shown, err := v.Show()
		return rendered{shown, err}
	}).(rendered)
	return all.page, all.err
}

// exploreAt shows the page with what there is in a country or a city, for visitors
// without scripts. Search engines have the page of the country.
func (s *Server) exploreAt(snapshot *index.View, l i18n.Locale, at string) (*page.Rendered, error) {
	v := s.view(l)
	v.NoIndex = true
	chosen, ok := s.chosen(v, snapshot, at)
	if !ok {
		return nil, fault.ErrNotFound
	}
	body := *s.world(snapshot, l)
	body.Chosen = chosen
	v.Body, v.Title = &body, chosen.Name+" · "+v.Title
	return v.Show()
}

// view returns the view of the page, which leads to what is near the visitor.
func (s *Server) view(l i18n.Locale) *page.View {
	v := s.Pages.View(site.Explore, l, nil)
	v.Locates = true
	v.Areas = append(v.Areas, "near")
	v.Modules = []string{"explore"}
	return v
}

// world returns the body of the page, in which nothing is chosen.
func (s *Server) world(snapshot *index.View, l i18n.Locale) *world {
	places := s.Cities.Places(snapshot)
	return s.views.Get(snapshot, key{"world", l}, func() any {
		v := s.Pages.View(site.Explore, l, nil)
		countries := snapshot.Countries(filter.Any, int(l))
		b := &world{
			Chosen: mostOf(v, places), Regions: regionsOf(v, countries), Globe: v.Asset("globe.json"), Places: placesPath,
			Parts: page.Below(l, partsPath), TV: page.Below(l, page.Surprise), Radio: page.Below(l, page.Surprise) + "?kind=" + filter.Radio,
		}
		b.Lead = v.T("explore.lead", "countries", v.N("home.count_countries", len(countries)), "cities", v.N("explore.count_cities", len(places.Sorted)))
		for i, g := range snapshot.Genres("", int(l)) {
			b.Genres = append(b.Genres, tile{g.Name, v.Path("home") + "?genre=" + g.ID, v.Locale.Number(g.Count), i % part.Tones})
		}
		tv := index.Query{Selection: filter.Selection{Kind: filter.TV, Playable: true}}
		for i, c := range snapshot.Cards(tv, int(l)).Categories {
			b.Topics = append(b.Topics, tile{c.Name, v.Path("home") + "?category=" + url.QueryEscape(c.ID), v.Locale.Number(c.Count), (i + part.Tones/2) % part.Tones})
		}
		return b
	}).(*world)
}

// regionsOf groups countries, which are sorted by their names, by their part of the
// world. A country without a page is left out.
func regionsOf(v *page.View, countries []catalog.CountryFacet) []region {
	var regions []region
	for _, number := range site.Regions {
		r := region{ID: number}
		r.Name, _ = i18n.RegionName(number, v.Locale)
		for _, f := range countries {
			if site.RegionOf(f.Code) == number && v.Country(f.Code) != "" {
				r.Countries = append(r.Countries, part.Chip{Text: f.Name, Href: v.Path("explore") + "?at=" + f.Code, Flag: v.Flag(f.Code), Count: v.Locale.Number(f.Count)})
			}
		}
		if len(r.Countries) > 0 {
			regions = append(regions, r)
		}
	}
	return regions
}
