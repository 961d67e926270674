// Package blob keeps byte strings larger than a document, as chunks of
// documents.
//
//	{at}                        a manifest: size, hash, and which chunks
//	{at}/chunks/{put}-{n}       the nth chunk that one Put wrote
//
// The manifest names the chunks of one Put alone, and does so once all of them
// are written. So a reader finds the old bytes or the new ones, whole, wherever
// a writer stops. It also lists the chunks that nobody reads yet or any more,
// so that those of a writer that stopped are deleted by a later one.
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

	// looseTime is how long chunks stay that nobody reads: more than a Put takes.
	looseTime = 24 * time.Hour
)

// errRemoved is returned by a Put whose blob was deleted meanwhile.
var errRemoved = errors.New("the blob was deleted while it was put")

// A manifest is the document at a blob's path.
type manifest struct {
	Size      int64      `json:"size"`   // bytes
	SHA256    string     `json:"sha256"` // of all bytes, in hex
	Chunks    int        `json:"chunks"`
	Put       string     `json:"put"` // begins the ids of the chunks; empty before the first Put is done
	CreatedAt store.Time `json:"created_at"`
	Loose     []loose    `json:"loose,omitempty"`
}

// loose are the chunks of a Put that is under way, or whose bytes have been
// replaced.
type loose struct {
	Put    string     `json:"put"`
	Chunks int        `json:"chunks"`
	Since  store.Time `json:"since"`
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
	if err := m.put(ctx, db, at, data); err != nil {
		return fmt.Errorf("blob %s: %w", at, err)
	}
	return nil
}

// put announces the chunks, writes them and makes m the manifest at a path.
func (m manifest) put(ctx context.Context, db store.DB, at store.Path, data []byte) error {
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
	// The new bytes are there. Chunks that stay behind cost only their room,
	// and are still listed.
	_ = tidy(ctx, db, at, append(stale, old...))
	return nil
}

// announce lists the chunks of m as loose, and returns those listed long ago.
func (m manifest) announce(ctx context.Context, db store.DB, at store.Path) (stale []loose, err error) {
	err = db.Update(ctx, func(tx store.Tx) error {
		now, err := current(tx, at)
		if err != nil {
			return err
		}
		stale = slices.DeleteFunc(slices.Clone(now.Loose), func(l loose) bool {
			return m.CreatedAt.Sub(l.Since.Time) < looseTime
		})
		if now.Put == "" {
			now.CreatedAt = m.CreatedAt
		}
		now.Loose = append(now.Loose, m.loose(m.CreatedAt))
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

func (m manifest) loose(since store.Time) loose { return loose{m.Put, m.Chunks, since} }

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

// swap writes the manifest m and returns what it has made loose: the chunks of
// the one that it replaced, if any.
func (m manifest) swap(ctx context.Context, db store.DB, at store.Path) (old []loose, err error) {
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
			old = []loose{now.loose(store.At(time.Now()))}
		}
		m.Loose = append(m.Loose, old...)
		return tx.Set(at, m)
	})
	return old, err
}

// without returns the list less what one Put wrote.
func without(list []loose, put string) []loose {
	return slices.DeleteFunc(slices.Clone(list), func(l loose) bool { return l.Put == put })
}

// tidy deletes loose chunks, and then takes them off the list.
func tidy(ctx context.Context, db store.DB, at store.Path, gone []loose) error {
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
			return err // deleted meanwhile: nothing is listed any more
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

// Get returns the bytes kept at a path, checked against their hash.
func Get(ctx context.Context, db store.DB, at store.Path) ([]byte, error) {
	var seen string
	for range attempts {
		var m manifest
		if err := db.Get(ctx, at, &m); err != nil {
			return nil, err
		}
		if m.Put == "" {
			return nil, store.ErrNotFound // the first Put is under way, or was stopped
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

// Before returns the paths of the blobs of a collection that were last put, or
// begun, before a moment.
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
