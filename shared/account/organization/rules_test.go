package organization

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/store"
)

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// person returns the id of an account.
func person(name string) identity.Owner {
	return identity.Owner("a_" + (name + strings.Repeat("a", 24))[:24])
}

// The members of a club: one in each role, and a stranger.
var owner, administrator, member, stranger = person("owner"), person("administrator"), person("member"), person("stranger")

// club returns an organization with the members above, and others in a role.
func club(role access.Role, others ...identity.Owner) *Organization {
	since := store.At(noon)
	o := &Organization{ID: identity.NewOwner(identity.Organization), Name: "Club", CreatedAt: since, Members: []Member{
		{owner, access.Owner, since}, {administrator, access.Administrator, since}, {member, access.Member, since},
	}}
	for _, account := range others {
		o.Members = append(o.Members, Member{account, role, since})
	}
	return o
}

// addressOf returns the address of an account.
func addressOf(account identity.Owner) Address {
	key := string(account[2:]) + "@mira.example"
	return Address{strings.ToUpper(key[:1]) + key[1:], key}
}

// invite adds an invitation of an account.
func invite(t *testing.T, o *Organization, by, account identity.Owner, role access.Role) (secret string, i Invitation) {
	t.Helper()
	token, i, err := o.Invite(by, addressOf(account), role, noon)
	if err != nil {
		t.Fatal(err)
	}
	id, secret, err := splitToken(token)
	if err != nil || id != o.ID {
		t.Fatalf("the token is of %s, %v", id, err)
	}
	return secret, i
}

// TestRights tries everything in every role.
func TestRights(t *testing.T) {
	other := person("other")
	for _, test := range []struct {
		name    string
		allowed []identity.Owner
		do      func(o *Organization, by identity.Owner) error
	}{
		{"rename", []identity.Owner{owner}, func(o *Organization, by identity.Owner) error { return o.Rename(by, "Other") }},
		{"switch off", []identity.Owner{owner}, func(o *Organization, by identity.Owner) error { return o.SetEnabled(by, false) }},
		{"appoint an owner", []identity.Owner{owner}, func(o *Organization, by identity.Owner) error { return o.SetRole(by, other, access.Owner) }},
		{"appoint oneself", []identity.Owner{owner}, func(o *Organization, by identity.Owner) error { return o.SetRole(by, by, access.Owner) }},
		{"demote an owner", []identity.Owner{owner}, func(o *Organization, by identity.Owner) error {
			o.Members = append(o.Members, Member{stranger + "b", access.Owner, store.At(noon)})
			return o.SetRole(by, stranger+"b", access.Member)
		}},
		{"invite a member", []identity.Owner{owner, administrator}, func(o *Organization, by identity.Owner) error {
			_, _, err := o.Invite(by, addressOf(stranger), access.Member, noon)
			return err
		}},
		{"invite an administrator", []identity.Owner{owner}, func(o *Organization, by identity.Owner) error {
			_, _, err := o.Invite(by, addressOf(stranger), access.Administrator, noon)
			return err
		}},
		{"withdraw an invitation", []identity.Owner{owner, administrator}, func(o *Organization, by identity.Owner) error {
			o.Invitations = []Invitation{{ID: "inv_1"}}
			return o.Withdraw(by, "inv_1")
		}},
		{"remove a member", []identity.Owner{owner, administrator}, func(o *Organization, by identity.Owner) error { return o.Remove(by, other) }},
		{"remove an administrator", []identity.Owner{owner}, func(o *Organization, by identity.Owner) error {
			o.Members = append(o.Members, Member{stranger + "b", access.Administrator, store.At(noon)})
			return o.Remove(by, stranger+"b")
		}},
		{"remove an owner", []identity.Owner{owner}, func(o *Organization, by identity.Owner) error {
			o.Members = append(o.Members, Member{stranger + "b", access.Owner, store.At(noon)})
			return o.Remove(by, stranger+"b")
		}},
		{"leave", []identity.Owner{owner, administrator, member}, func(o *Organization, by identity.Owner) error {
			o.Members = append(o.Members, Member{stranger + "b", access.Owner, store.At(noon)})
			return o.Remove(by, by)
		}},
		{"delete", []identity.Owner{owner}, (*Organization).CheckOwner},
	} {
		for _, by := range []identity.Owner{owner, administrator, member, stranger} {
			o := club(access.Member, other)
			var want error
			if !slices.Contains(test.allowed, by) {
				want = ErrForbidden
			}
			if err := test.do(o, by); !errors.Is(err, want) {
				t.Errorf("%s by %s: %v, want %v", test.name, by, err, want)
			}
		}
	}
}

