package web

import (
	"context"
	"strings"
	"time"

	"miramundo.dev/shared/api"
)

// robots tells search engines where to look, and where not.
var robots = []api.Endpoint{
	api.Bind((*Server).robots, api.Endpoint{
		Method: "GET", Path: "/robots.txt", Auth: api.None, Page: true,
		Doc:   "What search engines may read.",
		Cache: api.Public(time.Hour), Produces: []string{"text/plain"},
	}),
}

// robots leaves out what is no page: the API but for its index, and the feeds,
// whose addresses are secrets. Pages that are not to be found say so themselves,
// which a search engine must be let in to read.
func (s *Server) robots(context.Context, struct{}) (api.Content, error) {
	lines := []string{
		"User-agent: *",
		"Allow: " + apiPath + "$",
		"Disallow: " + apiPath,
		"Disallow: /f/",
		"",
		"Sitemap: " + s.Links.Base + sitemapPath,
		"",
	}
	return contentOf("text/plain; charset=utf-8", []byte(strings.Join(lines, "\n"))), nil
}
