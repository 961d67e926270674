package source

import (
	"strings"
	"unicode"
)

// Plain returns text with a blank for each control character and line
// separator. Every value of a record passes it: what a source writes must not
// end a line of the playlists and headers that are made of it later.
func Plain(text string) string {
	for i := range len(text) {
		if b := text[i]; b < ' ' || b == 0x7f || b >= 0x80 {
			return plain(text, i)
		}
	}
	return text
}

// plain is Plain for text with something to look at from byte start on.
func plain(text string, start int) string {
	if !strings.ContainsFunc(text[start:], breaks) {
		return text
	}
	return strings.Map(func(r rune) rune {
		if breaks(r) {
			return ' '
		}
		return r
	}, text)
}

func breaks(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' }
