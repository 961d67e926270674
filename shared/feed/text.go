package feed

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// line returns text in one line: what breaks lines or has no shape becomes a
// space, runs of spaces become one, and what is no UTF-8 or turns the direction
// of what follows goes.
func line(text string) string {
	if isLine(text) {
		return text
	}
	text = strings.Map(func(r rune) rune {
		switch {
		case gone(r):
			return -1
		case blank(r):
			return ' '
		}
		return r
	}, text)
	return strings.Join(strings.Fields(text), " ")
}

// isLine reports whether line would leave text as it is, as most are.
func isLine(text string) bool {
	last := ' '
	for _, r := range text {
		if r == ' ' && last == ' ' || r != ' ' && (gone(r) || blank(r)) {
			return false
		}
		last = r
	}
	return text == "" || last != ' '
}

// isSimple reports whether text is a line that XML takes as it is, as most
// programmes are. It is one look at each byte, where guides have a hundred
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
			if gone(r) || blank(r) || r == '\ufffe' || r == '\uffff' {
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

// gone reports whether r has no place in a line: a mark of bytes, what is no
// letter at all, and embeddings, overrides and isolates of direction.
func gone(r rune) bool {
	return r == utf8.RuneError || r == '\ufeff' || '\u202a' <= r && r <= '\u202e' || '\u2066' <= r && r <= '\u2069'
}

// blank reports whether r parts words or breaks lines.
func blank(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) }

// attribute returns text as the value of an attribute or as a title in M3U.
// Readers cut at a quote; VLC, Jellyfin and Hypnotix at a comma. A name and "="
// would be an attribute to Kodi, wherever it stands in the line.
func attribute(text string) string {
	return line(attributes.Replace(text))
}

var attributes = strings.NewReplacer(`,`, ` `, `"`, `'`, `=`, ` = `)

// title returns text as a title: VLC takes what is before " - " for an artist.
func title(text string) string {
	text = attribute(text)
	for strings.Contains(text, " - ") {
		text = strings.ReplaceAll(text, " - ", " – ")
	}
	return text
}

// shown returns a title as it stands at the end of its line. Jellyfin takes a
// number and a space at its beginning for the number of the channel, so that
// the space is one that does not break.
func shown(title string) string {
	digits := len(title) - len(strings.TrimLeft(title, "0123456789"))
	if digits > 0 && strings.HasPrefix(title[digits:], " ") {
		return title[:digits] + "\u00a0" + title[digits+1:]
	}
	return title
}

// group returns text as the name of a group: Kodi cuts at ";", tvheadend at
// "|".
func group(text string) string { return attribute(groups.Replace(text)) }

var groups = strings.NewReplacer(`;`, ` `, `|`, ` `)

// escapeURL returns an address with every byte escaped that readers take for
// its end, for the end of its attribute or for the beginning of headers.
func escapeURL(s string) string {
	if !strings.ContainsFunc(s, unsafe) {
		return s
	}
	const digits = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; unsafe(rune(c)) {
			b.Write([]byte{'%', digits[c>>4], digits[c&15]})
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// unsafe reports whether r may not stand in an address. Bytes of more than
// ASCII are none by themselves.
func unsafe(r rune) bool { return r <= ' ' || r >= 0x7f || strings.ContainsRune("\",|<>`{}^\\", r) }
