// Package passkey registers the passkeys of accounts and verifies sign-ins by them.
//
// It stores nothing. A ceremony, which is a registration or a sign-in, has two
// steps. The first returns the options that the browser passes to
// navigator.credentials and a [Ceremony], which the caller keeps; the second
// verifies the browser's response against the Ceremony. The caller must take the
// Ceremony out of its place before the second step, so that a response works once.
//
// A passkey is a discoverable credential: the authenticator keeps the id of the
// account beside the key and returns it as the user handle, so an account is found
// without an index of credentials and without an e-mail address. User verification
// (a finger, a face, a PIN) is required at both steps. A sign-in by passkey
// therefore counts as both factors. Attestation is not asked for: which make of
// authenticator a visitor uses is not our concern.
//
//	passkey.go        the stored form of a passkey, and lists of them
//	party.go          whom browsers and authenticators know the service as
//	registration.go   adds a passkey to an account
//	signin.go         signs in by a passkey
package passkey

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/store"
)

// Faults of passkeys. Those of responses do not say what is wrong with a response,
// which would help only an attacker; the cause is for the log.
var (
	ErrRefused = fault.New(fault.Unauthenticated, "passkey_refused")                     // a sign-in that is not valid
	ErrInvalid = fault.New(fault.Invalid, "invalid_passkey")                             // a registration that is not valid
	ErrName    = fault.New(fault.Invalid, "invalid_passkey_name").With("max", MaxName)   // a name that is empty, too long or invisible
	ErrUnknown = fault.New(fault.NotFound, "passkey_not_found")                          // the account has no such passkey
	ErrLimit   = fault.New(fault.Conflict, "passkey_limit_reached").With("max", MaxKeys) // the account has MaxKeys passkeys
	ErrOff     = fault.New(fault.Unavailable, "passkeys_unavailable")                    // the service has no domain name
)

// Bounds of passkeys.
const (
	MaxKeys = 10       // passkeys of an account
	MaxName = 60       // characters of a name
	MaxBody = 16 << 10 // bytes of a response

	maxKey = 2048 // bytes of a public key: RSA of 8,192 bits takes half of it
)

// A Credential is a passkey as the document of its account stores it. It contains
// no secret: the private key stays in the authenticator.
type Credential struct {
	ID             []byte      `json:"id"`         // chosen by the authenticator
	PublicKey      []byte      `json:"public_key"` // in COSE form
	SignCount      uint32      `json:"sign_count"` // of the last use; always 0 for passkeys that are synchronized
	Transports     []string    `json:"transports,omitempty"`
	BackupEligible bool        `json:"backup_eligible"` // may be synchronized between devices; never changes
	BackedUp       bool        `json:"backed_up"`       // was synchronized when it was last used
	Name           string      `json:"name"`
	CreatedAt      store.Time  `json:"created_at"`
	LastUsedAt     *store.Time `json:"last_used_at"` // nil before the first sign-in
}

// Ref returns the name by which the API refers to c: 22 letters, digits, hyphens and
// underscores that follow from its id.
func (c Credential) Ref() string {
	sum := sha256.Sum256(c.ID)
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

// Add returns keys with c at the end. It returns ErrLimit when the account has all
// the passkeys it may have, and ErrInvalid when it has this one already.
func Add(keys []Credential, c Credential) ([]Credential, error) {
	switch {
	case find(keys, c.ID) >= 0:
		return nil, ErrInvalid.Because(errKnown)
	case len(keys) >= MaxKeys:
		return nil, ErrLimit
	}
	return append(slices.Clone(keys), c), nil
}

// Update returns keys with c in the place of the passkey with its id, as after a
// sign-in. It returns ErrUnknown when that passkey was removed meanwhile.
func Update(keys []Credential, c Credential) ([]Credential, error) {
	i := find(keys, c.ID)
	if i < 0 {
		return nil, ErrUnknown
	}
	changed := slices.Clone(keys)
	changed[i] = c
	return changed, nil
}

// Rename returns keys with a new name for the passkey that ref refers to. It returns
// ErrName or ErrUnknown.
func Rename(keys []Credential, ref, name string) ([]Credential, error) {
	name, err := CheckName(name)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(keys, func(c Credential) bool { return c.Ref() == ref })
	if i < 0 {
		return nil, ErrUnknown
	}
	changed := slices.Clone(keys)
	changed[i].Name = name
	return changed, nil
}

// Remove returns keys without the passkey that ref refers to. It returns ErrUnknown
// when there is none.
func Remove(keys []Credential, ref string) ([]Credential, error) {
	i := slices.IndexFunc(keys, func(c Credential) bool { return c.Ref() == ref })
	if i < 0 {
		return nil, ErrUnknown
	}
	return slices.Delete(slices.Clone(keys), i, i+1), nil
}

// CheckName returns a name without the spaces around it. It returns ErrName unless
// the name is one line of 1 to MaxName printable characters.
func CheckName(name string) (string, error) {
	name = strings.TrimSpace(name)
	printable := func(r rune) bool { return r == ' ' || unicode.IsPrint(r) }
	hidden := func(r rune) bool { return !printable(r) }
	if name == "" || !utf8.ValidString(name) || utf8.RuneCountInString(name) > MaxName || strings.ContainsFunc(name, hidden) {
		return "", ErrName
	}
	return name, nil
}

// find returns the position of the passkey with an id, or -1.
func find(keys []Credential, id []byte) int {
	return slices.IndexFunc(keys, func(c Credential) bool { return bytes.Equal(c.ID, id) })
}

// library returns c in the form of the library.
func (c Credential) library() webauthn.Credential {
	transports := make([]protocol.AuthenticatorTransport, len(c.Transports))
	for i, t := range c.Transports {
		transports[i] = protocol.AuthenticatorTransport(t)
	}
	return webauthn.Credential{
		ID: c.ID, PublicKey: c.PublicKey, Transport: transports,
		Flags:         webauthn.CredentialFlags{UserPresent: true, UserVerified: true, BackupEligible: c.BackupEligible, BackupState: c.BackedUp},
		Authenticator: webauthn.Authenticator{SignCount: c.SignCount},
	}
}
