package signin

import (
	"context"

	"miramundo.dev/shared/account/challenge"
	"miramundo.dev/shared/account/throttle"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/mail"
	"miramundo.dev/shared/mail/address"
)

// pending is the payload of the challenges of a sign-in.
type pending struct {
	Email  string `json:"email,omitempty"`  // as it is shown
	Locale string `json:"locale,omitempty"` // tag of the language of the mail, and of a new account
	Method string `json:"method,omitempty"` // of the first proof
	Return string `json:"return,omitempty"`
}

// StartMail sends a code and a link to an address, and returns the id of the
// challenge, for the browser. returnTo is returned with the session. The work does
// not depend on whether the address has an account. StartMail returns
// address.ErrInvalid and throttle.ErrTooMany; after any other error no mail was sent.
func (s *Service) StartMail(ctx context.Context, v Visitor, email, returnTo string) (id string, err error) {
	shown, key, err := address.Normalize(email)
	if err != nil {
		return "", err
	}
	err = s.throttle.Attempt(ctx, throttle.MailOfAddress.Of(key).From(v.Browser), throttle.MailOfNetwork.Of(v.Network))
	if err != nil {
		return "", err
	}
	sent, err := s.challenges.StartMailed(ctx, challenge.Request{
		Kind: challenge.Mail, Browser: v.Browser, Subject: key, Payload: pending{Email: shown, Locale: v.Locale.Tag(), Return: returnTo},
	})
	if err != nil {
		return "", err
	}
	return sent.ID, unavailable(s.o.Mail.Send(ctx, mail.Message{To: shown, Locale: v.Locale, Content: mail.SignIn{
		Code: sent.Code, Link: s.link(v.Locale, sent.Link), Holds: challenge.Mail.Life, From: v.Place(),
	}}))
}

// FinishMail signs in by the code of a mail, in the browser that asked for it. It
// returns challenge.ErrWrong, challenge.ErrExpired and throttle.ErrTooMany.
func (s *Service) FinishMail(ctx context.Context, v Visitor, id, code string) (Result, error) {
	if err := s.throttle.Attempt(ctx, throttle.CodeOfNetwork.Of(v.Network)); err != nil {
		return Result{}, err
	}
	c, err := s.challenges.TakeCode(ctx, challenge.Mail, id, v.Browser, code)
	if err != nil {
		return Result{}, err
	}
	return s.provedMail(ctx, v, c, true)
}

// FinishLink signs in by the link of a mail, in the browser that opened it, which may
// be another than the one that asked for it. The caller must call it for a pressed
// button only: programs open the links of mails too. It returns
// challenge.ErrExpired and throttle.ErrTooMany.
func (s *Service) FinishLink(ctx context.Context, v Visitor, token string) (Result, error) {
	if err := s.throttle.Attempt(ctx, throttle.CodeOfNetwork.Of(v.Network)); err != nil {
		return Result{}, err
	}
	c, err := s.challenges.TakeLink(ctx, challenge.Mail, token)
	if err != nil {
		return Result{}, err
	}
	return s.provedMail(ctx, v, c, false)
}

// Link returns the address that a link signs in to, for the page on which the visitor
// confirms it. It returns challenge.ErrExpired.
func (s *Service) Link(ctx context.Context, token string) (email string, err error) {
	c, err := s.challenges.PeekLink(ctx, challenge.Mail, token)
	if err != nil {
		return "", err
	}
	var p pending
	err = c.Decode(&p)
	return p.Email, unavailable(err)
}

// provedMail signs in the reader of the mail of a challenge. announced says that the
// mail named the device.
func (s *Service) provedMail(ctx context.Context, v Visitor, c challenge.Challenge, announced bool) (Result, error) {
	var p pending
	if err := c.Decode(&p); err != nil {
		return Result{}, identity.ErrUnavailable.Because(err)
	}
	return s.enter(ctx, &proof{
		visitor: v, method: ByMail, returnTo: p.Return, announced: announced, find: byAddress(p, c.Subject, s.o.Now()),
	})
}
