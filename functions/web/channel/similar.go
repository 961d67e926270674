package channel

import (
	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/part"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/similar"
)

// similarCount is how many similar channels the page shows.
const similarCount = 8

// similar returns the cards of similar channels, each with the first reason in place of
// its category.
func (s *Server) similar(v *page.View, snapshot *index.View, c *catalog.Channel) part.Cards {
	found := similar.Finder{View: snapshot, Companions: s.Companions}.List(c, v.Locale, similarCount)
	list := make([]index.Card, len(found))
	for i := range found {
		list[i] = found[i].Card
	}
	cards := part.NewCards(v, list, s.Guides, s.Now())
	for i := range found {
		cards[i].Category, cards[i].Quality = found[i].Reasons[0].Text, ""
	}
	return cards
}
