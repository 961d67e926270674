// Package moderation serves the page on which the operator looks after what visitors
// write.
//
// The page is a shell that is the same for everyone. Its script asks for the operator's
// token and calls the API with it, so that the server renders no reported text and
// caches may keep the page.
package moderation

import (
	"context"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

// Endpoints are the page in every locale.
var Endpoints = page.Endpoints(site.Moderation, "Show the moderation page",
	"Returns the page whose script shows reported texts to the operator. It contains nothing of them itself.", (*Server).moderation)

// A Server serves the page.
type Server struct{ pages *page.Renderer }

// New returns a server that renders the page with r.
func New(r *page.Renderer) *Server { return &Server{r} }

// moderation returns the shell. Search engines must leave it out. The script receives
// the prefix of the paths of channels, to link them.
func (s *Server) moderation(_ context.Context, l i18n.Locale, _ struct{}) (*page.Rendered, error) {
	v := s.pages.View(site.Moderation, l, nil)
	v.NoIndex = true
	v.Data = map[string]string{"channel": site.Channel.Path(l, "")}
	v.Areas = append(v.Areas, "guard")
	v.Modules = []string{"moderation"}
	return v.Show()
}
