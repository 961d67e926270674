package chat

import (
	"context"
	"errors"
	"time"

	"miramundo.dev/shared/store"
)

// A Removal takes a message out of its room, within a transaction.
type Removal struct {
	Message Message // as it was, with its body

	in room
	id string // of the entry that says so
}

// ReadRemoval reads the message to remove, or returns ErrUnknown. Removing a message
// again changes nothing.
func ReadRemoval(tx store.Tx, channel, id string) (*Removal, error) {
	if !isID(id) {
		return nil, ErrUnknown
	}
	docs, err := tx.GetAll([]store.Path{messages(channel).Join(id), roomPath(channel)})
	if err != nil {
		return nil, err
	}
	if docs[0].Decode == nil {
		return nil, ErrUnknown
	}
	r := &Removal{id: id + "_removed"}
	if r.Message, err = decode(channel, docs[0]); err != nil {
		return nil, err
	}
	return r, orZero(docs[1], &r.in)
}

// Write removes the text of the message, and adds an entry to the room by which
// readers learn of it.
func (r *Removal) Write(tx store.Tx, now time.Time) error {
	if r.Message.Removed {
		return nil
	}
	m := r.Message
	r.in.Seq++
	expire := store.At(m.At.Add(KeepFor))
	return errors.Join(
		tx.Set(messages(m.Channel).Join(m.ID), record{
			Seq: m.Seq, Owner: m.Owner, Author: m.Author, At: store.At(m.At), Ref: m.Ref, Removed: true, ExpireAt: expire,
		}),
		tx.Set(messages(m.Channel).Join(r.id), record{
			Seq: r.in.Seq, Owner: m.Owner, Author: m.Author, At: store.At(now), Removes: m.ID, ExpireAt: store.At(now.Add(KeepFor)),
		}),
		tx.Set(roomPath(m.Channel), r.in),
	)
}

// Remove takes a message out of its room and returns it as it was, or ErrUnknown.
func (r *Rooms) Remove(ctx context.Context, channel, id string) (m Message, err error) {
	err = r.db.Update(ctx, func(tx store.Tx) error {
		removal, err := ReadRemoval(tx, channel, id)
		if err != nil {
			return err
		}
		m = removal.Message
		return removal.Write(tx, r.now())
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
