package webtest

import (
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/net/html"
)

// Alerts returns the sentences about failures on the page that the browser shows.
func (b *Browser) Alerts() string {
	return b.said(func(n *html.Node) bool { return Attr(n, "role") == "alert" })
}

// Notices returns the sentences about what was done.
func (b *Browser) Notices() string {
	return b.said(func(n *html.Node) bool { return Attr(n, "role") == "status" && HasClass(n, "notice") })
}

// Said returns the texts of the elements of a class, in their order.
func (b *Browser) Said(class string) string {
	return b.said(func(n *html.Node) bool { return HasClass(n, class) })
}

func (b *Browser) said(f func(*html.Node) bool) string {
	var all []string
	for _, n := range Elements(b.Page, f) {
		all = append(all, strings.Join(strings.Fields(Text(n)), " "))
	}
	return strings.Join(all, "|")
}

// Heading returns the text of the first heading on the page.
func (b *Browser) Heading() string {
	for _, n := range Elements(b.Page, func(n *html.Node) bool { return n.Data == "h1" }) {
		return Text(n)
	}
	return ""
}

// Post sends fields to a path as a form of the page that the browser shows would:
// with the token of that page.
func (b *Browser) Post(path string, fields url.Values) *Browser {
	b.t.Helper()
	for _, n := range Elements(b.Page, func(n *html.Node) bool { return Attr(n, "name") == "csrf" }) {
		fields.Set("csrf", Attr(n, "value"))
	}
	b.request(http.MethodPost, path, "application/x-www-form-urlencoded", strings.NewReader(fields.Encode()))
	return b
}
