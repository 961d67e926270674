package public

import (
	"context"
	"errors"
	"slices"
	"time"

	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/library"
	"miramundo.dev/shared/moderation"
	"miramundo.dev/shared/store"
)

// An edit is what a transaction on the publication of an owner has read.
type edit struct {
	tx    store.Tx
	owner identity.Owner
	now   time.Time
	own   own
	pub   *Publication // nil for none
	was   string       // the name that pub had
}

// begin reads the publication of an owner, by one read or two.
func begin(tx store.Tx, owner identity.Owner, now time.Time) (*edit, error) {
	e := &edit{tx: tx, owner: owner, now: now}
	if err := tx.Get(OwnPath(owner), &e.own); err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	e.own.Left = slices.DeleteFunc(e.own.Left, func(l left) bool { return !l.Until.After(now) })
	if e.own.ID == "" {
		return e, nil
	}
	p := &Publication{ID: e.own.ID}
	switch err := tx.Get(path(p.ID), p); {
	case errors.Is(err, store.ErrNotFound):
		e.own.ID = ""
	case err != nil:
		return nil, err
	default:
		e.pub, e.was = p, p.Name
	}
	return e, nil
}

// Put publishes a draft as the publication of an owner, in place of the one before, by up
// to five reads and four writes. It returns ErrWords, ErrTaken, ErrNames,
// library.ErrNoCategory, or moderation.ErrMuted while the owner may not write. Of several
// owners that ask for a name at once one gets it.
func Put(ctx context.Context, db store.DB, owner identity.Owner, d Draft, now time.Time) (p *Publication, l *library.Library, err error) {
	if d, err = d.Clean(); err != nil {
		return nil, nil, err
	}
	err = db.Update(ctx, func(tx store.Tx) error {
		l = &library.Library{Owner: owner}
		e, err := begin(tx, owner, now)
		if err != nil {
			return err
		}
		docs, err := tx.GetAll([]store.Path{moderation.MutePath(owner), library.Path(owner), claimPath(d.Name)})
		if err != nil {
			return err
		}
		if err := moderation.Check(docs[0], now); err != nil {
			return err
		}
		if docs[1].Decode != nil {
			if err := docs[1].Decode(l); err != nil {
				return err
			}
		}
		if p, err = d.As(l); err != nil {
			return err
		}
		return e.put(p, docs[2])
	})
	if err != nil {
		return nil, nil, err
	}
	return p, l, nil
}

// put stores p as the publication of e's owner. named is the document of its name.
func (e *edit) put(p *Publication, named store.Doc) error {
	var c claim
	if named.Decode != nil {
		if err := named.Decode(&c); err != nil {
			return err
		}
		if c.Owner != e.owner {
			return ErrTaken
		}
	}
	p.ID, p.Owner, p.UpdatedAt = newID(), e.owner, store.At(e.now)
	if e.pub != nil {
		p.ID, p.Hidden, p.Away = e.pub.ID, e.pub.Hidden, e.pub.Away
	}
	e.own.ID = p.ID
	e.own.Left = slices.DeleteFunc(e.own.Left, func(l left) bool { return l.Name == p.Name })
	var errs []error
	if e.was != "" && e.was != p.Name {
		errs = append(errs, e.leave())
	}
	return errors.Join(append(errs,
		e.tx.Set(claimPath(p.Name), claim{Publication: p.ID, Owner: e.owner}),
		e.tx.Set(path(p.ID), p), e.tx.Set(OwnPath(e.owner), e.own))...)
}

// reserve reserves a name for the owner until a time. The names are in the order of these
// times.
func (e *edit) reserve(name string, until store.Time) {
	e.own.Left = append(e.own.Left, left{name, until})
	slices.SortStableFunc(e.own.Left, func(a, b left) int { return a.Until.Compare(b.Until.Time) })
}

// free frees reserved names, the first to end, until at most a number of them are left.
func (e *edit) free(most int) error {
	var errs []error
	for ; len(e.own.Left) > most; e.own.Left = e.own.Left[1:] {
		errs = append(errs, e.tx.Delete(claimPath(e.own.Left[0].Name)))
	}
	return errors.Join(errs...)
}

// leave reserves the name that the owner leaves.
func (e *edit) leave() error {
	if len(e.own.Left) >= MaxLeft {
		wait := e.own.Left[0].Until.Sub(e.now)
		return ErrNames.With("retry_after", int((wait+time.Second-1)/time.Second))
	}
	until := store.At(e.now.Add(reserved))
	e.reserve(e.was, until)
	return e.tx.Set(claimPath(e.was), claim{Owner: e.owner, ExpireAt: &until})
}

// Withdraw ends the publication of an owner, and reports whether there was one. Its name
// is reserved for the owner; when MaxLeft are already, the first of them to end is free. The
// id stays, and what keeps it from being seen, so that reports and marks also concern what
// the owner publishes next.
func Withdraw(ctx context.Context, db store.DB, owner identity.Owner, now time.Time) (done bool, err error) {
	err = db.Update(ctx, func(tx store.Tx) error {
		e, err := begin(tx, owner, now)
		if done = err == nil && e.was != ""; !done {
			return err
		}
		return errors.Join(
			e.free(MaxLeft-1), e.leave(),
			tx.Set(path(e.pub.ID), Publication{Owner: owner, UpdatedAt: store.At(now), Hidden: e.pub.Hidden, Away: e.pub.Away}), tx.Set(OwnPath(owner), e.own))
	})
	return done, err
}

// Remove deletes the publication of an owner that is deleted. Its names, and those that
// were reserved for it, are reserved for nobody until they are free. Calling it again
// changes nothing.
func Remove(ctx context.Context, db store.DB, owner identity.Owner, now time.Time) error {
	return db.Update(ctx, func(tx store.Tx) error {
		e, err := begin(tx, owner, now)
		if err != nil {
			return err
		}
		var errs []error
		for _, l := range e.own.Left {
			errs = append(errs, tx.Set(claimPath(l.Name), claim{ExpireAt: &l.Until}))
		}
		if e.was != "" {
			until := store.At(now.Add(reserved))
			errs = append(errs, tx.Set(claimPath(e.was), claim{ExpireAt: &until}))
		}
		if e.pub != nil {
			errs = append(errs, tx.Delete(path(e.pub.ID)))
		}
		return errors.Join(append(errs, tx.Delete(OwnPath(owner)))...)
	})
}
