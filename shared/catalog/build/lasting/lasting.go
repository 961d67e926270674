// Package lasting gives streams and channels ids that outlast a reload.
//
// Ids are what callers store in libraries, feeds and links, so they must outlive
// a reload in which a source renames a channel or moves a stream.
//
// Streams are matched with the earlier register in groups of channel, feed and
// source. Within a group a stream with an unchanged URL keeps its id; the
// streams left over take over the ids left over, in order, since a source that
// replaces a dead URL means the same stream. Only then do streams without an id
// get a new one: the first 8 bytes of a SHA-256 of group and URL, which two
// builds without a common history compute alike. A collision, with an id in use
// or with zero, is resolved by a counter in the hash.
//
// An id of the earlier register that nothing took over becomes an alias of the
// best stream of its group; earlier aliases are carried on while their target
// exists, so that a chain of renames stays one step long. Channels follow by
// their streams: a channel id that its source dropped becomes an alias of the
// new channel that has one of its stream URLs.
package lasting

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strconv"
	"strings"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/build/clean"
	"miramundo.dev/shared/source"
)

// A group identifies interchangeable streams: those of one channel, feed and
// source. Within it an id survives a change of URL.
type group struct{ channel, feed, origin string }

// A namer assigns the ids of streams.
type namer struct {
	used map[catalog.StreamID]bool        // ids of streams of the new register
	old  map[group][]catalog.StreamRecord // of the earlier register, not yet claimed
}

// Streams sets the ids of all streams of records, and returns the aliases
// of the ids that are gone. Channels are the aliases of channels, by which the
// streams of a renamed channel keep their ids too.
func Streams(records []catalog.Record, prev *catalog.Register, channels map[string]string) map[string]string {
	n := namer{used: map[catalog.StreamID]bool{}, old: map[group][]catalog.StreamRecord{}}
	if prev != nil {
		n.remember(prev, channels)
	}
	members := groups(records)
	for g, streams := range members {
		n.keep(g, streams)
	}
	for i := range records {
		n.assign(&records[i])
	}
	return n.aliases(prev, members)
}

// groups returns the streams of records by their group, in their order. The
// pointers are into records.
func groups(records []catalog.Record) map[group][]*catalog.StreamRecord {
	members := map[group][]*catalog.StreamRecord{}
	for i := range records {
		for k := range records[i].Streams {
			s := &records[i].Streams[k]
			g := group{records[i].ID, s.Feed, s.Origin}
			members[g] = append(members[g], s)
		}
	}
	return members
}

// remember collects the streams of prev by the group that they have now: those
// of the channel itself before those of channels that it took over, so that it
// keeps its own ids.
func (n *namer) remember(prev *catalog.Register, channels map[string]string) {
	var moved []*catalog.Record
	for i := range prev.Records {
		r := &prev.Records[i]
		if _, ok := channels[r.ID]; ok {
			moved = append(moved, r)
			continue
		}
		n.add(r.ID, r.Streams)
	}
	for _, r := range moved {
		n.add(channels[r.ID], r.Streams)
	}
}

func (n *namer) add(channel string, streams []catalog.StreamRecord) {
	for _, s := range streams {
		g := group{channel, s.Feed, s.Origin}
		n.old[g] = append(n.old[g], s)
	}
}

// keep gives the streams of g the ids of their earlier streams: first by URL,
// then those left over, in order. Afterwards n.old[g] holds the earlier streams
// whose ids no stream took.
func (n *namer) keep(g group, streams []*catalog.StreamRecord) {
	old := n.old[g]
	if len(old) == 0 {
		return
	}
	byURL := map[string]int{}
	for i, s := range slices.Backward(old) {
		byURL[clean.Normal(s.URL)] = i // the first of several counts
	}
	taken := make([]bool, len(old))
	var rest []*catalog.StreamRecord
	for _, s := range streams {
		if i, ok := byURL[clean.Normal(s.URL)]; ok && !taken[i] {
			n.claim(s, old[i].ID)
			taken[i] = true
		} else {
			rest = append(rest, s)
		}
	}
	var gone []catalog.StreamRecord
	for i, s := range old {
		switch {
		case taken[i]:
		case len(rest) > 0:
			n.claim(rest[0], s.ID)
			rest = rest[1:]
		default:
			gone = append(gone, s)
		}
	}
	n.old[g] = gone
}

