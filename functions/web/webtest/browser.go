package webtest

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"miramundo.dev/shared/account"
	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/account/signin"
	"miramundo.dev/shared/credential"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/keyring"
	"miramundo.dev/shared/mail"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/wire/wiretest"
)

// Accounts is what the pages of accounts need, over an empty database.
type Accounts struct {
	DB     store.DB
	Access *access.Checker
	Keys   *keyring.Ring
	Tokens *identity.Pages
	Enter  *signin.Service
	Time   time.Time // of Now, at first the present, by which databases expire; tests may move it on

	mails []mail.Message
}

// NewAccounts returns Accounts over a database that is closed when the test ends.
func NewAccounts(t testing.TB) *Accounts {
	t.Helper()
	a := &Accounts{DB: wiretest.OpenDB(t), Keys: keyring.Random(), Time: time.Now().UTC()}
	a.Access = access.NewChecker(a.DB, a.Now)
	a.Tokens = &identity.Pages{Origins: []string{Base}, Keys: a.Keys}
	a.Enter = signin.New(signin.Options{
		DB: a.DB, Keys: a.Keys, Access: a.Access, Mail: a, Passwords: plainPasswords{}, Base: Base, Product: "Miramundo",
		Log: slog.New(slog.DiscardHandler), Now: a.Now,
	})
	return a
}

// Now returns a.Time.
func (a *Accounts) Now() time.Time { return a.Time }

// Send keeps a mail.
func (a *Accounts) Send(_ context.Context, m mail.Message) error {
	a.mails = append(a.mails, m)
	return nil
}

// Mail returns the last mail to an address. The test fails when its content is not a C.
func Mail[C mail.Content](t testing.TB, a *Accounts, to string) C {
	t.Helper()
	for _, m := range slices.Backward(a.mails) {
		if m.To != to {
			continue
		}
		if c, ok := m.Content.(C); ok {
			return c
		}
		t.Fatalf("the last mail to %s is %T", to, m.Content)
	}
	var none C
	t.Fatalf("%s received no mail", to)
	return none
}

// plainPasswords are passwords whose hash is the password.
type plainPasswords struct{}

// Hash returns a password after a prefix.
func (plainPasswords) Hash(_ context.Context, pw string) (string, error) { return "plain:" + pw, nil }

// Check compares a password with its hash.
func (plainPasswords) Check(_ context.Context, hash, pw string) (ok, rehash bool, err error) {
	return hash == "plain:"+pw, false, nil
}

// Make stores an account with an address, and returns it.
func (a *Accounts) Make(t testing.TB, email string) *account.Account {
	t.Helper()
	made := account.New(email, email, account.Profile{Theme: account.Themes[0]}, a.Time)
	err := a.DB.Update(t.Context(), func(tx store.Tx) error { return account.Create(tx, made) })
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// SignIn opens a session of an account for a browser, and returns the session.
func (a *Accounts) SignIn(t testing.TB, id identity.Owner, b *Browser) access.Session {
	t.Helper()
	var cookie string
	var session access.Session
	err := a.DB.Update(t.Context(), func(tx store.Tx) error {
		r, err := access.Get(tx, id)
		if err != nil {
			return err
		}
		cookie, session = r.Open(access.SignIn{Method: "mail", Device: access.Device{Browser: "Firefox", OS: "Linux", Country: "BR"}}, a.Time)
		return access.Put(tx, r)
	})
	if err != nil {
		t.Fatal(err)
	}
	b.jar.SetCookies(b.here, []*http.Cookie{credential.SessionCookie(cookie, a.Time.Add(access.Absolute))})
	return session
}

// A Browser is a browser without scripts: it keeps cookies, follows redirects, and
// sends the forms of the page that it shows with all their fields.
type Browser struct {
	Origin string // that its requests name; that of the service

	t    testing.TB
	h    http.Handler
	jar  http.CookieJar
	here *url.URL
	Code int // status of the page
	Page *html.Node
	head http.Header
}

// NewBrowser returns a browser that asks h.
func NewBrowser(t testing.TB, h http.Handler) *Browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	here, err := url.Parse(Base)
	if err != nil {
		t.Fatal(err)
	}
	return &Browser{Origin: Base, t: t, h: h, jar: jar, here: here}
}

// Path returns the path and the query of the page that the browser shows.
func (b *Browser) Path() string { return b.here.RequestURI() }

// Header returns a header of the page that the browser shows.
func (b *Browser) Header(name string) string { return b.head.Get(name) }

// Cookie returns the value of a cookie, or "" when the browser does not have it.
func (b *Browser) Cookie(name string) string {
	for _, c := range b.jar.Cookies(b.here) {
		if c.Name == name {
			return c.Value
		}
	}
	return ""
}

// Forget removes a cookie.
func (b *Browser) Forget(name string) {
	b.jar.SetCookies(b.here, []*http.Cookie{{Name: name, Path: "/", Secure: true, MaxAge: -1}})
}

