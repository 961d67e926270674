package search

import (
	"math/bits"
	"slices"

	"miramundo.dev/shared/catalog/index/layout/posting"

	"miramundo.dev/shared/catalog/docset"
	"miramundo.dev/shared/catalog/filter"
)

// page fills s.page with the records of the page that q asks for, limit at
// most.
func (e *Engine) page(s *scratch, q *Query, res *result, limit int) {
	s.page = s.page[:0]
	skip := max(q.Offset, 0)
	if skip >= res.total || limit == 0 {
		return
	}
	switch o := e.order(q); {
	case q.Relevant():
		e.pageByRelevance(s, q, res, skip, limit)
	case q.Sort == filter.ByPopularity:
		e.pageByPopularity(s, q, res, skip, limit)
	case q.Sort == filter.BySureness && q.Works != nil:
		e.pageBySureness(s, q.Works, res, skip, limit)
	case q.Sort == filter.ByDistance && q.Near != "":
		e.pageByDistance(s, res, skip, limit)
	case o == nil || len(o.Docs) == 0:
		s.page = res.byName(s.page, skip, limit)
	default:
		e.pageInOrder(s, res, o, skip, limit)
	}
}

// order returns the order that q asks for, or nil for that of names.
func (e *Engine) order(q *Query) *posting.Order {
	switch q.Sort {
	case "score":
		return &e.now.ByScore
	case "votes":
		return &e.ix.ByVotes
	case filter.ByRelevance, filter.BySureness: // of a search without words, and where nothing is known
		return &e.now.ByRating
	}
	return nil
}

// pageByPopularity fills s.page with the best known records: those of the
// caller's country first, when it is known and the search is not for one country.
func (e *Engine) pageByPopularity(s *scratch, q *Query, res *result, skip, limit int) {
	o := &e.now.ByRating
	here, ok := e.countrySet(q)
	if !ok {
		e.pageInOrder(s, res, o, skip, limit)
		return
	}
	near := e.within(s, res, here)
	if skip < near.total {
		e.pageInOrder(s, &near, o, skip, limit)
	}
	if want := limit - len(s.page); want > 0 {
		e.pageOutside(s, res, here, max(skip-near.total, 0), want)
	}
}

// countrySet returns the channels of the caller's country; false when it is
// unknown, has none, or the search is for one country anyway.
func (e *Engine) countrySet(q *Query) (docset.Set, bool) {
	if q.Home == "" || q.Country != "" {
		return docset.Set{}, false
	}
	value, ok := e.ix.ValueNumber(q.Home)
	if !ok {
		return docset.Set{}, false
	}
	return e.ix.Postings[filter.Country].Set(value)
}

// within returns the records of res that are in a set, in memory of s.
func (e *Engine) within(s *scratch, res *result, set docset.Set) (in result) {
	has := res.bits
	if res.unfiltered != nil {
		has = res.unfiltered.Bits
	}
	switch {
	case has == nil && set.Bits != nil:
		s.near = docset.KeepBits(s.near[:0], res.list, set.Bits)
	case has == nil:
		s.near = intersect(s.near[:0], res.list, set.List)
	case set.List != nil:
		s.near = docset.KeepBits(s.near[:0], set.List, has)
	default:
		s.nearBits = sized(s.nearBits, e.ix.N)
		in.bits = s.nearBits[:len(has)]
		copy(in.bits, has)
		in.bits.And(set.Bits)
		in.total = in.bits.Count()
		return in
	}
	return result{total: len(s.near), list: s.near}
}

// pageOutside adds to s.page the best known records of res that are not in a set.
func (e *Engine) pageOutside(s *scratch, res *result, set docset.Set, skip, limit int) {
	o := &e.now.ByRating
	if set.Bits != nil {
		e.pageWithout(s, res, o, set.Bits, skip, limit)
		return
	}
	marked := sized(s.relevance.marked, e.ix.N)
	s.relevance.marked = marked
	marked.AddAll(set.List)
	e.pageWithout(s, res, o, marked, skip, limit)
	for _, doc := range set.List {
		marked[doc>>6] = 0
	}
}

