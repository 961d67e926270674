package search

import (
	"unicode"
	"unicode/utf8"
)

// scriptLanguages are the languages of records that are written in a script.
// Scripts of a great many languages are left out.
var scriptLanguages = []struct {
	script    *unicode.RangeTable
	languages []string // ISO 639-3
}{
	{unicode.Hebrew, []string{"heb"}},
	{unicode.Arabic, []string{"ara", "fas", "urd", "kur", "prs"}},
	{unicode.Greek, []string{"ell"}},
	{unicode.Cyrillic, []string{"rus", "ukr", "bul", "srp", "mkd", "bel", "kaz"}},
	{unicode.Thai, []string{"tha"}},
	{unicode.Hangul, []string{"kor"}},
	{unicode.Hiragana, []string{"jpn"}},
	{unicode.Katakana, []string{"jpn"}},
	{unicode.Han, []string{"zho", "cmn", "yue", "jpn"}},
	{unicode.Devanagari, []string{"hin", "mar", "nep"}},
	{unicode.Bengali, []string{"ben"}},
	{unicode.Tamil, []string{"tam"}},
	{unicode.Telugu, []string{"tel"}},
	{unicode.Georgian, []string{"kat"}},
	{unicode.Armenian, []string{"hye"}},
}

// noteLanguages notes the languages that a query may be written in: those of its
// script or, for one in Latin letters, those of the words that name a value,
// such as "noticias".
func (e *Engine) noteLanguages(r *relevance, q string) {
	r.written = r.written[:0]
	if r.latin {
		for i := range r.spans {
			if sp := &r.spans[i]; sp.Spoken != 0 && sp.Senses[0].Strength >= minStrength {
				for code := range e.ix.Meanings().Codes(sp.Spoken) {
					e.noteLanguage(r, code)
				}
			}
		}
		return
	}
	for _, c := range q {
		if c < utf8.RuneSelf || !unicode.IsLetter(c) {
			continue
		}
		for _, s := range scriptLanguages {
			if unicode.Is(s.script, c) {
				for _, code := range s.languages {
					e.noteLanguage(r, code)
				}
				return
			}
		}
	}
}

// maxWritten is how many languages of a query are noted.
const maxWritten = 8

// everywhere is the language whose words are used in all others.
const everywhere = "eng"

func (e *Engine) noteLanguage(r *relevance, code string) {
	if value, ok := e.ix.ValueNumber(code); ok && code != everywhere && len(r.written) < maxWritten {
		r.written = append(r.written, value)
	}
}
