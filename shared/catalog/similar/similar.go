// Package similar ranks the channels that have the most in common with another one,
// with the reasons in words.
//
// What channels have in common is searched for one trait at a time, each with the best
// known channels that have it. A channel gets points for each search that finds it:
// those of the trait, less up to half of them by its place. So a channel that shares the
// network and a category stands before the best known one of the country, and among
// equals the better known one stands first. The channels that people keep together with
// it are such a search too. Nothing is prepared: an answer costs about thirty searches
// in memory.
package similar

import (
	"cmp"
	"slices"
	"strings"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/fold"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/i18n"
)

// Max is the most channels that List returns.
const Max = 50

// reach is how many channels each search for a trait considers. It does not depend on how
// many are asked for, so that a short list is the beginning of a longer one.
const reach = Max + 14

// A Companion is a channel that people keep together with another one.
type Companion struct {
	Channel string // its catalog id
	People  int    // who keep both
}

// Companions provide the channels that people keep together.
type Companions interface {
	// Of returns the companions of a channel, the closest first. The caller must not
	// change the list.
	Of(channel string) []Companion
}

// A Channel is one that is similar to another.
type Channel struct {
	index.Card
	Reasons []Reason // the most important first, at least one
}

// A Finder finds similar channels in one view of the catalog.
type Finder struct {
	View       *index.View
	Companions Companions // nil for a service that does not count them
}

// List returns at most limit channels of the same kind that play, those that have the
// most in common with the channel c first, and the reasons in a locale. Channels whose
// last measurement failed come after all others. At most [Max] are returned, always the
// same for the same view and companions.
func (f Finder) List(c *catalog.Channel, l i18n.Locale, limit int) []Channel {
	r := ranking{finder: f, of: c, points: map[uint32]float64{}, shares: map[uint32]float64{}, together: map[uint32]int{}, related: map[uint32]bool{}}
	r.addCompanions()
	r.addRelatives()
	for _, t := range traitsOf(c) {
		r.search(t)
	}
	docs := r.order(min(max(limit, 0), Max))
	out := make([]Channel, len(docs))
	w := words{f.View, l}
	for i, doc := range docs {
		card := f.View.Card(doc, int(l))
		other, _ := f.View.Item(card.ID, int(l))
		out[i] = Channel{card, r.reasons(w, doc, other)}
	}
	return out
}

// A ranking collects the points of channels.
type ranking struct {
	finder   Finder
	of       *catalog.Channel
	family   family
	points   map[uint32]float64
	shares   map[uint32]float64 // of the points of the trait that is searched for
	together map[uint32]int     // people who keep both
	related  map[uint32]bool    // of the family
}

// search gives points to the channels that have a trait: to each once, however many of
// its selections find it.
func (r *ranking) search(t trait) {
	clear(r.shares)
	for _, s := range t.any {
		s.Kind, s.Playable, s.Sort = r.of.Kind, true, filter.ByPopularity
		docs, _ := r.finder.View.Find(index.Query{Selection: s, Limit: reach})
		for place, doc := range docs {
			r.shares[doc] = max(r.shares[doc], share(place)*r.focus(t, doc))
		}
	}
	for doc, share := range r.shares {
		if !t.weak || r.points[doc] > 0 {
			r.points[doc] += t.points * share
		}
	}
}

// share returns which part of the points of a trait a place among those that have it is
// worth.
func share(place int) float64 { return 1 - float64(place)/(2*reach) }

// focus returns how much a genre says about the station of a record: less of one with
// many genres.
func (r *ranking) focus(t trait, doc uint32) float64 {
	if !t.genre {
		return 1
	}
	return min(1, maxTraits/float64(r.finder.View.Index().GenresOf(doc).Len()))
}

// addCompanions gives points to the channels that people keep together with this one.
func (r *ranking) addCompanions() {
	if r.finder.Companions == nil {
		return
	}
	for i, c := range r.finder.Companions.Of(r.of.ID) {
		doc, ok := r.finder.View.Playing(c.Channel, r.of.Kind)
		if !ok || r.together[doc] > 0 || i >= reach {
			continue
		}
		r.together[doc] = c.People
		r.points[doc] += companionPoints * share(i)
	}
}

// A scored record has points.
type scored struct {
	doc    uint32
	points float64
}

// order returns at most n records that have points, the most first, with those of one
// house mixed among others. Those that do not work come last.
func (r *ranking) order(n int) []uint32 {
	if self, ok := r.finder.View.Index().Resolve(r.of.ID); ok {
		delete(r.points, self)
	}
	all := make([]scored, 0, len(r.points))
	for doc, points := range r.points {
		all = append(all, scored{doc, points})
	}
	slices.SortFunc(all, func(a, b scored) int { return cmp.Or(cmp.Compare(b.points, a.points), cmp.Compare(a.doc, b.doc)) })
	var works, failed []uint32
	for _, s := range all[:min(len(all), 2*Max)] {
		if r.finder.View.Failed(s.doc) {
			failed = append(failed, s.doc)
		} else {
			works = append(works, s.doc)
		}
	}
	list := append(r.mixed(works, n), failed...)
	return list[:min(n, len(list))]
}

// Of one house so many channels may come first, and later a quarter of the list: a station
// with many streams would have no other one beside it.
const (
	fewRelatives = 6 // of the family
	fewOthers    = 3
)

// A housed record is one with the house that its name shows.
type housed struct {
	doc   uint32
	house string // see houseOf; ownHouse for the family
	few   int    // channels of the house that may come first
}

const ownHouse = "=" // no house of others has this name

// mixed returns docs, at least the first n of them, with the channels of one house put off
// while there are enough of them.
func (r *ranking) mixed(docs []uint32, n int) (out []uint32) {
	count := map[string]int{}
	take := func(h housed) bool {
		if count[h.house] >= max(h.few, len(out)/4) {
			return false
		}
		count[h.house]++
		out = append(out, h.doc)
		return true
	}
	var later []housed
	for _, doc := range docs {
		if len(out) >= n {
			return out
		}
		h := housed{doc, ownHouse, fewRelatives}
		if !r.related[doc] {
			h.house, h.few = houseOf(r.finder.View.Brief(doc).Name), fewOthers
		}
		if !take(h) {
			later = append(later, h)
			continue
		}
		later = slices.DeleteFunc(later, take)
	}
	for _, h := range later {
		out = append(out, h.doc)
	}
	return out
}

// houseOf returns the first two words of a name, which channels of one house often have in
// common.
func houseOf(name string) string {
	words := strings.Fields(fold.Words(name))
	return strings.Join(words[:min(len(words), 2)], " ")
}
