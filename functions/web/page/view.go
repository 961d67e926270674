package page

import (
	"encoding/json"
	"fmt"
	"html/template"
	"strings"
	"sync"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

// A View holds the values that a page shows: the Body, which differs by page, and
// what the layout around it needs. Templates call the methods of the View. A View
// belongs to one request and must not be used concurrently.
type View struct {
	Page        site.Page
	Name        string // the channel id or country code that the page is about; empty for other pages
	Variant     string // the query that is part of the page's canonical URL, such as kind=radio; usually empty
	Locale      i18n.Locale
	Title       string // without the name of the service, which the layout adds
	Description string
	Visitor     string   // "in" or "out" on a page that is rendered for one visitor, who is signed in or not; empty on all others
	NoIndex     bool     // search engines must leave the page out
	Image       string   // absolute URL of a picture of the page; empty for the service's picture
	Others      []Other  // other forms of the page
	Statements  []any    // structured data for search engines in the vocabulary of schema.org, written as JSON-LD
	Data        any      // values for the page's script, written as JSON; nil for none
	Areas       []string // areas of the texts that the page's scripts show
	Modules     []string // script modules that the page loads; nil for those named like Areas
	Locates     bool     // the page may ask the browser where the visitor is
	Unshared    bool     // no shared cache may keep the page, since its address says where a visitor is
	Provider    string   // origin of a provider whose widget the page shows; empty on all pages but one
	Body        any      // the values of the page's own template

	renderer *Renderer
}

// View returns the view of a page with the page's own title and description. The
// caller may replace every field.
func (r *Renderer) View(p site.Page, l i18n.Locale, body any) *View {
	return &View{
		Page: p, Locale: l, Body: body, renderer: r,
		Title: l.T(p.String()+".title", nil), Description: l.T(p.String()+".description", nil), Areas: []string{p.String()},
	}
}

// T returns a text in the language of the page. fields are the names and values of
// its placeholders, alternating.
func (v *View) T(key string, fields ...any) string { return v.Locale.T(key, pairs(fields)) }

// N returns a text about n things, with fields like those of T.
func (v *View) N(key string, n int, fields ...any) string { return v.Locale.N(key, n, pairs(fields)) }

// pairs returns alternating names and values as a map; nil when there are none. A
// name without a value is ignored.
func pairs(fields []any) map[string]any {
	if len(fields) == 0 {
		return nil
	}
	m := make(map[string]any, len(fields)/2)
	for i := 1; i < len(fields); i += 2 {
		m[fmt.Sprint(fields[i-1])] = fields[i]
	}
	return m
}

// Date returns a day, 2006-01-02, in the form of the language of the page.
func (v *View) Date(day string) string { return v.Locale.Date(day) }

// Count returns a number in the form of the language of the page; empty for nil.
func (v *View) Count(n *int64) string {
	if n == nil {
		return ""
	}
	return v.Locale.Number(int(*n))
}

// Asset returns the path of a built file; empty when nothing was built.
func (v *View) Asset(name string) string { return v.renderer.Asset(name) }

// Scripts lists the scripts that the page runs besides main.js. The page preloads
// them, since browsers would request them only after main.js has run.
func (v *View) Scripts() []string {
	if v.Modules != nil {
		return v.renderer.assets.scripts(v.Modules)
	}
	return v.renderer.assets.scripts(v.Areas)
}

// Icon returns the URL of an icon, by its name in icons.svg.
func (v *View) Icon(name string) string { return v.Asset("icons.svg") + "#" + name }

// Path returns the path of a page by the page's name, in the same language; empty
// when there is no such page. The page must not need a channel or country.
func (v *View) Path(page string) string {
	for _, p := range site.Pages {
		if p.String() == page {
			return p.Path(v.Locale, "")
		}
	}
	return ""
}

// Channel returns the path of a channel's page.
func (v *View) Channel(id string) string { return site.Channel.Path(v.Locale, id) }

// City returns the path of the page of a city's stations, by the city's name in the path.
func (v *View) City(slug string) string { return site.City.Path(v.Locale, slug) }

// Country returns the path of a country's page; empty when it has none.
func (v *View) Country(code string) string {
	path, _ := site.CountryPath(v.Locale, code)
	return path
}

// Flag returns the URL of a country's flag, a symbol of a file of flags. For a country
// without one it leads to no symbol, and nothing is drawn.
func (v *View) Flag(code string) string {
	code = strings.ToLower(code)
	return v.Asset(site.FlagFile(code)) + "#" + code
}

// CommonFlags returns the codes of the flags of the first of the two files.
func (v *View) CommonFlags() string { return strings.Join(site.CommonFlags, " ") }

// FlagFile returns the path of a country's flag as a file of its own, for a page that
// shows no other: the file of all is 45 kB.
func (v *View) FlagFile(code string) string { return catalog.LinkBase{}.Flag(code) }

// CountryName returns the name of a country; its code when it has no name.
func (v *View) CountryName(code string) string {
	if name, ok := i18n.CountryName(code, v.Locale); ok {
		return name
	}
	return code
}

// Locales returns the languages of the page.
func (v *View) Locales() []i18n.Locale { return i18n.Locales }

// In returns the path of the same page in another language; empty for a country
// without a page in that language.
func (v *View) In(l i18n.Locale) string {
	if v.Page == site.Country {
		path, _ := site.CountryPath(l, v.Name)
		return path
	}
	return v.Page.Path(l, v.Name)
}

// Query returns the words to show in the search field: those of the search whose
// results the page shows, else none.
func (v *View) Query() string {
	if q, ok := v.Body.(interface{ Words() string }); ok {
		return q.Words()
	}
	return ""
}

// Base returns the base URL of the service.
func (v *View) Base() string { return v.renderer.links.Base }

// Host returns the host name of the service, with its port where that is not the usual one.
func (v *View) Host() string {
	_, host, _ := strings.Cut(v.Base(), "://")
	return host
}

// Of returns a copy of the view with another body, for a template of a part that
// needs the view's methods.
func (v *View) Of(body any) *View {
	part := *v
	part.Body = body
	return &part
}

// Texts returns the texts that scripts show, as JSON by key: of the layout and of
// each of the page's areas the texts whose keys begin with "ui." after the area.
func (v *View) Texts() template.JS { return textsOf(v.Locale, strings.Join(v.Areas, ",")) }

// A textsKey is the key of encodedTexts; areas are separated by commas.
type textsKey struct {
	locale i18n.Locale
	areas  string
}

// encodedTexts caches texts as pages contain them, by textsKey: one entry for each
// kind of page and locale.
var encodedTexts sync.Map

// textsOf returns the encoded texts of areas, encoding them at the first call.
func textsOf(l i18n.Locale, areas string) template.JS {
	key := textsKey{l, areas}
	if js, ok := encodedTexts.Load(key); ok {
		return js.(template.JS)
	}
	all := l.Under("layout.ui.")
	for area := range strings.SplitSeq(areas, ",") {
		for key, text := range l.Under(area + ".ui.") {
			all[key] = text
		}
	}
	data, err := json.Marshal(all) // which escapes whatever could end the element
	if err != nil {
		panic(err) // never: it is a map of texts
	}
	js, _ := encodedTexts.LoadOrStore(key, template.JS(data))
	return js.(template.JS)
}
