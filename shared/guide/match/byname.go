package match

import (
	"iter"
	"slices"
	"strings"
)

// The catalog's own names are asked first, whole and then without marks, and then
// those that sites list. The lists have mistakes, so a name of theirs must be like
// the channel's own or be listed often, with the same number; in a country whose
// sites do not list it, no channel of the country may have a name like it; and
// without a country most rows with the name must mean the same channel.

// byName returns the match of a name in a country, which may be unknown. The lists
// of sites are asked when the catalog's own names give nothing, or to decide
// between several channels.
func (m *Matcher) byName(k key, in string) Match {
	switch {
	case k.whole == "":
		return Match{Rank: unmatched, Reason: NoneSuch}
	case in == "":
		return m.anywhere(k)
	}
	reason := NoneSuch
	var among []ref
	for by, rs := range m.ownersOf(k) {
		rs = m.within(rs, in, k.vague)
		if len(among) > 0 {
			rs = slices.DeleteFunc(rs, func(r ref) bool { return !owns(among, r.channel) })
		}
		r, ok := m.single(rs)
		switch {
		case len(rs) == 0:
			continue
		case ok && (by == byName || by == byPlain || m.believable(k, r.channel, rs) && !m.hasRival(k, r, in)):
			return m.matched(r, by)
		case !ok:
			among, reason = rs, ambiguous
		}
	}
	return Match{Rank: unmatched, Reason: reason}
}

// anywhere returns the match of a name in an unknown country: a channel that alone
// has the name, and that sites list by it more often than all others together.
func (m *Matcher) anywhere(k key) Match {
	for by, rs := range m.ownersOf(k) {
		r, ok := m.single(rs)
		switch {
		case len(rs) == 0:
			continue
		case k.vague:
			return Match{Rank: unmatched, Reason: vague}
		case !ok || !m.usual(k, r.channel) || by >= byListed && !m.believable(k, r.channel, rs):
			return Match{Rank: unmatched, Reason: ambiguous}
		}
		return m.matched(r, by)
	}
	return Match{Rank: unmatched, Reason: NoneSuch}
}

// Bounds of what the lists of sites are believed.
const (
	leastRows  = 3    // that list a channel by a name that is unlike its own
	leastShare = 0.75 // of the rows with a name, which list the same channel
	leastAlike = 0.4  // likeness of a name to the channel's own
)

// believable reports whether a name that only sites list a channel by is like its
// own, or is listed often enough not to be a mistake. It is not when it has another
// number: ESPN is not ESPN 4.
func (m *Matcher) believable(k key, channel int32, rs []ref) bool {
	number := numberIn(strings.TrimSuffix(k.plain, k.shift))
	if !slices.ContainsFunc(m.channels[channel].plain, func(own string) bool { return numberIn(own) == number }) {
		return false
	}
	rows := int32(0)
	for _, r := range rs {
		rows += r.rows
	}
	return rows >= leastRows || m.isPart(channel, k.plain) || m.likeness(channel, "", pairsOf(k.plain)) >= leastAlike
}

// hasRival reports whether a channel of a country has a name that begins with one by
// which only sites of other countries list a channel of another country.
func (m *Matcher) hasRival(k key, r ref, in string) bool {
	if r.country == in || m.channels[r.channel].Country == in {
		return false
	}
	for _, word := range probes(k.plain) {
		for _, n := range m.nearest.words[word] {
			c := &m.channels[n]
			if c.Country == in && slices.ContainsFunc(c.plain, func(own string) bool { return strings.HasPrefix(own, k.plain) }) {
				return true
			}
		}
	}
	return false
}

// numberIn returns the digits of a name.
func numberIn(name string) string {
	return strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return r
		}
		return -1
	}, name)
}

// isPart reports whether a name of a channel has another within it, such as "AMC
// Latin America" has "AMC".
func (m *Matcher) isPart(channel int32, plain string) bool {
	return slices.ContainsFunc(m.channels[channel].plain, func(own string) bool { return strings.Contains(own, plain) })
}

// usual reports whether most rows of the lists of sites that have a name mean a
// channel by it.
func (m *Matcher) usual(k key, channel int32) bool {
	own, all := int32(0), int32(0)
	for _, r := range m.similar[k.plain] {
		all += r.rows
		if r.channel == channel {
			own += r.rows
		}
	}
	return float64(own) >= leastShare*float64(all)
}

// ownersOf yields the owners of a name, step by step, with the ranks of matches.
func (m *Matcher) ownersOf(k key) iter.Seq2[int, []ref] {
	return func(yield func(int, []ref) bool) {
		_ = yield(byName, m.whole[k.whole]) && yield(byPlain, m.plain[k.plain]) &&
			yield(byListed, m.listed[k.whole]) && yield(bySimilar, m.similar[k.plain])
	}
}

// within returns the owners of a name that belong to a country: those of it, or
// else those that are broadcast or listed in it. A channel is as near as the feed
// that is broadcast there. That it is broadcast everywhere does not count for a
// vague name.
func (m *Matcher) within(rs []ref, in string, vague bool) []ref {
	var of, elsewhere []ref
	for _, r := range rs {
		c := &m.channels[r.channel]
		kin, covered := c.covers[in]
		world, worldwide := c.covers[everywhere]
		switch {
		case c.Country == in:
			of = append(of, r)
		case worldwide && !vague && !covered:
			r.kin = max(r.kin, abroad(world))
			elsewhere = append(elsewhere, r)
		case covered:
			r.kin = max(r.kin, abroad(kin))
			elsewhere = append(elsewhere, r)
		case r.country == in:
			elsewhere = append(elsewhere, r)
		}
	}
	if len(of) > 0 {
		return of
	}
	return elsewhere
}

// abroad returns the kinship of a feed that stands for its channel in a country: one
// in another language shows other programmes there.
func abroad(kin kinship) kinship {
	if kin == foreign {
		return shifted
	}
	return kin
}

// single returns the nearest feed of the only channel among owners, and whether
// they are of one channel.
func (m *Matcher) single(rs []ref) (nearest ref, ok bool) {
	for i, r := range rs {
		if i > 0 && r.channel != nearest.channel {
			return ref{}, false
		}
		if i == 0 || r.kin < nearest.kin {
			nearest = r
		}
	}
	return nearest, len(rs) > 0
}
