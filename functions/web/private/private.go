// Package private renders pages for one visitor, and receives the forms on them.
//
// A [Page] declares what it shows and, by name, the actions that its forms submit.
// Everything works without a script: a form is sent to the path of its page, with
// the name of its action in the field "do". An action that succeeds answers with a
// redirect, so that reloading a page repeats nothing; one that fails has its page
// shown again, filled in, with a sentence at the form.
//
// A form is accepted from a page of the service alone: the request must have the
// exact Origin, which browsers send with every POST, and in the field "csrf" the
// token that only a page of this browser and session contains (see
// [identity.Pages]). The visitor is the account of the session cookie. No other
// credential counts, because only browsers request pages.
//
//	private.go   pages, and the way of a request to their handlers
//	visit.go     what a handler knows about a request, and what templates ask
//	form.go      the fields of a form
//	answer.go    rendered pages and redirects, with the cookies that they set
package private

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/credential"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/site"
	"miramundo.dev/shared/store"
)

// Options are what a Renderer needs.
type Options struct {
	Pages  *page.Renderer
	DB     store.DB
	Access *access.Checker // recognizes sessions
	Tokens *identity.Pages // of forms
	Now    func() time.Time
}

// A Renderer renders private pages. It may be used concurrently.
type Renderer struct{ Options }

// New returns a renderer that uses o.
func New(o Options) *Renderer { return &Renderer{o} }

// A Server answers for private pages by a renderer.
type Server interface{ Private() *Renderer }

// A Handler shows a page, or does what a form asks for. Its faults are shown to the
// visitor.
type Handler[S Server] func(s S, ctx context.Context, v *Visit) (*Answer, error)

// A Page is a private page.
type Page[S Server] struct {
	Page    site.Page
	Subject string // what the page shows and its forms change, such as "the account's profile"
	Doc     string
	Open    bool                  // for visitors without a session too; others are led to the sign-in page
	Show    Handler[S]            // renders the page
	Actions map[string]Handler[S] // of its forms, by the values of their field "do"
	MaxBody int64                 // of its forms; 0 means maxForm
}

// maxForm is the limit of a form, in bytes: the longest field is a passkey's answer.
const maxForm = 32 << 10

// A query is what the address of a private page may say.
type query struct {
	Done  string `query:"done" maxLength:"32" description:"Name of the notice that the page shows."`
	To    string `query:"to" maxLength:"512" description:"Path of this site to go to after signing in."`
	Again bool   `query:"again" description:"1 to sign in again although a session is open."`
	With  string `query:"with" maxLength:"16" description:"How the visitor wants to sign in: password."`
	Token string `query:"token" maxLength:"128" description:"Token of the link in a mail or in a code."`
}

// An address is the input of the pages: of those that are about one thing, with its
// id.
type address interface {
	get() (id string, q query, form []byte, media string)
}

// Inputs of pages and of their forms.
type (
	showIn  struct{ query }
	namedIn struct {
		ID string `path:"id" maxLength:"64" description:"Id of what the page is about."`
		query
	}
	form struct {
		Form  []byte `body:"application/x-www-form-urlencoded,multipart/form-data" description:"Fields of a form of the page."`
		Media string `header:"Content-Type" description:"Media type of the form."`
	}
	formIn      struct{ form }
	namedFormIn struct {
		ID string `path:"id" maxLength:"64" description:"Id of what the page is about."`
		form
	}
)

func (in showIn) get() (string, query, []byte, string)      { return "", in.query, nil, "" }
func (in namedIn) get() (string, query, []byte, string)     { return in.ID, in.query, nil, "" }
func (in formIn) get() (string, query, []byte, string)      { return "", query{}, in.Form, in.Media }
func (in namedFormIn) get() (string, query, []byte, string) { return in.ID, query{}, in.Form, in.Media }

// Endpoints returns the endpoints of p in each locale: one that shows it and, when
// it has actions, one that its forms are sent to.
func (p Page[S]) Endpoints() []api.Endpoint {
	if p.Page.Named() {
		return endpoints[S, namedIn, namedFormIn](p)
	}
	return endpoints[S, showIn, formIn](p)
}

