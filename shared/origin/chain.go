package origin

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// A chain keeps the cookies of one request while it is redirected: some
// origins set one and send the request back, to see whether it returns. They
// go to the host that set them only, and are gone with the request.
type chain struct{ set []crumb }

// A crumb is a cookie with the place that set it.
type crumb struct {
	place string
	http.Cookie
}

// maxCrumbs is the most cookies that one request keeps.
const maxCrumbs = 16

// place names a scheme and a host. Who sets a cookie by https does not see it
// sent in the clear.
func place(u *url.URL) string { return strings.ToLower(u.Scheme + "://" + u.Host) }

// SetCookies notes the cookies of an answer, and forgets those that it ends.
// [http.Client] calls it.
func (c *chain) SetCookies(u *url.URL, cookies []*http.Cookie) {
	at := place(u)
	for _, cookie := range cookies {
		one := crumb{at, http.Cookie{Name: cookie.Name, Value: cookie.Value}}
		i := slices.IndexFunc(c.set, func(old crumb) bool { return old.place == at && old.Name == one.Name })
		switch {
		case cookie.MaxAge < 0 && i >= 0:
			c.set = slices.Delete(c.set, i, i+1)
		case cookie.MaxAge < 0:
		case i >= 0:
			c.set[i] = one
		case len(c.set) < maxCrumbs:
			c.set = append(c.set, one)
		}
	}
}

// Cookies returns the cookies that go to an address. [http.Client] calls it.
func (c *chain) Cookies(u *url.URL) []*http.Cookie {
	var sent []*http.Cookie
	for i := range c.set {
		if c.set[i].place == place(u) {
			sent = append(sent, &c.set[i].Cookie)
		}
	}
	return sent
}
