package state

import (
	"iter"
	"net/url"
	"slices"
	"strings"
	"time"

	"miramundo.dev/shared/catalog/index/layout/posting"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/docset"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/snapshot"
)

// An Overlay is what changes between reloads. What it says of ids that the
// catalog does not have is left aside. What a sequence yields must not be
// changed afterwards; each may be run more than once while a view is made.
type Overlay struct {
	BlockedChannels []string
	BlockedStreams  []catalog.StreamID
	BlockedHosts    []string // with their subdomains

	// Streams yields what probes know of streams; nil when nothing is measured.
	Streams iter.Seq2[catalog.StreamID, *catalog.Measurement]

	// OnlineSince is after when a probe must have found a stream online for its
	// channel to count as online.
	OnlineSince time.Time

	// Logos yields channels, by their ids or by ones that they once had, with the
	// ids of their logos; nil for none.
	Logos iter.Seq2[string, string]

	// Guides yields the channels, by such ids, of which programmes are known, with
	// the sites that these come from; nil for none.
	Guides iter.Seq2[string, string]

	// Uses yields channels, by such ids, with how much visitors use them; nil for
	// none.
	Uses iter.Seq2[string, Use]
}

// setBlocks takes out of st what is blocked, and returns the numbers of the
// blocked streams.
func (st *State) setBlocks(o *Overlay) []uint32 {
	ix := st.Index
	for _, id := range o.BlockedChannels {
		if doc, ok := ix.Resolve(id); ok {
			if st.Removed == nil {
				st.Removed = docset.NewBits(ix.N)
			}
			st.Removed.Add(doc)
		}
	}
	blocked := st.blockedStreams(o)
	if len(blocked) > 0 {
		st.setQualities(blocked)
	}
	return blocked
}

// blockedStreams fills in st.blocked and returns its numbers.
func (st *State) blockedStreams(o *Overlay) []uint32 {
	ix := st.Index
	var list []uint32
	for _, id := range o.BlockedStreams {
		if i, ok := ix.ResolveStream(id.String()); ok {
			list = append(list, i)
		}
	}
	if hosts := st.blockedHosts(o); len(hosts) > 0 {
		for i, host := range ix.Streams.Host {
			if _, ok := slices.BinarySearch(hosts, host); ok {
				list = append(list, uint32(i))
			}
		}
	}
	if len(list) > 0 {
		st.blocked = docset.NewBits(len(ix.Streams.IDs))
		st.blocked.AddAll(list)
	}
	return list
}

// blockedHosts returns the values, ascending, that begin URLs of blocked hosts.
func (st *State) blockedHosts(o *Overlay) []uint32 {
	if len(o.BlockedHosts) == 0 {
		return nil
	}
	blocked := map[string]bool{}
	for _, host := range o.BlockedHosts {
		blocked[strings.Trim(strings.ToLower(host), ".[] ")] = true
	}
	var values []uint32
	for _, value := range st.Index.Streams.Hosts() {
		for h := hostname(st.Index.Text(value)); h != ""; {
			if blocked[h] {
				values = append(values, value)
				break
			}
			_, h, _ = strings.Cut(h, ".")
		}
	}
	return values
}

// setQualities corrects the records of the qualities that blocked streams had.
func (st *State) setQualities(blocked []uint32) {
	ix := st.Index
	st.Qualities = map[uint32]docset.Set{}
	lost := map[uint32]docset.Bits{} // by quality
	for _, i := range blocked {
		doc, q := ix.Streams.Doc(i), ix.Streams.TraitsOf(i)[snapshot.TraitQuality]
		if q == 0 || slices.Contains(ix.Qualities(nil, doc, st.blocked), posting.Posting{Value: q, Doc: doc}) {
			continue
		}
		if lost[q] == nil {
			lost[q] = docset.NewBits(ix.N)
		}
		lost[q].Add(doc)
	}
	for q, docs := range lost {
		old, _ := ix.Postings[filter.Quality].Set(q)
		var left []uint32
		for _, doc := range old.List {
			if !docs.Has(doc) {
				left = append(left, doc)
			}
		}
		st.Qualities[q] = docset.ListSet(left, ix.N)
	}
}

// hostname returns the host of the URL that begins with prefix, in the form by
// which blocks name it; "" when it has none.
func hostname(prefix string) string {
	u, err := url.Parse(prefix)
	if err != nil {
		return ""
	}
	if host, ok := catalog.Hostname(u.Hostname()); ok {
		return host
	}
	return strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
}
