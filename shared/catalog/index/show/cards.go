package show

import (
	"cmp"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/genre"
	"miramundo.dev/shared/catalog/index/hint"
	"miramundo.dev/shared/catalog/index/layout"
	"miramundo.dev/shared/catalog/index/search"
	"miramundo.dev/shared/catalog/snapshot"
	"miramundo.dev/shared/i18n"
)

// A Card is what lists for people show of a channel. It takes a quarter of the
// time of an Item.
type Card struct {
	Summary
	Subject  string                  // the id of its first category; empty when it has none
	Category string                  // the name of its first category, or of a station's first genre; empty when it has none
	HasGuide bool                    // a programme guide exists
	Health   *catalog.MeasuredHealth // nil when never measured
	WorksIn  catalog.Verdict         // how sure it is that it plays in the country of the search; empty when the search has none
	Distance *float64                // kilometres from the place of the search, to a tenth; nil when the search has none
	Feed     string                  // id of the feed by whose name a search found it; empty when another name was found
}

// Cards are a page of what a search finds.
type Cards struct {
	Cards      []Card
	Total      int                     // matches, whatever the page
	Categories []catalog.CategoryCount // of all the matches, most first

	Understood  *catalog.Understood  // as in a catalog.Page
	Suggestions []catalog.Suggestion // likewise
}

// Cards answers q as Search does, for lists for people. A query for no channels, of
// which only the counts matter, has neither Understood nor Suggestions.
func (v *View) Cards(q search.Query, locale int) Cards {
	locale = layout.SupportedLocale(locale)
	page := v.Page(&q)
	defer page.Release()
	cards := Cards{Cards: make([]Card, len(page.Docs)), Total: page.Total, Categories: page.Categories(locale)}
	for i, doc := range page.Docs {
		cards.Cards[i] = v.Card(doc, locale)
		if q.Works != nil {
			cards.Cards[i].WorksIn = q.Works.Verdict(doc)
		}
		if q.Near != "" {
			distance := page.Distance(doc)
			cards.Cards[i].Distance = &distance
		}
		if m := hint.Matched(&page, &q, doc); m != nil {
			cards.Cards[i].Feed = m.Feed
		}
	}
	if q.Limit > 0 {
		cards.Understood = hint.Understood(&page, &q, v, i18n.Locale(locale))
		cards.Suggestions = hint.Suggestions(v.Engine, v.now, &page, &q, v, i18n.Locale(locale))
	}
	return cards
}

// CardOf returns the card of a channel, by its id or by one that it once had. It reports
// false when no such channel is shown.
func (v *View) CardOf(id string, locale int) (Card, bool) {
	doc, ok := v.now.Shown(id)
	if !ok {
		return Card{}, false
	}
	return v.Card(doc, locale), true
}

// Card returns the card of a record that Find or Matches found.
func (v *View) Card(doc uint32, locale int) Card {
	row := &v.ix.Rows[doc]
	state := v.ix.States.Row(row.State)
	return Card{
		Summary:  v.summary(doc),
		Subject:  v.subject(doc),
		Category: v.topic(doc, layout.SupportedLocale(locale)),
		HasGuide: state[snapshot.StateGuide] != 0 || v.now.IsScheduled(doc),
		Health:   v.now.HealthOf(doc),
	}
}

// subject returns the id of the first category of a record; empty when it has none.
func (v *View) subject(doc uint32) string {
	if ids := v.ix.Lists.At(v.ix.Topics.Row(v.ix.Rows[doc].Topic)[snapshot.TopicCategoryList]); len(ids) > 0 {
		return v.ix.Text(ids[0])
	}
	return ""
}

// topic returns the first thing that a record is about. Tags of stations, which anybody
// wrote in any language, are not shown as such: genres are what is known of them.
func (v *View) topic(doc uint32, locale int) string {
	ix := v.ix
	if id := v.subject(doc); id != "" {
		if at, ok := ix.Category(id); ok {
			return cmp.Or(ix.Categories[at].Name[locale], id)
		}
		return id
	}
	if !ix.Radio.Has(doc) {
		return ""
	}
	for number := range ix.GenresOf(doc).Numbers() {
		return genre.All()[number].Name[locale]
	}
	return ""
}

// Brief returns the summary of a record that Find or Matches found.
func (v *View) Brief(doc uint32) Summary { return v.summary(doc) }

// Playing returns the record of a channel of a kind, by its id or by one that it once
// had. It reports false when no such channel is shown, or when it does not play.
func (v *View) Playing(id, kind string) (doc uint32, ok bool) {
	doc, ok = v.now.Shown(id)
	if !ok || !v.now.Playable.Has(doc) || v.ix.Radio.Has(doc) != (kind == catalog.Station.String()) {
		return 0, false
	}
	return doc, true
}

// Failed reports whether a record was measured and did not work.
func (v *View) Failed(doc uint32) bool {
	h := v.now.HealthOf(doc)
	return h != nil && !h.Online
}
