package act

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"time"

	"miramundo.dev/shared/account/claim"
	"miramundo.dev/shared/chat"
	"miramundo.dev/shared/fact/outbox"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/library/public"
	"miramundo.dev/shared/moderation"
	"miramundo.dev/shared/store"
)

// A Verb is what an act does.
type Verb string

// The verbs.
const (
	RemoveMessage Verb = "remove_message" // deletes the text of a message
	RemoveComment Verb = "remove_comment" // deletes a comment

	HideLibrary    Verb = "hide_library"    // hides a public library; its owner reads the reason
	RestoreLibrary Verb = "restore_library" // shows it again

	Dismiss    Verb = "dismiss"     // closes the case of a text and leaves the text
	Mute       Verb = "mute"        // keeps an owner from writing for some hours
	Unmute     Verb = "unmute"      // ends a mute
	CloseRoom  Verb = "close_room"  // keeps everybody from writing in a room for some hours
	OpenRoom   Verb = "open_room"   // ends that
	RemoveAll  Verb = "remove_all"  // removes all texts of an owner or a network: see RemoveTexts
	RestoreAll Verb = "restore_all" // restores what a RemoveAll removed
)

// The verbs of takedown requests, which package takedown carries out and logs by [Note].
const (
	TakedownBlock  Verb = "takedown_block"  // blocks what a request names
	TakedownRefuse Verb = "takedown_refuse" // refuses a request or a counter-notice
	TakedownAsk    Verb = "takedown_ask"    // asks its sender for more
	TakedownLift   Verb = "takedown_lift"   // lifts the blocks of a request
	TakedownAccept Verb = "takedown_accept" // accepts a counter-notice and lifts the blocks that it is about
)

// MaxHours is how long a mute and a closed room can last: a year.
const MaxHours = 365 * 24

// An Order is an act as the operator asks for it.
type Order struct {
	Verb   Verb
	Ref    Ref            // the text; of the verbs about rooms, its Channel alone
	Owner  identity.Owner // in place of Ref for Mute and Unmute
	Hours  int            // of Mute and CloseRoom
	Reason string
	By     string // names the operator

	// Network is in place of Ref for Mute and Unmute, too: the name of the day of a
	// network, whose mute has no effect after that day.
	Network string
}

// verbs are the parts of the transaction of each verb. They read, and return what to
// write; nil when everything is done already.
var verbs = map[Verb]func(*acting) (writes, error){
	RemoveMessage: (*acting).removeText,
	RemoveComment: (*acting).removeText,

	HideLibrary:    (*acting).hideLibrary,
	RestoreLibrary: (*acting).restoreLibrary,

	Dismiss:   (*acting).dismiss,
	Mute:      (*acting).mute,
	Unmute:    (*acting).unmute,
	CloseRoom: (*acting).closeRoom,
	OpenRoom:  (*acting).openRoom,
}

// writes writes what an act changes.
type writes func() error

// acting is one run of the transaction of an act.
type acting struct {
	tx      store.Tx
	order   Order
	now     time.Time
	entry   Entry
	letters []outbox.Letter
}

// normal returns o without what its verb ignores, or fault.ErrBody with the member that
// is missing or wrong.
func (o Order) normal() (Order, error) {
	wrong := func(param string) (Order, error) { return o, missing(param) }
	timed := o.Verb == Mute || o.Verb == CloseRoom
	switch {
	case verbs[o.Verb] == nil:
		return wrong("act")
	case strings.TrimSpace(o.Reason) == "":
		return wrong("reason")
	case strings.TrimSpace(o.By) == "":
		return wrong("by")
	case timed && (o.Hours < 1 || o.Hours > MaxHours):
		return wrong("hours")
	case o.Verb == CloseRoom || o.Verb == OpenRoom:
		if !canBePath(o.Ref.Channel) {
			return wrong("channel_id")
		}
		o.Ref, o.Owner, o.Network = Ref{Channel: o.Ref.Channel}, "", ""
		return o, nil
	case (o.Verb == Mute || o.Verb == Unmute) && (o.Network != "" || o.Owner != ""):
		return o.normalMute()
	case o.Verb == RemoveComment:
		o.Ref.Kind = Comment
	case o.Verb == RemoveMessage:
		o.Ref.Kind = Message
	case o.Verb == HideLibrary || o.Verb == RestoreLibrary:
		o.Ref.Kind = Library
	}
	o.Owner, o.Network = "", ""
	switch {
	case o.Ref.ID == "":
		return wrong("id")
	case o.Ref.Kind == "":
		return wrong("kind")
	}
	return o, nil
}

