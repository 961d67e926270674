package i18n

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

var (
	languageNamers = namers(display.Languages)
	regionNamers   = namers(display.Regions)
)

func namers(open func(language.Tag) display.Namer) (ns [len(tags)]display.Namer) {
	for _, l := range Locales {
		ns[l] = open(language.MustParse(l.HTML()))
	}
	return ns
}

// LanguageName returns the name of a language (ISO 639) in a locale,
// capitalized, and whether the locale has one.
func LanguageName(code string, l Locale) (string, bool) {
	if key := "language." + code; Has(key) {
		return l.T(key, nil), true // the tables confuse it with another language
	}
	base, err := language.ParseBase(code)
	if err != nil || base.String() == "und" {
		return "", false
	}
	tag, err := language.Raw.Compose(base)
	if err != nil {
		return "", false
	}
	return capital(languageNamers[l].Name(tag))
}

// ShortCode returns the shortest code of a language, as BCP 47 requires in language tags:
// that of ISO 639-1, or of ISO 639-3 for a language without one. It returns an unknown code
// as it is.
func ShortCode(code string) string {
	if base, err := language.ParseBase(code); err == nil {
		return base.String()
	}
	return code
}

// CountryName returns the name of a country (ISO 3166-1 alpha-2) in a locale,
// and whether the locale has one.
func CountryName(alpha2 string, l Locale) (string, bool) {
	if key := "country." + alpha2; Has(key) {
		return l.T(key, nil), true // the tables have an older name
	}
	region, err := language.ParseRegion(alpha2)
	if err != nil || len(alpha2) != 2 || !region.IsCountry() || region.String() != alpha2 {
		return "", false
	}
	return capital(regionNamers[l].Name(region))
}

// capital returns name with its first letter in upper case, and false when
// name is empty.
func capital(name string) (string, bool) {
	r, size := utf8.DecodeRuneInString(name)
	if size == 0 {
		return "", false
	}
	return string(unicode.ToUpper(r)) + name[size:], true
}

// bibliographic maps the ISO 639-2/B codes that differ from ISO 639-3 to the
// latter.
var bibliographic = map[string]string{
	"alb": "sqi", "arm": "hye", "baq": "eus", "bur": "mya", "chi": "zho",
	"cze": "ces", "dut": "nld", "fre": "fra", "geo": "kat", "ger": "deu",
	"gre": "ell", "ice": "isl", "mac": "mkd", "mao": "mri", "may": "msa",
	"per": "fas", "rum": "ron", "slo": "slk", "tib": "bod", "wel": "cym",
}

// LanguageCode returns the ISO 639-3 code of a language, given by a code of
// ISO 639-1, 639-2/B, 639-2/T or 639-3 or by its English name, in any case.
// It returns false for anything else.
func LanguageCode(s string) (string, bool) {
	if len(s) > 64 {
		return "", false
	}
	s = strings.ToLower(strings.TrimSpace(s))
	if code, ok := bibliographic[s]; ok {
		return code, true
	}
	if len(s) == 2 || len(s) == 3 {
		base, err := language.ParseBase(s)
		if err != nil || s == "und" {
			return "", false
		}
		if code := base.ISO3(); len(s) == 2 || code == s {
			return code, len(code) == 3
		}
		return s, true // valid, but package language prefers another code
	}
	code, ok := englishNames()[s]
	return code, ok
}

// englishNames maps English names in lower case to codes.
var englishNames = sync.OnceValue(func() map[string]string {
	names := map[string]string{"norwegian": "nor"}
	english := display.English.Languages()
	for _, base := range display.Supported.BaseLanguages() {
		if tag, err := language.Raw.Compose(base); err == nil {
			name := strings.ToLower(english.Name(tag))
			// Of several codes with one name, the shorter is the usual one.
			if name != "" && (names[name] == "" || len(base.String()) == 2) {
				names[name] = base.ISO3()
			}
		}
	}
	return names
})

// RegionName returns the name of a part of the world, by its number of the United
// Nations, such as 150 for Europe, in a locale, and whether the locale has one.
func RegionName(number string, l Locale) (string, bool) {
	region, err := language.ParseRegion(number)
	if err != nil || region.IsCountry() {
		return "", false
	}
	return capital(regionNamers[l].Name(region))
}
