package markup

import (
	"bytes"
	"encoding/xml"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxReference is the greatest length of a reference, in bytes.
const maxReference = 64

// Unescape appends text to dst with its character references replaced:
// numeric ones and those of XML and HTML, since files use the latter although
// XML does not define them. All others stay, and so does a lone "&"; in
// particular, entities that the file declares are never expanded.
func Unescape(dst, text []byte) []byte {
	for {
		i := bytes.IndexByte(text, '&')
		if i < 0 {
			return append(dst, text...)
		}
		dst, text = append(dst, text[:i]...), text[i:]
		chars, n := reference(text)
		if n == 0 {
			chars, n = "&", 1
		}
		dst, text = append(dst, chars...), text[n:]
	}
}

// reference returns the characters of the reference at the start of text and
// its length in bytes, or 0 when there is none.
func reference(text []byte) (chars string, n int) {
	end := bytes.IndexByte(text[:min(len(text), maxReference)], ';')
	if end < 2 {
		return "", 0
	}
	name := text[1:end]
	if name[0] != '#' {
		chars = entity(name)
	} else {
		chars = numbered(string(name[1:]))
	}
	if chars == "" {
		return "", 0
	}
	return chars, end + 1
}

// entity returns the characters of a named reference, or nothing.
func entity(name []byte) string {
	switch string(name) {
	case "amp":
		return "&"
	case "lt":
		return "<"
	case "gt":
		return ">"
	case "quot":
		return `"`
	case "apos":
		return "'"
	}
	return xml.HTMLEntity[string(name)]
}

// numbered returns the character of a numeric reference, hexadecimal after an
// "x". An invalid character becomes U+FFFD; text that is not a number returns
// nothing.
func numbered(number string) string {
	base := 10
	if hex, ok := strings.CutPrefix(number, "x"); ok {
		number, base = hex, 16
	}
	n, err := strconv.ParseUint(number, base, 32)
	if err != nil || n > unicode.MaxRune {
		return ""
	}
	return string(rune(n))
}

// Whole returns text without a character or reference that is truncated at
// its end.
func Whole(text []byte) []byte {
	tail := max(len(text)-maxReference, 0)
	if i := bytes.LastIndexByte(text[tail:], '&'); i >= 0 && bytes.IndexByte(text[tail+i:], ';') < 0 {
		return text[:tail+i]
	}
	for i := len(text) - 1; i >= 0 && i > len(text)-utf8.UTFMax; i-- {
		if utf8.RuneStart(text[i]) && !utf8.FullRune(text[i:]) {
			return text[:i]
		}
	}
	return text
}
