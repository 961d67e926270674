package part

import (
	"hash/fnv"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/width"

	"miramundo.dev/functions/web/page"
)

// A channel without a logo has its name on its plate, on one of a few colours.

// tones is how many colours of plates there are; style/parts.css has them.
const tones = 10

// tone returns the number of the colour of a channel's plate, from "0". A channel
// keeps its colour for as long as it keeps its id. app/own/rows.ts computes the same.
func tone(id string) string {
	h := fnv.New32a()
	h.Write([]byte(id))
	return strconv.Itoa(int(h.Sum32() % tones))
}

// A Plate is the picture of a channel: its logo, or else its name on its colour. The
// template _plate shows it.
type Plate struct {
	Class   string // a further class of the element; empty for none
	Logo    string // URL; empty for none
	Letters string // in place of a missing logo, as much of the name as fits; empty when the name has no letter
	Size    string // the size of the letters, from "0"
	Tone    string // the colour below the letters, from "0"
	Icon    string // reference to the icon of the kind of the channel, which stands on a plate without letters
}

// NewPlate returns the plate of a channel. logo is nil for a channel without a logo.
func NewPlate(v *page.View, kind, id, name string, logo *string) Plate {
	if logo != nil {
		return Plate{Logo: *logo}
	}
	p := Plate{Tone: tone(id), Icon: v.Icon(kind)}
	p.Letters, p.Size = lettering(name)
	return p
}

// As returns the plate with a further class of its element.
func (p Plate) As(class string) Plate {
	p.Class = class
	return p
}

// A fit is a size of letters on a plate: how many of them a line has, and how many
// lines. style/parts.css has the size of the letters by the number of the fit.
type fit struct{ letters, lines int }

// fits are the sizes, the largest first. Of the bold faces of browsers the average
// letter of a name is up to 0.7 as wide as the size of the face.
var fits = []fit{{5, 1}, {7, 2}, {9, 2}, {11, 3}, {15, 4}}

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
		return shorten(words[0], fits[last].letters-1) + "…", strconv.Itoa(last)
	}
	return strings.Join(words[:n], " ") + " …", strconv.Itoa(last)
}

// fill returns how many of the words, from the first, fit on the plate.
func (f fit) fill(words []string) int {
	line, lines := 0, 1
	for i, word := range words {
		w := columns(word)
		switch {
		case w > f.letters:
			return i
		case line == 0:
			line = w
		case line+1+w <= f.letters:
			line += 1 + w
		case lines == f.lines:
			return i
		default:
			line, lines = w, lines+1
		}
	}
	return len(words)
}

// columns returns how wide a word is, in average letters.
func columns(word string) int {
	n := 0
	for _, r := range word {
		n += column(r)
	}
	return n
}

func column(r rune) int {
	switch {
	case unicode.In(r, unicode.M, unicode.Cf):
		return 0
	case width.LookupRune(r).Kind() == width.EastAsianWide || width.LookupRune(r).Kind() == width.EastAsianFullwidth:
		return 2
	}
	return 1
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
