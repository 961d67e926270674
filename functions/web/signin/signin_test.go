package signin

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
	"miramundo.dev/shared/account"
	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/account/factor"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/mail"
	"miramundo.dev/shared/site"
)

const (
	maria  = "maria@example.org"
	cookie = "__Host-mm-auth"
)

// open returns accounts and the handler of the page over them.
func open(t *testing.T) (*webtest.Accounts, http.Handler) {
	t.Helper()
	a := webtest.NewAccounts(t)
	r := private.New(private.Options{Pages: page.NewRenderer(webtest.Links), DB: a.DB, Access: a.Access, Tokens: a.Tokens, Now: a.Now})
	return a, webtest.Handler(New(Options{Private: r, Service: a.Enter}), Endpoints)
}

// stepOf returns the step that a browser shows.
func stepOf(b *webtest.Browser) step {
	for _, n := range webtest.Elements(b.Page, func(n *html.Node) bool { return webtest.HasClass(n, "door") }) {
		return step(webtest.Attr(n, "data-step"))
	}
	return ""
}

func alert(b *webtest.Browser) string {
	for _, n := range webtest.Elements(b.Page, func(n *html.Node) bool { return webtest.Attr(n, "role") == "alert" }) {
		return webtest.Text(n)
	}
	return ""
}

// TestCode signs in by the code of a mail, in each locale, and goes back.
func TestCode(t *testing.T) {
	a, h := open(t)
	for n, l := range i18n.Locales {
		b := webtest.NewBrowser(t, h)
		back := site.Library.Path(l, "")
		b.Go(site.SignIn.Path(l, "")+"?"+url.Values{"to": {back}}.Encode()).Submit("mail", "email", maria)
		sent := webtest.Mail[mail.SignIn](t, a, maria)
		if b.Code != http.StatusOK || stepOf(b) != code || b.Cookie(cookie) != "" {
			t.Fatalf("%s: after the address: %d, step %s", l, b.Code, stepOf(b))
		}
		b.Submit("code", "code", wrongCode(sent.Code))
		if b.Code != http.StatusBadRequest || stepOf(b) != code || alert(b) == "" || b.Cookie(cookie) != "" {
			t.Errorf("%s: a wrong code: %d, step %s, %q", l, b.Code, stepOf(b), alert(b))
		}
		b.Submit("code", "code", sent.Code[:3]+" "+sent.Code[3:])
		if b.Code != http.StatusOK || stepOf(b) != done || b.Cookie(cookie) == "" {
			t.Fatalf("%s: after the code: %d, step %s, %q", l, b.Code, stepOf(b), alert(b))
		}
		if to := webtest.Attr(webtest.ByID(b.Page, "go-on"), "href"); to != back {
			t.Errorf("%s: goes on to %s, want %s", l, to, back)
		}
		if notice := strings.Contains(webtest.Text(b.Page), l.T("account.done_created", nil)); notice != (n == 0) {
			t.Errorf("%s: says that the account is new: %t", l, notice)
		}
	}
}

func wrongCode(code string) string {
	if code == "000000" {
		return "000001"
	}
	return "000000"
}

// TestLink signs in by the link of a mail, in another browser, by pressing a button
// alone.
func TestLink(t *testing.T) {
	a, h := open(t)
	asking := webtest.NewBrowser(t, h).Go("/en/sign-in?to=/en/history").Submit("mail", "email", maria)
	if stepOf(asking) != code {
		t.Fatal(alert(asking))
	}
	link := webtest.Mail[mail.SignIn](t, a, maria).Link
	target, err := url.Parse(link)
	if err != nil || !strings.HasPrefix(link, webtest.Base+"/en/sign-in?") {
		t.Fatalf("the link is %s, %v", link, err)
	}
	scanner, phone := webtest.NewBrowser(t, h), webtest.NewBrowser(t, h)
	for range 3 {
		if scanner.Go(target.RequestURI()); stepOf(scanner) != "link" || scanner.Cookie(cookie) != "" {
			t.Fatalf("opened alone: step %s", stepOf(scanner))
		}
	}
	phone.Go(target.RequestURI())
	if !strings.Contains(webtest.Text(phone.Page), maria) {
		t.Error("the step does not name the address")
	}
	phone.Submit("link")
	if stepOf(phone) != done || webtest.Attr(webtest.ByID(phone.Page, "go-on"), "href") != "/en/history" {
		t.Errorf("after the button: step %s, %q", stepOf(phone), alert(phone))
	}
	scanner.Submit("link")
	if scanner.Code != http.StatusGone || stepOf(scanner) != start || alert(scanner) == "" {
		t.Errorf("the link again: %d, step %s, %q", scanner.Code, stepOf(scanner), alert(scanner))
	}
	if scanner.Go(target.RequestURI()); scanner.Code != http.StatusGone || stepOf(scanner) != start || alert(scanner) == "" {
		t.Errorf("opened after it was used: %d, step %s, %q", scanner.Code, stepOf(scanner), alert(scanner))
	}
}

// TestAttempts checks that a challenge that is over leads to the first step, filled in.
func TestAttempts(t *testing.T) {
	a, h := open(t)
	b := webtest.NewBrowser(t, h).Go("/en/sign-in").Submit("mail", "email", maria)
	sent := webtest.Mail[mail.SignIn](t, a, maria)
	for range 5 {
		b.Submit("code", "code", wrongCode(sent.Code))
	}
	b.Submit("code", "code", sent.Code)
	if b.Code != http.StatusGone || stepOf(b) != start || webtest.Attr(webtest.ByID(b.Page, "email"), "value") != maria || alert(b) == "" {
		t.Errorf("%d, step %s, %q", b.Code, stepOf(b), alert(b))
	}
}

