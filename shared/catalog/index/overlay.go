package index

import (
	"iter"
	"slices"
	"strings"
	"time"

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

	// Guides yields the channels, by such ids, of which programmes are known; nil
	// for none.
	Guides iter.Seq[string]
}

// setBlocks takes out of v what is blocked, and returns the numbers of the
// blocked streams.
func (v *View) setBlocks(o *Overlay) []uint32 {
	ix := v.ix
	for _, id := range o.BlockedChannels {
		if doc, ok := ix.resolve(id); ok {
			if v.removed == nil {
				v.removed = docset.NewBits(ix.n)
			}
			v.removed.Add(doc)
		}
	}
	blocked := v.blockedStreams(o)
	if len(blocked) > 0 {
		v.setQualities(blocked)
	}
	return blocked
}

// blockedStreams fills in v.blocked and returns its numbers.
func (v *View) blockedStreams(o *Overlay) []uint32 {
	ix := v.ix
	var list []uint32
	for _, id := range o.BlockedStreams {
		if i, ok := ix.resolveStream(id.String()); ok {
			list = append(list, i)
		}
	}
	if hosts := v.blockedHosts(o); len(hosts) > 0 {
		for i, host := range ix.streams.host {
			if _, ok := slices.BinarySearch(hosts, host); ok {
				list = append(list, uint32(i))
			}
		}
	}
	if len(list) > 0 {
		v.blocked = docset.NewBits(len(ix.streams.ids))
		v.blocked.AddAll(list)
	}
	return list
}

// blockedHosts returns the values, ascending, that begin URLs of blocked hosts.
func (v *View) blockedHosts(o *Overlay) []uint32 {
	if len(o.BlockedHosts) == 0 {
		return nil
	}
	blocked := map[string]bool{}
	for _, host := range o.BlockedHosts {
		blocked[strings.Trim(strings.ToLower(host), ".[] ")] = true
	}
	var values []uint32
	for _, value := range v.ix.streams.hosts() {
		for h := hostname(v.ix.text(value)); h != ""; {
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
func (v *View) setQualities(blocked []uint32) {
	ix := v.ix
	v.qualities = map[uint32]docset.Set{}
	lost := map[uint32]docset.Bits{} // by quality
	for _, i := range blocked {
		doc, q := ix.streams.doc(i), ix.streams.traitsOf(i)[snapshot.TraitQuality]
		if q == 0 || slices.Contains(ix.qualities(nil, doc, v.blocked), pair{q, doc}) {
			continue
		}
		if lost[q] == nil {
			lost[q] = docset.NewBits(ix.n)
		}
		lost[q].Add(doc)
	}
	for q, docs := range lost {
		old, _ := ix.classes[filter.Quality].set(q)
		var left []uint32
		for _, doc := range old.List {
			if !docs.Has(doc) {
				left = append(left, doc)
			}
		}
		v.qualities[q] = docset.ListSet(left, ix.n)
	}
}
