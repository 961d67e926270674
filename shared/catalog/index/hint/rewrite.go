package hint

import (
	"strings"

	"miramundo.dev/shared/catalog/fold"
)

// rewrite returns q with words replaced, by the words as they are folded; the empty
// text removes a word. Parts of q without such a word stay as they were typed, and so
// do quotation marks, which say what is to be taken literally.
func rewrite(q string, words map[string]string) string {
	var out []string
	for part := range strings.FieldsSeq(q) {
		if part = rewritePart(part, words); part != "" {
			out = append(out, part)
		}
	}
	return strings.Join(out, " ")
}

// rewritePart is rewrite for a part between spaces.
func rewritePart(part string, words map[string]string) string {
	changed := false
	var out []string
	for word := range strings.FieldsSeq(fold.Words(fold.Spoken(part))) {
		other, ok := words[word]
		if changed = changed || ok; !ok {
			other = word
		}
		if other != "" {
			out = append(out, other)
		}
	}
	if !changed {
		return part
	}
	text := strings.Join(out, " ")
	if strings.Count(part, `"`)%2 == 0 {
		return text
	}
	if strings.HasPrefix(part, `"`) {
		return `"` + text
	}
	return text + `"`
}

// without returns the map by which rewrite removes words.
func without(words []string) map[string]string {
	removed := make(map[string]string, len(words))
	for _, w := range words {
		removed[w] = ""
	}
	return removed
}
