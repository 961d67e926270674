package list

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/part"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

// The page of countries has two views, each a page of its own address, so that it
// works without a script: by region of the world, below the countries with the most
// channels, and by first letter. Both are groups of the same tiles.

// mostCount is how many countries stand above the regions: a number that fills rows of
// two, three, four and six.
const mostCount = 12

// byName is the value of the parameter sort that lists countries by first letter.
const byName = "name"

type countriesIn struct {
	Sort string `query:"sort" enum:"name" description:"name lists the countries by first letter; without it, by region of the world."`
}

// An atlas is the body of the page of countries.
type atlas struct {
	Lead   string
	Views  part.Chips // by region and by letter
	Jumps  part.Chips // to the groups of the page
	Most   []place    // the countries with the most channels; empty in the view by letter
	Groups []group
	Narrow bool // the names of the groups are letters
}

// A group is a region of the world, or a first letter, with its countries by name.
type group struct {
	ID, Name string
	Count    string // number of countries; empty for a letter
	Places   []place
}

// countries shows all countries that have channels or stations. The page is
// rendered once for each locale, sort and view of the catalog.
func (s *Server) countries(_ context.Context, l i18n.Locale, in countriesIn) (*page.Rendered, error) {
	snapshot, err := s.Catalog.View()
	if err != nil {
		return nil, err
	}
	places := s.places(snapshot, l)
	a := s.memo.Get(snapshot, countriesKey{l, in.Sort}, func() any {
		v := s.Pages.View(site.Countries, l, nil)
		v.NoIndex = in.Sort != ""
		v.Body = atlasOf(v, places, in.Sort)
		rendered, err := v.Show()
		return renderedIndex{rendered, err}
	}).(renderedIndex)
	return a.page, a.err
}

// A renderedIndex is the memoized page of all countries, or the error of rendering
// it, which would be the same at the next request.
type renderedIndex struct {
	page *page.Rendered
	err  error
}

type countriesKey struct {
	locale i18n.Locale
	sort   string
}

// atlasOf returns the body of the page, for countries that are sorted by name.
func atlasOf(v *page.View, places []place, sort string) *atlas {
	path := v.Path(site.Countries.String())
	b := &atlas{Lead: v.T("countries.lead", "countries", v.N("home.count_countries", len(places)))}
	b.Views = part.Chips{
		{Text: v.T("countries.by_region"), Href: path, Current: sort == ""},
		{Text: v.T("list.sort_name"), Href: path + "?sort=" + byName, Current: sort == byName},
	}
	if sort == byName {
		b.Groups, b.Narrow = lettersOf(places), true
	} else {
		b.Most, b.Groups = mostOf(places, mostCount), regionsOf(v, places)
	}
	for _, g := range b.Groups {
		b.Jumps = append(b.Jumps, part.Chip{Text: g.Name, Href: "#" + g.ID, Count: g.Count})
	}
	return b
}

// regionsOf groups countries by their region of the world. What belongs to none, such
// as a code that the sources made up, stands in a last group, so that nothing is lost.
func regionsOf(v *page.View, places []place) (groups []group) {
	for _, number := range append(slices.Clone(site.Regions), "") {
		g := group{ID: regionID(number)}
		for _, p := range places {
			if p.region == number {
				g.Places = append(g.Places, p)
			}
		}
		if len(g.Places) == 0 {
			continue
		}
		g.Name, g.Count = regionName(v, number), v.Locale.Number(len(g.Places))
		groups = append(groups, g)
	}
	return groups
}

// regionID returns the id of a region on the page of countries.
func regionID(number string) string { return "region-" + cmp.Or(number, "none") }

// regionName returns the name of a region, by its number in site.Regions or empty.
func regionName(v *page.View, number string) string {
	if name, ok := i18n.RegionName(number, v.Locale); ok && number != "" {
		return name
	}
	return v.T("countries.elsewhere")
}

// lettersOf groups countries by their first letter.
func lettersOf(places []place) (letters []group) {
	for _, p := range places {
		first := initial(p.Name)
		if len(letters) == 0 || letters[len(letters)-1].Name != first {
			letters = append(letters, group{ID: "letter-" + first, Name: first})
		}
		last := &letters[len(letters)-1]
		last.Places = append(last.Places, p)
	}
	return letters
}

// initial returns the first letter of a name in upper case without its accent; "#"
// for a name without Latin letters or digits.
func initial(name string) string {
	r, size := utf8.DecodeRuneInString(site.Slug(name))
	if size == 0 {
		return "#"
	}
	if 'a' <= r && r <= 'z' {
		r += 'A' - 'a'
	}
	return string(r)
}

// mostOf returns the n places with the most channels that have a page of their own,
// the largest first.
func mostOf(places []place, n int) []place {
	most := slices.DeleteFunc(slices.Clone(places), func(p place) bool { return !p.own })
	slices.SortStableFunc(most, func(a, b place) int { return cmp.Compare(b.tv+b.radio, a.tv+a.radio) })
	return most[:min(len(most), n)]
}

// A place is a country as a tile that leads to its channels. The template _place shows
// it.
type place struct {
	Code, Name, Href string
	Flag             string // URL
	TV, Radio        string // how many channels and stations, as sentences; empty for none
	Counts           string // the same in short

	region    string // number in site.Regions; empty for none
	own       bool   // it has a page of its own
	tv, radio int
}

type placesKey struct{ locale i18n.Locale }

// places returns all countries that have channels or stations, by name. A country
// without a page of its own leads to a search for it.
func (s *Server) places(snapshot *index.View, l i18n.Locale) []place {
	return s.memo.Get(snapshot, placesKey{l}, func() any {
		v := s.Pages.View(site.Countries, l, nil)
		tv, radio := countsOf(snapshot, l)
		all := s.countryFacets(snapshot, l)
		places := make([]place, 0, len(all))
		for _, f := range all {
			places = append(places, placeOf(v, f.Code, f.Name, tv[f.Code], radio[f.Code]))
		}
		return places
	}).([]place)
}

func placeOf(v *page.View, code, name string, tv, radio int) place {
	p := place{Code: code, Name: name, Href: v.Country(code), Flag: v.Flag(code), region: site.RegionOf(code), tv: tv, radio: radio}
	if p.own = p.Href != ""; !p.own {
		p.Href = searchOf(v, code)
	}
	var counts []string
	if tv > 0 {
		p.TV = v.N("list.found_tv", tv)
		counts = append(counts, v.T("list.kind_tv")+" "+v.Locale.Number(tv))
	}
	if radio > 0 {
		p.Radio = v.N("list.found_radio", radio)
		counts = append(counts, v.T("list.kind_radio")+" "+v.Locale.Number(radio))
	}
	p.Counts = strings.Join(counts, " · ")
	return p
}
