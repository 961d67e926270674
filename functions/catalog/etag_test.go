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
	ix, err := index.Build(&catalog.Register{BuiltAt: noon, Records: []catalog.Record{{
		ID: "Canal.CL", Name: "Canal", Country: "CL", Languages: []string{"spa"}, Origin: "iptv-org",
		Streams: []catalog.StreamRecord{{ID: 1, URL: "https://o.example/x.m3u8", Kind: catalog.StreamHLS, Origin: "iptv-org", Playable: true}},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	view := index.NewView(ix, v.overlay, catalog.LinkBase{Base: "https://m.example"})
	server := New(Options{Catalog: shown{view}, Now: func() time.Time { return v.now }, Build: v.build})
	return request.Handler(request.Options{CountryHeader: "X-Country"}, server, Endpoints)
}

// logoOf is an overlay of one logo.
func logoOf(id string) index.Overlay {
	return index.Overlay{Logos: func(yield func(string, string) bool) { yield("Canal.CL", id) }}
}

// TestSearchVersion checks that a search has another version when anything has changed
// that it is rendered from, and else the same one in every process.
func TestSearchVersion(t *testing.T) {
	const relevance, online = "/api/channels?sort=relevance&q=canal", "/api/channels?online=1"
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
