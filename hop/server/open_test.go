package server

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/config"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/social"
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

// countedBus is a bus that counts the plays that are published to it.
type countedBus struct {
	bus.Bus
	plays atomic.Int32
}

func (c *countedBus) Publish(_ context.Context, topic string, events ...bus.Event) error {
	if topic == social.Plays {
		c.plays.Add(int32(len(events)))
	}
	return nil
}

// TestAccountsArePersons plays a stream with one credential from several networks:
// the plays of a valid API key count as those of one person, and an invented key is
// ignored.
func TestAccountsArePersons(t *testing.T) {
	const account identity.Owner = "a_aaaaaaaaaaaaaaaaaaaaaaaa"
	for _, test := range []struct {
		name   string
		header func(key, cookie string) (name, value string)
		want   int32
	}{
		{"an API key", func(key, _ string) (string, string) { return "X-Api-Key", key }, 1},
		{"an API key as a bearer token", func(key, _ string) (string, string) { return "Authorization", "Bearer " + key }, 1},
		{"a session", func(_, cookie string) (string, string) { return "Cookie", "__Host-mm-auth=" + cookie }, 1},
		{"a made-up key", func(key, _ string) (string, string) { return "X-Api-Key", key[:len(key)-1] + "~" }, 3},
	} {
		w := start(t, setup{streams: []catalog.StreamRecord{{URL: "/live.m3u8"}}, origin: one(media)})
		db, events, err := wire.Open(t.Context(), wire.Config{Backend: wire.Embedded, DataDir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { events.Close(); db.Close() })
		r := &access.Record{Owner: account, Revision: 1}
		cookie, _ := r.Open(access.SignIn{}, time.Now())
		key, _, err := r.AddKey("player", account, time.Now())
		if err == nil {
			err = db.Set(t.Context(), access.Path(account), r)
		}
		if err != nil {
			t.Fatal(err)
		}
		c, err := config.Parse(map[string]string{
			"ORIGIN_ALLOW": w.origin.Listener.Addr().String(), "BASE_URL": "https://m.example", "HOP_URL": hopURL, "LEGACY_URL": legacyURL,
		})
		if err != nil {
			t.Fatal(err)
		}
		published := &countedBus{Bus: events}
		h := Assemble(c, slog.New(slog.DiscardHandler), Parts{DB: db, Bus: published, Catalog: w.catalog, Access: access.NewChecker(db, time.Now)})
		for i := range 3 {
			req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path(1, ""), nil)
			req.RemoteAddr = fmt.Sprintf("198.51.%d.7:4711", i)
			req.Header.Set(test.header(key, cookie))
			rec := httptest.NewRecorder()
			if h.ServeHTTP(rec, req); rec.Code != http.StatusOK {
				t.Fatalf("%s: %d %s", test.name, rec.Code, rec.Body)
			}
		}
		if err := h.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if got := published.plays.Load(); got != test.want {
			t.Errorf("%s: %d plays are counted, want %d", test.name, got, test.want)
		}
	}
}
