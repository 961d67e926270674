package producer

import (
	"strings"
	"testing"

	"miramundo.dev/shared/i18n"
)

// TestTexts checks that every text exists in every language, and that the template has
// a line for each question.
func TestTexts(t *testing.T) {
	seen := map[string]bool{}
	for _, l := range i18n.Locales {
		info := Of(l, Addresses{})
		for _, text := range append(info.Services, info.Title, info.Description, info.Audience, info.Requirements,
			info.Availability, info.Pricing, info.Contact.Template, info.Contact.Instructions) {
			if text == "" || strings.HasPrefix(text, "producer.") || seen[text] {
				t.Errorf("%s: the text %q is missing or that of another language", l, text)
			}
			seen[text] = true
		}
		if n := strings.Count(info.Contact.Template, "\n"); n != 4 {
			t.Errorf("%s: the template has %d line breaks, want 4", l, n)
		}
		if info.Status != "sob_consulta" || info.Activation {
			t.Errorf("%s: the status is %s, activation %v", l, info.Status, info.Activation)
		}
	}
}
