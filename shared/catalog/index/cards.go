package index

import (
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/snapshot"
)

// A Card is what lists for people show of a channel. It takes a quarter of the
// time of an Item.
type Card struct {
	Brief
	Category string                  // the name of its first category, or the first tag of a station; empty when it has none
	HasGuide bool                    // a programme guide exists
	Health   *catalog.MeasuredHealth // nil when never measured
}

// Cards are a page of what a search finds.
type Cards struct {
	Cards      []Card
	Total      int                     // matches, whatever the page
	Categories []catalog.CategoryCount // of all the matches, most first
}

// Cards answers q as Search does, for lists for people.
func (v *View) Cards(q Query, locale int) Cards {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	locale = within(locale)
	res := v.run(s, &q)
	v.page(s, &q, &res, q.limit())
	page := Cards{Cards: make([]Card, len(s.page)), Total: res.total}
	for i, doc := range s.page {
		page.Cards[i] = v.Card(doc, locale)
	}
	counts := v.count(s, &q, &res)
	order, n := counts.sorted()
	for _, key := range order[:n] {
		k := &v.ix.categories[categoryOf(key)]
		page.Categories = append(page.Categories, catalog.CategoryCount{
			ID: k.ID, Name: or(k.Name[locale], k.ID), Count: int(key >> 8), Icon: catalog.TextOrNil(k.Icon),
		})
	}
	return page
}

// Card returns the card of a record that Find or Matches found.
func (v *View) Card(doc uint32, locale int) Card {
	row := &v.ix.rows[doc]
	state := v.ix.states.Row(row.state)
	return Card{
		Brief:    v.brief(doc),
		Category: v.topic(doc, within(locale)),
		HasGuide: state[snapshot.StateGuide] != 0 || v.isScheduled(doc),
		Health:   v.healthOf(doc),
	}
}

// topic returns the first thing that a record is about.
func (v *View) topic(doc uint32, locale int) string {
	ix, row := v.ix, &v.ix.rows[doc]
	if ids := ix.lists.At(ix.topics.Row(row.topic)[snapshot.TopicCategoryList]); len(ids) > 0 {
		id := ix.text(ids[0])
		if at, ok := ix.category(id); ok {
			return or(ix.categories[at].Name[locale], id)
		}
		return id
	}
	if !ix.radio.Has(doc) {
		return ""
	}
	if tags := ix.lists.At(ix.stations.tagList[row.station]); len(tags) > 0 {
		return ix.text(tags[0])
	}
	return ""
}