// normalMute returns an order to mute or unmute a network, or an owner where it names no
// network, without its reference.
func (o Order) normalMute() (Order, error) {
	o.Ref = Ref{}
	if o.Network != "" {
		o.Owner = ""
		if !isNetwork(o.Network) {
			return o, fault.ErrBody.With("param", "network")
		}
		return o, nil
	}
	if identity.KindOf(o.Owner) == identity.Unknown || !canBePath(string(o.Owner)) {
		return o, fault.ErrBody.With("param", "owner")
	}
	return o, nil
}

func missing(param string) error { return fault.ErrBody.With("param", param).With("reason", "missing") }

// Act does what an order says, in one transaction, and returns its entry in the log. It
// reports false, and changes nothing, when everything is done already: the entry then
// says what would have been logged. A mute or closing that would end within a minute of
// the one in force is done already, so that a repeated call does not prolong it.
//
// Act returns fault.ErrBody for an order that lacks something, and ErrNoText when the
// text does not exist and was never reported.
func (m *Moderator) Act(ctx context.Context, o Order) (e Entry, changed bool, err error) {
	if o, err = o.normal(); err != nil {
		return Entry{}, false, err
	}
	id := strings.ToLower(rand.Text())
	var letters []outbox.Letter
	err = m.o.DB.Update(ctx, func(tx store.Tx) error {
		a := &acting{tx: tx, order: o, now: m.o.Now()}
		a.entry = Entry{ID: id, Verb: o.Verb, Ref: o.Ref, Owner: o.Owner, Network: o.Network, Reason: o.Reason, By: o.By, At: store.At(a.now)}
		write, err := verbs[o.Verb](a)
		changed = write != nil
		if err == nil && changed {
			err = errors.Join(write(), tx.Create(actsCollection.Join(id), a.entry))
		}
		e, letters = a.entry, a.letters
		return err
	})
	if err != nil {
		return Entry{}, false, err
	}
	m.o.Outbox.Send(ctx, letters...)
	return e, changed, nil
}

// find reads the text of the order and its case. The text is nil when it was removed, and
// the case is nil when nobody has reported the text. It returns ErrNoText when both are nil.
func (a *acting) find() (t *text, c *Case, err error) {
	if a.order.Ref.Kind == Library {
		if err := a.named(); err != nil {
			return nil, nil, err
		}
	}
	if c, err = readCase(a.tx, a.order.Ref); err != nil {
		return nil, nil, err
	}
	t, err = read(a.tx, a.order.Ref)
	if errors.Is(err, ErrNoText) && c != nil {
		err = nil
	}
	if err != nil {
		return nil, nil, err
	}
	if t != nil {
		a.entry.Ref, a.entry.Owner = t.Ref, t.owner
	} else {
		a.entry.Ref, a.entry.Owner = c.Ref, c.Owner
	}
	return t, c, nil
}

// named makes the order name a library by the id of its publication, where it names it by
// its name.
func (a *acting) named() error {
	p, err := public.Lookup(a.tx, a.order.Ref.ID)
	if err == nil {
		a.order.Ref.ID = p.ID
	}
	if errors.Is(err, public.ErrUnknown) {
		return nil
	}
	return err
}

// removeText removes a text and closes its case, which keeps a copy of it from now on.
// When the text was removed already, such as by its author, the case is closed alone.
func (a *acting) removeText() (writes, error) {
	t, c, err := a.find()
	switch {
	case err != nil:
		return nil, err
	case t == nil && !c.Open:
		return nil, nil
	case c == nil:
		c = newCase(t)
	}
	c.Open = false
	c.keep(a.now)
	return func() error {
		if t != nil {
			c.Removed = true
			letters, err := t.remove(a.tx, a.now)
			if err != nil {
				return err
			}
			a.letters = letters
		}
		return c.put(a.tx)
	}, nil
}

// hideLibrary hides a public library and closes its case, which keeps a copy of its words.
// One that was withdrawn is marked too, so that its owner does not publish it again.
func (a *acting) hideLibrary() (writes, error) {
	t, c, err := a.find()
	switch {
	case err != nil:
		return nil, err
	case t == nil && !c.Open, t != nil && t.library.Hidden != nil && (c == nil || !c.Open):
		return nil, nil
	case c == nil:
		c = newCase(t)
	case t != nil:
		c.update(t)
	}
	p, err := a.libraryOf(t, c)
	if err != nil {
		return nil, err
	}
	c.Open = false
	c.keep(a.now)
	return func() error {
		if p == nil {
			return c.put(a.tx)
		}
		c.Removed = true
		return errors.Join(p.Hide(a.tx, &public.Hiding{Reason: a.order.Reason, Since: store.At(a.now)}), c.put(a.tx))
	}, nil
}

