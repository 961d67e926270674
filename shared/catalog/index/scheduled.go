package index

import (
	"bytes"
	"slices"

	"miramundo.dev/shared/catalog/docset"
	"miramundo.dev/shared/catalog/filter"
)

// setGuides notes the records of which programmes are known: they have a guide,
// whatever the register says.
func (v *View) setGuides(o *Overlay) {
	v.flags[filter.Guide] = v.ix.guide
	if o.Guides == nil {
		return
	}
	scheduled := docset.NewBits(v.ix.n)
	for channel := range o.Guides {
		if doc, ok := v.ix.resolve(channel); ok {
			scheduled.Add(doc)
		}
	}
	guide := slices.Clone(v.ix.guide.Bits)
	for i, w := range scheduled {
		guide[i] |= w
	}
	v.scheduled, v.flags[filter.Guide] = docset.Rank(scheduled), docset.Rank(guide)
}

// isScheduled reports whether programmes of record doc are known.
func (v *View) isScheduled(doc uint32) bool {
	return v.scheduled.Size > 0 && v.scheduled.Has(doc)
}

// What the members of a state say of a guide.
var (
	hasGuide = []byte(`"has_guide":true`)
	noGuide  = []byte(`"has_guide":false`) // in no value: there quotes are escaped
)

// appendState adds the members of a state of record doc.
func (v *View) appendState(dst []byte, doc, state uint32) []byte {
	text := v.ix.stateText.At(state)
	if !v.isScheduled(doc) {
		return append(dst, text...)
	}
	before, after, silent := bytes.Cut(text, noGuide)
	dst = append(dst, before...)
	if silent {
		dst = append(append(dst, hasGuide...), after...)
	}
	return dst
}
