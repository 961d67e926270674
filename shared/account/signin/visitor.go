package signin

import (
	"net/netip"

	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/mail"
	"miramundo.dev/shared/social"
	"miramundo.dev/shared/social/environment"
)

// A Visitor is what a request shows of the browser that it comes from.
type Visitor struct {
	Browser string // boot cookie; required
	Cookie  string // of the session until now, which a new one replaces; may be empty
	Network string // as attempts are counted; empty when it is not known
	Device  access.Device
	Locale  i18n.Locale
}

// A Request is what a Visitor is made from; a miramundo.dev/shared/api.Request is one.
type Request interface {
	Browser() identity.Browser
	Credentials() identity.Credentials
	Addr() netip.Addr
	Country() string
	UserAgent() string
	Locale() i18n.Locale
}

// VisitorOf returns the visitor that sent r.
func VisitorOf(r Request) Visitor {
	v := Visitor{Browser: r.Browser().Boot, Cookie: r.Credentials().Session, Device: deviceOf(r), Locale: r.Locale()}
	if n := identity.Network(r.Addr()); n.IsValid() {
		v.Network = n.String()
	}
	return v
}

// deviceOf returns the device of a request.
func deviceOf(r Request) access.Device {
	names := environment.Parse(r.UserAgent())
	return access.Device{Browser: known(names.Browser), OS: known(names.OS), Country: r.Country()}
}

// known returns the name of a browser or a system, and "" for one without a name.
func known(name string) string {
	if name == social.Other {
		return ""
	}
	return name
}

// Place returns where v is, as mails show it.
func (v Visitor) Place() mail.Place {
	return mail.Place{Browser: v.Device.Browser, System: v.Device.OS, Country: v.Device.Country}
}
