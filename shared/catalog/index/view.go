package index

import (
	"time"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/docset"
)

// A View is an index as requests see it: with an overlay, and with the
// addresses of the service. It is immutable; a change is a new view.
type View struct {
	ix      *Index
	overlay Overlay
	links   catalog.LinkBase
	list    []byte // the address of the list of channels, as JSON

	removed   docset.Bits // blocked records; nil for none
	blocked   docset.Bits // blocked streams; nil for none
	playable  docset.Bits
	online    docset.Ranked
	qualities map[uint32]docset.Set // those that blocks changed

	whole   [kindCount][2]whole // by kind and by playable only
	counted [kindCount]bool     // whether records of the kind have categories

	byScore order   // empty while nothing is measured
	scores  []uint8 // by record: 1 + its measured score; nil likewise
	health  side

	tails  []tail // by origin
	zeros  []byte // social counters of those who have none
	api    []byte // the member api up to the id
	facets facetCache
}

// A whole is the answer to a search without filters.
type whole struct {
	docset.Ranked
	facets [locales][]byte
}

// NewView makes a view of ix with an overlay. It takes time in proportion to
// the records, a few milliseconds for 100,000.
func NewView(ix *Index, o Overlay, links catalog.LinkBase) *View {
	v := &View{ix: ix, overlay: o, links: links}
	v.setBlocks()
	v.setHealth()
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

// setHealth notes who is online and orders the records by score: the measured
// best first, the unmeasured last.
func (v *View) setHealth() {
	online := docset.NewBits(v.ix.n)
	ranks := make([]uint8, v.ix.n)
	v.health = newSide(v.ix, v.overlay.Health, func(doc uint32, h catalog.MeasuredHealth) {
		if h.Online {
			online.Add(doc)
		}
		if h.Score != nil {
			ranks[doc] = 1 + uint8(min(max(*h.Score, 0), 100))
		}
	})
	v.online = docset.Rank(online)
	if v.health.at != nil {
		v.byScore, v.scores = newSmallOrder(ranks), ranks
	}
}

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
			counts := v.ix.counts(h)
			v.counted[kind] = v.counted[kind] || counts != none
			for l := range locales {
				w.facets[l] = v.ix.appendFacets(nil, &counts, l)
			}
		}
	}
}
