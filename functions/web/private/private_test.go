package private_test

import (
	"bytes"
	"context"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/private"
	"miramundo.dev/functions/web/webtest"
	"miramundo.dev/shared/account"
	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/site"
)

// A server has one page, whose action "do" records what it received.
type server struct {
	private *private.Renderer
	got     []string
}

func (s *server) Private() *private.Renderer { return s.private }

var errField = fault.ErrInvalid.With("param", "name").With("reason", "too_long").With("bound", 3)

func table(open bool) private.Page[*server] {
	return private.Page[*server]{
		Page: site.Sessions, Subject: "a page", Doc: "For tests.", Open: open,
		Show: func(_ *server, _ context.Context, v *private.Visit) (*private.Answer, error) {
			return v.Show(v.View(struct {
				*private.Visit
				Rows []int
			}{Visit: v}))
		},
		Actions: map[string]private.Handler[*server]{
			"everywhere": func(s *server, _ context.Context, v *private.Visit) (*private.Answer, error) {
				switch v.Field("name") {
				case "wrong":
					return nil, errField
				case "gone":
					return nil, identity.ErrEnded
				case "down":
					return nil, fault.ErrUnavailable
				}
				s.got = append(s.got, v.Field("name")+string(v.File("file")))
				return v.Finish("everywhere"), nil
			},
		},
	}
}

func open(t *testing.T, isOpen bool) (*webtest.Accounts, *server, http.Handler) {
	t.Helper()
	a := webtest.NewAccounts(t)
	s := &server{private: private.New(private.Options{Pages: page.NewRenderer(webtest.Links), DB: a.DB, Access: a.Access, Tokens: a.Tokens, Now: a.Now})}
	return a, s, webtest.Handler(s, table(isOpen).Endpoints())
}

const path = "/en/account/sessions"

