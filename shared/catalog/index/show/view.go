// Package show writes channels as the interface has them.
//
// A page of a search is not encoded but copied together. Everything that
// records share, such as the members for a country with its categories and their
// labels in each locale, was written once per release, by group of records
// ([Fragments]); what a record has to itself stands escaped in the layout. An
// item is then about ten copies, in the order of the members of catalog.Channel, with the
// logo, the measured health and the counters of the state between them
// (page.go). Only single channels are built as structs (detail.go).
package show

import (
	"time"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index/layout"
	"miramundo.dev/shared/catalog/index/search"
	"miramundo.dev/shared/catalog/index/state"
	"miramundo.dev/shared/catalog/jsontext"
)

// A View is one state of the catalog as requests see it: searched by the engine
// that it embeds, and shown with the addresses of the service. It is immutable; a change is a new
// view.
type View struct {
	*search.Engine
	ix        *layout.Index
	now       *state.State
	fragments *Fragments
	links     catalog.LinkBase
	list      []byte // the address of the list of channels, as JSON

	blocked  map[string]bool // ids of channels, as the overlay names them
	logos    logos
	itemEnds []itemEnd // by origin
	zeros    []byte    // social counters of channels that have none
	api      []byte    // the member api up to the id

	fingerprint uint64
}

// New returns a view of a state. The fragments must be those of its index.
func New(st *state.State, f *Fragments, o *state.Overlay, links catalog.LinkBase) *View {
	v := &View{Engine: search.New(st, links), ix: st.Index, now: st, fragments: f, links: links}
	v.setBlocked(o)
	v.setLogos(o)
	v.setItemEnds()
	v.list = jsontext.AppendValue(nil, links.Channels())
	v.setFingerprint()
	return v
}

func (v *View) setBlocked(o *state.Overlay) {
	if len(o.BlockedChannels) == 0 {
		return
	}
	v.blocked = make(map[string]bool, len(o.BlockedChannels))
	for _, id := range o.BlockedChannels {
		v.blocked[id] = true
	}
}

// Blocks reports whether the overlay blocks a channel by this id, also when the channel
// has left the catalog.
func (v *View) Blocks(id string) bool { return v.blocked[id] }

// Version returns the version of the index.
func (v *View) Version() string { return v.ix.Version() }

// BuiltAt returns when the register was built.
func (v *View) BuiltAt() time.Time { return v.ix.BuiltAt() }
