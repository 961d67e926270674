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
func AppendWords(dst []byte, s string) []byte {
	if isASCII(s) {
		return appendASCII(dst, s)
	}
	return appendUnicode(dst, s)
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

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// asciiWord holds what each ASCII byte becomes: 0 for those that part words.
var asciiWord = func() (t [utf8.RuneSelf]byte) {
	for c := range t {
		switch {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
			t[c] = byte(c)
		case 'A' <= c && c <= 'Z':
			t[c] = byte(c) + 'a' - 'A'
		}
	}
	return t
}()

func appendASCII(dst []byte, s string) []byte {
	start, word := len(dst), 0 // bytes of the word so far
	for i := range len(s) {
		c := asciiWord[s[i]]
		switch {
		case c == 0:
			word = 0
		case word == MaxWord:
		default:
			if word == 0 && len(dst) > start {
				dst = append(dst, ' ')
			}
			dst = append(dst, c)
			word++
		}
	}
	return dst
}

func appendUnicode(dst []byte, s string) []byte {
	w := writer{dst: dst, start: len(dst)}
	for _, r := range norm.NFKD.String(strings.ToValidUTF8(s, " ")) {
		w.rune(r)
	}
	w.end()
	return w.dst
}

// A writer assembles the words of a decomposed text.
type writer struct {
	dst   []byte
	start int    // of what it adds to dst
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
		w.letter(r, string(digit(r)))
	case unicode.IsLetter(r) || unicode.IsNumber(r):
		w.letter(r, plain(r))
	default:
		w.end()
	}
}

func (w *writer) letter(r rune, folded string) {
	solo := solitary(r)
	if solo || w.solo {
		w.end()
	}
	w.base, _ = utf8.DecodeLastRuneInString(folded)
	w.solo = solo
	w.word = append(w.word, folded...)
}

func (w *writer) mark(r rune) {
	if w.base != 0 && !optionalMarks(w.base) && !unicode.Is(unicode.Me, r) {
		w.word = utf8.AppendRune(w.word, r)
	}
}

func (w *writer) end() {
	word := norm.NFC.Bytes(w.word)
	word = word[:cut(word)]
	if len(word) > 0 {
		if len(w.dst) > w.start {
			w.dst = append(w.dst, ' ')
		}
		w.dst = append(w.dst, word...)
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
