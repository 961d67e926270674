package signin

import (
	"context"

	"miramundo.dev/shared/account"
	"miramundo.dev/shared/account/throttle"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/mail/address"
)

// Password signs in by an address and a password. The work does not depend on whether
// there is such an account and whether it has a password: two counters, two documents
// and one hash. It returns ErrCredentials, throttle.ErrTooMany, address.ErrInvalid,
// and identity.ErrUnavailable when too many hashes are waiting.
func (s *Service) Password(ctx context.Context, v Visitor, email, pw, returnTo string) (Result, error) {
	_, key, err := address.Normalize(email)
	if err != nil {
		return Result{}, err
	}
	err = s.throttle.Attempt(ctx, throttle.PasswordOfAddress.Of(key).From(v.Browser), throttle.PasswordOfNetwork.Of(v.Network))
	if err != nil {
		return Result{}, err
	}
	r, changed, err := s.tryPassword(ctx, v, key, pw, returnTo)
	if changed { // such as by another sign-in that stored the same password with the current parameters
		r, _, err = s.tryPassword(ctx, v, key, pw, returnTo)
	}
	return r, err
}

// tryPassword checks a password and signs in. It reports whether the stored hash has
// changed since it was checked, and then returns ErrCredentials too.
func (s *Service) tryPassword(ctx context.Context, v Visitor, key, pw, returnTo string) (r Result, changed bool, err error) {
	a, err := s.named(ctx, key)
	if err != nil {
		return Result{}, false, unavailable(err)
	}
	ok, rehash, err := s.o.Passwords.Check(ctx, a.Password, pw)
	if err != nil || !ok {
		if err == nil {
			err = ErrCredentials
		}
		return Result{}, false, unavailable(err)
	}
	r, err = s.enter(ctx, &proof{visitor: v, method: ByPassword, returnTo: returnTo, find: byPassword(a, &changed)})
	if err == nil && rehash {
		s.rehash(ctx, a, pw)
	}
	return r, changed, err
}

// nobody is read where an address has no account, so that as many documents are read.
// No account has this id.
const nobody identity.Owner = "a_nobody"

// named returns the account of an address, by two reads; an empty one when there is
// none.
func (s *Service) named(ctx context.Context, key string) (*account.Account, error) {
	id, found, err := account.Lookup(ctx, s.o.DB, key)
	if err != nil {
		return nil, err
	}
	if !found {
		id = nobody
	}
	a, err := account.Load(ctx, s.o.DB, id)
	if !found || isEnded(err) {
		return &account.Account{}, nil
	}
	return a, err
}

// rehash stores the hash of a password with the current parameters, unless the password
// has changed. A failure is not the visitor's: the next sign-in tries again.
func (s *Service) rehash(ctx context.Context, a *account.Account, pw string) {
	hash, err := s.o.Passwords.Hash(ctx, pw)
	if err == nil {
		_, err = account.Update(ctx, s.o.DB, a.ID, func(stored *account.Account) error {
			if stored.Password == a.Password {
				stored.Password = hash
			}
			return nil
		})
	}
	if err != nil {
		s.o.Log.WarnContext(ctx, "a password is still stored with older parameters", "error", err)
	}
}
