// Package site knows the pages for people: which there are, and the address of
// each in every locale.
//
// The default locale stands at the root, each other below its tag. What the
// router serves, what links and hreflang say and what the sitemap lists are all
// taken from here, so that they cannot disagree.
package site

import (
	"net/url"
	"strings"

	"miramundo.dev/shared/i18n"
)

// A Page is a kind of page.
type Page int

// The pages. Those that end in a thing of many take its name in their address.
const (
	Home      Page = iota // the catalog, and what a search of it finds
	Country               // the channels of a country: see CountryPath
	Countries             // all countries
	Channel               // about a channel, and to watch it
	Library               // folders of the one who looks
	Favorites             // likewise
	History               // likewise
	Guide                 // how to use it all
	About                 // credits, licences and whom to ask

	Nowhere Page = -1 // none of them: what a person sees who asks for what is not there
)

// Pages lists the pages in their order, without Nowhere.
var Pages = []Page{Home, Country, Countries, Channel, Library, Favorites, History, Guide, About}

// names are what the pages are called in logs, stylesheets and scripts.
var names = [...]string{"home", "country", "countries", "channel", "library", "favorites", "history", "guide", "about"}

// String returns the name of p, which is the same in every locale.
func (p Page) String() string {
	if p == Nowhere {
		return "error"
	}
	return names[p]
}

// paths are the parts of addresses after that of the locale, in the order of
// [i18n.Locales]. An {id} stands for what is asked for.
var paths = [...][5]string{
	Home:      {"", "", "", "", ""},
	Country:   {"/{id}", "/{id}", "/{id}", "/{id}", "/{id}"},
	Countries: {"/paises", "/countries", "/paises", "/pays", "/laender"},
	Channel:   {"/canal/{id}", "/channel/{id}", "/canal/{id}", "/chaine/{id}", "/sender/{id}"},
	Library:   {"/biblioteca", "/library", "/biblioteca", "/bibliotheque", "/bibliothek"},
	Favorites: {"/favoritos", "/favorites", "/favoritos", "/favoris", "/favoriten"},
	History:   {"/historico", "/history", "/historial", "/historique", "/verlauf"},
	Guide:     {"/como-usar", "/how-to", "/como-usar", "/mode-emploi", "/anleitung"},
	About:     {"/sobre", "/about", "/acerca", "/a-propos", "/ueber"},
}

const slot = "{id}"

// root returns what the addresses of a locale begin with.
func root(l i18n.Locale) string {
	if l == i18n.PT {
		return ""
	}
	return "/" + l.Tag()
}

// path returns the path of p in a locale, in which {id} may stand. Nowhere leads
// back to the start.
func (p Page) path(l i18n.Locale) string {
	if p == Nowhere {
		p = Home
	}
	return root(l) + paths[p][l]
}

// Pattern returns the path of p in a locale as [http.ServeMux] takes it.
func (p Page) Pattern(l i18n.Locale) string {
	path := p.path(l)
	if path == "" {
		return "/{$}"
	}
	return path
}

// Named reports whether the address of p takes a name.
func (p Page) Named() bool { return strings.HasSuffix(p.path(i18n.PT), slot) }

// Personal reports whether p is about the one who looks, so that there is
// nothing in it for search engines.
func (p Page) Personal() bool { return p == Library || p == Favorites || p == History || p == Nowhere }

// Path returns the path of p in a locale, with the name of what it is about
// when it takes one; of a country that is its slug. The name is escaped.
func (p Page) Path(l i18n.Locale, name string) string {
	path := p.path(l)
	if path == "" {
		return "/"
	}
	if before, ok := strings.CutSuffix(path, slot); ok {
		return before + url.PathEscape(name)
	}
	return path
}

// LocaleOf returns the locale that a path belongs to, whatever page it leads
// to, and whether it says one: a path at the root may belong to nobody.
func LocaleOf(path string) (i18n.Locale, bool) {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	for _, l := range i18n.Locales[1:] {
		if first == l.Tag() {
			return l, true
		}
	}
	return i18n.PT, false
}
