package identity

import (
	"context"

	"miramundo.dev/shared/fault"
)

// Faults of credentials.
var (
	ErrCredential  = fault.New(fault.Unauthenticated, "invalid_session") // none, or one that nobody was given
	ErrEnded       = fault.New(fault.Unauthenticated, "session_ended")   // the cookie of a session that is over
	ErrRetired     = fault.New(fault.Gone, "api_key_retired")            // a key of the family iptk_
	ErrUnavailable = fault.New(fault.Unavailable, "auth_unavailable")    // the service cannot tell who calls
)

// An Owner names who owns folders, favorites and comments. It is the id of
// that one's documents, is not secret, and cannot be turned into a credential.
type Owner string

// A Speaker is who a request comes from, as its credential says.
type Speaker struct {
	Owner Owner
	Guest bool // by a guest token; else by an account
}

// Credentials are what a request may show, as it shows them.
type Credentials struct {
	GuestToken    string // header X-Guest-Token
	Authorization string
	APIKey        string // header X-Api-Key
	Session       string // value of the account cookie; empty when there is none
}

type speakerKey struct{}

// With returns ctx with the speaker of its request.
func With(ctx context.Context, s Speaker) context.Context {
	return context.WithValue(ctx, speakerKey{}, s)
}

// SpeakerOf returns who speaks in ctx; false when nobody was told apart.
func SpeakerOf(ctx context.Context) (Speaker, bool) {
	s, ok := ctx.Value(speakerKey{}).(Speaker)
	return s, ok
}

// OwnerOf returns who owns what is asked for in ctx, or ErrCredential when
// nobody was told apart.
func OwnerOf(ctx context.Context) (Owner, error) {
	s, ok := SpeakerOf(ctx)
	if !ok {
		return "", ErrCredential
	}
	return s.Owner, nil
}
