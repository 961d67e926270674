package health

import (
	"cmp"
	"slices"

	"miramundo.dev/shared/social"
)

// Kinds of geo verdicts.
const (
	geoSome    = "geo"
	geoDown    = "down"
	geoOK      = "ok"
	geoUnknown = "unknown"
)

// What a channel is for someone.
const (
	blocked  = "geo_bloqueado"
	dragging = "lenta"
	unstable = "instavel"
	steady   = "boa"
	noData   = "sem_dado"
)

// maxListed bounds the lists of countries in a geo verdict.
const maxListed = 8

// A countryTally is a country with its reports.
type countryTally struct {
	country string
	tally
}

// regionsOf returns the countries by the number of their reports, descending.
func regionsOf(c *social.Counts) []countryTally {
	sums := map[string]tally{}
	for key, e := range c.Environments {
		country := social.PlaceOf(key).Country
		sums[country] = sums[country].plus(tallyOf(e.Plays, e.Fails))
	}
	regions := make([]countryTally, 0, len(sums))
	for country, t := range sums {
		regions = append(regions, countryTally{country, t})
	}
	slices.SortFunc(regions, func(a, b countryTally) int {
		return cmp.Or(cmp.Compare(b.reports(), a.reports()), cmp.Compare(a.country, b.country))
	})
	return regions
}

// of returns the tally of a country.
func of(regions []countryTally, country string) countryTally {
	if i := slices.IndexFunc(regions, func(s countryTally) bool { return s.country == country }); i >= 0 {
		return regions[i]
	}
	return countryTally{country: country}
}

func (s countryTally) region() Region {
	return Region{Country: s.country, Plays: int(s.plays), Fails: int(s.fails), Health: s.health()}
}

// yours returns the region of the caller's country, with its latency.
func yours(c *social.Counts, regions []countryTally, country string) Region {
	r := of(regions, country).region()
	r.LatencyMS, r.LatencyGrade = latencyOf(c, country)
	return r
}

// kindOf returns the kind of verdict for regions.
func kindOf(regions []countryTally) string {
	var world tally
	refused := false
	for _, s := range regions {
		world = world.plus(s.tally)
		refused = refused || s.refuses()
	}
	switch {
	case !world.measured():
		return geoUnknown
	case world.plays == 0:
		return geoDown
	case refused:
		return geoSome
	}
	return geoOK
}

// geo returns the verdict for regions, sorted as by regionsOf.
func (r Reader) geo(regions []countryTally) GeoVerdict {
	v := GeoVerdict{Kind: kindOf(regions), BlockedIn: []string{}, WorksIn: []string{}}
	for _, s := range regions {
		switch {
		case s.refuses() && len(v.BlockedIn) < maxListed:
			v.BlockedIn = append(v.BlockedIn, s.country)
		case s.plays > 0 && len(v.WorksIn) < maxListed:
			v.WorksIn = append(v.WorksIn, s.country)
		}
	}
	switch v.Kind {
	case geoSome:
		v.Label = r.Locale.T("health.geo.some", map[string]any{"blocked": r.countries(v.BlockedIn), "works": r.countries(v.WorksIn)})
	case geoDown:
		v.Label = r.Locale.T("health.geo.down", nil)
	}
	return v
}

// countries returns the names of countries.
func (r Reader) countries(codes []string) []string {
	names := make([]string, len(codes))
	for i, code := range codes {
		names[i] = r.country(code)
	}
	return names
}

// forYou returns what a channel is for a caller at p.
func forYou(c *social.Counts, regions []countryTally, p social.Place) string {
	here, country := environmentOf(c, p), of(regions, p.Country).tally
	if country.refuses() && kindOf(regions) == geoSome {
		return blocked
	}
	if !here.measured() {
		here = country
	}
	switch {
	case here.measured() && !here.isSteady():
		return unstable
	case isSlow(c.Latency[p.Country]):
		return dragging
	case here.measured():
		return steady
	}
	return noData
}
