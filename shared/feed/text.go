package feed

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Players parse M3U loosely and differently, and the format has no escapes.
// The functions here clean a text so that no known player misreads it.

// line returns text as one line: line breaks and control characters become
// spaces, runs of spaces become one, and invalid UTF-8 and marks that change
// the text direction are removed.
func line(text string) string {
	if isLine(text) {
		return text
	}
	text = strings.Map(func(r rune) rune {
		switch {
		case isStripped(r):
			return -1
		case isBlank(r):
			return ' '
		}
		return r
	}, text)
	return strings.Join(strings.Fields(text), " ")
}

// isLine reports whether line would return text unchanged, as for most texts.
func isLine(text string) bool {
	last := ' '
	for _, r := range text {
		if r == ' ' && last == ' ' || r != ' ' && (isStripped(r) || isBlank(r)) {
			return false
		}
		last = r
	}
	return text == "" || last != ' '
}

// isSimple reports whether text is a line that needs no escaping in XML, as
// most programmes do not. It looks at each byte once; guides have a hundred
// million.
func isSimple(text string) bool {
	for i := 0; i < len(text); i++ {
		switch classes[text[i]] {
		case plainByte:
		case spaceByte:
			if i == 0 || i == len(text)-1 || text[i-1] == ' ' {
				return false
			}
		case wideByte:
			r, size := utf8.DecodeRuneInString(text[i:])
			if isStripped(r) || isBlank(r) || r == '\ufffe' || r == '\uffff' {
				return false
			}
			i += size - 1
		default:
			return false
		}
	}
	return text != ""
}

// The classes of bytes in a simple text.
const (
	otherByte = iota // that it may not hold
	plainByte        // of ASCII
	spaceByte
	wideByte // of a character beyond
)

// classes are those of all bytes.
var classes = func() (all [256]uint8) {
	for c := range all {
		switch {
		case c == ' ':
			all[c] = spaceByte
		case c >= utf8.RuneSelf:
			all[c] = wideByte
		case c > ' ' && c <= '~' && !strings.ContainsRune(`&<>"'`, rune(c)):
			all[c] = plainByte
		}
	}
	return all
}()

// isStripped reports whether r is removed from a line: a byte order mark, a
// noncharacter, or an embedding, override or isolate of text direction.
func isStripped(r rune) bool {
	return r == utf8.RuneError || r == '\ufeff' || '\u202a' <= r && r <= '\u202e' || '\u2066' <= r && r <= '\u2069'
}

// isBlank reports whether r separates words or lines.
func isBlank(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) }

// attribute returns text as the value of an M3U attribute or as a title.
// Players cut at a quote; VLC, Jellyfin and Hypnotix at a comma. Kodi takes a
// name followed by "=" for an attribute anywhere in the line.
func attribute(text string) string {
	return line(attributes.Replace(text))
}

var attributes = strings.NewReplacer(`,`, ` `, `"`, `'`, `=`, ` = `)

// title returns text as a title. VLC takes the part before " - " for an
// artist.
func title(text string) string {
	text = attribute(text)
	for strings.Contains(text, " - ") {
		text = strings.ReplaceAll(text, " - ", " – ")
	}
	return text
}

// displayTitle returns a title for the end of its line. Jellyfin takes a
// leading number and space for the channel number, so that space becomes a
// no-break space.
func displayTitle(title string) string {
	digits := len(title) - len(strings.TrimLeft(title, "0123456789"))
	if digits > 0 && strings.HasPrefix(title[digits:], " ") {
		return title[:digits] + "\u00a0" + title[digits+1:]
	}
	return title
}

// group returns text as the name of a group. Kodi cuts at ";", tvheadend at
// "|".
func group(text string) string { return attribute(groups.Replace(text)) }

var groups = strings.NewReplacer(`;`, ` `, `|`, ` `)

// escapeURL percent-encodes the bytes of a URL that players take for its end,
// for the end of its attribute, or for the beginning of headers.
func escapeURL(s string) string {
	from := firstUnsafe(s)
	if from == len(s) {
		return s
	}
	const digits = "0123456789ABCDEF"
	b := make([]byte, from, len(s)+16)
	copy(b, s)
	for _, c := range []byte(s[from:]) {
		if unsafe[c] {
			b = append(b, '%', digits[c>>4], digits[c&15])
		} else {
			b = append(b, c)
		}
	}
	return string(b)
}

// firstUnsafe returns where the first byte is that must be encoded in a URL, or the
// length of s.
func firstUnsafe(s string) int {
	for i := range len(s) {
		if unsafe[s[i]] {
			return i
		}
	}
	return len(s)
}

// unsafe are the bytes that must be encoded in a URL.
var unsafe = func() (all [256]bool) {
	for c := range all {
		all[c] = c <= ' ' || c >= 0x7f || strings.IndexByte("\",|<>`{}^\\", byte(c)) >= 0
	}
	return all
}()
