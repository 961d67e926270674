package search

import (
	"bytes"
	"slices"

	"miramundo.dev/shared/catalog/docset"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/fold"
	"miramundo.dev/shared/catalog/index/layout/recordtext"
	"miramundo.dev/shared/catalog/meaning"
	"miramundo.dev/shared/catalog/snapshot"
)

// A search by relevance finds what any reading of the query finds (reading.go),
// and orders it in two steps. To compare the names of everything found would take too
// long for a word such as "radio". So the candidates are gathered first: the
// records that have the query as a name, which are found by hash, and of each
// reading the best rated records, those with whole words apart, and those of the
// caller's country apart. Only candidates are scored; all
// else that was found follows them by rating.
//
// The score of a candidate is the sum of how well its best name matches (match.go), a
// share of its rating (package prior), and a little for the caller's country and
// language.

const (
	perReading = 64 // candidates of the plainest reading by rating
	perOther   = 24 // of any other
	perWhole   = 40 // with whole words only
	perCountry = 24 // of the caller's country
)

// What a score is made of, in points beside the up to 1000 of a name.
const (
	radioShare  = 50 // percent of the rating of a station
	tvShare     = 40 // of a TV channel, for which there is less to go by
	tvOffset    = 50 // what a well known channel would lose by the smaller share
	forCountry  = 190
	forLanguage = 35
	forScript   = 110 // the query is written in the script of a language of the record
	forWord     = 300 // it has a word of a language of the record for what it looks for, such as "noticias"
	forPlayable = 60
	fewWords    = 4 // a longer query is only read otherwise when little was found
	fewFound    = 3 // below this many, misspelled words are corrected
)

// A relevance is the memory that a search by relevance works in.
type relevance struct {
	text, kept []byte
	typed      []typedWord
	run        [][]byte // the typed words
	key        []byte   // of the query
	latin      bool     // all of it is in Latin letters
	otherwise  int      // what a name loses that is the query, when this means something else first
	romanised  string   // the query in Latin letters, when it is in others
	latinTyped []typedWord
	written    []uint32 // values: the languages that the query may be written in
	spans      []meaning.Span
	senses     []sense
	slots      []slot
	first      int // slot of the reading that is begun
	readings   []reading
	partings   []int

	asTyped    int // how many records were found before words were corrected or dropped
	sets       []*slotSet
	setCount   int // of sets that are in use
	rare       []int
	filters    []docset.Set // of the query, without its words
	found      docset.Bits
	candidates []candidate
	named      []named
	marked     docset.Bits // candidates; empty between uses
	scored     []uint64
	folded     []byte // names, while they are compared
	words      []byte // a name, likewise
}

// A candidate is a record to be scored as a reading has it.
type candidate struct {
	doc     uint32
	reading uint16
}

// A named is a record that has the whole query as a name.
type named struct {
	doc   uint32
	class snapshot.NameClass
}

// Relevant reports whether q is a search for words by relevance, the only search
// for which a page has hints.
func (q *Query) Relevant() bool { return q.Sort == filter.ByRelevance && q.Q != "" }

// reset empties what an earlier search left.
func (r *relevance) reset() {
	r.spans, r.readings, r.candidates = r.spans[:0], r.readings[:0], r.candidates[:0]
	r.named, r.scored, r.asTyped = r.named[:0], r.scored[:0], 0
}

// relevant returns what any reading of q finds. With counting, no candidates are
// gathered, and words are neither corrected nor dropped.
func (e *Engine) relevant(s *scratch, q *Query, counting bool) result {
	r := &s.relevance
	s.sets = s.sets[:0]
	if !e.addFilters(s, q) {
		return result{}
	}
	if base := &e.unfiltered[q.kind()][number(q.Playable)]; base.Size < e.ix.N {
		s.sets = append(s.sets, docset.Set{Size: base.Size, Bits: base.Bits})
	}
	r.filters = append(r.filters[:0], s.sets...)
	r.setCount = 0
	e.read(r, q, counting)
	u := union{s: s, e: e, q: q, counting: counting}
	e.findNamed(s)
	u.addNamed()
	u.addAll()
	if counting {
		return u.result()
	}
	if len(r.typed) <= fewWords && len(r.named) == 0 || u.total() < fewFound {
		e.readJoined(r)
		e.readParted(r)
		u.addAll()
	}
	r.asTyped = u.total()
	switch n := r.asTyped; {
	case len(r.named) > 0: // what was looked for is there
	case n == 0 || n < fewFound && len(r.typed) < fewWords:
		e.repair(&u)
	default:
		e.correctUnknown(&u, n)
	}
	return u.result()
}

