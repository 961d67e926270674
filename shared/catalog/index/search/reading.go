package search

import (
	"bytes"
	"slices"

	"miramundo.dev/shared/catalog/docset"
	"miramundo.dev/shared/catalog/fold"
)

// A search by relevance takes a query to mean several things at once. Each way
// to read it is a [reading]: the words one by one, two of them written as one, one
// parted where letters meet digits, and so on. A reading is a row of slots, each of which
// a record must fill: with a word of a name in one of some spellings ("1", "one",
// "uno"), or with a value that the words name ("brazil": the country). What any
// reading finds is found; a reading that is farther from what was typed costs its
// records some of their score.

const (
	maxWords     = 10 // of a query; more are not looked at
	maxSpellings = 8  // of a word
	maxReadings  = 16
	maxUnions    = maxWords + 2
)

// What a reading costs its records, in points of a score.
const (
	costJoined    = 15  // two words as one
	costParted    = 20  // a word as two
	costNoise     = 45  // without the words that say nothing, such as "live"
	costCorrected = 130 // a word with letters wrong
	costDropped   = 260 // without a word that is nowhere
)

// A slot is what a reading looks for in the place of some words.
type slot struct {
	word      []byte               // as it was typed
	spellings [maxSpellings][]byte // in names; the first is word
	count     int                  // of spellings
	far       bool                 // the spellings are those of other words, like a misspelled one
	literal   bool                 // the word means nothing but names
}

func (t *slot) add(spelling []byte) {
	if t.count < maxSpellings && !slices.ContainsFunc(t.spellings[:t.count], func(s []byte) bool { return bytes.Equal(s, spelling) }) {
		t.spellings[t.count] = spelling
		t.count++
	}
}

// A reading is one way to take a query.
type reading struct {
	slots []slot
	cost  int
}

// words parts a query into folded words, each once, and notes the key of all of
// them. Words between quotation marks are to be taken literally.
func (r *relevance) words(q string) {
	r.text = r.text[:0]
	r.typed, r.key = r.typed[:0], r.key[:0]
	literal := false
	for len(q) > 0 {
		part := q
		if at := indexQuote(q); at >= 0 {
			part, q = q[:at], q[at+1:]
		} else {
			q = ""
		}
		start := len(r.text)
		r.text = fold.AppendWords(r.text, fold.Spoken(part))
		for word := range bytes.FieldsSeq(r.text[start:]) {
			r.key = fold.AppendKey(r.key, word)
			if len(r.typed) < maxWords && !slices.ContainsFunc(r.typed, func(w typedWord) bool { return bytes.Equal(w.text, word) }) {
				r.typed = append(r.typed, typedWord{word, literal})
			}
		}
		r.text = append(r.text, ' ')
		literal = !literal
	}
}

func indexQuote(q string) int {
	for i := range len(q) {
		if q[i] == '"' {
			return i
		}
	}
	return -1
}

// A typedWord is a word of a query.
type typedWord struct {
	text    []byte
	literal bool
}

// read notes the readings of the typed words, the plainest first.
func (e *Engine) read(r *relevance) {
	r.readings, r.slots = r.readings[:0], r.slots[:0]
	r.begin()
	for i := range r.typed {
		r.put(e, &r.typed[i])
	}
	r.end(0)
	e.readJoined(r)
	e.readParted(r)
}

// begin starts a reading; end completes it.
func (r *relevance) begin() { r.first = len(r.slots) }

func (r *relevance) end(cost int) {
	if len(r.slots) > r.first && len(r.readings) < maxReadings {
		r.readings = append(r.readings, reading{r.slots[r.first:len(r.slots):len(r.slots)], cost})
	}
}

// put adds a slot for a word to the reading that was begun.
func (r *relevance) put(_ *Engine, w *typedWord) *slot {
	t := slot{word: w.text, literal: w.literal}
	t.add(w.text)
	r.slots = append(r.slots, t)
	return &r.slots[len(r.slots)-1]
}

