// Package operator serves the page on which the operator runs the service.
//
// The page is a shell that is the same for everyone. Its script asks for the operator's
// tokens and calls the API with them, so that the server renders nothing that only the
// operator may see, and caches may keep the page.
package operator

import (
	"context"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

// Endpoints are the page in every locale.
var Endpoints = page.Endpoints(site.Operator, "Show the operator's page",
	"Returns the page whose script shows the state of the service to the operator. It contains nothing of that itself.", (*Server).operator)

// A Server serves the page.
type Server struct{ pages *page.Renderer }

// New returns a server that renders the page with r.
func New(r *page.Renderer) *Server { return &Server{r} }

// operator returns the shell. Search engines must leave it out. The script receives
// the prefix of the paths of channels, which the reported texts link to, and the texts
// of the page of moderation, which is one of its tabs, and those of takedown requests.
func (s *Server) operator(_ context.Context, l i18n.Locale, _ struct{}) (*page.Rendered, error) {
	v := s.pages.View(site.Operator, l, nil)
	v.NoIndex = true
	v.Data = map[string]string{"channel": site.Channel.Path(l, "")}
	v.Areas = append(v.Areas, "guard", "moderation", "takedown")
	v.Modules = []string{"operator"}
	return v.Show()
}
