// Package filter is the table of the filters by which callers select channels.
//
// Each filter is declared here and nowhere else, as a field of [Selection], whose
// tags are its parameter (name, meaning, bounds and default), and as a row of
// [All], which says how its text is normalized, which records match, to which
// kinds of channels it applies, where its values are listed and how they are
// shown to people. The rest is derived:
//
//   - Endpoints embed a Selection, so that decoding, OpenAPI and tools follow.
//   - Package layout keeps, for each filter that selects by value, which
//     records have each value; package search walks the table to intersect them.
//   - The search page repeats the selection by [Selection.AppendJSON].
//   - The addresses of a search's feeds and of the pages' links come from
//     [Selection.Pairs].
//   - The facet lists take their routes from [Facet].
//
// To add a filter, add the field, the row, the case in Text, Flag or Number, the
// member of catalog.Filters and, for a filter by value, its column in package
// layout. The tests of each derived place walk the table and fail without it.
package filter

import (
	"slices"
	"strconv"
	"strings"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/genre"
	"miramundo.dev/shared/i18n"
)

// A Selection is what a caller selects channels by: one field for each filter,
// in the order in which documents list the parameters. The zero value selects
// TV channels whether or not they play, by name.
type Selection struct {
	Q           string `query:"q" maxLength:"200" description:"Beginnings of words of a channel's name or of its other names."`
	Country     string `query:"country" maxLength:"32" description:"ISO 3166-1 alpha-2."`
	Category    string `query:"category" maxLength:"64" description:"Catalog category id."`
	Language    string `query:"language" maxLength:"32" description:"ISO 639-3 code; ISO 639-1 and 639-2 codes are accepted."`
	Network     string `query:"network" maxLength:"300" description:"Exact network name."`
	Quality     string `query:"quality" maxLength:"32" description:"Exact stream quality, such as 1080p; for stations also a codec or a bitrate, such as 128k."`
	Guide       bool   `query:"guide" default:"0" description:"1 keeps only channels that have a programme guide."`
	Subdivision string `query:"subdivision" maxLength:"32" description:"Catalog code of a state or province."`
	City        string `query:"city" maxLength:"32" description:"Catalog code of a city."`
	Playable    bool   `query:"playable" default:"1" description:"0 also includes channels without a usable stream."`
	Sort        string `query:"sort" default:"name" enum:"name,score,votes,relevance,popular,works,distance" description:"name is alphabetical; score is best measured health first, then best known; votes is most votes first, which only stations have; popular is best known first, those of the caller's country before others; distance is the nearest first and needs near, and of those that are equally far to a tenth of a kilometre the best known first; works is what plays most surely in the country of works_in, or else in the caller's country: confirmed, likely, unknown, fails; relevance is what q probably means first: it tolerates misspelled words, and understands words for a country, a language, a category, a city or a genre as such, except in quotation marks."`
	Online      bool   `query:"online" default:"0" description:"1 keeps only channels that were seen online in the 48 hours before the last reload."`
	Kind        string `query:"kind" default:"tv" enum:"tv,radio,all" description:"Kind of channel; radio stations are included only by radio and all."`
	Tag         string `query:"tag" maxLength:"64" description:"Tag of radio stations; it needs kind radio or all."`
	Genre       string `query:"genre" maxLength:"32" description:"Genre id of radio stations; it needs kind radio or all."`
	WorksIn     string `query:"works_in" pattern:"^([A-Za-z]{2})?$" description:"ISO 3166-1 alpha-2; keeps only channels that play in that country, as far as is known: confirmed by networks of the country in the last 30 days, or likely because a probe found a stream playing that no label keeps from the country. What is not known does not count as playing. Each item then has the member works_in, which says how sure it is."`
	Near        string `query:"near" maxLength:"48" pattern:"^(-?(90(\\.0{1,15})?|[0-8]?\\d(\\.\\d{1,15})?), ?-?(180(\\.0{1,15})?|(1[0-7]\\d|\\d{1,2})(\\.\\d{1,15})?))?$" description:"Latitude and longitude in decimal degrees, separated by a comma, such as 38.72,-9.14; keeps only what is within radius of that place. It is rounded to three decimals, about 100 metres. Only radio stations have coordinates, and not all of them, so it needs kind radio or all. Each item then has the member distance_km; the order stays that of sort, whose value distance puts the nearest first."`
	Radius      int    `query:"radius" default:"50" minimum:"1" maximum:"500" description:"Greatest distance from near, in whole kilometres. Without near it changes nothing."`
}