func endpoints[S Server, In, Form address](p Page[S]) (all []api.Endpoint) {
	for _, l := range i18n.Locales {
		show := func(s S, ctx context.Context, in In) (*Answer, error) { return p.get(ctx, s, l, in) }
		submit := func(s S, ctx context.Context, in Form) (*Answer, error) { return p.post(ctx, s, l, in) }
		e := api.Endpoint{
			Method: http.MethodGet, Path: p.Page.Template(l), Auth: api.None, Page: true,
			Summary: "Show " + p.Subject + " (" + l.Tag() + ")", Doc: p.Doc, Produces: []string{"text/html"},
		}
		all = append(all, api.Bind(show, e))
		if len(p.Actions) == 0 {
			continue
		}
		e.Method, e.Summary, e.MaxBody = http.MethodPost, "Change "+p.Subject+" ("+l.Tag()+")", cmp.Or(p.MaxBody, maxForm)
		all = append(all, api.Bind(submit, e))
	}
	return all
}

// get shows the page.
func (p Page[S]) get(ctx context.Context, s S, l i18n.Locale, in address) (*Answer, error) {
	v, err := s.Private().visit(ctx, p.Page, l, in)
	if err != nil {
		return nil, err
	}
	return p.answer(ctx, s, v, p.Show)
}

// answer runs a handler for a visitor who may see the page, and leads others to the
// sign-in page.
func (p Page[S]) answer(ctx context.Context, s S, v *Visit, h Handler[S]) (*Answer, error) {
	if !p.Open && !v.SignedIn() {
		return v.toSignIn(), nil
	}
	a, err := h(s, ctx, v)
	switch {
	case errors.Is(err, identity.ErrEnded):
		v.end()
		return v.toSignIn(), nil
	case errors.Is(err, identity.ErrReauth):
		return v.withCookies(v.Go(v.ConfirmPath(), nil)), nil
	case err != nil:
		return nil, fault.OrUnavailable(err)
	}
	a.cookies = append(a.cookies, v.cookies...)
	return a, nil
}

// post runs the action of a form.
func (p Page[S]) post(ctx context.Context, s S, l i18n.Locale, in address) (*Answer, error) {
	v, err := s.Private().visit(ctx, p.Page, l, in)
	if err != nil {
		return nil, err
	}
	if err := v.read(in); err != nil {
		return nil, err
	}
	err = s.Private().Tokens.CheckWrite(v.browser, v.shown)
	if errors.Is(err, identity.ErrOrigin) || errors.Is(err, identity.ErrUnavailable) {
		return nil, err
	}
	if err != nil {
		v.action = "" // whatever was filled in came from another session
		return p.again(ctx, s, v, err)
	}
	h, ok := p.Actions[v.action]
	if !ok {
		return nil, fault.ErrInvalid.With("param", doField).With("reason", "not_listed")
	}
	a, err := p.answer(ctx, s, v, h)
	if err != nil {
		return p.again(ctx, s, v, err)
	}
	return a, nil
}

// again shows the page after an action failed. Failures of the service are answered
// as on every other page.
func (p Page[S]) again(ctx context.Context, s S, v *Visit, err error) (*Answer, error) {
	f := fault.From(err)
	status := api.Status(f.Kind)
	if status >= http.StatusInternalServerError {
		return nil, err
	}
	v.failure, v.status = f, status
	return p.answer(ctx, s, v, p.Show)
}

// visit returns the visit of a request.
func (r *Renderer) visit(ctx context.Context, p site.Page, l i18n.Locale, in address) (*Visit, error) {
	v := &Visit{Page: p, Locale: l, renderer: r, browser: api.BrowserOf(ctx), shown: api.CredentialsOf(ctx).Session, status: http.StatusOK}
	v.ID, v.query, _, _ = in.get()
	v.session = v.shown
	if v.session != "" {
		var err error
		if v.Speaker, err = r.Access.Session(ctx, v.session, ""); errors.Is(err, identity.ErrEnded) {
			v.end()
		} else if err != nil {
			return nil, err
		}
	}
	if !identity.IsBoot(v.browser.Boot) {
		v.browser.Boot = identity.NewBoot()
		v.cookies = append(v.cookies, credential.BootCookie(v.browser.Boot))
	}
	token, err := r.Tokens.Token(v.browser.Boot, v.session)
	if err != nil {
		return nil, fmt.Errorf("private: %w", err)
	}
	v.token = token
	return v, nil
}
