package build

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/build/clean"
	"miramundo.dev/shared/catalog/build/region"
	"miramundo.dev/shared/catalog/fold"
	"miramundo.dev/shared/source"
)

// A station that is in the register several times is shown as one of its
// entries, the survivor: its id, name and country. The ids of the others become
// aliases of it, their names its other names, their streams further streams of
// it; their tags and languages are united with its own, and what it lacks
// (country, place, site, logo) is filled in. Votes and clicks are the most that
// one of them has, since the same people vote for several.
//
// The survivor is the entry with the most points, of which the weights below
// give the greatest possible number. They are ordered by what a wrong choice
// costs: an entry that does not play, then one of another country or under a
// name that few use. To be the survivor already is worth less than a name that
// most voters use, so that an id stays while its entry is still a fair choice.

const (
	weightPlays    = 10.0 // its source found it working
	weightCountry  = 3.0  // its site and the servers' names are of its country
	weightName     = 2.0  // share of the votes for entries of its name
	weightAddress  = 1.0  // its site or stream names it
	weightVotes    = 1.0  // logarithm of its votes, relative to the most
	weightEarlier  = 0.8  // it was the survivor in the earlier register
	weightComplete = 0.5  // share of the fields that it has
)

// maxAltNames bounds the other names of one station, those with the most votes
// first: the search indexes them all, and anyone may enter a station a thousand
// times.
const maxAltNames = 20

// mergeStations returns the radio stations of ds, each once, and the aliases of
// the ids that were folded. Prev is the earlier register, or nil.
func mergeStations(ds *source.Dataset, prev *catalog.Register, rep *Report) (records []catalog.Record, merged map[string]string) {
	entries := entriesOf(ds.Stations, region.NewIndex(ds.Subdivisions, ds.Cities), rep)
	c := chooser{entries: entries, homes: homesOf(entries), earlier: shownStations(prev)}
	stations := foldEntries(entries)
	merged = make(map[string]string, len(entries)-len(stations))
	records = make([]catalog.Record, 0, len(stations))
	for _, members := range stations {
		best := c.survivor(members)
		r := c.unite(best, members)
		for _, i := range members {
			if i != best {
				merged[entries[i].ID] = r.ID
			}
		}
		records = append(records, r)
	}
	rep.LeftOut["station_"+reasonDuplicate] = len(merged)
	return records, merged
}

// shownStations returns the ids of the stations of a register.
func shownStations(reg *catalog.Register) map[string]bool {
	ids := map[string]bool{}
	if reg != nil {
		for i := range reg.Records {
			if reg.Records[i].Kind == catalog.Station {
				ids[reg.Records[i].ID] = true
			}
		}
	}
	return ids
}

// A chooser chooses the survivors among entries.
type chooser struct {
	entries []*entry
	homes   map[string]map[string]int // entries by site and country
	earlier map[string]bool           // ids of survivors
}

// homesOf counts the entries of each site by country.
func homesOf(entries []*entry) map[string]map[string]int {
	homes := map[string]map[string]int{}
	for _, e := range entries {
		if e.site == "" || e.Country == "" {
			continue
		}
		if homes[e.site] == nil {
			homes[e.site] = map[string]int{}
		}
		homes[e.site][e.Country]++
	}
	return homes
}

// survivor returns the member with the most points, the first of several.
func (c *chooser) survivor(members []int) int {
	if len(members) == 1 {
		return members[0]
	}
	votes, most := map[string]int{}, 0
	total := 0
	for _, i := range members {
		e := c.entries[i]
		votes[e.words] += e.Radio.Votes + 1
		total += e.Radio.Votes + 1
		most = max(most, e.Radio.Votes)
	}
	best, points := members[0], -1.0
	for _, i := range members {
		e := c.entries[i]
		p := c.own(e) + weightName*float64(votes[e.words])/float64(total)
		if most > 0 {
			p += weightVotes * math.Log1p(float64(e.Radio.Votes)) / math.Log1p(float64(most))
		}
		if p > points {
			best, points = i, p
		}
	}
	return best
}

// own returns the points of e that do not depend on the other members.
func (c *chooser) own(e *entry) float64 {
	points := weightComplete*completeness(&e.Record) + weightCountry*c.atHome(e)
	if e.Streams[0].Playable {
		points += weightPlays
	}
	if c.earlier[e.ID] {
		points += weightEarlier
	}
	if name := e.name(); name.In(e.Website) || name.In(e.Streams[0].URL) {
		points += weightAddress
	}
	return points
}

