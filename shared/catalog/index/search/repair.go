package search

import (
	"math/bits"

	"miramundo.dev/shared/catalog/lexicon"
)

// correct reads the query with misspelled words replaced by words that resemble
// them: those that are nowhere, or else each in turn.
func (e *Engine) correct(u *union) {
	r := &u.s.relevance
	missing := 0
	for i := range r.typed {
		if e.frequency(r.typed[i].text) == 0 {
			missing |= 1 << i
		}
	}
	if missing != 0 {
		e.readCorrected(u, missing)
		return
	}
	for i := range r.typed {
		e.readCorrected(u, 1<<i)
	}
}

// readCorrected reads the query with the words of a set replaced.
func (e *Engine) readCorrected(u *union, set int) {
	r := &u.s.relevance
	r.begin()
	for i := range r.typed {
		t := e.put(r, &r.typed[i], i)
		if set&(1<<i) == 0 {
			continue
		}
		var room [lexicon.MaxNear]int
		near := e.ix.Words.Near(room[:0], t.word)
		if len(near) == 0 {
			r.slots = r.slots[:r.first]
			return
		}
		t.count, t.far, t.senses = 0, true, nil
		for _, word := range near {
			t.add(e.ix.Words.At(word))
		}
	}
	if n := len(r.readings); n < maxReadings {
		r.end(costCorrected * bits.OnesCount(uint(set)))
		u.add(n)
	}
}

// drop reads the query without the words that are nowhere or, when each is
// somewhere but not together, without each in turn. What is left must be at least half of
// what was typed.
func (e *Engine) drop(u *union) {
	r := &u.s.relevance
	missing := 0
	for i := range r.typed {
		if e.frequency(r.typed[i].text) == 0 {
			missing |= 1 << i
		}
	}
	if missing != 0 {
		e.readWithout(u, missing, costDropped)
		return
	}
	for i := range r.typed {
		e.readWithout(u, 1<<i, costDropped)
	}
}

// readWithout reads the query without the words of a set, unless too little is
// left.
func (e *Engine) readWithout(u *union, set, cost int) {
	r := &u.s.relevance
	left, all := 0, 0
	for i := range r.typed {
		all += len(r.typed[i].text)
		if set&(1<<i) == 0 {
			left += len(r.typed[i].text)
		}
	}
	if 2*left < all || left == 0 || len(r.readings) == maxReadings {
		return
	}
	r.begin()
	for i := range r.typed {
		if set&(1<<i) == 0 {
			e.put(r, &r.typed[i], i)
		}
	}
	r.end(cost * bits.OnesCount(uint(set)))
	u.add(len(r.readings) - 1)
}
