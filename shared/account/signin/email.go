package signin

import (
	"context"

	"miramundo.dev/shared/account"
	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/account/challenge"
	"miramundo.dev/shared/account/throttle"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/mail"
	"miramundo.dev/shared/mail/address"
	"miramundo.dev/shared/store"
)

// newAddress is the payload of the challenge for another address.
type newAddress struct {
	Shown string `json:"shown"`
	Key   string `json:"key"`
}

// StartEmailChange sends a code to another address for the caller's account, and
// returns the id of the challenge, for the browser. The work does not depend on whether
// the address has an account. It returns identity.ErrReauth, address.ErrInvalid and
// throttle.ErrTooMany.
func (s *Service) StartEmailChange(ctx context.Context, who identity.Speaker, v Visitor, email string) (id string, err error) {
	if err := s.checkRecent(who); err != nil {
		return "", err
	}
	shown, key, err := address.Normalize(email)
	if err != nil {
		return "", err
	}
	err = s.throttle.Attempt(ctx, throttle.ChangeOfAccount.Of(string(who.Account)), throttle.MailOfAddress.Of(key).From(v.Browser))
	if err != nil {
		return "", err
	}
	sent, err := s.challenges.StartMailed(ctx, challenge.Request{
		Kind: challenge.Address, Browser: v.Browser, Subject: string(who.Account), Payload: newAddress{shown, key},
	})
	if err != nil {
		return "", err
	}
	return sent.ID, unavailable(s.o.Mail.Send(ctx, mail.Message{
		To: shown, Locale: v.Locale, Content: mail.ChangeEmail{Code: sent.Code, Holds: challenge.Address.Life, From: v.Place()},
	}))
}

// FinishEmailChange gives the caller's account the address that a code was sent to,
// tells the previous address, and returns the new cookie of the caller's session. It
// returns challenge.ErrWrong, challenge.ErrExpired, account.ErrTaken,
// throttle.ErrTooMany, and identity.ErrReauth when the sign-in is not recent any more.
func (s *Service) FinishEmailChange(ctx context.Context, who identity.Speaker, v Visitor, id, code string) (cookie string, err error) {
	if err := s.checkRecent(who); err != nil {
		return "", err
	}
	if err := s.throttle.Attempt(ctx, throttle.CodeOfNetwork.Of(v.Network)); err != nil {
		return "", err
	}
	c, err := s.challenges.TakeCode(ctx, challenge.Address, id, v.Browser, code)
	if err != nil {
		return "", err
	}
	var to newAddress
	if err := c.Decode(&to); err != nil {
		return "", identity.ErrUnavailable.Because(err)
	}
	if c.Subject != string(who.Account) {
		return "", challenge.ErrExpired
	}
	previous := ""
	done, err := s.change(ctx, who, func(tx store.Tx, a *account.Account, _ *access.Record, _ *access.Session) error {
		owner, found, err := account.Find(tx, to.Key)
		if err != nil {
			return err
		}
		if found && owner != a.ID {
			return account.ErrTaken
		}
		previous = a.Email
		return account.Rename(tx, a, to.Shown, to.Key)
	})
	if err != nil {
		return "", err
	}
	s.notify(ctx, done.account, v, previous, func(e mail.Event, _ string) mail.Content { return mail.EmailChanged{Event: e} })
	return done.cookie, nil
}
