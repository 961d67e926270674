package hint

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index/search"
	"miramundo.dev/shared/catalog/index/state"
	"miramundo.dev/shared/i18n"
)

// The suggestions of a page, in their order: channels that are known by the name
// that was typed but are not shown, corrected words, fewer words, and the request
// without one of its filters, the one with the most matches first. A search that
// found a channel named exactly like q has none, and one that found enough only
// the known channels of exactly that name.

const (
	maxSuggestions = 5
	maxKnown       = 3 // of them
	maxDropped     = 3 // attempts to leave out words that are counted

	maxReplacements = 4 // steps from a closed channel to the one that is shown
	adult           = "xxx"
)

// The types of suggestions.
const (
	known    = "known"
	spelling = "spelling"
	drop     = "drop"
	dropped  = "filter"
)

// A suggester gathers the suggestions of one page.
type suggester struct {
	e      *search.Engine
	st     *state.State
	p      *search.Page
	q      *search.Query
	names  filter.Names
	locale i18n.Locale

	list []catalog.Suggestion
}

// Suggestions returns what else to try after the search q, whose page is p; at most
// maxSuggestions. It is nil when the page has what was looked for.
func Suggestions(e *search.Engine, st *state.State, p *search.Page, q *search.Query, n filter.Names, l i18n.Locale) []catalog.Suggestion {
	if !q.Relevant() || p.Named() {
		return nil
	}
	little := p.FoundLittle()
	unshown, gone := p.Unshown(q), st.Index.GoneExactly
	if little {
		gone = st.Index.GoneNamed
	}
	closed := gone(q.Q, maxKnown)
	if !little && len(unshown)+len(closed) == 0 {
		return nil
	}
	page, query := *p, *q // copies, so that those of other searches stay on the stack
	s := suggester{e: e, st: st, p: &page, q: &query, names: n, locale: l}
	s.known(unshown, closed)
	if little {
		s.spellings()
		s.fewerWords()
		s.fewerFilters()
	}
	return s.list[:min(len(s.list), maxSuggestions)]
}

// known adds the channels that are known by the name that was typed: records that are
// not shown, and channels of which the register has no record.
func (s *suggester) known(unshown []uint32, gone []catalog.Gone) {
	for _, doc := range unshown {
		r := s.st.Index.Record(int(doc))
		if len(s.list) < maxKnown && !slices.Contains(r.Categories, adult) {
			s.addKnown(s.unshown(doc, &r))
		}
	}
	for i := range gone {
		if len(s.list) < maxKnown && s.isOfKind(gone[i].Kind) {
			s.addKnown(s.gone(&gone[i]))
		}
	}
}

func (s *suggester) isOfKind(k catalog.Kind) bool {
	return s.q.Kind == filter.Any || (s.q.Kind == filter.Radio) == (k == catalog.Station)
}

// unshown returns record doc, which is blocked or has no usable stream.
func (s *suggester) unshown(doc uint32, r *catalog.Record) *catalog.KnownChannel {
	c := &catalog.KnownChannel{ID: r.ID, Name: r.Name, Country: catalog.TextOrNil(r.Country), Kind: r.Kind.String(), Reason: "no_stream"}
	if s.st.IsRemoved(doc) {
		c.Reason = catalog.GoneBlocked
	}
	s.replace(c, r.ReplacedBy)
	return c
}

// gone returns a channel that the register knows and does not show.
func (s *suggester) gone(g *catalog.Gone) *catalog.KnownChannel {
	c := &catalog.KnownChannel{
		ID: g.ID, Name: g.Name, Country: catalog.TextOrNil(g.Country), Kind: g.Kind.String(), Reason: g.Reason, Since: catalog.TextOrNil(g.Since),
	}
	s.replace(c, g.ReplacedBy)
	return c
}

// replace adds to c the channel that took its place, unless c is blocked or the
// channel is not shown.
func (s *suggester) replace(c *catalog.KnownChannel, id string) {
	if c.Reason == catalog.GoneBlocked {
		return
	}
	for range maxReplacements {
		if doc, ok := s.st.Shown(id); ok {
			r := s.st.Index.Record(int(doc))
			if r.ID != c.ID {
				c.Reason, c.ReplacedBy = "replaced", &catalog.Replacement{ID: r.ID, Name: r.Name}
			}
			return
		}
		g, ok := s.st.Index.Gone(id)
		if !ok {
			return
		}
		id = g.ReplacedBy
	}
}

