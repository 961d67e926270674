package state

import (
	"slices"
	"sync"
	"time"

	"miramundo.dev/shared/catalog/docset"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/rank"
	"miramundo.dev/shared/catalog/snapshot"
)

// Few streams have a label that keeps them from countries. So where a record plays is
// found once for all countries, when it is asked for the first time, and then anew only for
// the records with such a stream.

// A reach is which records play, by the last probes and the labels of streams.
type reach struct {
	once     sync.Once
	open     docset.Bits // records with a stream that plays and that no label keeps
	labelled []labelled  // records with a stream that a label keeps
}

// A labelled is a record with a stream that plays in its broadcast area alone.
type labelled struct {
	doc    uint32
	online bool // a stream with the label plays
	all    bool // every stream has the label
}

// Reach returns the records of which a probe found that a stream plays and no label keeps
// it from a country, and those of which a label keeps every stream from it. Blocked streams
// do not count. The caller may change what it returns.
func (st *State) Reach(country string) (open, shut docset.Bits) {
	st.reach.once.Do(st.setReach)
	open, shut = slices.Clone(st.reach.open), docset.NewBits(st.Index.N)
	for _, l := range st.reach.labelled {
		of, area := st.Index.AreaOf(l.doc)
		switch home := rank.InArea(of, area, country); {
		case home && l.online:
			open.Add(l.doc)
		case !home && l.all:
			shut.Add(l.doc)
		}
	}
	return open, shut
}

func (st *State) setReach() {
	ix := st.Index
	r := &st.reach
	r.open = docset.NewBits(ix.N)
	labels := map[uint32]bool{} // which labels, as values, keep a stream
	start := uint32(0)
	for doc, end := range ix.Streams.Ends {
		l := labelled{doc: uint32(doc), all: true}
		any, playing := false, st.Flags[filter.Online].Has(uint32(doc))
		for i := start; i < end; i++ {
			if st.IsBlocked(i) {
				continue
			}
			label := ix.Streams.TraitsOf(i)[snapshot.TraitLabel]
			keeps, seen := labels[label]
			if !seen {
				keeps = rank.GeoBlocked(ix.Text(label))
				labels[label] = keeps
			}
			online := playing && st.isOnline(i)
			any = any || keeps
			l.online = l.online || keeps && online
			l.all = l.all && keeps
			if online && !keeps {
				r.open.Add(uint32(doc))
			}
		}
		if any {
			r.labelled = append(r.labelled, l)
		}
		start = end
	}
}

// isOnline reports whether the last probe of stream i found that it plays, without headers
// that pages cannot send, and is not too old.
func (st *State) isOnline(i uint32) bool {
	m := st.Measurement(i)
	return m != nil && m.Health.Status == "online" && !m.Closed && st.isRecent(m.OnlineAt)
}

// isRecent reports whether a stream that was last found online at a moment counts as online.
func (st *State) isRecent(at time.Time) bool { return !at.IsZero() && at.After(st.since) }
