package lasting

import (
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/source"
)

// Listed returns every channel id that the sources list as a channel, shown or
// not, or as blocked.
func Listed(ds *source.Dataset) map[string]bool {
	ids := make(map[string]bool, len(ds.Channels)+len(ds.Blocklist))
	for i := range ds.Channels {
		ids[ds.Channels[i].ID] = true
	}
	for i := range ds.Blocklist {
		ids[ds.Blocklist[i].Channel] = true
	}
	return ids
}

// Channels returns the aliases of channel ids that were once published, or whose
// source says which record took their place (merged), and that belong to no record
// now.
//
// A channel or station that its source no longer lists leads to the record that
// is clearly the same, by its streams, names, country and site. A channel that the source
// still lists, but that must not be shown any more, gets no alias but that of
// merged: its viewers must not end up on another channel.
func Channels(records []catalog.Record, merged map[string]string, prev *catalog.Register, listed map[string]bool) map[string]string {
	now := make(map[string]bool, len(records))
	for i := range records {
		now[records[i].ID] = true
	}
	aliases := map[string]string{}
	if prev != nil {
		lead(aliases, vanished(prev, now, merged, listed), records, prev)
	}
	for from, to := range merged {
		aliases[from] = to
	}
	if prev != nil {
		for from, to := range prev.ChannelAliases {
			if _, ok := merged[from]; ok {
				continue // merged is newer
			}
			if next, ok := aliases[to]; ok {
				to = next
			}
			if now[to] && !now[from] {
				aliases[from] = to
			}
		}
	}
	return aliases
}

// vanished returns the records of prev that no source lists any more, and what
// prev remembers of earlier ones: since its name may have come back under
// another id.
func vanished(prev *catalog.Register, now map[string]bool, merged map[string]string, listed map[string]bool) []*catalog.Record {
	var list []*catalog.Record
	add := func(r *catalog.Record) {
		if _, ok := merged[r.ID]; !ok && !now[r.ID] && !listed[r.ID] {
			list = append(list, r)
		}
	}
	for i := range prev.Records {
		add(&prev.Records[i])
	}
	for _, g := range prev.Gone {
		if g.Reason != catalog.GoneBlocked {
			add(&catalog.Record{ID: g.ID, Kind: g.Kind, Name: g.Name, AltNames: g.AltNames, Country: g.Country, ReplacedBy: g.ReplacedBy})
		}
	}
	return list
}

// lead adds to aliases the vanished channels that are clearly one of records.
func lead(aliases map[string]string, vanished []*catalog.Record, records []catalog.Record, prev *catalog.Register) {
	if len(vanished) == 0 {
		return
	}
	m := newMatcher(records, prev)
	for _, old := range vanished {
		if to, ok := m.successor(old); ok {
			aliases[old.ID] = to
		}
	}
}
