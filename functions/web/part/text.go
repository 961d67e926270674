package part

import "strings"

// Truncated returns a text, or its first characters and an ellipsis when it has more
// than most of them.
func Truncated(text string, most int) string {
	n := 0
	for i := range text {
		if n++; n > most {
			return strings.TrimSpace(text[:i]) + "…"
		}
	}
	return text
}
