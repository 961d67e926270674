package mail

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/bidi"
)

// Names of people and organizations are the only text that a stranger chooses in a
// mail to somebody else than the operator. Mail programs make links of plain text that looks like a host, an
// address or a number, so a name such as "Prize at evil.example" would be a link
// in a mail that we sign.

// maxName is how many characters of a name are shown.
const maxName = 64

// Nameless stands for a name of which nothing can be shown.
const Nameless = "?"

// maxMarks is how many combining marks one letter may have. Vietnamese and
// Hebrew need two.
const maxMarks = 3

// Directions of a name inside a text: without a pair of isolates, a name that is
// written from right to left reorders the words around it.
const (
	firstStrongIsolate    = "\u2068"
	popDirectionalIsolate = "\u2069"
)

// Harmless returns a name that a person chose as it may stand in a mail: on one
// line, of at most 64 characters, without characters that are not seen, and with
// dots, colons and at signs replaced by signs that look like them and make no
// link. A name of which nothing is left becomes [Nameless].
func Harmless(name string) string {
	var b strings.Builder
	marks, count := 0, 0
	for _, r := range strings.Join(strings.FieldsFunc(strings.ToValidUTF8(name, ""), isSpace), " ") {
		if marks++; !unicode.Is(unicode.M, r) {
			marks = 0
		}
		if !unicode.IsGraphic(r) || marks > maxMarks || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) {
			continue
		}
		if count++; count > maxName {
			b.WriteRune('…')
			break
		}
		b.WriteRune(linkless(r))
	}
	text := strings.TrimSpace(b.String())
	if text == "" {
		return Nameless
	}
	if strings.ContainsFunc(text, isRightToLeft) {
		return firstStrongIsolate + text + popDirectionalIsolate
	}
	return text
}

// Quoted returns a text that a person wrote, of several lines, as it may stand in a
// mail between marks of quotation: without characters that are not seen, among them
// those that reverse the order of the text around them, and without more empty lines
// than one in a row. Hosts and addresses in it stay, since they may be what the person
// wants to say.
func Quoted(text string) string {
	var b strings.Builder
	marks, breaks := 0, 0
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n").Replace(strings.ToValidUTF8(text, ""))
	for _, r := range text {
		if marks++; !unicode.Is(unicode.M, r) {
			marks = 0
		}
		if r == '\n' {
			if breaks++; breaks <= 2 {
				b.WriteRune(r)
			}
			continue
		}
		switch {
		case marks > maxMarks && !unicode.Is(unicode.Variation_Selector, r):
		case isSpace(r):
			b.WriteByte(' ')
		case unicode.IsGraphic(r) && !unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r), unicode.Is(unicode.Join_Control, r):
			breaks = 0
			b.WriteRune(r)
		}
	}
	return strings.TrimSpace(b.String())
}

// isSpace reports whether r separates words: spaces, and the controls that break
// lines.
func isSpace(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Z, r)
}

// linkless returns r, or for the marks of hosts, addresses and schemes a sign
// that looks like it.
func linkless(r rune) rune {
	switch r {
	case '.', '．', '。', '｡':
		return '\u2024' // one dot leader
	case ':', '：':
		return '\u2236' // ratio
	case '@', '＠', '﹫':
		return '\u24D0' // circled small a
	}
	return r
}

func isRightToLeft(r rune) bool {
	p, _ := bidi.LookupRune(r)
	return p.Class() == bidi.R || p.Class() == bidi.AL
}
