package search

import (
	"miramundo.dev/shared/catalog/docset"
	"miramundo.dev/shared/catalog/index/layout"
)

// An unfiltered is the answer to a search without filters.
type unfiltered struct {
	docset.Ranked
	counts counts
	facets [layout.Locales][]byte
}

// setUnfiltered answers the searches that have no filter.
func (e *Engine) setUnfiltered() {
	n := e.ix.N
	all := docset.NewBits(n)
	for doc := range uint32(n) {
		all.Add(doc)
	}
	if e.now.Removed != nil {
		all.AndNot(e.now.Removed)
	}
	for kind := range kindCount {
		some := append(docset.Bits(nil), all...)
		switch kind {
		case kindTV:
			some.AndNot(e.ix.Radio)
		case kindRadio:
			some.And(e.ix.Radio)
		}
		e.unfiltered[kind][0].Ranked = docset.Rank(some)
		playable := append(docset.Bits(nil), some...)
		playable.And(e.now.Playable)
		e.unfiltered[kind][1].Ranked = docset.Rank(playable)
	}
	e.countUnfiltered()
}

// countUnfiltered counts the categories of the searches that have no filter.
func (e *Engine) countUnfiltered() {
	var none counts
	h := e.counter(nil)
	for kind := range kindCount {
		for p := range 2 {
			w := &e.unfiltered[kind][p]
			clear(h)
			e.countBits(h, w.Bits)
			w.counts = e.counts(h)
			e.counted[kind] = e.counted[kind] || w.counts != none
			for l := range layout.Locales {
				w.facets[l] = e.appendFacets(nil, &w.counts, l)
			}
		}
	}
}
