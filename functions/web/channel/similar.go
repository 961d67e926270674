package channel

import (
	"cmp"
	"maps"
	"slices"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/part"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index"
)

// What channels have in common is searched for one trait at a time, each with the most
// popular channels that have it. A channel gets points for each search that finds it:
// those of the trait, less up to half of them by its place. So one that shares the
// network and a category stands before the most popular one of the country, and among
// equals the better known one stands first.

// similarCount is how many similar channels the page shows.
const similarCount = 8

// similarReach is how many channels each search for a trait considers.
const similarReach = 16

// Traits of a channel are at most so many of each kind.
const maxTraits = 3

// A trait is what another channel may have in common with this one.
type trait struct {
	filter.Selection
	points float64
	weak   bool // it makes no channel similar by itself
}

// traits returns the traits of a channel that others may share.
func traits(c *catalog.Channel) (all []trait) {
	country := text(c.Country)
	first := func(list []string) []string { return list[:min(len(list), maxTraits)] }
	add := func(points float64, s filter.Selection) { all = append(all, trait{Selection: s, points: points}) }
	if n := text(c.Network); n != "" {
		add(4, filter.Selection{Network: n})
	}
	for _, id := range first(c.Categories) {
		if id == "" {
			continue
		}
		points := 3.0
		if id == "general" {
			points = 1 // what is about everything has little in common
		}
		if country != "" {
			add(points, filter.Selection{Country: country, Category: id})
		}
		for _, language := range first(c.Languages) {
			add(points/2, filter.Selection{Language: language, Category: id})
		}
		add(points/4, filter.Selection{Category: id})
	}
	if city := text(c.City); city != "" {
		add(1.5, filter.Selection{City: city})
	}
	if c.Radio != nil {
		all = append(all, traitsOfStation(c.Radio, country)...)
	}
	if country != "" { // of a channel of which nothing else is known, those of the country are as similar as can be said
		all = append(all, trait{filter.Selection{Country: country}, 0.5, len(all) > 0})
	}
	return all
}

// traitsOfStation returns the traits that only stations have: their genres or, without
// any, their first tags.
func traitsOfStation(r *catalog.RadioStation, country string) (all []trait) {
	add := func(s filter.Selection) {
		all = append(all, trait{Selection: s, points: 1})
		if s.Country = country; country != "" {
			all = append(all, trait{Selection: s, points: 3})
		}
	}
	for _, g := range r.Genres[:min(len(r.Genres), maxTraits)] {
		add(filter.Selection{Genre: g.ID})
	}
	if len(r.Genres) == 0 {
		for _, tag := range r.Tags[:min(len(r.Tags), maxTraits)] {
			add(filter.Selection{Tag: tag})
		}
	}
	return all
}

// similar returns at most similarCount other channels that play, those that have the
// most in common with c first. One that was measured and did not work stands last.
func (s *Server) similar(v *page.View, snapshot *index.View, c *catalog.Channel) part.Cards {
	points := map[uint32]float64{}
	for _, t := range traits(c) {
		t.Kind, t.Playable, t.Sort = c.Kind, true, filter.ByPopularity
		docs, _ := snapshot.Find(index.Query{Selection: t.Selection, Limit: similarReach})
		for i, doc := range docs {
			if t.weak && points[doc] == 0 {
				continue
			}
			points[doc] += t.points * (1 - float64(i)/(2*similarReach))
		}
	}
	docs := slices.SortedFunc(maps.Keys(points), func(a, b uint32) int { return cmp.Or(cmp.Compare(points[b], points[a]), cmp.Compare(a, b)) })
	var list, failed []index.Card
	for _, doc := range docs[:min(len(docs), 3*similarCount)] {
		switch card := snapshot.Card(doc, int(v.Locale)); {
		case card.ID == c.ID:
		case part.Grade(card.Health) == "bad":
			failed = append(failed, card)
		default:
			list = append(list, card)
		}
	}
	list = append(list, failed...)
	return part.NewCards(v, list[:min(len(list), similarCount)], s.Guides, s.Now())
}
