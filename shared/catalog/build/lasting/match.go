package lasting

import (
	"net/url"
	"slices"
	"strings"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/build/brand"
	"miramundo.dev/shared/catalog/build/clean"
	"miramundo.dev/shared/catalog/fold"
)

// A channel whose id vanished is compared with the records that have one of its
// stream addresses or names. Each agreement gives points, each contradiction
// takes some; the record with the most is the same channel when it has enough,
// and more than every other. A wrong lead is worse than none, since a favorite
// then plays something else: one sign alone is never enough, but for an id that
// differs in case only. Stations are compared as those that are folded: by the
// keys of their addresses and by their brands, since the register gives one
// address to stations that have nothing in common.
const (
	enough = 5

	sameID        = 6  // but for upper and lower case
	sameStation   = 8  // a station with the same stream address, and a name of the same brand
	sameAddress   = 3  // the same stream address
	sameName      = 3  // a name or an alternative name is the old name
	formerAltName = 2  // the name is an old alternative name
	sameCountry   = 1  // or both have none
	otherCountry  = -2 // both are known, and differ
	samePage      = 2  // the whole address of the site
	sameHost      = 1  // the host of the site, when a name is the same too
	otherHost     = -2 // the sites differ, and no stream address is the same
	newChannel    = 1  // a TV channel, or its name, that the earlier register did not have
	maxSharing    = 50 // records with one name or address; when more have it, it says nothing
)

// A matcher finds the records that vanished channels have become.
type matcher struct {
	records   []catalog.Record
	before    map[string]*catalog.Record // of the earlier register, by id
	byID      map[string]int             // in lower case
	byAddress map[string][]int
	byName    map[string][]int // of stations and TV channels
}

func newMatcher(records []catalog.Record, prev *catalog.Register) *matcher {
	m := &matcher{
		records: records, before: make(map[string]*catalog.Record, len(prev.Records)),
		byID: make(map[string]int, len(records)), byAddress: make(map[string][]int, len(records)), byName: make(map[string][]int, len(records)),
	}
	for i := range prev.Records {
		m.before[prev.Records[i].ID] = &prev.Records[i]
	}
	for i := range records {
		r := &records[i]
		m.byID[strings.ToLower(r.ID)] = i
		for _, a := range addresses(r) {
			m.byAddress[a] = append(m.byAddress[a], i)
		}
		for _, name := range names(r) {
			m.byName[name] = append(m.byName[name], i)
		}
	}
	return m
}

// successor returns the id of the record that old has become, or else of that
// which its source said to have replaced it. It reports false when none is
// clearly the same.
func (m *matcher) successor(old *catalog.Record) (string, bool) {
	best, most, second := -1, 0, 0
	for _, i := range m.candidates(old) {
		switch p := m.points(old, &m.records[i]); {
		case p > most:
			best, most, second = i, p, most
		case p > second:
			second = p
		}
	}
	if most >= enough && most > second {
		return m.records[best].ID, true
	}
	i, ok := m.byID[strings.ToLower(old.ReplacedBy)]
	return old.ReplacedBy, ok && m.records[i].ID == old.ReplacedBy
}

// candidates returns the records of old's kind that have its id but for the
// case, one of its addresses or one of its names, each once.
func (m *matcher) candidates(old *catalog.Record) []int {
	var list []int
	if i, ok := m.byID[strings.ToLower(old.ID)]; ok {
		list = append(list, i)
	}
	for _, a := range addresses(old) {
		list = append(list, few(m.byAddress[a])...)
	}
	for _, name := range names(old) {
		list = append(list, few(m.byName[name])...)
	}
	slices.Sort(list)
	return slices.DeleteFunc(slices.Compact(list), func(i int) bool { return m.records[i].Kind != old.Kind })
}

// few returns list, or nil when it is too long to say anything.
func few(list []int) []int {
	if len(list) > maxSharing {
		return nil
	}
	return list
}

