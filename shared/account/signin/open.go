package signin

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"miramundo.dev/shared/account"
	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/account/challenge"
	"miramundo.dev/shared/account/throttle"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/library/public"
	"miramundo.dev/shared/mail"
	"miramundo.dev/shared/site"
	"miramundo.dev/shared/store"
)

// A proof is what a visitor has shown of an account.
type proof struct {
	visitor   Visitor
	method    string
	both      bool // it was, or was followed by, a second factor
	announced bool // a mail of this sign-in named the device
	returnTo  string

	// find returns the account in the transaction that opens the session, after
	// it has verified whatever could have changed since. It may change the account.
	find func(store.Tx) (a *account.Account, created bool, err error)
}

// byAddress finds the account of an address by its key, or makes one as p says.
func byAddress(p pending, key string, now time.Time) func(store.Tx) (*account.Account, bool, error) {
	return func(tx store.Tx) (*account.Account, bool, error) {
		id, found, err := account.Find(tx, key)
		if err != nil {
			return nil, false, err
		}
		if !found {
			return account.New(p.Email, key, account.Profile{Locale: p.Locale, Theme: account.Themes[0]}, now), true, nil
		}
		a, err := account.Get(tx, id)
		return a, false, err
	}
}

// byPassword finds the account whose password was checked. When the password was changed
// since, it sets changed and returns ErrCredentials.
func byPassword(checked *account.Account, changed *bool) func(store.Tx) (*account.Account, bool, error) {
	return func(tx store.Tx) (*account.Account, bool, error) {
		a, err := account.Get(tx, checked.ID)
		if *changed = isEnded(err) || err == nil && a.Password != checked.Password; *changed {
			return nil, false, ErrCredentials
		}
		return a, false, err
	}
}

// byID finds an account and lets verify decide, which may change the account. Verify
// gets an empty account where there is none.
func byID(id identity.Owner, verify func(*account.Account) error) func(store.Tx) (*account.Account, bool, error) {
	return func(tx store.Tx) (*account.Account, bool, error) {
		a, err := account.Get(tx, id)
		if isEnded(err) {
			return nil, false, cmp.Or(verify(&account.Account{ID: id}), err)
		}
		if err == nil {
			err = verify(a)
		}
		return a, false, err
	}
}

// isEnded reports whether err means that an account is deleted.
func isEnded(err error) bool { return errors.Is(err, identity.ErrEnded) }

// An opening is what the transaction that opens a session did.
type opening struct {
	account  *account.Account
	record   *access.Record
	previous *access.Record // of another account whose session this browser had, which has ended; nil without one
	unknown  bool           // no session of the account was of this device
	restored bool
	created  bool
	cookie   string
	session  access.Session
}

// enter opens a session for p, or starts a challenge for the second factor when p was
// only the first one. One transaction reads the address (for a proof by mail), the
// account and its access record, and writes what changes of them. The session that the
// browser had before ends, whichever account it was of.
func (s *Service) enter(ctx context.Context, p *proof) (Result, error) {
	var o opening
	err := s.o.DB.Update(ctx, func(tx store.Tx) (err error) {
		o, err = s.open(tx, p)
		return err
	})
	if err != nil {
		return Result{}, unavailable(err)
	}
	if o.cookie == "" {
		return s.askFactor(ctx, p, o.account)
	}
	s.o.Access.Learn(o.record)
	if o.previous != nil {
		s.o.Access.Learn(o.previous)
	}
	s.welcome(ctx, p, o)
	return Result{
		Account: o.account.ID, Email: o.account.Email, Session: o.session, Cookie: o.cookie, Return: p.returnTo,
		Created: o.created, Restored: o.restored,
	}, nil
}

// open opens the session of p in a transaction. It leaves the cookie empty when a
// second factor is missing.
func (s *Service) open(tx store.Tx, p *proof) (o opening, err error) {
	if o.account, o.created, err = p.find(tx); err != nil {
		return o, err
	}
	a := o.account
	if a.NeedsFactor() && !p.both {
		return o, nil
	}
	if o.record, err = access.Get(tx, a.ID); err != nil {
		return o, err
	}
	if o.previous, err = access.EndReplaced(tx, p.visitor.Cookie, a.ID); err != nil {
		return o, err
	}
	var absence public.Absence
	if !o.created {
		if absence, err = public.ReadAbsence(tx, a.ID); err != nil {
			return o, err
		}
	}
	now := s.o.Now()
	o.unknown = !o.created && !slices.ContainsFunc(o.record.Live(now), func(known access.Session) bool { return known.Device == p.visitor.Device })
	o.restored, a.DeleteAt = !a.DeleteAt.IsZero(), store.Time{}
	o.cookie, o.session = o.record.Open(access.SignIn{
		Method: p.method, SecondFactor: p.both, Device: p.visitor.Device, Replaces: p.visitor.Cookie,
	}, now)
	write := account.Put
	if o.created {
		write = account.Create
	}
	err = errors.Join(write(tx, a), access.Put(tx, o.record), absence.End(tx))
	if err == nil && o.previous != nil {
		err = access.Put(tx, o.previous)
	}
	return o, err
}

// welcome does what follows a sign-in and must not undo it: the attempts at the
// address are forgotten, and its owner hears of a device that is new.
func (s *Service) welcome(ctx context.Context, p *proof, o opening) {
	key := o.account.EmailKey
	s.pass(ctx, throttle.MailOfAddress.Of(key).From(p.visitor.Browser), throttle.PasswordOfAddress.Of(key).From(p.visitor.Browser))
	if o.unknown && !p.announced {
		s.notify(ctx, o.account, p.visitor, o.account.Email, func(e mail.Event, security string) mail.Content {
			return mail.NewDevice{Event: e, Security: security}
		})
	}
}

// notify sends a notice of what was done to an account. A failure is logged: what was
// done stands.
func (s *Service) notify(ctx context.Context, a *account.Account, v Visitor, to string, content func(e mail.Event, security string) mail.Content) {
	l, ok := i18n.Find(a.Profile.Locale)
	if !ok {
		l = v.Locale
	}
	event := mail.Event{At: s.o.Now(), Place: v.Place()}
	if zone, err := time.LoadLocation(a.Profile.TimeZone); err == nil {
		event.At = event.At.In(zone)
	}
	if err := s.o.Mail.Send(ctx, mail.Message{To: to, Locale: l, Content: content(event, s.o.Base+site.Security.Path(l, ""))}); err != nil {
		s.o.Log.WarnContext(ctx, "a notice of an account was not sent", "error", err)
	}
}

// askFactor starts the challenge for the second factor of an account.
func (s *Service) askFactor(ctx context.Context, p *proof, a *account.Account) (Result, error) {
	id, err := s.challenges.Start(ctx, challenge.Request{
		Kind: challenge.Factor, Browser: p.visitor.Browser, Subject: string(a.ID), Payload: pending{Method: p.method, Return: p.returnTo},
	})
	return Result{Challenge: id, Factors: factorsOf(a), Return: p.returnTo}, err
}
