package build

import (
	"crypto/sha256"
	"encoding/binary"
	"strconv"
	"strings"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/source"
)

// A group names the streams that stand for each other: those of one channel,
// feed and source. Within it an id outlives a change of URL.
type group struct{ channel, feed, origin string }

// A namer gives streams their ids.
type namer struct {
	used map[catalog.StreamID]bool
	old  map[group][]catalog.StreamRecord // of the earlier register, not yet claimed
}

// nameStreams sets the ids of all streams, and returns where the ids of prev
// that are gone now lead.
//
// A stream whose URL prev knew in the same group keeps its id. One that took
// the place of a vanished stream of its group takes over its id. Others get a
// new id, made of group and URL, so that it does not depend on the order in
// which streams come.
func nameStreams(records []catalog.Record, prev *catalog.Register, channels map[string]string) map[string]string {
	n := namer{used: map[catalog.StreamID]bool{}, old: map[group][]catalog.StreamRecord{}}
	if prev != nil {
		n.remember(prev, channels)
	}
	members := groups(records)
	for g, streams := range members {
		n.keep(g, streams)
	}
	for i := range records {
		n.fresh(&records[i])
	}
	return n.aliases(prev, members)
}

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

func (n *namer) remember(prev *catalog.Register, channels map[string]string) {
	for i := range prev.Records {
		id := prev.Records[i].ID
		if to, ok := channels[id]; ok {
			id = to
		}
		for _, s := range prev.Records[i].Streams {
			g := group{id, s.Feed, s.Origin}
			n.old[g] = append(n.old[g], s)
		}
	}
}

// keep gives the streams of g the ids that prev had for them: first by URL,
// then those left over, in order.
func (n *namer) keep(g group, streams []*catalog.StreamRecord) {
	old := n.old[g]
	if len(old) == 0 {
		return
	}
	byURL := map[string]int{}
	for i, s := range old {
		byURL[normal(s.URL)] = i
	}
	taken := make([]bool, len(old))
	var rest []*catalog.StreamRecord
	for _, s := range streams {
		if i, ok := byURL[normal(s.URL)]; ok && !taken[i] {
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

func (n *namer) claim(s *catalog.StreamRecord, id catalog.StreamID) {
	s.ID = id
	n.used[id] = true
}

// fresh gives an id to each stream of r that has none.
func (n *namer) fresh(r *catalog.Record) {
	for k := range r.Streams {
		s := &r.Streams[k]
		for salt := 0; s.ID == 0; salt++ {
			if id := streamID(r.ID, s, salt); !n.used[id] && id != 0 {
				n.claim(s, id)
			}
		}
	}
}

func streamID(channel string, s *catalog.StreamRecord, salt int) catalog.StreamID {
	key := strings.Join([]string{s.Origin, channel, s.Feed, normal(s.URL)}, "\x00")
	if salt > 0 {
		key += "\x00" + strconv.Itoa(salt)
	}
	sum := sha256.Sum256([]byte(key))
	return catalog.StreamID(binary.BigEndian.Uint64(sum[:8]))
}

// aliases returns where ids lead that no stream has any more: to the best
// stream of their group, while it has one.
func (n *namer) aliases(prev *catalog.Register, members map[group][]*catalog.StreamRecord) map[string]string {
	aliases := map[string]string{}
	for g, gone := range n.old {
		if heirs := members[g]; len(heirs) > 0 {
			for _, s := range gone {
				if !n.used[s.ID] {
					aliases[s.ID.String()] = heirs[0].ID.String()
				}
			}
		}
	}
	if prev != nil {
		n.inherit(aliases, prev.StreamAliases)
	}
	return aliases
}

// inherit adds the earlier aliases that still lead somewhere.
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

// upstreamIDs returns every channel id that the sources name, shown or not.
func upstreamIDs(ds *source.Dataset) map[string]bool {
	ids := make(map[string]bool, len(ds.Channels))
	for i := range ds.Channels {
		ids[ds.Channels[i].ID] = true
	}
	return ids
}

// channelAliases returns where the channel ids lead that were once published
// or merged into another, and are no record's now.
//
// A channel that its source no longer names, while a new one has a stream URL
// of its own, was renamed. One that the source still names, but that may not
// be shown any more, leads nowhere.
func channelAliases(records []catalog.Record, merged map[string]string, prev *catalog.Register, upstream map[string]bool) map[string]string {
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

func renamed(aliases map[string]string, records []catalog.Record, prev *catalog.Register, now, upstream map[string]bool) {
	before := make(map[string]bool, len(prev.Records))
	for i := range prev.Records {
		before[prev.Records[i].ID] = true
	}
	heir := map[string]string{} // of a stream URL: the new channel that has it
	for i := range records {
		if r := &records[i]; !before[r.ID] {
			for _, s := range r.Streams {
				heir[normal(s.URL)] = r.ID
			}
		}
	}
	for i := range prev.Records {
		r := &prev.Records[i]
		if now[r.ID] || upstream[r.ID] || r.Kind != catalog.TV {
			continue
		}
		for _, s := range r.Streams {
			if to, ok := heir[normal(s.URL)]; ok {
				aliases[r.ID] = to
				break
			}
		}
	}
}
