package show

import (
	"bytes"
	"strconv"

	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/jsontext"
)

// appendHealth adds what was measured of record doc as a
// catalog.MeasuredHealth, or null.
func (v *View) appendHealth(dst []byte, doc uint32) []byte {
	if v.now.LastMeasured == nil || v.now.LastMeasured[doc] == 0 {
		return append(dst, null...)
	}
	dst = append(dst, `{"score":`...)
	if s := v.now.Scores[doc]; s > 0 {
		dst = strconv.AppendUint(dst, uint64(s-1), 10)
	} else {
		dst = append(dst, null...)
	}
	dst = strconv.AppendBool(append(dst, `,"online":`...), v.now.Flags[filter.Online].Has(doc))
	dst = appendText(dst, `,"checked_at":`, v.now.Measured[v.now.LastMeasured[doc]-1].Health.CheckedAt)
	return append(dst, '}')
}

// What the members of a state say of a guide. They are in no value: there quotes
// are escaped.
var (
	hasGuide  = []byte(`"has_guide":`)
	guideLang = []byte(`,"guide_lang":`)
)

// appendState adds the members of a state of record doc.
func (v *View) appendState(dst []byte, doc, state uint32) []byte {
	text := v.fragments.stateText.At(state)
	if !v.now.IsScheduled(doc) {
		return append(dst, text...)
	}
	before, _, _ := bytes.Cut(text, hasGuide)
	dst = append(append(append(dst, before...), hasGuide...), "true"...)
	dst = append(dst, `,"guide_site":`...)
	if site := v.now.GuideSite(doc); site == "" {
		dst = append(dst, null...)
	} else {
		dst = jsontext.Quote(dst, site)
	}
	return append(dst, text[bytes.Index(text, guideLang):]...)
}
