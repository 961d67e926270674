package signin

import (
	"context"

	"miramundo.dev/shared/account"
	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/account/challenge"
	"miramundo.dev/shared/account/factor"
	"miramundo.dev/shared/account/passkey"
	"miramundo.dev/shared/account/throttle"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/mail"
	"miramundo.dev/shared/store"
)

// An Enrolment is an authenticator app that is being added. Secret and URL are shown
// to the visitor and to nobody else.
type Enrolment struct {
	Challenge string // its id, for the browser
	Secret    string // in base32, to be typed
	URL       string // otpauth, to be read from a QR code
}

// sealed is the payload of the challenge for the first code of an app.
type sealed struct {
	Secret string `json:"secret"`
}

// StartApp begins to add an authenticator app to the caller's account. Nothing changes
// until FinishApp proves that the app has the secret. It returns identity.ErrReauth,
// ErrHasApp and throttle.ErrTooMany.
func (s *Service) StartApp(ctx context.Context, who identity.Speaker, v Visitor) (Enrolment, error) {
	if err := s.checkRecent(who); err != nil {
		return Enrolment{}, err
	}
	if err := s.throttle.Attempt(ctx, throttle.ChangeOfAccount.Of(string(who.Account))); err != nil {
		return Enrolment{}, err
	}
	a, err := account.Load(ctx, s.o.DB, who.Account)
	if err == nil && a.TOTP != nil {
		err = ErrHasApp
	}
	if err != nil {
		return Enrolment{}, unavailable(err)
	}
	secret := factor.NewSecret()
	text, err := secret.Seal(s.o.Keys, string(a.ID))
	if err != nil {
		return Enrolment{}, unavailable(err)
	}
	id, err := s.challenges.Start(ctx, challenge.Request{
		Kind: challenge.Authenticator, Browser: v.Browser, Subject: string(a.ID), Payload: sealed{text},
	})
	return s.enrolment(id, secret, a), err
}

func (s *Service) enrolment(id string, secret factor.Secret, a *account.Account) Enrolment {
	return Enrolment{id, secret.String(), secret.URL(s.o.Product, a.Email)}
}

// App returns the enrolment that a challenge of the caller is for, so that a page can
// show it again after a wrong code. It returns challenge.ErrExpired.
func (s *Service) App(ctx context.Context, who identity.Speaker, v Visitor, id string) (Enrolment, error) {
	c, err := s.challenges.Peek(ctx, challenge.Authenticator, id, v.Browser)
	if err != nil {
		return Enrolment{}, err
	}
	secret, err := s.opened(who, c)
	if err != nil {
		return Enrolment{}, err
	}
	a, err := account.Load(ctx, s.o.DB, who.Account)
	if err != nil {
		return Enrolment{}, unavailable(err)
	}
	return s.enrolment(id, secret, a), nil
}

// opened returns the secret of an enrolment of the caller.
func (s *Service) opened(who identity.Speaker, c challenge.Challenge) (factor.Secret, error) {
	if c.Subject != string(who.Account) {
		return nil, challenge.ErrExpired
	}
	var p sealed
	if err := c.Decode(&p); err != nil {
		return nil, identity.ErrUnavailable.Because(err)
	}
	secret, err := factor.Open(s.o.Keys, string(who.Account), p.Secret)
	return secret, unavailable(err)
}

// FinishApp adds the authenticator app of an enrolment by the app's first code. The
// caller's session counts as proved by both factors from then on, and has the returned
// cookie. An account without recovery codes gets them; they are shown once. It returns
// challenge.ErrWrong, challenge.ErrExpired, ErrHasApp, identity.ErrReauth and
// throttle.ErrTooMany.
func (s *Service) FinishApp(ctx context.Context, who identity.Speaker, v Visitor, id, code string) (recovery []string, cookie string, err error) {
	if err := s.checkRecent(who); err != nil {
		return nil, "", err
	}
	if err := s.throttle.Attempt(ctx, throttle.FactorOfAccount.Of(string(who.Account)).From(v.Browser)); err != nil {
		return nil, "", err
	}
	var app *factor.Authenticator
	_, err = s.challenges.Take(ctx, challenge.Authenticator, id, v.Browser, func(c challenge.Challenge) error {
		secret, err := s.opened(who, c)
		if err == nil {
			app, err = secret.Add(s.o.Keys, string(who.Account), code, s.o.Now())
		}
		return err
	})
	if err != nil {
		return nil, "", unavailable(err)
	}
	s.pass(ctx, throttle.FactorOfAccount.Of(string(who.Account)).From(v.Browser))
	return s.addFactor(ctx, who, v, mail.App, func(a *account.Account) error {
		if a.TOTP != nil {
			return ErrHasApp
		}
		a.TOTP = app
		return nil
	})
}

