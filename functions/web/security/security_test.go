package security

import (
	"encoding/base32"
	"net/http"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/private"
	"miramundo.dev/functions/web/webtest"
	"miramundo.dev/shared/account"
	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/account/factor"
	"miramundo.dev/shared/account/passkey"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/mail"
	"miramundo.dev/shared/site"
	"miramundo.dev/shared/store"
)

const (
	maria  = "maria@example.org"
	ana    = "ana@example.org"
	cookie = "__Host-mm-auth"
	path   = "/en/account/security"
)

// A visit is a browser that is signed in to an account.
type visit struct {
	*webtest.Browser
	accounts *webtest.Accounts
	handler  http.Handler
	me       *account.Account
}

func open(t *testing.T) *visit {
	t.Helper()
	a := webtest.NewAccounts(t)
	r := private.New(private.Options{Pages: page.NewRenderer(webtest.Links), DB: a.DB, Access: a.Access, Tokens: a.Tokens, Now: a.Now})
	v := &visit{accounts: a, handler: webtest.Handler(New(Options{Private: r, Service: a.Enter}), Endpoints), me: a.Make(t, maria)}
	v.Browser = webtest.NewBrowser(t, v.handler)
	a.SignIn(t, v.me.ID, v.Browser)
	v.Go(path)
	return v
}

