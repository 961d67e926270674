package web

import (
	"html/template"
	"strings"
	"unicode"
	"unicode/utf8"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/site"
)

// A card is a channel as lists show it. A text that is empty is not known.
type card struct {
	*view
	ID       string
	Path     string
	Name     string
	Logo     string
	Initials string // stand for a logo that there is not; empty when the name has no letter
	Flag     string // the address of the flag, unless the page says the country already
	Country  string
	Category string
	Quality  string
	Now      string // the title of what is on
	Health   string // good, fair or bad; empty when never measured
	Radio    bool
}

// cards returns channels as lists show them, with what they show now.
func (s *Server) cards(v *view, list []index.Card) []card {
	cards := make([]card, len(list))
	now := s.Now()
	for i := range list {
		c := &list[i]
		cards[i] = cardOf(v, c)
		if !c.HasGuide {
			continue
		}
		if g := s.Guides.Now(c.ID, now); g != nil && g.Now != nil {
			cards[i].Now = g.Now.Title
		}
	}
	return cards
}

func cardOf(v *view, c *index.Card) card {
	shown := card{
		view: v, ID: c.ID, Path: v.Channel(c.ID), Name: c.Name, Category: c.Category, Quality: c.Quality,
		Health: grade(c.Health), Radio: c.Kind == catalog.Station,
	}
	if c.LogoURL != nil {
		shown.Logo = *c.LogoURL
	} else {
		shown.Initials = initials(c.Name)
	}
	if c.Country != "" && (v.Page != site.Country || v.Name != c.Country) {
		shown.Flag, shown.Country = v.Flag(c.Country), v.CountryName(c.Country)
	}
	return shown
}

// wellFrom is the score from which a channel is said to work well.
const wellFrom = 70

// grade says in one of three words how well a channel works.
func grade(h *catalog.MeasuredHealth) string {
	switch {
	case h == nil:
		return ""
	case !h.Online:
		return "bad"
	case h.Score != nil && *h.Score >= wellFrom:
		return "good"
	}
	return "fair"
}

// initials returns the first letters of the first two words of a name.
func initials(name string) string {
	var b strings.Builder
	n := 0
	for word := range strings.FieldsFuncSeq(name, func(r rune) bool { return !unicode.In(r, unicode.L, unicode.N, unicode.M) }) {
		first := strings.IndexFunc(word, func(r rune) bool { return !unicode.Is(unicode.M, r) })
		if first < 0 {
			continue
		}
		r, _ := utf8.DecodeRuneInString(word[first:])
		b.WriteRune(unicode.ToUpper(r))
		if n++; n == 2 {
			break
		}
	}
	return b.String()
}

// A cardKind says which stamp a card has: the locale, which of its texts there
// are, and what it shows besides.
type cardKind struct {
	locale int
	there  int // as filled says
	health string
	radio  bool
}

func (c *card) texts() []*string {
	return []*string{&c.ID, &c.Path, &c.Name, &c.Logo, &c.Initials, &c.Flag, &c.Country, &c.Category, &c.Quality, &c.Now}
}

func (c *card) kind(there int) any { return cardKind{int(c.Locale), there, c.Health, c.Radio} }

// Cards returns cards as their template would write them.
func (v *view) Cards(cards []card) (template.HTML, error) {
	return written(&v.server.stamps, "_card.html", cards, 1792)
}
