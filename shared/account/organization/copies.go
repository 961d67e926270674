package organization

import (
	"slices"

	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/identity"
)

// Access records hold copies of what an organization says: the record of each
// member its role, and that of the organization whether the product is on. Which
// records a change concerns, and what they hold afterwards, is computed from the
// organization before and after it, so no operation can forget one of them. An
// organization that does not exist, before it is made or after it is deleted, is
// one without members.

// concerned returns the owners whose access records differ between two states of an
// organization: accounts, and the organization itself.
func concerned(before, after *Organization) []identity.Owner {
	was, is := copies(before), copies(after)
	var owners []identity.Owner
	for owner, m := range was {
		if now, ok := is[owner]; !ok || now != m {
			owners = append(owners, owner)
		}
	}
	for owner := range is {
		if _, ok := was[owner]; !ok {
			owners = append(owners, owner)
		}
	}
	if before.Disabled != after.Disabled || len(demoted(before, after)) > 0 {
		owners = append(owners, after.ID)
	}
	slices.Sort(owners)
	return owners
}

// copies returns what the record of each member holds.
func copies(o *Organization) map[identity.Owner]access.Membership {
	all := make(map[identity.Owner]access.Membership, len(o.Members))
	for _, m := range o.Members {
		all[m.Account] = access.Membership{Organization: o.ID, Role: m.Role, Disabled: o.Disabled}
	}
	return all
}

// demoted returns the accounts that managed the organization before and do not
// after. The keys that they made stop, because they know the secrets.
func demoted(before, after *Organization) (list []identity.Owner) {
	for _, m := range before.Members {
		if now, ok := after.member(m.Account); m.Role.Manages() && (!ok || !now.Role.Manages()) {
			list = append(list, m.Account)
		}
	}
	return list
}

// copyTo brings the access record of a concerned owner up to date. It returns
// ErrOrganizationLimit when an account would be a member of too many organizations.
func copyTo(r *access.Record, before, after *Organization) error {
	if r.Owner == after.ID {
		r.Disabled = after.Disabled
		for _, account := range demoted(before, after) {
			r.StopKeys(account)
		}
		if len(after.Members) == 0 {
			r.Keys = nil
		}
		return nil
	}
	i := slices.IndexFunc(r.Memberships, func(m access.Membership) bool { return m.Organization == after.ID })
	m, is := copies(after)[r.Owner]
	switch {
	case !is && i >= 0:
		r.Memberships = slices.Delete(r.Memberships, i, i+1)
	case is && i >= 0:
		r.Memberships[i] = m
	case is && len(r.Memberships) >= MaxOrganizations:
		return ErrOrganizationLimit
	case is:
		r.Memberships = append(r.Memberships, m)
	}
	return nil
}
