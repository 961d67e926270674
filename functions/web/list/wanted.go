package list

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/i18n"
)

// A list page and the API take the same parameters, with one difference: a missing
// kind or order is derived from the others. A search by words covers TV and radio,
// best matches first; a search without words covers TV, best known channels first; a
// genre or a tag, which only stations have, selects radio, most votes first.
//
// URLs are canonical: equal searches have the same URL, with the parameters in a
// fixed order and without those that the others imply. The canonical link, the
// caches and the browser's list of visited links depend on it.

// listIn is the input of a list page. Its fields Kind and Sort replace those of the
// selection, which stay empty.
type listIn struct {
	filter.Selection
	Kind   string `query:"kind" enum:"tv,radio,all" description:"Kind of channel; without it, all with words in q, radio with a genre or a tag, and otherwise tv."`
	Sort   string `query:"sort" enum:"name,score,votes,relevance,popular,works,distance" description:"Order; without it, relevance with words in q, distance near a place, votes for radio, and otherwise popular."`
	Here   bool   `query:"works_here" default:"0" description:"1 redirects to the same search with works_in, for the country that the visitor is in."`
	Offset int    `query:"offset" default:"0" minimum:"0" maximum:"100000000" description:"Number of matches to skip."`
}

// narrowing are the filters that a page shows as links that drop them, in the
// order of these links and of URL parameters. The kind and the order are shown
// elsewhere.
var narrowing = slices.Concat(filter.IDs(filter.ByWords), filter.IDs(filter.ByValue), filter.IDs(filter.ByFlag), filter.IDs(filter.ByCountry), filter.IDs(filter.ByPlace), []filter.ID{filter.Playable})

// The filters of the form in the order of its controls.
var (
	formMenus = []filter.ID{filter.Country, filter.Language, filter.Quality} // menus
	formFlags = []filter.ID{filter.Online, filter.Guide, filter.Playable}    // checkboxes
)

// A wanted is the search that a page shows. It is a value: methods with a value
// receiver return a changed copy, and equal searches compare equal.
type wanted struct {
	listIn
	path  string // path of the page
	fixed bool   // the country is part of the path, not of the query
	radio bool   // the country of the path has stations and no TV channels
}

// hereName is the parameter Here.
const hereName = "works_here"

// here returns, of a search for what plays where the visitor is, the redirect to the search
// that names the country: shared caches keep one page for all visitors, so that no page is
// about where one of them is. Where the country is not known, the redirect leads to the
// search without it. It returns neither for any other search, and refuses a country that
// does not exist.
func (w wanted) here(ctx context.Context) (*page.Rendered, error) {
	if _, ok := i18n.CountryName(w.WorksIn, i18n.EN); !ok && w.WorksIn != "" {
		return nil, fault.ErrInvalid.With("param", filter.All[filter.WorksIn].Name).With("reason", "pattern")
	}
	if !w.Here {
		return nil, nil
	}
	w.Here, w.Offset = false, 0
	if country := api.CountryOf(ctx); country != "" {
		if _, ok := i18n.CountryName(country, i18n.EN); ok {
			w.WorksIn = country
		}
	}
	return page.SeeOther(w.address()), nil
}

// wanted returns the search of in on a page of the whole catalog.
func (in *listIn) wanted(path string) wanted {
	w := wanted{listIn: *in, path: path}
	if w.Normalize(); w.Near == "" && w.Sort == filter.ByDistance { // the form of a list near a place sends the order without the place
		w.Sort = ""
	}
	return w
}

// wantedOf returns the search of in on the page of a country. The country's code
// replaces any country in the query.
func (in *listIn) wantedOf(path, country string) wanted {
	w := in.wanted(path)
	w.Country, w.fixed = country, true
	return w
}

// unfiltered returns the search of the same page without a query.
func (w wanted) unfiltered() wanted {
	none := wanted{path: w.path, fixed: w.fixed, radio: w.radio}
	none.Playable = true
	if w.fixed {
		none.Country = w.Country
	}
	return none
}

// plain reports whether w has no filter except a kind.
func (w wanted) plain() bool {
	w.Kind = ""
	return w == w.unfiltered()
}

// continues reports whether w is a further page of the list of a country. Search
// engines may index those: the links of a country's pages lead to all its channels.
func (w wanted) continues() bool {
	first := w
	first.Offset = 0
	return w.fixed && w.Offset > 0 && w.Offset%pageSize == 0 && first.plain()
}

// kind returns the kind to search for.
func (w *wanted) kind() string {
	if w.Kind != "" {
		return w.Kind
	}
	return w.implied()
}

