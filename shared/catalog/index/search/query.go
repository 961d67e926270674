// Package search finds the records of a state of the catalog that match a query.
//
// A query is run in three steps. Each filter, flag and word of it gives a set of
// records: of a filter by value its postings, of a flag a bitset of the state, of
// a word the records of all words of the lexicon that begin with it, which stand
// together there. The sets are then intersected: when the smallest list is short,
// its members are kept one by one if they are in the others; otherwise bitsets
// are combined word by word. A search without filters was answered when the
// engine was made (unfiltered.go). At last the page is taken in the order asked
// for (order.go, relevance.go), and the categories of all matches are counted
// (counts.go).
//
// The memory of a search is pooled, so that it allocates nothing.
package search

import (
	"bytes"
	"slices"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/docset"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/fold"
	"miramundo.dev/shared/catalog/jsontext"
	"miramundo.dev/shared/catalog/lexicon"
)

// A Query is what to search for: a selection, which the caller has normalized,
// and the page of it.
type Query struct {
	filter.Selection
	Scheduled bool   // only channels whose programmes are known
	Stalled   bool   // the catalog is too old to say which channels are online: none is
	More      string // what the address of another page repeats of the query: "" or pairs that each end in "&", in ASCII without quotes
	Limit     int    // at most maxLimit, unless Whole is set
	Whole     bool   // the page may be as long as Limit says: it is a file, and not the answer of a search
	Offset    int
	Home      string // ISO 3166-1 code of the caller's country; "" for unknown. Relevance and popularity put its channels forward.
	Speaks    string // ISO 639-3 code of the caller's language, likewise
	Crowd     Crowd  // provides the counters of channels; nil while there are none
	Works     *Works // provides what plays in the country of WorksIn or, for the order alone, in the caller's; nil when nothing is known
	Explain   bool   // say of each item what its place is made of
}

// maxLimit bounds what one query returns, unless it is for a file.
const maxLimit = 500

// The kinds of records that a search starts from.
const (
	kindTV = iota
	kindRadio
	kindAll
	kindCount
)

func (q *Query) kind() int { return kindOf(q.Kind) }

func (q *Query) limit() int {
	if q.Whole {
		return max(q.Limit, 0)
	}
	return min(max(q.Limit, 0), maxLimit)
}

// A result is the records that a query matches, in one of three forms.
type result struct {
	total      int
	unfiltered *unfiltered // the answer to a search without filters
	list       []uint32    // ascending
	bits       docset.Bits // or nil
}

// A scratch is the memory that a search works in.
type scratch struct {
	sets     []docset.Set
	folded   []byte // the words that are looked for, with a space or hyphen between them
	name     []byte
	words    [][]byte
	spans    []span
	list     []uint32
	bits     docset.Bits  // of a result
	union    docset.Bits  // always empty between uses
	joined   [][]uint32   // lists of unions, by word
	parts    []docset.Set // sets to be united
	least    []uint32     // the members of a set that has only bits
	near     []uint32
	nearBits docset.Bits
	around   around
	page     []uint32
	ranks    []uint64
	counts   histogram

	relevance relevance
}

type span struct{ lo, hi int }

// scratch returns memory for a search. It must be given back by putScratch.
//
// The pool is that of the index, because what is left in the memory refers to the
// index: one pool for all would keep releases that were replaced from being freed.
func (e *Engine) scratch() *scratch {
	if s, ok := e.ix.Searches.Get().(*scratch); ok {
		return s
	}
	return new(scratch)
}

func (e *Engine) putScratch(s *scratch) { e.ix.Searches.Put(s) }

// Find returns the records of the page that q asks for, in order, and how many
// match in all.
func (e *Engine) Find(q Query) (docs []uint32, total int) {
	s := e.scratch()
	defer e.putScratch(s)
	res := e.run(s, &q)
	e.page(s, &q, &res, q.limit())
	return append(docs, s.page...), res.total
}

