package chat

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"miramundo.dev/shared/billing/pass"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/moderation"
	"miramundo.dev/shared/social/speech"
	"miramundo.dev/shared/store"
)

// A Draft is a message to post.
type Draft struct {
	Channel string // by the id that the catalog has for it now
	Owner   identity.Owner
	Network string // names the network of the sender, by a keyed hash; empty is not limited

	// Wider is the name of the day of the wider network of the sender, which is stored:
	// see [identity.People.WiderName]. Empty when the address is unknown.
	Wider string

	Author string // empty: the owner's nickname
	Body   string

	// Ref names the draft among those of its owner: a draft that is posted again by
	// the same ref is not stored again. Empty: every call is a message of its own.
	Ref string
}

// clean returns d with its texts as they are stored, or ErrWords.
func (d Draft) clean() (Draft, error) {
	var p speech.Problem
	if d.Body, p = speech.Line(d.Body, MaxLength, MaxBytes); p != speech.Fine {
		return d, refuse("body", p, MaxLength)
	}
	name := cmp.Or(strings.TrimSpace(d.Author), speech.Nickname(string(d.Owner)))
	if d.Author, p = speech.Line(name, MaxAuthor, maxAuthor); p != speech.Fine {
		return d, refuse("author", p, MaxAuthor)
	}
	if !isRef(d.Ref) {
		return d, ErrWords.With("param", "ref").With("reason", "malformed")
	}
	return d, nil
}

func refuse(param string, p speech.Problem, max int) error {
	err := ErrWords.With("param", param).With("reason", string(p))
	if p == speech.TooLong {
		err = err.With("bound", max)
	}
	return err
}

func isRef(ref string) bool {
	return len(ref) <= MaxRef && strings.Trim(ref, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") == ""
}

// Post stores a message and returns it, in one transaction of four to seven reads and
// three writes; four writes for the first message of a network in a room on a day. A draft with a ref that was stored before is not stored again: Post
// returns the message that it became. The faults are ErrWords, ErrLimit, ErrClosed and
// moderation.ErrMuted; a draft without any of them by an owner without a pass is
// refused with ErrPass, and counts towards no limit of the owner.
func (r *Rooms) Post(ctx context.Context, d Draft) (Message, error) {
	d, err := d.clean()
	if err != nil {
		return Message{}, err
	}
	now := r.now()
	if err := r.networks.take(d.Network, now); err != nil {
		return Message{}, err
	}
	p := posting{rooms: r, draft: d, id: newID(d.Channel, d.Owner, d.Ref), now: now}
	err = r.db.Update(ctx, p.run)
	return p.message, err
}

// A posting is one call of Post.
type posting struct {
	rooms   *Rooms
	draft   Draft
	id      string
	now     time.Time
	message Message // the result
}

// run is the transaction.
func (p *posting) run(tx store.Tx) error {
	d := p.draft
	paths := []store.Path{messages(d.Channel).Join(p.id), roomPath(d.Channel), pacePath(d.Owner), moderation.MutePath(d.Owner)}
	if d.Wider != "" {
		paths = append(paths, moderation.NetworkMutePath(d.Wider), networkPath(d.Wider))
	}
	mine := len(paths)
	if !p.rooms.free {
		paths = append(paths, pass.Path(d.Owner))
	}
	docs, err := tx.GetAll(paths)
	if err != nil {
		return err
	}
	if docs[0].Decode != nil {
		p.message, err = decode(d.Channel, docs[0])
		p.message.Again = true
		return err
	}
	var in room
	var of pace
	if err := errors.Join(orZero(docs[1], &in), orZero(docs[2], &of)); err != nil {
		return err
	}
	var from places
	if d.Wider != "" {
		if err := errors.Join(moderation.Check(docs[4], p.now), orZero(docs[5], &from)); err != nil {
			return err
		}
	}
	if err := p.admit(docs[3], &in, &of); err != nil {
		return err
	}
	if err := p.checkPass(docs[mine:]); err != nil {
		return err
	}
	in.Seq++
	of.note(d.Channel, d.Owner, p.now)
	rec := record{
		Seq: in.Seq, Owner: d.Owner, Author: d.Author, Body: d.Body, At: store.At(p.now), Ref: d.Ref, Network: d.Wider,
		ExpireAt: store.At(p.now.Add(KeepFor)),
	}
	p.message = rec.message(d.Channel, p.id)
	err = errors.Join(tx.Create(paths[0], rec), tx.Set(paths[1], in), tx.Set(paths[2], of))
	if d.Wider != "" && from.add(d.Channel, p.now) {
		err = errors.Join(err, tx.Set(networkPath(d.Wider), from))
	}
	return err
}

// admit notes the message in the state of its room and in the pace of its owner, or
// returns the fault that keeps it out.
func (p *posting) admit(mute store.Doc, in *room, of *pace) error {
	if err := moderation.Check(mute, p.now); err != nil {
		return err
	}
	if err := in.check(p.now); err != nil {
		return err
	}
	if err := of.add(p.draft.Body, p.now, p.rooms.limits); err != nil {
		return err
	}
	after, wait := p.rooms.limits.Room.Take(in.Next.Time, p.now)
	if wait > 0 {
		return limited(Busy, wait)
	}
	in.Next = store.At(after)
	return nil
}

// checkPass returns ErrPass unless the owner may write. Where nothing is sold docs is
// empty.
func (p *posting) checkPass(docs []store.Doc) error {
	if len(docs) == 0 {
		return nil
	}
	var of pass.Passes
	if err := orZero(docs[0], &of); err != nil {
		return err
	}
	if _, valid := of.Chat(p.now); !valid {
		return ErrPass
	}
	return nil
}

// orZero decodes a document that may be missing.
func orZero(doc store.Doc, into any) error {
	if doc.Decode == nil {
		return nil
	}
	return doc.Decode(into)
}
