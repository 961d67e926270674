// Package outbox sends mails that are stored, each until a mail server takes it.
//
// A mail is stored by the transaction that causes it. The request makes the first
// attempt to send it, and a job the others. An attempt claims the document first, so that
// of a request, its repetition and the job only one sends at a time; a mail that was sent
// is deleted. A process that ends between the mail and the deletion leaves a mail that is
// sent again: with the same Message-ID, mail programs show it once.
package outbox

import (
	"context"
	"errors"
	"time"

	"miramundo.dev/shared/store"
)

const (
	attemptTime = 30 * time.Second // for one attempt, which a mail server may take 10 seconds for
	firstDelay  = time.Minute      // until the second attempt; doubled for each further one
	maxBackoff  = 6 * time.Hour    // between attempts of the job
)

// Attempts says when a stored mail is sent. Its fields must be members of the document by
// the names due_at, busy_until and attempts.
type Attempts struct {
	DueAt     *store.Time // when the job takes the mail up
	BusyUntil *store.Time // an attempt may run until then
	Count     *int
}

// A Box is a collection of stored mails, each a T. Its methods may be called
// concurrently, also in several processes.
type Box[T any] struct {
	DB   store.DB
	Path store.Path // of the collection
	Now  func() time.Time
	Of   func(*T) Attempts
}

// First returns when the job makes an attempt for a mail that is stored now, unless the
// request succeeded before.
func First(now time.Time) store.Time { return store.At(now.Add(firstDelay)) }

// Claim takes a mail for an attempt. It returns nil when the mail was sent, or when
// another attempt may be under way. A claim ends by itself.
func (b Box[T]) Claim(ctx context.Context, id string) (claimed *T, err error) {
	err = b.DB.Update(ctx, func(tx store.Tx) error {
		claimed = nil
		kept := new(T)
		err := tx.Get(b.Path.Join(id), kept)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		a, now := b.Of(kept), b.Now()
		if a.BusyUntil.Left(now, attemptTime) > 0 {
			return nil
		}
		*a.BusyUntil = store.At(now.Add(attemptTime))
		*a.DueAt = store.At(now.Add(min(firstDelay<<min(*a.Count, 9), maxBackoff)))
		*a.Count++
		claimed = kept
		return tx.Set(b.Path.Join(id), kept)
	})
	return claimed, err
}

// Release ends the claim of a mail, so that the call can be repeated at once.
func (b Box[T]) Release(ctx context.Context, id string, claimed *T) error {
	*b.Of(claimed).BusyUntil = store.Time{}
	return b.DB.Set(ctx, b.Path.Join(id), claimed)
}

// Delete removes a mail that was sent.
func (b Box[T]) Delete(ctx context.Context, id string) error {
	return b.DB.Delete(ctx, b.Path.Join(id))
}

// A Result is what a run did.
type Result struct {
	Sent   int `json:"sent"`
	Failed int `json:"failed"`
}

// batch is how many mails a run takes up.
const batch = 100

// Run calls send for the mails that are due, or later than any can be, because a clock was
// ahead when they were stored. One that fails does not stop the others. A run without
// mails costs two queries.
func (b Box[T]) Run(ctx context.Context, send func(ctx context.Context, id string) error) (done Result, err error) {
	now := b.Now()
	var ids []string
	for _, due := range []store.Filter{
		{Field: "due_at", Op: store.LessEq, Value: store.At(now)},
		{Field: "due_at", Op: store.More, Value: store.At(now.Add(maxBackoff + store.Skew))},
	} {
		for doc, err := range b.DB.Query(ctx, store.Query{Collection: b.Path, Where: []store.Filter{due}, OrderBy: "due_at", Limit: batch}) {
			if err != nil {
				return done, err
			}
			ids = append(ids, doc.ID)
		}
	}
	for _, id := range ids {
		if e := send(ctx, id); e != nil {
			done.Failed++
			err = errors.Join(err, e)
			continue
		}
		done.Sent++
	}
	return done, err
}
