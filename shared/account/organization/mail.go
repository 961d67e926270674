package organization

import (
	"cmp"
	"context"

	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/account/throttle"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/mail"
	"miramundo.dev/shared/mail/address"
	"miramundo.dev/shared/site"
)

// The link of an invitation has its token in the query, as that of a sign-in has, so
// that the page works without a script. Logs of the service hold no query, and the
// token is worth nothing to anyone but the reader of the invited address.

// TokenParam is the query parameter of the invitation page that holds the token.
const TokenParam = "token"

// A Post sends invitations.
type Post struct {
	Organizations *Organizations
	Throttle      *throttle.Throttle
	Mail          mail.Sender
	Base          string // address of the service, without a trailing slash
}

// Invite stores an invitation and mails its link to an address, in the locale of the
// inviter. A mail that cannot be sent leaves no invitation. Invite returns
// address.ErrInvalid, throttle.ErrTooMany, mail.ErrNotSent and the faults of
// [Organizations.Invite].
func (p *Post) Invite(ctx context.Context, by, id identity.Owner, to string, role access.Role, l i18n.Locale) error {
	shown, key, err := address.Normalize(to)
	if err != nil {
		return err
	}
	err = p.Throttle.Attempt(ctx, throttle.InviteOfAccount.Of(string(by)), throttle.InviteOfAddress.Of(key))
	if err != nil {
		return err
	}
	in, err := p.Organizations.Invite(ctx, by, id, Address{shown, key}, role)
	if err != nil {
		return err
	}
	err = p.Mail.Send(ctx, mail.Message{To: shown, Locale: l, Content: mail.Invitation{
		Organization: in.Organization, Inviter: cmp.Or(in.Inviter.Profile.Name, in.Inviter.Email), Role: mail.Role(role),
		Link: p.Base + site.Invitation.Path(l, "") + "?" + TokenParam + "=" + in.Token, Holds: Holds,
	}})
	if err == nil {
		return nil
	}
	if e := p.Organizations.Withdraw(context.WithoutCancel(ctx), by, id, in.Invitation.ID); e != nil {
		return e
	}
	return err
}
