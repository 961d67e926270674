package search

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/docset"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/fold"
	"miramundo.dev/shared/catalog/genre"
	"miramundo.dev/shared/catalog/index/layout"
	"miramundo.dev/shared/catalog/snapshot"
)

// A facetCache keeps the facet lists that were asked for: of each kind, and
// for those with names of each locale.
type facetCache struct {
	mu sync.Mutex
	by map[facetKey]any
}

type facetKey struct {
	list         string
	kind, locale int
}

// cached returns what make returned the first time for key.
func cached[T any](c *facetCache, key facetKey, make func() []T) []T {
	c.mu.Lock()
	defer c.mu.Unlock()
	if list, ok := c.by[key].([]T); ok {
		return list
	}
	if c.by == nil {
		c.by = map[facetKey]any{}
	}
	list := make()
	c.by[key] = list
	return list
}

// kindOf returns the number of the kind that a selection names: TV also when it
// names none.
func kindOf(kind string) int {
	switch kind {
	case filter.Radio:
		return kindRadio
	case filter.Any:
		return kindAll
	}
	return kindTV
}

// countedValues returns, for each value of a filter that playable records of a kind
// have, what of makes of it and its count.
func countedValues[T any](e *Engine, id filter.ID, kind int, of func(text string, count int) T) []T {
	out := []T{}
	base := e.unfiltered[kind][1].Bits
	c := &e.ix.Postings[id]
	for i, value := range c.Values {
		n := 0
		for _, doc := range c.List(i) {
			if base.Has(doc) {
				n++
			}
		}
		if n > 0 {
			out = append(out, of(e.ix.Text(value), n))
		}
	}
	return out
}

// byText orders by a text as people do: by its folded words.
func byText[T any](list []T, text func(*T) string) {
	keys := make(map[string]string, len(list))
	for i := range list {
		t := text(&list[i])
		keys[t] = fold.Words(t)
	}
	slices.SortFunc(list, func(a, b T) int {
		x, y := text(&a), text(&b)
		return cmp.Or(strings.Compare(keys[x], keys[y]), strings.Compare(x, y))
	})
}

// Countries returns the countries of playable channels, by their names in the
// locale. Kind is as in [Query]. The caller must not change what the facet
// lists return.
func (e *Engine) Countries(kind string, locale int) []catalog.CountryFacet {
	locale = layout.SupportedLocale(locale)
	return cached(&e.facets, facetKey{"countries", kindOf(kind), locale}, func() []catalog.CountryFacet {
		out := countedValues(e, filter.Country, kindOf(kind), func(code string, n int) catalog.CountryFacet {
			return catalog.CountryFacet{Code: code, Name: layout.Label(e.ix.Vocabulary.Countries, code, locale), Count: n, Flag: e.links.Flag(code)}
		})
		byText(out, func(f *catalog.CountryFacet) string { return f.Name })
		return out
	})
}

// Languages returns the languages of playable channels, by their names in the
// locale.
func (e *Engine) Languages(kind string, locale int) []catalog.LanguageFacet {
	locale = layout.SupportedLocale(locale)
	return cached(&e.facets, facetKey{"languages", kindOf(kind), locale}, func() []catalog.LanguageFacet {
		out := countedValues(e, filter.Language, kindOf(kind), func(code string, n int) catalog.LanguageFacet {
			return catalog.LanguageFacet{Code: code, Name: layout.Label(e.ix.Vocabulary.Languages, code, locale), Count: n}
		})
		byText(out, func(f *catalog.LanguageFacet) string { return f.Name })
		return out
	})
}

// Networks returns the networks of playable channels, the largest first.
func (e *Engine) Networks(kind string) []catalog.NetworkFacet {
	return cached(&e.facets, facetKey{"networks", kindOf(kind), 0}, func() []catalog.NetworkFacet {
		out := countedValues(e, filter.Network, kindOf(kind), func(name string, n int) catalog.NetworkFacet {
			return catalog.NetworkFacet{Name: name, Count: n}
		})
		slices.SortFunc(out, func(a, b catalog.NetworkFacet) int {
			return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Name, b.Name))
		})
		return out
	})
}

