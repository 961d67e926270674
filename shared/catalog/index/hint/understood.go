// Package hint writes the hints of a search by relevance: the members of a search
// page that say how the words were understood, what else to try, and which feed an
// item was found by.
//
// Hints never change what a search finds. Most searches have none, and then they
// cost little: Understood does nothing unless a word may name a value of a filter,
// Matched nothing for channels whose feeds have no names, and Suggestions looks up
// the query among the names of channels that are not shown, by hash and by binary
// search. Only a search that found little is repeated, to count what other searches
// would find (suggestions.go).
package hint

import (
	"strings"
	"unicode/utf8"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index/search"
	"miramundo.dev/shared/catalog/meaning"
	"miramundo.dev/shared/i18n"
)

// maxQuery is the length in characters of the longest q of a request.
const maxQuery = 200

// Understood returns how the search q, whose page is p, read the typed words; nil
// when it took none for a value of a filter.
func Understood(p *search.Page, q *search.Query, n filter.Names, l i18n.Locale) *catalog.Understood {
	if !q.Relevant() {
		return nil
	}
	list := p.Understood(q)
	if len(list) == 0 {
		return nil
	}
	u := &catalog.Understood{}
	taken := map[string]string{}
	for _, found := range list {
		u.Filters = append(u.Filters, understoodFilter(q.Q, &found, n, l))
		for _, w := range found.Words {
			taken[w] = ""
		}
	}
	var names []string
	words, literal := p.Words()
	for i, w := range words {
		if _, ok := taken[w]; !ok && (literal[i] || !meaning.Noise([]byte(w))) {
			names = append(names, w)
		}
	}
	u.Text = strings.Join(names, " ")
	return u
}

func understoodFilter(q string, u *search.Understanding, n filter.Names, l i18n.Locale) catalog.UnderstoodFilter {
	var s filter.Selection
	*s.Text(u.Filter) = u.Value
	words := strings.Join(u.Words, " ")
	literally := without(u.Words)
	literally[u.Words[0]] = `"` + words + `"`
	f := catalog.UnderstoodFilter{
		Filter: filter.All[u.Filter].Name, Value: u.Value, Label: s.Label(u.Filter, n, l), Words: words,
		Without: rewrite(q, without(u.Words)),
	}
	if text := rewrite(q, literally); utf8.RuneCountInString(text) <= maxQuery {
		f.Literal = text
	}
	return f
}

// Matched returns the feed by whose name the search q, whose page is p, found record
// doc, without the address of its channel; nil when it found the channel by another
// name.
func Matched(p *search.Page, q *search.Query, doc uint32) *catalog.MatchedFeed {
	if !q.Relevant() {
		return nil
	}
	feed, name, ok := p.Feed(q, doc)
	if !ok {
		return nil
	}
	return &catalog.MatchedFeed{Name: name, Feed: feed}
}