// libraryOf returns the publication that an order is about: that of its text, or the
// withdrawn one that its case names. It returns nil when the publication was deleted.
func (a *acting) libraryOf(t *text, c *Case) (*public.Publication, error) {
	if t != nil {
		return t.library, nil
	}
	return public.Withdrawn(a.tx, c.ID)
}

// restoreLibrary shows a hidden library again. Of one that was withdrawn it removes the
// mark.
func (a *acting) restoreLibrary() (writes, error) {
	t, c, err := a.find()
	if err != nil {
		return nil, err
	}
	p, err := a.libraryOf(t, c)
	if err != nil || p == nil || p.Hidden == nil {
		return nil, err
	}
	return func() error {
		err := p.Hide(a.tx, nil)
		if c != nil {
			c.Open, c.Removed = false, false
			err = errors.Join(err, c.put(a.tx))
		}
		return err
	}, nil
}

// dismiss closes a case.
func (a *acting) dismiss() (writes, error) {
	_, c, err := a.find()
	switch {
	case err != nil:
		return nil, err
	case c == nil:
		return nil, ErrNoText
	case !c.Open:
		return nil, nil
	}
	c.Open = false
	return func() error { return c.put(a.tx) }, nil
}

// owner returns the owner that the order names, or the author of its text.
func (a *acting) owner() (identity.Owner, error) {
	if a.order.Owner == "" {
		if _, _, err := a.find(); err != nil {
			return "", err
		}
	}
	return a.entry.Owner, nil
}

// readMute returns the mute of the owner or network of the order that is in force, or the zero
// mute, and the paths of the mutes to change: that of the owner, and for a guest that of
// the account which has claimed it, since its texts in the chat still name the guest.
func (a *acting) readMute() (paths []store.Path, in moderation.Mute, err error) {
	var owner identity.Owner
	if a.order.Network != "" {
		paths = []store.Path{moderation.NetworkMutePath(a.order.Network)}
	} else {
		if owner, err = a.owner(); err != nil {
			return nil, in, err
		}
		paths = []store.Path{moderation.MutePath(owner)}
	}
	if err := a.tx.Get(paths[0], &in); err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, in, err
	}
	if identity.KindOf(owner) == identity.Guest {
		account, err := claim.AccountOf(a.tx, owner)
		if err != nil {
			return nil, in, err
		}
		if account != "" {
			paths = append(paths, moderation.MutePath(account))
		}
	}
	return paths, in, nil
}

// until returns when something ends that begins now, and notes it in the entry.
func (a *acting) until() time.Time {
	a.entry.Until = store.At(a.now.Add(time.Duration(a.order.Hours) * time.Hour))
	return a.entry.Until.Time
}

// same reports whether two ends are so near that one order was sent twice.
func same(one, other time.Time) bool { return one.Sub(other).Abs() < time.Minute }

func (a *acting) mute() (writes, error) {
	paths, in, err := a.readMute()
	if err != nil || same(in.ExpireAt.Time, a.until()) {
		return nil, err
	}
	m := moderation.Mute{Reason: a.order.Reason, Since: store.At(a.now), ExpireAt: a.entry.Until}
	return func() error {
		var errs []error
		for _, p := range paths {
			errs = append(errs, a.tx.Set(p, m))
		}
		return errors.Join(errs...)
	}, nil
}

func (a *acting) unmute() (writes, error) {
	paths, in, err := a.readMute()
	if err != nil || !in.ExpireAt.After(a.now) {
		return nil, err
	}
	return func() error {
		var errs []error
		for _, p := range paths {
			errs = append(errs, a.tx.Delete(p))
		}
		return errors.Join(errs...)
	}, nil
}

func (a *acting) closeRoom() (writes, error) {
	c, err := chat.ReadClosing(a.tx, a.order.Ref.Channel)
	if err != nil || same(c.Until(), a.until()) {
		return nil, err
	}
	return func() error { return c.Write(a.tx, a.entry.Until.Time, a.order.Reason) }, nil
}

func (a *acting) openRoom() (writes, error) {
	c, err := chat.ReadClosing(a.tx, a.order.Ref.Channel)
	if err != nil || !c.Until().After(a.now) {
		return nil, err
	}
	return func() error { return c.Write(a.tx, time.Time{}, "") }, nil
}
