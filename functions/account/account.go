// Package account is the function that signs people in and out, and shows what
// their accounts hold.
//
// Sessions, keys and accounts are documents of the packages below shared/account; in
// memory there is only the pace of devices that ask for each other. Endpoints that act
// on the cookie of a session are called by the pages of the service alone; every write
// needs the token of the endpoint bootstrap, which proves that.
package account

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"miramundo.dev/shared/account"
	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/account/avatar"
	"miramundo.dev/shared/account/challenge"
	"miramundo.dev/shared/account/devicelink"
	"miramundo.dev/shared/account/passkey"
	"miramundo.dev/shared/account/removal"
	"miramundo.dev/shared/account/signin"
	"miramundo.dev/shared/account/throttle"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/input"
	"miramundo.dev/shared/billing/pass"
	"miramundo.dev/shared/config"
	"miramundo.dev/shared/credential"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/library"
	"miramundo.dev/shared/mail"
	"miramundo.dev/shared/social/kept"
	"miramundo.dev/shared/store"
)

// Endpoints is this function's part of the API.
var Endpoints = slices.Concat(
	sessionEndpoints, signInEndpoints, profileEndpoints, passkeyEndpoints, deviceEndpoints, avatarEndpoints, browserEndpoints,
	leaveEndpoints, exportEndpoints, keyEndpoints, organizationEndpoints, memberEndpoints,
)

// Options are what a Server is made from.
type Options struct {
	DB         store.DB
	Access     *access.Checker
	Pages      *identity.Pages
	SignIn     *signin.Service
	Passkeys   *passkey.Party
	Challenges *challenge.Challenges
	Throttle   *throttle.Throttle
	Links      *devicelink.Links
	Removals   *removal.Removals
	Mail       mail.Sender
	Base       string // address of the service
	Now        func() time.Time
}

// A Server answers for the accounts in a database.
type Server struct {
	Options
	polls  *pace // of the devices of links
	starts *pace // of sign-ins by passkey
	photos *avatar.Photos
}

// New returns a server of the accounts in o.DB.
func New(o Options) *Server {
	return &Server{Options: o, polls: newPolls(o.Now), starts: newStarts(o.Now), photos: avatar.NewPhotos(o.DB, o.Throttle, o.Now)}
}

// An answer is a result that sets cookies. Value is sent as JSON.
type answer[T any] struct {
	value   T
	cookies []*http.Cookie
	header  http.Header // further headers; may be nil
}

// Reply writes the cookies and the value.
func (a answer[T]) Reply(w http.ResponseWriter, r *http.Request) error {
	for _, c := range a.cookies {
		http.SetCookie(w, c)
	}
	for name, values := range a.header {
		w.Header()[name] = values
	}
	return api.Send(w, r, http.StatusOK, a.value)
}

// Schema returns the value, for the description of the API.
func (a answer[T]) Schema() any { return a.value }

// done is the answer of a write that has nothing to return.
type done struct {
	OK bool `json:"ok" description:"Always true."`
}

var profileEndpoints = []api.Endpoint{
	api.Bind((*Server).me, api.Endpoint{
		Name:   "get_me",
		Method: "GET", Path: "/api/me", Auth: api.Session,
		Summary: "Get the signed-in account",
		Doc: "Returns the account of the session with its profile and the number of folders, favorites and channels in the history " +
			"that it has, and its passes in force. user.id is the owner of what the session writes.",
		Faults: []*fault.Error{fault.ErrUnavailable},
	}),
	api.Bind((*Server).profile, api.Endpoint{
		Name:   "get_account_profile",
		Method: "GET", Path: "/api/account/profile", Auth: api.Session,
		Summary: "Get the account's profile",
		Doc:     "Returns the profile of the session's account. The account page changes it; this API does not.",
		Faults:  []*fault.Error{fault.ErrUnavailable},
	}),
}

// A profile is a profile as the API shows it.
type profile struct {
	Name     string `json:"name"`
	Locale   string `json:"locale" description:"Tag of a locale of the service; empty for that of the browser."`
	TimeZone string `json:"timeZone" description:"Name in the IANA database; empty for that of the browser."`
	Theme    string `json:"theme" enum:"system,light,dark" description:"Colours of the pages: those of the system, light or dark."`
	Revision int64  `json:"revision" description:"Number that changes whenever the profile does."`
}

func showProfile(p account.Profile) profile {
	return profile{Name: p.Name, Locale: p.Locale, TimeZone: p.TimeZone, Theme: p.Theme, Revision: p.Revision}
}

// account returns the account of the session.
func (s *Server) account(ctx context.Context) (*account.Account, error) {
	owner, err := identity.OwnerOf(ctx)
	if err != nil {
		return nil, err
	}
	a, err := account.Load(ctx, s.DB, owner)
	if err != nil {
		return nil, fault.OrUnavailable(err)
	}
	return a, nil
}

type profileOut struct {
	Profile profile `json:"profile" description:"Profile of the account."`
}

func (s *Server) profile(ctx context.Context, _ struct{}) (out profileOut, err error) {
	a, err := s.account(ctx)
	if err != nil {
		return out, err
	}
	return profileOut{showProfile(a.Profile)}, nil
}

