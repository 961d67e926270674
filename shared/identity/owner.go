package identity

import (
	"context"

	"miramundo.dev/shared/fault"
)

// Faults of credentials.
var (
	ErrCredential  = fault.New(fault.Unauthenticated, "invalid_session") // the credential is absent or not valid
	ErrEnded       = fault.New(fault.Unauthenticated, "session_ended")   // the session of the cookie is over
	ErrRetired     = fault.New(fault.Gone, "api_key_retired")            // the key is of the retired family iptk_
	ErrUnavailable = fault.New(fault.Unavailable, "auth_unavailable")    // the credential cannot be checked now
)

// An Owner identifies the owner of a library, favorites, a history and comments. It
// is the id of the owner's documents. It is not secret, and a credential cannot be
// computed from it.
type Owner string

// A Speaker is the caller of a request, as its credential identifies it.
type Speaker struct {
	Owner Owner
	Guest bool // identified by a guest token; false for an account
}

// Credentials are the credentials of a request as sent, none of them verified. A
// field is empty when the request lacks it.
type Credentials struct {
	GuestToken    string // header X-Guest-Token
	Authorization string // header Authorization, with its scheme
	APIKey        string // header X-Api-Key
	Session       string // value of the account cookie
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
