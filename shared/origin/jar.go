package origin

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// A jar keeps the cookies of one request while it is redirected: some origins
// set a cookie and redirect to the same address, to see whether it comes
// back. A cookie is sent only to the scheme and host that set it.
type jar struct{ set []setCookie }

// A setCookie is a cookie with the scheme and host that set it.
type setCookie struct {
	place string
	http.Cookie
}

// maxCookies is the greatest number of cookies of one request.
const maxCookies = 16

// schemeHost returns the scheme and host of u, so that a cookie set over
// https is never sent in the clear.
func schemeHost(u *url.URL) string { return strings.ToLower(u.Scheme + "://" + u.Host) }

// SetCookies stores the cookies of a response, and deletes those that it
// expires. [http.Client] calls it.
func (c *jar) SetCookies(u *url.URL, cookies []*http.Cookie) {
	at := schemeHost(u)
	for _, cookie := range cookies {
		one := setCookie{at, http.Cookie{Name: cookie.Name, Value: cookie.Value}}
		i := slices.IndexFunc(c.set, func(old setCookie) bool { return old.place == at && old.Name == one.Name })
		switch {
		case cookie.MaxAge < 0 && i >= 0:
			c.set = slices.Delete(c.set, i, i+1)
		case cookie.MaxAge < 0:
		case i >= 0:
			c.set[i] = one
		case len(c.set) < maxCookies:
			c.set = append(c.set, one)
		}
	}
}

// Cookies returns the cookies for an address. [http.Client] calls it.
func (c *jar) Cookies(u *url.URL) []*http.Cookie {
	var sent []*http.Cookie
	for i := range c.set {
		if c.set[i].place == schemeHost(u) {
			sent = append(sent, &c.set[i].Cookie)
		}
	}
	return sent
}
