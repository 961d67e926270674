// Package clean makes the texts and URLs of sources safe to publish.
//
// Sources are edited by volunteers and fetched over the network, so every text
// is treated as hostile. A text is made one line of valid UTF-8 ([Text]); a URL is
// never repaired, but taken as it is or dropped ([WebURL], [ParseURL]), since a
// changed URL is another address. Fields that fail are emptied; only a record
// without a usable id, name or stream is left out.
package clean

import (
	"net/url"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"miramundo.dev/shared/catalog"
)

// Bounds of what the register holds, in bytes but for the last: far above what honest sources
// send, far below what would exhaust the memory of a reader.
const (
	MaxName = 300
	MaxText = 500
	MaxURL  = 4096
	maxList = 200 // elements of a list
)

// Text returns s as one line of valid UTF-8 without control characters and
// without bidirectional overrides, its white space collapsed, of at most limit
// bytes.
func Text(s string, limit int) string {
	if plain(s) && len(s) <= limit {
		return s
	}
	s = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, ""), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
	s = strings.TrimSpace(strings.Map(func(r rune) rune {
		if bidi(r) || r == '\uFEFF' {
			return -1
		}
		return r
	}, s))
	if len(s) > limit {
		s = strings.TrimSpace(truncate(s, limit))
	}
	return s
}

// plain reports whether Text would return s unchanged. It recognizes only ASCII
// texts, which most are, without allocating.
func plain(s string) bool {
	if s == "" || s[0] == ' ' || s[len(s)-1] == ' ' {
		return s == ""
	}
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7f || c == ' ' && s[i-1] == ' ' {
			return false
		}
	}
	return true
}

// truncate cuts s to at most limit bytes without splitting a character.
func truncate(s string, limit int) string {
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}

// bidi reports whether r is a bidirectional override or isolate, which could
// make a name look like another.
func bidi(r rune) bool {
	return r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069
}

// Texts cleans every string of list, drops empty strings and repeats, and keeps
// the order and at most maxList strings.
func Texts(list []string, limit int) []string {
	var out []string
	seen := map[string]bool{}
	for _, s := range list {
		if s = Text(s, limit); s != "" && !seen[s] && len(out) < maxList {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}

// WebURL returns s when it is an absolute http or https URL that may be shown
// as a link, and "" otherwise.
func WebURL(s string) string {
	s = strings.TrimSpace(s)
	u, ok := ParseURL(s)
	if !ok || u.Scheme != "http" && u.Scheme != "https" || u.User != nil {
		return ""
	}
	return s
}

// ParseURL parses an absolute URL with a host, of any scheme. It rejects
// characters that no origin needs and that parsers disagree about: spaces,
// control characters, backslashes, quotes and angle brackets.
func ParseURL(s string) (*url.URL, bool) {
	if s == "" || len(s) > MaxURL || !utf8.ValidString(s) {
		return nil, false
	}
	if strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || bidi(r) || r == '\\' || r == '"' || r == '<' || r == '>'
	}) {
		return nil, false
	}
	u, err := url.Parse(s)
	if err != nil || u.Hostname() == "" {
		return nil, false
	}
	u.Scheme = strings.ToLower(u.Scheme)
	return u, true
}

// Country returns a code in the form of ISO 3166-1 alpha-2, or "" when code
// cannot be one.
func Country(code string) string {
	code = catalog.CountryCode(code)
	if len(code) != 2 || code[0] < 'A' || code[0] > 'Z' || code[1] < 'A' || code[1] > 'Z' {
		return ""
	}
	return code
}

// Date parses YYYY-MM-DD, YYYY-MM or YYYY; a month or year alone is its first
// day.
func Date(s string) (time.Time, bool) {
	for _, layout := range []string{time.DateOnly, "2006-01", "2006"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// Day returns s when it is a full date and "" otherwise.
func Day(s string) string {
	if _, err := time.Parse(time.DateOnly, s); err != nil {
		return ""
	}
	return s
}

// Normal returns a URL in the form in which addresses are compared: scheme and
// host in lower case, no default port, no fragment. It does not touch path and
// query, whose meaning is the origin's. A URL that does not parse is returned
// unchanged.
func Normal(raw string) string {
	u, ok := ParseURL(raw)
	if !ok {
		return raw
	}
	u.Host = strings.ToLower(u.Host)
	if u.Scheme == "http" && u.Port() == "80" || u.Scheme == "https" && u.Port() == "443" {
		u.Host = strings.TrimSuffix(u.Host, ":"+u.Port())
	}
	u.Fragment, u.RawFragment = "", ""
	return u.String()
}
