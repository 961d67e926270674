package vitrine

import (
	"context"
	"errors"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/store"
)

// keptFor is how long a publication is served without asking for another.
const keptFor = time.Minute

// A Reader returns the last publication, which it keeps in memory for a minute, so
// that callers cannot make a function read the database for each request. It may be
// used concurrently.
type Reader struct {
	db  store.DB
	now func() time.Time

	reading singleflight.Group
	mu      sync.Mutex
	shown   Shown     // guarded by mu
	readAt  time.Time // guarded by mu; zero before the first time
}

// Shown is what is served of a publication; zero before the first.
type Shown struct {
	At       time.Time
	Public   Public
	Operator *OperatorNumbers
}

// NewReader returns a reader of the publications in db.
func NewReader(db store.DB, now func() time.Time) *Reader { return &Reader{db: db, now: now} }

// Current returns what was published. While the database does not answer, it is what
// was read before; an error is fault.ErrUnavailable. Concurrent callers wait for one
// read, and share its failure.
func (r *Reader) Current(ctx context.Context) (Shown, error) {
	r.mu.Lock()
	shown, age := r.shown, r.now().Sub(r.readAt)
	fresh := !r.readAt.IsZero() && 0 <= age && age < keptFor
	r.mu.Unlock()
	if fresh {
		return shown, nil
	}
	v, err, _ := r.reading.Do("", func() (any, error) { return r.read(context.WithoutCancel(ctx)) })
	switch {
	case err == nil:
		return v.(Shown), nil
	case shown.Operator == nil:
		return Shown{}, fault.OrUnavailable(err)
	}
	return shown, nil
}

// read reads the last publication and keeps it.
func (r *Reader) read(ctx context.Context) (shown Shown, err error) {
	now := r.now()
	p, err := Read(ctx, r.db)
	if err == nil {
		var operator OperatorNumbers
		shown.Public, operator, err = p.Decode()
		shown.At, shown.Operator = p.At.Time, &operator
	} else if errors.Is(err, store.ErrNotFound) {
		err = nil
	}
	if err != nil {
		return Shown{}, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.shown, r.readAt = shown, now
	return shown, nil
}
