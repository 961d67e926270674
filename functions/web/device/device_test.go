package device

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/private"
	"miramundo.dev/functions/web/webtest"
	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/account/devicelink"
	"miramundo.dev/shared/account/throttle"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

// open returns accounts and the handler of the pages over them.
func open(t *testing.T) (*webtest.Accounts, http.Handler) {
	t.Helper()
	a := webtest.NewAccounts(t)
	s := New(Options{
		Private: private.New(private.Options{Pages: page.NewRenderer(webtest.Links), DB: a.DB, Access: a.Access, Tokens: a.Tokens, Now: a.Now}),
		Links:   &devicelink.Links{DB: a.DB, Keys: a.Keys, Now: a.Now}, Throttle: throttle.New(a.DB, a.Keys, a.Now), Base: webtest.Base,
	})
	return a, webtest.Handler(s, Endpoints)
}

// value returns the value of the field with a name on the page.
func value(b *webtest.Browser, name string) string {
	for _, n := range webtest.Elements(b.Page, func(n *html.Node) bool { return webtest.Attr(n, "name") == name }) {
		return webtest.Attr(n, "value")
	}
	return ""
}

// TestDevice signs in a second device without a script, in each locale.
func TestDevice(t *testing.T) {
	a, h := open(t)
	me := a.Make(t, "maria@example.org")
	for _, l := range i18n.Locales {
		first, second := webtest.NewBrowser(t, h), webtest.NewBrowser(t, h)
		a.SignIn(t, me.ID, first)
		first.Go(site.Devices.Path(l, "")).Submit("make")
		to, err := url.Parse(value(first, "url"))
		code := value(first, "code")
		if err != nil || to.Path != site.Device.Path(l, "") || len(to.Fragment) != 43 || first.Said("device-code") != code || len(webtest.Elements(first.Page, isCode)) != 1 {
			t.Fatalf("%s: %d, the code is %q at %s, shown %q", l, first.Code, code, to, first.Said("device-code"))
		}
		first.Submit("look")
		if first.Code != http.StatusConflict || value(first, "code") != code || first.Alerts() != l.T("fault.device_link_unclaimed", nil) {
			t.Errorf("%s: too early: %d, %q", l, first.Code, first.Alerts())
		}
		second.Go(to.Path).Submit("claim", "code", " "+strings.ToLower(code))
		digits := second.Said("device-code")
		second.Submit("finish")
		if len(digits) != 4 || second.Said("device-code") != digits || second.Cookie("__Host-mm-auth") != "" {
			t.Errorf("%s: before it is confirmed: %q, %q", l, digits, second.Said("device-code"))
		}
		first.Submit("look")
		if first.Said("device-code") != digits {
			t.Errorf("%s: the digits are %q, on the second device %q", l, first.Said("device-code"), digits)
		}
		first.Submit("confirm")
		second.Submit("finish")
		if first.Notices() != l.T("account.done_device_confirmed", nil) || second.Cookie("__Host-mm-auth") == "" || second.Path() != next(&private.Visit{Locale: l}) {
			t.Errorf("%s: %q, and the second device is at %s: %q", l, first.Notices(), second.Path(), second.Alerts())
		}
	}
	r, err := access.Load(t.Context(), a.DB, me.ID)
	if err != nil || len(r.Sessions) != 2*len(i18n.Locales) {
		t.Errorf("%d sessions, %v", len(r.Sessions), err)
	}
}

func isCode(n *html.Node) bool { return n.Data == "svg" && webtest.HasClass(n, "qr") }

// TestDenied checks that a denied device, and one that is late, stays out.
func TestDenied(t *testing.T) {
	a, h := open(t)
	me := a.Make(t, "maria@example.org")
	first, second := webtest.NewBrowser(t, h), webtest.NewBrowser(t, h)
	a.SignIn(t, me.ID, first)
	first.Go("/en/account/devices").Submit("make")
	second.Go("/en/device").Submit("claim", "code", value(first, "code"))
	first.Submit("look").Submit("deny")
	second.Submit("finish")
	if first.Notices() != i18n.EN.T("account.done_device_denied", nil) || second.Code != http.StatusForbidden || second.Cookie("__Host-mm-auth") != "" {
		t.Errorf("denied: %q; %d, %q", first.Notices(), second.Code, second.Alerts())
	}

	first.Submit("make")
	code := value(first, "code")
	a.Time = a.Time.Add(devicelink.Lifetime + time.Second)
	second.Go("/en/device").Submit("claim", "code", code)
	if second.Code != http.StatusGone || !strings.Contains(second.Alerts(), "expired") {
		t.Errorf("late: %d, %q", second.Code, second.Alerts())
	}
	first.Submit("look")
	if first.Code != http.StatusNotFound || first.Said("device-code") != "" {
		t.Errorf("late, on the first device: %d, %q", first.Code, first.Alerts())
	}
}

// TestHostileCode checks that what a form brings along is shown as text alone.
func TestHostileCode(t *testing.T) {
	a, h := open(t)
	me := a.Make(t, "maria@example.org")
	b := webtest.NewBrowser(t, h)
	a.SignIn(t, me.ID, b)
	b.Go("/en/account/devices").Submit("make").Submit("look", "code", "<script>alert(1)</script>")
	if b.Said("device-code") != "<script>alert(1)</script>" {
		t.Errorf("shown as %q", b.Said("device-code"))
	}
	b.Submit("look", "url", strings.Repeat("x", 400))
	if b.Code != http.StatusBadRequest {
		t.Errorf("an address that is too long: %d", b.Code)
	}
}
