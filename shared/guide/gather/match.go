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

// Guides have no common ids, so a channel of a guide is matched in steps, from
// the surest on: by the id of the catalog, which some guides use, by a former id,
// and then by name and country. A match by name must be unambiguous: a wrong
// guide is worse than none. Names are compared folded and without spaces, first
// whole and then without marks of quality or country at their end.

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

// The ranks of matches, best first.
const (
	byID      = iota // by the id, or that and the main feed
	byFeed           // by the id, and another feed
	byLetters        // by the id in another case
	byAlias          // by a former id
	byName           // by the name and country
	byPlain          // by the name without marks of quality and country
	unmatched
)

// A match is the channel of the catalog for a channel of a guide.
type match struct {
	channel string // of the catalog; empty for none
	rank    int
	reason  string // why there is none, for the operator
}

// Reasons why a channel of a guide matches none of the catalog.
const (
	noneSuch  = "no channel of the catalog has its id or name"
	ambiguous = "several channels of the catalog have its name"
	vague     = "its name alone says too little, and its country is not known"
)

// id returns the match of an id, which may name a feed: "Name.cc@Feed".
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

// maxRenames is the greatest number of renames that are followed from an id.
const maxRenames = 8

// today returns the current id of a channel with a former one.
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

// feed returns the rank of a match with a feed of channel n: byID for the main
// feed, byFeed for any other.
func (m *Matcher) feed(n int32, feed string) int {
	joined := func(s string) string { return strings.ReplaceAll(fold.Words(s), " ", "") }
	if feed == "" || joined(feed) == joined(m.channels[n].Feed) {
		return byID
	}
	return byFeed
}

// find returns the match of a channel by its id, or else by the first of its
// names that matches in a country: the given one, or else that of the id. Without
// a country a name matches only when a single channel of the whole catalog has
// it, and it has two words or eight letters.
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

// name returns the match of a name in a country, which may be unknown.
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

// in returns the channels among ns that are of a country, or ns when the country
// is unknown. It does not change ns.
func (m *Matcher) in(ns []int32, country string) []int32 {
	if country == "" {
		return ns
	}
	return slices.DeleteFunc(slices.Clone(ns), func(n int32) bool { return m.channels[n].Country != country })
}

// fingerprint returns a hash of the channels and aliases of m.
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
