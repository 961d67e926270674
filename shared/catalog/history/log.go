package history

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"miramundo.dev/shared/blob"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/store"
)

const (
	// headAge is how long a Log answers from the head that it read, and unknownAge how
	// long it refuses places by it: another process may have read a newer head, and
	// given its caller a place that is not in this one.
	headAge    = 15 * time.Second
	unknownAge = time.Second

	// maxRead is how many changes are read for a page before it ends early.
	maxRead = 50_000

	// maxCached is the most changes that a Log holds in memory, about 30 MB.
	maxCached = 100_000
)

// A Cursor is a place in the record: before an entry of a set, or at a time. The zero
// Cursor is the beginning of what is kept.
type Cursor struct {
	set, entry int
	at         time.Time // instead of a place; zero for none
}

// ParseCursor returns the cursor in a text: one that String returned, or a time by RFC
// 3339. The empty text is the zero Cursor. Any other is fault.ErrInvalid.
func ParseCursor(s string) (c Cursor, err error) {
	if s == "" {
		return c, nil
	}
	if c.at, err = time.Parse(time.RFC3339, s); err == nil {
		return c, nil
	}
	set, entry, _ := strings.Cut(s, ".")
	c = Cursor{set: number(set), entry: number(entry)}
	if c.set < 1 || c.entry < 0 || c.String() != s {
		return Cursor{}, fault.ErrInvalid.With("param", "since").With("reason", "malformed")
	}
	return c, nil
}

// number returns the number in s, or -1.
func number(s string) int {
	n, err := strconv.ParseUint(s, 10, 31)
	if err != nil {
		return -1
	}
	return int(n)
}

// String returns c as ParseCursor takes it.
func (c Cursor) String() string {
	if !c.at.IsZero() {
		return c.at.UTC().Format(time.RFC3339)
	}
	return fmt.Sprintf("%d.%d", c.set, c.entry)
}

// An Entry is a change with the time at which it was recorded.
type Entry struct {
	Change
	At      time.Time
	Release string
	Next    Cursor // the place after it
}

// A Page is some changes in the order in which they were recorded.
type Page struct {
	Entries []Entry
	Next    Cursor    // the place after the last one
	More    bool      // further changes follow
	Whole   bool      // no change after the requested place is missing
	Since   time.Time // from when on the record has every change; zero before the first release
}

// A Log reads the record. Its methods may be called concurrently.
type Log struct {
	db    store.DB
	now   func() time.Time
	group singleflight.Group

	mu     sync.Mutex
	head   *Head
	readAt time.Time
	sets   map[int][]Change // by number
	cached int              // changes in sets
}

// NewLog returns a Log of a database.
func NewLog(db store.DB, now func() time.Time) *Log {
	return &Log{db: db, now: now, sets: map[int][]Change{}}
}

// After returns at most limit changes from a place on that keep accepts. It returns
// fault.ErrInvalid for a place behind the end, and fault.ErrUnavailable when the
// database fails.
func (l *Log) After(ctx context.Context, from Cursor, limit int, keep func(*Change) bool) (*Page, error) {
	h, err := l.current(ctx, headAge)
	if err != nil {
		return nil, err
	}
	place, whole, err := h.place(from)
	if err != nil {
		if h, err = l.current(ctx, unknownAge); err == nil {
			place, whole, err = h.place(from)
		}
	}
	if err != nil {
		return nil, err
	}
	p := &Page{Next: place, Whole: whole, Since: h.Since.Time}
	read := 0
	for _, set := range h.from(place.set) {
		if read > maxRead {
			p.More = true
			return p, nil
		}
		read += set.Changes
		if set.Cut {
			p.Whole = false
		}
		changes, err := l.set(ctx, set.Number)
		if errors.Is(err, store.ErrNotFound) { // deleted since the head was read
			p.Whole, p.Next = false, Cursor{set: set.Number + 1}
			continue
		}
		if err != nil {
			return nil, fault.OrUnavailable(err)
		}
		if p.take(set, changes, limit, keep); p.More {
			return p, nil
		}
	}
	return p, nil
}

