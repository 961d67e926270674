package account

import (
	"context"
	"net/http"
	"time"

	"miramundo.dev/shared/account/devicelink"
	"miramundo.dev/shared/account/throttle"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/credential"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/site"
)

// Paths of the endpoints of device links: the first device calls those of its
// account, the second one those of signing in.
const (
	deviceLinkPath  = "/api/account/devices/link"
	deviceClaimPath = "/api/auth/device/claim"
)

var deviceEndpoints = []api.Endpoint{
	api.Bind((*Server).makeDeviceLink, api.Endpoint{
		Name:   "create_device_link",
		Method: "POST", Path: deviceLinkPath, Auth: api.Session,
		Summary: "Create a link for another device",
		Doc: "Creates a link that signs in another device, such as a television, and returns the address that a QR code should contain and " +
			"a short code for devices without a camera. The link works once, for two minutes, and after this session has confirmed the " +
			"device that opened it. Both secrets are shown this once.",
		Faults: []*fault.Error{throttle.ErrTooMany, fault.ErrUnavailable},
	}),
	api.Bind((*Server).deviceLink, api.Endpoint{
		Name:   "get_device_link",
		Method: "GET", Path: deviceLinkPath + api.ByID, Auth: api.Session,
		Summary: "Get the state of a device link",
		Doc: "Returns the state of a link that this session made, the device that opened it and the digits that this device shows. " +
			"Ask every two seconds; more often answers 429. A link that is over answers 404.",
		Faults: []*fault.Error{devicelink.ErrUnknown, throttle.ErrTooMany, fault.ErrUnavailable},
	}),
	api.Bind((*Server).confirmDevice, api.Endpoint{
		Name:   "confirm_device",
		Method: "POST", Path: "/api/account/devices/confirm", Auth: api.Session,
		Summary: "Confirm a device that opened a link",
		Doc: "Lets the device that opened a link of this session sign in. Show the person the device and its digits first. Repeating it " +
			"changes nothing.",
		Faults: []*fault.Error{devicelink.ErrUnknown, devicelink.ErrUnclaimed, devicelink.ErrDenied, fault.ErrUnavailable},
	}),
	api.Bind((*Server).denyDevice, api.Endpoint{
		Name:   "end_device_link",
		Method: "POST", Path: "/api/account/devices/deny", Auth: api.Session,
		Summary: "End a device link",
		Doc: "Ends a link of this session, whether a device has opened it or not. A device that is signed in already answers 409: end " +
			"its session instead. Repeating it changes nothing.",
		Faults: []*fault.Error{devicelink.ErrUnknown, devicelink.ErrUsed, fault.ErrUnavailable},
	}),
	api.Bind((*Server).claimDevice, api.Endpoint{
		Name:   "open_device_link",
		Method: "POST", Path: deviceClaimPath, Auth: api.None, FromPage: true,
		Summary: "Open a link of another device",
		Doc: "Binds a device link to this browser, by the token after the # of its address or by its short code, and returns four digits " +
			"that the first device shows too. The first browser has the link for itself; another one gets 409. Repeating it in the same " +
			"browser changes nothing.",
		Faults: []*fault.Error{devicelink.ErrExpired, devicelink.ErrUsed, devicelink.ErrDenied, throttle.ErrTooMany, fault.ErrUnavailable},
	}),
	api.Bind((*Server).finishDevice, api.Endpoint{
		Name:   "sign_in_by_device_link",
		Method: "POST", Path: "/api/auth/device/finish", Auth: api.None, FromPage: true,
		Summary: "Sign in by a link of another device",
		Doc: "Sets the account cookie when the first device has let this browser in; until then the state is claimed. Ask every two " +
			"seconds; more often answers 429. The session has as many factors as that of the first device, and its sign-in never " +
			"counts as recent.",
		Faults: []*fault.Error{devicelink.ErrExpired, devicelink.ErrUsed, devicelink.ErrDenied, throttle.ErrTooMany, fault.ErrUnavailable},
	}),
}

// A madeDeviceLink is a new link, with its secrets.
type madeDeviceLink struct {
	ID        string `json:"id" description:"Name of the link for this session. It opens nothing."`
	URL       string `json:"url" format:"uri" description:"Address for the QR code. The part after the # is a secret."`
	Code      string `json:"code" description:"Eight letters and digits to type at the same address, without the #; capitals and hyphens do not matter."`
	ExpiresAt string `json:"expiresAt" format:"date-time"`
}

