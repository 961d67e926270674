// Package fold knows when two spellings are the same to a person who searches.
//
// A text is folded into words: in lower case, without the accents of scripts
// where accents are optional to a reader, with compatible forms (full-width,
// ligatures, superscripts) made plain and every digit an ASCII digit. Documents
// and queries are folded alike, so that a query finds what it names.
//
// Scripts that are written without spaces (Han, Kana, Thai and their like) are
// folded letter by letter: each letter, with its marks, is a word.
package fold

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// MaxWord is how many bytes of a word count. What follows is cut off, in
// documents and queries alike.
const MaxWord = 64

// AppendWords adds the folded words of s to dst, with one space between words.
// What it adds is valid UTF-8, whatever s is, and folding it again changes
// nothing. It is empty when s has no letter and no digit.
func AppendWords[T string | []byte](dst []byte, s T) []byte {
	if out, ok := AppendLatin(dst, s, ' '); ok {
		return out
	}
	return appendUnicode(dst, string(s))
}

// Words returns the folded words of s with one space between words.
func Words(s string) string { return string(AppendWords(nil, s)) }

// Joined returns the words by which compounds of s are also known, with one
// space between them: for "C-SPAN", whose words are "c" and "span", it is
// "cspan".
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

// writers spares texts that are not plain Latin memory of their own.
var writers = sync.Pool{New: func() any { return new(writer) }}

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
	start int    // of what it adds to dst
	text  []byte // decomposed
	word  []byte // the word so far, decomposed
	base  rune   // the letter that marks belong to; 0 when there is none
	solo  bool   // the word is one letter of a script without spaces
}

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

// part ends the word before the letter r when one of both stands alone.
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

func (w *writer) mark(r rune) {
	if w.base != 0 && !optionalMarks(w.base) && !unicode.Is(unicode.Me, r) {
		w.word = utf8.AppendRune(w.word, r)
	}
}

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

// cut returns how many bytes of word count.
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
