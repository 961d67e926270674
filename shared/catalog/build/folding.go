package build

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/publicsuffix"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/build/brand"
	"miramundo.dev/shared/catalog/build/clean"
	"miramundo.dev/shared/catalog/build/region"
	"miramundo.dev/shared/catalog/fold"
	"miramundo.dev/shared/source"
)

// The register of stations is filled in by anyone, and the same station is often
// in it several times: with another address, another name, another bitrate, or
// once again. Entries of one station are folded into one record: see
// survivor.go for what becomes of their fields.
//
// Two entries are the same station when
//
//   - they have the same stream ([clean.StreamKey]) and names that agree
//     ([brand.Name.Agree]); names in different scripts also agree when both have
//     the same site, since romanization is a guess; or
//   - they have the same name, and the same site, stream server or path. A server
//     that streams for many sites counts only with a distinctive name.
//
// Entries of two countries are never the same station, because each would vanish
// from the country in which its listeners look for it. The exception is a
// programme listed in worldwideFrom countries or more, which is in none of them:
// some people enter a station once for every country in the world. An entry
// without a country belongs to the country with the most votes.
//
// The relation is carried on from entry to entry (union-find). Entries are
// visited best first in a total order (country, votes, uuid, then the rest of
// the row), so that the result does not depend on the order of the rows.

const (
	// maxVariants bounds the streams of one station. The most that one has in the
	// real register is 12; more are entered by a program.
	maxVariants = 16

	// worldwideFrom is the number of countries from which a programme counts as
	// listed everywhere: a few stations are really of three or four countries.
	worldwideFrom = 6

	// Bounds that keep the work linear for a register that lists one stream
	// thousands of times: entries of a stream that are remembered, names that each
	// further one is compared with, and programmes that are looked for among them.
	maxListed, maxCompared, maxProgrammes = 300, 50, 20

	// hostingFrom is the number of sites whose stations one server streams from
	// which its domain says nothing about the station.
	hostingFrom = 10
)

// An entry is a row of the register of stations that can be shown.
type entry struct {
	catalog.Record        // with one stream
	words          string // folded name
	stream         string // key of its stream
	server         string // registered domain of its stream
	site           string // what of its home page identifies the owner

	brand  *brand.Name // see name
	normal string      // see address
}

// name returns the prepared name of e. Most entries never need it.
func (e *entry) name() *brand.Name {
	if e.brand == nil {
		e.brand = brand.Of(e.Name)
	}
	return e.brand
}

// address returns the address of the stream of e as addresses are compared.
func (e *entry) address() string {
	if e.normal == "" {
		e.normal = clean.Normal(e.Streams[0].URL)
	}
	return e.normal
}

// entriesOf returns the entries of rows in the order in which they are visited.
// It leaves out invalid rows, and repeats of an id.
func entriesOf(rows []source.Station, regions *region.Index, rep *Report) []*entry {
	entries := make([]*entry, 0, len(rows))
	for i := range rows {
		r, ok := station(&rows[i], regions)
		if !ok {
			rep.leaveOut("station_" + reasonInvalid)
			continue
		}
		e := &entry{Record: r, words: fold.Words(r.Name), stream: clean.StreamKey(r.Streams[0].URL), site: site(r.Website)}
		host, _, _ := strings.Cut(e.stream, "\n")
		e.server = domain(host)
		entries = append(entries, e)
	}
	inVisitingOrder(entries)
	ids := make(map[string]bool, len(entries))
	return slices.DeleteFunc(entries, func(e *entry) bool {
		repeated := ids[e.ID]
		if ids[e.ID] = true; repeated {
			rep.leaveOut("station_" + reasonInvalid)
		}
		return repeated
	})
}

// inVisitingOrder sorts entries. Those with a country come before those without,
// which then join them.
func inVisitingOrder(entries []*entry) {
	type ranked struct { // beside each other in memory, which makes sorting twice as fast
		nowhere, votes int
		*entry
	}
	list := make([]ranked, len(entries))
	for i, e := range entries {
		list[i] = ranked{boolRank(e.Country != ""), e.Radio.Votes, e}
	}
	slices.SortFunc(list, func(a, b ranked) int {
		if a.nowhere != b.nowhere || a.votes != b.votes {
			return cmp.Or(cmp.Compare(a.nowhere, b.nowhere), cmp.Compare(b.votes, a.votes))
		}
		return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Streams[0].URL, b.Streams[0].URL), cmp.Compare(a.Country, b.Country))
	})
	for i := range list {
		entries[i] = list[i].entry
	}
}

// A folding assigns entries to stations: each entry to the root of its station.
type folding struct {
	entries   []*entry
	parent    []int
	countries []string   // of the station, by root
	addresses [][]string // of the streams of the station, by root; nil for that of the root alone
}

