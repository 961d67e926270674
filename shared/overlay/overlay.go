// Package overlay stores data that changes between reloads, in shards, and
// follows it for the processes that show it.
//
//	overlays/{kind}             the head: the revision of each shard
//	overlays/{kind}/shards/{n}  a shard: its revision, and deflated bytes
//
// A shard and its revision in the head change in one transaction, so that a
// reader of a head finds at least the shards that it lists, and reads only those
// that have changed. Each change costs two writes.
//
// A kind without a head costs one write for each change, and one watch for each
// shard in every process. Counters are kept so: they change all the time, and
// may be shown late. What must not be shown late needs a head, since a [Set]
// checks heads.
package overlay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"strconv"

	"miramundo.dev/shared/store"
)

// ErrCorrupt is wrapped by the errors of documents that Update did not write.
var ErrCorrupt = errors.New("overlay: document is corrupt")

// A Kind is one overlay.
type Kind struct {
	Name   string // in the paths
	Shards int    // how many there are; never changed once documents are kept
	NoHead bool   // a change writes the shard alone: see the package comment
}

// A revisionList is the head of a kind.
type revisionList struct {
	Revisions []int64 `json:"revisions"` // by shard; 0 for one that is not kept
}

// A shard is one part of an overlay. An emptied shard stays, without data.
type shard struct {
	Revision int64  `json:"revision"` // one more at each change
	Data     []byte `json:"data"`     // deflated
}

func (k Kind) head() store.Path { return store.Path("overlays").Join(k.Name) }

func (k Kind) shard(n int) store.Path { return k.head().Join("shards").Join(strconv.Itoa(n)) }

// all returns the paths of the shards.
func (k Kind) all() []store.Path {
	ps := make([]store.Path, k.Shards)
	for n := range ps {
		ps[n] = k.shard(n)
	}
	return ps
}

// ShardOf returns the number of the shard that holds an id.
func (k Kind) ShardOf(id string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(id)) // never fails
	return int(h.Sum32() % uint32(k.Shards))
}

// Update calls f with the bytes of shard n, nil when there are none, and stores
// what f returns in their place, in one transaction. f must not modify the bytes
// and may be called more than once. Update writes nothing when f returns an
// error or the same bytes. Each check runs first in the same transaction, and
// ends it with its error. Update returns store.ErrTooLarge when the deflated
// bytes do not fit a document.
//
// It costs two reads and two writes, and for a kind without a head one of each.
// It returns ErrCorrupt, without a call of f, when the shard cannot be read. It
// restores an unreadable head from the shards.
func (k Kind) Update(ctx context.Context, db store.DB, n int, f func(old []byte) ([]byte, error), checks ...func(store.Tx) error) error {
	if n < 0 || n >= k.Shards {
		return fmt.Errorf("overlay %s has no shard %d", k.Name, n)
	}
	return db.Update(ctx, func(tx store.Tx) error {
		for _, check := range checks {
			if err := check(tx); err != nil {
				return err
			}
		}
		return k.update(tx, n, f)
	})
}

func (k Kind) update(tx store.Tx, n int, f func(old []byte) ([]byte, error)) error {
	paths := []store.Path{k.shard(n)}
	if !k.NoHead {
		paths = append(paths, k.head())
	}
	docs, err := tx.GetAll(paths)
	if err != nil {
		return err
	}
	kept, old, err := k.open(docs[0])
	if err != nil {
		return err
	}
	next, err := f(old)
	if err != nil || bytes.Equal(next, old) {
		return err
	}
	if k.NoHead {
		return k.put(tx, n, kept.Revision+1, next)
	}
	revisions, err := k.revisions(docs[1])
	if err != nil {
		if revisions, err = k.recount(tx); err != nil {
			return err
		}
	}
	revisions[n]++
	if err := k.put(tx, n, revisions[n], next); err != nil {
		return err
	}
	return tx.Set(k.head(), revisionList{revisions})
}

// put stores data as shard n.
func (k Kind) put(tx store.Tx, n int, revision int64, data []byte) error {
	level := smallest
	if k.NoHead {
		level = fast
	}
	deflated, err := deflate(data, level)
	if err != nil {
		return err
	}
	return tx.Set(k.shard(n), shard{revision, deflated})
}

// revisions returns the revisions that a head lists.
func (k Kind) revisions(doc store.Doc) ([]int64, error) {
	if doc.Decode == nil {
		return nil, fmt.Errorf("%w: no head of %s", ErrCorrupt, k.Name)
	}
	var h revisionList
	if err := doc.Decode(&h); err != nil {
		return nil, fmt.Errorf("%w: head of %s: %w", ErrCorrupt, k.Name, err)
	}
	if len(h.Revisions) != k.Shards {
		return nil, fmt.Errorf("%w: the head of %s lists %d shards, want %d", ErrCorrupt, k.Name, len(h.Revisions), k.Shards)
	}
	return h.Revisions, nil
}

// recount returns the revisions from the shards themselves, 0 for a shard that
// cannot be read.
func (k Kind) recount(tx store.Tx) ([]int64, error) {
	docs, err := tx.GetAll(k.all())
	if err != nil {
		return nil, err
	}
	revisions := make([]int64, k.Shards)
	for n, doc := range docs {
		var s shard
		if doc.Decode != nil && doc.Decode(&s) == nil {
			revisions[n] = s.Revision
		}
	}
	return revisions, nil
}

// Read returns the bytes of every shard, nil for those that are not kept.
func (k Kind) Read(ctx context.Context, db store.DB) ([][]byte, error) {
	docs, err := db.GetAll(ctx, k.all())
	if err != nil {
		return nil, err
	}
	shards := make([][]byte, k.Shards)
	for n, doc := range docs {
		if _, shards[n], err = k.open(doc); err != nil {
			return nil, err
		}
	}
	return shards, nil
}

// open returns a shard and the bytes that it holds.
func (k Kind) open(doc store.Doc) (s shard, data []byte, err error) {
	if doc.Decode == nil {
		return s, nil, nil
	}
	if err = doc.Decode(&s); err == nil {
		data, err = inflate(s.Data, MaxBytes)
	}
	if err != nil {
		err = fmt.Errorf("%w: shard %s of %s: %w", ErrCorrupt, doc.ID, k.Name, err)
	}
	return s, data, err
}
