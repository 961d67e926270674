package part

import (
	"hash/fnv"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/shared/logo"
)

// A channel without a logo has its name on its plate, on one of a few colours.

// Tones is how many colours of plates there are; style/parts.css has them.
const Tones = 10

// tone returns the number of the colour of a channel's plate, from "0". A channel
// keeps its colour for as long as it keeps its id. app/own/rows.ts computes the same.
func tone(id string) string {
	h := fnv.New32a()
	h.Write([]byte(id))
	return strconv.Itoa(int(h.Sum32() % Tones))
}

// A Plate is the picture of a channel: its logo, or else its name on its colour. The
// template _plate shows it.
type Plate struct {
	Class   string // a further class of the element; empty for none
	Logo    string // URL; empty for none
	Ground  string // which plate the logo stands on: dark or any; empty for a light one
	Fill    string // the colour around a logo that fills its picture
	Letters string // in place of a missing logo, as much of the name as fits; empty when the name has no letter
	Size    string // the size of the letters, from "0"
	Tone    string // the colour below the letters, from "0"; behind a logo too, where a station has its own
	Icon    string // reference to the icon of the kind of the channel, which stands on a plate without letters
}

// NewPlate returns the plate of a channel. address is that of its logo, or nil.
func NewPlate(v *page.View, kind, id, name string, address *string) Plate {
	if address != nil {
		p := Plate{Logo: *address, Tone: tone(id)}
		p.Ground, p.Fill = ground(*address)
		return p
	}
	p := Plate{Tone: tone(id), Icon: v.Icon(kind)}
	p.Letters, p.Size = lettering(Called(name))
	return p
}

// ground returns the plate that the logo at a URL stands on, by its tone: dark, any for
// either, or empty for a light one, as for a logo without a tone; and the colour around
// a logo that fills its picture. app/plate.ts computes the same.
func ground(url string) (plate, fill string) {
	switch tone := logo.ToneOf(url); tone {
	case logo.OnDark:
		return "dark", ""
	case logo.OnAny:
		return "any", ""
	default:
		return "", tone.Colour()
	}
}

// signs are the icons of categories, by their ids. A category without one has no icon
// on its plates.
var signs = map[string]string{
	"animation": "kids", "auto": "car", "business": "business", "classic": "film", "comedy": "laugh", "cooking": "cooking", "culture": "culture",
	"documentary": "camera", "education": "education", "entertainment": "popcorn", "family": "home", "kids": "kids", "legislative": "public",
	"movies": "film", "music": "music", "news": "news", "outdoor": "travel", "public": "public", "religious": "religion", "science": "camera",
	"series": "popcorn", "shop": "shop", "sports": "sports", "travel": "travel", "weather": "weather",
}

// Small returns the plate for a place in which only large letters can be read: a name that
// needs small ones is shown by the first letters of its first two words.
func (p Plate) Small(name string) Plate {
	if p.Size <= "1" {
		return p
	}
	p.Letters, p.Size = "", "0"
	for _, word := range strings.Fields(name) {
		first, _ := utf8.DecodeRuneInString(word)
		if unicode.In(first, unicode.L, unicode.N) && utf8.RuneCountInString(p.Letters) < 2 {
			p.Letters += string(unicode.ToUpper(first))
		}
	}
	if p.Letters == "" {
		p.Size = ""
	}
	return p
}

// sign returns the icon of a category, or else that of stations for a station; empty
// for none.
func sign(category string, radio bool) string {
	if icon := signs[category]; icon != "" || !radio {
		return icon
	}
	return "radio"
}

// As returns the plate with a further class of its element.
func (p Plate) As(class string) Plate {
	p.Class = class
	return p
}

// A fit is a size of letters on a plate: how wide a line is, in hundredths of that size,
// and how many lines there are. style/parts.css has the size of the letters by the number
// of the fit.
type fit struct{ line, lines int }

// fits are the sizes, the largest first. A line has 92 of 100 parts of the plate, of which
// the letters are 26, 18.5, 14.5, 11.8 and 8.6 high.
var fits = []fit{{354, 1}, {497, 2}, {634, 2}, {780, 3}, {1069, 4}}

// lettering returns the part of a name that a plate without a logo shows, and the
// number of the size that it is shown in, from "0". The text consists of whole words,
// unless the first word is too long by itself, and ends in an ellipsis when the name
// goes on. It is empty when the name has neither letters nor digits.
func lettering(name string) (text, size string) {
	words := strings.Fields(name)
	for len(words) > 0 && !legible(words[0]) {
		words = words[1:]
	}
	if len(words) == 0 {
		return "", ""
	}
	for i, f := range fits {
		if n := f.fill(words); n == len(words) {
			return strings.Join(words, " "), strconv.Itoa(i)
		}
	}
	last := len(fits) - 1
	n := fits[last].fill(words)
	if n == 0 {
		return shorten(words[0], fits[last].line-column('…')) + "…", strconv.Itoa(last)
	}
	return strings.Join(words[:n], " ") + " …", strconv.Itoa(last)
}

// fill returns how many of the words, from the first, fit on the plate.
func (f fit) fill(words []string) int {
	line, lines := 0, 1
	for i, word := range words {
		w := columns(word)
		switch {
		case w > f.line:
			return i
		case line == 0:
			line = w
		case line+space+w <= f.line:
			line += space + w
		case lines == f.lines:
			return i
		default:
			line, lines = w, lines+1
		}
	}
	return len(words)
}

// columns returns how wide a word is, in hundredths of the size of its letters.
func columns(word string) int {
	n := 0
	for _, r := range word {
		n += column(r)
	}
	return n
}

// space is how wide a space is.
const space = 35

// ascii are the widths of the letters from '!' to '~' in the bold face of DejaVu Sans, the
// widest of the faces that browsers have for system-ui. Where another face is used, a line
// has room left; it never breaks a word.
var ascii = [...]int{
	46, 52, 84, 70, 100, 87, 31, 46, 46, 52, 84, 38, 42, 38, 37, // ! to /
	70, 70, 70, 70, 70, 70, 70, 70, 70, 70, 40, 40, 84, 84, 84, 58, 100, // 0 to @
	77, 76, 73, 83, 68, 68, 82, 84, 37, 37, 77, 64, 100, 84, 85, 73, 85, 77, 72, 68, 81, 77, 110, 77, 72, 73, // A to Z
	46, 37, 46, 84, 50, 50, // [ to `
	68, 72, 59, 72, 68, 44, 72, 71, 34, 34, 67, 34, 104, 71, 69, 72, 72, 49, 60, 48, 71, 65, 92, 65, 65, 58, // a to z
	71, 37, 71, 84, // { to ~
}

func column(r rune) int {
	switch {
	case r >= '!' && r <= '~':
		return ascii[r-'!']
	case unicode.In(r, unicode.M, unicode.Cf):
		return 0
	case width.LookupRune(r).Kind() == width.EastAsianWide || width.LookupRune(r).Kind() == width.EastAsianFullwidth:
		return 100
	case unicode.IsUpper(r):
		return 85
	}
	return 75
}

// shorten returns the first letters of a word that are together at most so wide.
func shorten(word string, most int) string {
	n := 0
	for i, r := range word {
		if n += column(r); n > most {
			return word[:i]
		}
	}
	return word
}

// legible reports whether a word has a letter or a digit.
func legible(word string) bool {
	return strings.ContainsFunc(word, func(r rune) bool { return unicode.In(r, unicode.L, unicode.N) })
}
