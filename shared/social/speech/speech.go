// Package speech checks the texts and names that callers write before others see
// them.
package speech

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Problem is the reason for which a text may not be shown, as in the field
// "reason" of an error.
type Problem string

// The problems.
const (
	Fine     Problem = ""
	Empty    Problem = "empty"    // nothing that could be seen
	TooLong  Problem = "too_long" // more characters than allowed
	Control  Problem = "control"  // characters that break lines or turn the direction of what follows
	Encoding Problem = "encoding" // no UTF-8
)

// Check returns what is wrong with a text of at most max characters. Characters
// are counted as Unicode code points, as the maxLength of JSON Schema does. It
// may have several lines: line feeds, carriage returns before them and tabs are
// allowed.
func Check(text string, max int) Problem {
	return check(strings.Map(plain, strings.ReplaceAll(text, "\r\n", "\n")), text, max)
}

// plain replaces the separators of words in a text by spaces.
func plain(r rune) rune {
	if r == '\n' || r == '\t' {
		return ' '
	}
	return r
}

// CheckName returns what is wrong with a name of at most max characters, on one
// line.
func CheckName(name string, max int) Problem { return check(name, name, max) }

func check(line, whole string, max int) Problem {
	switch {
	case !utf8.ValidString(whole):
		return Encoding
	case utf8.RuneCountInString(whole) > max:
		return TooLong
	case strings.ContainsFunc(line, forbidden):
		return Control
	case !strings.ContainsFunc(line, visible):
		return Empty
	}
	return Fine
}

// forbidden reports whether r breaks lines, or is an embedding, an override or
// an isolate of direction: with those a text could reverse the text beside it.
// The simple marks of direction belong to words and are allowed.
func forbidden(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' ||
		'\u202a' <= r && r <= '\u202e' || '\u2066' <= r && r <= '\u2069'
}

// unseen are letters that are invisible: the fillers of Hangul, and the blank
// pattern of Braille.
const unseen = "\u115f\u1160\u3164\uffa0\u2800"

// visible reports whether r is visible on its own.
func visible(r rune) bool {
	return unicode.In(r, unicode.L, unicode.N, unicode.P, unicode.S) && !strings.ContainsRune(unseen, r)
}
