// Package translit writes names of other scripts in Latin letters, as people
// type them.
//
// A letter often has several romanisations: "х" is kh in English, h among
// Slavs and ch in German. A scheme is one consistent choice for every letter, so
// that a name gets a few spellings which people type as a whole, instead of
// every combination of letters. There are up to four schemes a script, the most
// usual first; the typing errors that a search forgives cover mixtures of them.
//
// Words that are not spelled as they sound, or that each language borrowed from
// English ("ニュース" is news, "تي في" is tv), have their spellings in a table of
// known words, which comes before the letters.
//
// Cyrillic, Greek, Arabic, Hebrew, Hangul, Kana, Thai and the scripts of India
// are written by tables of this package; Han by the Mandarin readings of
// go-unidecode with words and readings that differ; every other script by
// go-unidecode alone.
package translit

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"miramundo.dev/shared/catalog/fold"
)

// maxSpellings is the greatest number of schemes of a script.
const maxSpellings = 4

// Latin returns the romanisations of s as folded words, each once, the most
// usual first and at most four. It returns nil when every letter of s is Latin.
// Parts of s that are Latin already stay as they are. s should be the name or
// query as it was typed: folding drops marks that distinguish letters, such as
// that of "й".
func Latin(s string) []string {
	if !foreign(s) {
		return nil
	}
	tokens := known(tokenize(strings.ToLower(norm.NFKC.String(s))))
	var spellings []string
	var buf []byte
	for scheme := range maxSpellings {
		buf = buf[:0]
		for i, t := range tokens {
			if i > 0 && t.spaced {
				buf = append(buf, ' ')
			}
			buf = t.appendLatin(buf, scheme)
		}
		if words := fold.Words(string(buf)); words != "" && !slices.Contains(spellings, words) {
			spellings = append(spellings, words)
		}
	}
	return spellings
}

// foreign reports whether s has a letter of another script than Latin.
func foreign(s string) bool {
	for _, r := range s {
		if r >= 0x370 && scriptOf(r) != latin {
			return true
		}
	}
	return false
}

// A token is a part of a text in one script, without separators.
type token struct {
	text   []rune
	script script
	// language distinguishes the alphabets of a script. It is the same for all
	// tokens of a text.
	language language
	spaced   bool // a space comes before it
	// spellings are those of a known word by scheme, the last for all further
	// schemes; nil when the word is spelled by its letters.
	spellings []string
}

// tokenize splits a lower-case text. Letters of two scripts without a separator
// are two tokens, with a space between them only when one of the two is a
// script whose words are joined: "Россия24" is "rossiya24".
func tokenize(s string) []token {
	text := []rune(s)
	tongue := languageOf(text)
	var tokens []token
	start, spaced := 0, false
	flush := func(end int) {
		if start < end {
			t := token{text: text[start:end], script: scriptOf(text[start]), language: tongue}
			last := len(tokens) - 1
			t.spaced = spaced || joined(t.script) || last >= 0 && joined(tokens[last].script)
			tokens = append(tokens, t)
			spaced = false
		}
		start = end
	}
	for i, r := range text {
		switch {
		case i > start && (joins(r) || unicode.IsMark(r)):
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush(i)
			start, spaced = i+1, true
		case i > start && scriptOf(text[start]) != scriptOf(r):
			flush(i)
		}
	}
	flush(len(text))
	return tokens
}

// joins reports whether r continues a word without being a letter: joiners, the
// apostrophe of Ukrainian, and the quotation marks inside Hebrew abbreviations.
func joins(r rune) bool {
	switch r {
	case '\'', '’', 'ʼ', '"', '״', '׳', '\u200c', '\u200d':
		return true
	}
	return false
}

// appendLatin appends the token in Latin letters by a scheme.
func (t token) appendLatin(dst []byte, scheme int) []byte {
	if t.spellings != nil {
		return append(dst, t.spellings[min(scheme, len(t.spellings)-1)]...)
	}
	switch t.script {
	case latin:
		return append(dst, string(t.text)...)
	case cyrillic:
		return appendCyrillic(dst, t.text, t.language, scheme)
	case greek:
		return appendGreek(dst, t.text, scheme)
	case arabic:
		return appendArabic(dst, t.text, t.language, scheme)
	case hebrew:
		return appendHebrew(dst, t.text, scheme)
	case hangul:
		return appendHangul(dst, t.text)
	case kana:
		return appendKana(dst, t.text, scheme)
	case han:
		return appendHan(dst, t.text, scheme)
	case thai:
		return appendThai(dst, t.text)
	case indic:
		return appendIndic(dst, t.text, scheme)
	}
	return appendOther(dst, t.text, scheme)
}