// Matches returns all the records that q matches, in order, whatever its Limit
// and Offset.
func (e *Engine) Matches(q Query) []uint32 {
	s := e.scratch()
	defer e.putScratch(s)
	q.Offset = 0
	res := e.run(s, &q)
	e.page(s, &q, &res, res.total)
	return slices.Clone(s.page)
}

// ID returns the id of a record that Find or Matches found.
func (e *Engine) ID(doc uint32) string { return jsontext.Text(e.ix.EscapedID(doc)) }

// run finds what q matches or, under the order of relevance, what it may mean.
func (e *Engine) run(s *scratch, q *Query) result {
	if q.Relevant() {
		s.relevance.reset()
		if s.relevance.parse(q.Q); len(s.relevance.typed) == 0 {
			return result{}
		}
		return e.relevant(s, q, false)
	}
	s.folded = fold.AppendWords(s.folded[:0], q.Q)
	s.split()
	res, ok := e.match(s, q)
	if !ok {
		return result{}
	}
	return res
}

// split parts s.folded into s.words, each once: to look for one again finds
// nothing else, and takes as long.
func (s *scratch) split() {
	s.words = s.words[:0]
	for rest := s.folded; len(rest) > 0; {
		word := rest
		if at := bytes.IndexByte(rest, ' '); at >= 0 {
			word, rest = rest[:at], rest[at+1:]
		} else {
			rest = nil
		}
		if !slices.ContainsFunc(s.words, func(w []byte) bool { return bytes.Equal(w, word) }) {
			s.words = append(s.words, word)
		}
	}
}

// match intersects the filters of q and the words of s. It reports false when
// one of them matches nothing.
func (e *Engine) match(s *scratch, q *Query) (result, bool) {
	base := &e.unfiltered[q.kind()][number(q.Playable)]
	s.sets = s.sets[:0]
	if !e.addFilters(s, q) || !e.addWords(s) || q.Q != "" && len(s.words) == 0 {
		return result{}, false
	}
	if len(s.sets) == 0 {
		return result{total: base.Size, unfiltered: base}, true
	}
	if base.Size < e.ix.N {
		s.sets = append(s.sets, docset.Set{Size: base.Size, Bits: base.Bits})
	}
	return e.intersect(s), true
}

// The filters that select by a value and by a flag.
var (
	byValue = filter.IDs(filter.ByValue)
	byFlag  = filter.IDs(filter.ByFlag)
)

// addFilters gathers the sets of the filters of q. It reports false when one of
// them selects nothing.
func (e *Engine) addFilters(s *scratch, q *Query) bool {
	for _, id := range byValue {
		if value := *q.Text(id); value != "" && !e.addValue(s, id, value) {
			return false
		}
	}
	for _, id := range byFlag {
		if *q.Flag(id) {
			s.add(&e.now.Flags[id])
		}
	}
	if q.Scheduled {
		s.add(&e.now.Scheduled)
	}
	if q.WorksIn != "" {
		if q.Works == nil || q.Works.either.Size == 0 {
			return false
		}
		s.add(&q.Works.either)
	}
	if q.Near != "" && !e.addPlace(s, q) {
		return false
	}
	return !q.Online || !q.Stalled
}

// add adds a set that is kept ready.
func (s *scratch) add(r *docset.Ranked) {
	s.sets = append(s.sets, docset.Set{Size: r.Size, Bits: r.Bits})
}

// addValue adds the set of the records that a filter finds by a value.
func (e *Engine) addValue(s *scratch, id filter.ID, text string) bool {
	value, ok := e.ix.ValueNumber(text)
	if !ok {
		return false
	}
	some, ok := e.ix.Postings[id].Set(value)
	if id == filter.Quality {
		if changed, blocked := e.now.Qualities[value]; blocked {
			some = changed
		}
	}
	if ok {
		s.sets = append(s.sets, some)
	}
	return ok && some.Size > 0
}

