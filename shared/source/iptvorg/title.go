package iptvorg

import (
	"slices"
	"strings"

	"miramundo.dev/shared/source"
)

// parseTitle parses a title with what follows it: the picture height in
// parentheses, then labels in brackets.
//
//	Canal Exemplo (720p) [Geo-blocked] [Not 24/7]
//
// Brackets before the height belong to the title, unless they have a
// well-known label. The height may also be followed by other words.
func parseTitle(s *source.Stream, text string) {
	text = strings.TrimSpace(text)
	text = labels(s, text, func(string) bool { return true })
	text, s.Quality = cutQuality(text)
	text = labels(s, text, isKnown)
	slices.Reverse(s.Labels)
	s.Title = strings.TrimSpace(text)
}

// labels cuts from the end of a title the labels for which want returns true.
func labels(s *source.Stream, text string, want func(string) bool) string {
	for {
		head, label, ok := cutLabel(text)
		if !ok || !want(label) {
			return text
		}
		s.Labels = append(s.Labels, label)
		text = head
	}
}

// isKnown reports whether label is one that lists use by the hundred. These
// are recognized without their closing bracket too.
func isKnown(label string) bool { return label == "Geo-blocked" || label == "Not 24/7" }

// cutLabel cuts a label from the end of a title. It tolerates extra and
// missing brackets and underscores, which occur in real lists. A label must
// not be the whole title.
func cutLabel(text string) (head, label string, ok bool) {
	inner := strings.TrimRight(text, "]")
	start := strings.LastIndexByte(inner, '[')
	if start < 0 {
		return text, "", false
	}
	head = strings.TrimRight(inner[:start], "[ ")
	label = strings.Trim(inner[start+1:], "_ ")
	closed := len(inner) < len(text)
	if head == "" || label == "" || strings.Contains(label, "]") || !closed && !isKnown(label) {
		return text, "", false
	}
	return head, label, true
}

// cutQuality cuts the last height such as "(1080i)" from a title.
func cutQuality(text string) (rest, quality string) {
	for start := strings.LastIndexByte(text, '('); start >= 0; start = strings.LastIndexByte(text[:start], '(') {
		end := min(start+1+maxQuality, len(text))
		quality, _, closed := strings.Cut(text[start+1:end], ")")
		if closed && isQuality(quality) {
			return strings.TrimRight(text[:start], " ") + text[start+len(quality)+2:], quality
		}
	}
	return text, ""
}

// maxQuality is the length of a height with its closing parenthesis.
const maxQuality = len("99999p)")

// isQuality reports whether s is a number of at most five digits and "p" or "i".
func isQuality(s string) bool {
	digits := strings.TrimRight(s, "pi")
	return len(digits) == len(s)-1 && len(digits) > 0 && len(digits) <= 5 && strings.Trim(digits, "0123456789") == ""
}
