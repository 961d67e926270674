package i18n

import (
	"maps"
	"strings"
	"time"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/number"
)

// languageTags are the locales as tags of package language.
var languageTags = func() (ts [len(tags)]language.Tag) {
	for _, l := range Locales {
		ts[l] = language.MustParse(l.HTML())
	}
	return ts
}()

var printers = func() (ps [len(tags)]*message.Printer) {
	for _, l := range Locales {
		ps[l] = message.NewPrinter(languageTags[l])
	}
	return ps
}()

// Number formats n with the digits and separators of l.
func (l Locale) Number(n int) string { return printers[l].Sprint(number.Decimal(n)) }

// Decimal formats n, rounded to a tenth, with the digits and separators of l.
func (l Locale) Decimal(n float64) string {
	return printers[l].Sprint(number.Decimal(n, number.MaxFractionDigits(1)))
}

// dates are the layouts of a day.
var dates = [len(tags)]string{"02/01/2006", "2 January 2006", "02/01/2006", "02/01/2006", "02.01.2006"}

// Date formats a day given as YYYY-MM-DD. Any other text is returned unchanged.
func (l Locale) Date(day string) string {
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return day
	}
	return t.Format(dates[l])
}

// N returns the text for n things: the text of key with the plural form of n
// appended after a dot, as in "list.found.one" and "list.found.other". Its
// {n} is n formatted for l; fields are as for T, and may be nil.
func (l Locale) N(key string, n int, fields map[string]any) string {
	with := map[string]any{"n": l.Number(n)}
	maps.Copy(with, fields)
	return l.T(key+"."+l.pluralForm(n), with)
}

// pluralForm returns the plural form of n in l, "one" or "other". Our locales
// have no other form for integers.
func (l Locale) pluralForm(n int) string {
	if plural.Cardinal.MatchPlural(languageTags[l], max(n, -n), 0, 0, 0, 0) == plural.One {
		return "one"
	}
	return "other"
}

// Under returns the texts whose keys begin with prefix, by key.
func (l Locale) Under(prefix string) map[string]string {
	under := map[string]string{}
	for key, text := range messages[l] {
		if strings.HasPrefix(key, prefix) {
			under[key] = text
		}
	}
	return under
}