// A union gathers what readings find.
type union struct {
	s    *scratch
	e    *Engine
	q    *Query
	next int  // the reading to add next
	any  bool // found is used

	counting bool // candidates are not needed
}

// addAll adds the readings that were not added yet.
func (u *union) addAll() {
	for ; u.next < len(u.s.relevance.readings); u.next++ {
		u.add(u.next)
	}
}

// add finds the records of a reading and their candidates, and returns how many
// it found.
func (u *union) add(i int) int {
	s, e := u.s, u.e
	r := &s.relevance
	rd := &r.readings[i]
	res, ok := e.find(s, rd, false)
	if !ok || res.total == 0 {
		return 0
	}
	u.merge(&res)
	if u.counting {
		return res.total
	}
	most := perReading
	if i > 0 {
		most = perOther
	}
	e.gather(s, &res, i, most)
	if res.total > most {
		e.gatherNear(s, u.q, &res, i)
		if rd.sensed() {
			e.gatherWritten(s, &res, i)
		}
		if whole, ok := e.find(s, rd, true); ok { // res is overwritten
			e.gather(s, &whole, i, perWhole)
		}
	}
	return res.total
}

// merge adds res to what was found.
func (u *union) merge(res *result) {
	r := &u.s.relevance
	r.found = sized(r.found, u.e.ix.N)
	b := r.found[:(u.e.ix.N+63)/64]
	if !u.any {
		clear(b)
		u.any = true
	}
	if res.bits != nil {
		b.Or(res.bits)
		return
	}
	b.AddAll(res.list)
}

// addNamed adds the records that have the query as a name and pass the filters.
func (u *union) addNamed() {
	r := &u.s.relevance
	for _, n := range r.named {
		if !u.any {
			r.found = sized(r.found, u.e.ix.N)
			clear(r.found[:(u.e.ix.N+63)/64])
			u.any = true
		}
		r.found.Add(n.doc)
		r.candidates = append(r.candidates, candidate{n.doc, 0})
	}
}

func (u *union) total() int {
	if !u.any {
		return 0
	}
	return u.s.relevance.found[:(u.e.ix.N+63)/64].Count()
}

// result returns all that was found.
func (u *union) result() result {
	n := u.total()
	if n == 0 {
		return result{}
	}
	bits := u.s.relevance.found[:(u.e.ix.N+63)/64]
	if n > u.e.ix.N/docset.DriverShare {
		return result{total: n, bits: bits}
	}
	u.s.list = bits.Append(u.s.list[:0])
	return result{total: n, list: u.s.list}
}

// findNamed notes the records that have the query as a name and pass the filters.
func (e *Engine) findNamed(s *scratch) {
	r := &s.relevance
	if len(r.key) == 0 {
		return
	}
	for doc, class := range e.ix.Named(r.key) {
		if e.passes(r.filters, doc) && e.hasKey(s, doc, class) {
			r.named = append(r.named, named{doc, class})
		}
	}
}

// passes reports whether doc is in every set.
func (e *Engine) passes(sets []docset.Set, doc uint32) bool {
	for i := range sets {
		if b := sets[i].Bits; b != nil {
			if !b.Has(doc) {
				return false
			}
		} else if _, ok := slices.BinarySearch(sets[i].List, doc); !ok {
			return false
		}
	}
	return true
}

