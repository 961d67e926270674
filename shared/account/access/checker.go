package access

import (
	"context"
	"errors"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/store"
)

// Records are kept in memory for a short time, since a page makes several requests
// at once. A credential that the kept record does not have may be newer than it, so
// the record is read again before the credential is refused. The other way round, a
// credential that has ended is accepted for as long as the record is kept: keepFor,
// counted from before it was read.

// How long a record is kept, and of how many owners. A record has 2 KiB, or 20 KiB
// with all the sessions and keys that an account may have.
const (
	keepFor    = 5 * time.Second
	maxRecords = 4096
)

// A Checker recognizes callers by their sessions and API keys. It is the Accounts of
// an [identity.Authority]. Its methods may be called concurrently.
type Checker struct {
	db  store.DB
	now func() time.Time

	reading, touching singleflight.Group // by owner

	mu   sync.Mutex
	kept map[identity.Owner]entry // guarded by mu
}

// An entry is a record as of a moment.
type entry struct {
	record *Record // never changed
	at     time.Time
}

// NewChecker returns a checker of the records in db.
func NewChecker(db store.DB, now func() time.Time) *Checker {
	return &Checker{db: db, now: now, kept: map[identity.Owner]entry{}}
}

// Session returns the caller that a session cookie identifies: its account, or the
// organization that the account acts for. It returns ErrEnded for a session that is
// over or unknown, ErrOrganization when the account may not act for the
// organization, and ErrUnavailable when the record cannot be read.
func (c *Checker) Session(ctx context.Context, cookie string, organization identity.Owner) (identity.Speaker, error) {
	owner, ok := AccountOf(cookie)
	if !ok {
		return identity.Speaker{}, identity.ErrEnded
	}
	now := c.now()
	r, err := c.record(ctx, owner, func(r *Record) bool {
		s, ok := r.find(cookie)
		return ok && s.live(now) && (organization == "" || r.has(organization))
	})
	if err != nil {
		return identity.Speaker{}, err
	}
	s, ok := r.find(cookie)
	if !ok || !s.live(now) {
		return identity.Speaker{}, identity.ErrEnded
	}
	if used(s.UsedAt, now) {
		c.touch(ctx, owner, func(r *Record) bool {
			s, ok := r.find(cookie)
			if !ok || !used(s.UsedAt, now) {
				return false
			}
			s.UsedAt = store.At(now)
			return true
		})
	}
	return r.speaker(s, organization)
}

// has reports whether the account of r is a member of an organization.
func (r *Record) has(organization identity.Owner) bool {
	_, ok := r.Membership(organization)
	return ok
}

// speaker returns the caller of a session.
func (r *Record) speaker(s *Session, organization identity.Owner) (identity.Speaker, error) {
	who := identity.Speaker{
		Owner: r.Owner, Since: s.CreatedAt.Time, Account: r.Owner, Session: s.ID, SignedInAt: s.SignedInAt.Time, SecondFactor: s.SecondFactor,
	}
	if organization == "" {
		return who, nil
	}
	m, ok := r.Membership(organization)
	if !ok || m.Disabled {
		return identity.Speaker{}, identity.ErrOrganization
	}
	who.Owner, who.ReadOnly = organization, !m.Role.Manages()
	return who, nil
}

// Key returns the account or the organization of an API key. It returns
// ErrCredential for a key that is not accepted, and ErrUnavailable when the record
// cannot be read.
func (c *Checker) Key(ctx context.Context, key string) (identity.Speaker, error) {
	owner, secret, ok := splitKey(key)
	if !ok {
		return identity.Speaker{}, identity.ErrCredential.Because(errForm)
	}
	r, err := c.record(ctx, owner, func(r *Record) bool { _, ok := r.keyOf(secret); return ok })
	if err != nil {
		return identity.Speaker{}, err
	}
	k, ok := r.keyOf(secret)
	if !ok || r.Disabled {
		return identity.Speaker{}, identity.ErrCredential.Because(errUnknown)
	}
	if now := c.now(); used(k.UsedAt, now) {
		c.touch(ctx, owner, func(r *Record) bool {
			k, ok := r.keyOf(secret)
			if !ok || !used(k.UsedAt, now) {
				return false
			}
			k.UsedAt = store.At(now)
			return true
		})
	}
	return identity.Speaker{Owner: owner, Since: k.CreatedAt.Time, Account: k.Maker}, nil
}