// Go opens a path.
func (b *Browser) Go(path string) *Browser {
	b.t.Helper()
	b.request(http.MethodGet, path, "", nil)
	return b
}

// Submit sends the form of an action of the page, with the values of its fields and
// those given by name and value, alternating. The test fails when there is no such
// form, or the form lacks a given field.
func (b *Browser) Submit(action string, pairs ...string) *Browser {
	b.t.Helper()
	form := b.form(action, pairs)
	fields := fieldsOf(form)
	for i := 1; i < len(pairs); i += 2 {
		if len(Elements(form, func(n *html.Node) bool { return Attr(n, "name") == pairs[i-1] })) == 0 {
			b.t.Fatalf("%s: the form %s has no field %s", b.Path(), action, pairs[i-1])
		}
		fields.Set(pairs[i-1], pairs[i])
	}
	b.request(http.MethodPost, Attr(form, "action"), "application/x-www-form-urlencoded", strings.NewReader(fields.Encode()))
	return b
}

// Upload sends the form of an action of the page with a file.
func (b *Browser) Upload(action, field string, data []byte) *Browser {
	b.t.Helper()
	form := b.form(action, nil)
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for name, values := range fieldsOf(form) {
		if err := w.WriteField(name, values[0]); err != nil {
			b.t.Fatal(err)
		}
	}
	part, err := w.CreateFormFile(field, "file")
	if err == nil {
		_, err = part.Write(data)
	}
	if err != nil || w.Close() != nil {
		b.t.Fatal(err)
	}
	b.request(http.MethodPost, Attr(form, "action"), w.FormDataContentType(), &body)
	return b
}

// fieldsOf returns the fields of a form as the page fills them in.
func fieldsOf(form *html.Node) url.Values {
	fields := url.Values{}
	for _, n := range Elements(form, func(n *html.Node) bool { return Attr(n, "name") != "" && Attr(n, "type") != "file" }) {
		if value, ok := valueOf(n); ok {
			fields.Set(Attr(n, "name"), value)
		}
	}
	return fields
}

// form returns the form of an action; of several the one whose hidden fields have the
// given values.
func (b *Browser) form(action string, pairs []string) *html.Node {
	b.t.Helper()
	var found *html.Node
	for _, f := range Elements(b.Page, func(n *html.Node) bool { return n.Data == "form" }) {
		hidden := map[string]string{}
		for _, n := range Elements(f, func(n *html.Node) bool { return Attr(n, "type") == "hidden" }) {
			hidden[Attr(n, "name")] = Attr(n, "value")
		}
		if hidden["do"] != action {
			continue
		}
		fits := true
		for i := 1; i < len(pairs); i += 2 {
			if value, ok := hidden[pairs[i-1]]; ok && value != pairs[i] {
				fits = false
			}
		}
		if fits || found == nil {
			found = f
		}
	}
	if found == nil {
		b.t.Fatalf("%s (%d) has no form %s:\n%s", b.Path(), b.Code, action, Text(b.Page))
	}
	return found
}

// valueOf returns the value of a field as a browser sends it, and whether it sends
// one.
func valueOf(n *html.Node) (string, bool) {
	switch n.Data {
	case "input":
		if kind := Attr(n, "type"); kind == "checkbox" || kind == "radio" {
			_, checked := Lookup(n, "checked")
			return Attr(n, "value"), checked
		}
		return Attr(n, "value"), true
	case "textarea":
		return Text(n), true
	case "select":
		options := Elements(n, func(o *html.Node) bool { return o.Data == "option" })
		for _, o := range options {
			if _, ok := Lookup(o, "selected"); ok {
				return Attr(o, "value"), true
			}
		}
		return Attr(options[0], "value"), true
	}
	return "", false
}

// request sends a request, keeps the cookies of the answer and follows redirects.
func (b *Browser) request(method, target, media string, body io.Reader) {
	b.t.Helper()
	for range 5 {
		to, err := b.here.Parse(target)
		if err != nil || to.Host != b.here.Host {
			b.t.Fatalf("%s leads to %s", b.Path(), target)
		}
		r := httptest.NewRequest(method, to.String(), body)
		r.Header.Set("Accept", "text/html,*/*;q=0.8")
		if method == http.MethodPost {
			r.Header.Set("Origin", b.Origin)
			r.Header.Set("Content-Type", media)
		}
		for _, c := range b.jar.Cookies(to) {
			r.AddCookie(c)
		}
		w := httptest.NewRecorder()
		b.h.ServeHTTP(w, r)
		b.jar.SetCookies(to, w.Result().Cookies())
		b.here, b.Code, b.head = to, w.Code, w.Header()
		if w.Code != http.StatusSeeOther {
			if b.Page, err = html.Parse(w.Body); err != nil {
				b.t.Fatal(err)
			}
			return
		}
		method, target, media, body = http.MethodGet, w.Header().Get("Location"), "", nil
	}
	b.t.Fatalf("%s redirects without end", b.Path())
}
