// Package claim is the function that moves what a guest owns to an account.
//
// It is a function of its own because it compares channels by the ids that they have
// now, and so needs the catalog in memory, which signing in does without.
package claim

import (
	"context"
	"errors"
	"time"

	"miramundo.dev/shared/account/claim"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/budget"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/store"
)

// Endpoints is this function's part of the API.
var Endpoints = []api.Endpoint{
	api.Bind((*Server).claim, api.Endpoint{
		Name:   "claim_guest",
		Method: "POST", Path: "/api/auth/claim", Auth: api.Session, Budget: budget.Imports,
		Summary: "Claim what a guest owns",
		Doc: "Moves a guest's folders, favorites, history, comments, feed addresses, purchases and passes to the session's account, and " +
			"returns how many rows moved and how many stay. A row stays with the guest when the account has the same or no room for it. Repeating it moves " +
			"nothing, or ends a claim that answered product_claim_pending.",
		Faults: []*fault.Error{claim.ErrGuest, claim.ErrUnknown, claim.ErrPending},
	}),
}

// Options are what a Server is made from.
type Options struct {
	DB      store.DB
	Guests  *identity.Guests
	Catalog index.Viewer
	Now     func() time.Time
}

// A Server claims guests in a database.
type Server struct {
	Options
	claims *claim.Claims
}

// New returns a server of the claims in o.DB.
func New(o Options) *Server { return &Server{o, claim.New(o.DB)} }

type claimIn struct {
	GuestToken string `json:"guest_token" required:"true" description:"The guest token of this browser (ipt_...)."`
}

// A result is the answer to a claim.
type result struct {
	OK      bool    `json:"ok" description:"Always true."`
	Claimed claimed `json:"claimed" description:"Things of the guest that moved."`
}

type claimed struct {
	Product product `json:"product" description:"Rows of the guest in this service."`
}

type product struct {
	Movidos  claim.Rows `json:"movidos" description:"Rows that moved to the account, per table."`
	Apagados claim.Rows `json:"apagados" description:"Duplicates of the guest that were deleted, per table: always 0, since they stay with the guest."`
	Ficaram  claim.Rows `json:"ficaram" description:"Rows that stay with the guest, because the account has their like or no room for them, per table."`
	Direitos int        `json:"direitos" description:"Purchases that moved to the account."`
}

// claim moves everything of a guest to the account of the session.
func (s *Server) claim(ctx context.Context, in claimIn) (out result, err error) {
	account, err := identity.OwnerOf(ctx)
	if err != nil {
		return out, err
	}
	guest, err := s.guest(ctx, in.GuestToken)
	if err != nil {
		return out, err
	}
	v, err := s.Catalog.View()
	if err != nil {
		return out, identity.ErrUnavailable.Because(err)
	}
	r, err := s.claims.Run(ctx, claim.Claim{Guest: guest, Account: account, At: s.Now(), Shown: v.Current})
	if err != nil {
		return out, err
	}
	return result{true, claimed{product{Movidos: r.Moved, Ficaram: r.Left, Direitos: r.Moved.Purchases}}}, nil
}

// guest returns the guest of a token, signed or old. It returns ErrGuest for anything
// else, such as an API key, and ErrUnknown for an old token that owns nothing.
func (s *Server) guest(ctx context.Context, token string) (identity.Owner, error) {
	o, old := identity.OldGuest(token)
	if !old {
		o, err := s.Guests.Verify(token)
		if errors.Is(err, identity.ErrCredential) {
			return "", claim.ErrGuest.Because(err)
		}
		return o, err
	}
	known, err := claim.Known(ctx, s.DB, o)
	switch {
	case err != nil:
		return "", identity.ErrUnavailable.Because(err)
	case !known:
		return "", claim.ErrUnknown
	}
	return o, nil
}
