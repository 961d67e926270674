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

// countries maps the countries of a locale to slugs, and back.
type countries struct {
	slugs map[string]string // by ISO 3166-1 alpha-2
	codes map[string]string // by slug
}

var countriesByLocale = sync.OnceValue(func() (all [5]countries) {
	for _, l := range i18n.Locales {
		all[l] = newCountries(l)
	}
	return all
})

// newCountries returns all countries that have a name in a locale. It panics
// when two have one slug, a mistake that any test finds.
func newCountries(l i18n.Locale) countries {
	c := countries{map[string]string{}, map[string]string{}}
	for a := 'A'; a <= 'Z'; a++ {
		for b := 'A'; b <= 'Z'; b++ {
			code := string(a) + string(b)
			name, ok := i18n.CountryName(code, l)
			if !ok || isFormerCode(code) {
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

// isFormerCode reports whether a code was replaced by another, as DD by DE.
func isFormerCode(code string) bool {
	region, err := language.ParseRegion(code)
	return err != nil || region.Canonicalize() != region
}

// foldLetters replaces letters that Unicode does not decompose to a base
// letter.
var foldLetters = strings.NewReplacer("ø", "o", "ł", "l", "ß", "ss", "æ", "ae", "œ", "oe", "ð", "d", "đ", "d", "ı", "i")

// Slug returns text for use in a path: letters and digits in lower case and
// without accents, words joined by hyphens.
func Slug(text string) string {
	var b strings.Builder
	gap := false
	for _, r := range norm.NFD.String(foldLetters.Replace(strings.ToLower(text))) {
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

// CountryPath returns the path of the page of a country (ISO 3166-1 alpha-2)
// in a locale, and whether the locale has a name for it.
func CountryPath(l i18n.Locale, code string) (string, bool) {
	slug, ok := countriesByLocale()[l].slugs[code]
	if !ok {
		return "", false
	}
	return Country.Path(l, slug), true
}

// CountryOf returns the code of the country with a slug in a locale, and
// whether there is one.
func CountryOf(l i18n.Locale, slug string) (string, bool) {
	code, ok := countriesByLocale()[l].codes[slug]
	return code, ok
}

// CountryNumbers returns the codes of countries, ISO 3166-1 alpha-2, by their numbers of
// three digits, by which maps name them.
func CountryNumbers() map[string]string {
	codes := map[string]string{}
	for n := range 1000 {
		region, err := language.EncodeM49(n)
		if err == nil && region.IsCountry() && region.Canonicalize() == region && len(region.String()) == 2 {
			codes[fmt.Sprintf("%03d", n)] = region.String()
		}
	}
	return codes
}
