package similar

import (
	"slices"
	"strings"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/fold"
	"miramundo.dev/shared/catalog/index"
)

// Traits of a channel are at most so many of each kind.
const maxTraits = 3

// Points of traits that are not searched for by a filter alone.
const (
	companionPoints = 6.0
	familyPoints    = 3.0 // in the same country, and half of that elsewhere
)

// general is the category of channels about everything, which have little in common.
const general = "general"

// A trait is what another channel may have in common with this one.
type trait struct {
	any    []filter.Selection // each of which finds channels that have it
	points float64
	genre  bool // the selections are by genre
	weak   bool // it makes no channel similar by itself
}

// first returns the values of a list that are traits.
func first(list []string) []string {
	list = list[:min(len(list), maxTraits)]
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return s == "" })
}

// traitsOf returns the traits of a channel that filters find.
func traitsOf(c *catalog.Channel) (all []trait) {
	country := text(c.Country)
	add := func(points float64, s filter.Selection) {
		all = append(all, trait{any: []filter.Selection{s}, points: points})
	}
	if n := text(c.Network); n != "" {
		add(4, filter.Selection{Network: n})
	}
	subjects := subjectsOf(c)
	for _, s := range subjects {
		points := 3.0
		if s.Category == general {
			points = 1
		}
		all = append(all, about(s, points, country, c.Languages)...)
	}
	if city := text(c.City); city != "" {
		add(1.5, filter.Selection{City: city})
	}
	if part := text(c.Subdivision); part != "" {
		add(1, filter.Selection{Subdivision: part})
	}
	if country != "" {
		t := trait{any: []filter.Selection{{Country: country}}, points: 0.5, weak: true}
		if len(subjects) == 0 { // those that are best known in the country are as similar as can be said
			t.points, t.weak = 1.5, false
		}
		all = append(all, t)
	}
	return all
}

// about returns the traits of a subject: what is about it in the country, in one of the
// languages, and anywhere.
func about(s filter.Selection, points float64, country string, languages []string) (all []trait) {
	add := func(share float64, any ...filter.Selection) {
		all = append(all, trait{any: any, points: points * share, genre: s.Genre != ""})
	}
	add(1.0/4, s)
	var spoken []filter.Selection
	for _, language := range first(languages) {
		in := s
		in.Language = language
		spoken = append(spoken, in)
	}
	add(1.0/2, spoken...)
	if country != "" {
		s.Country = country
		add(1, s)
	}
	return all
}

// subjectsOf returns what a channel is about: its categories and, of a station, its genres
// or, without any, its first tags.
func subjectsOf(c *catalog.Channel) (all []filter.Selection) {
	for _, id := range first(c.Categories) {
		all = append(all, filter.Selection{Category: id})
	}
	if c.Radio == nil {
		return all
	}
	for _, g := range c.Radio.Genres[:min(len(c.Radio.Genres), maxTraits)] {
		all = append(all, filter.Selection{Genre: g.ID})
	}
	if len(c.Radio.Genres) == 0 {
		for _, tag := range first(c.Radio.Tags) {
			all = append(all, filter.Selection{Tag: tag})
		}
	}
	return all
}

// Channels of one house often have a name in common ("RTP 2", "RTP3", "France 24
// English"), whose first words say more than any category. How many words that takes
// depends on the words: "TV" says nothing, "BBC" does. More than one word is looked for in
// the same country only.
const (
	maxFamily      = 120 // channels that have the words in their names
	maxFamilyWords = 3
)

// plain are folded first words that say nothing of a house, also where few names have them:
// kinds of stations, and articles.
var plain = strings.Fields(`tv tele television televisao televisio televizija telewizja radio radyo radios webradio rtv fm am
canal channel chaine kanal sender station emisora rede red network web news noticias noticia online live hd
the a o os as la le les el los las il lo gli i die der das de da do al un une um uma een het den det`)

// A family is the beginning of a name that channels of one house have in common.
type family struct {
	words   string // folded, a first word without the number at its end; empty for none
	shown   string // as the name has them
	country string // where it is; empty for anywhere
}

// has reports whether a channel is of the family.
func (f family) has(name, country string) bool {
	if f.words == "" || f.country != "" && f.country != country {
		return false
	}
	rest, ok := strings.CutPrefix(fold.Words(name), f.words)
	return ok && (rest == "" || strings.IndexByte(" 0123456789", rest[0]) >= 0)
}

// familyOf returns the family of a channel with the records that may be of it, the best
// known first.
func (r *ranking) familyOf(name, country string) (family, []uint32) {
	s := filter.Selection{Kind: r.of.Kind, Playable: true, Sort: filter.ByPopularity}
	shown := strings.Fields(name)
	for n := 1; n <= min(len(shown), maxFamilyWords); n++ {
		f := family{shown: strings.Join(shown[:n], " ")}
		f.words = fold.Words(f.shown)
		if n == 1 {
			f.words, f.shown = strings.TrimRight(f.words, digits+" "), strings.TrimRight(f.shown, digits)
		} else {
			f.country = country
		}
		if len(f.words) < 2 || slices.Contains(plain, f.words) || n > 1 && country == "" {
			continue
		}
		s.Q, s.Country = f.words, f.country
		if docs, total := r.finder.View.Find(index.Query{Selection: s, Limit: maxFamily}); total <= maxFamily {
			return f, docs
		}
	}
	return family{}, nil
}

const digits = "0123456789"

// addRelatives gives points to the channels whose names begin as the name of this one
// does.
func (r *ranking) addRelatives() {
	country := text(r.of.Country)
	var docs []uint32
	r.family, docs = r.familyOf(r.of.Name, country)
	place := 0
	for _, doc := range docs {
		c := r.finder.View.Brief(doc)
		if !r.family.has(c.Name, c.Country) || place == reach {
			continue
		}
		points := familyPoints
		if c.Country != country {
			points /= 2
		}
		r.points[doc] += points * share(place)
		r.related[doc] = true
		place++
	}
}

// text returns the text that s points to; empty for nil.
func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
