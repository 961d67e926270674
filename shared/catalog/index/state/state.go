// Package state applies to the catalog what changes between its releases.
//
// An [Overlay] says what is blocked, what probes measured, and which channels have logos
// and programmes. A [State] is a layout with an overlay applied: which records are
// removed, playable, online and scheduled, as bitsets by the layout's numbers, and what
// was measured of each stream and record. It is immutable; a change is a new
// State, made in a few milliseconds.
package state

import (
	"time"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/docset"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index/layout"
	"miramundo.dev/shared/catalog/index/layout/posting"
)

// A State is an index with an overlay applied. It is immutable but for what it keeps of
// the countries of a [State.Reach].
type State struct {
	Index *layout.Index

	Removed    docset.Bits // blocked records; nil for none
	blocked    docset.Bits // blocked streams; nil for none
	Playable   docset.Bits
	Flags      [filter.Count]docset.Ranked // of the filters by flag: the records that have it
	Scheduled  docset.Ranked               // records whose programmes are known
	guideSites []string                    // of which programmes come
	guideSite  []uint8                     // by record: 1 + which of guideSites its programmes come from, or 0; nil without guides
	Qualities  map[uint32]docset.Set       // those that blocks changed, by value

	Measured     []*catalog.Measurement // by stream; nil while nothing is measured
	LastMeasured []uint32               // by record: 1 + which of its streams was measured last, or 0; nil without measurements
	Scores       []uint8                // by record: 1 + its measured score, or 0; nil without measurements
	ByScore      posting.Order          // by measured score, then by rating

	Ratings  []uint16 // by record: how well it is known, with what was measured and counted
	ByRating posting.Order

	since time.Time // after when a stream must have been found online to count as online
	reach reach
}

// New applies an overlay to ix. It takes time in proportion to
// the records, a few milliseconds for 100,000, and to what the overlay holds,
// about half a microsecond for each stream.
func New(ix *layout.Index, o *Overlay) *State {
	st := &State{Index: ix, since: o.OnlineSince}
	st.setMeasured(o)
	blocked := st.setBlocks(o)
	st.setHealth(blocked)
	st.setGuides(o)
	st.setRatings(o, blocked)
	return st
}

// Shown returns the record that an id, or one that it replaced, leads to
// unless it is blocked.
func (st *State) Shown(id string) (uint32, bool) {
	doc, ok := st.Index.Resolve(id)
	return doc, ok && !st.IsRemoved(doc)
}

// IsRemoved reports whether record doc is blocked.
func (st *State) IsRemoved(doc uint32) bool { return st.Removed != nil && st.Removed.Has(doc) }

// IsBlocked reports whether stream i is blocked.
func (st *State) IsBlocked(i uint32) bool { return st.blocked != nil && st.blocked.Has(i) }
