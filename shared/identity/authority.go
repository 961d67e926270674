package identity

import (
	"context"
	"errors"
	"strings"
	"time"
)

// A Class is whose credentials do.
type Class int

// The classes.
const (
	Anyone  Class = iota // a guest's, or an account's in any form
	Account              // the cookie of an account session alone
)

// Accounts knows the credentials of accounts. It gets them bounded but not
// otherwise checked. Its errors are ErrCredential, ErrEnded, ErrUnavailable, and
// faults of its own.
type Accounts interface {
	// Session returns who the value of an account cookie stands for, or
	// ErrEnded when that session is over or never was.
	Session(ctx context.Context, cookie string) (Speaker, error)
	// Key returns who an API key (mmk_…) stands for, or ErrCredential.
	Key(ctx context.Context, key string) (Speaker, error)
}

// Options are what an Authority asks. Guests is required.
type Options struct {
	Guests   *Guests
	Owns     func(context.Context, Owner) (bool, error) // of old tokens, as Owning returns it; nil knows none
	Accounts Accounts                                   // nil knows no account: no session has begun, and no key was given
	Now      func() time.Time                           // nil is time.Now
}

// An Authority turns the credentials of a request into its speaker. Its methods
// may be called concurrently.
type Authority struct {
	o   Options
	old holdings
}

// NewAuthority returns an Authority.
func NewAuthority(o Options) *Authority {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Authority{o: o}
}

// Prefixes of credentials, by which their families are told apart.
const (
	retiredPrefix = "iptk_"
	keyPrefix     = "mmk_"
)

// maxCredential is more than any credential takes, in bytes.
const maxCredential = 512

// Speaker returns who c makes speak. Of several credentials one decides, good
// or bad; the others are not looked at. In this order they do:
//
//  1. a key of the retired family (iptk_…), wherever it is sent: ErrRetired;
//  2. the account cookie: of a session that is over it is ErrEnded, and the
//     guest of the same browser does not speak in its place;
//  3. an API key, in X-Api-Key or as a bearer token (mmk_…);
//  4. a guest token, in X-Guest-Token or as a bearer token (ipt_…).
//
// What else Authorization holds, such as a credit (cred_…) that pays for the
// call, makes nobody speak and does not keep the others from it.
//
// It returns ErrCredential when there is no credential of the class or a bad
// one, and ErrUnavailable when that cannot be told. Tokens of guests are known
// without a database. Only old ones need it, the first time in a while.
func (a *Authority) Speaker(ctx context.Context, c Credentials, class Class) (Speaker, error) {
	bearer := bearerOf(c.Authorization)
	for _, s := range []string{c.GuestToken, bearer, c.APIKey} {
		if strings.HasPrefix(s, retiredPrefix) {
			return Speaker{}, ErrRetired
		}
	}
	switch {
	case c.Session != "":
		return a.session(ctx, c.Session)
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

// Why credentials are refused, for the log.
var (
	errNone    = errors.New("no credential that names a speaker")
	errAPIKey  = errors.New("no API key by its form, or nobody's")
	errOwnsNot = errors.New("an old guest token that owns nothing")
)

// bearerOf returns the token of an Authorization header of the scheme Bearer;
// empty when it has another.
func bearerOf(authorization string) string {
	scheme, token, _ := strings.Cut(authorization, " ")
	if !strings.EqualFold(scheme, "bearer") {
		return ""
	}
	return strings.Trim(token, " ")
}

func (a *Authority) session(ctx context.Context, cookie string) (Speaker, error) {
	if a.o.Accounts == nil || len(cookie) > maxCredential {
		return Speaker{}, ErrEnded
	}
	return a.o.Accounts.Session(ctx, cookie)
}

func (a *Authority) key(ctx context.Context, key string) (Speaker, error) {
	if a.o.Accounts == nil || len(key) > maxCredential || !strings.HasPrefix(key, keyPrefix) {
		return Speaker{}, ErrCredential.Because(errAPIKey)
	}
	return a.o.Accounts.Key(ctx, key)
}

// guest returns the guest of a token, signed or old.
func (a *Authority) guest(ctx context.Context, token string) (Speaker, error) {
	o, old := OldGuest(token)
	var err error
	if old {
		err = a.checkOwns(ctx, o)
	} else {
		o, err = a.o.Guests.Verify(token)
	}
	if err != nil {
		return Speaker{}, err
	}
	return Speaker{Owner: o, Guest: true}, nil
}

// ownsWait is how long an answer may take on whether an owner has something.
const ownsWait = 5 * time.Second

// checkOwns returns ErrCredential when o has nothing, and ErrUnavailable when the
// database does not say.
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
