package apitest

import (
	"context"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/identity"
)

// ByName is an authenticator that takes the guest token of a request for the name
// of a guest: the token ana is that of the owner g_ana. A request without one has
// no credential.
type ByName struct{}

// Authenticate returns ctx with the guest who is named in shown.
func (ByName) Authenticate(ctx context.Context, shown identity.Credentials, _ api.Auth) (context.Context, error) {
	if shown.GuestToken == "" {
		return nil, identity.ErrCredential
	}
	return identity.With(ctx, identity.Speaker{Owner: identity.Owner("g_" + shown.GuestToken), Guest: true}), nil
}
