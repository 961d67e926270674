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
	"testing/synctest"
	"time"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/fault"
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

// TestUnreachableDatabase freezes the connection to the database: each answer,
// of a handler that needs the database too, comes within two seconds.
func TestUnreachableDatabase(t *testing.T) {
	file, err := embedded.Open(filepath.Join(t.TempDir(), "db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	if err := file.Set(t.Context(), "things/head", map[string]string{"text": "first"}); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		line := storetest.NewLine(deaf{file})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		set := overlay.NewSet(line, slog.New(slog.DiscardHandler), time.Now)
		set.Follow(ctx, overlay.Subject{Name: "thing", Head: "things/head", Load: func(context.Context, store.Doc) error { return nil }})
		h := request.New(request.Options{Followers: set}, []request.Route{{Method: "GET", Path: "/thing", Serve: func(c *request.Call) error {
			var doc map[string]string
			if err := line.Get(c, "things/head", &doc); err != nil {
				return fault.OrUnavailable(err)
			}
			return api.Send(c.Writer(), c.Request, http.StatusOK, doc)
		}}})
		get := func(when string, status int) {
			t.Helper()
			asked := time.Now()
			if answer, body := apitest.Do(t, h, "GET", "/thing", ""); answer.StatusCode != status {
				t.Errorf("%s: %d %s, want %d", when, answer.StatusCode, body, status)
			}
			if waited := time.Since(asked); waited > 2*time.Second {
				t.Errorf("%s: the answer took %v", when, waited)
			}
		}
		get("at first", http.StatusOK)
		line.Freeze()
		time.Sleep(overlay.MaxAge + time.Second)
		for range 5 {
			get("frozen", http.StatusServiceUnavailable)
		}
		line.Thaw()
		time.Sleep(overlay.MaxAge + time.Second)
		get("thawed", http.StatusOK)
	})
}