// The kinds of channels that a selection may ask for.
const (
	TV    = "tv"
	Radio = "radio"
	Any   = "all"
)

// Orders that the search treats apart.
const (
	ByRelevance  = "relevance"
	ByPopularity = "popular"
	BySureness   = "works"
	ByDistance   = "distance"
)

// Kinds are the kinds, in the order in which pages offer them.
var Kinds = []string{TV, Radio, Any}

// An ID is the number of a filter: its row of [All].
type ID int

// The filters, in the order in which answers and addresses have them.
const (
	Words ID = iota
	Country
	Category
	Language
	Network
	Quality
	Subdivision
	City
	Tag
	Guide
	Playable
	Sort
	Online
	Kind
	Genre
	WorksIn
	Near
	Radius

	Count // how many filters there are
)

// A Match is how a filter selects records.
type Match int

// The ways in which filters select.
const (
	ByWords   Match = iota + 1 // every word of the text must begin a word of a name
	ByValue                    // the record must have the text among its Values
	ByFlag                     // when the flag is set, the record must be of a set that is kept ready
	ByCountry                  // the record must play in a country, as the query says of each record
	ByBase                     // chooses the set of all records that a search starts from
	ByPlace                    // the record must be within a radius of a place
	ByNone                     // selects nothing by itself: it orders what the others select, or is the radius of a place
)

// A Filter is a row of the table.
type Filter struct {
	Name  string // of the parameter, in every address and answer
	Match Match

	// Values returns the values by which a record is found; only of ByValue.
	Values func(*catalog.Record) []string

	// Normalize returns the form in which the catalog has a text that a caller
	// wrote; nil leaves it as it is.
	Normalize func(text string) string

	// Kinds are the kinds of channels to which the filter applies; nil is all.
	Kinds []string

	// PerKind says that the values of one kind mean nothing to another.
	PerKind bool

	// Label returns the name of a value; false when it has none. Nil is for
	// values that people read as they are.
	Label func(n Names, value string, l i18n.Locale) (string, bool)

	// Chosen is what message keys call a flag that differs from its default.
	Chosen string

	// Facet is the list of its values; nil for a filter without a list.
	Facet *Facet

	initial string // its value when a request lacks it, as addresses write it
	member  string // the beginning of its member in JSON
}

// A Facet is a list of the values of a filter.
type Facet struct {
	Name         string // what the list is called, in its route and in the name of its endpoint
	Summary, Doc string // of its endpoint
	By           []ID   // the filters that narrow the list
}

// Path returns the route of the list.
func (f *Facet) Path() string { return catalog.IndexPath + f.Name }

// Operation returns the name of the endpoint that gets the list.
func (f *Facet) Operation() string { return "list_" + f.Name }

// Names provide the names of what the catalog has codes for, false for a code
// that it does not name.
type Names interface {
	CategoryName(id string, locale int) (string, bool)
	LanguageName(code string, locale int) (string, bool)
	PlaceName(code string) (string, bool)
}