func (s *Server) makeDeviceLink(ctx context.Context, _ struct{}) (out madeDeviceLink, err error) {
	caller, _ := identity.SpeakerOf(ctx)
	if err := s.Throttle.Attempt(ctx, throttle.LinkOfAccount.Of(string(caller.Account))); err != nil {
		return out, err
	}
	link, secret, err := s.Links.Make(ctx, caller)
	if err != nil {
		return out, fault.OrUnavailable(err)
	}
	return madeDeviceLink{
		ID: link.ID, Code: secret.Code, ExpiresAt: moment(link.ExpireAt.Time),
		URL: s.Base + site.Device.Path(api.LocaleOf(ctx), "") + "#" + secret.Token,
	}, nil
}

// moment returns t as the API writes it.
func moment(t time.Time) string { return t.UTC().Format(time.RFC3339) }

type deviceLinkIn struct {
	ID string `path:"id" maxLength:"64" description:"Name of the link, as the endpoint that made it returned it."`
}

// A seenDeviceLink is a link as the first device sees it.
type seenDeviceLink struct {
	State     string `json:"state" enum:"waiting,claimed,confirmed,denied,opened" description:"State of the link: waiting for a device, claimed by one, confirmed, denied, or opened as a session."`
	Device    device `json:"device" description:"The device that opened the link; each part is empty when it is not known."`
	Digits    string `json:"digits" description:"Four digits that the other device shows too; empty while the state is waiting."`
	ExpiresAt string `json:"expiresAt" format:"date-time"`
}

// A device is a device as the API shows it.
type device struct {
	Browser string `json:"browser" description:"Name of the browser; empty when it is not known."`
	OS      string `json:"os" description:"Name of the operating system; empty when it is not known."`
	Country string `json:"country" description:"ISO 3166-1 alpha-2."`
}

func (s *Server) deviceLink(ctx context.Context, in deviceLinkIn) (out seenDeviceLink, err error) {
	caller, _ := identity.SpeakerOf(ctx)
	if err := s.polls.Take(in.ID + caller.Session); err != nil {
		return out, err
	}
	link, err := s.Links.Look(ctx, caller, in.ID)
	if err != nil {
		return out, fault.OrUnavailable(err)
	}
	return seenDeviceLink{string(link.State), device(link.Device), link.Digits, moment(link.ExpireAt.Time)}, nil
}

type decideDeviceIn struct {
	ID string `json:"id" required:"true" maxLength:"64" description:"Name of the link."`
}

func (s *Server) confirmDevice(ctx context.Context, in decideDeviceIn) (done, error) {
	caller, _ := identity.SpeakerOf(ctx)
	return done{true}, fault.OrUnavailable(s.Links.Confirm(ctx, caller, in.ID))
}

func (s *Server) denyDevice(ctx context.Context, in decideDeviceIn) (done, error) {
	caller, _ := identity.SpeakerOf(ctx)
	return done{true}, fault.OrUnavailable(s.Links.Deny(ctx, caller, in.ID))
}

type claimIn struct {
	Secret string `json:"secret" required:"true" maxLength:"64" description:"The token after the # of the address, or the short code."`
}

// A claimedDeviceLink is a link as the second device sees it.
type claimedDeviceLink struct {
	ID        string `json:"id" description:"Name of the link, for the endpoint that finishes it."`
	Digits    string `json:"digits" description:"Four digits that the first device shows too."`
	ExpiresAt string `json:"expiresAt" format:"date-time"`
}

func (s *Server) claimDevice(ctx context.Context, in claimIn) (out claimedDeviceLink, err error) {
	v := visitor(ctx)
	if err := s.Throttle.Attempt(ctx, throttle.LinkOfNetwork.Of(v.Network)); err != nil {
		return out, err
	}
	link, err := s.Links.Claim(ctx, in.Secret, v.Browser, v.Device)
	if err != nil {
		return out, fault.OrUnavailable(err)
	}
	return claimedDeviceLink{link.ID, link.Digits, moment(link.ExpireAt.Time)}, nil
}

// A deviceState is how far a link is for the second device.
type deviceState struct {
	State string `json:"state" enum:"claimed,opened" description:"claimed until the first device confirms; opened when the session has begun."`
}

func (s *Server) finishDevice(ctx context.Context, in decideDeviceIn) (out answer[deviceState], err error) {
	browser := api.BrowserOf(ctx)
	if err := s.polls.Take(in.ID + browser.Boot); err != nil {
		return out, err
	}
	opened, err := s.Links.Open(ctx, in.ID, browser.Boot, api.CredentialsOf(ctx).Session)
	if err != nil {
		return out, fault.OrUnavailable(err)
	}
	if opened.State != devicelink.Opened {
		return answer[deviceState]{value: deviceState{string(devicelink.Claimed)}}, nil
	}
	s.Access.Learn(opened.Record)
	if opened.Previous != nil {
		s.Access.Learn(opened.Previous)
	}
	return answer[deviceState]{
		value:   deviceState{string(devicelink.Opened)},
		cookies: []*http.Cookie{credential.SessionCookie(opened.Cookie, opened.Session.EndsAt.Time)},
	}, nil
}
