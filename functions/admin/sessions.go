package admin

import (
	"context"
	"errors"

	"miramundo.dev/shared/account"
	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/mail/address"
	"miramundo.dev/shared/store"
)

// ErrNoAccount means that the operator named an account that does not exist.
var ErrNoAccount = fault.New(fault.NotFound, "account_not_found")

// sessions are the operator's endpoints for stolen accounts.
var sessions = []api.Endpoint{
	api.Bind((*Server).endSessions, api.Endpoint{
		Name:   "end_account_sessions",
		Method: "POST", Path: "/api/admin/accounts/sessions/end", Auth: api.Operator,
		Summary: "End the sessions of an account",
		Doc: "Signs an account out on every device, or everyone when everyone is true, and stops their API keys when keys is true. " +
			"It is in force everywhere within five seconds; nobody is told.",
		Faults: []*fault.Error{ErrNoAccount, address.ErrInvalid, fault.ErrUnavailable},
	}),
}

type endIn struct {
	Email    string `json:"email" maxLength:"320" description:"Address of the account."`
	Account  string `json:"account" maxLength:"64" description:"Id of the account, in place of its address."`
	Everyone bool   `json:"everyone" description:"All accounts and organizations, in place of one."`
	Keys     bool   `json:"keys" description:"Whether API keys stop too."`
}

// An ended is the answer when sessions were ended.
type ended struct {
	OK       bool `json:"ok" description:"Always true."`
	Accounts int  `json:"accounts" description:"Accounts and organizations that had sessions, or keys that stopped."`
	Sessions int  `json:"sessions" description:"Sessions that ended."`
	Keys     int  `json:"keys" description:"Keys that stopped."`
}

func (s *Server) endSessions(ctx context.Context, in endIn) (out ended, err error) {
	out.OK = true
	if in.Everyone && (in.Email != "" || in.Account != "") {
		return out, fault.ErrBody.With("param", "everyone")
	}
	if !in.Everyone {
		owner, err := s.owner(ctx, in)
		if err == nil {
			err = s.end(ctx, owner, in.Keys, &out)
		}
		return out, err
	}
	for owner, err := range access.Owners(ctx, s.DB) {
		if err == nil {
			err = s.end(ctx, owner, in.Keys, &out)
		}
		if err != nil && !errors.Is(err, ErrNoAccount) { // it was deleted meanwhile
			return out, fault.OrUnavailable(err)
		}
	}
	return out, nil
}

// owner returns the account that in names.
func (s *Server) owner(ctx context.Context, in endIn) (identity.Owner, error) {
	if (in.Email == "") == (in.Account == "") {
		return "", fault.ErrBody.With("param", "account").With("reason", "required")
	}
	if in.Account != "" {
		return identity.Owner(in.Account), nil
	}
	_, key, err := address.Normalize(in.Email)
	if err != nil {
		return "", err
	}
	var owner identity.Owner
	err = s.DB.Update(ctx, func(tx store.Tx) error {
		var found bool
		var err error
		if owner, found, err = account.Find(tx, key); err == nil && !found {
			return ErrNoAccount
		}
		return err
	})
	return owner, fault.OrUnavailable(err)
}

// end ends the sessions of an owner, and its keys, and adds them to out. Nothing is
// written for an owner that has none.
func (s *Server) end(ctx context.Context, owner identity.Owner, keys bool, out *ended) error {
	kind := identity.KindOf(owner)
	if kind != identity.Person && kind != identity.Organization {
		return ErrNoAccount
	}
	ended, stopped := 0, 0
	r, err := access.Update(ctx, s.DB, owner, func(r *access.Record) error {
		ended, stopped = r.EndSessions(""), 0
		if keys {
			stopped = r.StopKeys("")
		}
		if ended+stopped == 0 {
			return errNothing
		}
		return nil
	})
	switch {
	case errors.Is(err, errNothing):
		return nil
	case errors.Is(err, identity.ErrEnded):
		return ErrNoAccount
	case err != nil:
		return fault.OrUnavailable(err)
	}
	s.Access.Learn(r)
	out.Accounts, out.Sessions, out.Keys = out.Accounts+1, out.Sessions+ended, out.Keys+stopped
	return nil
}

// errNothing ends a transaction that has nothing to store.
var errNothing = errors.New("admin: the account has no sessions and no keys")
