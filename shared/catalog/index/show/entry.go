package show

import (
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index/layout"
	"miramundo.dev/shared/catalog/index/layout/recordtext"
	"miramundo.dev/shared/catalog/jsontext"
	"miramundo.dev/shared/catalog/rank"
	"miramundo.dev/shared/catalog/snapshot"
)

// Links returns where the parts of the service are.
func (v *View) Links() catalog.LinkBase { return v.links }

// An Entry is a channel with the one stream of it that a list gives to players.
type Entry struct {
	Channel catalog.Listing
	Stream  *catalog.StreamRecord // nil when it has none that a list can give
}

// Entries returns the entries of one list. It shares between them what many channels
// have in common. It must not be used concurrently.
type Entries struct {
	view    *View
	locale  int
	caller  rank.Caller
	tongues map[uint32]tongues // by group of records
}

// tongues are the languages of a group of records.
type tongues struct{ codes, labels []string }

// Entries returns what gives the entries of a list for a caller. Locale is the position
// in catalog.Labels of the language of labels.
func (v *View) Entries(locale int, c rank.Caller) *Entries {
	return &Entries{view: v, locale: layout.SupportedLocale(locale), caller: c, tongues: map[uint32]tongues{}}
}

// Of returns the entry of a channel, by its id or by one that it once had, with the
// stream that the caller should play: that which pinned names as Stream takes it, while
// it is of the channel, not blocked and not dead, and otherwise the best. It
// reports false when there is no such channel to be shown.
func (e *Entries) Of(id, pinned string) (Entry, bool) {
	doc, ok := e.view.now.Shown(id)
	if !ok {
		return Entry{}, false
	}
	return Entry{e.listing(doc), e.stream(doc, pinned)}, true
}

// At returns the entry of a record that Find found, with its best stream for the caller.
func (e *Entries) At(doc uint32) Entry { return Entry{e.listing(doc), e.stream(doc, "")} }

// listing returns what a list shows of record doc.
func (e *Entries) listing(doc uint32) catalog.Listing {
	v, ix := e.view, e.view.ix
	row, t := &ix.Rows[doc], ix.Texts(doc)
	topic, state := ix.Topics.Row(row.Topic), ix.States.Row(row.State)
	spoken := e.tonguesOf(row.Tongue)
	l := catalog.Listing{
		ID: jsontext.Text(t.Part[recordtext.ID]), Name: jsontext.Text(t.Part[recordtext.Name]), Kind: catalog.Kind(state[snapshot.StateKind]),
		Country: ix.Text(topic[snapshot.TopicCountry]), Languages: spoken.codes, LanguageLabels: spoken.labels,
		Quality: ix.Text(state[snapshot.StateQuality]),
	}
	if categories := ix.Lists.At(topic[snapshot.TopicCategoryList]); len(categories) > 0 {
		l.Category = v.categoryLabel(ix.Text(categories[0]), e.locale)
	}
	if site := t.Part[recordtext.Website]; site[0] == '"' {
		l.Website = jsontext.Text(site[1 : len(site)-1])
	}
	if logo := v.logos.of(doc); logo != nil {
		l.Logo = v.logos.base + string(logo)
	}
	return l
}

// tonguesOf returns the languages of a group of records.
func (e *Entries) tonguesOf(group uint32) tongues {
	t, ok := e.tongues[group]
	if !ok {
		t.codes = e.view.ix.LanguagesOf(group)
		t.labels = e.view.languageLabels(t.codes, e.locale)
		e.tongues[group] = t
	}
	return t
}

// stream returns the stream of record doc that the caller should play; nil when a list
// cannot give any.
func (e *Entries) stream(doc uint32, pinned string) *catalog.StreamRecord {
	v := e.view
	start, end := v.ix.Streams.Of(doc)
	if start == end {
		return nil
	}
	chosen := -1
	if pinned != "" {
		if i, ok := v.streamNumber(pinned); ok && start <= i && i < end {
			chosen = int(i - start)
		}
	}
	r := catalog.Record{Streams: v.streams(start, end)}
	if len(r.Streams) > 1 {
		r.Country, r.BroadcastArea = v.ix.AreaOf(doc)
	}
	if at := choose(rank.Order(&r, v.candidates(&r, start), e.caller), chosen, e.caller); at >= 0 {
		return &r.Streams[at]
	}
	return nil
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
