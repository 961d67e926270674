// Package device serves the pages by which a signed-in device signs in another one,
// such as a phone or a television.
//
// The page of the first device shows a QR code and a short code, and asks whether the
// device that used one of them may come in. The page of the second device takes the
// code and shows four digits, which the first device shows too. With a script both
// follow each other by themselves; without one each step is a button.
package device

import (
	"context"
	"html/template"
	"slices"
	"strings"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/private"
	"miramundo.dev/shared/account/devicelink"
	"miramundo.dev/shared/account/throttle"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/qr"
	"miramundo.dev/shared/site"
)

// Endpoints are the pages of this package in every locale, with their forms.
var Endpoints = slices.Concat(firstPage.Endpoints(), secondPage.Endpoints())

// Options are what a Server needs.
type Options struct {
	Private  *private.Renderer
	Links    *devicelink.Links
	Throttle *throttle.Throttle
	Base     string // URL of the service, without a trailing slash
}

// A Server serves the pages.
type Server struct{ o Options }

// New returns a server that uses o.
func New(o Options) *Server { return &Server{o} }

// Private returns the renderer of the pages.
func (s *Server) Private() *private.Renderer { return s.o.Private }

// withScript returns the view of a body with what the script of both pages needs.
func withScript(v *private.Visit, body any) *page.View {
	view := v.View(body)
	view.Areas, view.Modules = append(view.Areas, "devicelink"), append(view.Modules, "devices")
	return view
}

var firstPage = private.Page[*Server]{
	Page: site.Devices, Subject: "signing in another device",
	Doc:  "Returns the page on which a signed-in visitor signs in another device by a QR code or a short code.",
	Show: (*Server).first,
	Actions: map[string]private.Handler[*Server]{
		"make":    (*Server).makeLink,
		"look":    (*Server).look,
		"confirm": (*Server).confirm,
		"deny":    (*Server).deny,
	},
}

// A firstBody is the body of the page of the first device.
type firstBody struct {
	*private.Visit
	Link    string // id of the link; empty before it is made
	URL     string // that the QR code contains; empty when it is not shown
	Code    string // that people type
	QR      template.HTML
	Device  string // name of the device that claimed the link; empty before
	Country string // name
	Digits  string // that both devices show
}

// Address returns the address at which the code is typed.
func (b firstBody) Address() string { address, _, _ := strings.Cut(b.URL, "#"); return address }

func (s *Server) first(_ context.Context, v *private.Visit) (*private.Answer, error) {
	return showFirst(firstBody{Visit: v})
}

// showFirst renders a step of the first device.
func showFirst(b firstBody) (*private.Answer, error) {
	return b.Show(withScript(b.Visit, b))
}

// makeLink makes a link and shows its codes, which are stored nowhere.
func (s *Server) makeLink(ctx context.Context, v *private.Visit) (*private.Answer, error) {
	if err := s.o.Throttle.Attempt(ctx, throttle.LinkOfAccount.Of(string(v.Speaker.Account))); err != nil {
		return nil, err
	}
	link, secret, err := s.o.Links.Make(ctx, v.Speaker)
	if err != nil {
		return nil, fault.OrUnavailable(err)
	}
	return s.showCodes(firstBody{
		Visit: v, Link: link.ID, Code: secret.Code[:4] + "-" + secret.Code[4:],
		URL: s.o.Base + site.Device.Path(v.Locale, "") + "#" + secret.Token,
	})
}

// showCodes renders the step that shows the codes of a link.
func (s *Server) showCodes(b firstBody) (out *private.Answer, err error) {
	if b.QR, err = qr.SVG(b.URL, b.Locale.T("devicelink.ui.code_label", nil)); err != nil {
		return nil, fault.ErrBody.With("param", "url").Because(err)
	}
	return showFirst(b)
}

// look shows how far a link is. While no device has claimed it, its codes are shown
// again: the form has brought them along.
func (s *Server) look(ctx context.Context, v *private.Visit) (*private.Answer, error) {
	link, err := s.o.Links.Look(ctx, v.Speaker, v.Field("link"))
	if err != nil {
		return nil, fault.OrUnavailable(err)
	}
	b := firstBody{Visit: v, Link: link.ID}
	switch link.State {
	case devicelink.Waiting:
		b.URL, b.Code = v.Field("url"), v.Field("code")
		v.Fail("look", devicelink.ErrUnclaimed)
		return s.showCodes(b)
	case devicelink.Claimed:
		b.Device, b.Digits = nameOf(v.Locale, link), link.Digits
		b.Country, _ = i18n.CountryName(link.Device.Country, v.Locale)
		return showFirst(b)
	case devicelink.Denied:
		return v.Finish("device_denied"), nil
	}
	return v.Finish("device_confirmed"), nil
}

// nameOf returns the name of the device that claimed a link.
func nameOf(l i18n.Locale, link devicelink.Link) string {
	switch d := link.Device; {
	case d.Browser != "" && d.OS != "":
		return d.Browser + ", " + d.OS
	case d.Browser != "" || d.OS != "":
		return d.Browser + d.OS
	}
	return l.T("devicelink.ui.unknown_device", nil)
}

// confirm lets the device in.
func (s *Server) confirm(ctx context.Context, v *private.Visit) (*private.Answer, error) {
	if err := s.o.Links.Confirm(ctx, v.Speaker, v.Field("link")); err != nil {
		return nil, fault.OrUnavailable(err)
	}
	return v.Finish("device_confirmed"), nil
}

// deny keeps the device out.
func (s *Server) deny(ctx context.Context, v *private.Visit) (*private.Answer, error) {
	if err := s.o.Links.Deny(ctx, v.Speaker, v.Field("link")); err != nil {
		return nil, fault.OrUnavailable(err)
	}
	return v.Finish("device_denied"), nil
}
