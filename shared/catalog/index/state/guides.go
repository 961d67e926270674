package state

import (
	"slices"

	"miramundo.dev/shared/catalog/docset"
	"miramundo.dev/shared/catalog/filter"
)

// setGuides notes the records of which programmes are known: they have a guide,
// whatever the register says.
func (st *State) setGuides(o *Overlay) {
	st.Flags[filter.Guide] = st.Index.Guide
	if o.Guides == nil {
		return
	}
	scheduled := docset.NewBits(st.Index.N)
	for channel := range o.Guides {
		if doc, ok := st.Index.Resolve(channel); ok {
			scheduled.Add(doc)
		}
	}
	guide := slices.Clone(st.Index.Guide.Bits)
	for i, w := range scheduled {
		guide[i] |= w
	}
	st.Scheduled, st.Flags[filter.Guide] = docset.Rank(scheduled), docset.Rank(guide)
}

// IsScheduled reports whether programmes of record doc are known.
func (st *State) IsScheduled(doc uint32) bool {
	return st.Scheduled.Size > 0 && st.Scheduled.Has(doc)
}
