package sitefiles

import (
	"context"
	"strings"
	"time"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/library"
	"miramundo.dev/shared/site"
)

// robots is the endpoint of robots.txt.
var robots = []api.Endpoint{
	api.Bind((*Server).robots, api.Endpoint{
		Method: "GET", Path: "/robots.txt", Auth: api.None, Page: true,
		Summary: "Get the rules for crawlers",
		Doc:     "Returns robots.txt: crawlers may read the pages, the index of the API and players as oEmbed, but neither the rest of the API nor feeds.",
		Cache:   api.Public(time.Hour), Produces: []string{"text/plain"},
	}),
}

// robots disallows the API except its index and oEmbed, and the feeds, whose URLs are
// secrets, and the API in the paths of radio-browser. It allows pages that must not be indexed, because a search engine obeys
// the noindex in a page only when it may read the page.
func (s *Server) robots(context.Context, struct{}) (api.Content, error) {
	lines := []string{
		"User-agent: *",
		"Allow: " + catalog.IndexPath + "$",
		"Allow: " + site.OEmbedPath,
		"Disallow: " + catalog.IndexPath,
		"Disallow: " + library.FeedsPath,
		"Disallow: " + library.PublicPath + "*/", // the feeds of public libraries, not their pages
		"Disallow: " + library.LivePath + "/",
		"Disallow: " + library.PlayerPath,
		"Disallow: " + library.ListPath,
		"Disallow: " + library.GuidePath,
	}
	lines = append(lines, "Disallow: /lists/")
	for _, folder := range site.RadioBrowserFolders {
		lines = append(lines, "Disallow: "+folder)
	}
	lines = append(lines, "", "Sitemap: "+s.Links.Base+sitemapPath, "")
	return contentOf("text/plain; charset=utf-8", []byte(strings.Join(lines, "\n"))), nil
}
