package security

import (
	"context"
	"html/template"
	"strings"

	"miramundo.dev/functions/web/private"
	"miramundo.dev/shared/account/signin"
	"miramundo.dev/shared/qr"
)

// An enrolment is an authenticator app that is being added, as the page shows it.
type enrolment struct {
	Code   template.HTML // a QR code of the secret
	Secret string        // in groups of four, to be typed
	URL    template.URL  // opens an app on the same device
}

// startApp shows the secret of a new authenticator app.
func (s *Server) startApp(ctx context.Context, v *private.Visit) (*private.Answer, error) {
	e, err := s.o.Service.StartApp(ctx, v.Speaker, v.Visitor(ctx))
	if err != nil {
		return nil, err
	}
	return s.showApp(ctx, v, e)
}

// repeatApp shows the secret again after a wrong code.
func (s *Server) repeatApp(ctx context.Context, v *private.Visit) (*private.Answer, error) {
	e, err := s.o.Service.App(ctx, v.Speaker, v.Visitor(ctx), v.Field("challenge"))
	if err != nil {
		return s.render(ctx, v, body{})
	}
	return s.showApp(ctx, v, e)
}

// showApp renders the secret of an authenticator app.
func (s *Server) showApp(ctx context.Context, v *private.Visit, e signin.Enrolment) (*private.Answer, error) {
	drawn, err := qr.SVG(e.URL, v.Locale.T("security.app_qr", nil))
	if err != nil {
		return nil, err
	}
	return s.render(ctx, v, body{Step: app, Challenge: e.Challenge, Enrolment: enrolment{drawn, inGroups(e.Secret), template.URL(e.URL)}})
}

// inGroups returns text with a space after every four characters.
func inGroups(text string) string {
	var groups []string
	for len(text) > 4 {
		groups, text = append(groups, text[:4]), text[4:]
	}
	return strings.Join(append(groups, text), " ")
}

// finishApp adds the authenticator app by its first code.
func (s *Server) finishApp(ctx context.Context, v *private.Visit) (*private.Answer, error) {
	recovery, cookie, err := s.o.Service.FinishApp(ctx, v.Speaker, v.Visitor(ctx), v.Field("challenge"), v.Field("code"))
	if len(recovery) > 0 && err == nil {
		return s.showCodes(ctx, v, recovery, cookie)
	}
	return s.changed(ctx, v, cookie, err, "app")
}

func (s *Server) removeApp(ctx context.Context, v *private.Visit) (*private.Answer, error) {
	cookie, err := s.o.Service.RemoveApp(ctx, v.Speaker, v.Visitor(ctx))
	return s.changed(ctx, v, cookie, err, "app_removed")
}

// newRecovery replaces the recovery codes.
func (s *Server) newRecovery(ctx context.Context, v *private.Visit) (*private.Answer, error) {
	recovery, cookie, err := s.o.Service.NewRecovery(ctx, v.Speaker, v.Visitor(ctx))
	if err != nil {
		return nil, err
	}
	return s.showCodes(ctx, v, recovery, cookie)
}

// showCodes renders new recovery codes, once.
func (s *Server) showCodes(ctx context.Context, v *private.Visit, recovery []string, cookie string) (*private.Answer, error) {
	if err := v.Rotated(ctx, cookie); err != nil {
		return nil, err
	}
	return s.render(ctx, v, body{Step: codes, Recovery: recovery})
}
