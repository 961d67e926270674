// Package credential reads the credentials that a request shows.
//
// A request may show a guest token, an API key, a bearer token and the cookie of
// an account session, all at once. This package takes them from the headers as
// they were sent; package identity decides which of them counts, and verifies
// it.
package credential

import (
	"net/http"
	"strings"
	"time"

	"miramundo.dev/shared/identity"
)

// Cookies of a browser. The prefix __Host- makes browsers take them from this host
// alone, by https, for every path. On a machine's own addresses (127.0.0.1 and
// localhost) browsers take them by http too, so that a local service needs no
// other names.
const (
	sessionCookie = "__Host-mm-auth" // of an account session
	bootCookie    = "__Host-mm-boot" // random, of each browser that may sign in
)

// Of returns the credentials in the headers of a request. A header or a cookie
// that is sent twice is neither of the two: joined they are an invalid
// credential, so that a proxy in between cannot have us take another one than it
// checked.
func Of(h http.Header) identity.Credentials {
	return identity.Credentials{
		GuestToken:    joined(h["X-Guest-Token"]),
		Authorization: joined(h["Authorization"]),
		APIKey:        joined(h["X-Api-Key"]),
		Session:       cookieOf(h["Cookie"], sessionCookie),
		Organization:  joined(h["X-Organization"]),
		Payment:       joined(h["X-Payment"]),
		Signature:     joined(h["Payment-Signature"]),
		Credit:        creditOf(h),
	}
}

// creditOf returns the credit that a request shows.
func creditOf(h http.Header) string {
	if credit := joined(h["X-Credito"]); credit != "" {
		return credit
	}
	scheme, token, _ := strings.Cut(joined(h["Authorization"]), " ")
	if token = strings.Trim(token, " "); strings.EqualFold(scheme, "bearer") && strings.HasPrefix(token, identity.CreditPrefix) {
		return token
	}
	return ""
}

// BrowserOf returns what a request shows of the page that sent it.
func BrowserOf(h http.Header) identity.Browser {
	return identity.Browser{
		Origin: joined(h["Origin"]),
		Token:  joined(h["X-Csrf-Token"]),
		Boot:   cookieOf(h["Cookie"], bootCookie),
	}
}

// SessionCookie returns the cookie of a session that ends at a moment.
func SessionCookie(value string, ends time.Time) *http.Cookie {
	c := cookie(sessionCookie, value)
	c.Expires = ends
	return c
}

// NoSessionCookie returns the cookie that removes that of a session.
func NoSessionCookie() *http.Cookie {
	c := cookie(sessionCookie, "")
	c.MaxAge = -1
	return c
}

// bootAge is how long a browser keeps its cookie: as long as a session can last, so
// that a browser in which somebody has signed in is known again.
const bootAge = 180 * 24 * time.Hour

// BootCookie returns the cookie of a browser.
func BootCookie(value string) *http.Cookie {
	c := cookie(bootCookie, value)
	c.MaxAge = int(bootAge / time.Second)
	return c
}

// cookie returns a cookie that no script reads and no other site sends along,
// except with a link that leads here.
func cookie(name, value string) *http.Cookie {
	return &http.Cookie{Name: name, Value: value, Path: "/", Secure: true, HttpOnly: true, SameSite: http.SameSiteLaxMode}
}

// blank are the characters that may stand around the name and the value of a cookie.
const blank = " \t"

func joined(values []string) string { return strings.Join(values, ", ") }

// cookieOf returns the value of a cookie as it was sent. net/http leaves out
// cookies whose values are malformed: the guest of the browser would then act in
// place of the account.
//
// Only the spaces and tabs of RFC 6265 around a name are ignored. Browsers do not
// guard a name such as U+2000 followed by __Host-mm-auth, so that a page of a
// neighbouring subdomain can set it: read as __Host-mm-auth it would sign the
// visitor in to an account of that page's choice.
func cookieOf(lines []string, name string) (value string) {
	for _, line := range lines {
		for cookie := range strings.SplitSeq(line, ";") {
			if n, v, _ := strings.Cut(cookie, "="); strings.Trim(n, blank) == name {
				value += strings.Trim(v, blank)
			}
		}
	}
	return value
}