// readJoined reads each two neighbours as one word, where names have it.
func (e *Engine) readJoined(r *relevance) {
	for i := 0; i+1 < len(r.typed); i++ {
		joined := r.keep(r.typed[i].text, r.typed[i+1].text)
		if lo, hi := e.ix.Words.Span(joined); lo == hi {
			continue
		}
		r.begin()
		for k := range r.typed {
			switch k {
			case i:
				r.put(e, &typedWord{joined, r.typed[i].literal})
			case i + 1:
			default:
				r.put(e, &r.typed[k])
			}
		}
		r.end(costJoined)
	}
}

// keep returns the texts as one, in memory of r.
func (r *relevance) keep(texts ...[]byte) []byte {
	from := len(r.kept)
	for _, t := range texts {
		r.kept = append(r.kept, t...)
	}
	return r.kept[from:len(r.kept):len(r.kept)]
}

// readParted reads words as two, where names have both: where letters meet
// digits, or else where the first part is a whole word.
func (e *Engine) readParted(r *relevance) {
	for i := range r.typed {
		word := r.typed[i].text
		var at [4]int
		for _, at := range e.partings(word, at[:0]) {
			r.begin()
			for k := range r.typed {
				if k == i {
					r.put(e, &typedWord{word[:at:at], r.typed[i].literal})
					r.put(e, &typedWord{word[at:], r.typed[i].literal})
				} else {
					r.put(e, &r.typed[k])
				}
			}
			r.end(costParted)
		}
	}
}

// partings adds to dst where a word may be parted.
func (e *Engine) partings(word []byte, dst []int) []int {
	for at := 1; at < len(word); at++ {
		if isDigit(word[at-1]) != isDigit(word[at]) && word[at] < 0x80 {
			return append(dst, at)
		}
	}
	return e.ix.Words.Partings(dst, word)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// find returns the records that fill every slot of a reading, and pass the
// filters, which must be in s.sets up to base.
func (e *Engine) find(s *scratch, rd *reading, base int, whole bool) (result, bool) {
	s.sets = s.sets[:base]
	for i := range rd.slots {
		set, ok := e.slotSet(s, &rd.slots[i], i, whole)
		if !ok {
			return result{}, false
		}
		s.sets = append(s.sets, set)
	}
	return e.intersect(s), true
}

// slotSet returns the records that fill a slot: with a word of a name that begins
// with a spelling, or is it. It reports false when none does.
func (e *Engine) slotSet(s *scratch, t *slot, i int, whole bool) (docset.Set, bool) {
	s.parts = s.parts[:0]
	for _, spelling := range t.spellings[:t.count] {
		lo, hi := e.ix.Words.Span(spelling)
		if lo == hi {
			continue
		}
		if whole || t.far {
			if !bytes.Equal(e.ix.Words.At(lo), spelling) {
				continue
			}
			hi = lo + 1
		}
		s.parts = append(s.parts, e.wordSet(s, len(s.parts)+i*maxSpellings, span{lo, hi}))
	}
	return e.unite(s, i)
}

// unite returns the union of s.parts, in the i-th memory of s for unions. It
// reports false when it is empty.
func (e *Engine) unite(s *scratch, i int) (docset.Set, bool) {
	switch len(s.parts) {
	case 0:
		return docset.Set{}, false
	case 1:
		return s.parts[0], true
	}
	size := 0
	for _, p := range s.parts {
		size += p.Size
	}
	for len(s.unions) <= i {
		s.unions = append(s.unions, nil)
	}
	s.unions[i] = sized(s.unions[i], e.ix.N)
	b := s.unions[i][:(e.ix.N+63)/64]
	clear(b)
	for _, p := range s.parts {
		if p.Bits != nil {
			b.Or(p.Bits)
		} else {
			b.AddAll(p.List)
		}
	}
	set := docset.Set{Size: size, Bits: b}
	if size <= e.ix.N/docset.DriverShare {
		for len(s.united) <= i {
			s.united = append(s.united, nil)
		}
		s.united[i] = b.Append(s.united[i][:0])
		set.List, set.Size = s.united[i], len(s.united[i])
	}
	return set, set.Size > 0
}
