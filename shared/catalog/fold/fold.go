// Package fold reduces texts to words that compare equal when a searching
// reader takes the spellings to be the same.
//
// A text is folded into words: in lower case, without accents in scripts whose
// readers leave them out, with compatible forms (full-width, ligatures,
// superscripts) made plain and every digit an ASCII digit. Documents and
// queries are folded alike, so that a query matches the names it spells.
//
// Scripts that are written without spaces (Han, Kana, Thai and similar ones) are
// folded letter by letter: each letter, with its marks, is a word.
//
// There are two implementations. The fast one of latin.go handles letters whose
// fold depends on nothing around them, from a table; the general one of this
// file decomposes the text by Unicode's NFKD, drops marks, and composes each
// word again by NFC. The table is computed with the general one, so that the two
// cannot differ. Folding is part of the snapshot's format: documents are folded
// when a snapshot is packed, queries when they are answered.
package fold

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// MaxWord is the greatest length of a word, in bytes. The rest is cut off, in
// documents and queries alike.
const MaxWord = 64

// AppendWords appends the folded words of s to dst, with one space between
// words. The appended text is valid UTF-8, whatever s is, and folding it again
// changes nothing. It is empty when s has no letter and no digit. The memory of
// s and of dst must not overlap.
func AppendWords[T string | []byte](dst []byte, s T) []byte {
	if out, ok := AppendLatin(dst, s, ' '); ok {
		return out
	}
	return appendUnicode(dst, string(s))
}

// Words returns the folded words of s with one space between words.
func Words(s string) string { return string(AppendWords(nil, s)) }

// Joined returns the compounds of s written as one word each, with one space
// between them: for "C-SPAN", whose words are "c" and "span", it returns
// "cspan". It is empty for a text without compounds, and skips scripts that are
// written without spaces, where every text is one.
func Joined(s string) string {
	var out, buf []byte
	for field := range strings.FieldsSeq(s) {
		buf = AppendWords(buf[:0], field)
		word := strings.ReplaceAll(string(buf), " ", "")
		if len(word) == len(buf) || len(word) > MaxWord || strings.ContainsFunc(word, solitary) {
			continue
		}
		if len(out) > 0 {
			out = append(out, ' ')
		}
		out = append(out, word...)
	}
	return string(out)
}

// Spoken returns s with the signs that people say spelled as words: "Canal+" as
// "Canal plus ", "Five +1" as "Five plus 1". A sign that stands for itself is left
// as it is.
func Spoken(s string) string {
	if strings.IndexByte(s, '+') < 0 {
		return s
	}
	return string(AppendSpoken(nil, s))
}

// AppendSpoken appends to dst what Spoken returns for s.
func AppendSpoken[T string | []byte](dst []byte, s T) []byte {
	follows := false // a letter or digit; every byte beyond ASCII is taken for one
	for i := range len(s) {
		c := s[i]
		if c == '+' && (follows || i+1 < len(s) && '0' <= s[i+1] && s[i+1] <= '9') {
			dst = append(dst, " plus "...)
		} else {
			dst = append(dst, c)
		}
		follows = c >= utf8.RuneSelf || plainASCII[c] != 0
	}
	return dst
}

// writers are reused, so that texts in other scripts are folded without
// allocating.
var writers = sync.Pool{New: func() any { return new(writer) }}

// appendUnicode is AppendWords for any text.
func appendUnicode(dst []byte, s string) []byte {
	w := writers.Get().(*writer)
	defer writers.Put(w)
	w.dst, w.start = dst, len(dst)
	w.text = norm.NFKD.AppendString(w.text[:0], strings.ToValidUTF8(s, " "))
	for rest := w.text; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		w.rune(r)
		rest = rest[size:]
	}
	w.end()
	dst, w.dst = w.dst, nil
	return dst
}

// A writer assembles the words of a text.
type writer struct {
	dst   []byte
	start int    // length of dst before the first word
	text  []byte // the text, decomposed
	word  []byte // the word so far, decomposed
	base  rune   // the letter that marks belong to; 0 at the beginning of a word
	solo  bool   // the word is one letter of a script without spaces
}

// rune adds a character of the decomposed text. Any character that is not a
// letter, digit or mark ends the word.
func (w *writer) rune(r rune) {
	switch {
	case ignored(r):
	case unicode.Is(unicode.M, r):
		w.mark(r)
	case unicode.Is(unicode.Nd, r):
		w.part(r)
		w.letter(digit(r))
	case unicode.IsLetter(r) || unicode.IsNumber(r):
		w.part(r)
		r = unicode.ToLower(r)
		if s, ok := spelled[r]; ok {
			for _, r := range s {
				w.letter(r)
			}
		} else {
			w.letter(r)
		}
	default:
		w.end()
	}
}

// part ends the word before the letter r when either is a word by itself.
func (w *writer) part(r rune) {
	solo := solitary(r)
	if solo || w.solo {
		w.end()
	}
	w.solo = solo
}

func (w *writer) letter(r rune) {
	w.word = utf8.AppendRune(w.word, r)
	w.base = r
}

// mark adds a mark to the word, unless readers of the script leave it out. A
// mark without a letter is dropped, and so is an enclosing one.
func (w *writer) mark(r rune) {
	if w.base != 0 && !optionalMarks(w.base) && !unicode.Is(unicode.Me, r) {
		w.word = utf8.AppendRune(w.word, r)
	}
}

// end appends the word to dst, composed and cut to MaxWord.
func (w *writer) end() {
	if len(w.word) > 0 {
		if len(w.dst) > w.start {
			w.dst = append(w.dst, ' ')
		}
		at := len(w.dst)
		if norm.NFC.IsNormal(w.word) { // as nearly all are
			w.dst = append(w.dst, w.word...)
		} else {
			w.dst = norm.NFC.Append(w.dst, w.word...)
		}
		w.dst = w.dst[:at+cut(w.dst[at:])]
	}
	w.word, w.base, w.solo = w.word[:0], 0, false
}

// cut returns the length of word within MaxWord, at the bound of a character.
func cut(word []byte) int {
	if len(word) <= MaxWord {
		return len(word)
	}
	n := MaxWord
	for !utf8.RuneStart(word[n]) {
		n--
	}
	return n
}
