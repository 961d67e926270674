package account

import (
	"context"
	"time"

	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/account/organization"
	"miramundo.dev/shared/account/removal"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/store"
)

var organizationEndpoints = []api.Endpoint{
	api.Bind((*Server).organizations, api.Endpoint{
		Name:   "list_organizations",
		Method: "GET", Path: organizationsPath, Auth: api.Session,
		Summary: "List the account's organizations",
		Doc: "Returns the organizations that the session's account is a member of. With the id of one in the header X-Organization, a " +
			"call that a guest may make acts as that organization: every member reads, owners and administrators write, " +
			"while the product is switched on.",
		Faults: []*fault.Error{fault.ErrUnavailable},
	}),
	api.Bind((*Server).organization, api.Endpoint{
		Name:   "get_organization",
		Method: "GET", Path: organizationsPath + api.ByID, Auth: api.Session,
		Summary: "Get an organization",
		Doc: "Returns an organization that the session's account is a member of, with its members. Addresses of members and pending " +
			"invitations are shown to owners and administrators alone.",
		Faults: []*fault.Error{organization.ErrForbidden, fault.ErrUnavailable},
	}),
	api.Bind((*Server).createOrganization, api.Endpoint{
		Name:   "create_organization",
		Method: "POST", Path: organizationsPath + "/create", Auth: api.Session,
		Summary: "Create an organization",
		Doc:     "Creates an organization that the session's account owns. An account belongs to at most 10 organizations.",
		Faults:  []*fault.Error{organization.ErrName, organization.ErrOrganizationLimit, fault.ErrUnavailable},
	}),
	api.Bind((*Server).renameOrganization, api.Endpoint{
		Name:   "rename_organization",
		Method: "POST", Path: organizationsPath + "/rename", Auth: api.Session,
		Summary: "Rename an organization",
		Doc:     "Gives an organization another name. Only an owner may.",
		Faults:  []*fault.Error{organization.ErrForbidden, organization.ErrName, fault.ErrUnavailable},
	}),
	api.Bind((*Server).switchOrganization, api.Endpoint{
		Name:   "switch_organization",
		Method: "POST", Path: organizationsPath + "/switch", Auth: api.Session,
		Summary: "Switch an organization on or off",
		Doc: "Switches the product on or off for an organization. Only an owner may. While it is off nobody can act as the organization, " +
			"and its keys are refused; nothing is lost.",
		Faults: []*fault.Error{organization.ErrForbidden, fault.ErrUnavailable},
	}),
	api.Bind((*Server).deleteOrganization, api.Endpoint{
		Name:   "delete_organization",
		Method: "POST", Path: organizationsPath + "/delete", Auth: api.Session,
		Summary: "Delete an organization",
		Doc: "Deletes an organization with its members, invitations and keys at once, and what it owns soon after. It cannot be undone. " +
			"Only an owner may, with a sign-in within the last five minutes, and with a second factor if the account has one.",
		Faults: []*fault.Error{organization.ErrForbidden, identity.ErrReauth, organization.ErrSecondFactor, fault.ErrUnavailable},
	}),
}

// organizationsPath is where organizations are.
const organizationsPath = "/api/account/organizations"

// An organizationShown is an organization in a list.
type organizationShown struct {
	ID      identity.Owner `json:"id" description:"Id of the organization: o_ followed by letters and digits."`
	Name    string         `json:"name"`
	Role    access.Role    `json:"role" enum:"owner,administrator,member" description:"Role of the account."`
	Enabled bool           `json:"enabled" description:"False while an owner has switched the product off: nobody can act as the organization then."`
}

type organizationsOut struct {
	Organizations []organizationShown `json:"organizations" description:"Organizations that the account is a member of."`
}

func (s *Server) organizations(ctx context.Context, _ struct{}) (out organizationsOut, err error) {
	owner, err := identity.OwnerOf(ctx)
	if err != nil {
		return out, err
	}
	list, err := s.allOrganizations().List(ctx, owner)
	if err != nil {
		return out, err
	}
	out.Organizations = make([]organizationShown, 0, len(list))
	for _, o := range list {
		out.Organizations = append(out.Organizations, organizationShown(o))
	}
	return out, nil
}

// allOrganizations returns the organizations of all accounts.
func (s *Server) allOrganizations() *organization.Organizations {
	return organization.On(s.DB, s.Access.Learn, s.Now)
}

type organizationIn struct {
	ID identity.Owner `path:"id" maxLength:"26" description:"Id of the organization."`
}

