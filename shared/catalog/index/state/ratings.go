package state

import (
	"slices"

	"miramundo.dev/shared/catalog/index/layout/posting"
	"miramundo.dev/shared/catalog/prior"
)

// A Use is how much our visitors use a channel.
type Use struct{ Plays, Favorites int }

// setRatings rates how well each record is known, as the release rates it and
// with what was measured and counted since, and orders the records by it and by
// their measured score.
func (st *State) setRatings(o *Overlay, blocked []uint32) {
	ix := st.Index
	st.Ratings = ix.Ratings
	if st.Measured != nil || o.Uses != nil || len(blocked) > 0 {
		st.Ratings = slices.Clone(ix.Ratings)
		for _, i := range blocked {
			doc := ix.Streams.Doc(i)
			f := st.Facts(doc)
			st.Ratings[doc] = uint16(prior.Of(&f))
		}
		st.adjust(o)
	}
	st.ByRating = posting.ByRank(ix.N, 16, func(doc uint32) uint32 { return uint32(st.Ratings[doc]) })
	if st.Scores == nil {
		st.ByScore = st.ByRating
		return
	}
	st.ByScore = posting.ByRank(ix.N, 24, func(doc uint32) uint32 { return uint32(st.Scores[doc])<<16 | uint32(st.Ratings[doc]) })
}

// Facts returns what a record is rated by, without its blocked streams.
func (st *State) Facts(doc uint32) prior.Facts {
	f := st.Index.FactsOf(doc)
	start, end := st.Index.Streams.Of(doc)
	for i := start; i < end; i++ {
		f.Streams -= number(st.IsBlocked(i))
	}
	return f
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// adjust changes the ratings of the records that were measured or used.
func (st *State) adjust(o *Overlay) {
	used := map[uint32]Use{}
	if o.Uses != nil {
		for id, use := range o.Uses {
			if doc, ok := st.Index.Resolve(id); ok {
				sum := used[doc]
				used[doc] = Use{sum.Plays + use.Plays, sum.Favorites + use.Favorites}
			}
		}
	}
	for doc := range st.Ratings {
		use := used[uint32(doc)]
		score, offline := -1, false
		if st.LastMeasured != nil && st.LastMeasured[doc] != 0 {
			score, offline = int(st.Scores[doc])-1, !st.Playable.Has(uint32(doc))
		} else if use == (Use{}) {
			continue
		}
		st.Ratings[doc] = uint16(prior.Live(int(st.Ratings[doc]), score, offline, use.Plays, use.Favorites))
	}
}
