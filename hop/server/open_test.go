package server

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/config"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/wire"
)

// mute is a bus that never answers.
type mute struct{ bus.Bus }

func (mute) Publish(ctx context.Context, _ string, _ ...bus.Event) error {
	<-ctx.Done()
	return ctx.Err()
}

// TestCloseWithoutBus ends a hop whose bus does not answer: what the database
// is to keep is kept all the same.
func TestCloseWithoutBus(t *testing.T) {
	w := start(t, setup{streams: []catalog.StreamRecord{{URL: "/live.m3u8"}}, origin: one(media)})
	db, events, err := wire.Open(t.Context(), wire.Config{Backend: wire.Embedded, DataDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { events.Close(); db.Close() })
	c, err := config.Parse(map[string]string{
		"HOP_FREE_MINUTES": "5", "ORIGIN_ALLOW": w.origin.Listener.Addr().String(), "BASE_URL": "https://m.example",
		"HOP_URL": hopURL, "LEGACY_URL": legacyURL,
	})
	if err != nil {
		t.Fatal(err)
	}
	h := Assemble(c, slog.New(slog.DiscardHandler), Parts{DB: db, Bus: mute{events}, Catalog: w.catalog})
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), "GET", path(1, ""), nil))
	if rec.Code != http.StatusOK {
		t.Fatalf("%d %s", rec.Code, rec.Body)
	}
	within, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	if err := h.Close(within); err == nil {
		t.Error("a play that is not told is no error")
	}
	kept := 0
	for _, err := range db.Query(t.Context(), store.Query{Collection: "allowances"}) {
		if err != nil {
			t.Fatal(err)
		}
		kept++
	}
	if kept != 1 {
		t.Errorf("the minutes of %d networks are kept, want 1", kept)
	}
}
