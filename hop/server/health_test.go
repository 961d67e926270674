package server

import (
	"strings"
	"testing"

	"miramundo.dev/shared/catalog"
)

func TestHealth(t *testing.T) {
	w := start(t, setup{streams: []catalog.StreamRecord{{URL: "/live.m3u8"}}})
	for _, loaded := range []bool{true, false} {
		if !loaded {
			w.catalog.view.Store(nil)
			if a := w.get(path(1, "")); a.StatusCode != 503 || a.code() != "catalog_unavailable" {
				t.Errorf("without a catalog: %d %s", a.StatusCode, a.body)
			}
		}
		a := w.get("/api/health")
		for _, want := range []string{`"ok":true`, `"app":"miramundo-hop"`, `"build":"abc1234"`, `"ts":"2`, `"stale":true`, `"limit_days":2`} {
			if !strings.Contains(a.body, want) {
				t.Errorf("health is %s, without %s", a.body, want)
			}
		}
		if a.StatusCode != 200 || strings.Contains(a.body, `"synced_at":null`) == loaded || !strings.Contains(a.body, `"problem":false`) {
			t.Errorf("health is %d %s", a.StatusCode, a.body)
		}
	}
}

// TestHealthTellsNoMore checks that a failure of the database is told without
// its words: anybody may ask.
func TestHealthTellsNoMore(t *testing.T) {
	w := start(t, setup{streams: []catalog.StreamRecord{{URL: "/live.m3u8"}}})
	w.catalog.problem.Store(true)
	if a := w.get("/api/health"); a.StatusCode != 200 || !strings.Contains(a.body, `"problem":true`) || strings.Contains(a.body, "10.1.2.3") {
		t.Errorf("health is %d %s", a.StatusCode, a.body)
	}
}
