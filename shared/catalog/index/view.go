package index

import (
	"time"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/docset"
	"miramundo.dev/shared/catalog/filter"
)

// A View is an index as requests see it: with an overlay, and with the
// addresses of the service. It is immutable; a change is a new view.
type View struct {
	ix    *Index
	links catalog.LinkBase
	list  []byte // the address of the list of channels, as JSON

	removed   docset.Bits // blocked records; nil for none
	blocked   docset.Bits // blocked streams; nil for none
	playable  docset.Bits
	flags     [filter.Count]docset.Ranked // of the filters by flag: the records that have it
	qualities map[uint32]docset.Set       // those that blocks changed

	whole   [kindCount][2]whole // by kind and by playable only
	counted [kindCount]bool     // whether records of the kind have categories

	measured []*catalog.Measurement // by stream; nil while nothing is measured
	latest   []uint32               // by record: 1 + which of its streams was measured last, or 0; nil likewise
	scores   []uint8                // by record: 1 + its measured score, or 0; nil likewise
	byScore  order                  // empty likewise

	logos     logos
	scheduled docset.Ranked // records whose programmes are known

	tails  []tail // by origin
	zeros  []byte // social counters of those who have none
	api    []byte // the member api up to the id
	facets facetCache
}

// A whole is the answer to a search without filters.
type whole struct {
	docset.Ranked
	counts counts
	facets [locales][]byte
}

// NewView makes a view of ix with an overlay. It takes time in proportion to
// the records, a few milliseconds for 100,000, and to what the overlay knows,
// about half a microsecond for each stream and logo.
func NewView(ix *Index, o Overlay, links catalog.LinkBase) *View {
	v := &View{ix: ix, links: links}
	v.setMeasured(&o)
	v.setHealth(v.setBlocks(&o), o.OnlineSince)
	v.setLogos(&o)
	v.setGuides(&o)
	v.setWholes()
	v.setTails()
	v.list = appendJSON(nil, links.Channels())
	return v
}

// WithOverlay returns a view of the same index with another overlay.
func (v *View) WithOverlay(o Overlay) *View { return NewView(v.ix, o, v.links) }

// Index returns the index that v shows.
func (v *View) Index() *Index { return v.ix }

// Version returns the version of the index.
func (v *View) Version() string { return v.ix.version }

// BuiltAt returns when the register was built.
func (v *View) BuiltAt() time.Time { return v.ix.builtAt }

// Len returns how many records are shown.
func (v *View) Len() int { return v.whole[kindAll][0].Size }

// setWholes answers the searches that have no filter.
func (v *View) setWholes() {
	n := v.ix.n
	all := docset.NewBits(n)
	for doc := range uint32(n) {
		all.Add(doc)
	}
	if v.removed != nil {
		all.AndNot(v.removed)
	}
	for kind := range kindCount {
		some := append(docset.Bits(nil), all...)
		switch kind {
		case kindTV:
			some.AndNot(v.ix.radio)
		case kindRadio:
			some.And(v.ix.radio)
		}
		v.whole[kind][0].Ranked = docset.Rank(some)
		playable := append(docset.Bits(nil), some...)
		playable.And(v.playable)
		v.whole[kind][1].Ranked = docset.Rank(playable)
	}
	v.countWholes()
}

// countWholes counts the categories of the searches that have no filter.
func (v *View) countWholes() {
	var none counts
	h := v.ix.counter(nil)
	for kind := range kindCount {
		for p := range 2 {
			w := &v.whole[kind][p]
			clear(h)
			v.ix.countBits(h, w.Bits)
			w.counts = v.ix.counts(h)
			v.counted[kind] = v.counted[kind] || w.counts != none
			for l := range locales {
				w.facets[l] = v.ix.appendFacets(nil, &w.counts, l)
			}
		}
	}
}
