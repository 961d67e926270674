// Package match finds the channel of the catalog for a channel of a programme
// guide.
package match

import (
	"cmp"
	"slices"
	"strings"
)

// Guides have no common ids, so a channel of a guide is matched in steps, from the
// surest on: by the id of the catalog, which some guides use; by a former id; by
// the lists of sites, which say for each id of a site which channel it is; by an
// id made of those of a channel and one of its feeds, such as "BBCOneLondon.uk";
// and then by name and country. A match by name must be unambiguous: a wrong guide
// is worse than none.
//
// A country counts in three ways, in this order: the channel is of it, the channel
// is broadcast in it, or a site of it lists the channel by that name. So "AR - AMC"
// is AMC Latin America, and not AMC of the United States.
//
// A match may be with one feed of a channel. The main feed is preferred to other
// feeds; those that broadcast at other times match nothing, and neither does a name
// in a country where only a feed in another language is broadcast.

// A Listing is a channel of the catalog, as far as matching needs it.
type Listing struct {
	ID      string
	Names   []string // its own first
	Country string   // ISO 3166-1 alpha-2; empty when not known
	Feed    string   // the name of its main feed; empty when not known
}

// A Channel is a channel of a guide.
type Channel struct {
	ID      string
	Names   []string
	Country string // of all channels of its source; empty when not known
	Site    string // where its source comes from, as sites' lists name it
}

// A Match is the channel of the catalog for a channel of a guide.
type Match struct {
	Channel string // of the catalog; empty for none
	Rank    int    // a lower one is surer
	Reason  string // the reason for which no channel matches, for the operator
}

// The ranks of matches with the main feed, best first. Those of other feeds follow
// them all, by their kinship.
const (
	byPin = iota // as the operator says
	byID
	byLetters // by the id in another case
	byAlias   // by a former id
	byList    // by the list of the site
	byRegion  // by the ids of the channel and the feed
	byName    // by the name and country
	byPlain   // by the name without marks of quality and country
	byListed  // by a name that a site lists
	bySimilar // by one without marks of quality and country
	ranks     // how many there are
	unmatched = ranks * int(shifted)
)

// Reasons why a channel of a guide matches none of the catalog.
const (
	NoneSuch  = "no channel of the catalog has its id or name"
	ambiguous = "several channels of the catalog have its name"
	vague     = "its name alone says too little, and its country is not known"
	atOther   = "it is a feed of a channel that shows other programmes, or the same at another time"
	PinnedOff = "it is pinned to no channel"
	pinLost   = "the channel that it is pinned to is not in the catalog"
)

// Pinned returns the match of a channel that the operator pinned to one of the
// catalog, by its id or a former one, or to none. It is surer than any other.
func (m *Matcher) Pinned(channel string) Match {
	if channel == "" {
		return Match{Rank: unmatched, Reason: PinnedOff}
	}
	n, ok := m.ids[channel]
	if !ok {
		n, ok = m.today(channel)
	}
	if !ok {
		return Match{Rank: unmatched, Reason: pinLost}
	}
	return Match{Channel: m.channels[n].ID, Rank: byPin}
}

// matched returns the match with a channel or one of its feeds.
func (m *Matcher) matched(r ref, by int) Match {
	if r.kin == shifted {
		return Match{Rank: unmatched, Reason: atOther}
	}
	return Match{Channel: m.channels[r.channel].ID, Rank: by + ranks*int(r.kin)}
}

// ByID returns the match of an id alone, which may name a feed: "Name.cc@Feed".
func (m *Matcher) ByID(id string) Match {
	id = strings.TrimSpace(id)
	base, feed, _ := strings.Cut(id, "@")
	if n, ok := m.ids[base]; ok {
		return m.matched(ref{channel: n, kin: m.channels[n].kinship(feed)}, byID)
	}
	switch rs := m.lower[strings.ToLower(base)]; len(rs) {
	case 0:
	case 1:
		return m.matched(ref{channel: rs[0].channel, kin: m.channels[rs[0].channel].kinship(feed)}, byLetters)
	default:
		return Match{Rank: unmatched, Reason: ambiguous}
	}
	for _, former := range []string{id, base} {
		if n, ok := m.today(former); ok {
			return m.matched(ref{channel: n}, byAlias)
		}
	}
	if r, ok := m.single(m.regional[strings.ToLower(base)]); ok {
		return m.matched(r, byRegion)
	}
	return Match{Rank: unmatched, Reason: NoneSuch}
}

// maxRenames is the greatest number of renames that are followed from an id.
const maxRenames = 8

// today returns the channel of the catalog with a former id.
func (m *Matcher) today(id string) (int32, bool) {
	for range maxRenames {
		to, ok := m.aliases[id]
		if !ok {
			return 0, false
		}
		if n, ok := m.ids[to]; ok {
			return n, true
		}
		id = to
	}
	return 0, false
}

// Find returns the match of a channel of a guide: by its id, by the list of its
// site unless its name is exactly that of another channel, or else by the first of its names that matches in its country, the name in
// its id being the last. The country is that in the name, that of the source, or
// else that of the id. Without a country a name matches only when it belongs to a
// single channel of the whole catalog, and has two words or eight letters.
func (m *Matcher) Find(c *Channel) Match {
	found := m.ByID(c.ID)
	if found.Channel != "" || found.Reason != NoneSuch {
		return found
	}
	named := m.byNames(c)
	if named.Rank == byName {
		return named // the list may be older than the name
	}
	for _, id := range []string{c.ID, "#" + c.ID} {
		if r, ok := m.single(m.sites[siteName(c.Site)+"\n"+id]); ok {
			return m.matched(r, byList)
		}
	}
	return named
}

// byNames returns the match by the first name of a channel that matches in its
// country.
func (m *Matcher) byNames(c *Channel) Match {
	found := Match{Rank: unmatched, Reason: NoneSuch}
	in := cmp.Or(c.Country, countryOf(c.ID))
	for _, name := range append(slices.Clone(c.Names), nameIn(c.ID)) {
		k := keyOf(name, in)
		by := m.byName(k, cmp.Or(k.country, in))
		if by.Channel != "" {
			return by
		}
		if by.Reason != NoneSuch {
			found = by
		}
	}
	return found
}