// completeness returns the share of the optional fields that r has.
func completeness(r *catalog.Record) float64 {
	has := 0
	for _, ok := range [...]bool{r.Website != "", r.LogoSource != "", len(r.Radio.Tags) > 0, len(r.Languages) > 0, r.Country != "", r.Radio.Geo != nil, r.Subdivision != ""} {
		if ok {
			has++
		}
	}
	return float64(has) / 7
}

// atHome returns how well the country of e is supported, from 0 to 1: by the
// other entries with its site, and by the top-level domains of its site and its
// stream.
func (c *chooser) atHome(e *entry) float64 {
	if e.Country == "" {
		return 0
	}
	all := 0
	for _, n := range c.homes[e.site] {
		all += n
	}
	share := float64(max(1, c.homes[e.site][e.Country])-1) / float64(max(2, all)-1)
	if topLevel(e.site) == e.Country || topLevel(e.server) == e.Country {
		return (share + 1) / 2
	}
	return share / 2
}

// topLevel returns the country of the top-level domain of a host, or "".
func topLevel(host string) string {
	host, _, _ = strings.Cut(host, "/")
	return clean.Country(host[strings.LastIndexByte(host, '.')+1:])
}

// unite returns the record of the member best with what the others add to it.
func (c *chooser) unite(best int, members []int) catalog.Record {
	r := c.entries[best].Record
	if len(members) == 1 {
		return r
	}
	others := slices.DeleteFunc(slices.Clone(members), func(i int) bool { return i == best })
	slices.SortStableFunc(others, func(a, b int) int { return cmp.Compare(c.entries[b].Radio.Votes, c.entries[a].Radio.Votes) })
	radio := *r.Radio
	r.Radio = &radio
	for _, i := range others {
		r.Country = cmp.Or(r.Country, c.entries[i].Country)
	}
	for _, i := range others {
		fill(&r, &c.entries[i].Record)
	}
	r.AltNames = c.otherNames(&r, others)
	r.Streams = c.streams(best, others)
	return r
}

// fill adds to r what o has more. A place counts only in the country of r.
func fill(r, o *catalog.Record) {
	r.Website, r.LogoSource = cmp.Or(r.Website, o.Website), cmp.Or(r.LogoSource, o.LogoSource)
	r.Languages = union(r.Languages, o.Languages, maxLanguages)
	r.Radio.Tags = union(r.Radio.Tags, o.Radio.Tags, maxTags)
	r.Radio.Votes, r.Radio.Clicks = max(r.Radio.Votes, o.Radio.Votes), max(r.Radio.Clicks, o.Radio.Clicks)
	if o.Country == r.Country {
		r.Subdivision = cmp.Or(r.Subdivision, o.Subdivision)
		r.Radio.Geo = cmp.Or(r.Radio.Geo, o.Radio.Geo)
	}
}

// union returns a with what of b it lacks, at most limit elements.
func union(a, b []string, limit int) []string {
	for _, s := range b {
		if len(a) < limit && !slices.Contains(a, s) {
			a = append(slices.Clip(a), s)
		}
	}
	return a
}

// otherNames returns the names of others that differ from each other and from
// the name of r when folded.
func (c *chooser) otherNames(r *catalog.Record, others []int) []string {
	var names []string
	seen := map[string]bool{"": true, fold.Words(r.Name): true} // a name without a letter cannot be searched
	for _, i := range others {
		if e := c.entries[i]; !seen[e.words] && len(names) < maxAltNames {
			seen[e.words] = true
			names = append(names, e.Name)
		}
	}
	return names
}

// streams returns the streams of the member best and of others, each address
// once, those that play first.
func (c *chooser) streams(best int, others []int) []catalog.StreamRecord {
	var streams []catalog.StreamRecord
	at := map[string]int{}
	for _, i := range append([]int{best}, others...) {
		e := c.entries[i]
		if k, ok := at[e.address()]; ok {
			streams[k].Playable = streams[k].Playable || e.Streams[0].Playable
			continue
		}
		at[e.address()] = len(streams)
		streams = append(streams, e.Streams[0])
	}
	slices.SortStableFunc(streams, func(a, b catalog.StreamRecord) int {
		return cmp.Compare(boolRank(a.Playable), boolRank(b.Playable))
	})
	return streams
}
