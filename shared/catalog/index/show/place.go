package show

import (
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/snapshot"
)

// Place returns where a station is, and its country (ISO 3166-1 alpha-2, empty when not
// known). It reports false for a record whose coordinates are not known.
func (v *View) Place(doc uint32) (at catalog.Geo, country string, ok bool) {
	if at, ok = v.ix.PlaceOf(doc); !ok {
		return catalog.Geo{}, "", false
	}
	return at, v.ix.Text(v.ix.Topics.Row(v.ix.Rows[doc].Topic)[snapshot.TopicCountry]), true
}
