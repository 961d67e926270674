package signin

import (
	"context"
	"errors"
	"slices"

	"miramundo.dev/shared/account"
	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/account/password"
	"miramundo.dev/shared/account/throttle"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/mail"
	"miramundo.dev/shared/store"
)

// Changes of what an account is proved by need a session whose owner has signed in
// within access.Recent, with every factor that the account asks for. They give the
// session a new cookie and send a notice.

// A changed account is the result of a change.
type changed struct {
	account *account.Account
	cookie  string // of the caller's session from now on
}

// checkRecent returns identity.ErrReauth unless the session of who may change an
// account. It decides by what the request showed; change decides again by what is
// stored.
func (s *Service) checkRecent(who identity.Speaker) error {
	if who.Session == "" || who.Account == "" {
		return identity.ErrCredential
	}
	if !access.IsRecent(who.SignedInAt, s.o.Now()) {
		return identity.ErrReauth
	}
	return nil
}

// change applies f to the account and the access record of the caller in one
// transaction, and rotates the caller's session, which f gets too.
func (s *Service) change(ctx context.Context, who identity.Speaker, f func(tx store.Tx, a *account.Account, r *access.Record, here *access.Session) error) (changed, error) {
	if err := s.checkRecent(who); err != nil {
		return changed{}, err
	}
	var done changed
	var record *access.Record
	err := s.o.DB.Update(ctx, func(tx store.Tx) error {
		a, err := account.Get(tx, who.Account)
		if err != nil {
			return err
		}
		r, err := access.Get(tx, who.Account)
		if err != nil {
			return err
		}
		here, ok := r.Session(who.Session)
		switch {
		case !ok:
			return identity.ErrEnded
		case !access.IsRecent(here.SignedInAt.Time, s.o.Now()), a.NeedsFactor() && !here.SecondFactor:
			return identity.ErrReauth
		}
		if err := f(tx, a, r, here); err != nil {
			return err
		}
		cookie, _ := r.Rotate(who.Session)
		done, record = changed{a, cookie}, r
		return errors.Join(account.Put(tx, a), access.Put(tx, r))
	})
	if err != nil {
		return changed{}, unavailable(err)
	}
	s.o.Access.Learn(record)
	return done, nil
}

// SetPassword gives the account of the caller a password, ends its other sessions,
// stops the API keys that it made, for itself and for its organizations, and returns
// the new cookie of the caller's session. It returns
// password.ErrWeak, identity.ErrReauth, throttle.ErrTooMany and
// identity.ErrUnavailable.
func (s *Service) SetPassword(ctx context.Context, who identity.Speaker, v Visitor, pw string) (cookie string, err error) {
	if err := s.checkRecent(who); err != nil {
		return "", err
	}
	if err := s.throttle.Attempt(ctx, throttle.ChangeOfAccount.Of(string(who.Account))); err != nil {
		return "", err
	}
	a, err := account.Load(ctx, s.o.DB, who.Account)
	if err == nil {
		err = password.Weak(pw, a.Email)
	}
	if err != nil {
		return "", unavailable(err)
	}
	hash, err := s.o.Passwords.Hash(ctx, pw)
	if err != nil {
		return "", err
	}
	first := false
	var organizations []*access.Record
	done, err := s.change(ctx, who, func(tx store.Tx, a *account.Account, r *access.Record, here *access.Session) error {
		first, a.Password = a.Password == "", hash
		ended, err := access.EndEverywhere(tx, r, here.ID)
		if err != nil {
			return err
		}
		organizations = slices.DeleteFunc(ended, func(e *access.Record) bool { return e == r }) // change stores r
		return access.PutAll(tx, organizations)
	})
	if err != nil {
		return "", err
	}
	for _, r := range organizations {
		s.o.Access.Learn(r)
	}
	s.notify(ctx, done.account, v, done.account.Email, func(e mail.Event, security string) mail.Content {
		if first {
			return mail.FactorAdded{Factor: mail.Password, Event: e, Security: security}
		}
		return mail.PasswordChanged{Event: e, Security: security}
	})
	return done.cookie, nil
}

// RemovePassword removes the password of the caller's account, which signs in by mail
// or a passkey from then on, and returns the new cookie of the caller's session.
func (s *Service) RemovePassword(ctx context.Context, who identity.Speaker, v Visitor) (cookie string, err error) {
	return s.removeFactor(ctx, who, v, mail.Password, func(a *account.Account) error {
		a.Password = ""
		return nil
	})
}
