// Package security serves the page on which visitors change how they sign in: the
// address, the password, passkeys, the authenticator app and recovery codes.
//
// The page always shows what the account has. It offers changes only to a visitor who
// has signed in recently, and else leads through the sign-in page and back first, so
// that nobody fills in a form in vain. Passkeys are added by a script, since no other
// means exists; everything else works without one.
package security

import (
	"context"

	"miramundo.dev/functions/web/private"
	"miramundo.dev/shared/account"
	"miramundo.dev/shared/account/challenge"
	"miramundo.dev/shared/account/passkey"
	"miramundo.dev/shared/account/password"
	"miramundo.dev/shared/account/signin"
	"miramundo.dev/shared/site"
)

// Endpoints are the page in every locale, with its forms.
var Endpoints = securityPage.Endpoints()

// Options are what a Server needs.
type Options struct {
	Private *private.Renderer
	Service *signin.Service
}

// A Server serves the page.
type Server struct{ o Options }

// New returns a server that uses o.
func New(o Options) *Server { return &Server{o} }

// Private returns the renderer of the page.
func (s *Server) Private() *private.Renderer { return s.o.Private }

var securityPage = private.Page[*Server]{
	Page: site.Security, Subject: "the account's security",
	Doc: "Returns the page on which visitors change their address, password, passkeys, authenticator app and recovery codes. " +
		"New codes and secrets are in the answer of the form that asks for them, and are never shown again.",
	Show: (*Server).show,
	Actions: map[string]private.Handler[*Server]{
		"email":           (*Server).startEmail,
		"email-code":      (*Server).finishEmail,
		"password":        (*Server).setPassword,
		"password-remove": (*Server).removePassword,
		"passkey-rename":  (*Server).renamePasskey,
		"passkey-remove":  (*Server).removePasskey,
		"twostep":         (*Server).setTwoStep,
		"app":             (*Server).startApp,
		"app-code":        (*Server).finishApp,
		"app-remove":      (*Server).removeApp,
		"recovery":        (*Server).newRecovery,
	},
}

// A step is what the page shows.
type step string

// The steps.
const (
	overview step = ""
	email    step = "email" // asks for the code sent to another address
	app      step = "app"   // shows the secret of an authenticator app, and asks for its first code
	codes    step = "codes" // shows new recovery codes
)

// A body is the body of the page.
type body struct {
	*private.Visit
	Step        step
	Account     *account.Account
	Open        bool // whether changes are offered
	Passkeys    []passkeyRow
	AppSince    private.Moment
	Email       string // another address, to which a code was sent
	Challenge   string // id of the pending challenge
	Enrolment   enrolment
	Recovery    []string // new codes
	MinPassword int
}

// A passkeyRow is a passkey as the page shows it.
type passkeyRow struct {
	Ref, Name string
	Since     private.Moment
	Used      private.Moment
	Synced    bool
}

// show renders what the account has, or repeats the step whose form failed.
func (s *Server) show(ctx context.Context, v *private.Visit) (*private.Answer, error) {
	switch {
	case v.Failed(challenge.ErrExpired):
	case v.Wrong("email-code") != "":
		return s.render(ctx, v, body{Step: email, Email: v.Field("email"), Challenge: v.Field("challenge")})
	case v.Wrong("app-code") != "":
		return s.repeatApp(ctx, v)
	}
	return s.render(ctx, v, body{})
}

// render renders b, completed by what the account has.
func (s *Server) render(ctx context.Context, v *private.Visit, b body) (*private.Answer, error) {
	a, err := v.Account(ctx)
	if err != nil {
		return nil, err
	}
	b.Visit, b.Account, b.Open, b.MinPassword = v, a, v.MayProtect(a), password.MinLength
	if a.TOTP != nil {
		b.AppSince = v.Day(a.Profile, a.TOTP.Since.Time)
	}
	for _, key := range a.Passkeys {
		row := passkeyRow{Ref: key.Ref(), Name: key.Name, Since: v.Day(a.Profile, key.CreatedAt.Time), Synced: key.BackedUp}
		if key.LastUsedAt != nil {
			row.Used = v.Day(a.Profile, key.LastUsedAt.Time)
		}
		b.Passkeys = append(b.Passkeys, row)
	}
	return v.Show(v.View(b))
}

// changed answers an action that returned a new cookie for the session.
func (s *Server) changed(ctx context.Context, v *private.Visit, cookie string, err error, notice string) (*private.Answer, error) {
	if err == nil {
		err = v.Rotated(ctx, cookie)
	}
	if err != nil {
		return nil, err
	}
	return v.Finish(notice), nil
}

func (s *Server) setPassword(ctx context.Context, v *private.Visit) (*private.Answer, error) {
	cookie, err := s.o.Service.SetPassword(ctx, v.Speaker, v.Visitor(ctx), v.Secret("password"))
	return s.changed(ctx, v, cookie, err, "password")
}

func (s *Server) removePassword(ctx context.Context, v *private.Visit) (*private.Answer, error) {
	cookie, err := s.o.Service.RemovePassword(ctx, v.Speaker, v.Visitor(ctx))
	return s.changed(ctx, v, cookie, err, "password_removed")
}

// startEmail sends a code to another address.
func (s *Server) startEmail(ctx context.Context, v *private.Visit) (*private.Answer, error) {
	to := v.Field("email")
	id, err := s.o.Service.StartEmailChange(ctx, v.Speaker, v.Visitor(ctx), to)
	if err != nil {
		return nil, err
	}
	return s.render(ctx, v, body{Step: email, Email: to, Challenge: id})
}

// finishEmail gives the account the address that the code was sent to.
func (s *Server) finishEmail(ctx context.Context, v *private.Visit) (*private.Answer, error) {
	cookie, err := s.o.Service.FinishEmailChange(ctx, v.Speaker, v.Visitor(ctx), v.Field("challenge"), v.Field("code"))
	return s.changed(ctx, v, cookie, err, "email")
}

// renamePasskey gives a passkey another name, which protects nothing and so needs no
// recent sign-in.
func (s *Server) renamePasskey(ctx context.Context, v *private.Visit) (*private.Answer, error) {
	_, err := account.Update(ctx, v.DB(), v.Speaker.Account, func(a *account.Account) (err error) {
		a.Passkeys, err = passkey.Rename(a.Passkeys, v.Field("passkey"), v.Field("name"))
		return err
	})
	if err != nil {
		return nil, err
	}
	return v.Finish("passkey_renamed"), nil
}

func (s *Server) removePasskey(ctx context.Context, v *private.Visit) (*private.Answer, error) {
	cookie, err := s.o.Service.RemovePasskey(ctx, v.Speaker, v.Visitor(ctx), v.Field("passkey"))
	return s.changed(ctx, v, cookie, err, "passkey_removed")
}

// setTwoStep decides whether a passkey is asked for after a mail or a password.
func (s *Server) setTwoStep(ctx context.Context, v *private.Visit) (*private.Answer, error) {
	on := v.Field("on") == "1"
	recovery, cookie, err := s.o.Service.SetTwoStep(ctx, v.Speaker, v.Visitor(ctx), on)
	if len(recovery) > 0 && err == nil {
		return s.showCodes(ctx, v, recovery, cookie)
	}
	notice := "twostep_off"
	if on {
		notice = "twostep_on"
	}
	return s.changed(ctx, v, cookie, err, notice)
}
