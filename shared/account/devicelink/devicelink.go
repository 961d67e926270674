// Package devicelink signs in a second device of an account, such as a television,
// by a link that a device which is signed in shows as a QR code.
//
//	devicelinks/{sha256(token)}    a Link
//	devicelinks/c_{mac(code)}      the id of the Link that has a short code
//
// The first device makes a link and shows it. The second device opens it and claims
// it; both then show the same four digits. When they agree, the person confirms on
// the first device, and the second device gets a session of its own:
//
//	waiting -- Claim --> claimed -- Confirm --> confirmed -- Open --> opened
//	                        \------ Deny -----> denied
//
// The browser that claims a link first is the only one that can go on with it: the
// link keeps a hash of that browser's cookie. Somebody who photographs the code can
// at most be first, and then the person sees a device and digits that are not those
// of the device at hand. A link ends after Lifetime, and with the session that made
// it. Every step is one transaction, so a process that stops between two steps
// leaves nothing half done.
package devicelink

import (
	"context"
	"errors"
	"time"

	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/store"
)

// Faults of links. The first three are for the second device, which holds the token;
// the others for the first.
var (
	ErrExpired   = fault.New(fault.Gone, "device_link_expired")       // the link is unknown or over, or its first device has signed out
	ErrUsed      = fault.New(fault.Conflict, "device_link_used")      // another browser has claimed the link
	ErrDenied    = fault.New(fault.Forbidden, "device_link_denied")   // the first device denied the second
	ErrUnknown   = fault.New(fault.NotFound, "device_link_not_found") // no live link of this session has the id
	ErrUnclaimed = fault.New(fault.Conflict, "device_link_unclaimed") // no device has claimed the link yet
)

// How long a link lasts.
const (
	Lifetime = 2 * time.Minute  // from making it to confirming it
	grace    = 30 * time.Second // from confirming it to opening it, at least
)

// PollEvery is how often a device may ask whether the other has acted.
const PollEvery = 2 * time.Second

// A State is how far a link is.
type State string

// The states.
const (
	Waiting   State = "waiting"
	Claimed   State = "claimed"
	Confirmed State = "confirmed"
	Denied    State = "denied"
	Opened    State = "opened"
)

// A Link is what is stored of a link.
type Link struct {
	ID       string         `json:"-"` // hash of the token
	Account  identity.Owner `json:"account"`
	Session  string         `json:"session"` // public id of the first device's session
	State    State          `json:"state"`
	Browser  string         `json:"browser,omitempty"` // hash of the second device's boot cookie
	Device   access.Device  `json:"device"`            // the second device
	Digits   string         `json:"digits,omitempty"`  // that both devices show
	Opened   string         `json:"opened,omitempty"`  // public id of the second device's session
	ExpireAt store.Time     `json:"expire_at"`
}

// A Secret is what leads from one device to the other.
type Secret struct {
	Token string // in the link: 256 random bits
	Code  string // for people to type where no camera is: 8 letters and digits
}

// A Keyring makes keyed hashes; a [miramundo.dev/shared/keyring.Ring] is one.
type Keyring interface {
	MACs(purpose string, data []byte) [][]byte
}

// Links are the links in a database. Its methods may be called concurrently.
type Links struct {
	DB   store.DB
	Keys Keyring
	Now  func() time.Time
}

const (
	collection  = store.Path("devicelinks")
	codePurpose = "device link code"
)

// A pointer leads from a short code to its link.
type pointer struct {
	Link     string     `json:"link"`
	ExpireAt store.Time `json:"expire_at"`
}

// Make stores a link of the session of a caller, by two writes.
func (l *Links) Make(ctx context.Context, caller identity.Speaker) (Link, Secret, error) {
	secret := Secret{newToken(), newCode()}
	macs := l.codePaths(secret.Code)
	if len(macs) == 0 {
		return Link{}, Secret{}, identity.ErrUnavailable.Because(errNoKey)
	}
	link := Link{
		ID: hashOf(secret.Token), Account: caller.Account, Session: caller.Session,
		State: Waiting, ExpireAt: store.At(l.Now().Add(Lifetime)),
	}
	err := l.DB.Update(ctx, func(tx store.Tx) error {
		return errors.Join(tx.Create(pathOf(link.ID), link), tx.Set(macs[0], pointer{link.ID, link.ExpireAt}))
	})
	return link, secret, err
}

