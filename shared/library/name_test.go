package library

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"golang.org/x/text/unicode/norm"
)

const (
	family  = "👨‍👩‍👧‍👦"                                                                // 25 bytes, one character
	england = "\U0001F3F4\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F" // 28 bytes, one character
)

func TestCleanName(t *testing.T) {
	for _, test := range []struct{ name, in, want, reason string }{
		{"plain", "News", "News", ""},
		{"trimmed", " \u00a0 News\u3000", "News", ""},
		{"composed", "Notı\u0301cias e\u0301", "Notı\u0301cias é", ""},
		{"inner blanks stay", "a  b", "a  b", ""},
		{"40 letters", strings.Repeat("x", 40), strings.Repeat("x", 40), ""},
		{"41 letters", strings.Repeat("x", 41), "", "too_long"},
		{"40 decomposed letters", strings.Repeat("e\u0301", 40), strings.Repeat("é", 40), ""},
		{"40 flags of emoji", strings.Repeat(england, 40), strings.Repeat(england, 40), ""},
		{"41 flags of emoji", strings.Repeat(england, 41), "", "too_long"},
		{"40 families", strings.Repeat(family, 40), strings.Repeat(family, 40), ""},
		{"40 flags of letters", strings.Repeat("🇧🇷", 40), strings.Repeat("🇧🇷", 40), ""},
		{"41 flags of letters", strings.Repeat("🇧🇷", 41), "", "too_long"},
		{"a family", family, family, ""},
		{"one character of 2 kB", "x" + strings.Repeat("\u0332", 1000), "", "too_long"},
		{"a megabyte", strings.Repeat("x", 1<<20), "", "too_long"},
		{"Arabic with a mark of direction", "أخبار\u200f", "أخبار\u200f", ""},
		{"Persian with a non-joiner", "می\u200cخواهم", "می\u200cخواهم", ""},
		{"Devanagari", "समाचार", "समाचार", ""},
		{"Han", "日本のテレビ", "日本のテレビ", ""},
		{"slashes and quotes", `a/b "c" <d>`, `a/b "c" <d>`, ""},
		{"empty", "", "", "empty"},
		{"blank", " \t\n ", "", "empty"},
		{"zero width", "\u200b\u200b\ufeff", "", "empty"},
		{"joiners alone", "a"[:0] + "\u200d\u200d", "", "empty"},
		{"a mark alone", "\u0301", "", "empty"},
		{"fillers", "\u3164\u2800", "", "empty"},
		{"line break", "a\nb", "", "control"},
		{"NUL", "a\x00b", "", "control"},
		{"C1", "a\u0085b", "", "control"},
		{"line separator", "a\u2028b", "", "control"},
		{"override", "a\u202eb", "", "control"},
		{"isolate", "\u2066a\u2069", "", "control"},
		{"no UTF-8", "a\xffb", "", "encoding"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := CleanName(test.in)
			if test.reason == "" && (err != nil || got != test.want) {
				t.Errorf("CleanName(%+q) = %+q, %v, want %+q", test.in, got, err, test.want)
			}
			if test.reason != "" && reasonOf(err) != test.reason {
				t.Errorf("CleanName(%.80q) = %v, want reason %s", test.in, err, test.reason)
			}
		})
	}
}

// reasonOf returns the reason of an ErrName; "" for any other error.
func reasonOf(err error) string {
	if !errors.Is(err, ErrName) {
		return ""
	}
	return fieldOf(err, "reason")
}

func TestSlug(t *testing.T) {
	for name, want := range map[string]string{
		"Notícias do Dia":       "noticias-do-dia",
		"A/B & C..":             "a-b-c",
		"  24 Horas":            "24-horas",
		"../../etc":             "etc",
		"Новости":               "новости",
		"日本":                    "日-本",
		"⚽":                     slugOf("⚽"),
		"%2e%2e?x=1#y":          "2e-2e-x-1-y",
		"News\u200fأخبار":       slugOf("News\u200fأخبار"),
		"Straße":                "strasse",
		strings.ToUpper("é"):    "e",
		strings.Repeat("ﷺ", 40): strings.Repeat("صلي-الله-عليه-وسلم", 4) + "صلي-الله-عليه",
	} {
		got := slugOf(name)
		if got != want || got == "" || strings.ContainsAny(got, "/?#%. ") || slugOf(name) != got {
			t.Errorf("slugOf(%q) = %q, want %q", name, got, want)
		}
	}
	if slugOf("⚽") == slugOf("🏀") {
		t.Error("two names without words have one slug")
	}
	taken := map[string]bool{"tv": true, "tv-2": true}
	if got := freeSlug("TV", func(s string) bool { return taken[s] }); got != "tv-3" {
		t.Errorf("freeSlug = %q, want tv-3", got)
	}
}

func TestFitName(t *testing.T) {
	for in, want := range map[string]string{
		"News":                       "News",
		" a\r\nb\t c ":               "a b c",
		"\u202eevil\u2066":           "evil",
		"":                           DefaultGroup,
		"\x00\n\u200b":               DefaultGroup,
		"a\xffb":                     "ab",
		strings.Repeat("x", 100):     strings.Repeat("x", 40),
		strings.Repeat("🇧🇷", 100):    strings.Repeat("🇧🇷", 40),
		strings.Repeat(england, 100): strings.Repeat(england, 40),
	} {
		if got := FitName(in); got != want {
			t.Errorf("FitName(%.40q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzName(f *testing.F) {
	for _, s := range []string{"News", " a\u0301 ", family, england, "\u202e", "a\xff", strings.Repeat("\ufb1d", 60), "\u1100\u1161\u11a8"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		fit := FitName(s)
		again, err := CleanName(fit)
		if err != nil || again != fit {
			t.Fatalf("FitName(%q) = %q, of which CleanName makes %q, %v", s, fit, again, err)
		}
		name, err := CleanName(s)
		if err != nil {
			return
		}
		if again, err := CleanName(name); err != nil || again != name {
			t.Fatalf("CleanName(%q) = %q, %v the second time", name, again, err)
		}
		if !utf8.ValidString(name) || !norm.NFC.IsNormalString(name) || uniseg.GraphemeClusterCount(name) > MaxName || len(name) > maxNameBytes {
			t.Fatalf("CleanName(%q) = %q", s, name)
		}
		if slug := slugOf(name); slug == "" || len(slug) > maxSlug || !utf8.ValidString(slug) || strings.ContainsAny(slug, "/ ?#") {
			t.Fatalf("slugOf(%q) = %q", name, slug)
		}
	})
}
