package passkey

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/store"
)

// An Account is what an authenticator keeps and shows of an account.
type Account struct {
	ID    identity.Owner
	Email string
	Name  string // as it is displayed; the e-mail address when empty
}

// BeginRegistration starts to add a passkey to an account that has keys. It returns
// the publicKey member of the options of navigator.credentials.create, as JSON. It
// returns ErrLimit when the account has all the passkeys it may have.
func (p *Party) BeginRegistration(a Account, keys []Credential) (json.RawMessage, Ceremony, error) {
	if p.web == nil {
		return nil, Ceremony{}, ErrOff
	}
	if len(keys) >= MaxKeys {
		return nil, Ceremony{}, ErrLimit
	}
	a.Name = cmp.Or(a.Name, a.Email)
	u := newUser(a, keys)
	creation, session, err := p.web.BeginRegistration(u,
		webauthn.WithCredentialParameters(webauthn.CredentialParametersRecommendedL3()),
		webauthn.WithExclusions(webauthn.Credentials(u.credentials).CredentialDescriptors()))
	if err != nil {
		return nil, Ceremony{}, err
	}
	options, err := json.Marshal(creation.Response)
	return options, Ceremony{Challenge: session.Challenge, Account: a.ID}, err
}

// FinishRegistration returns the passkey that a browser registered, with a name that
// CheckName returned. account is the caller's: it must be that of the ceremony. body
// is the response as JSON. It returns ErrInvalid for any response that is not valid.
func (p *Party) FinishRegistration(c Ceremony, account identity.Owner, body []byte, name string, now time.Time) (Credential, error) {
	switch {
	case p.web == nil:
		return Credential{}, ErrOff
	case c.Account == "" || c.Account != account:
		return Credential{}, ErrInvalid.Because(errCeremony)
	case len(body) > MaxBody:
		return Credential{}, ErrInvalid.Because(errSize)
	}
	response, err := protocol.ParseCredentialCreationResponseBytes(body)
	if err != nil {
		return Credential{}, ErrInvalid.Because(cause(err))
	}
	made, err := p.web.CreateCredential(user{account: Account{ID: c.Account}}, p.session(c), response)
	if err != nil {
		return Credential{}, ErrInvalid.Because(cause(err))
	}
	if len(made.PublicKey) > maxKey {
		return Credential{}, ErrInvalid.Because(errSize)
	}
	return Credential{
		ID: made.ID, PublicKey: made.PublicKey, SignCount: made.Authenticator.SignCount, Transports: transports(made.Transport),
		BackupEligible: made.Flags.BackupEligible, BackedUp: made.Flags.BackupState,
		Name: name, CreatedAt: store.At(now),
	}, nil
}

// known are the transports that the specification names. Browsers are told those of
// a passkey when it must not be registered again.
var known = []string{"usb", "nfc", "ble", "smart-card", "hybrid", "internal"}

// transports returns the known ones of sent, each once.
func transports(sent []protocol.AuthenticatorTransport) (all []string) {
	for _, t := range known {
		if slices.Contains(sent, protocol.AuthenticatorTransport(t)) {
			all = append(all, t)
		}
	}
	return all
}
