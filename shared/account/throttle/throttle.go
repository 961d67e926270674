// Package throttle slows down repeated attempts to sign in, send mail or guess a
// code.
//
//	throttles/{mac}    the attempts of one subject, or its part of a budget
//
// A subject is an address, an account or a network, for one kind of attempt. Each has
// some attempts free; after that every attempt makes the next one wait, twice as long
// each time, up to a limit. An attempt during a wait is refused and not counted, so
// that nobody can prolong a wait. All instances share the counters. The id of a
// document is a MAC of the subject, so the database holds no address or network, and
// it costs the same to count the attempts at an address that has an account and at
// one that has none.
//
// Anyone can use up the attempts at an address of somebody else. So that this does
// not keep the owner out, browsers in which the owner has signed in are counted on
// their own: see [Throttle.Pass].
//
// The same documents hold the budgets that instances share: see [Throttle.Draw].
package throttle

import (
	"context"
	"encoding/hex"
	"errors"
	"time"

	"miramundo.dev/shared/budget"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/keyring"
	"miramundo.dev/shared/store"
)

// ErrTooMany refuses an attempt. Its field "retry_after" is in seconds.
var ErrTooMany = budget.ErrTooMany

// A Subject is what attempts are counted for.
type Subject struct {
	limit         Limit
	name, browser string
}

// Of returns the subject with a name, such as an address, a network or the id of an
// account. It keeps nothing of the name but a MAC.
func (l Limit) Of(name string) Subject { return Subject{limit: l, name: name} }

// From returns s for an attempt from a browser, which a random secret of the browser
// identifies. An empty browser is a new one.
func (s Subject) From(browser string) Subject {
	s.browser = browser
	return s
}

// A Throttle counts attempts. Its methods may be called concurrently.
type Throttle struct {
	db   store.DB
	keys *keyring.Ring
	now  func() time.Time
}

// New returns a Throttle that names its documents by keys. When the signing key
// changes, every counter starts again.
func New(db store.DB, keys *keyring.Ring, now func() time.Time) *Throttle {
	return &Throttle{db, keys, now}
}

// Attempt counts an attempt for one or two subjects in one transaction, which reads
// and writes a document of each. When one of them must wait it counts nothing and
// returns ErrTooMany; when the counters cannot be reached it returns
// identity.ErrUnavailable, and the caller must not go on.
func (t *Throttle) Attempt(ctx context.Context, subjects ...Subject) error {
	return t.update(ctx, subjects, func(records []*record) error {
		if err := t.check(subjects, records); err != nil {
			return err
		}
		for i, r := range records {
			r.counterOf(t.browser(subjects[i])).count(subjects[i].limit, t.now())
		}
		return nil
	})
}

// Check returns what Attempt would return, and counts nothing: for an attempt that is
// counted only if it succeeds, such as one that must be paid. It reads a document of
// each subject.
func (t *Throttle) Check(ctx context.Context, subjects ...Subject) error {
	if t.keys.Check() != nil {
		return identity.ErrUnavailable.Because(errKey)
	}
	docs, err := t.db.GetAll(ctx, t.paths(subjects))
	if err != nil {
		return identity.ErrUnavailable.Because(err)
	}
	records, err := t.decode(docs, subjects)
	if err != nil {
		return identity.ErrUnavailable.Because(err)
	}
	return t.check(subjects, records)
}

// check returns ErrTooMany when one of the subjects must wait.
func (t *Throttle) check(subjects []Subject, records []*record) error {
	now, wait := t.now(), time.Duration(0)
	for i, r := range records {
		wait = max(wait, r.counterOf(t.browser(subjects[i])).wait(subjects[i].limit, now))
	}
	if wait > 0 {
		return budget.TooMany(wait)
	}
	return nil
}

// Pass records that an attempt succeeded: the attempts of its subjects are forgotten,
// and its browser is counted on its own from now on, for [Familiar] after its last
// success. The caller must have verified the identity of the owner in this browser.
// It costs as much as an attempt.
func (t *Throttle) Pass(ctx context.Context, subjects ...Subject) error {
	return t.update(ctx, subjects, func(records []*record) error {
		for i, r := range records {
			r.pass(t.browser(subjects[i]), t.now())
		}
		return nil
	})
}

var errKey = errors.New("throttle: no key is configured")

// update runs change on the records of subjects and stores them, unless it fails.
func (t *Throttle) update(ctx context.Context, subjects []Subject, change func([]*record) error) error {
	if t.keys.Check() != nil {
		return identity.ErrUnavailable.Because(errKey)
	}
	paths := t.paths(subjects)
	err := t.db.Update(ctx, func(tx store.Tx) error {
		docs, err := tx.GetAll(paths)
		if err != nil {
			return err
		}
		records, err := t.decode(docs, subjects)
		if err != nil {
			return err
		}
		if err := change(records); err != nil {
			return err
		}
		for i, r := range records {
			r.ExpireAt = store.At(r.expiry(subjects[i].limit))
			if err := tx.Set(paths[i], r); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil && !errors.Is(err, ErrTooMany) {
		return identity.ErrUnavailable.Because(err)
	}
	return err
}

// paths returns where the documents of subjects are.
func (t *Throttle) paths(subjects []Subject) []store.Path {
	paths := make([]store.Path, len(subjects))
	for i, s := range subjects {
		paths[i] = store.Path("throttles").Join(t.mac("subject", s.limit.Kind, s.name))
	}
	return paths
}

// decode returns the records in docs, without what has been forgotten since. A
// missing document is an empty record.
func (t *Throttle) decode(docs []store.Doc, subjects []Subject) ([]*record, error) {
	records := make([]*record, len(docs))
	for i, doc := range docs {
		records[i] = new(record)
		if doc.Decode == nil {
			continue
		}
		if err := doc.Decode(records[i]); err != nil {
			return nil, err
		}
		records[i].forget(subjects[i].limit, t.now())
	}
	return records, nil
}

// browser returns the name of the browser of s in the record of s; empty when it has
// none.
func (t *Throttle) browser(s Subject) string {
	if s.browser == "" {
		return ""
	}
	return t.mac("browser", s.limit.Kind, s.name, s.browser)
}

// mac returns the MAC of parts in 64 hexadecimal digits.
func (t *Throttle) mac(parts ...string) string {
	var data []byte
	for _, p := range parts {
		data = append(append(data, p...), 0)
	}
	mac, _ := t.keys.Sign("throttle", data)
	return hex.EncodeToString(mac)
}
