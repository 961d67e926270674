package apitest

import (
	"context"

	"miramundo.dev/shared/identity"
)

// ByName is an authenticator that takes the guest token of a request for the name
// of a guest: the token ana is that of the owner g_ana. A request without one has
// no credential.
type ByName struct{}

// Speaker returns the guest that shown names.
func (ByName) Speaker(_ context.Context, shown identity.Credentials, _ identity.Class) (identity.Speaker, error) {
	if shown.GuestToken == "" {
		return identity.Speaker{}, identity.ErrCredential
	}
	return identity.NewGuest(identity.Owner("g_"+shown.GuestToken), shown.GuestToken), nil
}
