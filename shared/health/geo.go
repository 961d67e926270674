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

// A countryTally is a country with its reports and its voices.
type countryTally struct {
	country string
	reports tally
	tally   // the voices
}

// regionsOf returns the countries by the number of their reports, descending.
func regionsOf(c *social.Counts) []countryTally {
	sums := map[string]tally{}
	for key, e := range c.Environments {
		country := social.PlaceOf(key).Country
		sums[country] = sums[country].plus(tallyOf(social.Tally{Plays: e.Plays, Fails: e.Fails}))
	}
	regions := make([]countryTally, 0, len(sums))
	for country, t := range sums {
		regions = append(regions, countryTally{country, t, tallyOf(c.Heard.Countries[country])})
	}
	slices.SortFunc(regions, func(a, b countryTally) int {
		return cmp.Or(cmp.Compare(b.reports.sum(), a.reports.sum()), cmp.Compare(a.country, b.country))
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
	return Region{Country: s.country, Plays: int(s.reports.plays), Fails: int(s.reports.fails), Health: s.health()}
}

// yours returns the region of the caller's country, with its latency.
func yours(c *social.Counts, regions []countryTally, country string) Region {
	r := of(regions, country).region()
	r.LatencyMS, r.LatencyGrade = latencyOf(c, country)
	return r
}

// kindOf returns the kind of verdict for the world and its regions.
func kindOf(world tally, regions []countryTally) string {
	switch {
	case !world.measured():
		return geoUnknown
	case world.refuses():
		return geoDown
	case slices.ContainsFunc(regions, func(s countryTally) bool { return s.refuses() }):
		return geoSome
	}
	return geoOK
}

// geo returns the verdict for the world and its regions, sorted as by regionsOf.
func (r Reader) geo(world tally, regions []countryTally) GeoVerdict {
	v := GeoVerdict{Kind: kindOf(world, regions), BlockedIn: []string{}, WorksIn: []string{}}
	for _, s := range regions {
		switch {
		case s.refuses() && len(v.BlockedIn) < maxListed:
			v.BlockedIn = append(v.BlockedIn, s.country)
		case s.works() && len(v.WorksIn) < maxListed:
			v.WorksIn = append(v.WorksIn, s.country)
		}
	}
	switch {
	case v.Kind == geoSome && len(v.WorksIn) == 0:
		v.Label = r.Locale.T("health.geo.blocked", map[string]any{"blocked": r.countries(v.BlockedIn)})
	case v.Kind == geoSome:
		v.Label = r.Locale.T("health.geo.some", map[string]any{"blocked": r.countries(v.BlockedIn), "works": r.countries(v.WorksIn)})
	case v.Kind == geoDown:
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
func forYou(c *social.Counts, p social.Place) string {
	here, country := environmentOf(c, p), tallyOf(c.Heard.Countries[p.Country])
	if !here.measured() {
		here = country
	}
	switch {
	case country.refuses():
		return blocked
	case here.measured() && !here.isSteady():
		return unstable
	case isSlow(c.Latency[p.Country]) && !worldOf(c).refuses():
		return dragging
	case here.measured():
		return steady
	}
	return noData
}