// claim gives s the id, which no other stream gets from then on.
func (n *namer) claim(s *catalog.StreamRecord, id catalog.StreamID) {
	s.ID = id
	n.used[id] = true
}

// assign gives a new id to each stream of r that has none yet.
func (n *namer) assign(r *catalog.Record) {
	for k := range r.Streams {
		s := &r.Streams[k]
		for salt := 0; s.ID == 0; salt++ {
			if id := streamID(r.ID, s, salt); !n.used[id] && id != 0 {
				n.claim(s, id)
			}
		}
	}
}

// streamID returns the new id of s. Salt numbers the attempts after a collision.
func streamID(channel string, s *catalog.StreamRecord, salt int) catalog.StreamID {
	key := strings.Join([]string{s.Origin, channel, s.Feed, clean.Normal(s.URL)}, "\x00")
	if salt > 0 {
		key += "\x00" + strconv.Itoa(salt)
	}
	sum := sha256.Sum256([]byte(key))
	return catalog.StreamID(binary.BigEndian.Uint64(sum[:8]))
}

// aliases returns the aliases of ids that no stream has any more: each maps to
// the best stream of its group, while the group has a stream.
func (n *namer) aliases(prev *catalog.Register, members map[group][]*catalog.StreamRecord) map[string]string {
	aliases := map[string]string{}
	for g, gone := range n.old {
		if successors := members[g]; len(successors) > 0 {
			for _, s := range gone {
				if !n.used[s.ID] {
					aliases[s.ID.String()] = successors[0].ID.String()
				}
			}
		}
	}
	if prev != nil {
		n.inherit(aliases, prev.StreamAliases)
	}
	return aliases
}

// inherit adds the earlier aliases whose target still exists. A target that
// became an alias itself is resolved to the end, and an id that a stream has
// again is no longer an alias.
func (n *namer) inherit(aliases, earlier map[string]string) {
	for from, to := range earlier {
		if next, ok := aliases[to]; ok {
			to = next
		}
		if id, ok := catalog.ParseStreamID(to); ok && n.used[id] && from != to {
			if old, ok := catalog.ParseStreamID(from); !ok || !n.used[old] {
				aliases[from] = to
			}
		}
	}
}

// Listed returns every channel id of the sources, shown or not.
func Listed(ds *source.Dataset) map[string]bool {
	ids := make(map[string]bool, len(ds.Channels))
	for i := range ds.Channels {
		ids[ds.Channels[i].ID] = true
	}
	return ids
}

// Channels returns the aliases of channel ids that were once published, or whose
// source says which record took their place (merged), and that belong to no record
// now.
//
// A channel that its source no longer lists, while a new channel has one of its
// stream URLs, counts as renamed. A channel that the source still lists, but
// that must not be shown any more, gets no alias but that of merged: its viewers
// must not end up on another channel.
func Channels(records []catalog.Record, merged map[string]string, prev *catalog.Register, upstream map[string]bool) map[string]string {
	now := make(map[string]bool, len(records))
	for i := range records {
		now[records[i].ID] = true
	}
	aliases := map[string]string{}
	if prev != nil {
		renamed(aliases, records, prev, now, upstream)
	}
	for from, to := range merged {
		aliases[from] = to
	}
	if prev != nil {
		for from, to := range prev.ChannelAliases {
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

// renamed adds to aliases the TV channels of prev that were renamed. Stations
// have the ids of their source's rows, which are never renamed.
func renamed(aliases map[string]string, records []catalog.Record, prev *catalog.Register, now, upstream map[string]bool) {
	before := make(map[string]bool, len(prev.Records))
	for i := range prev.Records {
		before[prev.Records[i].ID] = true
	}
	successor := map[string]string{} // by stream URL: the new channel that has it
	for i := range records {
		if r := &records[i]; !before[r.ID] {
			for _, s := range r.Streams {
				successor[clean.Normal(s.URL)] = r.ID
			}
		}
	}
	for i := range prev.Records {
		r := &prev.Records[i]
		if now[r.ID] || upstream[r.ID] || r.Kind != catalog.TV {
			continue
		}
		for _, s := range r.Streams {
			if to, ok := successor[clean.Normal(s.URL)]; ok {
				aliases[r.ID] = to
				break
			}
		}
	}
}
