package search

import (
	"math"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/docset"
)

// An around holds the records around a place. It stays in the memory of searches, since
// the next one there is often for the same place, such as the counts of a page.
type around struct {
	at     catalog.Geo
	radius int
	known  bool // of the place and the radius
	list   []uint32
	marked docset.Bits // always empty between uses
	tenths []uint16    // by record: its distance in tenths of a kilometre; only of those in list
}

// addPlace adds the set of the records around the place of q. It reports false when there
// are none.
func (e *Engine) addPlace(s *scratch, q *Query) bool {
	at, ok := q.Place()
	if !ok {
		return false
	}
	a := &s.around
	if radius := q.Kilometres(); !a.known || a.at != at || a.radius != radius {
		a.at, a.radius, a.known = at, radius, true
		e.setAround(a)
	}
	s.sets = append(s.sets, docset.Set{Size: len(a.list), List: a.list})
	return len(a.list) > 0
}

// setAround finds the records around the place of a, ascending.
func (e *Engine) setAround(a *around) {
	if len(a.tenths) < e.ix.N {
		a.tenths = make([]uint16, e.ix.N)
	}
	a.marked, a.list = sized(a.marked, e.ix.N), a.list[:0]
	e.ix.Places().Around(a.at, float64(a.radius), func(doc uint32, kilometres float64) {
		a.marked.Add(doc)
		a.tenths[doc] = uint16(math.Round(kilometres * 10))
	})
	a.list = a.marked.Append(a.list)
	for _, doc := range a.list {
		a.marked[doc>>6] = 0
	}
}

// distanceBit is the bit of a key from which on it has the distance: above the rating.
const distanceBit = 48

// pageByDistance fills s.page with the records that are nearest to a place, the best known
// first of those that are equally far.
func (e *Engine) pageByDistance(s *scratch, res *result, skip, limit int) {
	e.pageByDegree(s, res, distanceBit, func(doc uint32) uint64 { return uint64(s.around.tenths[doc]) }, skip, limit)
}

// Distance returns how far a record of the page is from the place of the query, in
// kilometres to a tenth. The query must have a place.
func (p *Page) Distance(doc uint32) float64 { return float64(p.scratch.around.tenths[doc]) / 10 }