// points returns how much speaks for r being the channel that old was.
func (m *matcher) points(old, r *catalog.Record) int {
	p := 0
	if strings.EqualFold(old.ID, r.ID) {
		p += sameID
	}
	address := shareAny(addresses(old), addresses(r))
	switch {
	case address && r.Kind == catalog.Station && sameBrand(old, r):
		p += sameStation
	case address:
		p += sameAddress
	}
	name := namePoints(old, r)
	p += name + countryPoints(old, r) + sitePoints(old, r, name > 0, address)
	if r.Kind == catalog.TV && m.isNew(old, r) {
		p += newChannel
	}
	return p
}

// isNew reports whether the earlier register had no channel r, or none with a
// name of old.
func (m *matcher) isNew(old, r *catalog.Record) bool {
	before, ok := m.before[r.ID]
	return !ok || namePoints(old, before) == 0 && namePoints(old, r) > 0
}

func namePoints(old, r *catalog.Record) int {
	was, is := names(old), names(r)
	switch {
	case len(was) == 0 || len(is) == 0:
		return 0
	case slices.Contains(is, was[0]):
		return sameName
	case slices.Contains(was, is[0]):
		return formerAltName
	}
	return 0
}

func countryPoints(old, r *catalog.Record) int {
	switch {
	case old.Country == r.Country:
		return sameCountry
	case old.Country == "" || r.Country == "":
		return 0
	}
	return otherCountry
}

// sitePoints compares the sites of two records, of which a name or a stream
// address may be the same.
func sitePoints(old, r *catalog.Record, name, address bool) int {
	wasHost, was := page(old.Website)
	isHost, is := page(r.Website)
	switch {
	case wasHost == "" || isHost == "":
		return 0
	case wasHost != isHost && !address:
		return otherHost
	case wasHost == isHost && was == is:
		return samePage
	case wasHost == isHost && name:
		return sameHost
	}
	return 0
}

// page returns the host of a site without "www.", and the rest of its address
// without the last slash. The host is empty when there is no site.
func page(site string) (host, rest string) {
	u, err := url.Parse(site)
	if err != nil {
		return "", ""
	}
	return strings.TrimPrefix(strings.ToLower(u.Hostname()), "www."), strings.TrimSuffix(u.EscapedPath(), "/") + "?" + u.RawQuery
}

// sameBrand reports whether the name of old and a name of r can belong to one
// station. A name of r that is an address could belong to any.
func sameBrand(old, r *catalog.Record) bool {
	was := brand.Of(old.Name)
	agrees := func(name string) bool { return !brand.IsAddress(name) && was.Agree(brand.Of(name)) }
	return agrees(r.Name) || slices.ContainsFunc(r.AltNames, agrees)
}

// addresses returns the stream addresses of r in a form that the spellings of one
// address share: at least without the scheme, since a source that changes http to
// https means the same stream.
func addresses(r *catalog.Record) []string {
	list := make([]string, 0, len(r.Streams))
	for i := range r.Streams {
		if r.Kind == catalog.Station {
			list = append(list, clean.StreamKey(r.Streams[i].URL))
			continue
		}
		a := clean.Normal(r.Streams[i].URL)
		if _, rest, ok := strings.Cut(a, "://"); ok {
			a = rest
		}
		list = append(list, a)
	}
	return list
}

// names returns the names of r as they are compared: its own first, folded,
// without words for the size of the picture. It is empty for a record without a
// name.
func names(r *catalog.Record) []string {
	own := nameKey(r.Name)
	if own == "" {
		return nil
	}
	list := []string{own}
	for _, name := range r.AltNames {
		if key := nameKey(name); key != "" && !slices.Contains(list, key) {
			list = append(list, key)
		}
	}
	return list
}

// nameKey returns the folded words of a name without spaces. A plus sign is a
// word: a channel and its "+" are two.
func nameKey(name string) string {
	var b strings.Builder
	for word := range strings.FieldsSeq(fold.Words(strings.ReplaceAll(name, "+", " plus "))) {
		switch word {
		case "hd", "sd", "fhd", "uhd", "4k":
		default:
			b.WriteString(word)
		}
	}
	return b.String()
}

func shareAny(a, b []string) bool {
	return slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}
