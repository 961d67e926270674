package search

import (
	"cmp"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index/layout"
	"miramundo.dev/shared/catalog/index/state"
)

// An Engine searches one state of the catalog. It is immutable but for the
// facet lists that it keeps.
type Engine struct {
	ix    *layout.Index
	now   *state.State
	links catalog.LinkBase

	unfiltered [kindCount][2]unfiltered // by kind and by playable only
	counted    [kindCount]bool          // whether records of the kind have categories
	categories []categoryText
	facets     facetCache
}

// New returns an engine for a state. Links say where flags are.
func New(st *state.State, links catalog.LinkBase) *Engine {
	e := &Engine{ix: st.Index, now: st, links: links, categories: categoryTexts(st.Index.Categories)}
	e.setUnfiltered()
	return e
}

// Len returns how many records are shown.
func (e *Engine) Len() int { return e.unfiltered[kindAll][0].Size }

// A Page is the answer to a query: the records of its page and the counts of
// all that match. It must be released after use, and not be used afterwards.
type Page struct {
	Docs          []uint32 // in order
	Total         int      // matches, whatever the page
	Limit, Offset int      // as they were applied

	engine  *Engine
	kind    int
	scratch *scratch
	found   result
}

// Page answers q.
func (e *Engine) Page(q *Query) Page {
	s := e.scratch()
	found := e.run(s, q)
	e.page(s, q, &found, q.limit())
	return Page{
		Docs: s.page, Total: found.total, Limit: q.limit(), Offset: max(q.Offset, 0),
		engine: e, kind: q.kind(), scratch: s, found: found,
	}
}

// Release gives back the memory of the page.
func (p *Page) Release() { p.engine.putScratch(p.scratch) }

// Next returns the offset of the next page; false when there is none.
func (p *Page) Next() (offset int, ok bool) {
	return p.Offset + p.Limit, p.Limit > 0 && p.Offset < p.Total-p.Limit
}

// AppendCategories adds the array of the categories of all that match, as
// catalog.CategoryCount, most frequent first and then by id.
func (p *Page) AppendCategories(dst []byte, locale int) []byte {
	if p.found.unfiltered != nil {
		return append(dst, p.found.unfiltered.facets[locale]...)
	}
	counts := p.engine.count(p.scratch, p.kind, &p.found)
	return p.engine.appendFacets(dst, &counts, locale)
}

// Categories returns the counts that AppendCategories writes.
func (p *Page) Categories(locale int) (list []catalog.CategoryCount) {
	counts := p.engine.count(p.scratch, p.kind, &p.found)
	order, n := counts.sorted()
	for _, key := range order[:n] {
		k := &p.engine.ix.Categories[categoryOf(key)]
		list = append(list, catalog.CategoryCount{
			ID: k.ID, Name: cmp.Or(k.Name[locale], k.ID), Count: int(key >> 8), Icon: catalog.TextOrNil(k.Icon),
		})
	}
	return list
}

// count counts the categories of what a query of a kind matched.
func (e *Engine) count(s *scratch, kind int, res *result) (none counts) {
	switch {
	case res.unfiltered != nil:
		return res.unfiltered.counts
	case !e.counted[kind]:
		return none
	}
	s.counts = e.counter(s.counts)
	e.countList(s.counts, res.list)
	e.countBits(s.counts, res.bits)
	return e.counts(s.counts)
}
