package request_test

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/overlay"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/embedded"
	"miramundo.dev/shared/store/storetest"
)

// A deaf database is one whose watches deliver nothing, as in a process that was
// paused.
type deaf struct{ store.DB }

func (deaf) Watch(ctx context.Context, _ store.Path) iter.Seq2[store.Doc, error] {
	return func(func(store.Doc, error) bool) { <-ctx.Done() }
}

// TestFollowers checks that an answer shows what the database says at that
// moment when the watch has delivered nothing for a while, and that ReadyPath
// tells a part that is old from one that never came.
func TestFollowers(t *testing.T) {
	db, err := embedded.Open(filepath.Join(t.TempDir(), "db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	outage := storetest.NewSwitch(deaf{db})
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	set := overlay.NewSet(outage, slog.New(slog.DiscardHandler), func() time.Time { return now })
	shown := "nothing"
	const head = store.Path("things/head")
	say := func(text string) {
		t.Helper()
		if err := db.Set(t.Context(), head, map[string]string{"text": text}); err != nil {
			t.Fatal(err)
		}
	}
	say("first")
	set.Follow(t.Context(), overlay.Subject{Name: "thing", Head: head, Load: func(_ context.Context, doc store.Doc) error {
		var content struct{ Text string }
		err := doc.Decode(&content)
		shown = content.Text
		return err
	}})
	h := request.New(request.Options{Followers: set, Now: func() time.Time { return now }}, []request.Route{{
		Method: "GET", Path: "/thing", Serve: func(c *request.Call) error {
			_, err := c.Writer().Write([]byte(shown))
			return err
		},
	}})
	get := func(path string, status int, want string) {
		t.Helper()
		if answer, body := apitest.Do(t, h, "GET", path, ""); answer.StatusCode != status || !strings.Contains(body, want) {
			t.Errorf("GET %s: %d %s, want %d with %s", path, answer.StatusCode, body, status, want)
		}
	}
	get("/thing", http.StatusOK, "first")
	get(request.ReadyPath, http.StatusOK, `{"ok":true,"following":1,"stale":[]}`)
	say("second")
	get("/thing", http.StatusOK, "first") // within the age that a watch may have
	now = now.Add(overlay.MaxAge + time.Second)
	get("/thing", http.StatusOK, "second")

	outage.Off()
	now = now.Add(time.Minute)
	get("/thing", http.StatusOK, "second")
	get(request.ReadyPath, http.StatusOK, `{"ok":true,"following":1,"stale":[{"name":"thing","age_seconds":60,"loaded":true}]}`)
	set.Follow(t.Context(), overlay.Subject{Name: "other", Head: "things/other", Load: func(context.Context, store.Doc) error {
		return errors.New("never loads")
	}})
	get(request.ReadyPath, http.StatusServiceUnavailable, `"ok":false,"following":2,"stale":[{"name":"other","age_seconds":0,"loaded":false}`)
}
