package i18n

import (
	"maps"
	"strings"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/number"
)

// parsed are the locales as package language has them.
var parsed = func() (ts [len(tags)]language.Tag) {
	for _, l := range Locales {
		ts[l] = language.MustParse(l.HTML())
	}
	return ts
}()

var printers = func() (ps [len(tags)]*message.Printer) {
	for _, l := range Locales {
		ps[l] = message.NewPrinter(parsed[l])
	}
	return ps
}()

// Number returns n with the digits and separators of l.
func (l Locale) Number(n int) string { return printers[l].Sprint(number.Decimal(n)) }

// N returns the text for n things: that of key with the plural form of n after
// a dot, as in "list.found.one" and "list.found.other". Its {n} is n as l
// writes it; fields are as for T, and may be nil.
func (l Locale) N(key string, n int, fields map[string]any) string {
	with := map[string]any{"n": l.Number(n)}
	maps.Copy(with, fields)
	return l.T(key+"."+l.form(n), with)
}

// form returns the plural form of n in l: one or other. No locale of ours has
// more of them for whole numbers.
func (l Locale) form(n int) string {
	if plural.Cardinal.MatchPlural(parsed[l], max(n, -n), 0, 0, 0, 0) == plural.One {
		return "one"
	}
	return "other"
}

// Under returns the texts whose keys begin with prefix, by their keys.
func (l Locale) Under(prefix string) map[string]string {
	under := map[string]string{}
	for key, text := range messages[l] {
		if strings.HasPrefix(key, prefix) {
			under[key] = text
		}
	}
	return under
}
