package search

import (
	"math/bits"
	"slices"

	"miramundo.dev/shared/catalog/index/layout/posting"

	"miramundo.dev/shared/catalog/docset"
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
	case o == nil && q.Sort == "relevance" && len(s.words) > 0:
		e.pageByRelevance(s, res, skip, limit)
	case o == nil || len(o.Docs) == 0:
		s.page = res.byName(s.page, skip, limit)
	case res.unfiltered != nil || res.total > e.ix.N/docset.DriverShare && skip+limit < res.total/2:
		s.page = res.walk(s.page, o, skip, limit)
	default:
		s.ranks = res.keys(s.ranks[:0], o)
		s.page = lowest(s.page, s.ranks, o, skip, limit)
	}
}

// order returns the order that q asks for, or nil for that of names.
func (e *Engine) order(q *Query) *posting.Order {
	switch q.Sort {
	case "score":
		return &e.now.ByScore
	case "votes":
		return &e.ix.ByVotes
	}
	return nil
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

// keys adds to dst the positions in o of what r has.
func (r *result) keys(dst []uint64, o *posting.Order) []uint64 {
	for i, w := range r.bits {
		for ; w != 0; w &= w - 1 {
			dst = append(dst, uint64(o.Position[i<<6|bits.TrailingZeros64(w)]))
		}
	}
	for _, doc := range r.list {
		dst = append(dst, uint64(o.Position[doc]))
	}
	return dst
}

// lowest adds to dst a page of the records at the given positions of o.
func lowest(dst []uint32, at []uint64, o *posting.Order, skip, limit int) []uint32 {
	at = firstSorted(at, skip+limit)
	for _, i := range at[min(skip, len(at)):] {
		dst = append(dst, o.Docs[i])
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