// pageWithout adds to s.page a page of the records of res, in an order, that are
// not in without.
func (e *Engine) pageWithout(s *scratch, res *result, o *posting.Order, without docset.Bits, skip, limit int) {
	in := res.bits
	if res.unfiltered != nil {
		in = res.unfiltered.Bits
	}
	if in == nil {
		s.ranks = s.ranks[:0]
		for _, doc := range res.list {
			if !without.Has(doc) {
				s.ranks = append(s.ranks, o.Key(doc))
			}
		}
		s.page = lowest(s.page, s.ranks, skip, limit)
		return
	}
	want := len(s.page) + limit
	for _, doc := range o.Docs {
		if !in.Has(doc) || without.Has(doc) {
			continue
		}
		if skip > 0 {
			skip--
			continue
		}
		if s.page = append(s.page, doc); len(s.page) == want {
			break
		}
	}
}

// pageInOrder adds to s.page a page of res in an order.
func (e *Engine) pageInOrder(s *scratch, res *result, o *posting.Order, skip, limit int) {
	if res.unfiltered != nil || res.bits != nil && res.total > e.ix.N/docset.DriverShare && skip+limit < res.total/2 {
		s.page = res.walk(s.page, o, skip, limit)
		return
	}
	s.ranks = res.keys(s.ranks[:0], o)
	s.page = lowest(s.page, s.ranks, skip, limit)
}

// byName adds to dst a page in the order of names, which is that of numbers.
func (r *result) byName(dst []uint32, skip, limit int) []uint32 {
	switch {
	case r.unfiltered != nil:
		return r.unfiltered.Page(dst, skip, limit)
	case r.bits != nil:
		return r.bits.Page(dst, skip, limit)
	}
	return append(dst, r.list[skip:min(len(r.list), skip+limit)]...)
}

// walk adds to dst a page of a result that most of an order is in.
func (r *result) walk(dst []uint32, o *posting.Order, skip, limit int) []uint32 {
	in := r.bits
	if r.unfiltered != nil {
		in = r.unfiltered.Bits
	}
	want := len(dst) + limit
	for _, doc := range o.Docs {
		if !in.Has(doc) {
			continue
		}
		if skip > 0 {
			skip--
			continue
		}
		if dst = append(dst, doc); len(dst) == want {
			break
		}
	}
	return dst
}

// keys adds to dst the keys in o of what r has.
func (r *result) keys(dst []uint64, o *posting.Order) []uint64 {
	for i, w := range r.bits {
		for ; w != 0; w &= w - 1 {
			dst = append(dst, o.Key(uint32(i<<6|bits.TrailingZeros64(w))))
		}
	}
	for _, doc := range r.list {
		dst = append(dst, o.Key(doc))
	}
	return dst
}

// lowest adds to dst a page of the records with the lowest keys. It reorders
// keys.
func lowest(dst []uint32, keys []uint64, skip, limit int) []uint32 {
	keys = firstSorted(keys, skip+limit)
	for _, key := range keys[min(skip, len(keys)):] {
		dst = append(dst, uint32(key))
	}
	return dst
}

// firstSorted returns the n lowest keys, ascending. It reorders keys.
func firstSorted(keys []uint64, n int) []uint64 {
	if n < len(keys) {
		selectLowest(keys, n)
		keys = keys[:n]
	}
	slices.Sort(keys)
	return keys
}

// selectLowest moves the n lowest of keys to its front, 0 < n < len(keys): by
// parting them around pivots until the parting falls at n.
func selectLowest(keys []uint64, n int) {
	for len(keys) > 16 {
		pivot := median(keys[0], keys[len(keys)/2], keys[len(keys)-1])
		lo, hi := 0, len(keys)-1
		for lo <= hi {
			switch {
			case keys[lo] < pivot:
				lo++
			case keys[hi] > pivot:
				hi--
			default:
				keys[lo], keys[hi] = keys[hi], keys[lo]
				lo++
				hi--
			}
		}
		switch {
		case n <= hi:
			keys = keys[:hi+1]
		case n >= lo:
			keys, n = keys[lo:], n-lo
		default:
			return
		}
	}
	slices.Sort(keys)
}

func median(a, b, c uint64) uint64 { return max(min(a, b), min(max(a, b), c)) }
