package apitest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"miramundo.dev/shared/api"
)

// Origin is the origin of the service under test, which must be its BASE_URL.
const Origin = "https://mira.example"

// A Browser calls a handler as the pages of the service do: it keeps cookies, and
// its writes send the Origin of the service and the token of bootstrap. It is used
// by one goroutine.
type Browser struct {
	t        testing.TB
	h        http.Handler
	cookies  []*http.Cookie
	signedIn bool // by a script
}

// NewBrowser returns a browser without cookies.
func NewBrowser(t testing.TB, h http.Handler) *Browser { return &Browser{t: t, h: h} }

// Do makes a call as Do of this package does, and keeps the cookies of the answer.
// A header of the call replaces the one that the browser would send; an empty value
// leaves it out.
func (b *Browser) Do(method, target, body string, headers ...string) (*http.Response, string) {
	b.t.Helper()
	all := []string{}
	add := func(name, value string) {
		if !slices.ContainsFunc(headers, func(h string) bool { return strings.EqualFold(h, name) }) && value != "" {
			all = append(all, name, value)
		}
	}
	if method != http.MethodGet && method != http.MethodHead {
		add("X-CSRF-Token", b.Token())
		add("Origin", Origin)
		if strings.HasPrefix(body, "{") {
			add("Content-Type", "application/json")
		}
	}
	add("Cookie", b.cookieLine())
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i+1] != "" {
			all = append(all, headers[i], headers[i+1])
		}
	}
	answer, text := Do(b.t, b.h, method, target, body, all...)
	for _, c := range answer.Cookies() {
		b.Set(c)
	}
	return answer, text
}

// Token returns the token of bootstrap for the cookies that b has.
func (b *Browser) Token() string {
	b.t.Helper()
	answer, text := Do(b.t, b.h, http.MethodGet, api.BootstrapPath, "", "Cookie", b.cookieLine()) //nolint:bodyclose // a recorder's, read whole
	for _, c := range answer.Cookies() {
		b.Set(c)
	}
	var prepared struct{ CSRF string }
	if err := json.Unmarshal([]byte(text), &prepared); err != nil || prepared.CSRF == "" {
		b.t.Fatalf("bootstrap: %d %.300s", answer.StatusCode, text)
	}
	return prepared.CSRF
}

// Set stores a cookie, or removes the one of its name when it has expired.
func (b *Browser) Set(c *http.Cookie) {
	b.cookies = slices.DeleteFunc(b.cookies, func(old *http.Cookie) bool { return old.Name == c.Name })
	if c.MaxAge >= 0 {
		b.cookies = append(b.cookies, c)
	}
}

// Cookie returns the value of a cookie; empty when b does not have it.
func (b *Browser) Cookie(name string) string {
	for _, c := range b.cookies {
		if c.Name == name {
			return c.Value
		}
	}
	return ""
}

// cookieLine returns the header Cookie.
func (b *Browser) cookieLine() string {
	pairs := make([]string, 0, len(b.cookies))
	for _, c := range b.cookies {
		pairs = append(pairs, c.Name+"="+c.Value)
	}
	return strings.Join(pairs, "; ")
}
