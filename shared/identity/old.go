package identity

import (
	"context"
	"strings"
	"sync"
	"time"

	"miramundo.dev/shared/store"
)

// Bounds of an old token behind its prefix, in bytes.
const (
	minOld = 16
	maxOld = 128
)

// OldGuest returns the owner that an old guest token names, and whether token
// has the form of one: ipt_ and 16 to 128 letters, digits, hyphens and
// underscores. Nobody signed those, so the token is good only when the owner
// has something already.
func OldGuest(token string) (Owner, bool) {
	n := len(token) - len(guestPrefix)
	if n < minOld || n > maxOld || !isGuest(token) || strings.Contains(token, ".") {
		return "", false
	}
	return ownerOf("old guest", token), true
}

// Owning returns a function that reports whether an owner has at least one of
// some documents in db, each named by the package that keeps it. It reads all of
// them at once.
func Owning(db store.DB, documents ...func(Owner) store.Path) func(context.Context, Owner) (bool, error) {
	return func(ctx context.Context, o Owner) (bool, error) {
		paths := make([]store.Path, 0, len(documents))
		for _, path := range documents {
			paths = append(paths, path(o))
		}
		docs, err := db.GetAll(ctx, paths)
		if err != nil {
			return false, err
		}
		for _, d := range docs {
			if d.Decode != nil {
				return true, nil
			}
		}
		return false, nil
	}
}

// How long it is remembered whether an owner has something, and of how many
// owners. An old token that is refused cannot come to own anything, but what
// it owned may be imported while its guest waits: a refusal is short.
const (
	ownsFor    = 10 * time.Minute
	ownsNotFor = 5 * time.Second
	maxOwning  = 8192 // in about 1 MiB
)

// A holdings remembers which owners have something. The zero holdings is
// empty and ready to use.
type holdings struct {
	mu    sync.Mutex
	known map[Owner]holding // guarded by mu
}

// A holding is what is known of one owner, for a time.
type holding struct {
	owns  bool
	until time.Time
}

// has tells whether o has something, and whether that is known at now.
func (h *holdings) has(o Owner, now time.Time) (owns, known bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	k, ok := h.known[o]
	return k.owns, ok && now.Before(k.until)
}

// note remembers whether o has something. Where there is no room it forgets
// what is over, and then whatever comes first: that is read again.
func (h *holdings) note(o Owner, owns bool, now time.Time) {
	until := now.Add(ownsNotFor)
	if owns {
		until = now.Add(ownsFor)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.known == nil {
		h.known = map[Owner]holding{}
	}
	if len(h.known) >= maxOwning {
		h.makeRoom(now)
	}
	h.known[o] = holding{owns, until}
}

// makeRoom forgets at least an eighth of what is remembered, so that it is not
// called at every owner of a flood.
func (h *holdings) makeRoom(now time.Time) {
	for o, k := range h.known {
		if !now.Before(k.until) {
			delete(h.known, o)
		}
	}
	for o := range h.known {
		if len(h.known) <= maxOwning-maxOwning/8 {
			return
		}
		delete(h.known, o)
	}
}
