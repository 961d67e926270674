package account

import (
	"context"

	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/account/organization"
	"miramundo.dev/shared/account/throttle"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/mail/address"
)

var memberEndpoints = []api.Endpoint{
	api.Bind((*Server).invite, api.Endpoint{
		Name:   "invite_member",
		Method: "POST", Path: organizationsPath + "/invite", Auth: api.Session,
		Summary: "Invite somebody to an organization",
		Doc: "Mails an invitation to an address, which its reader can accept within seven days with the account of that address. Owners " +
			"invite members and administrators, administrators invite members. An earlier invitation of the address ends.",
		Faults: []*fault.Error{
			organization.ErrForbidden, organization.ErrRole, organization.ErrMemberLimit, organization.ErrInvitationLimit,
			organization.ErrAlreadyMember, address.ErrInvalid, throttle.ErrTooMany, fault.ErrUnavailable,
		},
	}),
	api.Bind((*Server).withdraw, api.Endpoint{
		Name:   "revoke_invitation",
		Method: "POST", Path: organizationsPath + "/withdraw", Auth: api.Session,
		Summary: "Revoke an invitation",
		Doc:     "Ends a pending invitation, whose link is refused from then on. Owners and administrators may.",
		Faults:  []*fault.Error{organization.ErrForbidden, organization.ErrNoInvitation, fault.ErrUnavailable},
	}),
	api.Bind((*Server).accept, api.Endpoint{
		Name:   "accept_invitation",
		Method: "POST", Path: organizationsPath + "/accept", Auth: api.Session,
		Summary: "Accept an invitation",
		Doc: "Makes the session's account a member by the token in the link of an invitation to its address, and returns the " +
			"organization's id and name. Repeating it changes nothing.",
		Faults: []*fault.Error{
			organization.ErrNoInvitation, organization.ErrWrongAddress, organization.ErrMemberLimit, organization.ErrOrganizationLimit,
			fault.ErrUnavailable,
		},
	}),
	api.Bind((*Server).setRole, api.Endpoint{
		Name:   "change_member_role",
		Method: "POST", Path: organizationsPath + "/role", Auth: api.Session,
		Summary: "Change the role of a member",
		Doc: "Gives a member of an organization another role. Only an owner may. A member who loses the right to manage the " +
			"organization loses the keys that it made for it.",
		Faults: []*fault.Error{
			organization.ErrForbidden, organization.ErrNoMember, organization.ErrRole, organization.ErrLastOwner, fault.ErrUnavailable,
		},
	}),
	api.Bind((*Server).removeMember, api.Endpoint{
		Name:   "remove_member",
		Method: "POST", Path: organizationsPath + "/remove", Auth: api.Session,
		Summary: "Remove a member from an organization",
		Doc: "Removes a member, whose keys and invitations for the organization end at once. An owner removes anybody, an administrator " +
			"those in the role member; removing the session's own account leaves the organization, which the last owner cannot.",
		Faults: []*fault.Error{organization.ErrForbidden, organization.ErrNoMember, organization.ErrLastOwner, fault.ErrUnavailable},
	}),
}

type inviteIn struct {
	ID    identity.Owner `json:"id" required:"true" code:"invalid_organization" description:"Id of the organization."`
	Email string         `json:"email" required:"true" code:"invalid_email" description:"Address to invite."`
	Role  access.Role    `json:"role" required:"true" code:"invalid_role" enum:"administrator,member" description:"Role that the invitation gives."`
}

func (s *Server) invite(ctx context.Context, in inviteIn) (done, error) {
	post := organization.Post{Organizations: s.allOrganizations(), Throttle: s.Throttle, Mail: s.Mail, Base: s.Base}
	return change(ctx, func(caller identity.Owner) error {
		return post.Invite(ctx, caller, in.ID, in.Email, in.Role, api.LocaleOf(ctx))
	})
}

type withdrawIn struct {
	ID         identity.Owner `json:"id" required:"true" code:"invalid_organization" description:"Id of the organization."`
	Invitation string         `json:"invitation" required:"true" description:"Id of the invitation."`
}

func (s *Server) withdraw(ctx context.Context, in withdrawIn) (done, error) {
	return change(ctx, func(caller identity.Owner) error {
		return s.allOrganizations().Withdraw(ctx, caller, in.ID, in.Invitation)
	})
}

type acceptIn struct {
	Token string `json:"token" required:"true" maxLength:"128" description:"Token in the link of the invitation."`
}

func (s *Server) accept(ctx context.Context, in acceptIn) (out organizationNamed, err error) {
	caller, err := identity.OwnerOf(ctx)
	if err != nil {
		return out, err
	}
	o, err := s.allOrganizations().Accept(ctx, caller, in.Token)
	if err != nil {
		return out, err
	}
	return organizationNamed{o.ID, o.Name}, nil
}

type setRoleIn struct {
	ID      identity.Owner `json:"id" required:"true" code:"invalid_organization" description:"Id of the organization."`
	Account identity.Owner `json:"account" required:"true" description:"Account of the member."`
	Role    access.Role    `json:"role" required:"true" code:"invalid_role" enum:"owner,administrator,member" description:"Role that the member gets."`
}

func (s *Server) setRole(ctx context.Context, in setRoleIn) (done, error) {
	return change(ctx, func(caller identity.Owner) error {
		return s.allOrganizations().SetRole(ctx, caller, in.ID, in.Account, in.Role)
	})
}

type removeMemberIn struct {
	ID      identity.Owner `json:"id" required:"true" code:"invalid_organization" description:"Id of the organization."`
	Account identity.Owner `json:"account" required:"true" description:"Account of the member; that of the session to leave."`
}

func (s *Server) removeMember(ctx context.Context, in removeMemberIn) (done, error) {
	return change(ctx, func(caller identity.Owner) error { return s.allOrganizations().Remove(ctx, caller, in.ID, in.Account) })
}
