package status

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/api/openapi"
	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/release"
	"miramundo.dev/shared/store"
)

var now = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// A fakeState is the state that its fields say.
type fakeState struct {
	synced  time.Time
	sources []catalog.Source
	shown   release.State
	hangs   bool
	err     error
}

func (f *fakeState) Synced() (time.Time, bool) { return f.synced, !f.synced.IsZero() }
func (f *fakeState) Sources() []catalog.Source { return f.sources }
func (f *fakeState) State() release.State      { return f.shown }
func (f *fakeState) Database(ctx context.Context) error {
	if f.hangs {
		<-ctx.Done()
		return ctx.Err()
	}
	return f.err
}

// serve returns the function's handler, whose answers must be as it describes
// them.
func serve(t *testing.T, state State) http.Handler {
	t.Helper()
	s := New(Options{State: state, Build: "abc1234", Now: func() time.Time { return now }})
	spec, err := openapi.Document(openapi.Info{Title: "t", Version: "v", BaseURL: "https://m.example"}, Endpoints)
	if err != nil {
		t.Fatal(err)
	}
	return apitest.Validating(t, request.Handler(request.Options{}, s, Endpoints), spec)
}

func TestHealth(t *testing.T) {
	for _, test := range []struct {
		name  string
		state fakeState
		want  string // members that change
	}{
		{"nothing yet", fakeState{}, `{
			"catalog":{"synced_at":null,"age_hours":null,"stale":true,"limit_days":2},"sources":{},"database":true,"snapshot":null}`},
		{"a release that cannot be read", fakeState{shown: release.State{Problem: "read release v1: another format"}}, `{
			"catalog":{"synced_at":null,"age_hours":null,"stale":true,"limit_days":2,"problem":"read release v1: another format"},
			"sources":{},"database":true,"snapshot":null}`},
		{"a full disk", fakeState{err: store.ErrFull.Because(errors.New("disk"))}, `{
			"catalog":{"synced_at":null,"age_hours":null,"stale":true,"limit_days":2},"sources":{},"database":false,
			"database_reason":"storage_full","snapshot":null}`},
		{"fresh", fakeState{
			synced: now.Add(-5*time.Hour - 59*time.Minute),
			shown:  release.State{Version: "v1", LoadedAt: store.At(now)},
			sources: []catalog.Source{
				{Name: "a/b", FetchedAt: now.Add(-49 * time.Hour), SHA256: "ff", Items: 7},
				{Name: "c/d", Missing: true},
				{Name: "e/f", FetchedAt: now, SHA256: "ee", Items: 9, Kept: true, Problem: "it has no column \"closed\"", Refusals: []catalog.Refusal{
					{File: "e/f", Figure: "column", Column: "closed", Before: 1, Limit: 1, Reason: "it has no column \"closed\""},
				}},
			},
		}, `{
			"catalog":{"synced_at":"2026-11-22T06:01:00Z","age_hours":5,"stale":false,"limit_days":2},
			"sources":{
				"a/b":{"fetched_at":"2026-11-20T11:00:00Z","sha256":"ff","itens":7,"age_hours":49,"limit_days":2,"stale":true,"ausente":false,"kept":false},
				"c/d":{"fetched_at":null,"sha256":null,"itens":0,"age_hours":null,"limit_days":2,"stale":true,"ausente":true,"kept":false},
				"e/f":{"fetched_at":"2026-11-22T12:00:00Z","sha256":"ee","itens":9,"age_hours":0,"limit_days":2,"stale":false,"ausente":false,"kept":true,
					"problem":"it has no column \"closed\"",
					"refusals":[{"file":"e/f","figure":"column","column":"closed","value":0,"before":1,"limit":1,"reason":"it has no column \"closed\""}]}},
			"database":true,"snapshot":{"version":"v1","loaded_at":"2026-11-22T12:00:00.000000Z"}}`},
		{"at the limit, no database", fakeState{
			synced: now.Add(-48 * time.Hour), err: errors.New("secret"), shown: release.State{Version: "v1", LoadedAt: store.At(now), Problem: "no database"},
		}, `{
			"catalog":{"synced_at":"2026-11-20T12:00:00Z","age_hours":48,"stale":false,"limit_days":2},"sources":{},"database":false,
			"snapshot":{"version":"v1","loaded_at":"2026-11-22T12:00:00.000000Z","problem":"no database"}}`},
		{"over the limit", fakeState{synced: now.Add(-48*time.Hour - time.Second), shown: release.State{LoadedAt: store.At(now)}}, `{
			"catalog":{"synced_at":"2026-11-20T11:59:59Z","age_hours":48,"stale":true,"limit_days":2},"sources":{},"database":true,
			"snapshot":{"version":"","loaded_at":"2026-11-22T12:00:00.000000Z"}}`},
		{"a clock that was ahead", fakeState{
			synced: now.Add(30 * 24 * time.Hour), shown: release.State{LoadedAt: store.At(now)},
			sources: []catalog.Source{{Name: "a/b", FetchedAt: now.Add(30 * 24 * time.Hour), SHA256: "ff", Items: 7}},
		}, `{
			"catalog":{"synced_at":"2026-12-22T12:00:00Z","age_hours":0,"stale":true,"limit_days":2,"problem":"` + clockAhead + `"},
			"sources":{"a/b":{"fetched_at":"2026-12-22T12:00:00Z","sha256":"ff","itens":7,"age_hours":0,"limit_days":2,"stale":true,"ausente":false,"kept":false,
				"problem":"` + clockAhead + `"}},
			"database":true,"snapshot":{"version":"","loaded_at":"2026-11-22T12:00:00.000000Z"}}`},
		{"a clock behind", fakeState{synced: now.Add(time.Hour), shown: release.State{LoadedAt: store.At(now)}}, `{
			"catalog":{"synced_at":"2026-11-22T13:00:00Z","age_hours":0,"stale":false,"limit_days":2},"sources":{},"database":true,
			"snapshot":{"version":"","loaded_at":"2026-11-22T12:00:00.000000Z"}}`},
	} {
		answer, body := apitest.Do(t, serve(t, &test.state), "GET", "/api/health", "")
		want := map[string]any{"ok": true, "app": "Miramundo", "build": "abc1234", "ts": "2026-11-22T12:00:00Z", "behind": []any{}}
		var got map[string]any
		if err := errors.Join(json.Unmarshal([]byte(test.want), &want), json.Unmarshal([]byte(body), &got)); err != nil {
			t.Fatalf("%s: %v: %s", test.name, err, body)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
		if got := answer.Header.Get("Cache-Control"); got != "no-store" {
			t.Errorf("%s: Cache-Control is %q", test.name, got)
		}
	}
}

// TestHealthWithoutWaiting checks that a database that hangs is not waited for
// longer than the caller waits.
func TestHealthWithoutWaiting(t *testing.T) {
	s := &Server{Options: Options{State: &fakeState{hangs: true}, Now: func() time.Time { return now }}}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if h, err := s.health(ctx, struct{}{}); err != nil || h.Database {
		t.Errorf("health is %+v, %v", h, err)
	}
}
