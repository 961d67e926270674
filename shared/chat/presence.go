package chat

import (
	"context"
	"iter"
	"maps"
	"slices"
	"sync"
	"time"

	"miramundo.dev/shared/store"
)

// Each instance of the chat room writes how many sockets it holds in each room, with a
// lease: a document per instance and not per room, so that what presence costs grows
// with instances and not with rooms. An instance that dies counts until its lease ends.

// Times of presence.
const (
	Lease     = 30 * time.Second
	Heartbeat = 10 * time.Second // after which an instance with sockets renews its lease
	stale     = 5 * time.Second  // for which Watching remembers what it read
	patience  = 2 * time.Second  // that Watching waits for the database
)

const instances = store.Path("chat_instances")

// maxCounted bounds the rooms that an instance counts: more do not fit a document.
const maxCounted = 10_000

// An instance is what one instance holds, as it is stored.
type instance struct {
	id       string
	Rooms    []counted  `json:"rooms"`
	ExpireAt store.Time `json:"expire_at"`
}

// A counted is a room with the sockets in it.
type counted struct {
	Channel string `json:"channel"`
	Sockets int    `json:"sockets"`
}

// Announce writes how many sockets an instance holds in each room, until its lease
// ends. An instance that holds none is deleted.
func (r *Rooms) Announce(ctx context.Context, id string, sockets map[string]int) error {
	doc := instance{Rooms: []counted{}, ExpireAt: store.At(r.now().Add(Lease))}
	for _, channel := range slices.Sorted(maps.Keys(sockets)) {
		if n := sockets[channel]; n > 0 && len(doc.Rooms) < maxCounted {
			doc.Rooms = append(doc.Rooms, counted{channel, n})
		}
	}
	if len(doc.Rooms) == 0 {
		return r.db.Delete(ctx, instances.Join(id))
	}
	return r.db.Set(ctx, instances.Join(id), doc)
}

// A Presence is how many sockets every instance holds.
type Presence []instance

// Sums returns how many sockets each room has at a moment, over all instances but one
// whose lease is valid; an empty id leaves none out.
func (p Presence) Sums(now time.Time, but string) map[string]int {
	sums := map[string]int{}
	for _, in := range p {
		if in.id == but || in.ExpireAt.Left(now, Lease) == 0 {
			continue
		}
		for _, c := range in.Rooms {
			sums[c.Channel] += c.Sockets
		}
	}
	return sums
}

// Instances yields the presence of all instances, and again after each change. The
// end of a lease alone is not a change.
func (r *Rooms) Instances(ctx context.Context) iter.Seq2[Presence, error] {
	return func(yield func(Presence, error) bool) {
		for docs, err := range r.db.WatchQuery(ctx, store.Query{Collection: instances}) {
			var p Presence
			if err == nil {
				p, err = presenceOf(docs)
			}
			if !yield(p, err) || err != nil {
				return
			}
		}
	}
}

func presenceOf(docs []store.Doc) (Presence, error) {
	p := make(Presence, len(docs))
	for i, doc := range docs {
		if err := doc.Decode(&p[i]); err != nil {
			return nil, err
		}
		p[i].id = doc.ID
	}
	return p, nil
}

// presence caches what Watching read.
type presence struct {
	mu   sync.Mutex
	at   time.Time      // guarded by mu
	sums map[string]int // guarded by mu
}

// Watching returns how many sockets are in a room, at most five seconds old. It reads
// one document per instance and five seconds at most, for all rooms together.
func (r *Rooms) Watching(ctx context.Context, channel string) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	r.people.mu.Lock()
	defer r.people.mu.Unlock()
	now := r.now()
	if r.people.sums == nil || now.Sub(r.people.at) >= stale {
		var docs []store.Doc
		for doc, err := range r.db.Query(ctx, store.Query{Collection: instances}) {
			if err != nil {
				return 0, err
			}
			docs = append(docs, doc)
		}
		p, err := presenceOf(docs)
		if err != nil {
			return 0, err
		}
		r.people.sums, r.people.at = p.Sums(now, ""), now
	}
	return r.people.sums[channel], nil
}
