package hint

import (
	"strings"
	"testing"

	"miramundo.dev/shared/catalog/fold"
)

func TestRewrite(t *testing.T) {
	for _, test := range []struct {
		q     string
		words map[string]string
		want  string
	}{
		{"globo Notícias Brasil", map[string]string{"noticias": ""}, "globo Brasil"},
		{"Globo  brasil", map[string]string{"nothing": "x"}, "Globo brasil"},
		{"brasil", map[string]string{"brasil": ""}, ""},
		{"tv-brasil news", map[string]string{"brasil": ""}, "tv news"},
		{"canal+ brasil", map[string]string{"plus": "minus"}, "canal minus brasil"},
		{"al jazira", map[string]string{"jazira": "jazeera"}, "al jazeera"},
		{`globo brasil`, map[string]string{"brasil": `"brasil"`}, `globo "brasil"`},
		{`"al jazira" news`, map[string]string{"jazira": "jazeera"}, `"al jazeera" news`},
		{`"brasil news" live`, map[string]string{"brasil": ""}, `" news" live`},
		{`"brasil" live`, map[string]string{"brasil": ""}, "live"},
		{"!!! brasil 📺", map[string]string{"brasil": ""}, "!!! 📺"},
		{"", map[string]string{"brasil": ""}, ""},
	} {
		if got := rewrite(test.q, test.words); got != test.want {
			t.Errorf("rewrite(%q, %q) = %q, want %q", test.q, test.words, got, test.want)
		}
	}
}

// FuzzRewrite checks that a removed word is gone from any query, that the others
// stay, and that as many quotation marks are open as before.
func FuzzRewrite(f *testing.F) {
	f.Add("globo Notícias Brasil", "noticias")
	f.Add(`"brasil news" live`, "brasil")
	f.Add("央视新闻 \x00\xff \u2028 📺", "央")
	f.Add(strings.Repeat("a ", 100), "a")
	f.Fuzz(func(t *testing.T, q, word string) {
		if word = fold.Words(word); word == "" || strings.Contains(word, " ") {
			return
		}
		got := rewrite(q, map[string]string{word: ""})
		for part := range strings.FieldsSeq(got) {
			for w := range strings.FieldsSeq(fold.Words(fold.Spoken(part))) {
				if w == word {
					t.Errorf("%q without %q is %q", q, word, got)
				}
			}
		}
		if (strings.Count(q, `"`)-strings.Count(got, `"`))%2 != 0 {
			t.Errorf("%q without %q is %q: a quotation mark has lost its partner", q, word, got)
		}
	})
}
