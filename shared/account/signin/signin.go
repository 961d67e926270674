// Package signin leads from a proof of identity to a session of an account, and
// changes what an account is proved by.
//
// A visitor proves to read the mail of an address by a code or a link, knows the
// password of its account, or has a passkey of the account. When the account has a
// second factor, the first proof yields a challenge for it in place of a session; a
// passkey is both. An address without an account gets one when it is proved by mail.
//
// Nothing that is answered before a proof depends on whether an address has an
// account: starting a sign-in by mail does not look for the account at all, and a
// password is compared, by the same work, also where there is none.
//
//	signin.go       what a Service uses, and what it returns
//	visitor.go      the browser that a request comes from
//	mail.go         a code or a link by mail
//	password.go     a password
//	second.go       a second factor
//	open.go         the session, for every proof
//	change.go       the rule for changes; the password
//	email.go        another address
//	factors.go      the authenticator app, passkeys, recovery codes
package signin

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"miramundo.dev/shared/account"
	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/account/challenge"
	"miramundo.dev/shared/account/throttle"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/keyring"
	"miramundo.dev/shared/mail"
	"miramundo.dev/shared/site"
	"miramundo.dev/shared/store"
)

// Faults of this package. Those of proofs do not say what is wrong: neither whether
// the address has an account, nor whether the account has a password.
var (
	ErrCredentials = fault.New(fault.Unauthenticated, "invalid_credentials") // the address and the password do not belong together
	ErrNoFactor    = fault.New(fault.Conflict, "second_factor_missing")      // the account has no second factor
	ErrHasApp      = fault.New(fault.Conflict, "authenticator_exists")       // the account has an authenticator app already
)

// Methods of a sign-in, as sessions record them.
const (
	ByMail     = "mail"
	ByPassword = "password"
	ByPasskey  = "passkey"
)

// Passwords makes and checks hashes of passwords; a password.Hasher is one.
type Passwords interface {
	Hash(ctx context.Context, pw string) (string, error)
	Check(ctx context.Context, hash, pw string) (ok, rehash bool, err error)
}

// Options are what a Service uses. All fields are required.
type Options struct {
	DB        store.DB
	Keys      *keyring.Ring // of accounts
	Access    *access.Checker
	Mail      mail.Sender
	Passwords Passwords
	Base      string // address of the service, without a trailing slash
	Product   string // name of the service, in authenticator apps
	Log       *slog.Logger
	Now       func() time.Time
}

// A Service signs visitors in. Its methods may be called concurrently. Their errors
// are faults; identity.ErrUnavailable where something does not answer.
type Service struct {
	o          Options
	challenges *challenge.Challenges
	throttle   *throttle.Throttle
}

// New returns a Service that uses o.
func New(o Options) *Service {
	return &Service{o, challenge.New(o.DB, o.Keys, o.Now), throttle.New(o.DB, o.Keys, o.Now)}
}

// TokenParam is the query parameter of the sign-in page that holds the token of a link.
const TokenParam = "token"

// link returns the address of the page on which the link of a mail is confirmed.
func (s *Service) link(l i18n.Locale, token string) string {
	return s.o.Base + site.SignIn.Path(l, "") + "?" + TokenParam + "=" + token
}

// A Result is the outcome of a proof that was right: a session, or a challenge for
// the second factor.
type Result struct {
	Account identity.Owner // empty while a second factor is missing
	Email   string         // of the account; empty as Account is
	Session access.Session
	Cookie  string // value of the account cookie
	Return  string // as it was given to StartMail or Password

	Created  bool // the account is new
	Restored bool // the account was to be deleted, and is not any more

	Challenge string   // for the second factor; empty with a session
	Factors   []Factor // that the account has
}

// A Factor is a kind of second factor.
type Factor string

// The kinds.
const (
	App      Factor = "app"      // a code of an authenticator app
	Passkey  Factor = "passkey"  // a sign-in by passkey, in place of the whole sign-in
	Recovery Factor = "recovery" // a recovery code
)

// factorsOf returns the second factors of an account, the most usual first.
func factorsOf(a *account.Account) (list []Factor) {
	if a.TOTP != nil {
		list = append(list, App)
	}
	if len(a.Passkeys) > 0 {
		list = append(list, Passkey)
	}
	if len(a.Recovery) > 0 {
		list = append(list, Recovery)
	}
	return list
}

// unavailable returns faults of the domain as they are, and identity.ErrUnavailable
// for any other error, such as a database that does not answer.
func unavailable(err error) error {
	if f, ok := errors.AsType[*fault.Error](err); err == nil || ok && f.Kind != fault.Internal {
		return err
	}
	return identity.ErrUnavailable.Because(err)
}
