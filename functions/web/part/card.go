package part

import (
	"html/template"
	"net/url"
	"strconv"
	"time"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/guide"
	"miramundo.dev/shared/site"
)

// A Card is a channel as lists show it. The template shows nothing for an empty
// field.
type Card struct {
	*page.View
	ID       string
	Path     string
	Name     string
	Logo     string
	Ground   string // which plate a logo stands on: dark or any; empty for a light one
	Fill     string // the colour around a logo that fills its picture
	Sign     string // the name of the icon of the category, which stands behind letters
	Letters  string // in place of a missing logo: as much of the name as the plate shows; empty when the name has no letter
	Size     string // the size of the letters, from 0
	Tone     string // the colour of the plate below the letters, from 0
	Flag     string // the URL of the flag, unless the page is about the country
	Country  string
	Category string
	Quality  string
	Now      string // the title of the current programme
	Percent  string // how much of it has passed, from "0" to "100"
	Health   string // good, fair or bad; empty when never measured
	Works    string // confirmed or likely: how sure it is that it plays in the country of the list; empty for any other list
	Place    string // the name of that country
	Distance string // how far it is from the place of the list; empty for any other list
	Radio    bool
}

// Cards are the cards of a list.
type Cards []Card

// NewCards returns the cards of channels on a page, in the order of list, with the
// title of each channel's current programme. guides may be nil.
func NewCards(v *page.View, list []index.Card, guides *guide.Live, now time.Time) Cards {
	cards := make(Cards, len(list))
	for i := range list {
		c := &list[i]
		cards[i] = newCard(v, c)
		if !c.HasGuide {
			continue
		}
		if g := guides.Now(c.ID, now); g != nil && g.Now != nil {
			cards[i].Now, cards[i].Percent = g.Now.Title, strconv.Itoa(Percent(g.Now, now))
		}
	}
	return cards
}

// Places names the country in which the cards say how sure it is that the channels play.
func (c Cards) Places(country string) {
	for i := range c {
		if c[i].Works != "" {
			c[i].Place = c[i].CountryName(country)
		}
	}
}

// newCard returns the card of a channel without its programme.
func newCard(v *page.View, c *index.Card) Card {
	shown := Card{
		View: v, ID: c.ID, Path: v.Channel(c.ID), Name: Called(c.Name), Category: c.Category, Quality: c.Quality,
		Health: Grade(c.Health), Works: string(c.WorksIn), Radio: c.Kind == catalog.Station,
	}
	if c.Distance != nil {
		shown.Distance = Distance(v, *c.Distance)
	}
	if c.Feed != "" {
		shown.Path += "?feed=" + url.QueryEscape(c.Feed)
	}
	if c.LogoURL != nil {
		shown.Logo = *c.LogoURL
		shown.Ground, shown.Fill = ground(*c.LogoURL)
	} else {
		shown.Letters, shown.Size = lettering(shown.Name)
		shown.Tone = tone(c.ID)
		if shown.Letters != "" {
			shown.Sign = sign(c.Subject, shown.Radio)
		}
	}
	if c.Country != "" && v.Page != site.City && (v.Page != site.Country || v.Name != c.Country) {
		shown.Flag, shown.Country = v.Flag(c.Country), v.CountryName(c.Country)
	}
	return shown
}

// Percent returns how much of p has passed, from 0 to 100 percent; 0 when its
// times are not valid.
func Percent(p *catalog.Programme, now time.Time) int {
	start, err := time.Parse(time.RFC3339, p.Start)
	stop, fault := time.Parse(time.RFC3339, p.Stop)
	if err != nil || fault != nil || !start.Before(stop) {
		return 0
	}
	return int(min(max(100*now.Sub(start)/stop.Sub(start), 0), 100))
}

// goodScore is the least score, of 100, of a channel that is graded good.
const goodScore = 70

// Grade returns how well a channel works: good, fair or bad, or the empty string
// when it was never measured.
func Grade(h *catalog.MeasuredHealth) string {
	switch {
	case h == nil:
		return ""
	case !h.Online:
		return "bad"
	case h.Score != nil && *h.Score >= goodScore:
		return "good"
	}
	return "fair"
}

// A cardKind is the key of a card's stamp: everything that its template branches
// on.
type cardKind struct {
	locale  int
	present int // the texts that are not empty, as filled returns them
	health  string
	works   string
	radio   bool
	ground  string
	sign    string
}

// texts returns pointers to the texts of the card, always in the same order.
func (c *Card) texts() []*string {
	return []*string{&c.ID, &c.Path, &c.Name, &c.Logo, &c.Fill, &c.Letters, &c.Size, &c.Tone, &c.Flag, &c.Country, &c.Category, &c.Quality, &c.Now, &c.Percent, &c.Place, &c.Distance}
}

// kind returns the key of the card's stamp.
func (c *Card) kind(present int) any {
	return cardKind{int(c.Locale), present, c.Health, c.Works, c.Radio, c.Ground, c.Sign}
}

// HTML returns the cards as their template would write them, about 1.8 kB each.
func (c Cards) HTML() (template.HTML, error) { return write("_card.html", c, 1792) }
