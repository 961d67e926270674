// Package blob stores byte strings that are larger than a document, in
// chunks.
//
//	{at}                        a manifest: size, hash and chunks
//	{at}/chunks/{put}-{n}       the nth chunk that one Put wrote
//
// The manifest refers to the chunks of one Put, and only once all of them are
// written. So a reader gets either the old bytes or the new ones, complete,
// wherever a writer stops. The manifest also lists loose chunks, which are
// not referred to yet or no longer, so that a later Put deletes what a
// stopped writer left behind.
package blob

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/store"
)

// Faults of this package. Get returns [store.ErrNotFound] when there is no
// blob.
var (
	ErrCorrupt  = fault.New(fault.Internal, "blob_corrupt") // the stored bytes are not those that were put
	ErrTooLarge = fault.New(fault.TooLarge, "blob_too_large")
)

const (
	// chunkSize is in bytes. A document stores a chunk as base64, a third larger.
	chunkSize = 660 << 10

	// MaxSize is the greatest size of a blob, in bytes.
	MaxSize = maxChunks * chunkSize

	maxChunks = 512
	parallel  = 4 // chunks read or written at a time by one call
	attempts  = 3 // reads of a blob that is being replaced

	// looseMaxAge is the age at which loose chunks are deleted: more than a Put takes.
	looseMaxAge = 24 * time.Hour
)

// errRemoved is returned by a Put whose blob was deleted meanwhile.
var errRemoved = errors.New("the blob was deleted while it was being written")

// A manifest is the document at a blob's path.
type manifest struct {
	Size      int64         `json:"size"`   // bytes
	SHA256    string        `json:"sha256"` // of all bytes, in hex
	Chunks    int           `json:"chunks"`
	Put       string        `json:"put"` // prefix of the chunk ids; empty until the first Put is done
	CreatedAt store.Time    `json:"created_at"`
	Loose     []looseChunks `json:"loose,omitempty"`
}

// looseChunks are the chunks of a Put in progress, or of bytes that were
// replaced.
type looseChunks struct {
	Put    string     `json:"put"`
	Chunks int        `json:"chunks"`
	Since  store.Time `json:"since"`
}

// A chunk is a document below a manifest.
type chunk struct {
	Data []byte `json:"data"`
}

// Put stores data at a path and replaces what was there. Besides data it
// holds a few chunks in memory.
func Put(ctx context.Context, db store.DB, at store.Path, data []byte) error {
	if _, _, err := at.Split(); err != nil {
		return err
	}
	if len(data) > MaxSize {
		return ErrTooLarge
	}
	m := manifest{
		Size:      int64(len(data)),
		SHA256:    sum(data),
		Chunks:    (len(data) + chunkSize - 1) / chunkSize,
		Put:       rand.Text(),
		CreatedAt: store.At(time.Now()),
	}
	if err := m.write(ctx, db, at, data); err != nil {
		return fmt.Errorf("blob %s: %w", at, err)
	}
	return nil
}

// write announces the chunks, writes them and makes m the manifest.
func (m manifest) write(ctx context.Context, db store.DB, at store.Path, data []byte) error {
	stale, err := m.announce(ctx, db, at)
	if err != nil {
		return err
	}
	if err := putChunks(ctx, db, at, m, data); err != nil {
		return err
	}
	old, err := m.swap(ctx, db, at)
	if err != nil {
		return err
	}
	// The new bytes are stored. Chunks that remain cost only space, and
	// are still listed.
	_ = deleteLoose(ctx, db, at, append(stale, old...))
	return nil
}

// announce lists the chunks of m as loose, and returns the old loose chunks.
func (m manifest) announce(ctx context.Context, db store.DB, at store.Path) (stale []looseChunks, err error) {
	err = db.Update(ctx, func(tx store.Tx) error {
		now, err := current(tx, at)
		if err != nil {
			return err
		}
		stale = slices.DeleteFunc(slices.Clone(now.Loose), func(l looseChunks) bool {
			return m.CreatedAt.Sub(l.Since.Time) < looseMaxAge
		})
		if now.Put == "" {
			now.CreatedAt = m.CreatedAt
		}
		now.Loose = append(now.Loose, m.asLoose(m.CreatedAt))
		return tx.Set(at, now)
	})
	return stale, err
}

// current returns the manifest at a path, or an empty one.
func current(tx store.Tx, at store.Path) (m manifest, err error) {
	err = tx.Get(at, &m)
	if errors.Is(err, store.ErrNotFound) {
		return manifest{}, nil
	}
	return m, err
}

func (m manifest) asLoose(since store.Time) looseChunks { return looseChunks{m.Put, m.Chunks, since} }

func putChunks(ctx context.Context, db store.DB, at store.Path, m manifest, data []byte) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	n := 0
	for part := range slices.Chunk(data, chunkSize) {
		p := m.chunk(at, n)
		g.Go(func() error { return db.Set(ctx, p, chunk{part}) })
		n++
	}
	return g.Wait()
}

