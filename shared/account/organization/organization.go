// Package organization stores organizations: who belongs to each of them, in which
// role, and who is invited.
//
//	organizations/{organization}    an Organization
//
// What an organization owns, such as a library, is where a guest's is, under the
// organization's id. A member reads it, an administrator changes it, and an owner
// decides about the organization itself.
//
// The rules are methods of an [Organization] in memory and need no database.
// [Organizations] applies them to the stored one. The same transaction writes the
// copies in the access records of the accounts that a change concerns (see
// [access.Membership]), so that a request reads no organization, and a removed
// member is refused at once here and within five seconds at every other instance.
package organization

import (
	"slices"
	"strings"
	"time"

	"miramundo.dev/shared/account"
	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/store"
)

// The greatest sizes of an organization, and of what an account has of them.
const (
	MaxMembers       = 50
	MaxInvitations   = 20 // that are pending
	MaxOrganizations = 10 // that an account is a member of
	MaxName          = account.MaxName
)

// Faults of organizations. A caller who is not a member gets ErrForbidden, whether or
// not the organization exists.
var (
	ErrForbidden = identity.ErrOrganization // the caller is not a member, or its role does not allow it

	ErrName     = fault.New(fault.Invalid, "invalid_organization_name") // with a reason
	ErrRole     = fault.New(fault.Invalid, "invalid_role")              // not a role, or not one that an invitation can have
	ErrNoMember = fault.New(fault.NotFound, "member_not_found")

	ErrLastOwner         = fault.New(fault.Conflict, "last_owner") // nobody else owns the organization
	ErrMemberLimit       = fault.New(fault.Conflict, "member_limit_reached").With("limit", MaxMembers)
	ErrOrganizationLimit = fault.New(fault.Conflict, "organization_limit_reached").With("limit", MaxOrganizations)
)

// An Organization is what is stored of one organization. It is stored in this form:
// fields may be added, but none may change its name or meaning.
type Organization struct {
	ID          identity.Owner `json:"id"`
	Name        string         `json:"name"`
	Revision    int64          `json:"revision"` // counts the writes
	CreatedAt   store.Time     `json:"created_at"`
	Disabled    bool           `json:"disabled,omitempty"` // the product is switched off: nobody can act for the organization, and its keys are refused
	Members     []Member       `json:"members"`            // in the order in which they joined; at least one is an owner
	Invitations []Invitation   `json:"invitations"`        // oldest first; some may be over
}

// A Member is an account that belongs to an organization.
type Member struct {
	Account identity.Owner `json:"account"`
	Role    access.Role    `json:"role"`
	Since   store.Time     `json:"since"`
}

// Path returns where an organization is.
func Path(id identity.Owner) store.Path { return store.Path("organizations").Join(string(id)) }

// New returns an organization that is not stored, with one owner. It returns ErrName
// for a name that is not valid.
func New(name string, founder identity.Owner, now time.Time) (*Organization, error) {
	name, err := checkName(name)
	if err != nil {
		return nil, err
	}
	return &Organization{
		ID: identity.NewOwner(identity.Organization), Name: name, CreatedAt: store.At(now),
		Members: []Member{{founder, access.Owner, store.At(now)}},
	}, nil
}

// checkName returns a name without the spaces around it, or ErrName.
func checkName(name string) (string, error) {
	name = strings.TrimSpace(name)
	reason := account.NameProblem(name)
	if name == "" {
		reason = "empty"
	}
	if reason != "" {
		return "", ErrName.With("reason", reason).With("bound", MaxName)
	}
	return name, nil
}

// RoleOf returns the role of an account, or ErrForbidden when it is not a member.
func (o *Organization) RoleOf(account identity.Owner) (access.Role, error) {
	m, ok := o.member(account)
	if !ok {
		return "", ErrForbidden
	}
	return m.Role, nil
}

