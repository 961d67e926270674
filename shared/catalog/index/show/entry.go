package show

import (
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index/layout"
	"miramundo.dev/shared/catalog/rank"
)

// Links returns where the parts of the service are.
func (v *View) Links() catalog.LinkBase { return v.links }

// An Entry is a channel with the one stream of it that a list gives to players.
type Entry struct {
	Channel *catalog.Channel      // as search shows it
	Stream  *catalog.StreamRecord // nil when it has none that a list can give
}

// Entry returns a channel, by its id or by one that it once had, with the
// stream that c should play: that which pinned names as Stream takes it, while
// it is of the channel, not blocked and not dead, and otherwise the best. It
// reports false when there is no such channel to be shown.
func (v *View) Entry(id, pinned string, locale int, c rank.Caller) (*Entry, bool) {
	doc, ok := v.now.Shown(id)
	if !ok {
		return nil, false
	}
	return v.entry(doc, pinned, locale, c), true
}

// EntryAt returns a record that Find found, with its best stream for c.
func (v *View) EntryAt(doc uint32, locale int, c rank.Caller) *Entry {
	return v.entry(doc, "", locale, c)
}

func (v *View) entry(doc uint32, pinned string, locale int, c rank.Caller) *Entry {
	r := v.record(doc)
	start, end := v.ix.Streams.Of(doc)
	chosen := -1
	if i, ok := v.streamNumber(pinned); ok && start <= i && i < end {
		chosen = int(i - start)
	}
	p := &Entry{Channel: v.channel(doc, &r, layout.SupportedLocale(locale))}
	if at := choose(rank.Order(&r, v.candidates(&r, start), c), chosen, c); at >= 0 {
		p.Stream = &r.Streams[at]
	}
	return p
}

// choose returns which of the streams in order a list gives; -1 when there is
// none.
func choose(order []rank.Candidate, pinned int, c rank.Caller) int {
	best, merit := -1, unfit
	for i := range order {
		if m := fitness(&order[i], pinned, c); m < merit {
			best, merit = order[i].At, m
		}
	}
	return best
}

// How well a stream fits a list, the best first.
const (
	pinnedAlive = iota
	mediaAlive
	pageAlive
	pinnedDead
	dead
	unfit // has no address that all players could open
)

// fitness returns how well a stream fits a list. What plays only on the
// pages of its platform is taken where nothing else seems to play.
func fitness(s *rank.Candidate, pinned int, c rank.Caller) int {
	gone := rank.Dead(s, c)
	switch {
	case s.Stream.Kind == catalog.StreamExternal:
		return unfit
	case s.At == pinned && !gone:
		return pinnedAlive
	case s.At == pinned:
		return pinnedDead
	case gone:
		return dead
	case s.Stream.Kind == catalog.StreamYouTube:
		return pageAlive
	}
	return mediaAlive
}
