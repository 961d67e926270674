package chat

import (
	"context"
	"errors"
	"fmt"
	"time"

	"miramundo.dev/shared/store"
)

// An Edit removes and restores messages of one room, within a transaction. Each change
// adds an entry to the room, with a number of its own, by which readers learn of it.
type Edit struct {
	Messages []Message // that were read, without those that do not exist

	channel string
	in      room
	errs    []error // of the writes
}

// ReadEdit reads messages of a room by their ids.
func ReadEdit(tx store.Tx, channel string, ids ...string) (*Edit, error) {
	paths := []store.Path{roomPath(channel)}
	for _, id := range ids {
		if isID(id) {
			paths = append(paths, messages(channel).Join(id))
		}
	}
	docs, err := tx.GetAll(paths)
	if err != nil {
		return nil, err
	}
	e := &Edit{channel: channel}
	for _, doc := range docs[1:] {
		if doc.Decode == nil {
			continue
		}
		m, err := decode(channel, doc)
		if err != nil {
			return nil, err
		}
		e.Messages = append(e.Messages, m)
	}
	return e, orZero(docs[0], &e.in)
}

// Remove removes the text of a message. It changes nothing when the message was removed.
func (e *Edit) Remove(tx store.Tx, m Message, now time.Time) {
	if m.Removed {
		return
	}
	e.in.Seq++
	gone := m.record()
	gone.Body, gone.Removed = "", true
	note := record{Seq: e.in.Seq, Owner: m.Owner, Author: m.Author, At: store.At(now), Removes: m.ID, ExpireAt: store.At(now.Add(KeepFor))}
	e.put(tx, m.ID, gone, "removed", note)
}

// Restore gives a message that was removed its text again, in its place. It changes
// nothing, and reports false, when the message was not removed or has expired. Readers that saw the message
// before it was removed see it again when they enter the room the next time.
func (e *Edit) Restore(tx store.Tx, m Message, body string, now time.Time) bool {
	if !m.Removed || now.Sub(m.At) >= KeepFor {
		return false
	}
	e.in.Seq++
	back := m.record()
	back.Body = body
	note := back
	note.Seq, note.Restores = e.in.Seq, m.ID
	e.put(tx, m.ID, back, "restored", note)
	return true
}

// record returns a message as it is stored while it is shown.
func (m Message) record() record {
	return record{
		Seq: m.Seq, Owner: m.Owner, Author: m.Author, Body: m.Body, At: store.At(m.At), Ref: m.Ref, Network: m.Network,
		ExpireAt: store.At(m.At.Add(KeepFor)),
	}
}

// put stores a message and the entry about it.
func (e *Edit) put(tx store.Tx, id string, changed record, what string, note record) {
	in := messages(e.channel)
	e.errs = append(e.errs, tx.Set(in.Join(id), changed), tx.Set(in.Join(fmt.Sprintf("%s_%s_%d", id, what, note.Seq)), note))
}

// Write stores the state of the room, after the changes.
func (e *Edit) Write(tx store.Tx) error {
	if len(e.errs) == 0 {
		return nil
	}
	return errors.Join(append(e.errs, tx.Set(roomPath(e.channel), e.in))...)
}

// Remove takes a message out of its room and returns it as it was, or ErrUnknown.
// Removing a message again changes nothing.
func (r *Rooms) Remove(ctx context.Context, channel, id string) (m Message, err error) {
	err = r.db.Update(ctx, func(tx store.Tx) error {
		e, err := ReadEdit(tx, channel, id)
		if err != nil {
			return err
		}
		if len(e.Messages) == 0 {
			return ErrUnknown
		}
		m = e.Messages[0]
		e.Remove(tx, m, r.now())
		return e.Write(tx)
	})
	return m, err
}

// A Closing closes or opens a room, within a transaction.
type Closing struct {
	channel string
	in      room
}

// ReadClosing reads the state of a room.
func ReadClosing(tx store.Tx, channel string) (*Closing, error) {
	c := &Closing{channel: channel}
	if err := tx.Get(roomPath(channel), &c.in); err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	return c, nil
}

// Until returns when the room opens; a moment that has passed when it is open.
func (c *Closing) Until() time.Time { return c.in.ClosedUntil.Time }

// Write closes the room until a moment; the zero time opens it.
func (c *Closing) Write(tx store.Tx, until time.Time, reason string) error {
	c.in.ClosedUntil, c.in.Reason = store.At(until), reason
	return tx.Set(roomPath(c.channel), c.in)
}

// SetClosed closes a room until a moment, for a reason that only the operator sees;
// the zero time opens it. Readers stay, and nobody can write.
func (r *Rooms) SetClosed(ctx context.Context, channel string, until time.Time, reason string) error {
	return r.db.Update(ctx, func(tx store.Tx) error {
		c, err := ReadClosing(tx, channel)
		if err != nil {
			return err
		}
		return c.Write(tx, until, reason)
	})
}
