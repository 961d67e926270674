package speech

import (
	"strings"
	"unicode"

	"github.com/rivo/uniseg"
	"golang.org/x/text/unicode/norm"
)

// Some characters show nothing by themselves. A few belong to the character beside
// them: the joiners within emoji, Persian and Indic words, the selectors of a
// variant, the tags in the flag of a region, the simple marks of direction. The rest
// only hides text from readers and filters, or makes two texts that look alike
// differ. Neutral keeps the former where they have an effect and removes the latter.
//
// Marks can be piled on one letter until they cover the lines above and below it. No
// script needs more than a few, so that longer piles are cut.

// maxMarks is how many marks without width may follow each other. Vocalized Hebrew
// and Tibetan stacks have up to five.
const maxMarks = 8

// blackFlag begins the flag of a region, whose letters are tag characters.
const blackFlag = '\U0001f3f4'

// Neutral returns text in Unicode normalization form C, without invisible characters
// that have no effect on what is shown beside them, and without more than eight
// combining marks in a row. It leaves the characters that Check refuses.
func Neutral(text string) string {
	for {
		before := text
		if text = neutralized(norm.NFC.String(text)); text == before {
			return text
		}
	}
}

// neutralized removes what Neutral does in one pass. What it removes can bring
// characters together that join or compose, so it is repeated until nothing changes;
// each pass but the first makes the text shorter.
func neutralized(text string) string {
	n := neutralizer{}
	n.out.Grow(len(text))
	all := []rune(text)
	for i, r := range all {
		next := rune(' ')
		if i+1 < len(all) {
			next = all[i+1]
		}
		n.add(r, next)
	}
	return n.out.String()
}

// A neutralizer copies the characters of a text that Neutral keeps.
type neutralizer struct {
	out   strings.Builder
	last  rune // that was kept; 0 at the beginning
	marks int  // kept in a row
	flag  bool // the last kept characters are the flag of a region
}

// add copies r when it is kept; next is the character after it.
func (n *neutralizer) add(r, next rune) {
	if !n.keeps(r, next) {
		return
	}
	n.marks++
	if !unicode.In(r, unicode.Mn, unicode.Me) {
		n.marks = 0
	}
	n.flag = r == blackFlag || n.flag && isTag(r)
	n.last = r
	n.out.WriteRune(r)
}

func (n *neutralizer) keeps(r, next rune) bool {
	switch {
	case unicode.Is(unicode.Join_Control, r):
		return isBase(n.last) && isBase(next)
	case '\ufe00' <= r && r <= '\ufe0f', '\u180b' <= r && r <= '\u180f':
		return isBase(n.last) && !unicode.Is(unicode.Variation_Selector, n.last)
	case unicode.Is(unicode.Variation_Selector, r):
		return unicode.Is(unicode.Han, n.last)
	case isTag(r):
		return n.flag
	case unicode.In(r, unicode.Mn, unicode.Me):
		return n.marks < maxMarks && !unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
	case strings.ContainsRune(unseen, r):
		return false
	case unicode.Is(unicode.Cf, r):
		return forbidden(r) || r == '\u200e' || r == '\u200f' || r == '\u061c' || unicode.Is(unicode.Prepended_Concatenation_Mark, r)
	}
	return !unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
}

// isTag reports whether r is a tag character, which is invisible outside of a flag.
func isTag(r rune) bool { return '\U000e0020' <= r && r <= '\U000e007f' }

// isBase reports whether a joiner or a selector beside r can have an effect.
func isBase(r rune) bool {
	return unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.S) || r == '#' || r == '*'
}

// Line returns a text that a person typed as it is shown on one line: neutral, with
// single spaces in place of line breaks and runs of blanks, and trimmed. It returns
// what is wrong with the text when it may not be shown, or has more than max
// characters as a reader counts them (grapheme clusters) or more than maxBytes bytes.
func Line(text string, max, maxBytes int) (string, Problem) {
	switch {
	case len(text) > 4*maxBytes:
		return "", TooLong
	case Check(text, len(text)) == Encoding:
		return "", Encoding
	case Check(text, len(text)) == Control:
		return "", Control
	}
	text = strings.Join(strings.Fields(Neutral(text)), " ")
	switch {
	case !strings.ContainsFunc(text, visible):
		return "", Empty
	case len(text) > maxBytes || uniseg.GraphemeClusterCount(text) > max:
		return "", TooLong
	}
	return text, Fine
}