func (o *Organization) member(account identity.Owner) (*Member, bool) {
	i := slices.IndexFunc(o.Members, func(m Member) bool { return m.Account == account })
	if i < 0 {
		return nil, false
	}
	return &o.Members[i], true
}

// manager returns ErrForbidden for an account that may not manage o.
func (o *Organization) manager(by identity.Owner) (access.Role, error) {
	role, err := o.RoleOf(by)
	if err == nil && !role.Manages() {
		err = ErrForbidden
	}
	return role, err
}

// CheckOwner returns ErrForbidden for an account that is not an owner of o.
func (o *Organization) CheckOwner(by identity.Owner) error {
	if role, err := o.RoleOf(by); err != nil || role != access.Owner {
		return ErrForbidden
	}
	return nil
}

// IsLastOwner reports whether an account is the only owner of o.
func (o *Organization) IsLastOwner(account identity.Owner) bool {
	m, ok := o.member(account)
	return ok && m.Role == access.Owner && !slices.ContainsFunc(o.Members, func(m Member) bool {
		return m.Role == access.Owner && m.Account != account
	})
}

// Rename gives o another name. Only an owner may.
func (o *Organization) Rename(by identity.Owner, name string) error {
	if err := o.CheckOwner(by); err != nil {
		return err
	}
	name, err := checkName(name)
	if err != nil {
		return err
	}
	o.Name = name
	return nil
}

// SetEnabled switches the product on or off. Only an owner may.
func (o *Organization) SetEnabled(by identity.Owner, enabled bool) error {
	if err := o.CheckOwner(by); err != nil {
		return err
	}
	o.Disabled = !enabled
	return nil
}

// SetRole gives a member another role. Only an owner may. It returns ErrLastOwner
// when o would be left without an owner.
func (o *Organization) SetRole(by, account identity.Owner, role access.Role) error {
	if err := o.CheckOwner(by); err != nil {
		return err
	}
	m, ok := o.member(account)
	switch {
	case !isRole(role):
		return ErrRole
	case !ok:
		return ErrNoMember
	case role != access.Owner && o.IsLastOwner(account):
		return ErrLastOwner
	}
	m.Role = role
	o.endInvitations()
	return nil
}

func isRole(r access.Role) bool {
	return r == access.Member || r == access.Administrator || r == access.Owner
}

// Remove removes a member. Every member may remove itself, an administrator those
// who are members alone, and an owner everybody. It returns ErrLastOwner when o
// would be left without an owner.
func (o *Organization) Remove(by, account identity.Owner) error {
	role, err := o.RoleOf(by)
	if err != nil {
		return err
	}
	m, ok := o.member(account)
	switch {
	case by != account && !role.Manages():
		return ErrForbidden
	case !ok:
		return ErrNoMember
	case by != account && role == access.Administrator && m.Role != access.Member:
		return ErrForbidden
	case o.IsLastOwner(account):
		return ErrLastOwner
	}
	o.drop(account)
	return nil
}

// drop removes a member, whatever that leaves.
func (o *Organization) drop(account identity.Owner) {
	o.Members = slices.DeleteFunc(o.Members, func(m Member) bool { return m.Account == account })
	o.endInvitations()
}

// Abandon removes an account that is about to be deleted, and reports whether o has
// members left. When the account was the last owner, the member in the highest role
// who joined first becomes one, so that o is never without an owner.
func (o *Organization) Abandon(account identity.Owner) (left bool) {
	last := o.IsLastOwner(account)
	o.drop(account)
	if len(o.Members) == 0 {
		return false
	}
	if last {
		heir := slices.IndexFunc(o.Members, func(m Member) bool { return m.Role.Manages() })
		o.Members[max(heir, 0)].Role = access.Owner
	}
	return true
}

// join adds a member.
func (o *Organization) join(account identity.Owner, role access.Role, now time.Time) error {
	if len(o.Members) >= MaxMembers {
		return ErrMemberLimit
	}
	o.Members = append(o.Members, Member{account, role, store.At(now)})
	return nil
}