// hasKey reports whether a name of doc of a class has the key of the query: its
// hash may be that of another by chance, or by somebody's design.
func (e *Engine) hasKey(s *scratch, doc uint32, class snapshot.NameClass) bool {
	r := &s.relevance
	if class == snapshot.Romanised {
		record := e.ix.Record(int(doc)) // seldom: names in other scripts are not kept in Latin
		for name := range snapshot.Names(&record) {
			if s.name = snapshot.AppendKey(s.name[:0], fold.Words(name.Text)); name.Class == class && bytes.Equal(s.name, r.key) {
				return true
			}
		}
		return false
	}
	for names := e.namesOf(doc, &r.folded); names.next(); {
		if names.class != class {
			continue
		}
		r.words = recordtext.Unhyphenate(append(r.words[:0], names.words...))
		if s.name = snapshot.AppendKey(s.name[:0], r.words); bytes.Equal(s.name, r.key) {
			return true
		}
	}
	return false
}

// gather notes the best rated records of res as candidates, n at most.
func (e *Engine) gather(s *scratch, res *result, reading, n int) {
	r := &s.relevance
	note := func(docs []uint32) {
		for _, doc := range docs {
			r.candidates = append(r.candidates, candidate{doc, uint16(reading)})
		}
	}
	if res.total <= n && res.bits == nil {
		note(res.list)
		return
	}
	s.page = s.page[:0]
	e.pageInOrder(s, res, &e.now.ByRating, 0, n)
	note(s.page)
}

// gatherNear notes the best rated records of res in the caller's country.
func (e *Engine) gatherNear(s *scratch, q *Query, res *result, reading int) {
	here, ok := e.countrySet(q)
	if !ok {
		return
	}
	near := e.within(s, res, here)
	e.gather(s, &near, reading, perCountry)
}

// gatherWritten notes the best rated records of res in the languages that the query
// may be written in.
func (e *Engine) gatherWritten(s *scratch, res *result, reading int) {
	for _, value := range s.relevance.written[:min(len(s.relevance.written), 3)] {
		if set, ok := e.ix.Postings[filter.Language].Set(value); ok {
			in := e.within(s, res, set)
			e.gather(s, &in, reading, perCountry)
		}
	}
}

// sensed reports whether a slot of the reading is filled by values.
func (rd *reading) sensed() bool {
	return slices.ContainsFunc(rd.slots, func(t slot) bool { return len(t.senses) > 0 })
}

// pageByRelevance fills s.page with a page of res: the candidates by their
// scores, then the others by rating.
func (e *Engine) pageByRelevance(s *scratch, q *Query, res *result, skip, limit int) {
	r := &s.relevance
	e.scoreAll(s, q)
	s.page = s.page[:0]
	for _, key := range r.scored[min(skip, len(r.scored)):min(skip+limit, len(r.scored))] {
		s.page = append(s.page, uint32(key))
	}
	if want := limit - len(s.page); want > 0 && res.total > len(r.scored) {
		e.pageByRating(s, res, max(skip-len(r.scored), 0), want)
	}
}

// scoreAll fills the list of scored records: one key for each, the best first,
// with the record in its low half.
func (e *Engine) scoreAll(s *scratch, q *Query) {
	r := &s.relevance
	slices.SortFunc(r.candidates, func(a, b candidate) int {
		if a.doc != b.doc {
			return int(a.doc) - int(b.doc)
		}
		return int(a.reading) - int(b.reading)
	})
	r.candidates = slices.Compact(r.candidates)
	r.scored = r.scored[:0]
	scorer := e.newScorer(s, q)
	for i := 0; i < len(r.candidates); {
		doc := r.candidates[i].doc
		best := 0
		for ; i < len(r.candidates) && r.candidates[i].doc == doc; i++ {
			best = max(best, scorer.score(doc, &r.readings[r.candidates[i].reading]))
		}
		r.scored = append(r.scored, uint64(^uint32(best))<<32|uint64(doc))
	}
	slices.Sort(r.scored)
}

// pageByRating adds to s.page the records of res that are not candidates, by
// rating.
func (e *Engine) pageByRating(s *scratch, res *result, skip, limit int) {
	r := &s.relevance
	r.marked = sized(r.marked, e.ix.N)
	for _, key := range r.scored {
		r.marked.Add(uint32(key))
	}
	e.pageWithout(s, res, &e.now.ByRating, r.marked, skip, limit)
	for _, key := range r.scored {
		r.marked[uint32(key)>>6] = 0
	}
}
