package act

import (
	"context"
	"errors"

	"miramundo.dev/shared/account/claim"
	"miramundo.dev/shared/chat"
	"miramundo.dev/shared/fact/outbox"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/social/comment"
	"miramundo.dev/shared/store"
)

// restoring returns the step that restores the next batch of what an act removed: the
// comments among the next cases, or else the messages of one room.
func (m *Moderator) restoring(ctx context.Context, removal string) (step, error) {
	q := store.Query{Collection: casesCollection, Where: []store.Filter{{Field: "bulk", Op: store.Eq, Value: removal}}, Limit: batch}
	list, err := collect[Case](ctx, m.o.DB, q, 0)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	first := list[0]
	var paths []store.Path
	for _, c := range list {
		if c.Kind == first.Kind && (c.Kind == Comment || c.Channel == first.Channel) {
			paths = append(paths, casePath(c.Ref))
		}
	}
	return func(tx store.Tx, e *Entry) ([]outbox.Letter, error) {
		cases, err := casesOf(tx, paths, removal)
		if err != nil {
			return nil, err
		}
		if first.Kind == Message {
			return nil, m.restoreMessages(tx, e, first.Channel, cases)
		}
		return m.restoreComments(tx, e, cases)
	}, nil
}

// casesOf reads cases, without those whose texts were restored meanwhile.
func casesOf(tx store.Tx, paths []store.Path, removal string) (cases []*Case, err error) {
	docs, err := tx.GetAll(paths)
	if err != nil {
		return nil, err
	}
	for _, doc := range docs {
		c, err := decodeCase(doc)
		if err != nil {
			return nil, err
		}
		if c != nil && c.Bulk == removal {
			cases = append(cases, c)
		}
	}
	return cases, nil
}

// restored stores that the texts of cases are there again. A case that nobody reported is
// deleted.
func restored(tx store.Tx, cases []*Case) error {
	var errs []error
	for _, c := range cases {
		c.Removed, c.Bulk, c.Network = false, "", ""
		if c.Reports == 0 {
			errs = append(errs, tx.Delete(casePath(c.Ref)))
		} else {
			errs = append(errs, c.put(tx))
		}
	}
	return errors.Join(errs...)
}

// restoreComments restores comments. Those of an owner that was deleted meanwhile stay
// removed, and those of a guest that an account has claimed become the account's.
func (m *Moderator) restoreComments(tx store.Tx, e *Entry, cases []*Case) ([]outbox.Letter, error) {
	var ids []string
	var list []comment.Comment
	for _, c := range cases {
		id, err := comment.ParseID(c.ID)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
		list = append(list, comment.Comment{
			ID: id, Channel: c.Channel, Owner: c.Owner, Author: c.Author, Body: c.Body, CreatedAt: c.At, Network: c.Network,
		})
	}
	present, err := comment.ReadAll(ids, tx.GetAll)
	if err != nil {
		return nil, err
	}
	skip := map[string]bool{}
	for _, c := range present {
		skip[c.ID] = true
	}
	owners, err := ownersNow(tx, list)
	if err != nil {
		return nil, err
	}
	var back []comment.Comment
	for _, c := range list {
		if c.Owner = owners[c.Owner]; c.Owner != "" && !skip[c.ID] {
			back = append(back, c)
		}
	}
	e.Bulk.Comments += len(back)
	letters, err := comment.Restore(tx, back, m.o.Now())
	return letters, errors.Join(err, restored(tx, cases))
}

// ownersNow returns who owns the comments of some owners now. An owner that has commented
// has a pace until it is deleted or claimed by an account.
func ownersNow(tx store.Tx, list []comment.Comment) (map[identity.Owner]identity.Owner, error) {
	now := map[identity.Owner]identity.Owner{}
	for _, c := range list {
		if _, known := now[c.Owner]; known {
			continue
		}
		owner, err := ownerNow(tx, c.Owner)
		if err != nil {
			return nil, err
		}
		now[c.Owner] = owner
	}
	return now, nil
}

// ownerNow returns who owns the comments of an owner now; empty for a deleted owner.
func ownerNow(tx store.Tx, owner identity.Owner) (identity.Owner, error) {
	docs, err := tx.GetAll([]store.Path{comment.PacePath(owner)})
	if err != nil || docs[0].Decode != nil {
		return owner, err
	}
	if identity.KindOf(owner) != identity.Guest {
		return "", nil
	}
	account, err := claim.AccountOf(tx, owner)
	if err != nil || account == "" {
		return "", err
	}
	return ownerNow(tx, account)
}

// restoreMessages restores messages of a room that have not expired.
func (m *Moderator) restoreMessages(tx store.Tx, e *Entry, channel string, cases []*Case) error {
	bodies := map[string]string{}
	var ids []string
	for _, c := range cases {
		bodies[c.ID] = c.Body
		ids = append(ids, c.ID)
	}
	edit, err := chat.ReadEdit(tx, channel, ids...)
	if err != nil {
		return err
	}
	for _, one := range edit.Messages {
		if edit.Restore(tx, one, bodies[one.ID], m.o.Now()) {
			e.Bulk.Messages++
		}
	}
	return errors.Join(edit.Write(tx), restored(tx, cases))
}