// TestRefusedAddress checks that the form shows an invalid address again, with the
// reason.
func TestRefusedAddress(t *testing.T) {
	_, h := open(t)
	b := webtest.NewBrowser(t, h).Go("/de/anmelden").Submit("mail", "email", "maria@")
	if b.Code != http.StatusBadRequest || stepOf(b) != start || alert(b) == "" || webtest.Attr(webtest.ByID(b.Page, "email"), "value") != "maria@" {
		t.Errorf("%d, step %s, %q", b.Code, stepOf(b), alert(b))
	}
}

// TestPassword signs in by a password. An address without an account is refused with
// the same words.
func TestPassword(t *testing.T) {
	a, h := open(t)
	me := a.Make(t, maria)
	change(t, a, me, func(me *account.Account) { me.Password = "plain:três pratos de trigo" })
	b := webtest.NewBrowser(t, h).Go("/en/sign-in?to=/en/account&with=password")
	b.Submit("password", "email", maria, "password", "wrong")
	known := alert(b)
	if b.Code != http.StatusUnauthorized || stepOf(b) != password || known == "" {
		t.Errorf("a wrong password: %d, step %s, %q", b.Code, stepOf(b), known)
	}
	if value, ok := webtest.Lookup(webtest.ByID(b.Page, "password"), "value"); ok {
		t.Errorf("the password is shown again: %q", value)
	}
	if b.Submit("password", "email", "ana@example.org", "password", "wrong"); alert(b) != known {
		t.Errorf("an unknown address: %q, a known one: %q", alert(b), known)
	}
	b.Submit("password", "email", maria, "password", "três pratos de trigo")
	if stepOf(b) != done || b.Cookie(cookie) == "" {
		t.Errorf("step %s, %q", stepOf(b), alert(b))
	}
}

func change(t *testing.T, a *webtest.Accounts, me *account.Account, f func(*account.Account)) {
	t.Helper()
	_, err := account.Update(t.Context(), a.DB, me.ID, func(stored *account.Account) error { f(stored); return nil })
	if err != nil {
		t.Fatal(err)
	}
}

// TestFactor signs in by a mail and an app, then by a mail and a recovery code.
func TestFactor(t *testing.T) {
	a, h := open(t)
	me := a.Make(t, maria)
	secret := factor.NewSecret()
	app, err := secret.Add(a.Keys, string(me.ID), secret.Code(a.Now().Add(-time.Minute)), a.Now().Add(-time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	codes, hashes := factor.NewRecovery(string(me.ID))
	change(t, a, me, func(me *account.Account) { me.TOTP, me.Recovery = app, hashes })
	for name, proof := range map[string]string{"app": secret.Code(a.Now()), "recovery": codes[3]} {
		b := webtest.NewBrowser(t, h).Go("/en/sign-in?to=/en/library").Submit("mail", "email", maria)
		b.Submit("code", "code", webtest.Mail[mail.SignIn](t, a, maria).Code)
		if stepOf(b) != second || b.Cookie(cookie) != "" {
			t.Fatalf("%s: after the mail: step %s, %q", name, stepOf(b), alert(b))
		}
		b.Submit("factor", "code", "wrong")
		if b.Code != http.StatusBadRequest || stepOf(b) != second || alert(b) == "" {
			t.Errorf("%s: a wrong code: %d, step %s, %q", name, b.Code, stepOf(b), alert(b))
		}
		b.Submit("factor", "code", proof)
		if stepOf(b) != done || webtest.Attr(webtest.ByID(b.Page, "go-on"), "href") != "/en/library" {
			t.Errorf("%s: step %s, %q", name, stepOf(b), alert(b))
		}
	}
	r, err := access.Load(t.Context(), a.DB, me.ID)
	if err != nil || len(r.Sessions) != 2 || !r.Sessions[0].SecondFactor {
		t.Errorf("%d sessions, %v", len(r.Sessions), err)
	}
}

// TestAgain checks that a visitor who proves it again gets back at once, with another
// session in place of the first.
func TestAgain(t *testing.T) {
	a, h := open(t)
	me := a.Make(t, maria)
	b := webtest.NewBrowser(t, h)
	a.SignIn(t, me.ID, b)
	before := b.Cookie(cookie)
	if b.Go("/en/sign-in?to=/en/sign-in%3Fdone%3Dcreated"); stepOf(b) != done {
		t.Errorf("signed in already: step %s", stepOf(b))
	}
	b.Go("/en/sign-in?again=1&to=/en/sign-in%3Fdone%3Dcreated")
	if stepOf(b) != start || webtest.Attr(webtest.ByID(b.Page, "email"), "value") != maria {
		t.Fatalf("again: step %s", stepOf(b))
	}
	b.Submit("mail").Submit("code", "code", webtest.Mail[mail.SignIn](t, a, maria).Code)
	if b.Path() != "/en/sign-in?done=created" || b.Cookie(cookie) == before {
		t.Errorf("back at %s, with the same session: %t", b.Path(), b.Cookie(cookie) == before)
	}
	if r, err := access.Load(t.Context(), a.DB, me.ID); err != nil || len(r.Sessions) != 1 {
		t.Errorf("%d sessions, %v", len(r.Sessions), err)
	}
}

// TestReturnElsewhere checks that a link of ours leads nowhere but to our pages.
func TestReturnElsewhere(t *testing.T) {
	a, h := open(t)
	b := webtest.NewBrowser(t, h).Go("/en/sign-in?to=//evil.example/").Submit("mail", "email", maria)
	b.Submit("code", "code", webtest.Mail[mail.SignIn](t, a, maria).Code)
	if to := webtest.Attr(webtest.ByID(b.Page, "go-on"), "href"); to != "/en/account" {
		t.Errorf("goes on to %s", to)
	}
}
