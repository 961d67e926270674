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

	"miramundo.dev/shared/identity"
)

// sessionCookie is the cookie of an account session.
const sessionCookie = "__Host-mm-auth"

// Of returns the credentials in the headers of a request. A header or a cookie
// that is sent twice is neither of the two: joined they are an invalid
// credential, so that a proxy in between cannot have us take another one than it
// checked.
func Of(h http.Header) identity.Credentials {
	return identity.Credentials{
		GuestToken:    joined(h["X-Guest-Token"]),
		Authorization: joined(h["Authorization"]),
		APIKey:        joined(h["X-Api-Key"]),
		Session:       sessionOf(h["Cookie"]),
	}
}

func joined(values []string) string { return strings.Join(values, ", ") }

// sessionOf returns the value of the account cookie as it was sent. net/http
// leaves out cookies whose values are malformed: the guest of the browser would
// then act in place of the account.
func sessionOf(lines []string) (value string) {
	for _, line := range lines {
		for cookie := range strings.SplitSeq(line, ";") {
			if name, v, _ := strings.Cut(cookie, "="); strings.TrimSpace(name) == sessionCookie {
				value += strings.TrimSpace(v)
			}
		}
	}
	return value
}
