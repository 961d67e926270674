package channel

import (
	"slices"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/part"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index"
)

const (
	nextCount = 20  // rows of the list
	nextReach = 200 // the most popular channels of a country, among which the channel is looked for
)

// next returns the channels that follow c among the most popular ones of its country
// and kind; from the first when c is not among them, and again from the first after
// the last. Without a country they are those of the whole catalog. A visitor who came
// from a list is shown that list instead, by the script.
func (s *Server) next(v *page.View, snapshot *index.View, c *catalog.Channel) []part.Row {
	q := index.Query{Selection: filter.Selection{Kind: c.Kind, Playable: true, Sort: filter.ByPopularity}, Limit: nextReach}
	if c.Country != nil {
		q.Country = *c.Country
	}
	docs, _ := snapshot.Find(q)
	if at := slices.IndexFunc(docs, func(doc uint32) bool { return snapshot.Card(doc, int(v.Locale)).ID == c.ID }); at >= 0 {
		docs = slices.Concat(docs[at+1:], docs[:at])
	}
	now := s.Now()
	rows := make([]part.Row, min(len(docs), nextCount))
	for i := range rows {
		card := snapshot.Card(docs[i], int(v.Locale))
		rows[i] = part.NewRow(v, &card, s.Guides, now)
	}
	return rows
}
