package build

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/build/brand"
	"miramundo.dev/shared/catalog/build/clean"
	"miramundo.dev/shared/catalog/build/region"
	"miramundo.dev/shared/source"
)

// A station that is in the register several times is shown as one of its
// entries, the survivor: its id and country, and its name unless far more people
// use another. The ids of the others become aliases of it, their names its other
// names, their streams further streams of
// it; their tags and languages are united with its own, and what it lacks
// (country, place, site, logo) is filled in. Votes and clicks are the most that
// one of them has, since the same people vote for several.
//
// The survivor is the entry with the most points, of which the weights below
// give the greatest possible number. They are ordered by what a wrong choice
// costs: an entry that does not play; one of a country in which the station is
// not, where several list it; one under a name that few use. To be the survivor
// already is worth less than a name that most voters use, so that an id stays
// while its entry is still a fair choice.

const (
	weightPlays    = 10.0 // its source found it working
	weightCountry  = 6.0  // its site and its server are of its country; only among several countries
	weightName     = 2.0  // share of the votes for entries of its name
	weightVotes    = 2.0  // logarithm of its votes, relative to the most
	weightAddress  = 1.0  // its site or stream names it
	weightEarlier  = 0.8  // it was the survivor in the earlier register
	weightComplete = 0.5  // share of the fields that it has
)

// renamedFrom is how many times the votes of the survivor's name another name
// needs for the station to be shown under it.
const renamedFrom = 4

// maxAltNames bounds the other names of one station, those with the most votes
// first: the search indexes them all, and anyone may enter a station a thousand
// times.
const maxAltNames = 20

// mergeStations returns the radio stations of ds, each once, and the aliases of
// the ids that were folded. Prev is the earlier register, or nil.
func mergeStations(ds *source.Dataset, prev *catalog.Register, rep *Report) (records []catalog.Record, merged map[string]string) {
	entries := entriesOf(ds.Stations, region.NewIndex(ds.Subdivisions, ds.Cities), rep)
	stations := foldEntries(entries)
	c := chooser{entries: entries, homes: homesOf(entries, stations), earlier: shownStations(prev)}
	merged = make(map[string]string, len(entries)-len(stations))
	records = make([]catalog.Record, 0, len(stations))
	for _, members := range stations {
		r, best := c.station(members)
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

// homesOf counts the entries by country for each site of a station that is listed
// in many countries.
func homesOf(entries []*entry, stations [][]int) map[string]map[string]int {
	homes := map[string]map[string]int{}
	for _, members := range stations {
		if len(members) < worldwideFrom {
			continue
		}
		for _, i := range members {
			if site := entries[i].site; site != "" {
				homes[site] = map[string]int{}
			}
		}
	}
	for _, e := range entries {
		if counts, ok := homes[e.site]; ok && e.Country != "" {
			counts[e.Country]++
		}
	}
	return homes
}

// A tally sums up what the members of a station say.
type tally struct {
	votes  map[string]int // for each name but addresses; an entry counts as a vote as well
	total  int            // of those votes
	most   int            // votes of one entry
	abroad bool           // the entries are of several countries
}

func (c *chooser) count(members []int) *tally {
	t := &tally{votes: map[string]int{}}
	country := ""
	for _, i := range members {
		e := c.entries[i]
		if !brand.IsAddress(e.Name) {
			t.votes[e.words] += e.Radio.Votes + 1
			t.total += e.Radio.Votes + 1
		}
		t.most = max(t.most, e.Radio.Votes)
		t.abroad = t.abroad || country != "" && e.Country != "" && e.Country != country
		country = cmp.Or(e.Country, country)
	}
	return t
}

// station returns the record of the station of members, and which of them is
// the survivor: the one with the most points, the first of several.
func (c *chooser) station(members []int) (r catalog.Record, best int) {
	best = members[0]
	if len(members) == 1 {
		return c.entries[best].Record, best
	}
	t, most := c.count(members), -1.0
	for _, i := range members {
		if points := c.points(c.entries[i], t); points > most {
			best, most = i, points
		}
	}
	return c.unite(best, members, t), best
}

// points returns how good e is as the survivor.
func (c *chooser) points(e *entry, t *tally) float64 {
	points := weightComplete*completeness(&e.Record) + weightName*float64(t.votes[e.words])/float64(max(1, t.total))
	if t.most > 0 {
		points += weightVotes * math.Log1p(float64(e.Radio.Votes)) / math.Log1p(float64(t.most))
	}
	if e.Streams[0].Playable {
		points += weightPlays
	}
	if t.abroad {
		points += weightCountry * c.atHome(e)
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
func (c *chooser) unite(best int, members []int, t *tally) catalog.Record {
	r := c.entries[best].Record
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
	names := append([]int{best}, others...)
	if usual := c.usual(best, others, t); usual != best {
		names = append([]int{usual}, names...)
	}
	r.Name, r.AltNames = c.names(names)
	r.Streams = c.streams(best, others)
	return r
}

// usual returns the member whose name the station has: best, or one with a name
// that far more people use. An address is the name of a station only when it has
// no other.
func (c *chooser) usual(best int, others []int, t *tally) int {
	usual, needed := best, renamedFrom*t.votes[c.entries[best].words]
	for _, i := range others {
		if votes := t.votes[c.entries[i].words]; votes >= needed && !brand.IsAddress(c.entries[i].Name) {
			usual, needed = i, votes+1
		}
	}
	return usual
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

// names returns the name of the first of members, and the names of the others
// that differ from it and from each other when folded.
func (c *chooser) names(members []int) (name string, others []string) {
	name = c.entries[members[0]].Name
	seen := map[string]bool{"": true, c.entries[members[0]].words: true} // a name without a letter cannot be searched
	for _, i := range members[1:] {
		if e := c.entries[i]; !seen[e.words] && len(others) < maxAltNames {
			seen[e.words] = true
			others = append(others, e.Name)
		}
	}
	return name, others
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