// A memberShown is a member of an organization.
type memberShown struct {
	Account identity.Owner `json:"account" description:"Id of the account."`
	Name    string         `json:"name" description:"Name in the profile of the account; may be empty."`
	Email   string         `json:"email" description:"Empty where it is not shown to the caller."`
	Role    access.Role    `json:"role" enum:"owner,administrator,member"`
	Since   time.Time      `json:"since" description:"Time at which the account became a member, in UTC."`
}

// An invitationShown is a pending invitation.
type invitationShown struct {
	ID        string      `json:"id"`
	Email     string      `json:"email" description:"Address that was invited."`
	Role      access.Role `json:"role" enum:"administrator,member"`
	ExpiresAt time.Time   `json:"expiresAt"`
}

type organizationOut struct {
	organizationShown
	Members     []memberShown     `json:"members" nullable:"false" description:"Members of the organization."`
	Invitations []invitationShown `json:"invitations" nullable:"false" description:"Pending invitations; empty where they are not shown to the caller."`
}

func (s *Server) organization(ctx context.Context, in organizationIn) (out organizationOut, err error) {
	caller, err := identity.OwnerOf(ctx)
	if err != nil {
		return out, err
	}
	v, err := s.allOrganizations().View(ctx, caller, in.ID)
	if err != nil {
		return out, err
	}
	out = organizationOut{organizationShown(v.Summary), make([]memberShown, 0, len(v.Members)), make([]invitationShown, 0, len(v.Invitations))}
	for _, p := range v.Members {
		out.Members = append(out.Members, memberShown{p.Account, p.Name, p.Email, p.Role, p.Since.Time})
	}
	for _, i := range v.Invitations {
		out.Invitations = append(out.Invitations, invitationShown{i.ID, i.Email, i.Role, i.EndsAt.Time})
	}
	return out, nil
}

// An organizationNamed is an organization that was created or joined.
type organizationNamed struct {
	ID   identity.Owner `json:"id" description:"Id of the organization."`
	Name string         `json:"name"`
}

type createOrganizationIn struct {
	Name string `json:"name" required:"true" code:"invalid_organization_name" description:"Name of at most 60 characters."`
}

func (s *Server) createOrganization(ctx context.Context, in createOrganizationIn) (out organizationNamed, err error) {
	caller, err := identity.OwnerOf(ctx)
	if err != nil {
		return out, err
	}
	o, err := s.allOrganizations().Create(ctx, caller, in.Name)
	if err != nil {
		return out, err
	}
	return organizationNamed{o.ID, o.Name}, nil
}

type renameOrganizationIn struct {
	ID   identity.Owner `json:"id" required:"true" code:"invalid_organization" description:"Id of the organization."`
	Name string         `json:"name" required:"true" code:"invalid_organization_name" description:"Name of at most 60 characters."`
}

func (s *Server) renameOrganization(ctx context.Context, in renameOrganizationIn) (done, error) {
	return change(ctx, func(caller identity.Owner) error { return s.allOrganizations().Rename(ctx, caller, in.ID, in.Name) })
}

type switchOrganizationIn struct {
	ID      identity.Owner `json:"id" required:"true" code:"invalid_organization" description:"Id of the organization."`
	Enabled bool           `json:"enabled" required:"true" description:"Whether the product is to be on."`
}

func (s *Server) switchOrganization(ctx context.Context, in switchOrganizationIn) (done, error) {
	return change(ctx, func(caller identity.Owner) error {
		return s.allOrganizations().SetEnabled(ctx, caller, in.ID, in.Enabled)
	})
}

type deleteOrganizationIn struct {
	ID identity.Owner `json:"id" required:"true" code:"invalid_organization" description:"Id of the organization."`
}

func (s *Server) deleteOrganization(ctx context.Context, in deleteOrganizationIn) (done, error) {
	caller, ok := identity.SpeakerOf(ctx)
	if !ok {
		return done{}, identity.ErrCredential
	}
	err := s.allOrganizations().Delete(ctx, caller, in.ID, func(tx store.Tx) error { return removal.Queue(tx, in.ID, s.Now()) })
	return done{err == nil}, err
}

// change runs f for the account of the session.
func change(ctx context.Context, f func(caller identity.Owner) error) (done, error) {
	caller, err := identity.OwnerOf(ctx)
	if err == nil {
		err = f(caller)
	}
	return done{err == nil}, err
}