// Qualities returns the qualities of playable streams, the most frequent
// first: those that sources declare, and of stations the codecs and bitrates.
func (e *Engine) Qualities(kind string) []catalog.QualityFacet {
	return cached(&e.facets, facetKey{"qualities", kindOf(kind), 0}, func() []catalog.QualityFacet {
		out := []catalog.QualityFacet{}
		for value, n := range e.countQualities(e.unfiltered[kindOf(kind)][1].Bits) {
			if id := e.ix.Text(value); id != "" {
				out = append(out, catalog.QualityFacet{ID: id, Name: qualityName(id), Count: n})
			}
		}
		slices.SortFunc(out, func(a, b catalog.QualityFacet) int {
			return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.ID, b.ID))
		})
		return out
	})
}

// countQualities counts the usable streams of records by quality. A stream of
// a station has the codec and bitrate of its station besides.
func (e *Engine) countQualities(records docset.Bits) map[uint32]int {
	ix, counts := e.ix, map[uint32]int{}
	for _, doc := range records.Append(nil) {
		start, end := ix.Streams.Of(doc)
		for i := start; i < end; i++ {
			if !e.now.Usable(i) {
				continue
			}
			counts[ix.Streams.TraitsOf(i)[snapshot.TraitQuality]]++
			if ix.Radio.Has(doc) {
				sound := ix.Sounds.Row(ix.Stations.Sound[ix.Rows[doc].Station])
				counts[sound[snapshot.SoundCodec]]++
				counts[sound[snapshot.SoundRate]]++
			}
		}
	}
	return counts
}

// qualityName returns how people write a quality: of a bitrate its unit.
func qualityName(id string) string {
	if n, ok := strings.CutSuffix(id, "k"); ok && n != "" && strings.Trim(n, "0123456789") == "" {
		return n + " kbps"
	}
	return id
}

// Tags returns the tags of playable stations, of one country when it is not
// empty: the limit most frequent, those first.
func (e *Engine) Tags(country string, limit int) []catalog.TagFacet {
	var list []catalog.TagFacet
	if country == "" {
		list = cached(&e.facets, facetKey{"tags", kindRadio, 0}, func() []catalog.TagFacet {
			return sortTags(countedValues(e, filter.Tag, kindRadio, func(tag string, n int) catalog.TagFacet {
				return catalog.TagFacet{ID: tag, Name: tag, Count: n}
			}))
		})
	} else {
		list = e.countryTags(country)
	}
	return list[:min(len(list), max(limit, 0))]
}

func (e *Engine) countryTags(country string) []catalog.TagFacet {
	counts := map[uint32]int{}
	for _, doc := range e.stationsOf(country) {
		for _, tag := range distinct(e.ix.Lists.At(e.ix.Stations.TagList[e.ix.Rows[doc].Station])) {
			counts[tag]++
		}
	}
	out := []catalog.TagFacet{}
	for tag, n := range counts {
		if id := e.ix.Text(tag); id != "" {
			out = append(out, catalog.TagFacet{ID: id, Name: id, Count: n})
		}
	}
	return sortTags(out)
}

// Genres returns the genres of playable stations by their names in the locale,
// of one country when it is not empty: the most frequent first.
func (e *Engine) Genres(country string, locale int) []catalog.GenreFacet {
	locale = layout.SupportedLocale(locale)
	if country != "" {
		return e.genres(e.stationsOf(country), locale)
	}
	return cached(&e.facets, facetKey{"genres", kindRadio, locale}, func() []catalog.GenreFacet {
		return e.genres(e.unfiltered[kindRadio][1].Append(nil), locale)
	})
}

// stationsOf returns the playable stations of a country.
func (e *Engine) stationsOf(country string) []uint32 {
	value, ok := e.ix.ValueNumber(country)
	if !ok {
		return nil
	}
	some, _ := e.ix.Postings[filter.Country].Set(value)
	return docset.KeepBits(nil, some.List, e.unfiltered[kindRadio][1].Bits)
}

