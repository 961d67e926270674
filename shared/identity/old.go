package identity

import (
	"context"
	"strings"
	"sync"
	"time"

	"miramundo.dev/shared/store"
)

// Old guest tokens are not signed, so anybody can make one up. A token is accepted
// only when its owner already has something in the database. The answer is cached
// for each owner, because every request with an old token needs it.

// Bounds of an old token without its prefix, in bytes.
const (
	minOld = 16
	maxOld = 128
)

// OldGuest returns the owner of an old guest token, and reports whether token has
// the form of one: ipt_ followed by 16 to 128 letters, digits, hyphens and
// underscores. Old tokens are not signed: the caller must check that the owner has
// something, as [Owning] does.
func OldGuest(token string) (Owner, bool) {
	n := len(token) - len(guestPrefix)
	if n < minOld || n > maxOld || !isGuest(token) || strings.Contains(token, ".") {
		return "", false
	}
	return hashedOwner("old guest", token), true
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

// How long the answer for an owner is cached, and for how many owners. The owner of
// a refused token cannot store anything, but its library may be imported from the
// earlier version meanwhile, so a refusal is cached for a short time only.
const (
	ownsFor    = 10 * time.Minute
	ownsNotFor = 5 * time.Second
	maxOwning  = 8192 // in about 1 MiB
)

// A holdings caches which owners have something. The zero holdings is empty and
// ready to use; its methods may be called concurrently.
type holdings struct {
	mu    sync.Mutex
	known map[Owner]holding // guarded by mu
}

// A holding is the cached answer for one owner.
type holding struct {
	owns  bool
	until time.Time
}

// has reports whether o has something, and whether that is cached at now.
func (h *holdings) has(o Owner, now time.Time) (owns, known bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	k, ok := h.known[o]
	return k.owns, ok && now.Before(k.until)
}

// note caches whether o has something. When the cache is full it evicts expired
// answers first, and then arbitrary ones.
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

// makeRoom evicts at least an eighth of the cache, so that a flood of new owners does
// not call it for each of them.
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
