package history

import (
	"cmp"
	"slices"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
)

// The operations of changes, in the order in which a set lists them.
const (
	Gone    = "gone"
	Renamed = "renamed" // its id or its name is another one now
	Added   = "added"
	Changed = "changed"
)

// Merged is the reason of a channel that is gone because its entry was joined with
// another. The other reasons are those of package catalog.
const Merged = "merged"

// A Change is one entry of the catalog that differs between two releases.
type Change struct {
	Op      string   `json:"op"`
	ID      string   `json:"id"`
	Kind    string   `json:"kind"`
	Name    string   `json:"name"`
	Country string   `json:"country,omitempty"`
	WasID   string   `json:"was_id,omitempty"`   // of a renamed entry
	WasName string   `json:"was_name,omitempty"` // of a renamed entry
	Fields  []string `json:"fields,omitempty"`   // members of its record that changed, by their names on the wire
	Reason  string   `json:"reason,omitempty"`   // of an entry that is gone
	Became  string   `json:"became,omitempty"`   // id of the entry that replaced one that is gone
}

// Compare returns how the entries of two releases differ, by operation and id. Votes,
// clicks and the results of checks change all the time and count as no change.
func Compare(before, after *index.Index) []Change {
	old := make(map[string]catalog.Record, before.Len())
	for _, r := range before.Records() {
		old[r.ID] = r
	}
	earlier := earlierIDs(old, after)
	var all []Change
	for _, r := range after.Records() {
		was, known := old[r.ID]
		if !known {
			was, known = old[earlier[r.ID]]
		}
		if c, differs := changeOf(&was, &r, known); differs {
			all = append(all, c)
		}
		delete(old, was.ID)
	}
	aliases, _ := after.Aliases()
	for _, r := range old {
		all = append(all, goneChange(&r, aliases[r.ID], after))
	}
	slices.SortFunc(all, func(a, b Change) int {
		return cmp.Or(cmp.Compare(order[a.Op], order[b.Op]), cmp.Compare(a.ID, b.ID))
	})
	return all
}

var order = map[string]int{Gone: 0, Renamed: 1, Added: 2, Changed: 3}

// earlierIDs maps each id that is new in a release to the id that the entry had in the
// release before, for entries whose id changed.
func earlierIDs(old map[string]catalog.Record, after *index.Index) map[string]string {
	aliases, _ := after.Aliases()
	earlier := map[string]string{}
	for from, to := range aliases {
		_, listed := old[from]
		_, both := old[to]
		if first, taken := earlier[to]; listed && !both && (!taken || from < first) {
			earlier[to] = from
		}
	}
	return earlier
}

// changeOf returns the change from was to now, and whether they differ.
func changeOf(was, now *catalog.Record, known bool) (Change, bool) {
	c := Change{Op: Added, ID: now.ID, Kind: now.Kind.String(), Name: now.Name, Country: now.Country}
	if !known {
		return c, true
	}
	c.Fields = differing(was, now)
	switch {
	case was.ID != now.ID || was.Name != now.Name:
		c.Op, c.WasID, c.WasName = Renamed, was.ID, was.Name
	case len(c.Fields) > 0:
		c.Op = Changed
	default:
		return Change{}, false
	}
	return c, true
}

// goneChange returns the change of an entry r that a release no longer has. to is the id
// of the entry that replaced it by an alias, or empty.
func goneChange(r *catalog.Record, to string, after *index.Index) Change {
	c := Change{Op: Gone, ID: r.ID, Kind: r.Kind.String(), Name: r.Name, Country: r.Country, Reason: catalog.GoneVanished, Became: to}
	if g, ok := after.Gone(r.ID); ok {
		c.Reason, c.Became = g.Reason, cmp.Or(to, g.ReplacedBy)
	} else if to != "" {
		c.Reason = Merged
	}
	return c
}

// differing returns the members that differ between two records of an entry.
func differing(a, b *catalog.Record) []string {
	var names []string
	note := func(name string, same bool) {
		if !same {
			names = append(names, name)
		}
	}
	for _, m := range texts {
		note(m.name, *m.of(a) == *m.of(b))
	}
	for _, m := range lists {
		note(m.name, slices.Equal(*m.of(a), *m.of(b)))
	}
	note("has_guide", a.HasGuide == b.HasGuide)
	note("logo_url", a.LogoSource == b.LogoSource)
	note("radio", sameRadio(a.Radio, b.Radio))
	note("streams", slices.Equal(streamsOf(a), streamsOf(b)))
	return names
}

// texts and lists are the members of a record that are compared as they are. A change
// of the id or the name is told by the operation.
var (
	texts = []struct {
		name string
		of   func(*catalog.Record) *string
	}{
		{"country", func(r *catalog.Record) *string { return &r.Country }},
		{"website", func(r *catalog.Record) *string { return &r.Website }},
		{"network", func(r *catalog.Record) *string { return &r.Network }},
		{"launched", func(r *catalog.Record) *string { return &r.Launched }},
		{"replaced_by", func(r *catalog.Record) *string { return &r.ReplacedBy }},
		{"feed_name", func(r *catalog.Record) *string { return &r.FeedName }},
		{"feed_format", func(r *catalog.Record) *string { return &r.FeedFormat }},
		{"quality", func(r *catalog.Record) *string { return &r.Quality }},
		{"guide_site", func(r *catalog.Record) *string { return &r.GuideSite }},
		{"guide_lang", func(r *catalog.Record) *string { return &r.GuideLang }},
		{"subdivision", func(r *catalog.Record) *string { return &r.Subdivision }},
		{"city", func(r *catalog.Record) *string { return &r.City }},
		{"origem", func(r *catalog.Record) *string { return &r.Origin }},
	}
	lists = []struct {
		name string
		of   func(*catalog.Record) *[]string
	}{
		{"alt_names", func(r *catalog.Record) *[]string { return &r.AltNames }},
		{"categories", func(r *catalog.Record) *[]string { return &r.Categories }},
		{"languages", func(r *catalog.Record) *[]string { return &r.Languages }},
		{"owners", func(r *catalog.Record) *[]string { return &r.Owners }},
		{"timezones", func(r *catalog.Record) *[]string { return &r.Timezones }},
		{"broadcast_area", func(r *catalog.Record) *[]string { return &r.BroadcastArea }},
	}
)

// sameRadio reports whether two records of a station have the same facts.
func sameRadio(a, b *catalog.Radio) bool {
	if a == nil || b == nil {
		return a == b
	}
	return slices.Equal(a.Tags, b.Tags) && samePointer(a.Codec, b.Codec) && samePointer(a.Bitrate, b.Bitrate) && samePointer(a.Geo, b.Geo)
}

func samePointer[T comparable](a, b *T) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// streamsOf returns the streams of r by id, without what checks found out.
func streamsOf(r *catalog.Record) []catalog.StreamRecord {
	all := slices.Clone(r.Streams)
	for i := range all {
		all[i].Playable = false
	}
	slices.SortFunc(all, func(a, b catalog.StreamRecord) int { return cmp.Compare(a.ID, b.ID) })
	return all
}
