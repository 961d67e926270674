package dump

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"miramundo.dev/shared/blob"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/store"
)

const (
	// listAge is how long a Reader answers from the list that it read.
	listAge = 15 * time.Second

	// maxCached is how many bytes of files a Reader holds in memory.
	maxCached = 96 << 20
)

// A Reader reads the dumps that are kept. Its methods may be called concurrently.
type Reader struct {
	db    store.DB
	now   func() time.Time
	group singleflight.Group

	mu     sync.Mutex
	list   []Dump
	readAt time.Time // zero before the list was read
	files  map[store.Path][]byte
	cached int // bytes in files
}

// NewReader returns a Reader of a database.
func NewReader(db store.DB, now func() time.Time) *Reader {
	return &Reader{db: db, now: now, files: map[store.Path][]byte{}}
}

// Kept returns the dumps that are kept, newest first; none before the first. The list
// may be a few seconds old.
func (r *Reader) Kept(ctx context.Context) ([]Dump, error) {
	r.mu.Lock()
	list, fresh := r.list, !r.readAt.IsZero() && r.now().Sub(r.readAt) < listAge
	r.mu.Unlock()
	if fresh {
		return list, nil
	}
	v, err, _ := r.group.Do("", func() (any, error) {
		now := r.now()
		var l List
		if err := r.db.Get(context.WithoutCancel(ctx), listPath, &l); err != nil && !errors.Is(err, store.ErrNotFound) {
			return nil, fault.OrUnavailable(err)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.list, r.readAt = l.Dumps, now
		return l.Dumps, nil
	})
	if err != nil {
		return nil, err
	}
	return v.([]Dump), nil
}

// File returns a file of a dump with its bytes, or fault.ErrNotFound for one that is not
// kept. Nothing else is looked up in the database.
func (r *Reader) File(ctx context.Context, dump, name string) (File, []byte, error) {
	dumps, err := r.Kept(ctx)
	if err != nil {
		return File{}, nil, err
	}
	for _, d := range dumps {
		if i := slices.IndexFunc(d.Files, func(f File) bool { return f.Name == name }); d.ID == dump && i >= 0 {
			data, err := r.bytes(ctx, filePath(dump, name))
			return d.Files[i], data, err
		}
	}
	return File{}, nil, fault.ErrNotFound
}

// bytes returns the bytes of a file, which never change, from memory where possible.
func (r *Reader) bytes(ctx context.Context, at store.Path) ([]byte, error) {
	r.mu.Lock()
	data, ok := r.files[at]
	r.mu.Unlock()
	if ok {
		return data, nil
	}
	v, err, _ := r.group.Do(string(at), func() (any, error) {
		data, err := blob.Get(context.WithoutCancel(ctx), r.db, at)
		if errors.Is(err, store.ErrNotFound) { // deleted since the list was read
			return nil, fault.ErrNotFound.Because(err)
		}
		if err != nil {
			return nil, fault.OrUnavailable(err)
		}
		r.remember(at, data)
		return data, nil
	})
	if err != nil {
		return nil, err
	}
	return v.([]byte), nil
}

// remember keeps the bytes of a file in memory, and forgets the others when there would
// be too many.
func (r *Reader) remember(at store.Path, data []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(data) > maxCached {
		return
	}
	if r.cached+len(data) > maxCached {
		clear(r.files)
		r.cached = 0
	}
	r.files[at] = data
	r.cached += len(data)
}
