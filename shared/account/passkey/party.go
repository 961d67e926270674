package passkey

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"miramundo.dev/shared/config"
	"miramundo.dev/shared/identity"
)

// Lifetime is how long a ceremony may take, from its options to its response.
const Lifetime = 2 * time.Minute

// A Ceremony is a registration or a sign-in that has begun. Callers store it where
// the visitor cannot change it, for Lifetime, and take it out before they finish it.
type Ceremony struct {
	Challenge string         `json:"challenge"`         // random; the authenticator signs it
	Account   identity.Owner `json:"account,omitempty"` // the account of a registration; empty for a sign-in
}

// A Party is the relying party of ceremonies: the domain that authenticators bind
// passkeys to, and the origins whose pages may use them. It may be used
// concurrently.
type Party struct {
	web *webauthn.WebAuthn // nil when the service has no domain
}

// Causes of refused responses, for the log.
var (
	errCeremony = errors.New("the ceremony that has begun is of another kind or account")
	errKnown    = errors.New("the account has this passkey already")
	errSize     = errors.New("the response or its public key is too large")
	errHandle   = errors.New("the user handle is not the id of an account")
	errCloned   = errors.New("the sign count did not grow: the authenticator may be cloned")
)

// maxCause is the length of a cause in the log, in bytes. The library quotes in it
// what the response contained.
const maxCause = 400

// cause returns an error of the library with the details that the library adds to it.
func cause(err error) error {
	text := err.Error()
	if e, ok := errors.AsType[*protocol.Error](err); ok && e.DevInfo != "" {
		text += ": " + e.DevInfo
	}
	return errors.New(strings.ToValidUTF8(text[:min(len(text), maxCause)], ""))
}

// New returns the relying party of a service whose pages have the given origins. Its
// id is the host of the first origin that is a domain name; only the origins of that
// host are accepted. Browsers offer no passkeys to pages whose host is an IP address:
// without a domain name every ceremony returns ErrOff.
func New(origins []string) (*Party, error) {
	var id string
	var accepted []string
	for _, origin := range origins {
		u, err := url.Parse(origin)
		if err != nil {
			return nil, fmt.Errorf("passkey: %w", err)
		}
		if _, err := netip.ParseAddr(u.Hostname()); err == nil {
			continue
		}
		if id == "" {
			id = u.Hostname()
		}
		if u.Hostname() == id {
			accepted = append(accepted, origin)
		}
	}
	if id == "" {
		return &Party{}, nil
	}
	web, err := webauthn.New(&webauthn.Config{
		RPID: id, RPDisplayName: config.Product, RPOrigins: accepted,
		AttestationPreference: protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{
			RequireResidentKey: protocol.ResidentKeyRequired(),
			ResidentKey:        protocol.ResidentKeyRequirementRequired,
			UserVerification:   protocol.VerificationRequired,
		},
		Timeouts: webauthn.TimeoutsConfig{
			Login:        webauthn.TimeoutConfig{Timeout: Lifetime},
			Registration: webauthn.TimeoutConfig{Timeout: Lifetime},
		},
		// Some password managers return outputs of extensions that were not asked for.
		// Nothing here reads them.
		ExtensionsUnsolicitedOutputPolicy: protocol.UnsolicitedOutputPolicyIgnore,
	})
	if err != nil {
		return nil, fmt.Errorf("passkey: %w", err)
	}
	return &Party{web: web}, nil
}

// session returns the form in which the library keeps c.
func (p *Party) session(c Ceremony) webauthn.SessionData {
	s := webauthn.SessionData{
		Challenge: c.Challenge, RelyingPartyID: p.web.Config.RPID,
		UserVerification: protocol.VerificationRequired,
	}
	if c.Account != "" {
		s.UserID, s.CredParams = []byte(c.Account), webauthn.CredentialParametersRecommendedL3()
	}
	return s
}

// A user is an account in the form of the library.
type user struct {
	account     Account
	credentials []webauthn.Credential
}

func newUser(a Account, keys []Credential) user {
	u := user{account: a}
	for _, c := range keys {
		u.credentials = append(u.credentials, c.library())
	}
	return u
}

func (u user) WebAuthnID() []byte                         { return []byte(u.account.ID) }
func (u user) WebAuthnName() string                       { return u.account.Email }
func (u user) WebAuthnDisplayName() string                { return u.account.Name }
func (u user) WebAuthnCredentials() []webauthn.Credential { return slices.Clone(u.credentials) }