// TestRefusals checks what is refused whatever the role.
func TestRefusals(t *testing.T) {
	for _, test := range []struct {
		name string
		want error
		do   func(o *Organization) error
	}{
		{"the last owner leaves", ErrLastOwner, func(o *Organization) error { return o.Remove(owner, owner) }},
		{"the last owner becomes a member", ErrLastOwner, func(o *Organization) error { return o.SetRole(owner, owner, access.Member) }},
		{"the last owner becomes an administrator", ErrLastOwner, func(o *Organization) error { return o.SetRole(owner, owner, access.Administrator) }},
		{"the last owner stays owner", nil, func(o *Organization) error { return o.SetRole(owner, owner, access.Owner) }},
		{"a role that does not exist", ErrRole, func(o *Organization) error { return o.SetRole(owner, member, "king") }},
		{"the role of a stranger", ErrNoMember, func(o *Organization) error { return o.SetRole(owner, stranger, access.Member) }},
		{"a stranger is removed", ErrNoMember, func(o *Organization) error { return o.Remove(owner, stranger) }},
		{"an owner is invited", ErrRole, func(o *Organization) error {
			_, _, err := o.Invite(owner, addressOf(stranger), access.Owner, noon)
			return err
		}},
		{"an unknown invitation is withdrawn", ErrNoInvitation, func(o *Organization) error { return o.Withdraw(owner, "inv_1") }},
		{"a name of nothing", ErrName, func(o *Organization) error { return o.Rename(owner, " \t ") }},
		{"a long name", nil, func(o *Organization) error { return o.Rename(owner, strings.Repeat("ã", MaxName)) }},
		{"a longer name", ErrName, func(o *Organization) error { return o.Rename(owner, strings.Repeat("ã", MaxName+1)) }},
		{"a name of two lines", ErrName, func(o *Organization) error { return o.Rename(owner, "a\nb") }},
		{"a name that turns around", ErrName, func(o *Organization) error { return o.Rename(owner, "a\u202eb") }},
		{"a name that is not text", ErrName, func(o *Organization) error { return o.Rename(owner, "a\xff") }},
	} {
		if err := test.do(club("")); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", test.name, err, test.want)
		}
	}
}

// TestInvitation follows invitations to their ends.
func TestInvitation(t *testing.T) {
	for _, test := range []struct {
		name  string
		after func(o *Organization, secret string) // what happens to an invitation of an administrator to be a member
		by    identity.Owner
		at    time.Time
		want  error
	}{
		{"accepted", nil, stranger, noon, nil},
		{"accepted at the last moment", nil, stranger, noon.Add(Holds - time.Second), nil},
		{"too late", nil, stranger, noon.Add(Holds), ErrNoInvitation},
		{"another address", nil, person("bob"), noon, ErrWrongAddress},
		{"a member of another address", nil, member, noon, nil},
		{"withdrawn", func(o *Organization, _ string) { o.Withdraw(owner, o.Invitations[0].ID) }, stranger, noon, ErrNoInvitation},
		{"invited again", func(o *Organization, _ string) { o.Invite(owner, addressOf(stranger), access.Member, noon) }, stranger, noon, ErrNoInvitation},
		{"accepted by another before", func(o *Organization, secret string) { o.Accept(secret, person("carl"), addressOf(stranger).Key, noon) }, stranger, noon, ErrNoInvitation},
		{"accepted before, and removed since", func(o *Organization, secret string) {
			o.Accept(secret, stranger, addressOf(stranger).Key, noon)
			o.Remove(owner, stranger)
		}, stranger, noon, ErrNoInvitation},
		{"the inviter was removed", func(o *Organization, _ string) { o.Remove(owner, administrator) }, stranger, noon, ErrNoInvitation},
		{"the inviter was demoted", func(o *Organization, _ string) { o.SetRole(owner, administrator, access.Member) }, stranger, noon, ErrNoInvitation},
		{"the inviter was promoted", func(o *Organization, _ string) { o.SetRole(owner, administrator, access.Owner) }, stranger, noon, nil},
	} {
		o := club("")
		secret, in := invite(t, o, administrator, stranger, access.Member)
		if strings.Contains(fmt.Sprint(o), secret) || in.Email != addressOf(stranger).Shown {
			t.Fatalf("the secret is in %+v", o)
		}
		if test.after != nil {
			test.after(o, secret)
		}
		if err := o.Accept(secret, test.by, addressOf(test.by).Key, test.at); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", test.name, err, test.want)
		}
		role, err := o.RoleOf(test.by)
		if joined := err == nil; joined != (test.want == nil) || joined && role != access.Member {
			t.Errorf("%s: the role is %q, %v", test.name, role, err)
		}
	}
}

