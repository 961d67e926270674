package search

import (
	"math/bits"
	"slices"

	"miramundo.dev/shared/catalog/lexicon"
)

// repair looks for what may have been meant by a query that finds little: first
// with misspelled words corrected, then without words that are nowhere. A query in
// another script is repaired as it is written in Latin letters too.
func (e *Engine) repair(u *union) {
	r := &u.s.relevance
	e.correct(u, r.typed, true)
	e.drop(u, r.typed, true)
	if latin := r.latinWords(); len(latin) > 0 {
		e.correct(u, latin, false)
		e.drop(u, latin, false)
	}
}

// correctUnknown corrects the words that only begin words of names, when they are
// long enough to be misspelled: the last one, which may be half typed, only when
// n, which is how much was found, is little.
func (e *Engine) correctUnknown(u *union, n int) {
	r := &u.s.relevance
	set := 0
	for i := range r.typed {
		word := r.typed[i].text
		if len(word) >= unknownFrom && !e.isWord(word) && (i+1 < len(r.typed) || n < fewForTyping) {
			set |= 1 << i
		}
	}
	if set != 0 {
		e.readCorrected(u, r.typed, true, set)
	}
}

const (
	unknownFrom  = 5  // letters
	fewForTyping = 12 // results
)

// isWord reports whether a name has the word as a whole.
func (e *Engine) isWord(word []byte) bool {
	for _, words := range [...]*lexicon.Lexicon{e.ix.Words, e.ix.Others} {
		if lo, hi := words.Span(word); lo < hi && len(words.At(lo)) == len(word) {
			return true
		}
	}
	return false
}

// latinWords returns the words of a query in another script in Latin letters, as
// the most usual romanisation has them.
func (r *relevance) latinWords() []typedWord {
	if r.latin || len(r.romanised) == 0 {
		return nil
	}
	r.latinTyped = r.latinTyped[:0]
	from := len(r.kept)
	r.kept = append(r.kept, r.romanised...)
	r.latinTyped = takeWords(r.latinTyped, r.kept[from:], false)
	return r.latinTyped
}

// missing returns the words that are nowhere, one bit each.
func (e *Engine) missing(words []typedWord) (set int) {
	for i := range words {
		if e.frequency(words[i].text) == 0 {
			set |= 1 << i
		}
	}
	return set
}

// correct reads words with those that are nowhere replaced by words that resemble
// them or, when each is somewhere, with each replaced in turn. Typed says that
// they are the typed words.
func (e *Engine) correct(u *union, words []typedWord, typed bool) {
	if set := e.missing(words); set != 0 {
		e.readCorrected(u, words, typed, set)
	} else {
		for _, i := range e.rarest(u, words) {
			e.readCorrected(u, words, typed, 1<<i)
		}
	}
	for i := range min(max(len(words)-1, 0), maxRepaired) {
		e.readJoinedCorrected(u, words, typed, i)
	}
}

// readJoinedCorrected reads word i and the next as one that is misspelled.
func (e *Engine) readJoinedCorrected(u *union, words []typedWord, typed bool, i int) {
	r := &u.s.relevance
	r.begin()
	for k := range words {
		switch k {
		case i:
			if !e.putNear(r, r.keep(words[i].text, words[i+1].text)) {
				return
			}
		case i + 1:
		default:
			e.put(r, &words[k], position(k, typed))
		}
	}
	u.read(costCorrected + costJoined)
}

// putNear adds a slot for the words that resemble a word, to the reading that was
// begun. It reports false, and ends that, when there are none.
func (e *Engine) putNear(r *relevance, word []byte) bool {
	t := slot{word: word, far: true, from: -1}
	var room [lexicon.MaxNear]int
	for _, words := range []*lexicon.Lexicon{e.ix.Words, e.ix.Others} {
		for _, i := range words.Near(room[:0], word) {
			t.add(words.At(i))
		}
	}
	if t.count == 0 {
		r.slots = r.slots[:r.first]
		return false
	}
	r.slots = append(r.slots, t)
	return true
}

// readCorrected reads words with those of a set replaced.
func (e *Engine) readCorrected(u *union, words []typedWord, typed bool, set int) {
	r := &u.s.relevance
	r.begin()
	for i := range words {
		if set&(1<<i) == 0 {
			e.put(r, &words[i], position(i, typed))
		} else if !e.putNear(r, words[i].text) {
			return
		}
	}
	u.read(costCorrected * bits.OnesCount(uint(set)))
}

// position returns where a word is among the typed ones; -1 for another word.
func position(i int, typed bool) int {
	if !typed {
		return -1
	}
	return i
}

// drop reads words without those that are nowhere or, when each is somewhere but
// not together, without each in turn.
func (e *Engine) drop(u *union, words []typedWord, typed bool) {
	if set := e.missing(words); set != 0 {
		e.readWithout(u, words, typed, set)
		return
	}
	for _, i := range e.rarest(u, words) {
		e.readWithout(u, words, typed, 1<<i)
	}
}

// maxRepaired is how many words of a query are corrected or dropped in turn.
const maxRepaired = 4

// rarest returns the positions of the rarest words, maxRepaired at most.
func (e *Engine) rarest(u *union, words []typedWord) []int {
	r := &u.s.relevance
	r.rare = r.rare[:0]
	for i := range words {
		r.rare = append(r.rare, i)
	}
	slices.SortStableFunc(r.rare, func(a, b int) int { return e.frequency(words[a].text) - e.frequency(words[b].text) })
	return r.rare[:min(len(r.rare), maxRepaired)]
}

// readWithout reads words without those of a set, unless less than half of the
// letters are left.
func (e *Engine) readWithout(u *union, words []typedWord, typed bool, set int) {
	r := &u.s.relevance
	left, all := 0, 0
	for i := range words {
		all += len(words[i].text)
		if set&(1<<i) == 0 {
			left += len(words[i].text)
		}
	}
	if 2*left < all || left == 0 {
		return
	}
	r.begin()
	for i := range words {
		if set&(1<<i) == 0 {
			e.put(r, &words[i], position(i, typed))
		}
	}
	u.read(costDropped * bits.OnesCount(uint(set)))
}

// read completes the reading that was begun, and adds what it finds.
func (u *union) read(cost int) {
	r := &u.s.relevance
	if len(r.readings) < maxReadings {
		r.end(cost)
		u.addAll()
	}
}
