package index

import (
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/jsontext"
	"miramundo.dev/shared/catalog/snapshot"
)

// A Brief is the little of a channel that lists of a person's own channels
// show. It takes a tenth of the time of an Item.
type Brief struct {
	ID      string
	Kind    catalog.Kind
	Name    string
	Country string // ISO 3166-1 alpha-2; empty when not known
	Quality string // best known, such as 1080p; empty when not known
	LogoURL *string

	Playable bool // the last check found a usable stream
}

// Brief returns a channel in brief, by its id or by one that it once had. It
// reports false when there is none to be shown.
func (v *View) Brief(id string) (Brief, bool) {
	doc, ok := v.shown(id)
	if !ok {
		return Brief{}, false
	}
	return v.brief(doc), true
}

// brief returns a record in brief.
func (v *View) brief(doc uint32) Brief {
	row, t := &v.ix.rows[doc], v.ix.texts(doc)
	state := v.ix.states.Row(row.state)
	return Brief{
		ID:       jsontext.Text(t.part[ownID]),
		Kind:     catalog.Kind(state[snapshot.StateKind]),
		Name:     jsontext.Text(t.part[ownName]),
		Country:  v.ix.text(v.ix.topics.Row(row.topic)[snapshot.TopicCountry]),
		Quality:  v.ix.text(state[snapshot.StateQuality]),
		LogoURL:  v.logoURL(doc),
		Playable: v.playable.Has(doc),
	}
}

// Current returns what a channel is called now, by its id or by one that it once
// had, and whether it is shown. A nil view knows no channel, and leaves ids as
// they are.
func (v *View) Current(id string) (string, bool) {
	if v == nil {
		return id, false
	}
	b, ok := v.Brief(id)
	return b.ID, ok
}
