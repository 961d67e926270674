package overlay

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"miramundo.dev/shared/store"
)

// Pauses between tries to read what could not be read.
const (
	firstPause = time.Second
	lastPause  = time.Minute
)

// together is how many shards are read at a time: it bounds the memory that
// takes.
const together = 8

// A Follower has who it was made for see each shard as it is and becomes.
type Follower struct {
	kind    Kind
	db      store.DB
	log     *slog.Logger
	show    func(n int, data []byte) error
	pause   time.Duration // the first of the pauses
	changed chan struct{}

	// Of one goroutine at a time.
	told  []int64 // by shard: the revision of the last head; 0 for one that is not kept
	shown []int64 // by shard: the revision that is shown, likewise
}

// Follow reads the shards of k that are kept, gives each to show, and returns.
// Until ctx is done it goes on to give those that change to show, from one
// goroutine. A shard that cannot be read, or that show refuses, stays as it was
// shown, is logged, and is tried again when it changes or after a pause that
// grows; so does the first reading when the database does not answer.
func Follow(ctx context.Context, db store.DB, log *slog.Logger, k Kind, show func(n int, data []byte) error) *Follower {
	f := newFollower(db, log, k, show)
	f.first(ctx)
	go f.run(ctx)
	return f
}

func newFollower(db store.DB, log *slog.Logger, k Kind, show func(n int, data []byte) error) *Follower {
	return &Follower{
		kind: k, db: db, log: log, show: show, pause: firstPause, changed: make(chan struct{}, 1),
		told: make([]int64, k.Shards), shown: make([]int64, k.Shards),
	}
}

// Changed returns a channel that holds one token when something was shown since
// a token was last taken.
func (f *Follower) Changed() <-chan struct{} { return f.changed }

// first shows what is kept.
func (f *Follower) first(ctx context.Context) {
	docs, err := f.db.GetAll(ctx, []store.Path{f.kind.head()})
	if err != nil {
		f.warn(ctx, err) // the watch asks again
		return
	}
	f.follow(ctx, docs[0])
}

// run follows the head until ctx is done, and tries again what failed.
func (f *Follower) run(ctx context.Context) {
	heads, ended := make(chan store.Doc), make(chan struct{})
	go func() { defer close(ended); f.watch(ctx, heads) }()
	defer func() { <-ended }()
	pause, retry := f.pause, (<-chan time.Time)(nil)
	for {
		switch late := len(f.late()) > 0; {
		case !late:
			pause, retry = f.pause, nil
		case retry == nil:
			retry = time.After(pause)
			pause = min(2*pause, lastPause)
		}
		select {
		case <-ctx.Done():
			return
		case doc := <-heads:
			f.follow(ctx, doc)
		case <-retry:
			retry = nil
			f.read(ctx, f.late())
		}
	}
}

// watch gives each head to who reads heads, until ctx is done.
func (f *Follower) watch(ctx context.Context, heads chan<- store.Doc) {
	for pause := f.pause; ctx.Err() == nil; pause = min(2*pause, lastPause) {
		for doc, err := range f.db.Watch(ctx, f.kind.head()) {
			if err != nil {
				f.warn(ctx, err)
				break
			}
			pause = f.pause
			select {
			case heads <- doc:
			case <-ctx.Done():
				return
			}
		}
		hold(ctx, pause)
	}
}

func hold(ctx context.Context, pause time.Duration) {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// follow shows the shards of which a head has news.
func (f *Follower) follow(ctx context.Context, doc store.Doc) {
	if doc.Decode == nil { // who writes next begins anew
		clear(f.told)
		clear(f.shown)
		return
	}
	revisions, err := f.kind.revisions(doc)
	if err != nil {
		f.warn(ctx, err) // until it changes: Update mends it
		return
	}
	var news []int
	for n, revision := range revisions {
		if revision != f.told[n] && revision != f.shown[n] {
			news = append(news, n)
		}
	}
	f.told = revisions
	f.read(ctx, news)
}

// late returns the shards that are not shown as the head says.
func (f *Follower) late() []int {
	var list []int
	for n, revision := range f.told {
		if revision != f.shown[n] {
			list = append(list, n)
		}
	}
	return list
}

// read shows some shards, as far as they can be read.
func (f *Follower) read(ctx context.Context, list []int) {
	for some := range slices.Chunk(list, together) {
		paths := make([]store.Path, len(some))
		for i, n := range some {
			paths[i] = f.kind.shard(n)
		}
		docs, err := f.db.GetAll(ctx, paths)
		if err != nil {
			f.warn(ctx, err)
			return
		}
		for i, n := range some {
			if err := f.take(n, docs[i]); err != nil {
				f.warn(ctx, err)
			}
		}
	}
}

// take shows shard n.
func (f *Follower) take(n int, doc store.Doc) error {
	kept, data, err := f.kind.open(doc)
	switch {
	case err != nil:
		return err
	case kept.Revision < f.told[n]:
		return fmt.Errorf("%w: shard %d of %s is gone or old", ErrCorrupt, n, f.kind.Name)
	}
	if err := f.show(n, data); err != nil {
		return fmt.Errorf("shard %d: %w", n, err)
	}
	f.shown[n] = kept.Revision
	select {
	case f.changed <- struct{}{}:
	default: // it holds one
	}
	return nil
}

func (f *Follower) warn(ctx context.Context, err error) {
	if ctx.Err() == nil {
		f.log.WarnContext(ctx, "overlay stays as it was", "kind", f.kind.Name, "cause", err.Error())
	}
}
