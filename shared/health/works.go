package health

import (
	"slices"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/rank"
	"miramundo.dev/shared/social"
)

// This file says of a channel and a country how sure it is that the channel plays there.
// Reports decide where there are enough of them, and otherwise the catalog does:
//
//	confirmed  networks of the country agreed that it plays, on a day of the last
//	           WorksFor days, and on no such day since that it fails
//	likely     they agreed on both on the last such day; or, without such a day, a probe
//	           found a stream playing that no label keeps from the country
//	fails      they agreed that it fails, and on no such day since that it plays; or,
//	           without such a day, a label keeps every stream from the country
//	unknown    nothing of that is known
//
// A day of a country is heard as everywhere in this package: MinReports networks report on
// it, and two of them agree on a result. So one network alone neither confirms nor refuses.
// The label Geo-blocked keeps a stream from the countries outside of the broadcast area. A
// probe is weaker than reports because it stands in one place, which need not be in the
// country.

// WorksFor is for how many days an agreement of networks counts, today included: as long as
// reports are counted.
const WorksFor = 30

// Facts are what is known of where a channel plays.
type Facts struct {
	Agreed map[string]social.Agreed // what networks agree on, by country
	Today  social.Date

	Country string   // of the channel, ISO 3166-1 alpha-2; empty when unknown
	Area    []string // that it broadcasts to, in catalog codes
	Streams []StreamFacts
}

// StreamFacts are what is known of a stream that is not blocked by the operator.
type StreamFacts struct {
	Online     bool // the last probe, which is not too old, found that it plays
	GeoBlocked bool // its label says that it plays in the broadcast area alone
}

// WorksIn returns how sure it is that a channel plays in a country (ISO 3166-1 alpha-2).
func WorksIn(f Facts, country string) catalog.Verdict {
	return Verdict(f.Agreed[country], f.Today, f.reach(country))
}

// reach returns what the catalog and the probes say of a country.
func (f *Facts) reach(country string) Reach {
	home := rank.InArea(f.Country, f.Area, country)
	kept := func(s StreamFacts) bool { return s.GeoBlocked && !home }
	switch {
	case slices.ContainsFunc(f.Streams, func(s StreamFacts) bool { return s.Online && !kept(s) }):
		return Open
	case len(f.Streams) > 0 && !slices.ContainsFunc(f.Streams, func(s StreamFacts) bool { return !kept(s) }):
		return Shut
	}
	return Unmeasured
}

// A Reach is what the catalog and the probes say of a channel and a country.
type Reach int

// The reaches.
const (
	Unmeasured Reach = iota // nothing
	Open                    // a stream plays that no label keeps from the country
	Shut                    // a label keeps every stream from the country
)

// Verdict is WorksIn for what is known of one country: what its networks agree on, and
// what the catalog and the probes say of it.
func Verdict(a social.Agreed, today social.Date, r Reach) catalog.Verdict {
	since := today - WorksFor // a day before the first that counts
	switch last := max(a.Played, a.Failed); {
	case last <= max(since, 0): // of no day that counts
	case a.Played == a.Failed:
		return catalog.Likely
	case a.Played == last:
		return catalog.Confirmed
	default:
		return catalog.Fails
	}
	switch r {
	case Open:
		return catalog.Likely
	case Shut:
		return catalog.Fails
	}
	return catalog.Unknown
}
