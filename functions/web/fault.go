package web

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

// Error pages. The request layer asks FaultPage for a page when the client accepts
// HTML, and writes the fault as JSON otherwise. An error page has the fault's
// status, is never indexed, and offers a next step: the same address again after a
// failure of the server, the largest countries after a missing page, and after that
// of a channel that is known but not shown, what became of it and what replaced it.

// A failure is the body of an error page.
type failure struct {
	Status    int                    // the HTTP status
	Again     string                 // the path to try again; empty unless the server failed
	Countries []catalog.CountryFacet // links to go on with; nil unless the page is missing
	Successor *successor             // the channel that replaced a missing one; nil for none
}

// A successor is a link to the channel that replaced another.
type successor struct{ Name, Path string }

// FaultPage returns the HTML page for a fault, in the language of the path or, for
// a path without a language, of the Accept-Language header. It returns nil when
// the fault must be written as JSON: for requests of the API, and when the page
// cannot be rendered.
func (s *Server) FaultPage(r *http.Request, status int, f *fault.Error) api.Reply {
	if strings.HasPrefix(r.URL.Path, catalog.IndexPath) {
		return nil // programs read JSON
	}
	l, found := site.LocaleOf(r.URL.Path)
	if !found {
		l = i18n.Match(r.Header.Get("Accept-Language"))
	}
	body := failure{Status: status}
	v := s.pages.View(site.Nowhere, l, nil)
	v.NoIndex, v.Areas = true, nil // the page has no script of its own
	switch {
	case status >= http.StatusInternalServerError:
		v.Title, v.Description = l.T("error.broken_title", nil), api.Message(l, f)
		body.Again = r.URL.RequestURI()
	case status == http.StatusNotFound:
		v.Title, v.Description = l.T("error.missing_title", nil), l.T("error.missing_text", nil)
		body.Countries = s.largestCountries(l)
		if gone, ok := f.Fields["gone"].(catalog.GoneChannel); ok && gone.Name != nil {
			v.Title, v.Description = l.T("error.gone_title", map[string]any{"name": *gone.Name}), fate(l, &gone)
			body.Successor = s.successor(l, &gone)
		}
	default:
		v.Title, v.Description = l.T("error.refused_title", nil), api.Message(l, f)
	}
	v.Body = body
	out, err := v.ShowAs("error", status)
	if err != nil {
		return nil // the fault is answered in JSON
	}
	return out
}

// fate returns the sentence that says why a channel is not shown.
func fate(l i18n.Locale, gone *catalog.GoneChannel) string {
	key := "error.gone_" + gone.Reason
	if gone.Since == nil || gone.Reason == catalog.GoneBlocked {
		return l.T(key, nil)
	}
	return l.T(key+"_since", map[string]any{"date": l.Date(*gone.Since)})
}

// successor returns a link to the channel that replaced another; nil for none.
func (s *Server) successor(l i18n.Locale, gone *catalog.GoneChannel) *successor {
	snapshot, err := s.catalog.View()
	if err != nil || gone.ReplacedBy == nil {
		return nil
	}
	c, ok := snapshot.Summary(*gone.ReplacedBy)
	if !ok {
		return nil
	}
	return &successor{c.Name, site.Channel.Path(l, c.ID)}
}

// largestCountries returns the ten countries with the most channels and stations
// among those that have a page; nil when no catalog is loaded.
func (s *Server) largestCountries(l i18n.Locale) []catalog.CountryFacet {
	const shown = 10
	snapshot, err := s.catalog.View()
	if err != nil {
		return nil
	}
	all := slices.DeleteFunc(slices.Clone(snapshot.Countries("all", int(l))), func(c catalog.CountryFacet) bool {
		_, ok := site.CountryPath(l, c.Code)
		return !ok
	})
	slices.SortStableFunc(all, func(a, b catalog.CountryFacet) int { return cmp.Compare(b.Count, a.Count) })
	return all[:min(shown, len(all))]
}
