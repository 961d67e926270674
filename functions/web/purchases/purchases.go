// Package purchases serves the page on which visitors see their passes and credit, and
// buy more.
//
// The page is a shell that is the same for every visitor: its script asks the API what
// the visitor has. Credits are named by their tokens alone, which the visitor pastes,
// so the server renders none.
package purchases

import (
	"context"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/price"
	"miramundo.dev/shared/site"
)

// Endpoints are the page in every locale.
var Endpoints = page.Endpoints(site.Purchases, "Show the purchases page",
	"Returns the page whose script shows the visitor's passes and the statement of a credit, and sells more. It contains nothing of the visitor itself.", (*Server).purchases)

// A Server serves the page.
type Server struct{ pages *page.Renderer }

// New returns a server that renders the page with r.
func New(r *page.Renderer) *Server { return &Server{r} }

// A body is the body of the page.
type body struct {
	Credits []price.Item // that can be bought
	Routes  []route
}

// A route is a call that is paid for.
type route struct{ Call, Text string }

// routes are the calls that are paid for, with the last part of the key of the text
// about each.
var routes = []route{
	{"POST /api/chat/pass", "chat"}, {"POST /api/credits", "credit"}, {"POST /api/contact", "contact"}, {"GET /api/s/{id}", "network"},
}

func (s *Server) purchases(_ context.Context, l i18n.Locale, _ struct{}) (*page.Rendered, error) {
	b := body{Routes: routes}
	for _, it := range price.All() {
		if it.Kind == price.Credit {
			b.Credits = append(b.Credits, it)
		}
	}
	v := s.pages.View(site.Purchases, l, b)
	v.NoIndex = true
	v.Areas = append(v.Areas, "pay")
	return v.Show()
}
