package comment

import (
	"context"
	"errors"
	"time"

	"miramundo.dev/shared/fact/outbox"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/store"
)

// The operator removes all comments of an owner or of a network, and may restore them.
// There can be any number, so both go in batches of at most Batch comments. A batch
// changes the counters of a channel by one letter, however many of its comments it has.

// A Sender selects the comments of an owner, or those of a network by its name of the day.
type Sender struct {
	Owner   identity.Owner
	Network string
}

// query selects the comments of an owner, or the traces of those of a network: both have
// the ids of the comments.
func (s Sender) query() store.Query {
	if s.Network == "" {
		return ofOwner(s.Owner)
	}
	return store.Query{Collection: traces, Where: []store.Filter{{Field: "network", Op: store.Eq, Value: s.Network}}}
}

// Sent returns the ids of at most n comments of a sender, by as many reads. Of a network
// it also returns those whose comments were removed by their authors.
func Sent(ctx context.Context, db store.DB, s Sender, n int) (ids []string, err error) {
	q := s.query()
	q.Limit = n
	for doc, err := range db.Query(ctx, q) {
		if err != nil {
			return nil, err
		}
		ids = append(ids, doc.ID)
	}
	return ids, nil
}

// CountSent returns the number of comments that Sent finds, by one read for each 1,000.
func CountSent(ctx context.Context, db store.DB, s Sender) (int, error) {
	return db.Count(ctx, s.query())
}

// ReadAll returns the comments with some ids, as read returns their documents, without those that do not exist, each with
// the name of its network while that is stored: by two reads for each id.
func ReadAll(ids []string, read func([]store.Path) ([]store.Doc, error)) (list []Comment, err error) {
	var paths []store.Path
	for _, id := range ids {
		paths = append(paths, collection.Join(id), tracePath(id))
	}
	docs, err := read(paths)
	if err != nil {
		return nil, err
	}
	for ; len(docs) > 0; docs = docs[2:] {
		if docs[0].Decode == nil {
			continue
		}
		c, t := Comment{ID: docs[0].ID}, trace{}
		if err := docs[0].Decode(&c); err != nil {
			return nil, err
		}
		if docs[1].Decode != nil {
			if err := docs[1].Decode(&t); err != nil {
				return nil, err
			}
		}
		c.Network = t.Network
		list = append(list, c)
	}
	return list, nil
}

// DeleteAll deletes comments, and the traces of ids, within a transaction, and returns the
// letters that the caller must send after it.
func DeleteAll(tx store.Tx, list []Comment, ids []string, at time.Time) ([]outbox.Letter, error) {
	var errs []error
	for _, c := range list {
		errs = append(errs, tx.Delete(c.path()))
	}
	for _, id := range ids {
		errs = append(errs, tx.Delete(tracePath(id)))
	}
	letters, err := keepLetters(tx, list, -1, at)
	return letters, errors.Join(append(errs, err)...)
}

// Restore stores comments that were deleted, with the traces of those that have a network
// and are not too old for one, and returns the letters that the caller must send after the
// transaction.
func Restore(tx store.Tx, list []Comment, at time.Time) ([]outbox.Letter, error) {
	var errs []error
	for _, c := range list {
		errs = append(errs, tx.Create(c.path(), c))
		if t := newTrace(c); c.Network != "" && at.Before(t.ExpireAt.Time) {
			errs = append(errs, tx.Set(tracePath(c.ID), t))
		}
	}
	letters, err := keepLetters(tx, list, 1, at)
	return letters, errors.Join(append(errs, err)...)
}

// keepLetters keeps a letter for each channel of some comments.
func keepLetters(tx store.Tx, list []Comment, sign int, at time.Time) (letters []outbox.Letter, err error) {
	n := map[string]int{}
	for _, c := range list {
		n[c.Channel] += sign
	}
	for channel, n := range n {
		l, err := letterOf(channel, n, at)
		if err != nil {
			return nil, err
		}
		if err := l.Keep(tx); err != nil {
			return nil, err
		}
		letters = append(letters, l)
	}
	return letters, nil
}
