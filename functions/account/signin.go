package account

import (
	"context"
	"net/http"

	"miramundo.dev/shared/account/challenge"
	"miramundo.dev/shared/account/signin"
	"miramundo.dev/shared/account/throttle"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/credential"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/mail/address"
)

var signInEndpoints = []api.Endpoint{
	api.Bind((*Server).startMail, api.Endpoint{
		Name:   "start_mail_sign_in",
		Method: "POST", Path: "/api/auth/email/start", Auth: api.None, FromPage: true,
		Summary: "Start a sign-in by mail",
		Doc: "Sends one mail with a six-digit code and a link to an address, in the caller's language, and returns the challenge that the " +
			"code belongs to. The answer and its time are the same for addresses with and without an account; proving a new address makes its account.",
		Faults: []*fault.Error{address.ErrInvalid, throttle.ErrTooMany},
	}),
	api.Bind((*Server).finishMail, api.Endpoint{
		Name:   "sign_in_by_mailed_code",
		Method: "POST", Path: "/api/auth/email/finish", Auth: api.None, FromPage: true,
		Summary: "Sign in by a mailed code",
		Doc: "Signs in by the code of a mail, in the browser that asked for it, or returns the challenge for a second factor. " +
			"A challenge takes five wrong codes and ten minutes at most, and works once.",
		Faults: codeFaults,
	}),
	api.Bind((*Server).openMailLink, api.Endpoint{
		Name:   "sign_in_by_mailed_link",
		Method: "POST", Path: "/api/auth/link", Auth: api.None, FromPage: true,
		Summary: "Sign in by a mailed link",
		Doc: "Signs in by the token of a mail's link, in whichever browser opened it, or returns the challenge for a second factor. " +
			"Call it when the visitor has confirmed, never on opening the page: mail programs open links too.",
		Faults: []*fault.Error{challenge.ErrExpired, throttle.ErrTooMany},
	}),
	api.Bind((*Server).password, api.Endpoint{
		Name:   "sign_in_by_password",
		Method: "POST", Path: "/api/auth/password", Auth: api.None, FromPage: true,
		Summary: "Sign in by a password",
		Doc: "Signs in by an address and its password, or returns the challenge for a second factor. The answer and its time are the same for " +
			"a wrong password, an account without one and an address without an account.",
		Faults: []*fault.Error{address.ErrInvalid, signin.ErrCredentials, throttle.ErrTooMany},
	}),
	api.Bind((*Server).factor, api.Endpoint{
		Name:   "sign_in_by_second_factor",
		Method: "POST", Path: "/api/auth/factor", Auth: api.None, FromPage: true,
		Summary: "Finish a sign-in by a second factor",
		Doc: "Signs in by a code of the authenticator app or a recovery code, after the first step has returned a challenge. Each code works once. " +
			"A sign-in by passkey needs no second step.",
		Faults: codeFaults,
	}),
}

// codeFaults are the faults of a code.
var codeFaults = []*fault.Error{challenge.ErrWrong, challenge.ErrExpired, throttle.ErrTooMany}

// visitor returns the browser that sent the request in ctx.
func visitor(ctx context.Context) signin.Visitor {
	r, _ := ctx.Value(api.RequestKey).(api.Request)
	return signin.VisitorOf(r)
}

type startMailIn struct {
	Email  string `json:"email" required:"true" maxLength:"762" description:"Address to send the mail to."`
	Return string `json:"return" maxLength:"512" pattern:"^(/([!-.0-[\\]-~][!-[\\]-~]*)?)?$" description:"Path of this site to go to afterwards; it is returned with the session."`
	Lang   string `query:"lang" maxLength:"16" description:"Language of the mail: pt, en, es, fr or de. Without it, Accept-Language decides."`
}

// A started is a challenge that waits for its code.
type started struct {
	Challenge string `json:"challenge" description:"Id of the challenge, to be sent with the code."`
	ExpiresAt string `json:"expiresAt" format:"date-time" description:"Until when the code and the link work."`
}

func (s *Server) startMail(ctx context.Context, in startMailIn) (out started, err error) {
	out.Challenge, err = s.SignIn.StartMail(ctx, visitor(ctx), in.Email, in.Return)
	out.ExpiresAt = moment(s.Now().Add(challenge.Mail.Life))
	return out, err
}

// A signedIn is the outcome of a step of a sign-in.
type signedIn struct {
	Status    string          `json:"status" enum:"signed_in,second_factor" description:"signed_in, or second_factor when another step is needed."`
	User      *user           `json:"user" nullable:"true" description:"The account of the session; null while a second factor is missing."`
	Created   bool            `json:"created" description:"Whether the account is new."`
	Restored  bool            `json:"restored" description:"Whether the account was to be deleted, and is kept now."`
	Challenge *string         `json:"challenge" nullable:"true" description:"Id of the challenge for the second factor; null with a session."`
	Factors   []signin.Factor `json:"factors" nullable:"false" description:"Second factors of the account, while one is missing: app, passkey, recovery."`
	Return    string          `json:"return" description:"Path to go to, as the first step named it."`
}

// answerOf returns the answer for the outcome of a step, with the cookie of its
// session.
func answerOf(r signin.Result, err error) (out answer[signedIn], _ error) {
	if err != nil {
		return out, err
	}
	out.value = signedIn{Status: "second_factor", Factors: r.Factors, Return: r.Return, Created: r.Created, Restored: r.Restored}
	if r.Cookie == "" {
		out.value.Challenge = &r.Challenge
		return out, nil
	}
	out.value.Status, out.value.User, out.value.Factors = "signed_in", &user{r.Account, r.Email}, []signin.Factor{}
	out.cookies = []*http.Cookie{credential.SessionCookie(r.Cookie, r.Session.EndsAt.Time)}
	return out, nil
}

type codeIn struct {
	Challenge string `json:"challenge" required:"true" maxLength:"64" description:"Id of the challenge, as the step before returned it."`
	Code      string `json:"code" required:"true" maxLength:"64" description:"The code as the visitor typed it; spaces and hyphens are ignored."`
}

func (s *Server) finishMail(ctx context.Context, in codeIn) (answer[signedIn], error) {
	return answerOf(s.SignIn.FinishMail(ctx, visitor(ctx), in.Challenge, in.Code))
}

type mailLinkIn struct {
	Token string `json:"token" required:"true" maxLength:"128" description:"Token in the address of the link."`
}

func (s *Server) openMailLink(ctx context.Context, in mailLinkIn) (answer[signedIn], error) {
	return answerOf(s.SignIn.FinishLink(ctx, visitor(ctx), in.Token))
}

type passwordIn struct {
	Email    string `json:"email" required:"true" maxLength:"762" description:"Address of the account."`
	Password string `json:"password" required:"true" maxLength:"512" description:"The password exactly as typed."`
	Return   string `json:"return" maxLength:"512" pattern:"^(/([!-.0-[\\]-~][!-[\\]-~]*)?)?$" description:"Path of this site to go to afterwards; it is returned with the session."`
}

func (s *Server) password(ctx context.Context, in passwordIn) (answer[signedIn], error) {
	return answerOf(s.SignIn.Password(ctx, visitor(ctx), in.Email, in.Password, in.Return))
}

func (s *Server) factor(ctx context.Context, in codeIn) (answer[signedIn], error) {
	return answerOf(s.SignIn.Factor(ctx, visitor(ctx), in.Challenge, in.Code))
}
