package functions

import (
	"context"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/compose"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/job"
	"miramundo.dev/shared/usage"
	numbers "miramundo.dev/shared/vitrine"
)

// A twice is a bus that has every event counted two times, as soon as it comes.
type twice struct {
	bus.Bus
	parts *compose.Parts
}

func (b twice) Publish(ctx context.Context, topic string, events ...bus.Event) error {
	for range 2 {
		for _, e := range events {
			if err := counters(b.parts, false).Count(ctx, topic, e); err != nil {
				return err
			}
		}
	}
	return nil
}

// TestNumbers calls endpoints and pages as several callers, and finds each call in what
// the service publishes of itself, once, although every event is counted twice.
func TestNumbers(t *testing.T) {
	d := deps(t, openEmbedded(t), fixture)
	meter := usage.NewMeter(usage.Options{Bus: twice{parts: d}, People: identity.NewPeople(nil), Now: d.Now})
	d.Usage = meter
	h := mux(t, d)
	const firefox, claude = "Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0", "Mozilla/5.0 (compatible; ClaudeBot/1.0; +x@y.example)"
	for _, call := range []struct{ method, path, agent, addr string }{
		{"GET", "/en", firefox, "192.0.2.1:1"}, {"GET", "/en", firefox, "192.0.2.1:2"}, {"GET", "/en/about", firefox, "192.0.2.2:1"},
		{"GET", "/en/about", claude, "192.0.2.3:1"}, {"GET", "/robots.txt", claude, "192.0.2.3:1"},
		{"GET", "/api/channels", firefox, "192.0.2.1:1"}, {"GET", "/api/channels?q=x", claude, "192.0.2.3:1"}, {"GET", "/api/channels/none", "curl/8", "192.0.2.4:1"},
		{"POST", "/api/guest", "curl/8", "192.0.2.4:1"}, {"GET", "/api/health", "curl/8", "192.0.2.4:1"}, {"GET", "/api/vitrine/operador", "curl/8", "192.0.2.4:1"},
		{"GET", "/openapi.json", claude, "192.0.2.3:1"}, {"GET", "/f/none/all.m3u", "VLC/3.0.21 LibVLC/3.0.21", "192.0.2.5:1"}, {"GET", "/api/no-such-endpoint", firefox, "192.0.2.1:1"},
	} {
		r := httptest.NewRequest(call.method, call.path, nil)
		r.RemoteAddr = call.addr
		r.Header.Set("User-Agent", call.agent)
		r.Header.Set("Accept", "text/html,*/*;q=0.8")
		h.ServeHTTP(httptest.NewRecorder(), r)
	}
	if err := meter.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Jobs.Run(t.Context(), numbers.Job, job.Order{}); err != nil {
		t.Fatal(err)
	}
	p, err := numbers.Read(t.Context(), d.DB)
	if err != nil {
		t.Fatal(err)
	}
	_, exact, err := p.Decode()
	if err != nil {
		t.Fatal(err)
	}
	calls := map[string]int64{}
	for _, c := range exact.Kinds {
		calls[c.Surface+" "+c.Kind] = c.Calls
	}
	want := map[string]int64{
		"site person": 3, "site assistant": 1, "api person": 1, "api assistant": 1, "api program": 2,
		"documents assistant": 1, "feeds player": 1,
	}
	if diff := cmp.Diff(want, calls); diff != "" {
		t.Errorf("calls by surface and kind (-want +got):\n%s", diff)
	}
	routes := map[string]int64{}
	for _, r := range exact.Routes {
		routes[r.Route] = r.Calls
	}
	for route, want := range map[string]int64{"GET /api/health": 1, "GET /api/vitrine/operador": 1, "GET /robots.txt": 1, usage.Unmatched: 1} {
		if routes[route] != want {
			t.Errorf("%d calls of %s, want %d", routes[route], route, want)
		}
	}
	for name, check := range map[string]struct {
		got  numbers.Number
		want int64
	}{"visitors": {exact.Visitors.Today, 2}, "guests": {exact.Accounts.Guests, 1}, "all calls": {exact.Quality.Calls, 14}, "channels": {exact.Catalog.Channels, 12}} {
		if check.got == nil || *check.got != check.want {
			t.Errorf("%s: want %d", name, check.want)
		}
	}
}