// All is the table of the filters.
var All = complete([Count]Filter{
	Words: {Name: "q", Match: ByWords, Normalize: strings.TrimSpace},
	Country: {
		Name: "country", Match: ByValue, Normalize: catalog.CountryCode,
		Values: func(r *catalog.Record) []string { return one(r.Country) },
		Label:  countryName,
		Facet: &Facet{
			"countries", "List the countries",
			"Returns every country that has channels, with its name, its flag and its number of playable channels. The codes are values of the filter country.",
			[]ID{Kind},
		},
	},
	Category: {
		Name: "category", Match: ByValue, Kinds: []string{TV, Any},
		Values: func(r *catalog.Record) []string { return r.Categories },
		Label:  categoryName,
		Facet: &Facet{
			"categories", "List the categories",
			"Returns the whole vocabulary of categories, with names and descriptions but without counts: a search counts its matches by category. The ids are values of the filter category.",
			nil,
		},
	},
	Language: {
		Name: "language", Match: ByValue, Normalize: languageCode,
		Values: func(r *catalog.Record) []string { return r.Languages },
		Label:  languageName,
		Facet: &Facet{
			"languages", "List the languages",
			"Returns every language that channels have, with its name and its number of playable channels. The codes are values of the filter language.",
			[]ID{Kind},
		},
	},
	Network: {
		Name: "network", Match: ByValue,
		Values: func(r *catalog.Record) []string { return one(r.Network) },
		Facet: &Facet{
			"networks", "List the networks",
			"Returns every network or broadcaster, with its number of playable channels. The names are values of the filter network.",
			[]ID{Kind},
		},
	},
	Quality: {
		Name: "quality", Match: ByValue, PerKind: true, Values: qualities,
		Facet: &Facet{
			"qualities", "List the stream qualities",
			"Returns the resolutions of TV streams, or the codecs and bitrates of radio streams, with the number of streams of each. The ids are values of the filter quality.",
			[]ID{Kind},
		},
	},
	Subdivision: {
		Name: "subdivision", Match: ByValue,
		Values: func(r *catalog.Record) []string { return one(r.Subdivision) },
		Label:  placeName,
		Facet: &Facet{
			"subdivisions", "List the states and provinces",
			"Returns the states and provinces that have channels, of one country or of all, with their numbers of playable channels. The codes are values of the filter subdivision.",
			[]ID{Country, Kind},
		},
	},
	City: {
		Name: "city", Match: ByValue,
		Values: func(r *catalog.Record) []string { return one(r.City) },
		Label:  placeName,
		Facet: &Facet{
			"cities", "List the cities",
			"Returns the cities that have channels, of one country or subdivision or of all, with their numbers of playable channels. The codes are values of the filter city.",
			[]ID{Country, Subdivision, Kind},
		},
	},
	Tag: {
		Name: "tag", Match: ByValue, Normalize: strings.ToLower, Kinds: []string{Radio},
		Values: func(r *catalog.Record) []string {
			if r.Radio == nil {
				return nil
			}
			return r.Radio.Tags
		},
		Facet: &Facet{
			"tags", "List the radio tags",
			"Returns the most used tags of radio stations, worldwide or in one country, with the number of playable stations of each. The ids are values of the filter tag, which needs kind=radio or kind=all.",
			[]ID{Country},
		},
	},
	Guide:    {Name: "guide", Match: ByFlag, Chosen: "guide"},
	Playable: {Name: "playable", Match: ByBase, Chosen: "unplayable"},
	Sort:     {Name: "sort", Match: ByNone},
	Online:   {Name: "online", Match: ByFlag, Chosen: "online"},
	Kind:     {Name: "kind", Match: ByBase, Label: kindName},
	WorksIn:  {Name: "works_in", Match: ByCountry, Normalize: catalog.CountryCode, Label: countryName},
	Near:     {Name: "near", Match: ByPlace, Normalize: roundPlace, Kinds: []string{Radio}},
	Radius:   {Name: "radius", Match: ByNone},
	Genre: {
		Name: "genre", Match: ByValue, Kinds: []string{Radio},
		Values: func(r *catalog.Record) []string {
			if r.Radio == nil {
				return nil
			}
			return genre.Of(r.Radio.Tags)
		},
		Label: func(_ Names, id string, l i18n.Locale) (string, bool) { return genre.Label(id, l) },
		Facet: &Facet{
			"genres", "List the radio genres",
			"Returns the genres of radio stations, most stations first, worldwide or in one country, with their names and their numbers of playable stations. Genres are derived from the tags that sources give. The ids are values of the filter genre, which needs kind=radio or kind=all.",
			[]ID{Country},
		},
	},
})