// swap stores the manifest m and returns the chunks that this made loose:
// those of the manifest that it replaced, if any.
func (m manifest) swap(ctx context.Context, db store.DB, at store.Path) (old []looseChunks, err error) {
	err = db.Update(ctx, func(tx store.Tx) error {
		now, err := current(tx, at)
		if err != nil {
			return err
		}
		old, m.Loose = nil, without(now.Loose, m.Put)
		if len(m.Loose) == len(now.Loose) {
			return errRemoved
		}
		if now.Put != "" {
			old = []looseChunks{now.asLoose(store.At(time.Now()))}
		}
		m.Loose = append(m.Loose, old...)
		return tx.Set(at, m)
	})
	return old, err
}

// without returns the list without the chunks of one Put.
func without(list []looseChunks, put string) []looseChunks {
	return slices.DeleteFunc(slices.Clone(list), func(l looseChunks) bool { return l.Put == put })
}

// deleteLoose deletes loose chunks and then removes them from the list.
func deleteLoose(ctx context.Context, db store.DB, at store.Path, gone []looseChunks) error {
	if len(gone) == 0 {
		return nil
	}
	for _, l := range gone {
		if err := (manifest{Put: l.Put, Chunks: l.Chunks}).delete(ctx, db, at); err != nil {
			return err
		}
	}
	return db.Update(ctx, func(tx store.Tx) error {
		var now manifest
		if err := tx.Get(at, &now); err != nil {
			return err // the blob was deleted meanwhile, with its list
		}
		for _, l := range gone {
			now.Loose = without(now.Loose, l.Put)
		}
		return tx.Set(at, now)
	})
}

// chunk returns the path of the nth chunk.
func (m manifest) chunk(at store.Path, n int) store.Path {
	return at.Join("chunks", fmt.Sprintf("%s-%d", m.Put, n))
}

// delete deletes the chunks of m.
func (m manifest) delete(ctx context.Context, db store.DB, at store.Path) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	for n := range min(m.Chunks, maxChunks) {
		g.Go(func() error { return db.Delete(ctx, m.chunk(at, n)) })
	}
	return g.Wait()
}

// Get returns the bytes stored at a path. It checks them against their hash,
// and reads again when the blob was replaced meanwhile.
func Get(ctx context.Context, db store.DB, at store.Path) ([]byte, error) {
	var seen string
	for range attempts {
		var m manifest
		if err := db.Get(ctx, at, &m); err != nil {
			return nil, err
		}
		if m.Put == "" {
			return nil, store.ErrNotFound // the first Put is in progress, or was stopped
		}
		if m.Put == seen {
			break
		}
		seen = m.Put
		data, err := m.read(ctx, db, at)
		if !errors.Is(err, ErrCorrupt) {
			return data, err
		}
		// Perhaps it was replaced meanwhile; then the manifest has changed.
	}
	return nil, ErrCorrupt.Because(fmt.Errorf("blob %s", at))
}

// read returns the bytes that m describes.
func (m manifest) read(ctx context.Context, db store.DB, at store.Path) ([]byte, error) {
	if m.Size < 0 || m.Size > MaxSize || m.Chunks < 0 || m.Chunks > maxChunks {
		return nil, ErrCorrupt
	}
	parts := make([][]byte, m.Chunks)
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	for n := range parts {
		g.Go(func() (err error) {
			parts[n], err = m.readChunk(gctx, db, at, n)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	data := slices.Concat(parts...)
	if int64(len(data)) != m.Size || sum(data) != m.SHA256 {
		return nil, ErrCorrupt
	}
	return data, nil
}

func (m manifest) readChunk(ctx context.Context, db store.DB, at store.Path, n int) ([]byte, error) {
	var c chunk
	err := db.Get(ctx, m.chunk(at, n), &c)
	if errors.Is(err, store.ErrNotFound) {
		return nil, ErrCorrupt
	}
	return c.Data, err
}

// Delete removes the blob at a path, and what stopped writers left there, if
// anything. It must not run concurrently with a Put of the same path.
func Delete(ctx context.Context, db store.DB, at store.Path) error {
	if err := db.Delete(ctx, at); err != nil {
		return err
	}
	for {
		ps, err := firstPaths(ctx, db, at.Join("chunks"))
		if err != nil || len(ps) == 0 {
			return err
		}
		for _, p := range ps {
			if err := db.Delete(ctx, p); err != nil {
				return err
			}
		}
	}
}

// firstPaths returns a few paths of a collection, so that few chunks are in
// memory.
func firstPaths(ctx context.Context, db store.DB, collection store.Path) (ps []store.Path, err error) {
	for d, err := range db.Query(ctx, store.Query{Collection: collection, Limit: 2 * parallel}) {
		if err != nil {
			return nil, err
		}
		ps = append(ps, d.Path)
	}
	return ps, nil
}

// Before returns the paths of the blobs of a collection whose last Put was,
// or whose first Put began, before moment.
func Before(ctx context.Context, db store.DB, collection store.Path, moment time.Time) (ps []store.Path, err error) {
	for d, err := range db.Query(ctx, store.Query{Collection: collection}) {
		if err != nil {
			return nil, err
		}
		var m manifest
		if err := d.Decode(&m); err != nil {
			return nil, err
		}
		if m.CreatedAt.Before(moment) {
			ps = append(ps, d.Path)
		}
	}
	return ps, nil
}

func sum(data []byte) string {
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:])
}
