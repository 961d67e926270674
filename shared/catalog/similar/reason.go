package similar

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/i18n"
)

// A Reason says one thing that two channels have in common.
type Reason struct {
	Code   string // one of the codes below
	Text   string // for people
	People int    // who keep both; only of Kept
}

// The codes of reasons.
const (
	Kept     = "kept"     // people keep both
	Network  = "network"  // the same network
	Name     = "name"     // the names begin alike
	Category = "category" // the same category
	Genre    = "genre"    // the same genre of stations
	Tag      = "tag"      // the same tag of stations
	City     = "city"     // the same city
	Region   = "region"   // the same state or province
	Country  = "country"  // the same country, and nothing else
)

// Codes are the codes of reasons, the most important first.
var Codes = []string{Kept, Network, Name, Category, Genre, Tag, City, Region, Country}

// maxReasons is how many reasons of a channel are given.
const maxReasons = 3

// words writes reasons in a locale.
type words struct {
	names  filter.Names
	locale i18n.Locale
}

// say returns a reason with a value in its words.
func (w words) say(code, value string) Reason {
	return Reason{Code: code, Text: w.locale.T("similar."+code, map[string]any{"value": value})}
}

// label returns the name of the value of a filter, or else the value.
func (w words) label(id filter.ID, value string) string {
	if of := filter.All[id].Label; of != nil {
		if name, ok := of(w.names, value, w.locale); ok {
			return name
		}
	}
	return value
}

// spoken returns the name of a language as it stands within a sentence: in Portuguese,
// Spanish and French without a capital.
func (w words) spoken(code string) string {
	name := w.label(filter.Language, code)
	if w.locale == i18n.EN || w.locale == i18n.DE {
		return name
	}
	first, size := utf8.DecodeRuneInString(name)
	return string(unicode.ToLower(first)) + name[size:]
}

// about returns the reason for a subject that two channels share, with the language or
// else the country that they share beside it.
func (w words) about(code string, subject string, a, b *catalog.Channel) Reason {
	fields := map[string]any{"value": subject}
	country := text(a.Country)
	if language, ok := shared(b.Languages, first(a.Languages), ""); ok && (country == "" || country != text(b.Country)) {
		fields["language"] = w.spoken(language)
		return Reason{Code: code, Text: w.locale.T("similar.about_language", fields)}
	}
	if country != "" && country == text(b.Country) {
		fields["country"] = w.label(filter.Country, country)
		return Reason{Code: code, Text: w.locale.T("similar.about_country", fields)}
	}
	return Reason{Code: code, Text: w.locale.T("similar.about", fields)}
}

// reasons returns why record doc, which is the channel b, is similar.
func (r *ranking) reasons(w words, doc uint32, b *catalog.Channel) (list []Reason) {
	a := r.of
	if n := r.together[doc]; n > 0 {
		list = append(list, Reason{Kept, w.locale.N("similar.kept", n, nil), n})
	}
	if n := text(a.Network); n != "" && n == text(b.Network) {
		list = append(list, w.say(Network, n))
	}
	if r.family.has(b.Name, text(b.Country)) {
		list = append(list, w.say(Name, r.family.shown))
	}
	if id, ok := shared(first(a.Categories), b.Categories, general); ok {
		list = append(list, w.about(Category, w.label(filter.Category, id), a, b))
	}
	list = append(list, stationReasons(w, a, b)...)
	if city := text(a.City); city != "" && city == text(b.City) {
		list = append(list, w.say(City, w.label(filter.City, city)))
	} else if part := text(a.Subdivision); part != "" && part == text(b.Subdivision) {
		list = append(list, w.say(Region, w.label(filter.Subdivision, part)))
	}
	if country := text(a.Country); len(list) == 0 && country == text(b.Country) {
		list = append(list, w.say(Country, w.label(filter.Country, country)))
	}
	return list[:min(len(list), maxReasons)]
}

// stationReasons returns the genre or else the tag that two stations share.
func stationReasons(w words, a, b *catalog.Channel) []Reason {
	if a.Radio == nil || b.Radio == nil {
		return nil
	}
	for _, g := range a.Radio.Genres[:min(len(a.Radio.Genres), maxTraits)] {
		if slices.Contains(b.Radio.Genres, g) {
			return []Reason{w.about(Genre, g.Name, a, b)}
		}
	}
	if len(a.Radio.Genres) > 0 {
		return nil
	}
	if tag, ok := shared(first(a.Radio.Tags), b.Radio.Tags, ""); ok {
		return []Reason{w.about(Tag, tag, a, b)}
	}
	return nil
}

// shared returns the first value of a that b has too, one other than last if there is
// any.
func shared(a, b []string, last string) (value string, ok bool) {
	for _, v := range a {
		if v != "" && slices.Contains(b, v) {
			if v != last {
				return v, true
			}
			value, ok = v, true
		}
	}
	return value, ok
}
