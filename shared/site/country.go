package site

import (
	"fmt"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"

	"miramundo.dev/shared/i18n"
)

// countries leads from codes to slugs, and back, in each locale.
type countries struct {
	slugs map[string]string // by ISO 3166-1 alpha-2
	codes map[string]string // by slug
}

var atlas = sync.OnceValue(func() (all [5]countries) {
	for _, l := range i18n.Locales {
		all[l] = chart(l)
	}
	return all
})

// chart names every country that the locale has a name for.
func chart(l i18n.Locale) countries {
	c := countries{map[string]string{}, map[string]string{}}
	for a := 'A'; a <= 'Z'; a++ {
		for b := 'A'; b <= 'Z'; b++ {
			code := string(a) + string(b)
			name, ok := i18n.CountryName(code, l)
			if !ok || former(code) {
				continue
			}
			slug := Slug(name)
			if other, taken := c.codes[slug]; taken {
				panic(fmt.Sprintf("site: %s and %s are both %q in %s", other, code, slug, l)) // the first test finds it
			}
			c.slugs[code], c.codes[slug] = slug, code
		}
	}
	return c
}

// former reports whether a code stands for what another does today, as DD for
// DE.
func former(code string) bool {
	region, err := language.ParseRegion(code)
	return err != nil || region.Canonicalize() != region
}

// letters that have no base letter to fold to.
var letters = strings.NewReplacer("ø", "o", "ł", "l", "ß", "ss", "æ", "ae", "œ", "oe", "ð", "d", "đ", "d", "ı", "i")

// Slug returns a text as it stands in an address: its letters and digits in
// lower case and without accents, joined by hyphens.
func Slug(text string) string {
	var b strings.Builder
	gap := false
	for _, r := range norm.NFD.String(letters.Replace(strings.ToLower(text))) {
		switch {
		case unicode.Is(unicode.Mn, r) || r == '\'' || r == '’':
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if gap && b.Len() > 0 {
				b.WriteByte('-')
			}
			gap = false
			b.WriteRune(r)
		default:
			gap = true
		}
	}
	return b.String()
}

// CountryPath returns the path of the page of a country in a locale, by its
// ISO 3166-1 alpha-2 code; false when the locale has no name for it.
func CountryPath(l i18n.Locale, code string) (string, bool) {
	slug, ok := atlas()[l].slugs[code]
	if !ok {
		return "", false
	}
	return Country.Path(l, slug), true
}

// CountryOf returns the code of the country that a slug names in a locale, and
// whether there is one.
func CountryOf(l i18n.Locale, slug string) (string, bool) {
	code, ok := atlas()[l].codes[slug]
	return code, ok
}