// IDs returns the filters that select in a way, in the order of the table.
func IDs(m Match) (ids []ID) {
	for id := range Count {
		if All[id].Match == m {
			ids = append(ids, id)
		}
	}
	return ids
}

// AppliesTo reports whether channels of a kind can match the filter.
func (f *Filter) AppliesTo(kind string) bool {
	return f.Kinds == nil || slices.Contains(f.Kinds, kind)
}

// ChosenValue returns the value of a flag that differs from its default, as an
// address writes it.
func (f *Filter) ChosenValue() string {
	if f.initial == "1" {
		return "0"
	}
	return "1"
}

// Text returns the field of a filter that is a text; nil for any other filter.
func (s *Selection) Text(id ID) *string {
	switch id {
	case Words:
		return &s.Q
	case Country:
		return &s.Country
	case Category:
		return &s.Category
	case Language:
		return &s.Language
	case Network:
		return &s.Network
	case Quality:
		return &s.Quality
	case Subdivision:
		return &s.Subdivision
	case City:
		return &s.City
	case Tag:
		return &s.Tag
	case Sort:
		return &s.Sort
	case Kind:
		return &s.Kind
	case Genre:
		return &s.Genre
	case WorksIn:
		return &s.WorksIn
	case Near:
		return &s.Near
	}
	return nil
}

// Number returns the field of a filter that is a whole number, 0 for none; nil for any
// other filter.
func (s *Selection) Number(id ID) *int {
	if id == Radius {
		return &s.Radius
	}
	return nil
}

// Flag returns the field of a filter that is a flag; nil for any other filter.
func (s *Selection) Flag(id ID) *bool {
	switch id {
	case Guide:
		return &s.Guide
	case Playable:
		return &s.Playable
	case Online:
		return &s.Online
	}
	return nil
}

func one(value string) []string {
	if value == "" {
		return nil
	}
	return []string{value}
}

// qualities returns the qualities of the streams of r and, of a station, its
// codec and its bitrate.
func qualities(r *catalog.Record) (all []string) {
	for i := range r.Streams {
		if q := r.Streams[i].Quality; q != "" {
			all = append(all, q)
		}
	}
	if r.Radio != nil && r.Radio.Codec != nil {
		all = append(all, *r.Radio.Codec)
	}
	if r.Radio != nil && r.Radio.Bitrate != nil {
		all = append(all, strconv.Itoa(*r.Radio.Bitrate)+"k")
	}
	return all
}

// languageCode returns the ISO 639-3 code of a language that is named by any
// code of ISO 639; any other text is returned unchanged.
func languageCode(text string) string {
	if code, ok := i18n.LanguageCode(text); ok {
		return code
	}
	return text
}

func countryName(_ Names, code string, l i18n.Locale) (string, bool) {
	return i18n.CountryName(code, l)
}

func categoryName(n Names, id string, l i18n.Locale) (string, bool) {
	return n.CategoryName(id, int(l))
}

// languageName prefers the name in the catalog, which also names languages that
// i18n does not.
func languageName(n Names, code string, l i18n.Locale) (string, bool) {
	if name, ok := n.LanguageName(code, int(l)); ok {
		return name, true
	}
	return i18n.LanguageName(code, l)
}

func kindName(_ Names, kind string, l i18n.Locale) (string, bool) {
	key := "kind." + kind
	return l.T(key, nil), i18n.Has(key)
}

func placeName(n Names, code string, _ i18n.Locale) (string, bool) { return n.PlaceName(code) }
