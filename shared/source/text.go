package source

import (
	"strings"
	"unicode"
)

// Plain returns text with a space for each control character and line
// separator. Every value of a record passes through it, because a source must
// not be able to end a line of a playlist or a header that is made from it.
func Plain(text string) string {
	for i := range len(text) {
		if b := text[i]; b < ' ' || b == 0x7f || b >= 0x80 {
			return replaceBreaks(text, i)
		}
	}
	return text
}

// replaceBreaks is Plain for text that may need it from byte start on.
func replaceBreaks(text string, start int) string {
	if !strings.ContainsFunc(text[start:], isBreak) {
		return text
	}
	return strings.Map(func(r rune) rune {
		if isBreak(r) {
			return ' '
		}
		return r
	}, text)
}

func isBreak(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' }