// implied returns the kind of a search without one: the only kind to which one of
// its filters or its order applies; else any kind when it has words; else TV, or
// radio in a country that has nothing else.
func (w *wanted) implied() string {
	for _, id := range narrowing {
		if kind, ok := onlyKind(id); ok && w.IsSet(id) {
			return kind
		}
	}
	switch {
	case w.Sort == "votes":
		return filter.Radio
	case w.Q != "":
		return filter.Any
	case w.radio:
		return filter.Radio
	}
	return filter.TV
}

// onlyKind returns the kind of a filter that applies to a single kind, and false
// for any other filter.
func onlyKind(id filter.ID) (string, bool) {
	if kinds := filter.All[id].Kinds; len(kinds) == 1 {
		return kinds[0], true
	}
	return "", false
}

// sort returns the order of the matches.
func (w *wanted) sort() string {
	switch {
	case w.Sort != "":
		return w.Sort
	case w.Q != "":
		return filter.ByRelevance
	case w.Near != "":
		return filter.ByDistance
	case w.kind() == filter.Radio:
		return "votes"
	}
	return filter.ByPopularity
}

// withKind returns the first page of w for another kind, without the filters and
// the order that do not apply to it.
func (w wanted) withKind(kind string) wanted {
	w.Kind, w.Offset = kind, 0
	for _, id := range narrowing {
		if f := &filter.All[id]; f.PerKind || !f.AppliesTo(kind) {
			w.Clear(id)
		}
	}
	if kind == filter.TV && w.Sort == "votes" {
		w.Sort = ""
	}
	return w
}

// query returns the query for the index.
func (w *wanted) query() index.Query {
	q := index.Query{Selection: w.Selection, Offset: w.Offset}
	q.Kind, q.Sort = w.kind(), w.sort()
	return q
}

// urlWith returns the URL of w after a change.
func (w wanted) urlWith(change func(*wanted)) string {
	change(&w)
	return w.address()
}

// firstPageWith returns the URL of the first page of w after a change.
func (w wanted) firstPageWith(change func(*wanted)) string {
	w.Offset = 0
	return w.urlWith(change)
}

// chosen returns the filters in use in the order of narrowing, without the country
// of the path.
func (w *wanted) chosen() []filter.ID {
	chosen := make([]filter.ID, 0, len(narrowing))
	for _, id := range narrowing {
		if w.IsSet(id) && (!w.fixed || id != filter.Country) {
			chosen = append(chosen, id)
		}
	}
	return chosen
}

// without returns w without a filter. It keeps the kind, even one that the filter
// implied.
func (w wanted) without(id filter.ID) wanted {
	w.Kind = w.kind()
	w.Clear(id)
	return w
}

// pairs returns the names and values of the query parameters of w in the order of
// its URL. A kind that the others imply is left out, except for the list of all TV
// channels, whose URL would otherwise be that of the home page.
func (w wanted) pairs() [][2]string {
	pairs := make([][2]string, 0, len(narrowing)+3)
	add := func(name, value string) {
		if value != "" {
			pairs = append(pairs, [2]string{name, value})
		}
	}
	kind := w.Kind
	if kind == w.implied() && (w.fixed || !w.plain()) {
		kind = ""
	}
	add(filter.All[filter.Words].Name, w.Q)
	add(filter.All[filter.Kind].Name, kind)
	for _, id := range w.chosen() {
		if id != filter.Words {
			add(filter.All[id].Name, w.Value(id))
		}
		if id == filter.Near && w.IsSet(filter.Radius) {
			add(filter.All[filter.Radius].Name, w.Value(filter.Radius))
		}
	}
	add(filter.All[filter.Sort].Name, w.Sort)
	if w.Offset > 0 {
		add("offset", strconv.Itoa(w.Offset))
	}
	return pairs
}

// address returns the URL of w, without scheme and host.
func (w wanted) address() string {
	var b strings.Builder
	b.WriteString(w.path)
	for i, p := range w.pairs() {
		b.WriteByte("?&"[min(i, 1)])
		b.WriteString(p[0])
		b.WriteByte('=')
		b.WriteString(url.QueryEscape(p[1]))
	}
	return b.String()
}

// hidden returns the parameters of w that the form sends without showing them:
// those without a control. The offset is not sent, so that a changed search starts
// at its first page.
func (w wanted) hidden() [][2]string {
	return slices.DeleteFunc(w.pairs(), func(p [2]string) bool {
		shown := func(id filter.ID) bool { return filter.All[id].Name == p[0] }
		return p[0] == "offset" || slices.ContainsFunc(formMenus, shown) || slices.ContainsFunc(formFlags, shown) || shown(filter.WorksIn)
	})
}
