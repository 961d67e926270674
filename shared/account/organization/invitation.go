package organization

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/store"
)

// An invitation is a token of 256 random bits that is mailed to an address. The
// organization holds its hash. The token alone opens nothing: it is accepted once,
// within seven days, and only by an account whose address is the invited one. So a
// link that was forwarded, or that stands in a log or a history, gives nobody else
// a place in the organization.
//
// An invitation stands on the authority of the member who made it. It ends when
// that member may not make it any more, so that nobody comes back after being
// removed by having invited another address before.

// Holds is how long an invitation can be accepted.
const Holds = 7 * 24 * time.Hour

// Faults of invitations.
var (
	ErrNoInvitation    = fault.New(fault.NotFound, "invitation_not_found")      // or it is over, or was accepted
	ErrWrongAddress    = fault.New(fault.Forbidden, "invitation_wrong_address") // another address than that of the account is invited
	ErrInvitationLimit = fault.New(fault.Conflict, "invitation_limit_reached").With("limit", MaxInvitations)
	ErrAlreadyMember   = fault.New(fault.Conflict, "already_member")
)

// An Invitation lets the owner of an address join an organization.
type Invitation struct {
	ID        string         `json:"id"` // public, by which it is listed and withdrawn
	Hash      string         `json:"hash"`
	Email     string         `json:"email"`     // as it was typed
	EmailKey  string         `json:"email_key"` // as addresses are compared
	Role      access.Role    `json:"role"`
	By        identity.Owner `json:"by"` // the account that invites
	CreatedAt store.Time     `json:"created_at"`
	EndsAt    store.Time     `json:"ends_at"`
}

// pending reports whether i can be accepted at a moment.
func (i *Invitation) pending(now time.Time) bool { return now.Before(i.EndsAt.Time) }

// An Address is an e-mail address in both of its forms.
type Address struct {
	Shown string
	Key   string // by which addresses are compared
}

// secretLen is the length of the secret of a token: 32 random bytes in base64url.
const secretLen = 43

// Invite adds an invitation and returns its token, which is stored nowhere. An
// earlier invitation of the same address ends. An owner invites members and
// administrators, an administrator members: owners are appointed among the members.
func (o *Organization) Invite(by identity.Owner, to Address, role access.Role, now time.Time) (token string, i Invitation, err error) {
	inviter, err := o.manager(by)
	if err != nil {
		return "", i, err
	}
	if role != access.Member && role != access.Administrator {
		return "", i, ErrRole
	}
	if !mayInvite(inviter, role) {
		return "", i, ErrForbidden
	}
	if len(o.Members) >= MaxMembers {
		return "", i, ErrMemberLimit
	}
	o.Invitations = slices.DeleteFunc(o.Invitations, func(i Invitation) bool { return i.EmailKey == to.Key || !i.pending(now) })
	if len(o.Invitations) >= MaxInvitations {
		return "", i, ErrInvitationLimit
	}
	secret := newSecret()
	i = Invitation{
		ID: "inv_" + strings.ToLower(rand.Text())[:16], Hash: hashOf(secret), Email: to.Shown, EmailKey: to.Key, Role: role, By: by,
		CreatedAt: store.At(now), EndsAt: store.At(now.Add(Holds)),
	}
	o.Invitations = append(o.Invitations, i)
	return string(o.ID) + "." + secret, i, nil
}

// mayInvite reports whether a member in a role may invite somebody to another one.
func mayInvite(inviter, role access.Role) bool {
	return inviter == access.Owner || inviter == access.Administrator && role == access.Member
}

// Withdraw ends the invitation with an id. Every member who manages o may.
func (o *Organization) Withdraw(by identity.Owner, id string) error {
	if _, err := o.manager(by); err != nil {
		return err
	}
	i := slices.IndexFunc(o.Invitations, func(i Invitation) bool { return i.ID == id })
	if i < 0 {
		return ErrNoInvitation
	}
	o.Invitations = slices.Delete(o.Invitations, i, i+1)
	return nil
}

// Accept makes an account a member by the secret of a token, and ends the
// invitation. An account that is a member already stays what it is, so that a link
// may be opened twice.
func (o *Organization) Accept(secret string, account identity.Owner, emailKey string, now time.Time) error {
	if _, ok := o.member(account); ok {
		return nil
	}
	i, err := o.invitation(secret, now)
	if err != nil {
		return err
	}
	if o.Invitations[i].EmailKey != emailKey {
		return ErrWrongAddress
	}
	if err := o.join(account, o.Invitations[i].Role, now); err != nil {
		return err
	}
	o.Invitations = slices.Delete(o.Invitations, i, i+1)
	return nil
}

// invitation returns the index of the pending invitation of a secret.
func (o *Organization) invitation(secret string, now time.Time) (int, error) {
	hash := hashOf(secret)
	for i := range o.Invitations {
		if in := &o.Invitations[i]; subtle.ConstantTimeCompare([]byte(in.Hash), []byte(hash)) == 1 && in.pending(now) {
			return i, nil
		}
	}
	return 0, ErrNoInvitation
}

// endInvitations removes the invitations whose makers may not make them any more.
func (o *Organization) endInvitations() {
	o.Invitations = slices.DeleteFunc(o.Invitations, func(i Invitation) bool {
		role, err := o.RoleOf(i.By)
		return err != nil || !mayInvite(role, i.Role)
	})
}

// splitToken returns the organization and the secret of an invitation's token.
func splitToken(token string) (id identity.Owner, secret string, err error) {
	text, secret, _ := strings.Cut(token, ".")
	if id = identity.Owner(text); identity.KindOf(id) != identity.Organization || len(secret) != secretLen {
		return "", "", ErrNoInvitation
	}
	return id, secret, nil
}

func newSecret() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // it never fails
	return base64.RawURLEncoding.EncodeToString(b)
}

// hashOf returns the hash of a secret, as invitations hold it.
func hashOf(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}
