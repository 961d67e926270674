package overlay

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"miramundo.dev/shared/store"
)

// This file keeps what followers show from growing old unnoticed. A watch needs
// a running process and a live connection: a container that is paid by request
// has no processor between requests, and a connection that was cut off on the
// way may look open for minutes. So a process calls Confirm before each answer.
// Once the oldest last word is older than MaxAge, Confirm reads the heads of
// all subjects in one batch, and loads those that have changed. Under traffic
// that costs one read per subject every ten seconds; without traffic, nothing.

// MaxAge is the age of a follower's last word from which its head is read before
// the next answer. A word is an event of the watch or a read that confirms it.
const MaxAge = 10 * time.Second

// Bounds of Confirm, which an answer waits for.
const (
	confirmTime = time.Second     // to read the heads
	confirmWait = 3 * time.Second // in all, with the loading of what has changed
)

// A Set is the followers of one process with the database that they follow. Its
// methods may be called concurrently.
type Set struct {
	db  store.DB
	log *slog.Logger
	now func() time.Time

	misses  atomic.Int32 // checks that failed, one after the other
	checked atomic.Int64 // no follower's last word is older, in Unix nanoseconds; 0 before the first check

	mu        sync.Mutex
	followers []*Following // guarded by mu
	check     *check       // under way; guarded by mu
}

// A check is one batch of reads that many answers wait for.
type check struct {
	done chan struct{} // closed at its end
	err  error         // set before that
}

// NewSet returns a set without followers.
func NewSet(db store.DB, log *slog.Logger, now func() time.Time) *Set {
	return &Set{db: db, log: log, now: now}
}

// DB returns the database that the followers of s follow.
func (s *Set) DB() store.DB { return s.db }

// Log returns the logger of s.
func (s *Set) Log() *slog.Logger { return s.log }

// Now returns the time by the clock of s.
func (s *Set) Now() time.Time { return s.now() }

func (s *Set) add(f *Following) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.followers = append(s.followers, f)
	if s.misses.Load() == 0 {
		s.checked.Store(0)
	}
}

// Unreachable reports whether the last check could not read the heads, so that
// what else a process asks the database is not worth a long wait. It reads one
// number, without a lock; s may be nil.
func (s *Set) Unreachable() bool { return s != nil && s.misses.Load() > 0 }

// miss notes that heads could not be read, and puts the next check off.
func (s *Set) miss(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	pause := min(time.Second<<min(s.misses.Load(), 4), MaxAge)
	s.misses.Add(1)
	s.checked.Store(s.now().Add(pause - MaxAge).UnixNano())
	s.log.Warn("the database does not confirm what is shown", "cause", err.Error())
}

// Confirm must be called before each answer that depends on a follower. It
// returns at once while every follower has heard from the database within
// MaxAge: that is one comparison, without a lock or an allocation. Otherwise it
// reads the heads, and loads what has changed. Concurrent calls share one check.
//
// A check holds an answer up for three seconds at most, and for one when the
// database does not answer; loading then goes on in the background, and the
// next try is put off by one to ten seconds. The error says why an answer may
// be old: the caller answers from memory all the same, and [Set.Stale] lists
// which followers are behind.
func (s *Set) Confirm(ctx context.Context) error {
	if s == nil || isFresh(s.checked.Load(), s.now()) {
		return nil
	}
	c := s.begin(ctx)
	if c == nil {
		return nil
	}
	select {
	case <-c.done:
		return c.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// isFresh reports whether a moment in Unix nanoseconds is at most MaxAge before
// now, and not after it: a clock that was set back makes nothing fresh.
func isFresh(at int64, now time.Time) bool { return uint64(now.UnixNano()-at) <= uint64(MaxAge) }

// begin returns the check that an answer waits for, the one under way or a new
// one; nil when nothing is due.
func (s *Set) begin(ctx context.Context) *check {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.check != nil {
		return s.check
	}
	now := s.now()
	followers := slices.DeleteFunc(slices.Clone(s.followers), func(f *Following) bool { return f.Unchecked })
	oldest := oldestWord(followers, now)
	switch {
	case isFresh(s.checked.Load(), now): // another call has just ended a check
		return nil
	case isFresh(oldest, now):
		s.checked.Store(oldest)
		return nil
	}
	c := &check{done: make(chan struct{})}
	s.check = c
	go s.run(context.WithoutCancel(ctx), c, followers)
	return c
}

// oldestWord returns when the follower that waits for longest heard from the
// database; now when there is none.
func oldestWord(followers []*Following, now time.Time) int64 {
	oldest := now.UnixNano()
	for _, f := range followers {
		heard := f.heard.Load()
		if heard > now.UnixNano() { // by a clock that was set back since
			heard = 0
		}
		oldest = min(oldest, heard)
	}
	return oldest
}

// run makes check c, and ends it.
func (s *Set) run(ctx context.Context, c *check, followers []*Following) {
	ctx, cancel := context.WithTimeout(ctx, confirmWait)
	defer cancel()
	c.err = s.confirm(ctx, followers)
	s.mu.Lock()
	s.check = nil
	s.mu.Unlock()
	close(c.done)
}

// confirm reads the heads of followers, and waits until those that have changed
// are loaded, or until ctx is done.
func (s *Set) confirm(ctx context.Context, followers []*Following) error {
	asked := s.now().UnixNano()
	docs, err := s.heads(ctx, followers)
	if err != nil {
		s.miss(err)
		return err
	}
	ends := make(chan error, len(followers))
	for i, f := range followers {
		go func() { ends <- f.confirm(docs[i], asked) }()
	}
	var errs []error
	for range followers {
		select {
		case err := <-ends:
			errs = append(errs, err)
		case <-ctx.Done():
			errs = append(errs, ctx.Err())
		}
	}
	s.misses.Store(0)
	s.checked.Store(asked)
	return errors.Join(errs...)
}

func (s *Set) heads(ctx context.Context, followers []*Following) ([]store.Doc, error) {
	ctx, cancel := context.WithTimeout(ctx, confirmTime)
	defer cancel()
	paths := make([]store.Path, len(followers))
	for i, f := range followers {
		paths[i] = f.Head
	}
	return s.db.GetAll(ctx, paths)
}

// Len returns the number of followers in s, which may be nil.
func (s *Set) Len() int {
	if s == nil {
		return 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.followers)
}

// A Lag is a follower that may show something old.
type Lag struct {
	Name   string
	Age    time.Duration // of the last word; since the start when none has come
	Loaded bool          // it shows something, which may be old or lack a part
}

// staleAge is the age of a last word that Confirm can leave behind only when
// something is wrong.
const staleAge = MaxAge + confirmWait

// Stale returns the followers whose last word is too old, or that have not
// loaded anything yet, by name. Without answers nothing asks the database, so
// call [Set.Confirm] first. An unchecked subject is stale while its watch fails.
func (s *Set) Stale(now time.Time) []Lag {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	oldest := map[string]Lag{}
	for _, f := range s.followers {
		if age, stale := f.lag(now); stale {
			lag, known := oldest[f.Name]
			loaded := f.loaded.Load() && (lag.Loaded || !known)
			oldest[f.Name] = Lag{f.Name, max(lag.Age, age), loaded}
		}
	}
	lags := slices.Collect(maps.Values(oldest))
	slices.SortFunc(lags, func(a, b Lag) int { return strings.Compare(a.Name, b.Name) })
	return lags
}
