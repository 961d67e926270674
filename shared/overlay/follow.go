package overlay

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"miramundo.dev/shared/store"
)

// parallel is how many shards are read at a time: it bounds the memory that
// they take.
const parallel = 8

// A Follower shows each shard of a kind as it is and becomes.
type Follower struct {
	kind    Kind
	set     *Set
	show    func(n int, data []byte) error
	pause   time.Duration // before the first repetition
	changed chan struct{}

	// Of one load at a time; not of a kind without a head.
	listed []int64 // by shard: the revision in the last head; 0 for one that is not kept
	shown  []int64 // by shard: the revision that is shown; 0 for none
}

// Follow reads the shards of k that are kept, calls show with each, and
// returns. Until ctx is done it calls show again with each shard that changes.
// Calls of show for one shard do not overlap. A shard that cannot be read, or
// that show refuses, stays as it was shown; it is logged, and read again when it
// changes or after a pause that grows. [Set.Follow] says how long Follow waits
// for a database that does not answer.
//
// A kind without a head is followed by one watch for each shard. Follow returns
// at once, and show is called when the watches yield.
func Follow(ctx context.Context, set *Set, k Kind, show func(n int, data []byte) error) *Follower {
	f := newFollower(set, k, show)
	f.follow(ctx)
	return f
}

func newFollower(set *Set, k Kind, show func(n int, data []byte) error) *Follower {
	return &Follower{
		kind: k, set: set, show: show, pause: firstPause, changed: make(chan struct{}, 1),
		listed: make([]int64, k.Shards), shown: make([]int64, k.Shards),
	}
}

func (f *Follower) follow(ctx context.Context) {
	if !f.kind.NoHead {
		f.set.Follow(ctx, f.subject())
		return
	}
	for n := range f.kind.Shards {
		f.set.Follow(ctx, f.single(n))
	}
}

// Changed returns a channel that holds one token when something was shown since
// a token was last taken.
func (f *Follower) Changed() <-chan struct{} { return f.changed }

// subject is all shards, by their head.
func (f *Follower) subject() Subject {
	return Subject{
		Name: f.kind.Name, Head: f.kind.head(), Load: f.load, Older: f.older, Failed: f.warn, Pause: f.pause,
	}
}

// single is shard n of a kind without a head.
func (f *Follower) single(n int) Subject {
	return Subject{
		Name: f.kind.Name, Head: f.kind.shard(n), Unchecked: true, Failed: f.warn, Pause: f.pause,
		Load: func(_ context.Context, doc store.Doc) error {
			_, data, err := f.kind.open(doc)
			if err != nil {
				return err
			}
			return f.showShard(n, data)
		},
	}
}

// older reports whether a head was written before the last one. Revisions only
// grow, unless all documents were deleted.
func (f *Follower) older(doc store.Doc) bool {
	if doc.Decode == nil {
		return false
	}
	revisions, err := f.kind.revisions(doc)
	return err == nil && sum(revisions) < sum(f.listed)
}

func sum(revisions []int64) (total int64) {
	for _, r := range revisions {
		total += r
	}
	return total
}

// load shows the shards that have changed since the head before doc, and again
// those that could not be shown.
func (f *Follower) load(ctx context.Context, doc store.Doc) error {
	if doc.Decode == nil { // the next Update starts from the first revision
		clear(f.listed)
		clear(f.shown)
		return nil
	}
	revisions, err := f.kind.revisions(doc)
	if err != nil {
		return err
	}
	repeat := slices.Equal(revisions, f.listed)
	var changed []int
	for n, revision := range revisions {
		if revision != f.shown[n] && (repeat || revision != f.listed[n]) {
			changed = append(changed, n)
		}
	}
	f.listed = revisions
	refused, err := f.read(ctx, changed)
	if err != nil {
		return errors.Join(refused, err)
	}
	if late := f.late(); len(late) > 0 { // perhaps since an earlier head
		return errors.Join(fmt.Errorf("%w: shards %v of %s", ErrPartial, late, f.kind.Name), refused)
	}
	return nil
}

// late returns the shards that are not shown as the head lists them.
func (f *Follower) late() []int {
	var list []int
	for n, revision := range f.listed {
		if revision != f.shown[n] {
			list = append(list, n)
		}
	}
	return list
}

// read shows some shards, as many as can be read. It returns which of them were
// refused as they are, and why the database did not answer for the others.
func (f *Follower) read(ctx context.Context, list []int) (refused, err error) {
	for some := range slices.Chunk(list, parallel) {
		paths := make([]store.Path, len(some))
		for i, n := range some {
			paths[i] = f.kind.shard(n)
		}
		docs, err := f.set.db.GetAll(ctx, paths)
		if err != nil {
			return refused, err
		}
		for i, n := range some {
			refused = errors.Join(refused, f.take(n, docs[i]))
		}
	}
	return refused, nil
}

// take shows shard n.
func (f *Follower) take(n int, doc store.Doc) error {
	kept, data, err := f.kind.open(doc)
	switch {
	case err != nil:
		return err
	case kept.Revision < f.listed[n]:
		return fmt.Errorf("%w: shard %d of %s is missing or older than its head", ErrCorrupt, n, f.kind.Name)
	}
	if err := f.showShard(n, data); err != nil {
		return err
	}
	f.shown[n] = kept.Revision
	return nil
}

func (f *Follower) showShard(n int, data []byte) error {
	if err := f.show(n, data); err != nil {
		return fmt.Errorf("shard %d: %w", n, err)
	}
	select {
	case f.changed <- struct{}{}:
	default: // it holds one
	}
	return nil
}

func (f *Follower) warn(ctx context.Context, err error) {
	if ctx.Err() == nil {
		f.set.log.WarnContext(ctx, "overlay stays as it was", "kind", f.kind.Name, "cause", err.Error())
	}
}