// Look returns a link of the session of a caller, by one read, or ErrUnknown.
func (l *Links) Look(ctx context.Context, caller identity.Speaker, id string) (Link, error) {
	return l.own(l.reader(ctx), caller, id)
}

// Confirm lets the device that claimed a link in. It returns ErrUnknown, ErrUnclaimed
// or ErrDenied. Repeating it changes nothing.
func (l *Links) Confirm(ctx context.Context, caller identity.Speaker, id string) error {
	return l.decide(ctx, caller, id, func(link *Link) error {
		switch link.State {
		case Waiting:
			return ErrUnclaimed
		case Denied:
			return ErrDenied
		case Claimed:
			link.State = Confirmed
			if least := l.Now().Add(grace); link.ExpireAt.Before(least) {
				link.ExpireAt = store.At(least)
			}
		}
		return nil
	})
}

// Deny keeps the device that claimed a link out, or any device from claiming it. It
// returns ErrUnknown, or ErrUsed when the device is in already: its session can then
// be ended. Repeating it changes nothing.
func (l *Links) Deny(ctx context.Context, caller identity.Speaker, id string) error {
	return l.decide(ctx, caller, id, func(link *Link) error {
		if link.State == Opened {
			return ErrUsed
		}
		link.State = Denied
		return nil
	})
}

func (l *Links) decide(ctx context.Context, caller identity.Speaker, id string, change func(*Link) error) error {
	return l.DB.Update(ctx, func(tx store.Tx) error {
		link, err := l.own(tx.Get, caller, id)
		if err != nil {
			return err
		}
		if err := change(&link); err != nil {
			return err
		}
		return tx.Set(pathOf(id), link)
	})
}

// own reads a link of the session of a caller.
func (l *Links) own(get getFunc, caller identity.Speaker, id string) (Link, error) {
	link, err := l.read(get, id)
	if errors.Is(err, ErrExpired) || err == nil && (link.Account != caller.Account || link.Session != caller.Session || caller.Session == "") {
		return Link{}, ErrUnknown
	}
	return link, err
}

// Claim binds the link of a token or a short code to the browser with a boot cookie,
// and returns it with its digits. It returns ErrExpired, ErrUsed or ErrDenied.
// Repeating it in the same browser changes nothing.
func (l *Links) Claim(ctx context.Context, secret, boot string, device access.Device) (link Link, err error) {
	id, err := l.find(ctx, secret)
	if err != nil {
		return Link{}, err
	}
	err = l.DB.Update(ctx, func(tx store.Tx) error {
		if link, err = l.read(tx.Get, id); err != nil {
			return err
		}
		switch {
		case link.State == Denied:
			return ErrDenied
		case link.State == Waiting:
			link.State, link.Browser, link.Device, link.Digits = Claimed, hashOf(boot), device, newDigits()
			return tx.Set(pathOf(id), link)
		case !same(link.Browser, hashOf(boot)):
			return ErrUsed
		}
		return nil
	})
	if err != nil {
		return Link{}, err
	}
	return link, nil
}

// find returns the id of the link of a token or a short code. Whether there is such a
// link is not checked.
func (l *Links) find(ctx context.Context, secret string) (id string, err error) {
	if len(secret) == tokenLen {
		return hashOf(secret), nil
	}
	code, ok := readCode(secret)
	if !ok {
		return "", ErrExpired
	}
	for _, path := range l.codePaths(code) {
		var p pointer
		switch err := l.DB.Get(ctx, path, &p); {
		case err == nil:
			return p.Link, nil
		case !errors.Is(err, store.ErrNotFound):
			return "", err
		}
	}
	return "", ErrExpired
}

