package act

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"strings"
	"time"

	"miramundo.dev/shared/chat"
	"miramundo.dev/shared/fact/outbox"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/social/comment"
	"miramundo.dev/shared/store"
)

// The operator can remove all texts of one sender, an owner or a network on one day, and
// restore them. Either is an act in the log, and goes on in batches. A batch is one
// transaction: it removes texts, makes or closes their cases, which keep the copies from
// which they are restored, and counts in the entry of the act. So a process that is killed
// leaves an act that has done some batches, and whoever calls again goes on with what is
// left: a removal with the texts that the sender still has, a restoration with the cases
// that still name the removal. Two calls that go on with one act at once remove and count
// each text once.
//
// A message that the sender writes meanwhile may be left. The operator mutes the sender
// first, or removes again.

// batch is the number of texts in one transaction.
const batch = comment.Batch

// bulkTime is how long one call goes on. The caller calls again while the act is not done.
const bulkTime = 20 * time.Second

// A Sender is an owner, or a network by its name of the day: see
// [identity.People.WiderName].
type Sender struct {
	Owner   identity.Owner
	Network string
}

// Progress is how far a RemoveAll or RestoreAll is.
type Progress struct {
	Comments int    `json:"comments"` // that it removed or restored
	Messages int    `json:"messages"` // likewise
	Done     bool   `json:"done"`
	Undoes   string `json:"undoes,omitempty"`    // of RestoreAll: the id of the act that it undoes
	UndoneBy string `json:"undone_by,omitempty"` // of RemoveAll: the id of the act that undoes it
}

// isNetwork reports whether name has the form of the name of a network.
func isNetwork(name string) bool {
	b, err := hex.DecodeString(name)
	return err == nil && len(b) == len(identity.ID{}) && strings.ToLower(name) == name
}

// check returns fault.ErrBody unless s names one owner or one network.
func (s Sender) check() error {
	switch {
	case s.Owner != "" && (s.Network != "" || identity.KindOf(s.Owner) == identity.Unknown || !canBePath(string(s.Owner))):
		return fault.ErrBody.With("param", "owner")
	case s.Owner == "" && !isNetwork(s.Network):
		return fault.ErrBody.With("param", "network")
	}
	return nil
}

// SenderOf returns the author of a text, or its network. It returns ErrNoText when the
// text does not exist and was never reported or removed by the operator, and ErrNoNetwork
// when its network is unknown.
func (m *Moderator) SenderOf(ctx context.Context, ref Ref, network bool) (s Sender, err error) {
	var t *text
	var c *Case
	err = m.o.DB.Update(ctx, func(tx store.Tx) (err error) {
		a := &acting{tx: tx, order: Order{Ref: ref}, now: m.o.Now()}
		t, c, err = a.find()
		return err
	})
	switch {
	case err != nil:
		return s, err
	case !network && t != nil:
		return Sender{Owner: t.owner}, nil
	case !network:
		return Sender{Owner: c.Owner}, nil
	}
	if ref.Kind == Comment {
		id, err := comment.ParseID(ref.ID)
		if err == nil {
			s.Network, err = comment.NetworkOf(ctx, m.o.DB, id)
		}
		if err == nil && s.Network == "" && c != nil {
			s.Network = c.Network
		}
		return s, orNoNetwork(s, err)
	}
	found, err := chat.New(chat.Options{DB: m.o.DB}).Find(ctx, ref.Channel, ref.ID)
	s.Network = found.Network
	return s, orNoNetwork(s, err)
}

// orNoNetwork returns err, or ErrNoNetwork when s has no network.
func orNoNetwork(s Sender, err error) error {
	if err == nil && s.Network == "" {
		return ErrNoNetwork
	}
	return err
}

// RemoveTexts logs that all texts of a sender are removed, for a reason and by an
// operator, and removes them for up to 20 seconds. Progress.Done of the entry that it
// returns says whether none is left; otherwise Continue goes on. It returns fault.ErrBody
// for a sender, reason or name that is missing or wrong.
func (m *Moderator) RemoveTexts(ctx context.Context, s Sender, reason, by string) (Entry, error) {
	if err := errors.Join(s.check(), checkWords(reason, by)); err != nil {
		return Entry{}, err
	}
	e := Entry{
		ID: newActID(), Verb: RemoveAll, Owner: s.Owner, Network: s.Network, Reason: reason, By: by, At: store.At(m.o.Now()), Bulk: &Progress{},
	}
	if err := m.o.DB.Create(ctx, actsCollection.Join(e.ID), e); err != nil {
		return Entry{}, err
	}
	return m.run(ctx, e)
}

func newActID() string { return strings.ToLower(rand.Text()) }

