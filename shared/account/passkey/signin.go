package passkey

import (
	"encoding/json"
	"time"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/store"
)

// BeginSignIn starts a sign-in. It returns the publicKey member of the options of
// navigator.credentials.get, as JSON. The options name no account and no passkey:
// the visitor chooses one of those that the authenticator has for this service.
func (p *Party) BeginSignIn() (json.RawMessage, Ceremony, error) {
	if p.web == nil {
		return nil, Ceremony{}, ErrOff
	}
	assertion, session, err := p.web.BeginDiscoverableLogin()
	if err != nil {
		return nil, Ceremony{}, err
	}
	options, err := json.Marshal(assertion.Response)
	return options, Ceremony{Challenge: session.Challenge}, err
}

// A Response is what a browser sent to sign in. It is not verified.
type Response struct {
	parsed *protocol.ParsedCredentialAssertionData
}

// ReadResponse parses the JSON of a response. It returns ErrRefused when the response
// is malformed or does not name an account.
func ReadResponse(body []byte) (Response, error) {
	if len(body) > MaxBody {
		return Response{}, ErrRefused.Because(errSize)
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes(body)
	if err != nil {
		return Response{}, ErrRefused.Because(cause(err))
	}
	if r := (Response{parsed}); identity.KindOf(r.Account()) == identity.Person {
		return r, nil
	}
	return Response{}, ErrRefused.Because(errHandle)
}

// Account returns the id of the account that the response claims to sign in to. It
// has the form of an id, so that it can be part of a path.
func (r Response) Account() identity.Owner { return identity.Owner(r.parsed.Response.UserHandle) }

// FinishSignIn verifies a response against the passkeys of the account that it
// claims, which are none when there is no such account. It returns the passkey as it
// must be stored from now on, or ErrRefused.
//
// A passkey whose authenticator counts its uses must have been used since the count
// that is stored; otherwise there may be a copy of its key, and the sign-in is
// refused. Passkeys that are synchronized between devices do not count.
func (p *Party) FinishSignIn(c Ceremony, r Response, keys []Credential, now time.Time) (Credential, error) {
	if p.web == nil {
		return Credential{}, ErrOff
	}
	if c.Account != "" {
		return Credential{}, ErrRefused.Because(errCeremony)
	}
	account := newUser(Account{ID: r.Account()}, keys)
	handler := func(_, _ []byte) (webauthn.User, error) { return account, nil }
	_, used, err := p.web.ValidatePasskeyLogin(handler, p.session(c), r.parsed)
	if err != nil {
		return Credential{}, ErrRefused.Because(cause(err))
	}
	if used.Authenticator.CloneWarning {
		return Credential{}, ErrRefused.Because(errCloned)
	}
	kept, at := keys[find(keys, used.ID)], store.At(now)
	kept.SignCount, kept.BackedUp, kept.LastUsedAt = used.Authenticator.SignCount, used.Flags.BackupState, &at
	return kept, nil
}