// TestInviterLosesRole checks that an invitation to be an administrator, which an
// owner made, ends when that owner is an administrator alone.
func TestInviterLosesRole(t *testing.T) {
	second := person("second")
	o := club(access.Owner, second)
	high, _ := invite(t, o, second, stranger, access.Administrator)
	low, _ := invite(t, o, second, person("bob"), access.Member)
	if err := o.SetRole(owner, second, access.Administrator); err != nil {
		t.Fatal(err)
	}
	if err := o.Accept(high, stranger, addressOf(stranger).Key, noon); !errors.Is(err, ErrNoInvitation) {
		t.Errorf("an administrator: %v", err)
	}
	if err := o.Accept(low, person("bob"), addressOf(person("bob")).Key, noon); err != nil {
		t.Errorf("a member: %v", err)
	}
}

// TestBounds fills an organization.
func TestBounds(t *testing.T) {
	o := club("")
	guest := func(i int) identity.Owner { return person(fmt.Sprintf("%c%c", 'b'+i/20, 'b'+i%20)) }
	var secrets []string
	for i := range MaxInvitations {
		secret, _ := invite(t, o, owner, guest(i), access.Member)
		secrets = append(secrets, secret)
	}
	if _, _, err := o.Invite(owner, addressOf(guest(MaxInvitations)), access.Member, noon); !errors.Is(err, ErrInvitationLimit) {
		t.Errorf("one invitation more: %v", err)
	}
	if _, _, err := o.Invite(owner, addressOf(guest(0)), access.Member, noon.Add(Holds)); err != nil || len(o.Invitations) != 1 {
		t.Errorf("when the others are over: %v, %d pending", err, len(o.Invitations))
	}
	o = club("")
	secrets = secrets[:0]
	for i := range MaxInvitations {
		secret, _ := invite(t, o, owner, guest(i), access.Member)
		secrets = append(secrets, secret)
	}
	for i := MaxInvitations; len(o.Members) < MaxMembers-1; i++ {
		o.join(guest(i), access.Member, noon)
	}
	if err := o.Accept(secrets[0], guest(0), addressOf(guest(0)).Key, noon); err != nil {
		t.Errorf("the last member: %v", err)
	}
	if err := o.Accept(secrets[1], guest(1), addressOf(guest(1)).Key, noon); !errors.Is(err, ErrMemberLimit) || len(o.Invitations) != MaxInvitations-1 {
		t.Errorf("one member more: %v, %d invitations", err, len(o.Invitations))
	}
	if _, _, err := o.Invite(owner, addressOf(stranger), access.Member, noon); !errors.Is(err, ErrMemberLimit) {
		t.Errorf("an invitation to a full organization: %v", err)
	}
}

// TestAbandon deletes the accounts of an organization one after the other.
func TestAbandon(t *testing.T) {
	o := club(access.Member, person("second"))
	for _, step := range []struct {
		leaves identity.Owner
		owners []identity.Owner
	}{
		{member, []identity.Owner{owner}},
		{owner, []identity.Owner{administrator}},
		{administrator, []identity.Owner{person("second")}},
		{person("second"), nil},
	} {
		left := o.Abandon(step.leaves)
		var owners []identity.Owner
		for _, m := range o.Members {
			if m.Role == access.Owner {
				owners = append(owners, m.Account)
			}
		}
		if d := cmp.Diff(step.owners, owners); d != "" || left != (len(owners) > 0) {
			t.Errorf("without %s: left %v; owners (-want +got):\n%s", step.leaves, left, d)
		}
	}
}

// TestTokens checks what no token of an invitation is.
func TestTokens(t *testing.T) {
	o := club("")
	secret, in := invite(t, o, owner, stranger, access.Member)
	for name, token := range map[string]string{
		"nothing": "", "the secret alone": secret, "the organization alone": string(o.ID) + ".", "a short secret": string(o.ID) + "." + secret[1:],
		"of an account": string(owner) + "." + secret, "the hash": string(o.ID) + "." + in.Hash, "the id": string(o.ID) + "." + in.ID,
		"a path": "../" + string(o.ID) + "." + secret,
	} {
		if _, _, err := splitToken(token); !errors.Is(err, ErrNoInvitation) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
