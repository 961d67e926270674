// Package blob keeps byte strings larger than a document, as chunks of
// documents.
//
//	{at}                        a manifest: size, hash, and which chunks
//	{at}/chunks/{put}-{n}       the nth chunk that one Put wrote
//
// The manifest is written last and names the chunks of one Put alone. So a
// reader finds the old bytes or the new ones, whole, wherever a writer stops.
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
	ErrCorrupt  = fault.New(fault.Internal, "blob_corrupt") // the bytes kept are not those put
	ErrTooLarge = fault.New(fault.TooLarge, "blob_too_large")
)

const (
	// chunkSize is in bytes. A document holds it as base64, a third more.
	chunkSize = 660 << 10

	// MaxSize is the greatest size of a blob, in bytes.
	MaxSize = maxChunks * chunkSize

	maxChunks = 512
	parallel  = 4 // chunks under way at once, for each call
	attempts  = 3 // of a reader whose blob is replaced under its hands
)

// A manifest is the document at a blob's path.
type manifest struct {
	Size      int64      `json:"size"`   // bytes
	SHA256    string     `json:"sha256"` // of all bytes, in hex
	Chunks    int        `json:"chunks"`
	Put       string     `json:"put"` // begins the ids of the chunks
	CreatedAt store.Time `json:"created_at"`
}

// A chunk is a document below a manifest.
type chunk struct {
	Data []byte `json:"data"`
}

// Put keeps data at a path, in place of what was there. It holds no more of
// data in memory than a few chunks.
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
	if err := putChunks(ctx, db, at, m, data); err != nil {
		return fmt.Errorf("blob %s: %w", at, err)
	}
	old, err := swap(ctx, db, at, m)
	if err != nil {
		return fmt.Errorf("blob %s: %w", at, err)
	}
	// The new bytes are there. Chunks that stay behind cost only their room.
	_ = old.delete(ctx, db, at)
	return nil
}

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

// swap writes the manifest m and returns the one that it replaced, or none.
func swap(ctx context.Context, db store.DB, at store.Path, m manifest) (old manifest, err error) {
	err = db.Update(ctx, func(tx store.Tx) error {
		old = manifest{}
		if err := tx.Get(at, &old); err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		return tx.Set(at, m)
	})
	return old, err
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

// Get returns the bytes kept at a path, checked against their hash.
func Get(ctx context.Context, db store.DB, at store.Path) ([]byte, error) {
	var seen string
	for range attempts {
		var m manifest
		if err := db.Get(ctx, at, &m); err != nil {
			return nil, err
		}
		if m.Put == seen {
			break
		}
		seen = m.Put
		data, err := m.read(ctx, db, at)
		if !errors.Is(err, ErrCorrupt) {
			return data, err
		}
		// Replaced meanwhile, perhaps: then the manifest is another one now.
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

// Delete removes the blob at a path, and what a writer that was stopped left
// there. It is no error when there is none. No Put of the same path may be
// under way.
func Delete(ctx context.Context, db store.DB, at store.Path) error {
	if err := db.Delete(ctx, at); err != nil {
		return err
	}
	for {
		ps, err := some(ctx, db, at.Join("chunks"))
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

// some returns a few paths of a collection, so that few chunks are in memory.
func some(ctx context.Context, db store.DB, collection store.Path) (ps []store.Path, err error) {
	for d, err := range db.Query(ctx, store.Query{Collection: collection, Limit: 2 * parallel}) {
		if err != nil {
			return nil, err
		}
		ps = append(ps, d.Path)
	}
	return ps, nil
}

func sum(data []byte) string {
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:])
}
