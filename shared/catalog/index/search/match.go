package search

import (
	"bytes"

	"miramundo.dev/shared/catalog/snapshot"
)

// How well a name matches a reading, in points. A name that is the query, whatever
// its spaces, has them all; any other has pointsWords when each slot of the
// reading is filled by one of its words, and more the more of the name is
// matched, in the order of the query, and by whole words.
const (
	pointsExact    = 1000
	pointsWords    = 560
	pointsWhole    = 90  // every slot is a whole word
	pointsCoverage = 220 // of the letters of the name
	pointsOrder    = 40
	pointsStart    = 30
	pointsOthers   = 420 // several names together fill the slots

	lossOther = 15 // for another name than the one that is shown
	lossFeed  = 25
)

// A scorer scores candidates of one search.
type scorer struct {
	e        *Engine
	r        *relevance
	near     uint32 // value: the caller's country; 0 for unknown
	language uint32 // value: the caller's language; 0 for unknown
	playable bool   // all candidates are playable
}

func (e *Engine) newScorer(s *scratch, q *Query) scorer {
	c := scorer{e: e, r: &s.relevance, playable: q.Playable}
	if q.Near != "" {
		c.near, _ = e.ix.ValueNumber(q.Near)
	}
	if q.Speaks != "" {
		c.language, _ = e.ix.ValueNumber(q.Speaks)
	}
	return c
}

// score returns how well doc answers a reading, never negative.
func (c *scorer) score(doc uint32, rd *reading) int {
	points := c.match(doc, rd) - rd.cost
	points += int(c.e.now.Ratings[doc]) * ratingShare / 100
	ix := c.e.ix
	if row := &ix.Rows[doc]; c.near != 0 && ix.Topics.Row(row.Topic)[snapshot.TopicCountry] == c.near {
		points += forCountry
	}
	if c.language != 0 && c.speaks(doc) {
		points += forLanguage
	}
	if !c.playable && c.e.now.Playable.Has(doc) {
		points += forPlayable
	}
	return max(points, 0)
}

func (c *scorer) speaks(doc uint32) bool {
	ix := c.e.ix
	for _, v := range ix.Lists.At(ix.Tongues.Row(ix.Rows[doc].Tongue)[snapshot.TongueList]) {
		if v == c.language {
			return true
		}
	}
	return false
}

// match returns how well the names of doc match a reading.
func (c *scorer) match(doc uint32, rd *reading) int {
	for _, n := range c.r.named {
		if n.doc == doc {
			return pointsExact - loss(n.class)
		}
	}
	best := pointsOthers
	for names := c.e.namesOf(doc, &c.r.folded); names.next(); {
		if points, ok := matchName(names.words, rd); ok {
			best = max(best, points-loss(names.class))
		}
		if best > pointsExact-lossOther {
			break
		}
	}
	return best
}

func loss(class snapshot.NameClass) int {
	switch class {
	case snapshot.OwnName:
		return 0
	case snapshot.OtherName:
		return lossOther
	}
	return lossFeed
}

// matchName returns how well the words of one name match a reading. It reports
// false when they do not fill every slot.
func matchName(name []byte, rd *reading) (points int, ok bool) {
	filled, last := 0, -1
	total, matched := 0, 0
	whole, order, start := true, true, false
	for at := 0; at < len(name); {
		word := name[at:]
		if end := bytes.IndexByte(word, ' '); end >= 0 {
			word = word[:end]
		}
		weight := weigh(word)
		total += weight
		slot, share := rd.fill(word, filled)
		if slot >= 0 {
			matched += weight * share / 16
			filled |= 1 << slot
			whole = whole && share == 16
			order = order && slot == last+1
			start = start || at == 0
			last = slot
		}
		at += len(word) + 1
	}
	if filled != 1<<len(rd.slots)-1 || total == 0 {
		return 0, false
	}
	points = pointsWords + pointsCoverage*matched/total
	if whole {
		points += pointsWhole
	}
	if order {
		points += pointsOrder
	}
	if start {
		points += pointsStart
	}
	return min(points, pointsExact), true
}

// fill returns which slot of the reading a word of a name fills that is not
// filled, and how much of the word is typed, in sixteenths; -1 for none.
func (rd *reading) fill(word []byte, filled int) (slot, share int) {
	slot = -1
	for i := range rd.slots {
		if filled&(1<<i) != 0 {
			continue
		}
		t := &rd.slots[i]
		for k, spelling := range t.spellings[:t.count] {
			if !bytes.HasPrefix(word, spelling) {
				continue
			}
			n := max(1, 15*len(spelling)/len(word))
			if len(spelling) == len(word) {
				n = 16
			}
			if k > 0 || t.far {
				n = max(1, n-1) // another spelling than the typed one
			}
			if n > share {
				slot, share = i, n
			}
		}
		if share == 16 {
			break
		}
	}
	return slot, share
}

// weigh returns how much a word says about which channel a name names.
func weigh(word []byte) int {
	switch string(word) {
	case "tv", "radio", "fm", "am", "channel", "canal", "hd", "sd", "the", "la", "le", "el", "de", "television", "tele", "online", "live", "station", "network":
		return 1
	}
	return min(max(len(word), 2), 8)
}
