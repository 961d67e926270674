// Package lasting gives streams and channels ids that outlast a reload.
//
// Ids are what callers store in libraries, feeds and links, so they must outlive
// a reload in which a source renames a channel or moves a stream.
//
// Streams are matched with the earlier register in groups of channel, feed and
// source. Within a group a stream with an unchanged URL keeps its id, and so does
// one that moved with its URL to another feed or source of its channel. The
// streams left over in a group take over the ids left over there, in order, since
// a source that replaces a dead URL means the same stream. Only then do streams
// without an id get a new one: the first 8 bytes of a SHA-256 of group and URL,
// which two builds without a common history compute alike. A collision, with an
// id in use or with zero, is resolved by a counter in the hash.
//
// An id of the earlier register that nothing took over becomes an alias of the
// best stream of its group; earlier aliases are carried on while their target
// exists, so that a chain of renames stays one step long. A channel id that its
// source dropped becomes an alias of the channel that is clearly the same by its
// streams, names, country and site (match.go).
package lasting

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"slices"
	"strconv"
	"strings"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/build/clean"
)

// A group identifies interchangeable streams: those of one channel, feed and
// source. Within it an id survives a change of URL.
type group struct{ channel, feed, origin string }

func (g group) compare(o group) int {
	return cmp.Or(cmp.Compare(g.channel, o.channel), cmp.Compare(g.feed, o.feed), cmp.Compare(g.origin, o.origin))
}

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
	n.follow(records)
	for g, streams := range members {
		n.replace(g, streams)
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

// keep gives the streams of g the ids of its earlier streams with their URLs.
// Afterwards n.old[g] holds the earlier streams whose ids no stream took.
func (n *namer) keep(g group, streams []*catalog.StreamRecord) {
	byURL := map[string]*catalog.StreamRecord{}
	for _, s := range streams {
		byURL[clean.Normal(s.URL)] = s
	}
	n.old[g] = slices.DeleteFunc(n.old[g], func(old catalog.StreamRecord) bool {
		s := byURL[clean.Normal(old.URL)]
		if s == nil || s.ID != 0 {
			return false
		}
		n.claim(s, old.ID)
		return true
	})
}

// follow gives streams without an id the ids of earlier streams of their channel
// that had their URL in another feed or from another source.
func (n *namer) follow(records []catalog.Record) {
	type place struct{ channel, url string }
	moved := map[place]*catalog.StreamRecord{}
	for i := range records {
		for k := range records[i].Streams {
			s := &records[i].Streams[k]
			at := place{records[i].ID, clean.Normal(s.URL)}
			if s.ID == 0 && moved[at] == nil {
				moved[at] = s
			}
		}
	}
	maps.DeleteFunc(n.old, func(_ group, left []catalog.StreamRecord) bool { return len(left) == 0 })
	for _, g := range slices.SortedFunc(maps.Keys(n.old), group.compare) {
		n.old[g] = slices.DeleteFunc(n.old[g], func(old catalog.StreamRecord) bool {
			s := moved[place{g.channel, clean.Normal(old.URL)}]
			if s == nil || s.ID != 0 {
				return false
			}
			n.claim(s, old.ID)
			return true
		})
	}
}

// replace gives the streams of g that still have no id the ids that are left of
// g, in order.
func (n *namer) replace(g group, streams []*catalog.StreamRecord) {
	for _, s := range streams {
		if s.ID == 0 && len(n.old[g]) > 0 {
			n.claim(s, n.old[g][0].ID)
			n.old[g] = n.old[g][1:]
		}
	}
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