// checkWords returns fault.ErrBody when the reason or the name of the operator is missing.
func checkWords(reason, by string) error {
	_, err := Order{Verb: OpenRoom, Reason: reason, By: by, Ref: Ref{Channel: "-"}}.normal()
	return err
}

// Continue goes on with an act that is not done, as RemoveTexts and Undo do, and returns
// its entry. It returns ErrNoAct for an unknown id, and goes on with the
// restoration when the act was undone meanwhile.
func (m *Moderator) Continue(ctx context.Context, id string) (Entry, error) {
	e, err := m.entry(ctx, id)
	if err != nil {
		return e, err
	}
	if e.Bulk.UndoneBy != "" {
		return m.Continue(ctx, e.Bulk.UndoneBy)
	}
	return m.run(ctx, e)
}

// entry reads the entry of an act in bulk.
func (m *Moderator) entry(ctx context.Context, id string) (e Entry, err error) {
	if id == "" || strings.Trim(id, "abcdefghijklmnopqrstuvwxyz234567") != "" {
		return e, ErrNoAct
	}
	e.ID = id
	err = m.o.DB.Get(ctx, actsCollection.Join(id), &e)
	if errors.Is(err, store.ErrNotFound) || err == nil && e.Bulk == nil {
		err = ErrNoAct
	}
	return e, err
}

// Undo logs that the texts that a RemoveAll removed are restored, and restores them for up
// to 20 seconds, as RemoveTexts does. An act that was undone is not undone again: Undo then
// goes on with the restoration. It returns ErrNoAct for an unknown id.
func (m *Moderator) Undo(ctx context.Context, id, reason, by string) (Entry, error) {
	if err := checkWords(reason, by); err != nil {
		return Entry{}, err
	}
	removal, err := m.entry(ctx, id)
	if err != nil {
		return Entry{}, err
	}
	if removal.Verb != RemoveAll {
		return Entry{}, ErrNoAct
	}
	next := newActID()
	err = m.o.DB.Update(ctx, func(tx store.Tx) error {
		removal = Entry{ID: id} // also when the transaction is repeated
		if err := tx.Get(actsCollection.Join(id), &removal); err != nil {
			return err
		}
		if removal.Bulk.UndoneBy != "" {
			return nil
		}
		removal.Bulk.UndoneBy = next
		e := Entry{
			Verb: RestoreAll, Owner: removal.Owner, Network: removal.Network, Reason: reason, By: by, At: store.At(m.o.Now()),
			Bulk: &Progress{Undoes: id},
		}
		return errors.Join(tx.Set(actsCollection.Join(id), removal), tx.Create(actsCollection.Join(next), e))
	})
	if err != nil {
		return Entry{}, err
	}
	return m.Continue(ctx, removal.Bulk.UndoneBy)
}

// run does batches of an act until it is done, or bulkTime or ctx ends.
func (m *Moderator) run(ctx context.Context, e Entry) (Entry, error) {
	end := m.o.Now().Add(bulkTime)
	r := &removal{m: m, sender: Sender{e.Owner, e.Network}}
	for !e.Bulk.Done && e.Bulk.UndoneBy == "" && m.o.Now().Before(end) {
		step, err := m.nextStep(ctx, e, r)
		if err != nil {
			return e, err
		}
		if e, err = m.do(ctx, e.ID, step); err != nil {
			return e, err
		}
	}
	return e, nil
}

// A step is what one batch reads and writes within a transaction, with the progress of its
// act. A nil step means that nothing is left.
type step func(tx store.Tx, e *Entry) ([]outbox.Letter, error)

// nextStep finds the texts of the next batch of an act.
func (m *Moderator) nextStep(ctx context.Context, e Entry, r *removal) (step, error) {
	if e.Verb == RestoreAll {
		return m.restoring(ctx, e.Bulk.Undoes)
	}
	return r.next(ctx)
}

// do does a step of an act that is neither done nor undone, and returns its entry.
func (m *Moderator) do(ctx context.Context, id string, f step) (e Entry, err error) {
	var letters []outbox.Letter
	err = m.o.DB.Update(ctx, func(tx store.Tx) (err error) {
		letters, e = nil, Entry{ID: id}
		if err := tx.Get(actsCollection.Join(id), &e); err != nil {
			return err
		}
		switch {
		case e.Bulk.Done || e.Bulk.UndoneBy != "":
			return nil
		case f == nil:
			e.Bulk.Done = true
		default:
			if letters, err = f(tx, &e); err != nil {
				return err
			}
		}
		return tx.Set(actsCollection.Join(id), e)
	})
	if err != nil {
		return e, err
	}
	m.o.Outbox.Send(ctx, letters...)
	return e, nil
}
