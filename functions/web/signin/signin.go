// Package signin serves the sign-in page, in steps that need no script.
//
// The visitor types an address and receives a mail with a code and a link. The code
// is typed at the next step; the link leads to a step with one button, since programs
// that scan mails open links. A password is an alternative to the mail, and a second
// factor follows where the account has one. Each step is the answer to the form of
// the step before it, and carries the id of the pending challenge in a hidden field,
// which is worth nothing in another browser.
//
// A visitor who is signed in comes here to prove it again, before a change that
// protects the account.
package signin

import (
	"context"
	"errors"
	"net/url"

	"miramundo.dev/functions/web/private"
	"miramundo.dev/shared/account/challenge"
	"miramundo.dev/shared/account/signin"
	"miramundo.dev/shared/site"
)

// Endpoints are the sign-in page in every locale, with its forms.
var Endpoints = signInPage.Endpoints()

// Options are what a Server needs.
type Options struct {
	Private *private.Renderer
	Service *signin.Service
}

// A Server serves the sign-in page.
type Server struct{ o Options }

// New returns a server that uses o.
func New(o Options) *Server { return &Server{o} }

// Private returns the renderer of the page.
func (s *Server) Private() *private.Renderer { return s.o.Private }

var signInPage = private.Page[*Server]{
	Page: site.SignIn, Subject: "the sign-in page", Open: true,
	Doc:  "Returns the page on which visitors sign in by mail or password, or the step that the address or the form asks for. Opening it changes nothing.",
	Show: (*Server).show,
	Actions: map[string]private.Handler[*Server]{
		"mail":     (*Server).startMail,
		"code":     (*Server).finishMail,
		"link":     (*Server).finishLink,
		"password": (*Server).password,
		"factor":   (*Server).factor,
	},
}

// A step is what the page asks for.
type step string

// The steps.
const (
	start    step = "start"    // an address
	code     step = "code"     // the code of the mail
	link     step = "link"     // to confirm the link of the mail
	password step = "password" // an address and a password
	second   step = "factor"   // a second factor
	done     step = "done"     // nothing: the visitor is signed in
)

// A body is the body of the page.
type body struct {
	*private.Visit
	Step      step
	Email     string // of the account, as far as it is known
	Challenge string // id of the pending challenge
	Factors   []signin.Factor
	Again     bool // whether a visitor who is signed in proves it again
}

// Has reports whether the account has a second factor of a kind.
func (b body) Has(kind string) bool {
	for _, f := range b.Factors {
		if string(f) == kind {
			return true
		}
	}
	return false
}

// show renders the step that the address asks for, or repeats the step whose form
// failed.
func (s *Server) show(ctx context.Context, v *private.Visit) (*private.Answer, error) {
	b := body{Visit: v, Step: start, Email: v.Field("email"), Challenge: v.Field("challenge"), Again: v.SignedIn()}
	switch {
	case v.Failed(challenge.ErrExpired):
	case v.Wrong("code") != "":
		b.Step = code
	case v.Wrong("password") != "":
		b.Step = password
	case v.Wrong("factor") != "":
		b.Step = second
		for _, f := range v.Fields("factors") {
			b.Factors = append(b.Factors, signin.Factor(f))
		}
	case v.Wrong("mail") != "" || v.Wrong("link") != "":
	case v.Token != "":
		return s.confirmLink(ctx, v, b)
	case v.SignedIn() && !v.Again:
		b.Step = done
	case v.With == string(password):
		b.Step = password
	}
	if b.Email == "" && v.SignedIn() {
		a, err := v.Account(ctx)
		if err != nil {
			return nil, err
		}
		b.Email = a.Email
	}
	return render(b)
}

// render renders a step.
func render(b body) (*private.Answer, error) {
	view := b.View(b)
	switch {
	case b.Step == done:
		view.Title = view.T("signin.done_title")
	case b.Again:
		view.Title = view.T("signin.again_title")
	}
	return b.Show(view)
}

// startMail sends the mail.
func (s *Server) startMail(ctx context.Context, v *private.Visit) (*private.Answer, error) {
	email := v.Field("email")
	id, err := s.o.Service.StartMail(ctx, v.Visitor(ctx), email, v.Return())
	if err != nil {
		return nil, err
	}
	return render(body{Visit: v, Step: code, Email: email, Challenge: id, Again: v.SignedIn()})
}

// finishMail signs in by the code of the mail.
func (s *Server) finishMail(ctx context.Context, v *private.Visit) (*private.Answer, error) {
	return s.finish(v)(s.o.Service.FinishMail(ctx, v.Visitor(ctx), v.Field("challenge"), v.Field("code")))
}

// confirmLink renders the step of a link, without using it up.
func (s *Server) confirmLink(ctx context.Context, v *private.Visit, b body) (*private.Answer, error) {
	email, err := s.o.Service.Link(ctx, v.Token)
	if errors.Is(err, challenge.ErrExpired) {
		v.Fail("link", err)
		return render(b)
	}
	if err != nil {
		return nil, err
	}
	b.Step, b.Email, b.Challenge = link, email, v.Token
	return render(b)
}

// finishLink signs in by the link of the mail.
func (s *Server) finishLink(ctx context.Context, v *private.Visit) (*private.Answer, error) {
	return s.finish(v)(s.o.Service.FinishLink(ctx, v.Visitor(ctx), v.Field("challenge")))
}

// password signs in by a password.
func (s *Server) password(ctx context.Context, v *private.Visit) (*private.Answer, error) {
	return s.finish(v)(s.o.Service.Password(ctx, v.Visitor(ctx), v.Field("email"), v.Secret("password"), v.Return()))
}

// factor signs in by a second factor.
func (s *Server) factor(ctx context.Context, v *private.Visit) (*private.Answer, error) {
	return s.finish(v)(s.o.Service.Factor(ctx, v.Visitor(ctx), v.Field("challenge"), v.Field("code")))
}

// finish returns what answers with the result of a proof: the step of the second
// factor, or a session. A visitor who proved it again goes back at once; for others
// the last step comes first, whose script brings what the browser kept as a guest.
func (s *Server) finish(v *private.Visit) func(signin.Result, error) (*private.Answer, error) {
	return func(r signin.Result, err error) (*private.Answer, error) {
		if err != nil {
			return nil, err
		}
		to := v.LocalOr(r.Return)
		if r.Challenge != "" {
			return render(body{Visit: v.Returning(to), Step: second, Challenge: r.Challenge, Factors: r.Factors, Again: v.SignedIn()})
		}
		again := v.SignedIn() && v.Speaker.Account == r.Account
		v.SetSession(r.Cookie, &r.Session)
		if again {
			return v.Go(to, nil), nil
		}
		query := url.Values{"to": {to}}
		switch {
		case r.Created:
			query.Set("done", "created")
		case r.Restored:
			query.Set("done", "restored")
		}
		return v.Go(v.Path(), query), nil
	}
}