// A user is the account as a person knows it.
type user struct {
	ID    identity.Owner `json:"id" description:"Id of the account: a_ followed by letters and digits."`
	Email string         `json:"email" format:"email" description:"Address of the account."`
}

// The resources of an account, counted.
type resources struct {
	Categories int `json:"categories" description:"Folders of the library."`
	Favorites  int `json:"favorites" description:"Number of favorites."`
	History    int `json:"history" description:"Channels in the history."`
}

type meOut struct {
	User      user         `json:"user" description:"The account."`
	Profile   profile      `json:"profile" description:"Profile of the account."`
	App       string       `json:"app" description:"Name of the service."`
	Resources resources    `json:"resources" description:"Counts of what the account keeps."`
	Passes    []pass.Shown `json:"passes" nullable:"false" description:"Passes in force that the account bought, or took over from a guest."`
}

func (s *Server) me(ctx context.Context, _ struct{}) (out meOut, err error) {
	a, err := s.account(ctx)
	if err != nil {
		return out, err
	}
	out = meOut{User: user{a.ID, a.Email}, Profile: showProfile(a.Profile), App: config.Product}
	err = s.readOwned(ctx, a.ID, &out)
	return out, err
}

// readOwned counts what an account has, and reads its passes, by four reads at once.
func (s *Server) readOwned(ctx context.Context, owner identity.Owner, out *meOut) error {
	docs, err := s.DB.GetAll(ctx, []store.Path{library.Path(owner), kept.FavoritesPath(owner), kept.HistoryPath(owner), pass.Path(owner)})
	if err != nil {
		return fault.OrUnavailable(err)
	}
	var l library.Library
	var f kept.Favorites
	var h kept.History
	var p pass.Passes
	for i, doc := range []any{&l, &f, &h, &p} {
		if docs[i].Decode == nil {
			continue
		}
		if err := docs[i].Decode(doc); err != nil {
			return err
		}
	}
	out.Resources = resources{len(l.Categories), len(f.Rows), len(h.Rows)}
	out.Passes = p.Show(s.Now())
	return nil
}

var sessionEndpoints = []api.Endpoint{
	api.Bind((*Server).bootstrap, api.Endpoint{
		Name:   "get_csrf_token",
		Method: "GET", Path: api.BootstrapPath, Auth: api.None, SameOrigin: true,
		Summary: "Get a CSRF token",
		Doc: "Sets a cookie that names this browser and returns the token that its writes send in X-CSRF-Token. The token belongs to " +
			"the session of the account cookie, or to the browser without one: get another after signing in or out. Only pages of " +
			"the service need it; programs send a guest token or an API key.",
		Faults: []*fault.Error{identity.ErrOrigin, identity.ErrUnavailable},
	}),
	api.Bind((*Server).logout, api.Endpoint{
		Name:   "sign_out",
		Method: "POST", Path: "/api/auth/logout", Auth: api.None, FromPage: true,
		Summary: "End the session of this browser",
		Doc: "Ends the session of the account cookie and removes the cookie; sessions of other browsers stay. A session that has " +
			"ended already is not an error.",
		Faults: []*fault.Error{fault.ErrUnavailable},
	}),
}

// A prepared is the answer of bootstrap.
type prepared struct {
	CSRF    string `json:"csrf" description:"Token to send in X-CSRF-Token with each write."`
	Context string `json:"context" description:"Name of the current view, which changes with the session; also in the header X-MM-Context. It is not a credential."`
}

func (s *Server) bootstrap(ctx context.Context, _ struct{}) (out answer[prepared], err error) {
	browser, shown := api.BrowserOf(ctx), api.CredentialsOf(ctx)
	if err := s.Pages.CheckOrigin(browser, false); err != nil {
		return out, err
	}
	if !identity.IsBoot(browser.Boot) {
		browser.Boot = identity.NewBoot()
		out.cookies = append(out.cookies, credential.BootCookie(browser.Boot))
	}
	if out.value.CSRF, err = s.Pages.Token(browser.Boot, shown.Session); err != nil {
		return out, err
	}
	out.value.Context = identity.Context(browser.Boot, shown.Session)
	out.header = http.Header{"X-Mm-Context": {out.value.Context}}
	return out, nil
}

type logoutIn struct{ input.EmptyObject }

func (s *Server) logout(ctx context.Context, _ logoutIn) (out answer[done], err error) {
	out = answer[done]{value: done{true}, cookies: []*http.Cookie{credential.NoSessionCookie()}}
	cookie := api.CredentialsOf(ctx).Session
	owner, ok := access.AccountOf(cookie)
	if !ok {
		return out, nil
	}
	r, err := access.Update(ctx, s.DB, owner, func(r *access.Record) error {
		if !r.EndCookie(cookie) {
			return identity.ErrEnded
		}
		return nil
	})
	switch {
	case err == nil:
		s.Access.Learn(r)
	case !errors.Is(err, identity.ErrEnded):
		return out, fault.OrUnavailable(err)
	}
	return out, nil
}