// post sends a form with the cookies of a browser. pairs are fields.
func post(h http.Handler, b *webtest.Browser, origin string, pairs ...string) *httptest.ResponseRecorder {
	fields := url.Values{"do": {"everywhere"}}
	for i := 1; i < len(pairs); i += 2 {
		fields.Set(pairs[i-1], pairs[i])
	}
	r := httptest.NewRequest(http.MethodPost, webtest.Base+path, strings.NewReader(fields.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if origin != "" {
		r.Header.Set("Origin", origin)
	}
	for _, name := range []string{"__Host-mm-auth", "__Host-mm-boot"} {
		if value := b.Cookie(name); value != "" {
			r.AddCookie(&http.Cookie{Name: name, Value: value})
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// tokenOf returns the token of the forms on the page that a browser shows.
func tokenOf(b *webtest.Browser) string {
	return webtest.Attr(webtest.Elements(b.Page, func(n *html.Node) bool { return webtest.Attr(n, "name") == "csrf" })[0], "value")
}

// TestForms checks which requests may submit a form: those with the exact origin and
// the token of the same browser and session.
func TestForms(t *testing.T) {
	a, s, h := open(t, false)
	me := a.Make(t, "maria@example.org")
	b, other := webtest.NewBrowser(t, h), webtest.NewBrowser(t, h)
	a.SignIn(t, me.ID, b)
	a.SignIn(t, me.ID, other)
	token, foreign := tokenOf(b.Go(path)), tokenOf(other.Go(path))
	for _, test := range []struct {
		name, origin, token string
		want                int
	}{
		{"ours", webtest.Base, token, http.StatusSeeOther},
		{"another origin", "https://evil.example", token, http.StatusForbidden},
		{"no origin", "", token, http.StatusForbidden},
		{"the opaque origin", "null", token, http.StatusForbidden},
		{"http", strings.Replace(webtest.Base, "https", "http", 1), token, http.StatusForbidden},
		{"no token", webtest.Base, "", http.StatusForbidden},
		{"the token of another browser", webtest.Base, foreign, http.StatusForbidden},
		{"junk", webtest.Base, "x.y", http.StatusForbidden},
	} {
		s.got = nil
		w := post(h, b, test.origin, "csrf", test.token, "name", "x")
		if w.Code != test.want || (len(s.got) > 0) != (test.want == http.StatusSeeOther) {
			t.Errorf("%s: %d, the action received %q", test.name, w.Code, s.got)
		}
		if store := w.Header().Get("Cache-Control"); store != "no-store" {
			t.Errorf("%s: caches may keep it: %q", test.name, store)
		}
	}
	if w := post(h, b, webtest.Base, "csrf", "x.y", "name", "<filled-in>"); !strings.Contains(w.Body.String(), "out of date") || strings.Contains(w.Body.String(), "filled-in") {
		t.Errorf("a form of another session is answered with %s", w.Body)
	}
	if w := post(h, b, webtest.Base, "csrf", token, "do", "none"); w.Code != http.StatusBadRequest {
		t.Errorf("an action that does not exist: %d", w.Code)
	}
}

// TestOutcomes checks what follows from the errors of actions.
func TestOutcomes(t *testing.T) {
	a, _, h := open(t, false)
	me := a.Make(t, "maria@example.org")
	for name, want := range map[string]struct {
		code int
		path string
	}{
		"fine": {200, path + "?done=everywhere"}, "wrong": {400, path}, "down": {503, path},
		"gone": {404, "/en/sign-in?done=ended&to=%2Fen%2Faccount%2Fsessions"}, // no page of this test
	} {
		b := webtest.NewBrowser(t, h)
		a.SignIn(t, me.ID, b)
		w := post(h, b, webtest.Base, "csrf", tokenOf(b.Go(path)), "name", name)
		if to := w.Header().Get("Location"); to != "" {
			b.Go(to)
			if b.Code != want.code || b.Path() != want.path {
				t.Errorf("%s: %d at %s, want %+v", name, b.Code, b.Path(), want)
			}
		} else if w.Code != want.code {
			t.Errorf("%s: %d, want %+v", name, w.Code, want)
		}
	}
}

// TestSignedOut checks that a page leads visitors without a session to the sign-in
// page, unless it is open to them.
func TestSignedOut(t *testing.T) {
	_, _, h := open(t, false)
	if b := webtest.NewBrowser(t, h).Go(path); b.Path() != "/en/sign-in?to=%2Fen%2Faccount%2Fsessions" || len(b.Cookie("__Host-mm-boot")) != 43 {
		t.Errorf("without a session: %s", b.Path())
	}
	a, s, h := open(t, true)
	b := webtest.NewBrowser(t, h).Go(path)
	if b.Code != http.StatusOK || b.Header("Cache-Control") != "no-store" || b.Header("Etag") != "" {
		t.Errorf("an open page: %d, %q, ETag %q", b.Code, b.Header("Cache-Control"), b.Header("Etag"))
	}
	if w := post(h, b, webtest.Base, "csrf", tokenOf(b), "name", "x"); w.Code != http.StatusSeeOther || !slices.Equal(s.got, []string{"x"}) {
		t.Errorf("a form without a session: %d, %q", w.Code, s.got)
	}
	me := a.Make(t, "maria@example.org")
	token := tokenOf(b)
	a.SignIn(t, me.ID, b)
	if w := post(h, b, webtest.Base, "csrf", token); w.Code != http.StatusForbidden {
		t.Errorf("with a session, the token from before it: %d", w.Code)
	}
}

// TestEnded checks that the cookie of a session that is over is removed.
func TestEnded(t *testing.T) {
	a, _, h := open(t, true)
	me := a.Make(t, "maria@example.org")
	b := webtest.NewBrowser(t, h)
	a.SignIn(t, me.ID, b)
	a.Time = a.Time.Add(access.Idle)
	if b.Go(path); b.Code != http.StatusOK || b.Cookie("__Host-mm-auth") != "" {
		t.Errorf("%d, the cookie is %q", b.Code, b.Cookie("__Host-mm-auth"))
	}
}

// TestMultipart checks that a form with a file is read, and its bounds.
func TestMultipart(t *testing.T) {
	_, s, h := open(t, true)
	b := webtest.NewBrowser(t, h).Go(path)
	send := func(fields int, file string) int {
		var body bytes.Buffer
		w := multipart.NewWriter(&body)
		for name, value := range map[string]string{"csrf": tokenOf(b), "do": "everywhere", "name": "n"} {
			_ = w.WriteField(name, value)
		}
		for range fields {
			_ = w.WriteField("more", "x")
		}
		part, _ := w.CreateFormFile("file", "a.png")
		_, _ = part.Write([]byte(file))
		_ = w.Close()
		r := httptest.NewRequest(http.MethodPost, webtest.Base+path, &body)
		r.Header.Set("Origin", webtest.Base)
		r.Header.Set("Content-Type", w.FormDataContentType())
		r.AddCookie(&http.Cookie{Name: "__Host-mm-boot", Value: b.Cookie("__Host-mm-boot")})
		out := httptest.NewRecorder()
		h.ServeHTTP(out, r)
		return out.Code
	}
	if code := send(0, "+picture"); code != http.StatusSeeOther {
		t.Errorf("a picture: %d", code)
	}
	if code := send(0, ""); code != http.StatusSeeOther {
		t.Errorf("no picture: %d", code)
	}
	if code := send(13, "x"); code != http.StatusBadRequest {
		t.Errorf("seventeen fields: %d", code)
	}
	if code := send(0, strings.Repeat("x", 32<<10)); code != http.StatusRequestEntityTooLarge {
		t.Errorf("more than the limit: %d", code)
	}
	if diff := cmp.Diff([]string{"n+picture", "n"}, s.got); diff != "" {
		t.Errorf("received (-want +got):\n%s", diff)
	}
}

// TestReturn checks that a visitor is never led to another site.
func TestReturn(t *testing.T) {
	var got string
	a := webtest.NewAccounts(t)
	s := &server{private: private.New(private.Options{Pages: page.NewRenderer(webtest.Links), DB: a.DB, Access: a.Access, Tokens: a.Tokens, Now: a.Now})}
	p := table(true)
	p.Show = func(_ *server, _ context.Context, v *private.Visit) (*private.Answer, error) {
		got = v.Return()
		return v.Go("/x", nil), nil
	}
	h := webtest.Handler(s, p.Endpoints())
	const account = "/en/account"
	for to, want := range map[string]string{
		"": account, "/en/library": "/en/library", "/canal/a%2Fb?x=1#y": "/canal/a%2Fb?x=1#y", "//evil.example": account, `/\evil.example`: account,
		"https://evil.example/": account, "javascript:alert(1)": account, "/\t/evil.example": account, "en/library": account, "/api/me": account,
		"/%zz": account, `\\evil.example`: account, "/" + strings.Repeat("x", 511): "/" + strings.Repeat("x", 511), "///evil.example": account,
	} {
		got = ""
		webtest.Request(h, "GET", path+"?"+url.Values{"to": {to}}.Encode())
		if got != want && (got != "" || !strings.Contains(to, "\t")) { // the request is refused
			t.Errorf("%q leads to %q, want %q", to, got, want)
		}
	}
}

// TestNotice checks that the address chooses among known sentences only.
func TestNotice(t *testing.T) {
	_, _, h := open(t, true)
	for done, want := range map[string]bool{"everywhere": true, "nothing": false, "": false, "<b>": false} {
		b := webtest.NewBrowser(t, h).Go(path + "?" + url.Values{"done": {done}}.Encode())
		shown := webtest.Elements(b.Page, func(n *html.Node) bool { return webtest.HasClass(n, "notice") })
		if (len(shown) == 1) != want {
			t.Errorf("%q shows %d notices", done, len(shown))
		}
	}
}

// TestMoment checks that times are those of the visitor's time zone.
func TestMoment(t *testing.T) {
	v := &private.Visit{Locale: i18n.EN}
	at := time.Date(2026, 1, 2, 23, 30, 0, 0, time.UTC)
	for zone, want := range map[string]private.Moment{
		"":                  {ISO: "2026-01-02T23:30:00Z", Text: "2 January 2026, 23:30 UTC"},
		"Europe/Berlin":     {ISO: "2026-01-03T00:30:00+01:00", Text: "3 January 2026, 00:30"},
		"No/Such":           {ISO: "2026-01-02T23:30:00Z", Text: "2 January 2026, 23:30 UTC"},
		"America/Sao_Paulo": {ISO: "2026-01-02T20:30:00-03:00", Text: "2 January 2026, 20:30"},
	} {
		if got := v.Moment(account.Profile{TimeZone: zone}, at); got != want {
			t.Errorf("%s: %+v, want %+v", zone, got, want)
		}
	}
	if got := v.Moment(account.Profile{}, time.Time{}); got != (private.Moment{}) {
		t.Errorf("never: %+v", got)
	}
	if got := v.Day(account.Profile{TimeZone: "Europe/Berlin"}, at); got != (private.Moment{ISO: "2026-01-03", Text: "3 January 2026"}) {
		t.Errorf("the day in Berlin: %+v", got)
	}
}
