package account

import (
	"context"

	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/account/organization"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
)

var organizationEndpoints = []api.Endpoint{
	api.Bind((*Server).organizations, api.Endpoint{
		Method: "GET", Path: "/api/account/organizations", Auth: api.Session,
		Summary: "List the account's organizations",
		Doc: "Returns the organizations that the session's account is a member of. With the id of one in the header X-Organization, a " +
			"call that a guest may make acts as that organization: every member reads, owners and administrators write. " +
			"Organizations are created and managed on the account pages.",
		Faults: []*fault.Error{fault.ErrUnavailable},
	}),
}

// An organizationShown is an organization in a list.
type organizationShown struct {
	ID      identity.Owner `json:"id" description:"Id of the organization: o_ followed by letters and digits."`
	Name    string         `json:"name"`
	Role    access.Role    `json:"role" enum:"owner,administrator,member" description:"Role of the account."`
	Enabled bool           `json:"enabled" description:"False while an owner has switched the product off: nobody can act as the organization then."`
}

type organizationsOut struct {
	Organizations []organizationShown `json:"organizations"`
}

func (s *Server) organizations(ctx context.Context, _ struct{}) (out organizationsOut, err error) {
	owner, err := identity.OwnerOf(ctx)
	if err != nil {
		return out, err
	}
	list, err := organization.On(s.DB, s.Access.Learn, s.Now).List(ctx, owner)
	if err != nil {
		return out, err
	}
	out.Organizations = make([]organizationShown, 0, len(list))
	for _, o := range list {
		out.Organizations = append(out.Organizations, organizationShown(o))
	}
	return out, nil
}
