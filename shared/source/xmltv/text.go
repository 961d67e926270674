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

// repair returns text as UTF-8. A text without a character of UTF-8 beyond ASCII
// was written in windows-1252 into a file of another encoding, as files put
// together of several are; in others, the bytes that are none become U+FFFD.
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

// A folder makes one line of a text.
type folder struct {
	line  []byte
	chars int  // of line
	long  bool // it was cut
}

// fold returns text with one blank for white space and control characters that
// follow each other and none at its ends, as [source.Plain] would have it, and
// at most limit characters. What is longer ends with an ellipsis: after a whole
// word, or after part of one that takes more than half of the line, as in
// scripts that do not part words. The result is good until the next call.
func (f *folder) fold(text []byte, limit int) []byte {
	f.line, f.chars, f.long = f.line[:0], 0, false
	blank := false
	for len(text) > 0 {
		n, chars := letters(text, limit+1)
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
		n = blanks(text)
		blank = n > 0
		text = text[n:]
	}
	return f.line
}

// letters returns the length of the word that text begins with, or of its first
// characters when it has more, and how many they are.
func letters(text []byte, most int) (n, chars int) {
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

// blanks returns the length of what text begins with between words.
func blanks(text []byte) (n int) {
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

// cut makes room for the ellipsis in a line that has more than limit
// characters.
func (f *folder) cut(limit int) []byte {
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

// maxKept is how many texts are kept to be shared.
const maxKept = 1 << 14

// words are texts that come again and again: ids, languages, categories. Each
// is kept once.
type words map[string]string

func (w words) share(text []byte) string {
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

// preference knows which languages of a file are the one to prefer.
type preference struct {
	base  language.Base
	any   bool
	known map[string]bool
}

// prefer returns a preference for a language; for an empty code, or one that
// is none, each is as good as another.
func prefer(code string) preference {
	base, err := language.ParseBase(code)
	return preference{base: base, any: err != nil, known: map[string]bool{}}
}

// fits reports whether a text in a language is one to prefer. The language is
// as a file writes it: "pt", "pt_BR", "por".
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
