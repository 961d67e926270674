package signin

import (
	"context"
	"errors"

	"miramundo.dev/shared/account"
	"miramundo.dev/shared/account/challenge"
	"miramundo.dev/shared/account/factor"
	"miramundo.dev/shared/account/throttle"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/mail"
)

// Factor signs in by a code of the authenticator app or a recovery code, after the
// first proof has yielded the challenge with an id. The transaction that opens the
// session also uses up the code, so that no recovery code is lost without a session. It
// returns challenge.ErrWrong, challenge.ErrExpired and throttle.ErrTooMany.
func (s *Service) Factor(ctx context.Context, v Visitor, id, code string) (Result, error) {
	c, err := s.challenges.Peek(ctx, challenge.Factor, id, v.Browser)
	if err != nil {
		return Result{}, err
	}
	var first pending
	if err := c.Decode(&first); err != nil {
		return Result{}, identity.ErrUnavailable.Because(err)
	}
	attempts := throttle.FactorOfAccount.Of(c.Subject).From(v.Browser)
	if err := s.throttle.Attempt(ctx, attempts, throttle.FactorOfNetwork.Of(v.Network)); err != nil {
		return Result{}, err
	}
	var used *account.Account // with the recovery codes that are left; nil when the app's code was used
	p := &proof{visitor: v, method: first.Method, both: true, returnTo: first.Return}
	p.find = byID(identity.Owner(c.Subject), func(a *account.Account) error {
		recovery, err := s.useCode(a, code)
		if used = nil; recovery {
			used = a
		}
		p.announced = recovery // by a mail of its own
		return err
	})
	r, err := s.enter(ctx, p)
	if errors.Is(err, factor.ErrWrong) {
		_, err = s.challenges.Take(ctx, challenge.Factor, id, v.Browser, func(challenge.Challenge) error { return challenge.ErrWrong })
		return Result{}, err
	}
	if err != nil {
		return Result{}, err
	}
	s.endChallenge(ctx, id, v)
	s.pass(ctx, attempts)
	if used != nil {
		s.notify(ctx, used, v, used.Email, func(e mail.Event, security string) mail.Content {
			return mail.RecoveryUsed{Left: len(used.Recovery), Event: e, Security: security}
		})
	}
	return r, nil
}

// useCode uses up a code of an account in memory, and reports whether it was a recovery
// code. It returns factor.ErrWrong.
func (s *Service) useCode(a *account.Account, code string) (recovery bool, err error) {
	if a.TOTP != nil {
		err := a.TOTP.Use(s.o.Keys, string(a.ID), code, s.o.Now())
		if !errors.Is(err, factor.ErrWrong) {
			return false, err
		}
	}
	left, err := factor.UseRecovery(string(a.ID), a.Recovery, code)
	if err != nil {
		return false, err
	}
	a.Recovery = left
	return true, nil
}

// endChallenge ends the challenge for a second factor that was passed. A failure is
// logged: going on with the challenge takes another code of the account.
func (s *Service) endChallenge(ctx context.Context, id string, v Visitor) {
	if _, err := s.challenges.Take(ctx, challenge.Factor, id, v.Browser, nil); err != nil && !errors.Is(err, challenge.ErrExpired) {
		s.o.Log.WarnContext(ctx, "the challenge of a sign-in has not ended", "error", err)
	}
}

// pass forgets the attempts of subjects after a success. A failure is logged: the
// visitor is signed in.
func (s *Service) pass(ctx context.Context, subjects ...throttle.Subject) {
	if err := s.throttle.Pass(ctx, subjects...); err != nil {
		s.o.Log.WarnContext(ctx, "the attempts before a success are not forgotten", "error", err)
	}
}

// Passkey signs in by a passkey of an account, which counts as both factors. verify
// checks the response of the browser against the passkeys of the account, and stores
// in the account what the use of the passkey changes; it runs in a transaction,
// perhaps several times. When there is no such account, verify is called with an empty
// one and must fail.
func (s *Service) Passkey(ctx context.Context, v Visitor, id identity.Owner, returnTo string, verify func(*account.Account) error) (Result, error) {
	if err := s.throttle.Attempt(ctx, throttle.PasskeyOfNetwork.Of(v.Network)); err != nil {
		return Result{}, err
	}
	return s.enter(ctx, &proof{visitor: v, method: ByPasskey, both: true, returnTo: returnTo, find: byID(id, verify)})
}
