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
// first proof has yielded the challenge with an id. It returns challenge.ErrWrong,
// challenge.ErrExpired and throttle.ErrTooMany.
func (s *Service) Factor(ctx context.Context, v Visitor, id, code string) (Result, error) {
	c, err := s.challenges.Peek(ctx, challenge.Factor, id, v.Browser)
	if err != nil {
		return Result{}, err
	}
	var p pending
	if err := c.Decode(&p); err != nil {
		return Result{}, identity.ErrUnavailable.Because(err)
	}
	err = s.throttle.Attempt(ctx, throttle.FactorOfAccount.Of(c.Subject).From(v.Browser), throttle.FactorOfNetwork.Of(v.Network))
	if err != nil {
		return Result{}, err
	}
	a, recovery, wrong := s.useCode(ctx, identity.Owner(c.Subject), code)
	if wrong != nil && !errors.Is(wrong, factor.ErrWrong) {
		return Result{}, unavailable(wrong)
	}
	if _, err := s.challenges.Take(ctx, challenge.Factor, id, v.Browser, func(challenge.Challenge) error { return wrong }); err != nil {
		return Result{}, err
	}
	if recovery {
		s.notify(ctx, a, v, a.Email, func(e mail.Event, security string) mail.Content {
			return mail.RecoveryUsed{Left: len(a.Recovery), Event: e, Security: security}
		})
	}
	s.pass(ctx, throttle.FactorOfAccount.Of(c.Subject).From(v.Browser))
	return s.enter(ctx, proof{
		visitor: v, method: p.Method, both: true, returnTo: p.Return, announced: recovery,
		find: byID(a.ID, func(*account.Account) error { return nil }),
	})
}

// useCode uses up a code of an account, which is then valid for nothing else, and
// returns the account and whether it was a recovery code. It returns factor.ErrWrong.
func (s *Service) useCode(ctx context.Context, id identity.Owner, code string) (a *account.Account, recovery bool, err error) {
	a, err = account.Update(ctx, s.o.DB, id, func(a *account.Account) error {
		recovery = false
		if a.TOTP != nil {
			err := a.TOTP.Use(s.o.Keys, string(id), code, s.o.Now())
			if !errors.Is(err, factor.ErrWrong) {
				return err
			}
		}
		recovery = true
		left, err := factor.UseRecovery(string(id), a.Recovery, code)
		if err != nil {
			return err
		}
		a.Recovery = left
		return nil
	})
	return a, recovery, err
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
	return s.enter(ctx, proof{visitor: v, method: ByPasskey, both: true, returnTo: returnTo, find: byID(id, verify)})
}
