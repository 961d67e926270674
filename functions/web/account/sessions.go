package account

import (
	"context"
	"errors"

	"miramundo.dev/functions/web/private"
	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/site"
)

var sessionsPage = private.Page[*Server]{
	Page: site.Sessions, Subject: "the account's sessions",
	Doc:  "Returns the page that lists the browsers in which the account is signed in, with their devices and last use, and ends them.",
	Show: (*Server).sessions,
	Actions: map[string]private.Handler[*Server]{
		"end":        (*Server).endSession,
		"everywhere": (*Server).endOthers,
	},
}

// A sessionsBody is the body of the page.
type sessionsBody struct {
	*private.Visit
	Rows []sessionRow
}

// A sessionRow is a session as the page shows it.
type sessionRow struct {
	ID      string
	Device  access.Device
	Country string // name; empty when it is not known
	Used    private.Moment
	Since   private.Moment
	Method  string
	Current bool // whether it is the session of the visitor's browser
}

func (s *Server) sessions(ctx context.Context, v *private.Visit) (*private.Answer, error) {
	a, err := v.Account(ctx)
	if err != nil {
		return nil, err
	}
	r, err := v.Record(ctx)
	if err != nil {
		return nil, err
	}
	body := sessionsBody{Visit: v}
	for _, one := range r.Live(s.o.Private.Now()) {
		row := sessionRow{
			ID: one.ID, Device: one.Device, Method: one.Method, Current: one.ID == v.Session,
			Used: v.Moment(a.Profile, one.UsedAt.Time), Since: v.Moment(a.Profile, one.CreatedAt.Time),
		}
		row.Country, _ = i18n.CountryName(one.Device.Country, v.Locale)
		body.Rows = append(body.Rows, row)
	}
	return v.Show(v.View(body))
}

// endSession ends one session. Ending that of the visitor's own browser signs out; a
// session that is over already needs no ending.
func (s *Server) endSession(ctx context.Context, v *private.Visit) (*private.Answer, error) {
	id := v.Field("session")
	if err := s.change(ctx, v, func(r *access.Record) { r.EndSession(id) }); err != nil {
		return nil, err
	}
	if id == v.Session {
		return signedOut(v), nil
	}
	return v.Finish("session"), nil
}

// endOthers ends the other sessions and stops the keys of the account.
func (s *Server) endOthers(ctx context.Context, v *private.Visit) (*private.Answer, error) {
	err := s.change(ctx, v, func(r *access.Record) {
		r.EndSessions(v.Session)
		r.StopKeys("")
	})
	if err != nil {
		return nil, err
	}
	return v.Finish("everywhere"), nil
}

// signOut ends the session of the visitor's browser.
func (s *Server) signOut(ctx context.Context, v *private.Visit) (*private.Answer, error) {
	err := s.change(ctx, v, func(r *access.Record) { r.EndSession(v.Session) })
	if err != nil && !errors.Is(err, identity.ErrEnded) {
		return nil, err
	}
	return signedOut(v), nil
}

// signedOut removes the cookie and leads to the sign-in page, which says so.
func signedOut(v *private.Visit) *private.Answer {
	v.EndSession()
	return v.Go(site.SignIn.Path(v.Locale, ""), private.Query("done", "signed_out"))
}

// change changes the access record of the visitor's account.
func (s *Server) change(ctx context.Context, v *private.Visit, change func(*access.Record)) error {
	r, err := access.Update(ctx, v.DB(), v.Speaker.Account, func(r *access.Record) error {
		change(r)
		return nil
	})
	if err == nil {
		s.o.Private.Access.Learn(r)
	}
	return err
}
