// Package index is the catalog in memory, as the rest of the service uses it:
// made from a register or a snapshot, laid under an overlay, searched and
// shown.
//
// It joins the layers below it, which callers need not import. Package layout
// holds what does not change between releases, package state what does, package
// search finds records, and package show writes them. An [Index] is the first with
// what show prepares of it; a [View] is all four at one moment. Both are immutable and
// hold few pointers, so that any number of requests read them without locks and
// the garbage collector has little to look at.
package index

import (
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index/layout"
	"miramundo.dev/shared/catalog/index/search"
	"miramundo.dev/shared/catalog/index/show"
	"miramundo.dev/shared/catalog/index/state"
)

// What callers name of the layers.
type (
	Overlay = state.Overlay
	Use     = state.Use
	Query   = search.Query
	Crowd   = search.Crowd
	Works   = search.Works
	Summary = show.Summary
	Card    = show.Card
	Cards   = show.Cards
	Entry   = show.Entry
	Entries = show.Entries
	Found   = show.Found
	Station = show.Station
)

// NewWorks returns what is known of which records play in a country: see [search.NewWorks].
func NewWorks(w Works) *Works { return search.NewWorks(w) }

// An Index is a register made ready for search. It is immutable.
type Index struct {
	*layout.Index
	fragments *show.Fragments
}

// Build makes the index of reg. It fails when ids are not unique, when there
// are more than 64 categories, or when reg is too large.
func Build(reg *catalog.Register) (*Index, error) { return prepare(layout.Build(reg)) }

// Decode makes the index that Encode wrote. Any other input is an error that
// is [snapshot.ErrCorrupt].
func Decode(data []byte) (*Index, error) { return prepare(layout.Decode(data)) }

func prepare(ix *layout.Index, err error) (*Index, error) {
	if err != nil {
		return nil, err
	}
	return &Index{ix, show.NewFragments(ix)}, nil
}

// A View is an index as requests see it: with an overlay, and with the
// addresses of the service. It is immutable; a change is a new view.
type View struct {
	*show.View
	ix *Index
}

// NewView makes a view of ix with an overlay. It takes time in proportion to
// the records, a few milliseconds for 100,000, and to what the overlay holds,
// about half a microsecond for each stream and logo.
func NewView(ix *Index, o Overlay, links catalog.LinkBase) *View {
	return &View{show.New(state.New(ix.Index, &o), ix.fragments, &o, links), ix}
}

// WithOverlay returns a view of the same index with another overlay.
func (v *View) WithOverlay(o Overlay) *View { return NewView(v.ix, o, v.Links()) }

// Index returns the index that v shows.
func (v *View) Index() *Index { return v.ix }

// Current returns the id of a channel now, by its id or by one that it once
// had, and whether the channel is shown. A nil view has no channel, and returns
// ids as they are.
func (v *View) Current(id string) (string, bool) {
	if v == nil {
		return id, false
	}
	return v.View.Current(id)
}
