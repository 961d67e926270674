package state

import (
	"slices"
	"time"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/docset"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/snapshot"
)

// setMeasured notes what is known of each stream.
func (st *State) setMeasured(o *Overlay) {
	if o.Streams == nil {
		return
	}
	streams := &st.Index.Streams
	measured, any := make([]*catalog.Measurement, len(streams.IDs)), false
	for id, m := range o.Streams {
		if i, ok := streams.Find(id); ok && m != nil {
			measured[i], any = m, true
		}
	}
	if any {
		st.Measured = measured
	}
}

// Measurement returns what is known of stream i; nil when that is nothing.
func (st *State) Measurement(i uint32) *catalog.Measurement {
	if st.Measured == nil {
		return nil
	}
	return st.Measured[i]
}

// setHealth decides anew which records of blocked and of measured streams are
// playable, and sums up what was measured of each record.
func (st *State) setHealth(blocked []uint32) {
	ix := st.Index
	online := docset.NewBits(ix.N)
	st.Playable = ix.Playable
	if len(blocked) > 0 || st.Measured != nil {
		st.Playable = slices.Clone(ix.Playable)
	}
	for _, i := range blocked {
		st.decide(ix.Streams.Doc(i))
	}
	if st.Measured != nil {
		st.LastMeasured, st.Scores = make([]uint32, ix.N), make([]uint8, ix.N)
		start := uint32(0)
		for doc, end := range ix.Streams.Ends {
			for i := start; i < end; i++ {
				if st.Measured[i] != nil {
					st.decide(uint32(doc))
					st.sum(uint32(doc), i, end, online)
					break
				}
			}
			start = end
		}
	}
	st.Flags[filter.Online] = docset.Rank(online)
}

// sum notes of record doc what was measured of its streams from start to end.
// Blocked ones do not count.
func (st *State) sum(doc, start, end uint32, online docset.Bits) {
	for i := start; i < end; i++ {
		m := st.Measured[i]
		if m == nil || st.IsBlocked(i) {
			continue
		}
		if st.isRecent(m.OnlineAt) {
			online.Add(doc)
		}
		if s := m.Health.Score; s != nil {
			st.Scores[doc] = max(st.Scores[doc], 1+uint8(min(max(*s, 0), 100)))
		}
		if last := st.LastMeasured[doc]; last == 0 || later(m.Health.CheckedAt, st.Measured[last-1].Health.CheckedAt) {
			st.LastMeasured[doc] = i + 1
		}
	}
}

// later reports whether a, a time in RFC 3339, is after b. None is before all,
// and so is what is no time.
func later(a, b *string) bool {
	if a == nil || b == nil {
		return a != nil
	}
	if n := len(*a); n == len(time.DateTime)+1 && n == len(*b) && (*a)[n-1] == 'Z' && (*b)[n-1] == 'Z' {
		return *a > *b
	}
	x, _ := time.Parse(time.RFC3339, *a)
	y, _ := time.Parse(time.RFC3339, *b)
	return x.After(y)
}

// decide notes whether record doc has a usable stream.
func (st *State) decide(doc uint32) {
	st.Playable.Remove(doc)
	start, end := st.Index.Streams.Of(doc)
	for i := start; i < end; i++ {
		if st.Usable(i) {
			st.Playable.Add(doc)
			return
		}
	}
}

// Usable reports whether stream i is thought to play: as its last measurement
// says when that was clear, or else as the register says. What plays only with
// headers that pages cannot send is not usable. A stream that is blocked for
// some places only is left as it was.
func (st *State) Usable(i uint32) bool {
	if st.IsBlocked(i) {
		return false
	}
	if m := st.Measurement(i); m != nil {
		switch m.Health.Status {
		case "online":
			return !m.Closed
		case "offline", "timeout", "error":
			return false
		}
	}
	return st.Index.Streams.TraitsOf(i)[snapshot.TraitPlayable] != 0
}

// HealthOf returns what was measured of record doc; nil when that is nothing.
func (st *State) HealthOf(doc uint32) *catalog.MeasuredHealth {
	if st.LastMeasured == nil || st.LastMeasured[doc] == 0 {
		return nil
	}
	h := &catalog.MeasuredHealth{Online: st.Flags[filter.Online].Has(doc), CheckedAt: st.Measured[st.LastMeasured[doc]-1].Health.CheckedAt}
	if s := int(st.Scores[doc]); s > 0 {
		s--
		h.Score = &s
	}
	return h
}
