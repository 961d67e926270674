// Package offline serves the service worker and the pages that it shows where there is
// no network.
//
// The worker keeps the files that every page needs and one page for each language, and
// nothing else: lists, answers of the API and streams always come from the network, so
// that nothing stale is ever shown. The files have a hash of their content in their
// names. The worker's own bytes name all of them, so that browsers notice each build,
// and what an earlier one kept is deleted.
package offline

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

// Endpoints are the worker, and the page in every locale.
var Endpoints = func() []api.Endpoint {
	all := []api.Endpoint{api.Bind((*Server).worker, api.Endpoint{
		Method: "GET", Path: site.WorkerPath, Auth: api.None, Page: true,
		Summary: "Get the service worker",
		Doc:     "Returns the script that browsers keep to show a page of ours where there is no network. It keeps no list and no answer of the API.",
		Faults:  []*fault.Error{fault.ErrNotFound}, Cache: api.Revalidate, Produces: []string{"text/javascript"},
	})}
	for _, l := range i18n.Locales {
		all = append(all, api.Bind(func(s *Server, _ context.Context, _ struct{}) (*page.Rendered, error) { return s.page(l) }, api.Endpoint{
			Method: "GET", Path: site.OfflinePath(l), Auth: api.None, Page: true,
			Summary: "Show that there is no network (" + l.Tag() + ")",
			Doc:     "Returns the page that the service worker shows in place of one that it cannot fetch.",
			Cache:   page.FrameCache, Produces: []string{"text/html"},
		}))
	}
	return all
}()

// A Server serves the worker and its pages.
type Server struct {
	pages  *page.Renderer
	script func() (*api.Document, error)
}

// New returns a server of the worker.
func New(pages *page.Renderer) *Server {
	s := &Server{pages: pages}
	s.script = sync.OnceValues(s.build)
	return s
}

// page shows that there is no network.
func (s *Server) page(l i18n.Locale) (*page.Rendered, error) {
	v := s.pages.View(site.Nowhere, l, nil)
	v.Title, v.Description = l.T("error.offline_title", nil), l.T("error.offline_text", nil)
	v.NoIndex, v.Areas = true, nil
	return v.ShowAs("offline", http.StatusOK)
}

// A shell is what the worker keeps.
type shell struct {
	Version string            `json:"version"` // a hash of everything that is kept
	Files   []string          `json:"files"`
	Pages   map[string]string `json:"pages"` // paths of pages, by what the paths of their language begin with; empty for the default one
}

// build returns the worker with the list of what it keeps.
func (s *Server) build() (*api.Document, error) {
	script := s.pages.File("worker.js")
	if script == nil {
		return nil, fault.ErrNotFound
	}
	kept, sum := shell{Files: s.pages.Shell(), Pages: map[string]string{}}, sha256.New()
	for _, l := range i18n.Locales {
		shown, err := s.page(l)
		if err != nil {
			return nil, err
		}
		prefix := ""
		if l != i18n.PT {
			prefix = l.Tag()
		}
		kept.Pages[prefix] = site.OfflinePath(l)
		fmt.Fprintln(sum, shown.ETag())
	}
	for _, file := range kept.Files {
		fmt.Fprintln(sum, file)
	}
	kept.Version = hex.EncodeToString(sum.Sum(nil)[:6])
	list, err := json.Marshal(kept)
	if err != nil {
		return nil, err
	}
	return api.NewDocument("text/javascript; charset=utf-8", fmt.Appendf(nil, "self.shell=%s;\n%s", list, script)), nil
}

// worker returns the service worker.
func (s *Server) worker(context.Context, struct{}) (worker, error) {
	script, err := s.script()
	return worker{script}, err
}

// A worker is the script, which fetches from this service alone.
type worker struct{ *api.Document }

// Reply writes the script with the policy that is in force in it.
func (w worker) Reply(to http.ResponseWriter, r *http.Request) error {
	h := to.Header()
	h["Content-Security-Policy"] = []string{"default-src 'none'; connect-src 'self'"}
	h["Cross-Origin-Resource-Policy"] = []string{"same-origin"}
	h["X-Robots-Tag"] = []string{"noindex"}
	return w.Document.Reply(to, r)
}