// foldEntries returns the stations, each as the indexes of its entries, in their
// order.
func foldEntries(entries []*entry) [][]int {
	f := &folding{entries: entries, parent: make([]int, len(entries)), countries: make([]string, len(entries)), addresses: make([][]string, len(entries))}
	for i, e := range entries {
		f.parent[i], f.countries[i] = i, e.Country
	}
	var shared [][]int
	for _, list := range f.groups(func(e *entry) string { return e.stream }) {
		shared = append(shared, f.byStream(list))
	}
	hosting := f.hosting()
	for _, list := range f.groups(func(e *entry) string { return e.words }) {
		f.byName(list, hosting)
	}
	for _, list := range shared {
		f.worldwide(list)
	}
	return f.stations()
}

// stations returns the entries of each station.
func (f *folding) stations() [][]int {
	count := make([]int, len(f.entries)) // by root
	for i := range f.entries {
		count[f.root(i)]++
	}
	all := make([]int, 0, len(f.entries))
	at := make([]int, len(f.entries)) // the station of a root, plus 1
	var stations [][]int
	for i := range f.entries {
		r := f.root(i)
		if at[r] == 0 {
			stations = append(stations, all[len(all):len(all):len(all)+count[r]])
			all = all[:len(all)+count[r]]
			at[r] = len(stations)
		}
		stations[at[r]-1] = append(stations[at[r]-1], i)
	}
	return stations
}

// groups returns the entries with one key, where several have it, in order. An
// empty key is not one.
func (f *folding) groups(key func(*entry) string) [][]int {
	const none = -1
	first := make(map[string]int, len(f.entries))
	next, later := make([]int, len(f.entries)), make([]bool, len(f.entries))
	for i, e := range slices.Backward(f.entries) {
		k := key(e)
		j, ok := first[k]
		if !ok || k == "" {
			j = none
		} else {
			later[j] = true
		}
		first[k], next[i] = i, j
	}
	var lists [][]int
	for i := range f.entries {
		if later[i] || next[i] == none {
			continue
		}
		var list []int
		for j := i; j != none; j = next[j] {
			list = append(list, j)
		}
		lists = append(lists, list)
	}
	return lists
}

func (f *folding) root(i int) int {
	for f.parent[i] != i {
		f.parent[i] = f.parent[f.parent[i]]
		i = f.parent[i]
	}
	return i
}

// compatible reports whether the stations of two roots are not of two
// countries.
func (f *folding) compatible(a, b int) bool {
	return f.countries[a] == f.countries[b] || f.countries[a] == "" || f.countries[b] == ""
}

// join makes the stations of i and j one, and reports whether they are. It does
// not when that one would have too many streams.
func (f *folding) join(i, j int) bool {
	a, b := f.root(i), f.root(j)
	if a == b {
		return true
	}
	a, b = min(a, b), max(a, b)
	addresses := union(f.addressesOf(a), f.addressesOf(b), maxVariants+1)
	if len(addresses) > maxVariants {
		return false
	}
	f.parent[b], f.addresses[a], f.addresses[b] = a, addresses, nil
	f.countries[a] = cmp.Or(f.countries[a], f.countries[b])
	return true
}

func (f *folding) addressesOf(root int) []string {
	if f.addresses[root] == nil {
		f.addresses[root] = []string{f.entries[root].address()}
	}
	return f.addresses[root]
}

// byStream joins those entries of list, which have one stream, whose names
// agree. It returns the entries without those that have the name and country of
// an earlier one. Entries with an address for a name come last: they would agree
// with all others, and make one station of several brands.
func (f *folding) byStream(list []int) []int {
	type listing struct{ words, country string }
	first := make(map[listing]int, len(list))
	var different, addresses []int
	for _, i := range list {
		key := listing{f.entries[i].words, f.entries[i].Country}
		if j, ok := first[key]; ok && f.join(i, j) {
			continue
		}
		first[key] = i
		if brand.IsAddress(f.entries[i].Name) {
			addresses = append(addresses, i)
			continue
		}
		f.joinAgreeing(i, different, len(different))
		if len(different) < maxListed {
			different = append(different, i)
		}
	}
	for _, i := range addresses {
		if !f.joinAgreeing(i, different, 1) && len(different) < maxListed {
			different = append(different, i)
		}
	}
	return different
}

// joinAgreeing joins i with at most limit of the stations of list whose names
// agree with that of i, and reports whether there was one.
func (f *folding) joinAgreeing(i int, list []int, limit int) (joined bool) {
	compared := 0
	for _, j := range list {
		a, b := f.root(i), f.root(j)
		if a == b || !f.compatible(a, b) {
			continue
		}
		if compared++; compared > maxCompared || limit == 0 {
			break
		}
		if f.agree(i, j) && f.join(i, j) {
			joined = true
			limit--
		}
	}
	return joined
}

