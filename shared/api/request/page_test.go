package request_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/fault"
)

// A site has a page, and an endpoint beside it.
type site struct{}

type siteIn struct {
	Name string `path:"name" maxLength:"9" description:"Of the page."`
}

func (site) page(_ context.Context, in siteIn) (api.Content, error) {
	if in.Name == "gone" {
		return api.Content{}, fault.ErrNotFound
	}
	return api.Content{Type: "text/html; charset=utf-8", Data: []byte("<p>" + in.Name)}, nil
}

func (s site) top(ctx context.Context, _ struct{}) (api.Content, error) {
	return s.page(ctx, siteIn{"top"})
}

var siteTable = []api.Endpoint{
	api.Bind(site.page, api.Endpoint{Method: "GET", Path: "/{name}", Auth: api.None, Summary: "A page", Doc: "A page.", Page: true}),
	api.Bind(site.page, api.Endpoint{Method: "GET", Path: "/api/{name}", Auth: api.None, Summary: "No page", Doc: "No page."}),
	api.Bind(site.top, api.Endpoint{Method: "GET", Path: "/top/{$}", Auth: api.None, Summary: "With a slash at its end", Doc: "With a slash at its end.", Page: true}),
}

// A told is the page of a fault.
type told struct {
	status int
	code   string
}

func (p told) Reply(w http.ResponseWriter, r *http.Request) error {
	return api.WriteStatus(w, r, p.status, "text/html; charset=utf-8", []byte("<h1>"+p.code))
}

// TestFaultPage checks who is told of a fault by a page: browsers that open one,
// or what there is not.
func TestFaultPage(t *testing.T) {
	o := options()
	o.FaultPage = func(r *http.Request, status int, f *fault.Error) api.Reply {
		if strings.HasPrefix(r.URL.Path, "/plain") {
			return nil
		}
		return told{status, f.Code}
	}
	h := request.Handler(o, site{}, siteTable)
	const browser = "text/html,application/xhtml+xml,*/*;q=0.8"
	for _, test := range []struct {
		method, path, accept string
		status               int
		want                 string
	}{
		{"GET", "/here", browser, 200, "<p>here"},
		{"GET", "/gone", browser, 404, "<h1>not_found"},
		{"GET", "/much-too-long", browser, 400, "<h1>invalid_request"},
		{"GET", "/no/where", browser, 404, "<h1>not_found"},
		{"GET", "/gone", "*/*", 404, `{"error":"not_found"`},
		{"GET", "/gone", "", 404, `{"error":"not_found"`},
		{"GET", "/no/where", "application/json", 404, `{"error":"not_found"`},
		{"GET", "/api/gone", browser, 404, `{"error":"not_found"`},
		{"GET", "/plain/gone", browser, 404, `{"error":"not_found"`},
		{"POST", "/here", browser, 405, `{"allow":["GET"`},
		{"HEAD", "/gone", browser, 404, ""},
	} {
		res, body := apitest.Do(t, h, test.method, test.path, "", "Accept", test.accept)
		if res.StatusCode != test.status || !strings.HasPrefix(body, test.want) {
			t.Errorf("%s %s for %q: %d %s, want %d %s", test.method, test.path, test.accept, res.StatusCode, body, test.status, test.want)
		}
		if res.StatusCode >= 400 && res.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s %s: Cache-Control %q", test.method, test.path, res.Header.Get("Cache-Control"))
		}
		if strings.HasPrefix(test.want, "<") && res.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: scripts of other origins may read a page", test.path)
		}
	}
	if res, _ := apitest.Do(t, h, "GET", "/top", ""); res.StatusCode != http.StatusPermanentRedirect || res.Header.Get("Location") != "/top/" {
		t.Errorf("/top leads to %d %q", res.StatusCode, res.Header.Get("Location"))
	}
}

// TestFaultPageFails checks that a page that cannot be written leaves the fault
// told.
func TestFaultPageFails(t *testing.T) {
	o := options()
	o.FaultPage = func(*http.Request, int, *fault.Error) api.Reply { return broken{} }
	res, body := apitest.Do(t, request.Handler(o, site{}, siteTable), "GET", "/gone", "", "Accept", "text/html")
	if res.StatusCode != http.StatusNotFound || !strings.Contains(body, "not_found") {
		t.Errorf("answers %d %s", res.StatusCode, body)
	}
}

type broken struct{}

func (broken) Reply(http.ResponseWriter, *http.Request) error { return fault.ErrInternal }