// stored returns the account as it is stored.
func (v *visit) stored(t *testing.T) *account.Account {
	t.Helper()
	a, err := account.Load(t.Context(), v.accounts.DB, v.me.ID)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// has reports whether the page has a form of an action.
func (v *visit) has(action string) bool {
	return len(webtest.Elements(v.Page, func(n *html.Node) bool {
		return webtest.Attr(n, "name") == "do" && webtest.Attr(n, "value") == action
	})) > 0
}

// shows returns the text of the first visible element with a class.
func (v *visit) shows(class string) string {
	for _, n := range webtest.Elements(v.Page, func(n *html.Node) bool { return webtest.HasClass(n, class) }) {
		if _, hidden := webtest.Lookup(n, "hidden"); !hidden {
			return webtest.Text(n)
		}
	}
	return ""
}

// done checks that an action succeeded and is said so, and that the session has
// another cookie than before.
func (v *visit) done(t *testing.T, notice, before string) {
	t.Helper()
	want := i18n.EN.T("account.done_"+notice, nil)
	if v.Code != http.StatusOK || v.shows("notice") != want || v.Cookie(cookie) == before {
		t.Errorf("%s: %d at %s, %q, %q; another cookie: %t", notice, v.Code, v.Path(), v.shows("notice"), v.shows("wrong"), v.Cookie(cookie) != before)
	}
}

// TestLocked checks that changes are offered after a recent sign-in alone, and that a
// form which was open before leads through the sign-in page.
func TestLocked(t *testing.T) {
	v := open(t)
	if !v.has("password") || v.shows("account-locked") != "" {
		t.Error("after signing in, changes are not offered")
	}
	before := v.accounts.Time
	v.accounts.Time = before.Add(access.Recent)
	v.Submit("password", "password", "três pratos de trigo")
	if v.Path() != "/en/sign-in?again=1&to=%2Fen%2Faccount%2Fsecurity" || v.stored(t).Password != "" {
		t.Errorf("too late, the form leads to %s", v.Path())
	}
	v.Go(path)
	for _, action := range []string{"email", "password", "app", "recovery"} {
		if v.has(action) {
			t.Errorf("later, the form %s is offered", action)
		}
	}
	if v.shows("account-locked") == "" {
		t.Error("the page does not say how to go on")
	}
}

func TestPassword(t *testing.T) {
	v := open(t)
	other := webtest.NewBrowser(t, v.handler)
	v.accounts.SignIn(t, v.me.ID, other)
	v.Submit("password", "password", "maria@example")
	if v.Code != http.StatusBadRequest || v.shows("wrong") == "" || v.stored(t).Password != "" {
		t.Errorf("a weak password: %d, %q", v.Code, v.shows("wrong"))
	}
	before := v.Cookie(cookie)
	v.Submit("password", "password", " três pratos de trigo ")
	v.done(t, "password", before)
	if got := v.stored(t).Password; got != "plain: três pratos de trigo " {
		t.Errorf("the password is stored as %q", got)
	}
	if other.Go(path); !strings.HasPrefix(other.Path(), "/en/sign-in?done=ended") {
		t.Errorf("the other browser is at %s", other.Path())
	}
	before = v.Cookie(cookie)
	v.Submit("password-remove")
	v.done(t, "password_removed", before)
}

func TestEmail(t *testing.T) {
	v := open(t)
	v.Submit("email", "email", "ana@")
	if v.Code != http.StatusBadRequest || v.shows("wrong") == "" {
		t.Errorf("no address: %d, %q", v.Code, v.shows("wrong"))
	}
	v.Submit("email", "email", ana)
	sent := webtest.Mail[mail.ChangeEmail](t, v.accounts, ana)
	v.Submit("email-code", "code", "12")
	if v.Code != http.StatusBadRequest || !v.has("email-code") || v.shows("account-email") != ana {
		t.Errorf("a wrong code: %d, for %q", v.Code, v.shows("account-email"))
	}
	before := v.Cookie(cookie)
	v.Submit("email-code", "code", sent.Code)
	v.done(t, "email", before)
	if got := v.stored(t).Email; got != ana {
		t.Errorf("the address is %s", got)
	}
	webtest.Mail[mail.EmailChanged](t, v.accounts, maria)
}

// TestApp adds an authenticator app, makes new recovery codes, and removes the app.
func TestApp(t *testing.T) {
	v := open(t)
	v.Submit("app")
	text := strings.ReplaceAll(v.shows("account-secret"), " ", "")
	if len(text) != 32 || !strings.Contains(v.shows("account-secret"), " ") || v.shows("qr") != "" {
		t.Fatalf("the secret is %q", v.shows("account-secret"))
	}
	v.Submit("app-code", "code", "1")
	if again := strings.ReplaceAll(v.shows("account-secret"), " ", ""); v.Code != http.StatusBadRequest || again != text {
		t.Errorf("after a wrong code: %d, the secret is %q, was %q", v.Code, again, text)
	}
	bytes, err := base32.StdEncoding.DecodeString(text)
	secret := factor.Secret(bytes)
	if err != nil {
		t.Fatal(err)
	}
	before := v.Cookie(cookie)
	v.Submit("app-code", "code", secret.Code(v.accounts.Now()))
	codes := strings.Fields(v.shows("account-codes"))
	if v.Code != http.StatusOK || len(codes) != factor.RecoveryCodes || v.Cookie(cookie) == before {
		t.Fatalf("%d, %d codes, %q", v.Code, len(codes), v.shows("wrong"))
	}
	if v.Go(path); v.shows("account-codes") != "" || !v.has("app-remove") || !v.has("recovery") {
		t.Error("the codes are shown again, or the app cannot be removed")
	}
	v.Submit("recovery")
	if fresh := strings.Fields(v.shows("account-codes")); len(fresh) != factor.RecoveryCodes || fresh[0] == codes[0] {
		t.Errorf("new codes: %q", fresh)
	}
	before = v.Cookie(cookie)
	v.Go(path).Submit("app-remove")
	v.done(t, "app_removed", before)
	if a := v.stored(t); a.TOTP != nil || a.Recovery != nil || v.has("recovery") {
		t.Errorf("left: %+v", a)
	}
}

// TestPasskeys renames, requires and removes a passkey.
func TestPasskeys(t *testing.T) {
	v := open(t)
	key := passkey.Credential{ID: []byte("id"), PublicKey: []byte("key"), Name: "Phone", CreatedAt: store.At(v.accounts.Now().Add(-time.Hour))}
	_, err := account.Update(t.Context(), v.accounts.DB, v.me.ID, func(a *account.Account) error {
		a.Passkeys = append(a.Passkeys, key)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	v.Go(path).Submit("passkey-rename", "name", "My \u202ephone")
	if v.Code != http.StatusBadRequest || v.shows("wrong") == "" {
		t.Errorf("a bad name: %d, %q", v.Code, v.shows("wrong"))
	}
	v.Submit("passkey-rename", "name", "My phone")
	if got := v.stored(t).Passkeys[0].Name; got != "My phone" {
		t.Errorf("the name is %q", got)
	}
	v.Submit("twostep")
	if codes := strings.Fields(v.shows("account-codes")); len(codes) != factor.RecoveryCodes || !v.stored(t).TwoStep {
		t.Errorf("required: %q", v.shows("wrong"))
	}
	before := v.Cookie(cookie)
	v.Go(path).Submit("twostep")
	v.done(t, "twostep_off", before)
	before = v.Cookie(cookie)
	v.Submit("passkey-remove")
	v.done(t, "passkey_removed", before)
	if n := len(v.stored(t).Passkeys); n != 0 {
		t.Errorf("%d passkeys are left", n)
	}
}

// TestLocales renders the page in every locale, with everything that it may show.
func TestLocales(t *testing.T) {
	v := open(t)
	_, err := account.Update(t.Context(), v.accounts.DB, v.me.ID, func(a *account.Account) error {
		a.TwoStep, a.Password, a.Recovery = true, "x", []string{"y"}
		a.Passkeys = []passkey.Credential{{ID: []byte("id"), Name: "<b>", BackedUp: true}}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range i18n.Locales {
		v.Go(site.Security.Path(l, ""))
		if text := webtest.Text(v.Page); v.Code != http.StatusOK || strings.Contains(text, "security.") {
			t.Errorf("%s: %d, %s", l, v.Code, text)
		}
	}
}