// A SignIn is what Open returns.
type SignIn struct {
	State   State // Opened, or Claimed while the first device has not decided; then the rest is zero
	Session access.Session
	Cookie  string         // value of the account cookie
	Record  *access.Record // with the session

	// Previous is the record of another account whose session the browser had, which
	// has ended; nil without one.
	Previous *access.Record
}

// Open gives the browser that claimed a link a session, once the first device has
// confirmed it. The session has as many factors as that of the first device, and its
// sign-in counts as recent at no time. replaces is the cookie of the session that the
// browser has had, of whichever account, which ends. Open returns ErrExpired, ErrUsed or ErrDenied.
//
// Repeating it, as after a lost answer, gives the same session another cookie.
func (l *Links) Open(ctx context.Context, id, boot, replaces string) (in SignIn, err error) {
	link, err := l.claimedBy(l.reader(ctx), id, boot)
	if err != nil || link.State == Claimed {
		return SignIn{State: link.State}, err
	}
	err = l.DB.Update(ctx, func(tx store.Tx) error {
		if link, err = l.claimedBy(tx.Get, id, boot); err != nil {
			return err
		}
		r, err := access.Get(tx, link.Account)
		if err != nil {
			return err
		}
		previous, err := access.EndReplaced(tx, replaces, link.Account)
		if err != nil {
			return err
		}
		if in, err = l.session(r, &link, replaces); err != nil {
			return err
		}
		err = errors.Join(access.Put(tx, r), tx.Set(pathOf(id), link))
		if err == nil && previous != nil {
			in.Previous, err = previous, access.Put(tx, previous)
		}
		return err
	})
	if err != nil {
		return SignIn{}, err
	}
	return in, nil
}

// claimedBy reads a link that the browser with a boot cookie has claimed.
func (l *Links) claimedBy(get getFunc, id, boot string) (Link, error) {
	link, err := l.read(get, id)
	switch {
	case err != nil:
		return Link{}, err
	case !same(link.Browser, hashOf(boot)):
		return Link{}, ErrUsed
	case link.State == Denied:
		return Link{}, ErrDenied
	}
	return link, nil
}

// session adds the session of the second device to r, or gives the one that it has a
// new cookie.
func (l *Links) session(r *access.Record, link *Link, replaces string) (in SignIn, err error) {
	in = SignIn{State: Opened, Record: r}
	if link.State == Opened {
		cookie, ok := r.Rotate(link.Opened)
		if !ok {
			return SignIn{}, ErrExpired
		}
		s, _ := r.Session(link.Opened)
		in.Cookie, in.Session = cookie, *s
		return in, nil
	}
	now := l.Now()
	first, ok := r.Session(link.Session)
	if !ok || !now.Before(first.Expiry()) {
		return SignIn{}, ErrExpired
	}
	in.Cookie, in.Session = r.Open(access.SignIn{
		Method: "device", SecondFactor: first.SecondFactor, Vouched: true, Device: link.Device, Replaces: replaces,
	}, now)
	link.State, link.Opened = Opened, in.Session.ID
	return in, nil
}

// A getFunc reads a document, in a transaction or outside of one.
type getFunc func(p store.Path, doc any) error

// reader returns a getFunc outside of a transaction.
func (l *Links) reader(ctx context.Context) getFunc {
	return func(p store.Path, doc any) error { return l.DB.Get(ctx, p, doc) }
}

// read reads a link that is not over, or ErrExpired.
func (l *Links) read(get getFunc, id string) (Link, error) {
	if !isID(id) {
		return Link{}, ErrExpired
	}
	var link Link
	err := get(pathOf(id), &link)
	switch {
	case errors.Is(err, store.ErrNotFound), err == nil && !l.Now().Before(link.ExpireAt.Time):
		return Link{}, ErrExpired
	case err != nil:
		return Link{}, err
	}
	link.ID = id
	return link, nil
}

var errNoKey = errors.New("no key for the codes of device links is configured")
