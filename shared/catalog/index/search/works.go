package search

import (
	"math/bits"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/docset"
)

// A Works is what is known of which records play in a country. It is immutable. Its sets
// are by the numbers of one layout, and share no number.
type Works struct {
	Country                  string // ISO 3166-1 alpha-2
	Confirmed, Likely, Fails docset.Bits

	// Reports returns how many reports of success and failure a channel has from the
	// country; nil when there are none of any channel. It may be called concurrently.
	Reports func(channel string) (plays, fails int)

	either docset.Ranked // confirmed or likely
}

// NewWorks returns w with what a search needs. The caller must not change its sets
// afterwards.
func NewWorks(w Works) *Works {
	either := append(docset.Bits(nil), w.Confirmed...)
	either.Or(w.Likely)
	w.either = docset.Rank(either)
	return &w
}

// Verdict returns how sure it is that a record plays in the country.
func (w *Works) Verdict(doc uint32) catalog.Verdict {
	switch {
	case w.Confirmed.Has(doc):
		return catalog.Confirmed
	case w.Likely.Has(doc):
		return catalog.Likely
	case w.Fails.Has(doc):
		return catalog.Fails
	}
	return catalog.Unknown
}

// degree returns the place of the verdict of a record, 0 for the surest.
func (w *Works) degree(doc uint32) uint64 {
	switch {
	case w.Confirmed.Has(doc):
		return 0
	case w.Likely.Has(doc):
		return 1
	case w.Fails.Has(doc):
		return 3
	}
	return 2
}

// pageBySureness fills s.page with the records that play most surely in a country, the
// best known first of those with the same verdict.
func (e *Engine) pageBySureness(s *scratch, w *Works, res *result, skip, limit int) {
	e.pageByDegree(s, res, degreeBit, w.degree, skip, limit)
}

// pageByDegree fills s.page with the records of the lowest degrees, the best known first
// of those with the same. The keys have the degree from a bit on, above the rating.
func (e *Engine) pageByDegree(s *scratch, res *result, bit int, degree func(doc uint32) uint64, skip, limit int) {
	s.ranks = s.ranks[:0]
	add := func(doc uint32) {
		// a rating has 16 bits, so that the highest bits of its complement are all set
		s.ranks = append(s.ranks, e.now.ByRating.Key(doc)&(1<<bit-1)|degree(doc)<<bit)
	}
	in := res.bits
	if res.unfiltered != nil {
		in = res.unfiltered.Bits
	}
	for i, word := range in {
		for ; word != 0; word &= word - 1 {
			add(uint32(i<<6 | bits.TrailingZeros64(word)))
		}
	}
	for _, doc := range res.list {
		add(doc)
	}
	s.page = lowest(s.page, s.ranks, skip, limit)
}

// degreeBit is the bit of a key from which on it has the degree: above the rating.
const degreeBit = 62
