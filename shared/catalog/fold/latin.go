package fold

import (
	"slices"
	"unicode/utf8"
)

// latinEnd is the first letter after those of the Latin alphabets of Europe.
const latinEnd = 0x250

// latin holds the fold of each character below latinEnd: ASCII letters and
// digits, or nothing for one that separates words. notLatin marks the characters
// that need the general implementation: their fold is not ASCII, or depends on
// the letters around them, or they vanish without separating words. Both tables
// are computed when the process starts.
var latin, notLatin = func() (folds [latinEnd]string, not [latinEnd]bool) {
	for r := range rune(latinEnd) {
		folds[r] = string(appendUnicode(nil, string(r)))
		joins := string(appendUnicode(nil, "a"+string(r)+"a"))
		not[r] = joins != "a"+folds[r]+"a" && joins != "a a" || !ascii(folds[r]) || folds[r] == "" && joins == "aa"
	}
	return folds, not
}()

// plainASCII is latin for ASCII, with 0 for characters that separate words.
var plainASCII = func() (t [utf8.RuneSelf]byte) {
	for c := range t {
		if latin[c] != "" {
			t[c] = latin[c][0]
		}
	}
	return t
}()

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// decode returns the character of s at i when it is below latinEnd, and a
// character above latinEnd otherwise. It works on both type parameters without
// a conversion, unlike utf8.DecodeRune.
func decode[T string | []byte](s T, i int) (r rune, size int) {
	c := s[i]
	if c < utf8.RuneSelf {
		return rune(c), 1
	}
	if c >= 0xC2 && c <= 0xC9 && i+1 < len(s) && s[i+1]&0xC0 == 0x80 { // two bytes
		return rune(c&0x1F)<<6 | rune(s[i+1]&0x3F), 2
	}
	return utf8.MaxRune, 1
}

// AppendLatin appends the folded words of s to dst, with sep between words, when
// s consists of plain Latin letters. It reports false, and returns dst, for any
// other text, for which AppendWords takes longer.
func AppendLatin[T string | []byte](dst []byte, s T, sep byte) (out []byte, ok bool) {
	out = slices.Grow(dst, len(s))
	if n := foldASCII(out[len(dst):cap(out)], s, sep); n >= 0 {
		return out[:len(dst)+n], true
	}
	word := 0 // bytes of the word so far
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			i++
			switch c = plainASCII[c]; {
			case c == 0:
				word = 0
			case word < MaxWord:
				if word == 0 && len(out) > len(dst) {
					out = append(out, sep)
				}
				word++
				out = append(out, c)
			}
			continue
		}
		r, size := decode(s, i)
		if r >= latinEnd || notLatin[r] {
			return dst, false
		}
		i += size
		f := latin[r]
		if f == "" {
			word = 0
			continue
		}
		if word == 0 && len(out) > len(dst) {
			out = append(out, sep)
		}
		f = f[:min(len(f), MaxWord-word)]
		word += len(f)
		out = append(out, f...)
	}
	return out, true
}

// foldASCII is AppendLatin for a short ASCII text, as most names are: within
// MaxWord no word needs cutting. It writes to buf, which must be as long as s,
// and returns the number of bytes, or -1 for a text that is too long or not
// ASCII.
func foldASCII[T string | []byte](buf []byte, s T, sep byte) int {
	if len(s) > MaxWord {
		return -1
	}
	n, parted := 0, true // whether the next letter begins a word
	for i := range len(s) {
		c := s[i]
		if c >= utf8.RuneSelf {
			return -1
		}
		if c = plainASCII[c]; c != 0 {
			buf[n], parted = c, false
			n++
		} else if !parted {
			buf[n], parted = sep, true
			n++
		}
	}
	if parted && n > 0 {
		n-- // no word follows the last separator
	}
	return n
}
