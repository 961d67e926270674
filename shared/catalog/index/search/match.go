package search

import (
	"bytes"
	"math/bits"
	"slices"

	"miramundo.dev/shared/catalog/snapshot"
)

// How well a name matches a reading, in points. A name that is the query, whatever
// its spaces, has them all; any other has pointsWords when each slot of the
// reading is filled by one of its words, and more the more of the name is
// matched, in the order of the query, and by whole words.
const (
	pointsExact    = 1000
	pointsWords    = 520
	pointsWhole    = 130 // every slot is a whole word
	pointsCoverage = 180 // of the letters of the name
	pointsFull     = 50  // all letters are, as typed
	pointsOrder    = 105 // the words of the query stand together, in their order
	pointsStart    = 55  // at the beginning
	pointsOthers   = 420 // several names together fill the slots
	pointsSensed   = 760 // values fill all slots
	pointsBoth     = 20  // for a value beside the name

	lossOther    = 40 // for another name than the one that is shown
	lossFeed     = 45
	lossFeedOnly = 220 // for a feed whose channel is not named, such as "BBC Earth Greece" for "greece"
	lossLatin    = 60
	lossMeant    = 130 // for a name that only is the query, when it is the word for a country or the like
	lossSensed   = 50  // for a name that fills only the slots that no value does
)

// A scorer scores candidates of one search.
type scorer struct {
	e         *Engine
	r         *relevance
	near      uint32 // value: the caller's country; 0 for unknown
	language  uint32 // value: the caller's language; 0 for unknown
	playable  bool   // all candidates are playable
	forScript int    // points for a language that the query is written in
	only      int    // the number of the only name that is looked at, from 1, or -1 for none; 0 for all names

	best feedName // whose name matched the last record best; zero when no feed's did
}

// A feedName is a name of a feed, as values.
type feedName struct{ feed, text uint32 }

func (e *Engine) newScorer(s *scratch, q *Query) scorer {
	c := scorer{e: e, r: &s.relevance, playable: q.Playable, forScript: forScript}
	if q.Home != "" {
		c.near, _ = e.ix.ValueNumber(q.Home)
	}
	if q.Speaks != "" {
		c.language, _ = e.ix.ValueNumber(q.Speaks)
	}
	return c
}

// score returns how well doc answers a reading, never negative.
func (c *scorer) score(doc uint32, rd *reading) int {
	points := c.match(doc, rd) - rd.cost
	ix := c.e.ix
	if rating := int(c.e.now.Ratings[doc]); ix.Radio.Has(doc) {
		points += rating * radioShare / 100
	} else {
		points += rating*tvShare/100 + tvOffset
	}
	if row := &ix.Rows[doc]; c.near != 0 && ix.Topics.Row(row.Topic)[snapshot.TopicCountry] == c.near {
		points += forCountry
	}
	spoken, written := c.languages(doc)
	if spoken {
		points += forLanguage
	}
	if written && !c.r.latin {
		points += c.forScript
	}
	if !c.playable && c.e.now.Playable.Has(doc) {
		points += forPlayable
	}
	return max(points, 0)
}

// languages reports whether doc is in the caller's language, and in one that the
// query is written in.
func (c *scorer) languages(doc uint32) (spoken, written bool) {
	if c.language == 0 && len(c.r.written) == 0 {
		return false, false
	}
	ix := c.e.ix
	for _, v := range ix.Lists.At(ix.Tongues.Row(ix.Rows[doc].Tongue)[snapshot.TongueList]) {
		spoken = spoken || v == c.language && v != 0
		written = written || slices.Contains(c.r.written, v)
	}
	return spoken, written
}

// match returns how well doc fills the slots of a reading.
func (c *scorer) match(doc uint32, rd *reading) int {
	c.best = feedName{}
	sensed, doubt := c.sensed(doc, rd)
	all := 1<<len(rd.slots) - 1
	for _, n := range c.r.named {
		if n.doc == doc {
			return pointsExact + pointsBoth*bits.OnesCount(uint(sensed)) - loss(n.class) - c.r.otherwise
		}
	}
	best := pointsOthers
	word := 0
	if sensed != 0 && c.r.latin {
		if _, written := c.languages(doc); written {
			word = forWord
		}
	}
	if sensed == all {
		best = pointsSensed - doubt
	}
	names := c.e.namesOf(doc, &c.r.folded)
	at := 0
	for names.latin = c.r.latin; names.next(); {
		if at++; c.only != 0 && at != c.only {
			continue
		}
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
		if points > best {
			best, c.best = points, feedName{names.feed, names.text}
		}
		if best > pointsExact-2*lossOther {
			break
		}
	}
	return min(best, pointsExact) + word
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
	m := nameMatch{}
	total, matched, last, position := 0, 0, -1, 0
	whole, order, start, byFeed, number := true, true, false, own > 0, false
	for at := 0; at < len(name); position++ {
		word := name[at:][:wordEnd(name[at:])]
		if len(word) == 0 {
			at++
			continue
		}
		weight := weigh(word, position)
		total += weight
		slot, share := rd.fill(word, m.filled)
		after := number
		if number = isDigit(word[0]); number && after {
			share = min(share, 4) // the digits after the point of a frequency
		}
		if slot >= 0 {
			matched += weight * share / 16
			m.filled |= 1 << slot
			whole = whole && share >= 15
			order = order && (last < 0 || slot > last)
			start = start || at == 0 && slot == 0
			byFeed = byFeed && at >= own
			last = slot
		} else if last >= 0 && m.filled != 1<<len(rd.slots)-1 {
			order = false // another word between those of the query
		}
		at += len(word) + 1
	}
	if m.filled == 0 || total == 0 {
		return nameMatch{}
	}
	m.points = pointsWords + pointsCoverage*matched/total +
		when(matched == total && own == 0, pointsFull) + when(whole, pointsWhole) + when(order, pointsOrder) +
		when(start, pointsStart) - when(byFeed, lossFeedOnly)
	return m
}

// when returns points, or 0 when the condition is not met.
func when(met bool, points int) int {
	if met {
		return points
	}
	return 0
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

// weigh returns how much a word says about which channel a name names. What
// stands late in a long name is often a description.
func weigh(word []byte, position int) int {
	switch string(word) {
	case "tv", "radio", "fm", "am", "channel", "canal", "hd", "sd", "the", "la", "le", "el", "de", "television", "tele", "online", "live", "station", "network",
		"mp3", "aac", "128k", "64k", "192k", "320k", "kbps":
		return 2
	}
	weight := 2 * min(max(len(word), 2), 8)
	switch {
	case position >= 6:
		return weight / 4
	case position >= 3:
		return weight / 2
	}
	return weight
}
