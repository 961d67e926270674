// Package overlay knows how what changes between reloads is kept: in shards,
// of which an instance that follows them reads those that changed and no other.
//
//	overlays/{kind}             the head: the revision of each shard
//	overlays/{kind}/shards/{n}  a shard: its revision, and the deflated bytes of who writes it
//
// A shard and its revision change in one transaction, so that who sees a
// revision finds at least that shard.
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

// ErrCorrupt is in the error of documents that Update did not write.
var ErrCorrupt = errors.New("overlay: not as it was written")

// A Kind is one overlay.
type Kind struct {
	Name   string // in the paths
	Shards int    // how many there are; never changed once documents are kept
}

// A head is the document that tells of all shards of a kind.
type head struct {
	Revisions []int64 `json:"revisions"` // by shard; 0 for one that is not kept
}

// A shard is the document of a part of an overlay. One that was emptied is
// kept, without data.
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

// Update gives the bytes of shard n to f, nil when there are none, and keeps
// what f returns in their place, by one transaction. F must leave the bytes as
// they are. Update writes nothing when f returns an error or the same bytes.
// Each check runs first in the same transaction, and ends it with its error.
// Update may call f more than once. It returns store.ErrTooLarge when the
// deflated bytes do not fit a document.
//
// An error that is ErrCorrupt says that the shard cannot be read; f was not
// called. A head that cannot be read is written anew from the shards.
func (k Kind) Update(ctx context.Context, db store.DB, n int, f func(old []byte) ([]byte, error), checks ...func(store.Tx) error) error {
	if n < 0 || n >= k.Shards {
		return fmt.Errorf("overlay %s: there is no shard %d", k.Name, n)
	}
	return db.Update(ctx, func(tx store.Tx) error {
		for _, check := range checks {
			if err := check(tx); err != nil {
				return err
			}
		}
		docs, err := tx.GetAll([]store.Path{k.head(), k.shard(n)})
		if err != nil {
			return err
		}
		_, old, err := k.open(docs[1])
		if err != nil {
			return err
		}
		next, err := f(old)
		if err != nil || bytes.Equal(next, old) {
			return err
		}
		return k.put(tx, docs[0], n, next)
	})
}

// put keeps data as shard n, and says so in the head, which was doc.
func (k Kind) put(tx store.Tx, doc store.Doc, n int, data []byte) error {
	revisions, err := k.revisions(doc)
	if err != nil {
		if revisions, err = k.recount(tx); err != nil {
			return err
		}
	}
	deflated, err := deflate(data)
	if err != nil {
		return err
	}
	revisions[n]++
	if err := tx.Set(k.shard(n), shard{revisions[n], deflated}); err != nil {
		return err
	}
	return tx.Set(k.head(), head{revisions})
}

// revisions reads a head.
func (k Kind) revisions(doc store.Doc) ([]int64, error) {
	if doc.Decode == nil {
		return nil, fmt.Errorf("%w: no head of %s", ErrCorrupt, k.Name)
	}
	var h head
	if err := doc.Decode(&h); err != nil {
		return nil, fmt.Errorf("%w: head of %s: %w", ErrCorrupt, k.Name, err)
	}
	if len(h.Revisions) != k.Shards {
		return nil, fmt.Errorf("%w: the head of %s tells of %d shards, not of %d", ErrCorrupt, k.Name, len(h.Revisions), k.Shards)
	}
	return h.Revisions, nil
}

// recount returns the revisions that the shards say themselves. One that cannot
// be read has none.
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
