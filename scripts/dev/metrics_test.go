package main

import (
	"net"
	"net/http"
	"testing"

	"miramundo.dev/miramundo/machine"
	"miramundo.dev/shared/metrics"
	"miramundo.dev/shared/metrics/metricstest"
)

// TestStackMetrics searches and plays, and reads the metrics of the stack, which only the
// port METRICS_PORT shows.
func TestStackMetrics(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, private, _ := net.SplitHostPort(l.Addr().String())
	l.Close()
	t.Setenv("METRICS_PORT", private)
	r := start(t, settings{data: t.TempDir(), catalog: machine.Sample})
	var page struct{ Items []struct{ API string } }
	getJSON(t, r.base+"/api/channels?q=miramundo", &page)
	var full struct{ Streams []struct{ URL string } }
	getJSON(t, page.Items[0].API, &full)
	fetch(t, full.Streams[0].URL)
	shown := "http://127.0.0.1:" + private + metrics.Path
	got := metricstest.Read(t, shown)
	for name, want := range map[string]float64{
		`miramundo_http_requests_total{code="200",method="GET",route="/api/channels"}`: 1,
		`miramundo_http_requests_total{code="200",method="GET",route="/api/s/{id}"}`:   1,
		`miramundo_hop_fetches_total{outcome="ok"}`:                                    1,
		`miramundo_job_runs_total{job_name="catalog-reload",outcome="success"}`:        1,
		"miramundo_catalog_loaded":     1,
		"miramundo_chat_sockets":       0,
		"miramundo_followers_unloaded": 0,
	} {
		if value, ok := got[name]; !ok || value != want {
			t.Errorf("%s is %v (%v), want %v", name, value, ok, want)
		}
	}
	if n := got.Series("miramundo_bus_dead_letters"); n < 5 || got.Sum("miramundo_bus_dead_letters") != 0 {
		t.Errorf("%d subscriptions are shown", n)
	}
	refusesOtherHosts(t, shown)
	res, err := http.Get(r.base + metrics.Path)
	if err != nil {
		t.Fatal(err)
	}
	if res.Body.Close(); res.StatusCode != http.StatusNotFound {
		t.Errorf("the gateway answers %s with %d", metrics.Path, res.StatusCode)
	}
	r.stop()
	if err := <-r.ended; err != nil {
		t.Errorf("run = %v", err)
	}
}