// addWords gathers the sets of the words of s: each must begin some word of a
// record.
func (e *Engine) addWords(s *scratch) bool {
	s.spans = s.spans[:0]
	for _, word := range s.words {
		lo, hi := e.ix.Words.Span(word)
		if lo == hi {
			return false
		}
		s.spans = append(s.spans, span{lo, hi})
	}
	for i, sp := range s.spans {
		s.sets = append(s.sets, e.wordSet(s, e.ix.Words, i, sp))
	}
	return true
}

// wordSet returns the records of the words of sp: kept ready, in one list
// already, or joined in the i-th list of s.
func (e *Engine) wordSet(s *scratch, words *lexicon.Lexicon, i int, sp span) docset.Set {
	if some, ok := words.Ready(sp.lo, sp.hi); ok {
		return some
	}
	docs := words.Docs(sp.lo, sp.hi)
	if sp.hi-sp.lo > 1 {
		for len(s.joined) <= i {
			s.joined = append(s.joined, nil)
		}
		s.joined[i] = s.join(s.joined[i][:0], docs, e.ix.N)
		docs = s.joined[i]
	}
	return docset.Set{Size: len(docs), List: docs}
}

// join adds docs to dst, ascending and each once.
func (s *scratch) join(dst, docs []uint32, n int) []uint32 {
	s.union = sized(s.union, n)
	s.union.AddAll(docs)
	dst = s.union.Append(dst)
	for _, doc := range docs {
		s.union[doc>>6] = 0
	}
	return dst
}

// sized returns b with room for n numbers. What is new is empty.
func sized(b docset.Bits, n int) docset.Bits {
	if words := (n + 63) / 64; len(b) < words {
		return docset.NewBits(n)
	}
	return b
}

// intersect returns the records that are in every set of s.
func (e *Engine) intersect(s *scratch) result {
	driver := -1
	for i := range s.sets {
		if s.sets[i].List != nil && (driver < 0 || s.sets[i].Size < s.sets[driver].Size) {
			driver = i
		}
	}
	if driver < 0 || s.sets[driver].Size > e.ix.N/docset.DriverShare {
		return e.intersectBits(s)
	}
	list := s.sets[driver].List
	for i := range s.sets {
		if i != driver && s.sets[i].Bits != nil {
			s.list = docset.KeepBits(s.list[:0], list, s.sets[i].Bits)
			list = s.list
		}
	}
	for i := range s.sets {
		if i != driver && s.sets[i].Bits == nil {
			s.list = intersect(s.list[:0], list, s.sets[i].List)
			list = s.list
		}
	}
	return result{total: len(list), list: list}
}

// intersect is docset.Intersect whichever list is the shorter. Dst may be
// a[:0].
func intersect(dst, a, b []uint32) []uint32 {
	if len(a) <= len(b) || len(b) == 0 {
		return docset.Intersect(dst, a, b)
	}
	return docset.Intersect(dst, b, a)
}

// intersectBits is intersect for sets that are all large.
func (e *Engine) intersectBits(s *scratch) result {
	words := (e.ix.N + 63) / 64
	s.bits = sized(s.bits, e.ix.N)
	out, fresh := s.bits[:words], true
	for i := range s.sets {
		b := s.sets[i].Bits
		if b == nil {
			s.union = sized(s.union, e.ix.N)
			s.union.AddAll(s.sets[i].List)
			b = s.union[:words]
		}
		if fresh {
			copy(out, b)
		} else {
			out.And(b)
		}
		fresh = false
		if s.sets[i].Bits == nil {
			for _, doc := range s.sets[i].List {
				s.union[doc>>6] = 0
			}
		}
	}
	return result{total: out.Count(), bits: out}
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// A Crowd provides the counters of channels, as the caller of a search may see
// them.
type Crowd interface {
	// Social returns the counters of the channel with an id, and whether
	// anybody did anything with it. It is asked once for each channel of a
	// page, and must neither keep nor change id.
	Social(id []byte) (catalog.Social, bool)
}
