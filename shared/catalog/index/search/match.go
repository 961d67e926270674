package search

import (
	"bytes"
	"math/bits"

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
	pointsSensed   = 700 // values fill all slots
	pointsBoth     = 20  // for a value beside the name

	lossOther    = 15 // for another name than the one that is shown
	lossFeed     = 25
	lossFeedOnly = 220 // for a feed whose channel is not named, such as "BBC Earth Greece" for "greece"
	lossLatin    = 60
	lossSensed   = 50 // for a name that fills only the slots that no value does
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

// match returns how well doc fills the slots of a reading.
func (c *scorer) match(doc uint32, rd *reading) int {
	for _, n := range c.r.named {
		if n.doc == doc {
			return pointsExact - loss(n.class)
		}
	}
	sensed, doubt := c.sensed(doc, rd)
	all := 1<<len(rd.slots) - 1
	best := pointsOthers
	if sensed == all {
		best = pointsSensed - doubt
	}
	names := c.e.namesOf(doc, &c.r.folded)
	for names.latin = c.r.latin; names.next(); {
		m := matchName(names.words, names.channel, rd)
		points := m.points - loss(names.class)
		switch {
		case m.filled == 0 || m.filled|sensed != all:
			continue
		case m.filled == all:
			points += pointsBoth * bits.OnesCount(uint(sensed))
		default:
			points -= lossSensed + doubt/2
		}
		if best = max(best, points); best > pointsExact-lossOther {
			break
		}
	}
	return min(best, pointsExact)
}

// sensed returns the slots of a reading that a value of doc fills, and how much
// is in doubt whether that was meant.
func (c *scorer) sensed(doc uint32, rd *reading) (slots, doubt int) {
	for i := range rd.slots {
		strength := 0
		for k := range rd.slots[i].senses {
			if s := &rd.slots[i].senses[k]; int(s.Strength) > strength && s.Has(doc) {
				strength = int(s.Strength)
			}
		}
		if strength > 0 {
			slots |= 1 << i
			doubt = max(doubt, 255-strength)
		}
	}
	return slots, doubt
}

func loss(class snapshot.NameClass) int {
	switch class {
	case snapshot.OwnName:
		return 0
	case snapshot.OtherName:
		return lossOther
	case snapshot.NameOfFeed:
		return lossFeed
	}
	return lossLatin
}

// A nameMatch is how a name fills the slots of a reading.
type nameMatch struct {
	filled int // slots, one bit each
	points int
}

// matchName returns how the words of one name fill the slots of a reading. The
// first own bytes of the name are that of the channel, when the rest only names
// a feed of it, and the rest alone says little.
func matchName(name []byte, own int, rd *reading) nameMatch {
	filled, last := 0, -1
	total, matched := 0, 0
	whole, order, start, byFeed := true, true, false, own > 0
	for at := 0; at < len(name); {
		word := name[at:]
		if end := wordEnd(word); end < len(word) {
			word = word[:end]
		}
		weight := weigh(word)
		total += weight
		slot, share := rd.fill(word, filled)
		if slot >= 0 {
			matched += weight * share / 16
			filled |= 1 << slot
			whole = whole && share >= 15
			order = order && slot > last
			start = start || at == 0
			byFeed = byFeed && at >= own
			last = slot
		}
		at += len(word) + 1
	}
	if filled == 0 || total == 0 {
		return nameMatch{}
	}
	points := pointsWords + pointsCoverage*matched/total
	if whole {
		points += pointsWhole
	}
	if order {
		points += pointsOrder
	}
	if start {
		points += pointsStart
	}
	if byFeed {
		points -= lossFeedOnly
	}
	return nameMatch{filled, points}
}

// wordEnd returns the length of the first word of a name.
func wordEnd(name []byte) int {
	for i, c := range name {
		if c == ' ' || c == '-' {
			return i
		}
	}
	return len(name)
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
