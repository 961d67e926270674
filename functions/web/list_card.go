package web

import (
	"bytes"
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

// A page has dozens of cards, and to fill in a template takes long. So the
// template of a card is filled in once for each form that cards have, with marks
// in the place of texts; a card is then what stands between the marks, and its
// texts. All of them stand in text or in quoted attributes, where the same
// characters are escaped; a test compares what comes of both ways.

// A cardForm is what cards have in common that show the same parts.
type cardForm struct {
	between []string // one more than texts
	texts   []int    // which text of a card follows: its place in card.texts
}

// A cardKind says which form a card has: the locale, which of its texts there
// are, and what it shows besides.
type cardKind struct {
	locale int
	there  int // bits by place in card.texts
	health string
	radio  bool
}

func (c *card) texts() [10]*string {
	return [...]*string{&c.ID, &c.Path, &c.Name, &c.Logo, &c.Initials, &c.Flag, &c.Country, &c.Category, &c.Quality, &c.Now}
}

func (c *card) kind() cardKind {
	k := cardKind{locale: int(c.Locale), health: c.Health, radio: c.Radio}
	for i, text := range c.texts() {
		if *text != "" {
			k.there |= 1 << i
		}
	}
	return k
}

// mark stands for a text: no escaping changes it. Its last letter tells which.
const mark = "qzWjVxq"

// formOf fills in the template for cards like c.
func formOf(c card) (cardForm, error) {
	for i, text := range c.texts() {
		if *text != "" {
			*text = mark + string(rune('a'+i))
		}
	}
	var b bytes.Buffer
	if err := pages["home"].ExecuteTemplate(&b, "_card.html", c); err != nil {
		return cardForm{}, err
	}
	var f cardForm
	first, rest, more := strings.Cut(b.String(), mark)
	f.between = append(f.between, first)
	for more {
		f.texts = append(f.texts, int(rest[0]-'a'))
		first, rest, more = strings.Cut(rest[1:], mark)
		f.between = append(f.between, first)
	}
	return f, nil
}

// HTML returns the card as its template would write it.
func (c card) HTML() (template.HTML, error) {
	kind := c.kind()
	kept, ok := c.server.cardForms.Load(kind)
	if !ok {
		f, err := formOf(c)
		if err != nil {
			return "", err
		}
		kept, _ = c.server.cardForms.LoadOrStore(kind, &f)
	}
	f, texts := kept.(*cardForm), c.texts()
	var b bytes.Buffer
	b.Grow(2048)
	for i, which := range f.texts {
		b.WriteString(f.between[i])
		template.HTMLEscape(&b, []byte(*texts[which]))
	}
	b.WriteString(f.between[len(f.texts)])
	return template.HTML(b.String()), nil
}
