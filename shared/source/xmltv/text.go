package xmltv

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/language"
)

// ellipsis ends a text that was cut.
const ellipsis = "…"

// repair returns text as UTF-8. Text without any multi-byte UTF-8 character
// is decoded as windows-1252, since files that were merged from several mix
// encodings. In other text, invalid bytes become U+FFFD.
func repair(text []byte) []byte {
	if utf8.Valid(text) {
		return text
	}
	whole := func(r rune) bool { return r >= utf8.RuneSelf && r != utf8.RuneError }
	if bytes.ContainsFunc(text, whole) {
		return bytes.ToValidUTF8(text, []byte("\ufffd"))
	}
	fixed, err := charmap.Windows1252.NewDecoder().Bytes(text)
	if err != nil {
		return bytes.ToValidUTF8(text, []byte("\ufffd"))
	}
	return fixed
}

// A normalizer makes one line of a text.
type normalizer struct {
	line  []byte
	chars int  // of line
	long  bool // it was cut
}

// normalize returns text with single spaces for runs of white space and
// control characters, none at its ends, and at most limit characters. Longer
// text ends with an ellipsis: after a whole word or, when that would lose
// more than half of the line, as in scripts without spaces, within a word.
// The result is valid until the next call.
func (f *normalizer) normalize(text []byte, limit int) []byte {
	f.line, f.chars, f.long = f.line[:0], 0, false
	blank := false
	for len(text) > 0 {
		n, chars := leadingWord(text, limit+1)
		if n > 0 {
			if blank && f.chars > 0 {
				f.line = append(f.line, ' ')
				f.chars++
			}
			f.line = append(f.line, text[:n]...)
			f.chars += chars
		}
		if f.chars > limit {
			return f.cut(limit)
		}
		text = text[n:]
		n = leadingSpace(text)
		blank = n > 0
		text = text[n:]
	}
	return f.line
}

// leadingWord returns the length in bytes and characters of the word at the
// start of text, up to most characters.
func leadingWord(text []byte, most int) (n, chars int) {
	for ; n < len(text) && chars < most; chars++ {
		if ' ' < text[n] && text[n] < 0x7f {
			n++
			continue
		}
		r, size := utf8.DecodeRune(text[n:])
		if isBlank(r) {
			break
		}
		n += size
	}
	return n, chars
}

// leadingSpace returns the length in bytes of the white space at the start of
// text.
func leadingSpace(text []byte) (n int) {
	for n < len(text) && (text[n] <= ' ' || text[n] >= 0x7f) {
		r, size := utf8.DecodeRune(text[n:])
		if !isBlank(r) {
			break
		}
		n += size
	}
	return n
}

func isBlank(r rune) bool {
	switch {
	case r < 0x100:
		return r <= ' ' || 0x7f <= r && r <= 0xa0
	case r < 0x1680:
		return false // the next white space of Unicode is there
	}
	return unicode.IsSpace(r)
}

// cut makes room for the ellipsis in a line of more than limit characters.
func (f *normalizer) cut(limit int) []byte {
	f.long = true
	room := len(f.line)
	for ; f.chars >= limit; f.chars-- {
		_, size := utf8.DecodeLastRune(f.line[:room])
		room -= size
	}
	whole := bytes.LastIndexByte(f.line[:room+1], ' ')
	for r, _ := utf8.DecodeRune(f.line[room:]); room > 0 && unicode.Is(unicode.M, r); r, _ = utf8.DecodeRune(f.line[room:]) {
		_, size := utf8.DecodeLastRune(f.line[:room])
		room -= size
	}
	if whole < room/2 {
		whole = room
	}
	f.line = append(bytes.TrimSuffix(f.line[:whole], []byte(" ")), ellipsis...)
	return f.line
}

// maxKept is the number of strings that are interned.
const maxKept = 1 << 14

// An interner keeps one copy of strings that occur often: ids, languages,
// categories.
type interner map[string]string

func (w interner) intern(text []byte) string {
	if s, ok := w[string(text)]; ok {
		return s
	}
	if len(w) >= maxKept {
		clear(w)
	}
	s := string(text)
	w[s] = s
	return s
}

// A preference matches the languages of a file with the preferred one.
type preference struct {
	base  language.Base
	any   bool
	known map[string]bool
}

// newPreference returns a preference for a language. For an empty or invalid
// code all languages are equal.
func newPreference(code string) preference {
	base, err := language.ParseBase(code)
	return preference{base: base, any: err != nil, known: map[string]bool{}}
}

// fits reports whether a language is the preferred one. It may be written as
// "pt", "pt_BR" or "por".
func (p *preference) fits(lang string) bool {
	if p.any {
		return true
	}
	fits, ok := p.known[lang]
	if ok {
		return fits
	}
	code, _, _ := strings.Cut(strings.ReplaceAll(lang, "_", "-"), "-")
	base, err := language.ParseBase(code)
	fits = err == nil && base == p.base
	if len(p.known) >= maxKept {
		clear(p.known)
	}
	p.known[lang] = fits
	return fits
}
