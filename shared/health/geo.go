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

// maxListed bounds the lists of a geo verdict.
const maxListed = 8

// A slice is a country with its reports.
type slice struct {
	country string
	tally
}

// regionsOf returns the reports of each country, most first.
func regionsOf(c *social.Counts) []slice {
	sums := map[string]tally{}
	for key, e := range c.Environments {
		country := social.PlaceOf(key).Country
		sums[country] = sums[country].plus(tallyOf(e.Plays, e.Fails))
	}
	regions := make([]slice, 0, len(sums))
	for country, t := range sums {
		regions = append(regions, slice{country, t})
	}
	slices.SortFunc(regions, func(a, b slice) int {
		return cmp.Or(cmp.Compare(b.reports(), a.reports()), cmp.Compare(a.country, b.country))
	})
	return regions
}

// of returns the one of regions that is a country.
func of(regions []slice, country string) slice {
	if i := slices.IndexFunc(regions, func(s slice) bool { return s.country == country }); i >= 0 {
		return regions[i]
	}
	return slice{country: country}
}

func (s slice) region() Region {
	return Region{Country: s.country, Plays: int(s.plays), Fails: int(s.fails), Health: s.health()}
}

// yours returns the region of a country, with its latency.
func yours(c *social.Counts, regions []slice, country string) Region {
	r := of(regions, country).region()
	r.LatencyMS, r.LatencyGrade = latencyOf(c, country)
	return r
}

// kindOf returns the kind of verdict that regions give.
func kindOf(regions []slice) string {
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

// geo returns the verdict that regions, which are in order, give.
func (r Reader) geo(regions []slice) GeoVerdict {
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

// countries names countries.
func (r Reader) countries(codes []string) []string {
	names := make([]string, len(codes))
	for i, code := range codes {
		names[i] = r.country(code)
	}
	return names
}

// forYou returns what a channel is for someone at p.
func forYou(c *social.Counts, regions []slice, p social.Place) string {
	here, country := environmentOf(c, p), of(regions, p.Country).tally
	if country.refuses() && kindOf(regions) == geoSome {
		return blocked
	}
	if !here.measured() {
		here = country
	}
	switch {
	case here.measured() && !here.works():
		return unstable
	case drags(c.Latency[p.Country]):
		return dragging
	case here.measured():
		return steady
	}
	return noData
}
