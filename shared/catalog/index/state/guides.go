package state

import (
	"cmp"
	"slices"

	"miramundo.dev/shared/catalog/docset"
	"miramundo.dev/shared/catalog/filter"
)

// A formerGuide is the site of a guide that a channel has by an id that it once
// had.
type formerGuide struct{ channel, site string }

// setGuides notes the records of which programmes are known, and from which sites:
// they have a guide, whatever the register says. The site of a record's own id goes
// before those of its old ones.
func (st *State) setGuides(o *Overlay) {
	st.Flags[filter.Guide] = st.Index.Guide
	if o.Guides == nil {
		return
	}
	scheduled := docset.NewBits(st.Index.N)
	var former []formerGuide
	for channel, site := range o.Guides {
		if doc, ok := st.Index.Find(channel); ok {
			scheduled.Add(doc)
			st.setGuideSite(doc, site)
		} else {
			former = append(former, formerGuide{channel, site})
		}
	}
	slices.SortFunc(former, func(a, b formerGuide) int { return cmp.Compare(a.channel, b.channel) })
	for _, g := range former {
		if doc, ok := st.Index.Resolve(g.channel); ok && !scheduled.Has(doc) {
			scheduled.Add(doc)
			st.setGuideSite(doc, g.site)
		}
	}
	guide := slices.Clone(st.Index.Guide.Bits)
	for i, w := range scheduled {
		guide[i] |= w
	}
	st.Scheduled, st.Flags[filter.Guide] = docset.Rank(scheduled), docset.Rank(guide)
}

// setGuideSite notes the site of the programmes of record doc. There are few
// sites, so that each record holds only a number.
func (st *State) setGuideSite(doc uint32, site string) {
	if st.guideSite == nil {
		st.guideSite = make([]uint8, st.Index.N)
	}
	number := slices.Index(st.guideSites, site)
	if number < 0 {
		if len(st.guideSites) == maxGuideSites {
			return
		}
		number = len(st.guideSites)
		st.guideSites = append(st.guideSites, site)
	}
	st.guideSite[doc] = uint8(number + 1)
}

// maxGuideSites is how many sites are told apart, which is more than a guide has.
const maxGuideSites = 255

// IsScheduled reports whether programmes of record doc are known.
func (st *State) IsScheduled(doc uint32) bool {
	return st.Scheduled.Size > 0 && st.Scheduled.Has(doc)
}

// GuideSite returns the site that the programmes of record doc come from, or "" when
// that is not known. It must be called only for scheduled records.
func (st *State) GuideSite(doc uint32) string {
	if n := st.guideSite[doc]; n > 0 {
		return st.guideSites[n-1]
	}
	return ""
}
