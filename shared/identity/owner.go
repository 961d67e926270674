package identity

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"strings"
	"time"

	"miramundo.dev/shared/fault"
)

// Faults of credentials.
var (
	ErrCredential  = fault.New(fault.Unauthenticated, "invalid_session") // the credential is absent or not valid
	ErrEnded       = fault.New(fault.Unauthenticated, "session_ended")   // the session of the cookie is over
	ErrRetired     = fault.New(fault.Gone, "api_key_retired")            // the key is of the retired family iptk_
	ErrUnavailable = fault.New(fault.Unavailable, "auth_unavailable")    // the credential cannot be checked now
	ErrReauth      = fault.New(fault.Unauthenticated, "reauth_required") // the caller must sign in again, with every factor, before this change

	// ErrOrganization means that the caller may not act for the organization, or
	// not in this way.
	ErrOrganization = fault.New(fault.Forbidden, "organization_forbidden")
)

// An Owner identifies the owner of a library, favorites, a history and comments. It
// is the id of the owner's documents. It is not secret, and a credential cannot be
// computed from it.
type Owner string

// A Kind is a kind of owner.
type Kind int

// The kinds. All of them own the same things, at the same paths.
const (
	Unknown      Kind = iota
	Guest             // a guest token
	Person            // an account
	Organization      // an organization, for which its members act
)

// Prefixes of owners, by their kinds. An account and an organization have
// idLen letters and digits after it.
const (
	guestOwner        = "g_"
	accountOwner      = "a_"
	organizationOwner = "o_"
	idLen             = 24
)

// KindOf returns the kind of an owner, by its prefix.
func KindOf(o Owner) Kind {
	switch prefix, id := string(o[:min(len(o), 2)]), o[min(len(o), 2):]; {
	case id == "":
	case prefix == guestOwner:
		return Guest
	case prefix == accountOwner && isID(string(id)):
		return Person
	case prefix == organizationOwner && isID(string(id)):
		return Organization
	}
	return Unknown
}

// isID reports whether id has the form of those that NewOwner makes.
func isID(id string) bool {
	return len(id) == idLen && strings.Trim(id, "abcdefghijklmnopqrstuvwxyz234567") == ""
}

// NewOwner returns a new account or organization, named by 120 random bits.
func NewOwner(k Kind) Owner {
	prefix := accountOwner
	if k == Organization {
		prefix = organizationOwner
	}
	return Owner(prefix + strings.ToLower(rand.Text())[:idLen])
}

// A Speaker is the caller of a request, as its credential identifies it. The
// fields after Guest are zero for a guest; those after Session, for an API key.
type Speaker struct {
	Owner Owner     // of what the caller reads and writes
	Guest bool      // identified by a guest token; false for an account
	Since time.Time // when the credential was issued, by which the owner is known; zero for one so old that it does not say

	Account      Owner     // that signed in or made the key; it differs from Owner where it acts for an organization
	Session      string    // public id of the session; empty without a session
	SignedInAt   time.Time // when the caller last proved to be the account's owner
	SecondFactor bool      // whether two factors were proved then
	ReadOnly     bool      // whether the caller may only read what Owner has: a member of an organization

	seed [sha256.Size]byte // of a guest's secrets, from its token; zero for an account
}

// NewGuest returns the speaker of a guest whose credential contains a secret that
// nobody else has.
func NewGuest(o Owner, secret string) Speaker {
	return Speaker{Owner: o, Guest: true, seed: sha256.Sum256([]byte("guest seed\x00" + secret))}
}

// Secret returns 32 bytes for a purpose that are the same in every request with the
// guest's token, whichever key of the ring verified it, and that cannot be computed
// without the token. It returns nil when s is not a guest.
func (s Speaker) Secret(purpose string) []byte {
	if s.seed == ([sha256.Size]byte{}) {
		return nil
	}
	mac := hmac.New(sha256.New, s.seed[:])
	mac.Write([]byte(purpose))
	return mac.Sum(nil)
}

// Credentials are the credentials of a request as sent, none of them verified. A
// field is empty when the request lacks it.
type Credentials struct {
	GuestToken    string // header X-Guest-Token
	Authorization string // header Authorization, with its scheme
	APIKey        string // header X-Api-Key
	Session       string // value of the account cookie
	Organization  string // header X-Organization: for which a session acts
	Payment       string // header X-PAYMENT: a payment by version 1 of x402
	Signature     string // header PAYMENT-SIGNATURE: a payment by version 2
	Credit        string // header X-Credito, or else a bearer token cred_…: pays for the call
}

// speakerKey is the context key of the Speaker.
type speakerKey struct{}

// With returns ctx with the speaker of its request.
func With(ctx context.Context, s Speaker) context.Context {
	return context.WithValue(ctx, speakerKey{}, s)
}

// SpeakerOf returns the speaker in ctx; false when the caller was not identified.
func SpeakerOf(ctx context.Context) (Speaker, bool) {
	s, ok := ctx.Value(speakerKey{}).(Speaker)
	return s, ok
}

// OwnerOf returns the owner of the speaker in ctx, or ErrCredential when the caller
// was not identified.
func OwnerOf(ctx context.Context) (Owner, error) {
	s, ok := SpeakerOf(ctx)
	if !ok {
		return "", ErrCredential
	}
	return s.Owner, nil
}