// addKnown adds a known channel with the sentence that says why it is not shown.
func (s *suggester) addKnown(c *catalog.KnownChannel) {
	fields := map[string]any{"name": c.Name}
	if c.Country != nil {
		if country, ok := i18n.CountryName(*c.Country, s.locale); ok {
			fields["name"] = c.Name + " (" + country + ")"
		}
	}
	key := "suggestion.known_" + c.Reason
	if c.Since != nil && i18n.Has(key+"_on") {
		key += "_on"
		fields["date"] = s.locale.Date(*c.Since)
	}
	if c.ReplacedBy != nil {
		fields["other"] = c.ReplacedBy.Name
	}
	s.list = append(s.list, catalog.Suggestion{Type: known, Label: s.locale.T(key, fields), Channel: c})
}

// spellings adds the query with its misspelled words corrected.
func (s *suggester) spellings() {
	for _, words := range s.p.Corrections(s.q) {
		s.addWords(spelling, rewrite(s.q.Q, words))
	}
}

// fewerWords adds the query without words with which nothing was found, unless they
// were corrected.
func (s *suggester) fewerWords() {
	corrected := slices.ContainsFunc(s.list, func(g catalog.Suggestion) bool { return g.Type == spelling })
	if corrected || s.p.AsTyped() > 0 {
		return
	}
	attempts := s.p.Dropped()
	for _, words := range attempts[:min(len(attempts), maxDropped)] {
		s.addWords(drop, rewrite(s.q.Q, without(words)))
	}
}

// addWords adds a query with other words, when it finds something.
func (s *suggester) addWords(kind, text string) {
	other := *s.q
	other.Q, other.Offset = text, 0
	given := slices.ContainsFunc(s.list, func(g catalog.Suggestion) bool { return g.Q != nil && *g.Q == text })
	if given || text == "" || text == s.q.Q {
		return
	}
	if n := s.e.Count(&other); n > 0 {
		g := s.suggestion(kind, s.locale.T("suggestion."+kind, map[string]any{"q": text}), &other, n)
		g.Q = &text
		s.list = append(s.list, g)
	}
}

// suggestion returns the suggestion of another search, which finds n channels.
func (s *suggester) suggestion(kind, label string, other *search.Query, n int) catalog.Suggestion {
	var query strings.Builder
	for _, p := range other.Pairs() {
		if query.Len() > 0 {
			query.WriteByte('&')
		}
		query.WriteString(p[0] + "=" + url.QueryEscape(p[1]))
	}
	text := query.String()
	return catalog.Suggestion{Type: kind, Label: label, Query: &text, Count: &n}
}

// fewerFilters adds the request without each of its filters that finds more so.
func (s *suggester) fewerFilters() {
	var list []catalog.Suggestion
	for id := range filter.Count {
		if id == filter.Words || id == filter.Sort {
			continue
		}
		other := *s.q
		if other.Offset = 0; !widen(&other, id) {
			continue
		}
		if n := s.e.Count(&other); n > s.p.AsTyped() {
			g := s.suggestion(dropped, s.widerLabel(id), &other, n)
			g.Filter = &filter.All[id].Name
			list = append(list, g)
		}
	}
	slices.SortStableFunc(list, func(a, b catalog.Suggestion) int { return cmp.Compare(*b.Count, *a.Count) })
	s.list = append(s.list, list...)
}

// widen changes a filter of q so that it excludes nothing. It reports false when it
// excludes nothing already.
func widen(q *search.Query, id filter.ID) bool {
	switch {
	case id == filter.Kind:
		if q.Kind == filter.Any {
			return false
		}
		q.Kind = filter.Any
		return true
	case q.Flag(id) != nil:
		was := *q.Flag(id)
		*q.Flag(id) = false
		return was
	case q.Number(id) != nil: // a radius goes with its place
		return false
	}
	was := *q.Text(id)
	q.Clear(id)
	return was != ""
}

// widerLabel returns the sentence for the request without a filter.
func (s *suggester) widerLabel(id filter.ID) string {
	if key := "suggestion.without_" + filter.All[id].Name; i18n.Has(key) {
		return s.locale.T(key, nil)
	}
	return s.locale.T("suggestion.without", map[string]any{"name": s.q.Label(id, s.names, s.locale)})
}
