package search

import (
	"bytes"
	"slices"

	"miramundo.dev/shared/catalog/docset"
	"miramundo.dev/shared/catalog/lexicon"
)

// The readings of a query share most of their slots, so that the records of each
// slot are looked up once for a search.

// A slotKey is what the records of a slot depend on.
type slotKey struct {
	word       []byte
	from       int // the position of its senses among the typed words; -1 without
	far, whole bool
}

// A slotSet is the records that fill a slot, in memory of its own.
type slotSet struct {
	slotKey
	docset.Set
	ok bool // there are some

	bits docset.Bits
	list []uint32
}

// setOfSlot returns the records that fill a slot: with a word of a name that
// begins with a spelling or, with whole, is it, or with a value. It reports false
// when none does. The set has a list, when it is small, or bits.
func (e *Engine) setOfSlot(s *scratch, t *slot, whole bool) (docset.Set, bool) {
	r := &s.relevance
	key := slotKey{t.word, t.from, t.far, whole}
	for i := range r.sets[:r.setCount] {
		if k := r.sets[i]; k.far == key.far && k.whole == whole && k.from == key.from && bytes.Equal(k.word, key.word) {
			return k.Set, k.ok
		}
	}
	if r.setCount == len(r.sets) {
		r.sets = append(r.sets, &slotSet{})
	}
	set := r.sets[r.setCount]
	r.setCount++
	set.slotKey = key
	set.Set, set.ok = e.fill(s, t, whole, set)
	return set.Set, set.ok
}

// fill looks up the records of a slot.
func (e *Engine) fill(s *scratch, t *slot, whole bool, in *slotSet) (docset.Set, bool) {
	s.parts, in.list = s.parts[:0], in.list[:0]
	single := 0 // records of parts that are lists, words of a prefix one by one
	for k, spelling := range t.spellings[:t.count] {
		for _, words := range [...]*lexicon.Lexicon{e.ix.Words, e.ix.Others} {
			lo, hi := words.Span(spelling)
			if lo < hi && (whole || t.far || k > 0) {
				hi = lo
				if bytes.Equal(words.At(lo), spelling) {
					hi++
				}
			}
			if lo == hi {
				continue
			}
			set, ready := words.Ready(lo, hi)
			if !ready {
				set = docset.Set{List: words.Docs(lo, hi)}
				if hi-lo > 1 {
					single += e.ix.N // its list is not one ascending list
				}
			}
			single += len(set.List)
			s.parts = append(s.parts, set)
		}
	}
	if !whole || t.count == 0 {
		for k := range t.senses {
			s.parts = append(s.parts, t.senses[k].Set)
			single += t.senses[k].Size
		}
	}
	switch {
	case len(s.parts) == 0:
		return docset.Set{}, false
	case len(s.parts) == 1 && single < e.ix.N:
		set := s.parts[0]
		if set.Size == 0 {
			set.Size = len(set.List)
		}
		return set, set.Size > 0
	}
	return e.unite(s, in)
}

// smallUnion is how many records are rather sorted than marked in bits.
const smallUnion = 192

// unite returns the union of s.parts, in memory of in.
func (e *Engine) unite(s *scratch, in *slotSet) (docset.Set, bool) {
	size := 0
	for _, p := range s.parts {
		size += max(p.Size, len(p.List))
	}
	if size <= smallUnion && !slices.ContainsFunc(s.parts, func(p docset.Set) bool { return p.List == nil }) {
		for _, p := range s.parts {
			in.list = append(in.list, p.List...)
		}
		slices.Sort(in.list)
		in.list = slices.Compact(in.list)
		return docset.Set{Size: len(in.list), List: in.list}, size > 0
	}
	in.bits = sized(in.bits, e.ix.N)
	b := in.bits[:(e.ix.N+63)/64]
	clear(b)
	for _, p := range s.parts {
		if p.Bits != nil {
			b.Or(p.Bits)
		} else {
			b.AddAll(p.List)
		}
	}
	return docset.Set{Size: size, Bits: b}, true
}

// find returns the records that fill every slot of a reading and pass the filters.
// With whole, each slot must be filled by a name that has the whole word.
func (e *Engine) find(s *scratch, rd *reading, whole bool) (result, bool) {
	r := &s.relevance
	s.sets = append(s.sets[:0], r.filters...)
	for i := range rd.slots {
		set, ok := e.setOfSlot(s, &rd.slots[i], whole)
		if !ok {
			return result{}, false
		}
		s.sets = append(s.sets, set)
	}
	return e.intersectAny(s), true
}

// intersectAny is intersect for sets that may be small and have no list.
func (e *Engine) intersectAny(s *scratch) result {
	least := 0
	for i := range s.sets {
		if s.sets[i].Size < s.sets[least].Size {
			least = i
		}
	}
	if set := &s.sets[least]; set.List == nil && set.Size <= e.ix.N/docset.DriverShare {
		s.least = set.Bits.Append(s.least[:0])
		set.List, set.Size = s.least, len(s.least)
	}
	return e.intersect(s)
}
