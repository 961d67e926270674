package list

import (
	"slices"
	"strings"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/part"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/fold"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

// The search field of a page that is not a list suggests what its words may mean: the
// best channels, and the lists of a country, a category or a genre whose name begins
// with them. The script asks for a piece of HTML while a visitor types; it is the same
// for everybody, so that caches can keep it.

// suggestEndpoints are the suggestions. Browsers keep them for a minute: a visitor who
// deletes a letter asks for the same ones again.
var suggestEndpoints = func() []api.Endpoint {
	all := page.Parts("/suggest", "Suggest channels and lists",
		"Returns a part of the search field as HTML: the channels that match the words best, and the lists of the countries, categories and genres whose names begin with them. It has no link when nothing matches.",
		(*Server).suggest, catalog.ErrNotLoaded)
	for i := range all {
		all[i].Cache = suggestCache
	}
	return all
}()

// suggestCache is how caches keep suggestions.
const suggestCache api.Cache = "public, max-age=60, s-maxage=300"

type suggestIn struct {
	Q string `query:"q" maxLength:"200" description:"The words in the search field; without any, nothing is suggested."`
}

// How many suggestions the field shows of each kind.
const (
	suggestedChannels = 6
	suggestedLists    = 3
)

// suggestions is the body of the part.
type suggestions struct {
	Channels []suggested
	Lists    []suggested
}

// A suggested is a channel or a list. The template shows nothing for an empty field.
type suggested struct {
	ID    string // of a channel
	Href  string
	Text  string
	Plate part.Plate // of a channel
	Flag  string     // URL of a flag
	Place string     // name of the country of a channel
	Icon  string     // URL of the icon of a category or genre
	Count string     // channels of a list
}

// suggest shows what words may mean.
func (s *Server) suggest(l i18n.Locale, in suggestIn) (*page.Rendered, error) {
	snapshot, err := s.Catalog.View()
	if err != nil {
		return nil, err
	}
	v := s.Pages.View(site.Home, l, nil)
	v.Body = s.suggestionsOf(v, snapshot, in.Q)
	return v.ShowPart("_suggest.html")
}

// suggestionsOf returns what q may mean.
func (s *Server) suggestionsOf(v *page.View, snapshot *index.View, q string) (found suggestions) {
	words := fold.Words(q)
	if words == "" {
		return found
	}
	w := anyPlayable(v.Path("home"))
	w.Q = q
	w.Normalize()
	for _, c := range snapshot.Cards(s.query(w, suggestedChannels), int(v.Locale)).Cards {
		found.Channels = append(found.Channels, suggestedChannel(v, &c))
	}
	found.Lists = s.listsNamed(v, snapshot, words)
	return found
}

// anyPlayable returns the search at a path that has no filter.
func anyPlayable(path string) wanted {
	w := (&listIn{}).wanted(path)
	w.Playable = true
	return w
}

func suggestedChannel(v *page.View, c *index.Card) suggested {
	shown := suggested{ID: c.ID, Href: v.Channel(c.ID), Text: part.Called(c.Name), Plate: part.NewPlate(v, c.Kind.String(), c.ID, c.Name, c.LogoURL).Small(c.Name)}
	if c.Country != "" {
		shown.Flag, shown.Place = v.Flag(c.Country), v.CountryName(c.Country)
	}
	return shown
}

// A namedList is a list with the names by which it is found, folded.
type namedList struct {
	suggested
	names []string
}

type namedListsKey struct{ locale i18n.Locale }

// listsNamed returns the lists one of whose names has a word that begins with words,
// those with most channels first. A name that is exactly the words comes before all
// others.
func (s *Server) listsNamed(v *page.View, snapshot *index.View, words string) []suggested {
	all := s.memo.Get(snapshot, namedListsKey{v.Locale}, func() any { return s.namedLists(v, snapshot) }).([]namedList)
	var exact, begin []suggested
	for i := range all {
		l := &all[i]
		switch {
		case slices.Contains(l.names, words):
			exact = append(exact, l.suggested)
		case len(begin) < suggestedLists && len(words) > 1 && slices.ContainsFunc(l.names, func(name string) bool {
			return strings.HasPrefix(name, words) || strings.Contains(name, " "+words)
		}):
			begin = append(begin, l.suggested)
		}
	}
	found := append(exact, begin...)
	return found[:min(len(found), suggestedLists)]
}

// namedLists returns the lists of all countries, categories and genres, those with most
// channels first. Countries are found by their codes and their names in every language
// of the pages, since visitors type what they call a country at home.
func (s *Server) namedLists(v *page.View, snapshot *index.View) []namedList {
	var all []namedList
	sizes := map[string]int{} // by Href
	add := func(n int, l suggested, names ...string) {
		for i := range names {
			names[i] = fold.Words(names[i])
		}
		l.Count = v.Locale.Number(n)
		sizes[l.Href] = n
		all = append(all, namedList{l, names})
	}
	for _, f := range snapshot.Countries(filter.Any, int(v.Locale)) {
		if path := v.Country(f.Code); path != "" {
			names := []string{f.Code, f.Name}
			for _, l := range i18n.Locales {
				if name, ok := i18n.CountryName(f.Code, l); ok {
					names = append(names, name)
				}
			}
			add(f.Count, suggested{Href: path, Text: f.Name, Flag: v.Flag(f.Code)}, names...)
		}
	}
	home := anyPlayable(v.Path("home"))
	for _, c := range snapshot.Cards(s.query(home, 0), int(v.Locale)).Categories {
		href := home.firstPageWith(func(w *wanted) { w.Category = c.ID })
		add(c.Count, suggested{Href: href, Text: c.Name, Icon: v.Icon("tv")}, c.ID, c.Name)
	}
	for _, g := range snapshot.Genres("", int(v.Locale)) {
		href := home.firstPageWith(func(w *wanted) { w.Kind, w.Genre = filter.Radio, g.ID })
		add(g.Count, suggested{Href: href, Text: g.Name, Icon: v.Icon("radio")}, g.ID, g.Name)
	}
	slices.SortStableFunc(all, func(a, b namedList) int { return sizes[b.Href] - sizes[a.Href] })
	return all
}
