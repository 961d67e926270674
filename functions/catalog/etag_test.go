package catalog

import (
	"net/http"
	"testing"
	"time"

	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
)

// A versioned is a server of one channel, whose parts a test changes.
type versioned struct {
	overlay index.Overlay
	now     time.Time
	build   string
}

// serve returns a server as another process would make it.
func (v versioned) serve(t *testing.T) http.Handler {
	t.Helper()
	server := New(Options{Catalog: shown{v.view(t)}, Now: func() time.Time { return v.now }, Build: v.build})
	return request.Handler(request.Options{CountryHeader: "X-Country"}, server, Endpoints)
}

// view returns the catalog of the state.
func (v versioned) view(t *testing.T) *index.View {
	t.Helper()
	ix, err := index.Build(&catalog.Register{BuiltAt: noon, Records: []catalog.Record{{
		ID: "Canal.CL", Name: "Canal", Country: "CL", Languages: []string{"spa"}, Origin: "iptv-org",
		Streams: []catalog.StreamRecord{{ID: 1, URL: "https://o.example/x.m3u8", Kind: catalog.StreamHLS, Origin: "iptv-org", Playable: true}},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	return index.NewView(ix, v.overlay, catalog.LinkBase{Base: "https://m.example"})
}

// logoOf is an overlay of one logo.
func logoOf(id string) index.Overlay {
	return index.Overlay{Logos: func(yield func(string, string) bool) { yield("Canal.CL", id) }}
}

// TestSearchVersion checks that a search has another version when anything has changed
// that it is rendered from, and else the same one in every process.
func TestSearchVersion(t *testing.T) {
	const relevance, online, plays = "/api/channels?sort=relevance&q=canal", "/api/channels?online=1", "/api/channels?works_in=CL"
	for _, test := range []struct {
		name, path string
		change     func(*versioned)
		headers    []string
		same       bool
	}{
		{"another process", relevance, func(*versioned) {}, nil, true},
		{"a later time", relevance, func(v *versioned) { v.now = noon.Add(time.Minute) }, nil, true},
		{"a country where the order is the same everywhere", "/api/channels", func(*versioned) {}, []string{"X-Country", "CL"}, true},
		{"a country", relevance, func(*versioned) {}, []string{"X-Country", "CL"}, false},
		{"a language of labels", "/api/channels", func(*versioned) {}, []string{"Accept-Language", "de"}, false},
		{"a language without labels", relevance, func(*versioned) {}, []string{"Accept-Language", "it"}, false},
		{"a logo", relevance, func(v *versioned) { v.overlay = logoOf("a") }, nil, false},
		{"a block", relevance, func(v *versioned) { v.overlay = index.Overlay{BlockedChannels: []string{"Canal.CL"}} }, nil, false},
		{"a program", relevance, func(v *versioned) { v.build = "next" }, nil, false},
		{"a catalog that became stale", online, func(v *versioned) { v.now = noon.Add(catalog.StaleAfter + time.Hour) }, nil, false},
		{"a later time of what plays in a country", plays, func(v *versioned) { v.now = noon.Add(time.Minute) }, nil, true},
		{"another day of what plays in a country", plays, func(v *versioned) { v.now = noon.Add(12 * time.Hour) }, nil, false},
		{"a stale catalog of what plays in a country", plays, func(v *versioned) { v.now = noon.Add(catalog.StaleAfter + time.Hour) }, nil, false},
		{"what plays surely, elsewhere", "/api/channels?sort=works", func(*versioned) {}, []string{"X-Country", "CL"}, false},
		{"what plays in a country, elsewhere", plays, func(*versioned) {}, []string{"X-Country", "PT"}, true},
	} {
		first := versioned{now: noon, build: "first"}
		before, _ := apitest.Do(t, first.serve(t), "GET", test.path, "")
		test.change(&first)
		tag := before.Header.Get("Etag")
		headers := append([]string{"If-None-Match", tag}, test.headers...)
		after, body := apitest.Do(t, first.serve(t), "GET", test.path, "", headers...)
		if tag == "" || (after.StatusCode == http.StatusNotModified) != test.same || test.same != (after.Header.Get("Etag") == tag) {
			t.Errorf("%s: version %s, then %d with %s %.80s", test.name, tag, after.StatusCode, after.Header.Get("Etag"), body)
		}
	}
}

// TestKeptPages checks that a page that was sent before is the same again, and that no
// request gets the page of another one: of another query, coding or state.
func TestKeptPages(t *testing.T) {
	state := versioned{now: noon, build: "first"}
	h := state.serve(t)
	fresh := func(path string, headers ...string) string {
		_, body := apitest.Do(t, state.serve(t), "GET", path, "", headers...)
		return body
	}
	for _, request := range [][]string{
		{"/api/channels"},
		{"/api/channels", "Accept-Language", "de"},
		{"/api/channels", "Accept-Encoding", "gzip"},
		{"/api/channels", "Accept-Encoding", "zstd"},
		{"/api/channels?kind=radio"},
		{"/api/channels?q=canal&sort=relevance"},
		{"/api/channels?q=canal&sort=relevance", "X-Country", "CL"},
		{"/api/channels?limit=1&offset=1"},
		{"/api/channels?offset=1&limit=1"},
		{"/api/channels?offset=0&x=%22%3C"},
	} {
		for range 3 {
			res, body := apitest.Do(t, h, "GET", request[0], "", request[1:]...)
			want := fresh(request[0], request[1:]...)
			if res.StatusCode != http.StatusOK || body != want {
				t.Errorf("%q: %d %.200s, want %.200s", request, res.StatusCode, body, want)
			}
			for _, header := range []string{"Content-Type", "Vary", "Etag", "Content-Length"} {
				if res.Header.Get(header) == "" {
					t.Errorf("%q: no %s", request, header)
				}
			}
		}
	}
}

// TestKeptPagesFollowCatalog checks that a page that was sent before is not sent again once
// the catalog shows something else.
func TestKeptPagesFollowCatalog(t *testing.T) {
	state := versioned{now: noon}
	catalog := &shown{state.view(t)}
	h := request.Handler(request.Options{}, New(Options{Catalog: catalog, Now: func() time.Time { return noon }}), Endpoints)
	for _, overlay := range []index.Overlay{{}, logoOf("first"), logoOf("second"), {BlockedChannels: []string{"Canal.CL"}}, {}} {
		state.overlay = overlay
		catalog.view = state.view(t)
		for range 2 {
			_, body := apitest.Do(t, h, "GET", "/api/channels?kind=tv", "")
			if _, want := apitest.Do(t, state.serve(t), "GET", "/api/channels?kind=tv", ""); body != want {
				t.Errorf("answered %.300s, want %.300s", body, want)
			}
		}
	}
}