// Causes of refused keys, for the log.
var (
	errForm    = errors.New("the API key is malformed")
	errUnknown = errors.New("the API key is unknown, revoked or stopped")
)

// Learn keeps r, a record that this process has just written, so that its next
// request sees the result. The caller must not change r any more.
func (c *Checker) Learn(r *Record) { c.keep(entry{r, c.now()}) }

// record returns the record of an owner: the kept one when it is fresh and enough
// for the caller, else the stored one, by one read.
func (c *Checker) record(ctx context.Context, owner identity.Owner, enough func(*Record) bool) (*Record, error) {
	c.mu.Lock()
	e, ok := c.kept[owner]
	c.mu.Unlock()
	if ok && c.now().Sub(e.at) < keepFor && enough(e.record) {
		return e.record, nil
	}
	return c.read(ctx, owner, enough)
}

// readWait is the time limit for reading a record.
const readWait = 5 * time.Second

// read reads the record of an owner, and keeps it. Concurrent calls share a read,
// which may have begun before the credential of one of them was stored: that call
// then reads again.
func (c *Checker) read(ctx context.Context, owner identity.Owner, enough func(*Record) bool) (*Record, error) {
	load := func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readWait)
		defer cancel()
		e := entry{at: c.now()}
		var err error
		if e.record, err = Get(getter{ctx, c.db}, owner); err != nil {
			return nil, identity.ErrUnavailable.Because(err)
		}
		c.keep(e)
		return e.record, nil
	}
	v, err, shared := c.reading.Do(string(owner), load)
	if err == nil && shared && !enough(v.(*Record)) {
		v, err = load()
	}
	if err != nil {
		return nil, err
	}
	return v.(*Record), nil
}

// keep keeps e, unless something newer is kept. When too much is kept it drops what
// is too old, or else anything.
func (c *Checker) keep(e entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	owner := e.record.Owner
	if old, ok := c.kept[owner]; ok && old.record.Revision > e.record.Revision {
		return
	}
	if len(c.kept) >= maxRecords {
		for o, k := range c.kept {
			if e.at.Sub(k.at) >= keepFor || len(c.kept) > maxRecords-maxRecords/8 {
				delete(c.kept, o)
			}
		}
	}
	c.kept[owner] = e
}

// touch stores that a credential was used, by one read and one write, and keeps the
// record that it found. Calls for one owner at the same time share a transaction. A
// failure, such as the end of ctx, is not the caller's: the credential was checked
// already, and the next request tries again.
func (c *Checker) touch(ctx context.Context, owner identity.Owner, change func(*Record) bool) {
	_, _, _ = c.touching.Do(string(owner), func() (any, error) {
		ctx, cancel := context.WithTimeout(ctx, readWait)
		defer cancel()
		var found *Record
		_, err := Update(ctx, c.db, owner, func(r *Record) error {
			if found = r; !change(r) {
				return errUntouched
			}
			return nil
		})
		if err == nil || errors.Is(err, errUntouched) { // another instance has just stored it
			c.Learn(found)
		}
		return nil, nil
	})
}

// errUntouched ends a transaction that has nothing to store.
var errUntouched = errors.New("access: the credential is marked as used already")

// A getter reads documents outside of a transaction.
type getter struct {
	ctx context.Context
	db  store.DB
}

// Get decodes the document at p.
func (g getter) Get(p store.Path, doc any) error { return g.db.Get(g.ctx, p, doc) }
