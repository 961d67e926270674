package match

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"miramundo.dev/shared/catalog/fold"
	"miramundo.dev/shared/source"
)

// A Matcher finds the catalog's channel for a channel of a guide. Its methods
// may be called concurrently.
type Matcher struct {
	channels []entry
	ids      map[string]int32 // those of the catalog
	lower    owners           // ids in lower case
	regional owners           // ids of a channel and a feed, "namefeed.cc"
	aliases  map[string]string
	whole    owners // names, those of feeds included
	plain    owners // names without words for the picture and the country
	listed   owners // names in the lists of sites, whole
	similar  owners // those without words for the picture and the country
	sites    owners // ids in the lists of sites, after the site and a line feed
	nearest  nearest
	sum      string
}

// An entry is a channel of the catalog with what the directory says of it.
type entry struct {
	Listing
	feeds  map[string]kinship // by their ids and names, joined
	covers map[string]kinship // by the countries in which it is broadcast: the nearest feed there; nil where that is not known
	plain  []string           // its own names, as they are compared without marks
}

// New returns a matcher of the channels of a catalog. Aliases map former ids to
// current ones.
func New(channels iter.Seq[Listing], aliases map[string]string, d *Directory) *Matcher {
	m := &Matcher{
		ids: map[string]int32{}, lower: owners{}, regional: owners{}, aliases: aliases,
		whole: owners{}, plain: owners{}, listed: owners{}, similar: owners{}, sites: owners{},
	}
	zones := zones{}
	for c := range channels {
		m.add(c, d, &zones)
	}
	for _, g := range d.listed() {
		m.addListed(&g)
	}
	m.nearest = newNearest(m.channels)
	m.sum = m.fingerprint(d)
	return m
}

// add adds a channel with its feeds.
func (m *Matcher) add(c Listing, d *Directory, zones *zones) {
	n := int32(len(m.channels))
	feeds := d.feedsOf(c.ID)
	e := entry{Listing: c, feeds: map[string]kinship{joined(c.Feed): same}}
	m.ids[c.ID] = n
	m.lower.add(strings.ToLower(c.ID), ref{channel: n})
	for _, name := range c.Names {
		e.plain = append(e.plain, m.addName(name, c.Country, ref{channel: n}).plain)
	}
	main := mainOf(feeds)
	for i := range feeds {
		f := &feeds[i]
		kin := kinshipOf(f, main, zones)
		e.cover(d.countries(f), kin)
		e.feeds[joined(f.ID)], e.feeds[joined(f.Name)] = kin, kin
		m.addFeed(&e, f, ref{channel: n, kin: kin})
	}
	m.channels = append(m.channels, e)
}

// cover notes that a feed is broadcast in some countries.
func (e *entry) cover(countries []string, kin kinship) {
	if e.covers == nil {
		e.covers = map[string]kinship{}
	}
	for _, c := range countries {
		if has, ok := e.covers[c]; !ok || kin < has {
			e.covers[c] = kin
		}
	}
}

// mainOf returns the main one of feeds, or else the first; nil when there are none.
func mainOf(feeds []source.Feed) *source.Feed {
	i := slices.IndexFunc(feeds, func(f source.Feed) bool { return f.Main })
	switch {
	case i >= 0:
		return &feeds[i]
	case len(feeds) > 0:
		return &feeds[0]
	}
	return nil
}

// addFeed adds the names and the id of a feed of a channel, unless it differs from
// the channel in its quality alone.
func (m *Matcher) addFeed(e *entry, f *source.Feed, r ref) {
	if at := strings.LastIndexByte(e.ID, '.'); at > 0 {
		m.regional.add(strings.ToLower(e.ID[:at]+f.ID+e.ID[at:]), r)
	}
	for _, own := range e.Names {
		for _, name := range append([]string{f.Name}, f.AltNames...) {
			if k := keyOf(name, ""); k.plain != "" || isShift(f.ID) {
				m.addName(own+" "+name, e.Country, r)
			}
		}
	}
}

// addName adds a name of a channel of a country, and returns its key.
func (m *Matcher) addName(name, country string, r ref) key {
	k := keyOf(name, country)
	m.whole.add(k.whole, r)
	if !k.ultra {
		m.plain.add(k.plain, r)
	}
	return k
}

// addListed adds a row of a site's list, unless the catalog does not have its
// channel.
func (m *Matcher) addListed(g *source.Guide) {
	n, ok := m.ids[g.Channel]
	if !ok {
		return
	}
	r := ref{channel: n, kin: m.channels[n].kinship(g.Feed), country: siteCountry(g), rows: 1}
	site := siteName(g.Site)
	m.sites.add(site+"\n"+g.SiteID, r)
	if _, rest, ok := strings.Cut(g.SiteID, "#"); ok && rest != "" {
		m.sites.add(site+"\n#"+rest, r)
	}
	k := keyOf(g.SiteName, r.country)
	m.listed.add(k.whole, r)
	m.similar.add(k.plain, r)
}

// siteName returns a site as lists of sites are compared.
func siteName(site string) string { return strings.TrimPrefix(strings.ToLower(site), "www.") }

// joined returns the folded words of a name as one.
func joined(name string) string { return strings.ReplaceAll(fold.Words(name), " ", "") }

// kinship returns that of a feed, by its id or its name; of one that is not known
// it is sibling, unless it names a quality alone.
func (e *entry) kinship(feed string) kinship {
	kin, ok := e.feeds[joined(feed)]
	switch {
	case ok || feed == "":
		return kin
	case isShift(feed):
		return shifted
	case keyOf(feed, "").plain == "":
		return same
	}
	return sibling
}

// Sum returns a hash of all that m matches by: matchers with equal sums give
// equal results.
func (m *Matcher) Sum() string { return m.sum }

// A ref is an owner of a name or an id: a channel, or one of its feeds.
type ref struct {
	channel int32
	kin     kinship
	country string // of the site that lists it
	rows    int32  // in lists of sites; 0 for the catalog's own names
}

// owners are the channels by a key: few for each, usually one.
type owners map[string][]ref

// add adds an owner to those of a key, once.
func (o owners) add(key string, r ref) {
	if key == "" {
		return
	}
	for i := range o[key] {
		if has := &o[key][i]; has.channel == r.channel && has.kin == r.kin && has.country == r.country {
			has.rows += r.rows
			return
		}
	}
	o[key] = append(o[key], r)
}

func owns(rs []ref, channel int32) bool {
	return slices.ContainsFunc(rs, func(r ref) bool { return r.channel == channel })
}

// fingerprint returns a hash of the channels and aliases of m, and of the
// directory.
func (m *Matcher) fingerprint(d *Directory) string {
	h := sha256.New() // to write to it never fails
	for i := range m.channels {
		c := &m.channels[i]
		_, _ = fmt.Fprintf(h, "%q %q %q %q %v %v\n", c.ID, c.Country, c.Feed, c.Names, c.feeds, c.covers)
	}
	for _, from := range slices.Sorted(maps.Keys(m.aliases)) {
		_, _ = fmt.Fprintf(h, "%q %q\n", from, m.aliases[from])
	}
	d.write(h)
	return hex.EncodeToString(h.Sum(nil)[:16])
}