// RemoveApp removes the authenticator app of the caller's account, and returns the new
// cookie of the caller's session.
func (s *Service) RemoveApp(ctx context.Context, who identity.Speaker, v Visitor) (cookie string, err error) {
	return s.removeFactor(ctx, who, v, mail.App, func(a *account.Account) error {
		a.TOTP = nil
		return nil
	})
}

// AddPasskey adds a verified passkey to the caller's account, and returns the new
// cookie of the caller's session, which counts as proved by both factors from then on.
// It returns passkey.ErrLimit and passkey.ErrInvalid, and identity.ErrReauth.
func (s *Service) AddPasskey(ctx context.Context, who identity.Speaker, v Visitor, c passkey.Credential) (cookie string, err error) {
	_, cookie, err = s.addFactor(ctx, who, v, mail.Passkey, func(a *account.Account) (err error) {
		a.Passkeys, err = passkey.Add(a.Passkeys, c)
		return err
	})
	return cookie, err
}

// RemovePasskey removes the passkey that ref refers to from the caller's account, and
// returns the new cookie of the caller's session. It returns passkey.ErrUnknown.
func (s *Service) RemovePasskey(ctx context.Context, who identity.Speaker, v Visitor, ref string) (cookie string, err error) {
	return s.removeFactor(ctx, who, v, mail.Passkey, func(a *account.Account) (err error) {
		a.Passkeys, err = passkey.Remove(a.Passkeys, ref)
		return err
	})
}

// SetTwoStep decides whether the caller's account asks for a passkey after a code by
// mail or a password. Switching it on gives recovery codes to an account that has none.
// It returns ErrNoFactor when the account has no passkey, and identity.ErrReauth.
func (s *Service) SetTwoStep(ctx context.Context, who identity.Speaker, v Visitor, on bool) (recovery []string, cookie string, err error) {
	if !on {
		cookie, err = s.removeFactor(ctx, who, v, mail.Passkey, func(a *account.Account) error {
			a.TwoStep = false
			return nil
		})
		return nil, cookie, err
	}
	return s.addFactor(ctx, who, v, mail.Passkey, func(a *account.Account) error {
		if len(a.Passkeys) == 0 {
			return ErrNoFactor
		}
		a.TwoStep = true
		return nil
	})
}

// NewRecovery replaces the recovery codes of the caller's account. The new ones are
// shown once. It returns ErrNoFactor when the account has no second factor, and
// identity.ErrReauth.
func (s *Service) NewRecovery(ctx context.Context, who identity.Speaker, v Visitor) (recovery []string, cookie string, err error) {
	return s.addFactor(ctx, who, v, mail.Recovery, func(a *account.Account) error {
		if !a.NeedsFactor() {
			return ErrNoFactor
		}
		a.Recovery = nil
		return nil
	})
}

// addFactor applies add to the caller's account, makes recovery codes when it needs a
// second factor and has none, marks the session and sends a notice.
func (s *Service) addFactor(ctx context.Context, who identity.Speaker, v Visitor, f mail.Factor, add func(*account.Account) error) (recovery []string, cookie string, err error) {
	done, err := s.change(ctx, who, func(_ store.Tx, a *account.Account, _ *access.Record, here *access.Session) error {
		if err := add(a); err != nil {
			return err
		}
		if recovery = nil; a.NeedsFactor() && len(a.Recovery) == 0 {
			recovery, a.Recovery = factor.NewRecovery(string(a.ID))
		}
		here.SecondFactor = true
		return nil
	})
	if err != nil {
		return nil, "", err
	}
	s.notify(ctx, done.account, v, done.account.Email, func(e mail.Event, security string) mail.Content {
		return mail.FactorAdded{Factor: f, Event: e, Security: security}
	})
	return recovery, done.cookie, nil
}

// removeFactor applies remove to the caller's account, removes the recovery codes with
// the last second factor, and sends a notice.
func (s *Service) removeFactor(ctx context.Context, who identity.Speaker, v Visitor, f mail.Factor, remove func(*account.Account) error) (cookie string, err error) {
	done, err := s.change(ctx, who, func(_ store.Tx, a *account.Account, _ *access.Record, _ *access.Session) error {
		if err := remove(a); err != nil {
			return err
		}
		a.TwoStep = a.TwoStep && len(a.Passkeys) > 0
		if !a.NeedsFactor() {
			a.Recovery = nil
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	s.notify(ctx, done.account, v, done.account.Email, func(e mail.Event, security string) mail.Content {
		return mail.FactorRemoved{Factor: f, Event: e, Security: security}
	})
	return done.cookie, nil
}
