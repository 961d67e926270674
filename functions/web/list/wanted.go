package list

import (
	"net/url"
	"strconv"
	"strings"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/i18n"
)

// listIn is the query of a list, in the words of the API's search. Missing values
// depend on the others: words are searched for in TV and radio alike with the
// best matches first; without words the best channels come first.
type listIn struct {
	Q        string `query:"q" maxLength:"200" description:"Words, each the start of a word of the name or of another name."`
	Kind     string `query:"kind" enum:"tv,radio,all" description:"What is looked for; without it all when there are words, radio when there is a tag, else tv."`
	Category string `query:"category" maxLength:"64" description:"Catalog category id."`
	Language string `query:"language" maxLength:"32" description:"ISO 639-3; 639-1 and 639-2 codes are understood."`
	Network  string `query:"network" maxLength:"300" description:"Exact network name."`
	Quality  string `query:"quality" maxLength:"32" description:"Exact stream quality."`
	Tag      string `query:"tag" maxLength:"64" description:"Radio tag."`
	Guide    bool   `query:"guide" default:"0" description:"1 for only channels with a guide."`
	Online   bool   `query:"online" default:"0" description:"1 for only channels seen online in the 48 hours before the last reload."`
	Playable bool   `query:"playable" default:"1" description:"0 for channels without a usable stream too."`
	Sort     string `query:"sort" enum:"name,score,votes,relevance" description:"Without it relevance when there are words, votes for radio, else score."`
	Offset   int    `query:"offset" default:"0" minimum:"0" maximum:"100000000" description:"Matches to skip."`
}

// The kinds of channels to search for.
const (
	kindTV    = "tv"
	kindRadio = "radio"
	kindAll   = "all"
)

// staleAfter is the age of the catalog from which no channel counts as online.
const staleAfter = catalog.StaleAfter

// A wanted is a search at a page. Equal searches are equal values.
type wanted struct {
	listIn
	Country string
	path    string // of the page
	fixed   bool   // the country is part of the path
}

// wanted returns the search of in at a page.
func (in *listIn) wanted(path, country string, fixed bool) wanted {
	w := wanted{*in, catalog.CountryCode(country), path, fixed}
	w.Q, w.Tag = strings.TrimSpace(w.Q), strings.ToLower(w.Tag)
	if code, ok := i18n.LanguageCode(w.Language); ok {
		w.Language = code
	}
	return w
}

// nothing returns the search of the same page without any choice.
func (w wanted) nothing() wanted {
	none := wanted{listIn: listIn{Playable: true}, path: w.path, fixed: w.fixed}
	if w.fixed {
		none.Country = w.Country
	}
	return none
}

// plain reports whether at most a kind was chosen.
func (w wanted) plain() bool {
	w.Kind = ""
	return w == w.nothing()
}

// kind returns the kind to search for.
func (w *wanted) kind() string {
	if w.Kind != "" {
		return w.Kind
	}
	return w.implied()
}

// implied returns the kind when none was chosen.
func (w *wanted) implied() string {
	switch {
	case w.Tag != "" || w.Sort == "votes":
		return kindRadio
	case w.Q != "":
		return kindAll
	}
	return kindTV
}

// sort returns the order of the matches.
func (w *wanted) sort() string {
	switch {
	case w.Sort != "":
		return w.Sort
	case w.Q != "":
		return "relevance"
	case w.kind() == kindRadio:
		return "votes"
	}
	return "score"
}

// of returns w for another kind, without filters that only the old kind has.
func (w wanted) of(kind string) wanted {
	w.Kind, w.Offset, w.Quality = kind, 0, ""
	if kind != kindRadio {
		w.Tag = ""
	}
	if kind == kindRadio {
		w.Category = ""
	}
	if kind == kindTV && w.Sort == "votes" {
		w.Sort = ""
	}
	return w
}

// query returns the query for the index.
func (w *wanted) query() index.Query {
	return index.Query{Selection: filter.Selection{Q: w.Q, Kind: w.kind(), Country: w.Country, Category: w.Category, Language: w.Language, Network: w.Network, Quality: w.Quality, Tag: w.Tag, Guide: w.Guide, Online: w.Online, Playable: w.Playable, Sort: w.sort()}, Offset: w.Offset}
}

// to returns the URL of w after a change.
func (w wanted) to(change func(*wanted)) string {
	change(&w)
	return w.address()
}

// firstOf returns the URL of the first page of w after a change.
func (w wanted) firstOf(change func(*wanted)) string {
	w.Offset = 0
	return w.to(change)
}

// pairs returns the parameters of w, in the order of its URL. A kind that the
// others imply is left out, except at the start, which without any parameter shows
// something else.
func (w wanted) pairs() [][2]string {
	kind := w.Kind
	if kind == w.implied() && (w.fixed || !w.plain()) {
		kind = ""
	}
	country := w.Country
	if w.fixed {
		country = ""
	}
	all := [...][2]string{
		{"q", w.Q}, {"kind", kind}, {"country", country}, {"category", w.Category}, {"language", w.Language}, {"network", w.Network},
		{"quality", w.Quality}, {"tag", w.Tag}, {"guide", flag(w.Guide, "1")}, {"online", flag(w.Online, "1")},
		{"playable", flag(!w.Playable, "0")}, {"sort", w.Sort}, {"offset", flag(w.Offset > 0, strconv.Itoa(w.Offset))},
	}
	var said [][2]string
	for _, p := range all {
		if p[1] != "" {
			said = append(said, p)
		}
	}
	return said
}

// flag returns value if set, else the empty string.
func flag(set bool, value string) string {
	if !set {
		return ""
	}
	return value
}

// address returns the URL of w.
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

// hidden returns the parameters of w that its form keeps without showing them.
func (w wanted) hidden() [][2]string {
	var hidden [][2]string
	for _, p := range w.pairs() {
		switch p[0] {
		case "q", "kind", "category", "network", "tag", "sort":
			hidden = append(hidden, p)
		}
	}
	return hidden
}
