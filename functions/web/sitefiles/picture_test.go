package sitefiles

import (
	"bytes"
	"context"
	"image/png"
	"net/http"
	"strings"
	"testing"

	"miramundo.dev/functions/web/poster"
	"miramundo.dev/functions/web/webtest"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/logo"
	"miramundo.dev/shared/site"
)

// handler serves the files of the sample with an overlay.
func handler(t testing.TB, o index.Overlay, logos Logos) http.Handler {
	t.Helper()
	return webtest.Handler(New(Options{Catalog: webtest.Sample(t, o), Logos: logos, Links: webtest.Links}), Endpoints)
}

// TestPicture checks that every channel has a picture, which is drawn once, and
// that nothing else has one.
func TestPicture(t *testing.T) {
	const id = webtest.KnownID
	drawn, broken := 0, false
	data, err := poster.Icon(64)
	if err != nil {
		t.Fatal(err)
	}
	logos := func(_ context.Context, id string) (*logo.Image, error) {
		drawn++
		switch {
		case broken:
			return nil, fault.ErrUnavailable
		case id == "known":
			return &logo.Image{Type: "image/png", Data: data, Hash: "x"}, nil
		case id == "broken":
			return &logo.Image{Type: "image/webp", Data: data, Hash: "x"}, nil
		}
		return nil, logo.ErrNoLogo
	}
	bodies := map[string]string{}
	for _, name := range []string{"known", "broken", "gone", ""} {
		o := index.Overlay{Logos: func(yield func(string, string) bool) { yield(id, name) }}
		h := handler(t, o, logos)
		drawn = 0
		var tag string
		for range 2 {
			w := webtest.Request(h, "GET", site.ChannelPicture(id))
			c, err := png.DecodeConfig(bytes.NewReader(w.Body.Bytes()))
			if w.Code != http.StatusOK || err != nil || c.Width != poster.Width || c.Height != poster.Height || w.Header().Get("Cache-Control") != "public, max-age=86400" {
				t.Fatalf("logo %q: %d, %dx%d, %v", name, w.Code, c.Width, c.Height, err)
			}
			tag, bodies[name] = w.Header().Get("Etag"), w.Body.String()
		}
		if want := min(1, len(name)); drawn != want {
			t.Errorf("logo %q was read %d times, want %d", name, drawn, want)
		}
		if w := webtest.Request(h, "GET", site.ChannelPicture(id), "If-None-Match", tag); w.Code != http.StatusNotModified {
			t.Errorf("logo %q: again %d", name, w.Code)
		}
		for _, path := range []string{"/og/No.such.png", "/og/" + id, "/og/..%2f" + id + ".png", "/og/.png", "/og/" + strings.Repeat("x", 180) + ".png", "/og/%3Cscript%3E.png"} {
			if w := webtest.Request(h, "GET", path); w.Code != http.StatusNotFound {
				t.Errorf("%s: %d", path, w.Code)
			}
		}
	}
	if bodies["known"] == bodies[""] || bodies["gone"] != bodies[""] || bodies["broken"] != bodies[""] {
		t.Error("only the logo should differ")
	}
	broken = true
	h := handler(t, index.Overlay{Logos: func(yield func(string, string) bool) { yield(id, "known") }}, logos)
	if w := webtest.Request(h, "GET", site.ChannelPicture(id)); w.Code != http.StatusServiceUnavailable || w.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("without a database: %d, %s", w.Code, w.Header().Get("Cache-Control"))
	}
	h = handler(t, index.Overlay{BlockedChannels: []string{id}}, logos)
	if w := webtest.Request(h, "GET", site.ChannelPicture(id)); w.Code != http.StatusNotFound {
		t.Errorf("of a blocked channel: %d", w.Code)
	}
	w := webtest.Request(h, "GET", site.PicturePath)
	if c, err := png.DecodeConfig(w.Body); err != nil || c.Width != poster.Width || c.Height != poster.Height {
		t.Errorf("of the service: %d, %v", w.Code, err)
	}
}
