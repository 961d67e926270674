package functions

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/compose"
	"miramundo.dev/shared/source/collect"
)

// TestScheduledReloadKeepsRollback rolls the catalog back, through the functions
// as they are deployed: from then on the scheduler's reloads publish nothing,
// until the operator reloads by hand.
func TestScheduledReloadKeepsRollback(t *testing.T) {
	sources := t.TempDir()
	if err := os.CopyFS(sources, fixture.Folder); err != nil {
		t.Fatal(err)
	}
	o := optionsOver(t, openEmbedded(t), collect.Folder(sources))
	o.Config.JobsToken = "a token of the scheduler"
	p, err := compose.Open(t.Context(), o, Processes()...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	f, _ := Find("jobs")
	scheduler, operator := handler(t, f, p), mux(t, p)
	post := func(h http.Handler, path, token, body string) {
		t.Helper()
		if answer, text := apitest.Do(t, h, "POST", path, body, "Content-Type", "application/json", "Authorization", "Bearer "+token); answer.StatusCode != http.StatusOK {
			t.Fatalf("POST %s: %s %s", path, answer.Status, text)
		}
	}
	shown := func() string {
		t.Helper()
		if err := p.Catalog.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		return p.Catalog.State().Version
	}
	scheduled := func() { t.Helper(); post(scheduler, "/jobs/catalog-reload", o.Config.JobsToken, "") }

	scheduled()
	first := shown()
	streams := filepath.Join(sources, "streams.json")
	addStream(t, streams)
	scheduled()
	second := shown()
	if second == first {
		t.Fatal("a scheduled reload published nothing")
	}
	post(operator, "/api/admin/catalogo/rollback", operatorToken, `{"version":"`+first+`"}`)
	addStream(t, streams)
	scheduled()
	if got := shown(); got != first {
		t.Errorf("a scheduled reload shows %s after a rollback to %s", got, first)
	}
	post(operator, "/api/admin/jobs/catalog-reload", operatorToken, `{}`)
	if got := shown(); got == first || got == second {
		t.Errorf("a reload by hand shows %s still", got)
	}
}

// addStream adds a stream to a file of the source iptv-org.
func addStream(t *testing.T, file string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var streams []map[string]any
	if err := json.Unmarshal(data, &streams); err != nil {
		t.Fatal(err)
	}
	last := streams[len(streams)-1]["url"].(string)
	if data, err = json.Marshal(append(streams, map[string]any{"channel": "Aurora.br", "url": last + "x"})); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
}