// genres counts the genres of stations.
func (e *Engine) genres(stations []uint32, locale int) []catalog.GenreFacet {
	counts := make([]int, len(genre.All()))
	for _, doc := range stations {
		for number := range e.ix.GenresOf(doc).Numbers() {
			counts[number]++
		}
	}
	out := []catalog.GenreFacet{}
	for number, n := range counts {
		if g := genre.All()[number]; n > 0 {
			out = append(out, catalog.GenreFacet{ID: g.ID, Name: g.Name[locale], Count: n})
		}
	}
	slices.SortStableFunc(out, func(a, b catalog.GenreFacet) int { return cmp.Compare(b.Count, a.Count) })
	return out
}

func distinct(list []uint32) []uint32 { return slices.Compact(slices.Sorted(slices.Values(list))) }

func sortTags(list []catalog.TagFacet) []catalog.TagFacet {
	slices.SortFunc(list, func(a, b catalog.TagFacet) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.ID, b.ID))
	})
	return list
}

// Categories returns the whole vocabulary of categories, by id.
func (e *Engine) Categories(locale int) []catalog.CategoryFacet {
	locale = layout.SupportedLocale(locale)
	return cached(&e.facets, facetKey{"categories", 0, locale}, func() []catalog.CategoryFacet {
		out := []catalog.CategoryFacet{}
		for _, k := range e.ix.Categories {
			out = append(out, catalog.CategoryFacet{
				ID: k.ID, Name: k.Name[locale], Description: catalog.TextOrNil(k.Description[locale]), Icon: catalog.TextOrNil(k.Icon),
			})
		}
		return out
	})
}

// Subdivisions returns the states and provinces of playable channels, of one
// country when it is not empty, by country and name.
func (e *Engine) Subdivisions(country, kind string) []catalog.SubdivisionFacet {
	all := cached(&e.facets, facetKey{"subdivisions", kindOf(kind), 0}, func() []catalog.SubdivisionFacet {
		known := map[string]catalog.Subdivision{}
		for _, s := range e.ix.Vocabulary.SubdivisionList() {
			known[s.Code] = s
		}
		out := countedValues(e, filter.Subdivision, kindOf(kind), func(code string, n int) catalog.SubdivisionFacet {
			s := known[code]
			return catalog.SubdivisionFacet{Code: code, Country: cmp.Or(s.Country, countryPart(code, "-")), Name: cmp.Or(s.Name, code), Count: n}
		})
		byText(out, func(f *catalog.SubdivisionFacet) string { return f.Country + " " + f.Name + " " + f.Code })
		return out
	})
	return slices.DeleteFunc(slices.Clone(all), func(f catalog.SubdivisionFacet) bool { return country != "" && f.Country != country })
}

// Cities returns the cities of playable channels, of one country and of one
// subdivision when they are not empty, by country and name.
func (e *Engine) Cities(country, subdivision, kind string) []catalog.CityFacet {
	all := cached(&e.facets, facetKey{"cities", kindOf(kind), 0}, func() []catalog.CityFacet {
		known := map[string]catalog.City{}
		for _, c := range e.ix.Vocabulary.CityList() {
			known[c.Code] = c
		}
		out := countedValues(e, filter.City, kindOf(kind), func(code string, n int) catalog.CityFacet {
			c := known[code]
			return catalog.CityFacet{Code: code, Country: c.Country, Subdivision: catalog.TextOrNil(c.Subdivision), Name: cmp.Or(c.Name, code), Count: n}
		})
		byText(out, func(f *catalog.CityFacet) string { return f.Country + " " + f.Name + " " + f.Code })
		return out
	})
	return slices.DeleteFunc(slices.Clone(all), func(f catalog.CityFacet) bool {
		return country != "" && f.Country != country || subdivision != "" && (f.Subdivision == nil || *f.Subdivision != subdivision)
	})
}

// countryPart returns the country of a code that begins with it.
func countryPart(code, sep string) string {
	country, _, ok := strings.Cut(code, sep)
	if !ok {
		return ""
	}
	return country
}
