package vitrine

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/job"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/vitrine"
	"miramundo.dev/shared/wire/wiretest"
)

const token = "token-of-metrics-for-tests"

// A database can be away.
type database struct {
	store.DB
	away bool
}

func (d *database) Get(ctx context.Context, p store.Path, doc any) error {
	if d.away {
		return errors.New("no answer")
	}
	return d.DB.Get(ctx, p, doc)
}

// A world is the function with its clock.
type world struct {
	t     *testing.T
	h     http.Handler
	db    *database
	meter *storetest.Meter
	clock time.Time
}

func newWorld(t *testing.T, tokens map[string]string) *world {
	meter := storetest.NewMeter(wiretest.OpenDB(t))
	w := &world{t: t, meter: meter, db: &database{DB: meter}, clock: time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)}
	now := func() time.Time { return w.clock }
	w.h = request.Handler(request.Options{Tokens: tokens, Now: now}, New(w.db, now), Endpoints)
	return w
}

func (w *world) publish() {
	w.t.Helper()
	j := vitrine.NewJob(vitrine.Options{
		DB: w.db.DB, Now: func() time.Time { return w.clock },
		Catalog: func(context.Context) (*vitrine.CatalogNumbers, error) { return nil, nil },
	})
	if _, err := j.Run(w.t.Context(), job.Order{}); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) get(path string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	answer := httptest.NewRecorder()
	w.h.ServeHTTP(answer, r)
	return answer
}

// TestPublic reads the numbers before and after publications, an outage and a day
// without a job.
func TestPublic(t *testing.T) {
	w := newWorld(t, nil)
	const none = `{"v":1,"produto":"Miramundo","publicado":false,"atualizado_em":null,"stale":false}`
	if got := w.get(path); got.Code != 200 || got.Body.String() != none {
		t.Errorf("before the first publication: %d %s", got.Code, got.Body)
	}
	w.publish()
	if got := w.get(path); got.Body.String() != none {
		t.Errorf("a minute has not passed: %s", got.Body)
	}
	w.clock = w.clock.Add(time.Minute)
	first := w.get(path)
	if text := first.Body.String(); !strings.Contains(text, `"publicado":true`) || !strings.Contains(text, `"fuso":"UTC"`) {
		t.Errorf("after it: %s", text)
	}
	reads := w.meter.Ops().Reads
	again := w.get(path, "If-None-Match", first.Header().Get("ETag"))
	if again.Code != 304 || again.Body.Len() > 0 || again.Header().Get("Cache-Control") != "public, max-age=900" {
		t.Errorf("the same version is answered with %d %q", again.Code, again.Header())
	}
	if w.meter.Ops().Reads != reads {
		t.Error("a second call reads the database")
	}
	w.db.away = true
	w.clock = w.clock.Add(27 * time.Hour)
	stale := w.get(path, "If-None-Match", first.Header().Get("ETag"))
	if stale.Code != 200 || !strings.Contains(stale.Body.String(), `"stale":true`) {
		t.Errorf("numbers of yesterday, without a database: %d %s", stale.Code, stale.Body)
	}
	w.db.away = false
	w.publish()
	if got := w.get(path); !strings.Contains(got.Body.String(), `"stale":false`) {
		t.Errorf("after another publication: %s", got.Body)
	}
}

// TestSlowDatabase reads the numbers from several callers while the database takes a
// minute to fail: they share one read, and none waits for another's.
func TestSlowDatabase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(slow{}, time.Now)
		begin := time.Now()
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				if _, err := s.numbers.Current(t.Context()); err == nil {
					t.Error("numbers without a database")
				}
				if took := time.Since(begin); took > time.Minute {
					t.Errorf("a caller waited for %v", took)
				}
			})
		}
		all.Wait()
	})
}

// slow is a database that takes a minute to fail.
type slow struct{ store.DB }

func (slow) Get(context.Context, store.Path, any) error {
	time.Sleep(time.Minute)
	return errors.New("no answer")
}

// TestOperator checks who may read the exact numbers, and what is answered without a
// token or a database.
func TestOperator(t *testing.T) {
	w := newWorld(t, map[string]string{api.MetricsToken: token, api.CatalogToken: "token-of-the-catalog"})
	for _, end := range []string{"/operador", "/painel", "/cursores"} {
		for _, test := range []struct {
			header, value string
			status        int
		}{
			{"Authorization", "Bearer " + token, 200}, {"X-None", "", 401}, {"Authorization", "Bearer wrong", 401},
			{"Authorization", "Bearer token-of-the-catalog", 401}, {"Authorization", "Bearer ipt_a.b.c", 401}, {"X-Guest-Token", token, 401},
			{"Authorization", token, 401}, {"X-Api-Key", token, 401},
		} {
			if got := w.get(path+end, test.header, test.value); got.Code != test.status {
				t.Errorf("%s with %s %q: %d %s, want %d", end, test.header, test.value, got.Code, got.Body, test.status)
			}
		}
		if got := newWorld(t, nil).get(path+end, "Authorization", "Bearer "+token); got.Code != 503 {
			t.Errorf("%s without a token of the service: %d %s", end, got.Code, got.Body)
		}
		away := newWorld(t, map[string]string{api.MetricsToken: token})
		away.db.away = true
		if got := away.get(path+end, "Authorization", "Bearer "+token); got.Code != 503 {
			t.Errorf("%s without a database: %d %s", end, got.Code, got.Body)
		}
	}
}

// TestShapes reads what the operator gets before and after the first publication.
func TestShapes(t *testing.T) {
	w := newWorld(t, map[string]string{api.MetricsToken: token})
	read := func(end string) string { return w.get(path+end, "Authorization", "Bearer "+token).Body.String() }
	for end, want := range map[string]string{
		"/operador": `{"produto":"Miramundo","atualizado_em":null,"operador":null}`, "/painel": `{"apps":[]}`, "/cursores": `{}`,
	} {
		if got := read(end); got != want {
			t.Errorf("%s: %s, want %s", end, got, want)
		}
	}
	w.publish()
	w.clock = w.clock.Add(time.Minute)
	var exact ExactNumbers
	if err := json.Unmarshal([]byte(read("/operador")), &exact); err != nil || exact.Operator == nil || len(exact.Operator.Bounds) == 0 {
		t.Errorf("%+v, %v", exact, err)
	}
	var panel NumbersPanel
	if err := json.Unmarshal([]byte(read("/painel")), &panel); err != nil || len(panel.Apps) != 1 || panel.UpdatedAt != "2026-11-23T12:00:00Z" {
		t.Errorf("%+v, %v", panel, err)
	}
}