// take adds changes of a set, from the place p.Next on.
func (p *Page) take(set Set, changes []Change, limit int, keep func(*Change) bool) {
	first := 0
	if p.Next.set == set.Number {
		first = min(p.Next.entry, len(changes))
	}
	for i := first; i < len(changes); i++ {
		if !keep(&changes[i]) {
			continue
		}
		if len(p.Entries) == limit {
			p.More = true
			return
		}
		p.Next = Cursor{set: set.Number, entry: i + 1}
		p.Entries = append(p.Entries, Entry{Change: changes[i], At: set.At.Time, Release: set.Release, Next: p.Next})
	}
	p.Next = Cursor{set: set.Number + 1}
}

// Newest returns at most limit of the changes that keep accepts, the last recorded first.
func (l *Log) Newest(ctx context.Context, limit int, keep func(*Change) bool) ([]Entry, error) {
	h, err := l.current(ctx, headAge)
	if err != nil {
		return nil, err
	}
	var all []Entry
	read := 0
	for _, set := range slices.Backward(h.Sets) {
		if read += set.Changes; read > maxRead {
			break
		}
		changes, err := l.set(ctx, set.Number)
		if errors.Is(err, store.ErrNotFound) {
			break
		}
		if err != nil {
			return nil, fault.OrUnavailable(err)
		}
		for i := range slices.Backward(changes) {
			if len(all) == limit {
				return all, nil
			}
			if keep(&changes[i]) {
				all = append(all, Entry{Change: changes[i], At: set.At.Time, Release: set.Release, Next: Cursor{set: set.Number, entry: i + 1}})
			}
		}
	}
	return all, nil
}

// place returns where c is in the record, and whether the record has all that followed
// it.
func (h *Head) place(c Cursor) (at Cursor, whole bool, err error) {
	first := Cursor{set: h.Last + 1}
	if len(h.Sets) > 0 {
		first.set = h.Sets[0].Number
	}
	switch {
	case !c.at.IsZero():
		for _, s := range h.Sets {
			if s.At.After(c.at) {
				return Cursor{set: s.Number}, !c.at.Before(h.Since.Time), nil
			}
		}
		return Cursor{set: h.Last + 1}, !c.at.Before(h.Since.Time), nil
	case c.set == 0:
		return first, true, nil
	case c.set > h.Last+1 || c.set == h.Last+1 && c.entry > 0:
		return c, false, fault.ErrInvalid.With("param", "since").With("reason", "unknown")
	case c.set < first.set:
		return first, false, nil
	}
	return c, true, nil
}

// from returns the sets with a number from n on.
func (h *Head) from(n int) []Set {
	i, _ := slices.BinarySearchFunc(h.Sets, n, func(s Set, n int) int { return s.Number - n })
	return h.Sets[i:]
}

// current returns the head as it was at most maxAge ago.
func (l *Log) current(ctx context.Context, maxAge time.Duration) (*Head, error) {
	l.mu.Lock()
	h, fresh := l.head, l.head != nil && l.now().Sub(l.readAt) < maxAge
	l.mu.Unlock()
	if fresh {
		return h, nil
	}
	v, err, _ := l.group.Do("head", func() (any, error) {
		now := l.now()
		h, err := readHead(context.WithoutCancel(ctx), l.db)
		if err != nil {
			return nil, err
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		l.head, l.readAt = h, now
		return h, nil
	})
	if err != nil {
		return nil, err
	}
	return v.(*Head), nil
}

// set returns the changes of a set, which never change once they are stored.
func (l *Log) set(ctx context.Context, n int) ([]Change, error) {
	l.mu.Lock()
	changes, ok := l.sets[n]
	l.mu.Unlock()
	if ok {
		return changes, nil
	}
	v, err, _ := l.group.Do(strconv.Itoa(n), func() (any, error) {
		changes, err := readSet(context.WithoutCancel(ctx), l.db, n)
		if err != nil {
			return nil, err
		}
		l.remember(n, changes)
		return changes, nil
	})
	if err != nil {
		return nil, err
	}
	return v.([]Change), nil
}

// remember keeps the changes of a set in memory, and forgets the others when there
// would be too many.
func (l *Log) remember(n int, changes []Change) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cached+len(changes) > maxCached {
		clear(l.sets)
		l.cached = 0
	}
	l.sets[n] = changes
	l.cached += len(changes)
}

func readSet(ctx context.Context, db store.DB, n int) ([]Change, error) {
	data, err := blob.Get(ctx, db, setPath(n))
	if err != nil {
		return nil, err
	}
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	var changes []Change
	err = json.NewDecoder(r).Decode(&changes)
	return changes, err
}
