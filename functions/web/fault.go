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

// A failure is the body of the page of a fault.
type failure struct {
	Status    int
	Again     string // the path to try again; empty where that is useless
	Countries []catalog.CountryFacet
}

// FaultPage returns the page that a browser is shown in place of a fault in JSON:
// what is missing or does not work now, and where to go on. It returns nil for
// requests of the API.
func (s *Server) FaultPage(r *http.Request, status int, f *fault.Error) api.Reply {
	if strings.HasPrefix(r.URL.Path, catalog.IndexPath) {
		return nil // programs read JSON
	}
	l, said := site.LocaleOf(r.URL.Path)
	if !said {
		l = i18n.Match(r.Header.Get("Accept-Language"))
	}
	body := failure{Status: status}
	v := s.pages.View(site.Nowhere, l, nil)
	v.NoIndex, v.Areas = true, nil
	switch {
	case status >= http.StatusInternalServerError:
		v.Title, v.Description = l.T("error.broken_title", nil), api.Message(l, f)
		body.Again = r.URL.RequestURI()
	case status == http.StatusNotFound:
		v.Title, v.Description = l.T("error.missing_title", nil), l.T("error.missing_text", nil)
		body.Countries = s.greatest(l)
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

// greatest returns the countries with the most channels, among those that have a
// page.
func (s *Server) greatest(l i18n.Locale) []catalog.CountryFacet {
	const shown = 10
	at, err := s.catalog.View()
	if err != nil {
		return nil
	}
	all := slices.DeleteFunc(slices.Clone(at.Countries("all", int(l))), func(c catalog.CountryFacet) bool {
		_, ok := site.CountryPath(l, c.Code)
		return !ok
	})
	slices.SortStableFunc(all, func(a, b catalog.CountryFacet) int { return cmp.Compare(b.Count, a.Count) })
	return all[:min(shown, len(all))]
}
