package functions

import (
	"miramundo.dev/shared/credential"
	"miramundo.dev/shared/identity"
)

// guests returns the issuer of guest tokens under the configured keys.
func (d Deps) guests() *identity.Guests {
	return identity.NewGuests(d.Config.GuestKey, d.Config.GuestKeyOld, d.Now)
}

// authenticator returns what identifies the callers of d's endpoints.
func (d Deps) authenticator() credential.Authenticator {
	return credential.Authenticator{Authority: identity.NewAuthority(identity.Options{
		Guests: d.guests(), Owns: identity.Owning(d.DB), Now: d.Now,
	})}
}
