package show

import (
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/docset"
	"miramundo.dev/shared/catalog/index/layout/recordtext"
	"miramundo.dev/shared/catalog/jsontext"
	"miramundo.dev/shared/catalog/snapshot"
)

// A Summary is a channel as the lists of favorites, history and libraries show
// it. It takes a tenth of the time of an Item.
type Summary struct {
	ID      string
	Kind    catalog.Kind
	Name    string
	Country string // ISO 3166-1 alpha-2; empty when not known
	Quality string // best known, such as 1080p; empty when not known
	LogoURL *string

	Playable bool // the last check found a usable stream
}

// Summary returns the summary of a channel, by its id or by one that it once had. It
// reports false when no such channel is shown.
func (v *View) Summary(id string) (Summary, bool) {
	doc, ok := v.now.Shown(id)
	if !ok {
		return Summary{}, false
	}
	return v.summary(doc), true
}

// Current returns the id that a channel has now, by its id or by one that it once
// had. It reports false, and returns the empty id, when no such channel is shown.
func (v *View) Current(id string) (string, bool) {
	doc, ok := v.now.Shown(id)
	if !ok {
		return "", false
	}
	if now := v.ix.EscapedID(doc); string(now) != id {
		return jsontext.Text(now), true
	}
	return id, true
}

// Doc returns the record of the channel that has an id now. It reports false when no such
// channel is shown.
func (v *View) Doc(id string) (uint32, bool) {
	doc, ok := v.now.Shown(id)
	if !ok {
		return 0, false
	}
	now := v.ix.EscapedID(doc)
	return doc, string(now) == id || jsontext.Text(now) == id
}

// Reach returns the records of which a probe found that a stream plays and no label keeps it
// from a country, and those of which a label keeps every stream from it. The caller may change
// what it returns.
func (v *View) Reach(country string) (open, shut docset.Bits) { return v.now.Reach(country) }

// summary returns the summary of a record.
func (v *View) summary(doc uint32) Summary {
	row, t := &v.ix.Rows[doc], v.ix.Texts(doc)
	state := v.ix.States.Row(row.State)
	return Summary{
		ID:       jsontext.Text(t.Part[recordtext.ID]),
		Kind:     catalog.Kind(state[snapshot.StateKind]),
		Name:     jsontext.Text(t.Part[recordtext.Name]),
		Country:  v.ix.Text(v.ix.Topics.Row(row.Topic)[snapshot.TopicCountry]),
		Quality:  v.ix.Text(state[snapshot.StateQuality]),
		LogoURL:  v.logoURL(doc),
		Playable: v.now.Playable.Has(doc),
	}
}
