package identity

import (
	"context"
	"errors"
	"strings"
	"time"
)

// A browser may send several credentials with one request: the cookie of an account
// and the token of the guest that it was before. The Authority selects one of them
// in a fixed order and checks that one alone. A bad credential is never replaced by
// the next one, so that nobody acts as a guest while believing to be signed in.

// A Class is the set of credentials that an endpoint accepts.
type Class int

// The classes.
const (
	Anyone  Class = iota // credentials of a guest, and of an account in any form
	Account              // the cookie of an account session alone
)

// Accounts checks the credentials of accounts, which are bounded in length but not
// otherwise checked before. Its errors are ErrCredential, ErrEnded, ErrUnavailable,
// and faults of its own. Its methods must be safe for concurrent use.
type Accounts interface {
	// Session returns the account of a session, by the value of its cookie. It
	// returns ErrEnded for a session that is over or unknown. When an organization
	// is named the account acts for it, and ErrOrganization means that it may not.
	Session(ctx context.Context, cookie string, organization Owner) (Speaker, error)
	// Key returns the account of an API key (mmk_…), or ErrCredential.
	Key(ctx context.Context, key string) (Speaker, error)
}

// Options are what an Authority uses. Guests is required.
type Options struct {
	Guests   *Guests
	Owns     func(context.Context, Owner) (bool, error) // checks owners of old tokens, see Owning; nil refuses old tokens
	Accounts Accounts                                   // nil refuses every session and API key
	Now      func() time.Time                           // the clock; nil means time.Now
}

// An Authority identifies the caller of a request by its credentials. Its methods
// may be called concurrently.
type Authority struct {
	o   Options
	old holdings
}

// NewAuthority returns an Authority that uses o.
func NewAuthority(o Options) *Authority {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Authority{o: o}
}

// Prefixes that distinguish the families of credentials.
const (
	retiredPrefix = "iptk_"
	keyPrefix     = "mmk_"
)

// CreditPrefix is the prefix of credits, which pay for calls and identify nobody.
const CreditPrefix = "cred_"

// maxCredential is the greatest length of a credential in bytes. Every real one is
// shorter.
const maxCredential = 512

// Speaker returns the caller that c identifies. The first credential in this order
// decides, valid or not; the others are ignored:
//
//  1. a key of the retired family (iptk_…), wherever it is sent: ErrRetired;
//  2. the account cookie: for a session that is over the result is ErrEnded, and
//     not the guest of the same browser. The caller is then the account, or the
//     organization that X-Organization names, except of the class Account;
//  3. an API key, in X-Api-Key or as a bearer token (mmk_…);
//  4. a guest token, in X-Guest-Token or as a bearer token (ipt_…).
//
// Any other value of Authorization, such as a credit (cred_…) that pays for the
// call, is ignored.
//
// Speaker returns ErrCredential when there is no credential of the class or it is
// not valid, and ErrUnavailable when it cannot be checked. Guest tokens are checked
// without I/O, except old ones, whose owner is looked up in the database when its
// answer is not cached.
func (a *Authority) Speaker(ctx context.Context, c Credentials, class Class) (Speaker, error) {
	bearer := bearerOf(c.Authorization)
	for _, s := range []string{c.GuestToken, bearer, c.APIKey} {
		if strings.HasPrefix(s, retiredPrefix) {
			return Speaker{}, ErrRetired
		}
	}
	switch {
	case c.Session != "" && class == Account:
		return a.session(ctx, c.Session, "")
	case c.Session != "":
		return a.session(ctx, c.Session, c.Organization)
	case class == Account:
		return Speaker{}, ErrCredential.Because(errNone)
	case c.APIKey != "":
		return a.key(ctx, c.APIKey)
	case strings.HasPrefix(bearer, keyPrefix):
		return a.key(ctx, bearer)
	case c.GuestToken != "":
		return a.guest(ctx, c.GuestToken)
	case strings.HasPrefix(bearer, guestPrefix):
		return a.guest(ctx, bearer)
	}
	return Speaker{}, ErrCredential.Because(errNone)
}

// Causes of refused credentials, for the log. They never contain the credential.
var (
	errNone    = errors.New("the request has no credential that identifies a caller")
	errAPIKey  = errors.New("the API key is malformed or unknown")
	errOwnsNot = errors.New("the owner of the old guest token has nothing stored")
)

// bearerOf returns the token of an Authorization header with the scheme Bearer;
// empty for any other scheme.
func bearerOf(authorization string) string {
	scheme, token, _ := strings.Cut(authorization, " ")
	if !strings.EqualFold(scheme, "bearer") {
		return ""
	}
	return strings.Trim(token, " ")
}

// session returns the account of a session cookie, or the organization that it
// acts for.
func (a *Authority) session(ctx context.Context, cookie, organization string) (Speaker, error) {
	if a.o.Accounts == nil || len(cookie) > maxCredential {
		return Speaker{}, ErrEnded
	}
	if organization != "" && KindOf(Owner(organization)) != Organization {
		return Speaker{}, ErrOrganization
	}
	return a.o.Accounts.Session(ctx, cookie, Owner(organization))
}

// key returns the account of an API key.
func (a *Authority) key(ctx context.Context, key string) (Speaker, error) {
	if a.o.Accounts == nil || len(key) > maxCredential || !strings.HasPrefix(key, keyPrefix) {
		return Speaker{}, ErrCredential.Because(errAPIKey)
	}
	return a.o.Accounts.Key(ctx, key)
}

// guest returns the guest of a token, signed or old.
func (a *Authority) guest(ctx context.Context, token string) (Speaker, error) {
	o, old := OldGuest(token)
	if !old {
		return a.o.Guests.Speaker(token)
	}
	if err := a.checkOwns(ctx, o); err != nil {
		return Speaker{}, err
	}
	return NewGuest(o, token), nil
}

// ownsWait is the time limit for looking up whether an owner has something.
const ownsWait = 5 * time.Second

// checkOwns returns ErrCredential when o has nothing stored, and ErrUnavailable when
// the database does not answer. Answers are cached, failures are not.
func (a *Authority) checkOwns(ctx context.Context, o Owner) error {
	if a.o.Owns == nil {
		return ErrCredential.Because(errOwnsNot)
	}
	owns, known := a.old.has(o, a.o.Now())
	if !known {
		ctx, cancel := context.WithTimeout(ctx, ownsWait)
		defer cancel()
		var err error
		if owns, err = a.o.Owns(ctx, o); err != nil {
			return ErrUnavailable.Because(err)
		}
		a.old.note(o, owns, a.o.Now())
	}
	if !owns {
		return ErrCredential.Because(errOwnsNot)
	}
	return nil
}