// agree reports whether the names of two entries with one stream can belong to
// one station.
func (f *folding) agree(i, j int) bool {
	a, b := f.entries[i], f.entries[j]
	if a.words == b.words {
		return true
	}
	return a.name().Agree(b.name()) || a.site != "" && a.site == b.site && !a.name().SameScript(b.name())
}

// byName joins those entries of list, which have one name, that share something
// which two stations of one name do not.
func (f *folding) byName(list []int, hosting map[string]bool) {
	type trait struct{ kind, value, country string }
	found := map[trait]int{}
	for _, i := range list {
		e := f.entries[i]
		traits := [...]trait{{kind: "site", value: e.site}, {kind: "server", value: e.server}, {kind: "path", value: distinctPath(e.stream)}}
		if hosting[e.server] && !e.name().Distinctive() {
			traits[1].value = ""
		}
		for _, key := range traits {
			if key.value == "" {
				continue
			}
			anywhere := key // the first with a country stands for entries without one
			if key.country = e.Country; e.Country != "" {
				if _, ok := found[anywhere]; !ok {
					found[anywhere] = i
				}
			}
			if j, ok := found[key]; !ok || !f.compatible(f.root(i), f.root(j)) || !f.join(i, j) {
				found[key] = i
			}
		}
	}
}

// hosting returns the domains that stream the stations of many sites.
func (f *folding) hosting() map[string]bool {
	sites, hosting := make(map[string][]string, len(f.entries)/4), map[string]bool{}
	for _, e := range f.entries {
		list := sites[e.server]
		if e.site == "" || len(list) == hostingFrom || slices.Contains(list, e.site) {
			continue
		}
		sites[e.server] = append(list, e.site)
		if len(list)+1 == hostingFrom {
			hosting[e.server] = true
		}
	}
	return hosting
}

// worldwide joins those entries of list, which have one stream, whose names agree
// and that are of many countries together.
func (f *folding) worldwide(list []int) {
	for round := 0; len(list) >= worldwideFrom && round < maxProgrammes; round++ {
		var programme, rest []int
		countries := map[string]bool{}
		for _, j := range list {
			if f.agree(list[0], j) {
				programme = append(programme, j)
				countries[f.entries[j].Country] = true
			} else {
				rest = append(rest, j)
			}
		}
		if len(countries) >= worldwideFrom {
			for _, j := range programme {
				f.join(programme[0], j)
			}
		}
		list = rest
	}
}

// commonSegments are parts of paths that streams of many stations have.
var commonSegments = map[string]bool{
	"stream": true, "streams": true, "listen": true, "live": true, "livestream": true, "playlist": true, "radio": true, "proxy": true, "audio": true,
	"index": true, "master": true, "chunklist": true, "icecast": true, "autodj": true, "broadwave": true, "manifest": true, "public": true,
}

// distinctPath returns the path of a stream key without its ending, when it is
// unlikely that two stations of one name have it by chance.
func distinctPath(key string) string {
	const minSegment = 6
	_, path, ok := strings.Cut(key, "/")
	if !ok {
		return ""
	}
	distinct := false
	for segment := range strings.SplitSeq(path, "/") {
		stem, _, _ := strings.Cut(segment, ".")
		distinct = distinct || len(stem) >= minSegment && !commonSegments[strings.ToLower(stem)]
	}
	if !distinct {
		return ""
	}
	return path
}

// domain returns the registered domain of a host name, or the host itself when
// it is an IP address.
func domain(host string) string {
	if d, err := publicsuffix.EffectiveTLDPlusOne(host); err == nil {
		return d
	}
	return host
}

// sharedSites are sites with the pages of many stations.
var sharedSites = map[string]bool{
	"facebook.com": true, "instagram.com": true, "twitter.com": true, "x.com": true, "youtube.com": true, "t.me": true, "vk.com": true, "linktr.ee": true,
	"google.com": true, "wikipedia.org": true, "zeno.fm": true, "zeno.live": true, "tunein.com": true, "radio.garden": true, "streema.com": true,
	"mytuner-radio.com": true, "onlineradiobox.com": true, "radio.net": true, "radio.de": true, "laut.fm": true, "radios.com.br": true, "iheart.com": true,
	"liveonlineradio.net": true, "emisoras.com.mx": true, "emisorasenvivo.com": true, "qingting.fm": true, "radioking.com": true, "caster.fm": true,
	"live365.com": true, "mixlr.com": true, "radio-browser.info": true, "fmscout.com": true, "raddio.net": true, "radioguide.fm": true,
}

// site returns what of the address of a home page identifies its owner: the
// registered domain or, at a site with many owners, host and path. It is empty
// without an address.
func site(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		return ""
	}
	d := domain(strings.ToLower(u.Hostname()))
	if !sharedSites[d] {
		return d
	}
	if path := strings.TrimRight(u.Path, "/"); path != "" {
		return d + strings.ToLower(path)
	}
	return ""
}
