package edge

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/fact"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/keyring/keyringtest"
	"miramundo.dev/shared/usage"
)

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// A line is a bus that keeps the events.
type line struct {
	bus.Bus
	events []bus.Event
}

func (l *line) Publish(_ context.Context, _ string, events ...bus.Event) error {
	l.events = append(l.events, events...)
	return nil
}

// answer returns the route of a path that answers with a media type.
func answer(path, kind string, status int, page bool) request.Route {
	return request.Route{Method: "GET", Path: path, Page: page, Serve: func(c *request.Call) error {
		c.Writer().Header().Set("Content-Type", kind)
		c.Writer().WriteHeader(status)
		_, err := io.WriteString(c.Writer(), "body")
		return err
	}}
}

const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0"

// TestCount calls routes of each kind as two browsers and as a crawler.
func TestCount(t *testing.T) {
	routes := []request.Route{
		answer("/page", "text/html; charset=utf-8", 200, true), answer("/markdown", "text/markdown", 200, true),
		answer("/kept", "", 304, true), answer("/icon", "image/png", 200, true), answer("/gone", "text/html", 404, true),
		answer("/api/channels", "application/json", 200, false), answer(api.HealthPath, "application/json", 200, false),
		answer("/f/x", "audio/x-mpegurl", 200, false), answer("/llms.txt", "text/plain", 200, false),
	}
	surfaces := Surfaces{"GET /api/channels": usage.API, "GET /f/x": usage.Feeds, "GET /llms.txt": usage.Documents, "GET /page": usage.API}
	paths := []string{"/unknown", request.ReadyPath}
	for _, rt := range routes {
		paths = append(paths, rt.Path)
	}
	want := map[string]int64{
		"calls/site/person": 6, "calls/site/crawler": 3, "calls/api/person": 2, "calls/api/crawler": 1,
		"calls/feeds/person": 2, "calls/feeds/crawler": 1, "calls/documents/person": 2, "calls/documents/crawler": 1,
	}
	l := &line{}
	now := func() time.Time { return noon }
	m := usage.NewMeter(usage.Options{Bus: l, People: identity.NewPeople(keyringtest.Ring(strings.Repeat("k", 32))), Now: now})
	h := request.New(request.Options{Now: now, Count: Count(m, surfaces)}, routes)
	for _, who := range []struct{ addr, agent string }{{"192.0.2.1:1", firefox}, {"192.0.2.2:1", firefox}, {"192.0.2.3:1", "Bingbot"}} {
		for _, path := range paths {
			r := httptest.NewRequest("GET", path, nil)
			r.RemoteAddr = who.addr
			r.Header.Set("User-Agent", who.agent)
			r.Header.Set("Accept", "text/html,*/*;q=0.8")
			h.ServeHTTP(httptest.NewRecorder(), r)
		}
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	tally, err := fact.Decode[usage.Tally](l.events[0])
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, tally.Labels); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if n := tally.Sketches[usage.Visitors].Estimate(); n != 2 {
		t.Errorf("%d visitors, want 2", n)
	}
	if n := tally.Total().Calls; n != int64(3*(len(paths)-1)) {
		t.Errorf("%d calls by route, want all but those of the platform", n)
	}
	for _, e := range l.events {
		if text := string(e.Data); strings.Contains(text, "192.0.2") || strings.Contains(text, "Firefox") {
			t.Errorf("an event has an address or a User-Agent: %s", text)
		}
	}
}

// A discard is a writer that keeps only the header.
type discard struct{ header http.Header }

func (d discard) Header() http.Header         { return d.header }
func (d discard) Write(p []byte) (int, error) { return len(p), nil }
func (d discard) WriteHeader(int)             {}

// TestSteady checks that counting a call of a kind that was counted before allocates
// nothing, for pages with a visitor too.
func TestSteady(t *testing.T) {
	if info, ok := debug.ReadBuildInfo(); ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		t.Skip("under the race detector pools drop what they keep at random")
	}
	m := usage.NewMeter(usage.Options{Bus: &line{}, People: identity.NewPeople(nil)})
	defer m.Close()
	routes := []request.Route{answer("/page", "text/html", 200, true), answer("/api/channels", "application/json", 200, false)}
	for _, path := range []string{"/page", "/api/channels", "/unknown"} {
		r := httptest.NewRequest("GET", path, nil)
		r.Header.Set("User-Agent", firefox)
		allocations := func(count func(*request.Call)) float64 {
			h, w := request.New(request.Options{Count: count}, routes), discard{http.Header{}}
			return testing.AllocsPerRun(200, func() {
				clear(w.header)
				h.ServeHTTP(w, r)
			})
		}
		if without, with := allocations(nil), allocations(Count(m, Surfaces{"GET /api/channels": usage.API})); with > without {
			t.Errorf("%s: %v allocations, and %v without counting", path, with, without)
		}
	}
}

// TestNothing checks that a process without a meter has no hook.
func TestNothing(t *testing.T) {
	if Count(nil, nil) != nil {
		t.Error("calls are counted without a meter")
	}
}
