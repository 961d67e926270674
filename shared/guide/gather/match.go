package gather

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"miramundo.dev/shared/catalog/fold"
)

// A Listing is a channel of the catalog, as far as matching needs it.
type Listing struct {
	ID      string
	Names   []string // its own first
	Country string   // ISO 3166-1 alpha-2; empty when not known
	Feed    string   // the name of its main feed; empty when not known
}

// A Matcher finds the catalog's channel for a channel of a guide. Its methods
// may be called concurrently.
type Matcher struct {
	channels []Listing
	ids      map[string]int32 // those of the catalog
	lower    owners           // ids in lower case
	aliases  map[string]string
	whole    owners // names
	plain    owners // names without that, and the country, at their ends
	sum      string
}

// NewMatcher returns a matcher of the channels of a catalog. Aliases map
// former ids to current ones.
func NewMatcher(channels iter.Seq[Listing], aliases map[string]string) *Matcher {
	m := &Matcher{ids: map[string]int32{}, lower: owners{}, aliases: aliases, whole: owners{}, plain: owners{}}
	for c := range channels {
		n := int32(len(m.channels))
		m.channels = append(m.channels, c)
		m.ids[c.ID] = n
		m.lower.add(strings.ToLower(c.ID), n)
		for _, name := range c.Names {
			k := keyOf(name, c.Country)
			m.whole.add(k.whole, n)
			m.plain.add(k.plain, n)
		}
	}
	m.sum = m.fingerprint()
	return m
}

// Sum returns a hash of all that m matches by: matchers with equal sums give
// equal results.
func (m *Matcher) Sum() string { return m.sum }

// How a channel of a guide was found to be one of the catalog, best first. Of
// several channels of a file that are found to be the same one, the best has
// the say, and of equals the first.
const (
	byID      = iota // by the id, or that and the main feed
	byFeed           // by the id, and another feed
	byLetters        // likewise, in other letters
	byAlias          // by a former id
	byName           // by the name and country
	byPlain          // by the name without what tells the picture
	unmatched
)

// A match is what a channel of a guide was found to be.
type match struct {
	channel string // of the catalog; empty for none
	rank    int
	reason  string // why there is none, for the operator
}

// Why a channel of a guide is none of the catalog.
const (
	noneSuch  = "no channel of the catalog has its id or name"
	ambiguous = "several channels of the catalog have its name"
	vague     = "its name alone says too little, and its country is not known"
)

// id returns what a channel is found to be by its id.
func (m *Matcher) id(id string) match {
	base, feed, _ := strings.Cut(strings.TrimSpace(id), "@")
	if n, ok := m.ids[base]; ok {
		return match{channel: base, rank: m.feed(n, feed)}
	}
	if ns := m.lower[strings.ToLower(base)]; len(ns) == 1 {
		return match{channel: m.channels[ns[0]].ID, rank: byLetters}
	}
	for _, former := range []string{strings.TrimSpace(id), base} {
		if to, ok := m.today(former); ok {
			return match{channel: to, rank: byAlias}
		}
	}
	return match{rank: unmatched, reason: noneSuch}
}

// maxRenames is how many renames of one id are followed.
const maxRenames = 8

// today returns the id that a former one leads to.
func (m *Matcher) today(id string) (string, bool) {
	for range maxRenames {
		to, ok := m.aliases[id]
		if !ok {
			return "", false
		}
		if _, ok := m.ids[to]; ok {
			return to, true
		}
		id = to
	}
	return "", false
}

// feed returns how well a feed of channel n stands for it.
func (m *Matcher) feed(n int32, feed string) int {
	joined := func(s string) string { return strings.ReplaceAll(fold.Words(s), " ", "") }
	if feed == "" || joined(feed) == joined(m.channels[n].Feed) {
		return byID
	}
	return byFeed
}

// find returns what a channel is found to be by its id, or else by its names in
// a country: the one that is given, or else that of its id. A name without a
// country is enough only if it is the name of one channel of the whole catalog,
// and has two words or eight letters.
func (m *Matcher) find(id string, names []string, in string) match {
	found := m.id(id)
	in = cmp.Or(in, country(id))
	for _, name := range names {
		if found.channel != "" {
			break
		}
		if by := m.name(keyOf(name, in), in); by.channel != "" || by.reason != noneSuch {
			found = by
		}
	}
	return found
}

// name returns what a channel of a country, which may be unknown, is found to
// be by its name.
func (m *Matcher) name(k key, in string) match {
	rank, ns := byName, m.in(m.whole[k.whole], in)
	if len(ns) == 0 {
		rank, ns = byPlain, m.in(m.plain[k.plain], in)
	}
	switch {
	case len(ns) == 0:
		return match{rank: unmatched, reason: noneSuch}
	case len(ns) > 1:
		return match{rank: unmatched, reason: ambiguous}
	case in == "" && k.vague:
		return match{rank: unmatched, reason: vague}
	}
	return match{channel: m.channels[ns[0]].ID, rank: rank}
}

// in returns those of some channels that are of a country.
func (m *Matcher) in(ns []int32, country string) []int32 {
	if country == "" {
		return ns
	}
	return slices.DeleteFunc(slices.Clone(ns), func(n int32) bool { return m.channels[n].Country != country })
}

// fingerprint returns the hash of all that m knows.
func (m *Matcher) fingerprint() string {
	h := sha256.New() // to write to it never fails
	for _, c := range m.channels {
		_, _ = fmt.Fprintf(h, "%q %q %q %q\n", c.ID, c.Country, c.Feed, c.Names)
	}
	for _, from := range slices.Sorted(maps.Keys(m.aliases)) {
		_, _ = fmt.Fprintf(h, "%q %q\n", from, m.aliases[from])
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
