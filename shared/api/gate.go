package api

import (
	"context"

	"miramundo.dev/shared/budget"
	"miramundo.dev/shared/identity"
)

// An Authenticator identifies callers by their credentials, as an
// [identity.Authority] does.
type Authenticator interface {
	// Speaker returns the caller, or the fault of the credentials. Of the class
	// [identity.Account] only the cookie of an account session is accepted.
	Speaker(ctx context.Context, shown identity.Credentials, accepted identity.Class) (identity.Speaker, error)
}

// A Gate decides which callers an endpoint is run for.
type Gate struct {
	Auth    Authenticator     // nil answers auth_unavailable where a caller must be identified
	Pages   *identity.Pages   // recognizes the writes of pages; nil answers auth_unavailable to a write with a session
	Tokens  map[string]string // of the operator, by the names of [Endpoint.Credential]
	Guesses *Guesses          // limits wrong tokens of the operator; nil has no limit
	Budgets *budget.Meter     // from which calls are taken; nil has no limits
}

// Admit returns ctx with the caller of r, as far as e asks for one, or the fault of the
// credentials that r shows. A call of an endpoint with a [Endpoint.Budget] is taken from
// it: a network that has no call left is refused before its credentials are checked,
// which may read a document.
func (g *Gate) Admit(ctx context.Context, e *Endpoint, r Request) (context.Context, error) {
	if e.Budget == nil {
		return g.admit(ctx, e, r)
	}
	if err := g.Budgets.Check(e.Budget, r.Addr()); err != nil {
		return nil, err
	}
	ctx, err := g.admit(ctx, e, r)
	if err != nil {
		return nil, err
	}
	caller, _ := identity.SpeakerOf(ctx)
	if err := g.Budgets.Take(ctx, e.Budget, caller.Owner, r.Addr()); err != nil {
		return nil, err
	}
	return ctx, nil
}

// admit returns ctx with the caller of r, as far as e asks for one, or the
// fault of the credentials that r shows. A write with a session is refused unless
// a page of the service sent it.
func (g *Gate) admit(ctx context.Context, e *Endpoint, r Request) (context.Context, error) {
	if e.FromPage {
		if err := g.Pages.CheckWrite(r.Browser(), r.Credentials().Session); err != nil {
			return nil, err
		}
	}
	switch {
	case e.Auth == Operator:
		return ctx, g.CheckToken(e.Credential, bearer(r.Credentials().Authorization), r)
	case e.Auth == None && !e.Speaker:
		return ctx, nil
	case e.Auth == None:
		return g.identify(ctx, e, r)
	case g.Auth == nil:
		return nil, identity.ErrUnavailable
	}
	accepted := identity.Anyone
	if e.Auth == Session {
		accepted = identity.Account
	}
	shown := r.Credentials()
	caller, err := g.Auth.Speaker(ctx, shown, accepted)
	if err != nil {
		return nil, err
	}
	if err := g.checkWrite(e, r, shown, caller); err != nil {
		return nil, err
	}
	if caller, err = g.guestFirst(ctx, e, shown, caller); err != nil {
		return nil, err
	}
	return identity.With(ctx, caller), nil
}

// guestFirst returns the guest that a request shows beside a session, where e lets the
// guest speak first, and else the caller as it is. The session has been checked before,
// with the page that sent the request: a caller who believes to be signed in never acts
// as a guest, and a page of another origin never acts beside a session.
func (g *Gate) guestFirst(ctx context.Context, e *Endpoint, shown identity.Credentials, caller identity.Speaker) (identity.Speaker, error) {
	if !e.GuestFirst || shown.GuestToken == "" || shown.Session == "" {
		return caller, nil
	}
	shown.Session, shown.Organization = "", ""
	return g.Auth.Speaker(ctx, shown, identity.Anyone)
}

// checkWrite returns the fault of a write that caller may not make: one by a
// session that no page of the service sent, or one by a member of an organization
// who may only read.
func (g *Gate) checkWrite(e *Endpoint, r Request, shown identity.Credentials, caller identity.Speaker) error {
	switch {
	case !e.Writes():
		return nil
	case caller.ReadOnly:
		return identity.ErrOrganization
	case caller.Session == "" || e.FromPage: // checked already
		return nil
	}
	return g.Pages.CheckWrite(r.Browser(), shown.Session)
}

// identify returns ctx with the caller of r where one is welcome and not
// required: an invalid credential is treated as absent. A write by a session is
// refused as anywhere else, since the caller must not believe to have acted as the
// account.
func (g *Gate) identify(ctx context.Context, e *Endpoint, r Request) (context.Context, error) {
	if g.Auth == nil {
		return ctx, nil
	}
	shown := r.Credentials()
	caller, err := g.Auth.Speaker(ctx, shown, identity.Anyone)
	if err != nil {
		return ctx, nil //nolint:nilerr // an invalid credential is treated as absent
	}
	if err := g.checkWrite(e, r, shown, caller); err != nil {
		return nil, err
	}
	if caller, err = g.guestFirst(ctx, e, shown, caller); err != nil {
		return ctx, nil //nolint:nilerr // likewise
	}
	return identity.With(ctx, caller), nil
}
