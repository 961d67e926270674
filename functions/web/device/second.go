package device

import (
	"context"

	"miramundo.dev/functions/web/private"
	"miramundo.dev/shared/account/devicelink"
	"miramundo.dev/shared/account/throttle"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/site"
)

var secondPage = private.Page[*Server]{
	Page: site.Device, Subject: "signing in by a code", Open: true,
	Doc: "Returns the page that a QR code of another device leads to, or at which its short code is typed. It signs this browser in " +
		"once the other device has confirmed it.",
	Show: (*Server).second,
	Actions: map[string]private.Handler[*Server]{
		"claim":  (*Server).claim,
		"finish": (*Server).finish,
	},
}

// A secondBody is the body of the page of the second device.
type secondBody struct {
	*private.Visit
	Link   string // id of the claimed link; empty before
	Digits string // that both devices show
	Next   string // path to go to once the browser is signed in
}

func (s *Server) second(_ context.Context, v *private.Visit) (*private.Answer, error) {
	return showSecond(secondBody{Visit: v})
}

// showSecond renders a step of the second device.
func showSecond(b secondBody) (*private.Answer, error) {
	b.Next = next(b.Visit)
	return b.Show(withScript(b.Visit, b))
}

// next returns the path of the last step of signing in, which leads to the library.
func next(v *private.Visit) string {
	return site.SignIn.Path(v.Locale, "") + "?" + private.Query("to", site.Library.Path(v.Locale, "")).Encode()
}

// claim binds the link of a code to this browser and shows its digits.
func (s *Server) claim(ctx context.Context, v *private.Visit) (*private.Answer, error) {
	visitor := v.Visitor(ctx)
	if err := s.o.Throttle.Attempt(ctx, throttle.LinkOfNetwork.Of(visitor.Network)); err != nil {
		return nil, err
	}
	link, err := s.o.Links.Claim(ctx, v.Field("code"), v.Browser(), visitor.Device)
	if err != nil {
		return nil, fault.OrUnavailable(err)
	}
	return showSecond(secondBody{Visit: v, Link: link.ID, Digits: link.Digits})
}

// finish signs the browser in when the first device has confirmed it. Until then the
// digits are shown again: the form has brought them along.
func (s *Server) finish(ctx context.Context, v *private.Visit) (*private.Answer, error) {
	opened, err := s.o.Links.Open(ctx, v.Field("link"), v.Browser(), v.Cookie())
	if err != nil {
		return nil, fault.OrUnavailable(err)
	}
	if opened.State != devicelink.Opened {
		return showSecond(secondBody{Visit: v, Link: v.Field("link"), Digits: v.Field("digits")})
	}
	s.o.Private.Access.Learn(opened.Record)
	if opened.Previous != nil {
		s.o.Private.Access.Learn(opened.Previous)
	}
	v.SetSession(opened.Cookie, &opened.Session)
	return v.Go(next(v), nil), nil
}
