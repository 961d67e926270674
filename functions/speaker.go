package functions

import (
	"context"

	"miramundo.dev/shared/credential"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/library"
	"miramundo.dev/shared/social/comment"
	"miramundo.dev/shared/social/kept"
)

// guests returns the issuer of guest tokens under the configured keys.
func (d Deps) guests() *identity.Guests {
	return identity.NewGuests(d.Config.GuestKey, d.Config.GuestKeyOld, d.Now)
}

// authenticator returns what identifies the callers of d's endpoints.
func (d Deps) authenticator() credential.Authenticator {
	return credential.Authenticator{Authority: identity.NewAuthority(identity.Options{
		Guests: d.guests(), Owns: d.owning(), Now: d.Now,
	})}
}

// owning returns what decides whether an old guest token is good: one that owns
// a library, favorites, a history or comments is.
func (d Deps) owning() func(context.Context, identity.Owner) (bool, error) {
	return identity.Owning(d.DB, library.Path, kept.FavoritesPath, kept.HistoryPath, comment.PacePath)
}
