package metrics

import (
	"context"
	"errors"
	"flag"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/budget"
	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/metrics/metricstest"
	"miramundo.dev/shared/overlay"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/wire"
)

var update = flag.Bool("update", false, "write testdata/metrics.txt")

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// read returns what m shows.
func read(t *testing.T, m *Metrics) metricstest.Samples {
	t.Helper()
	return metricstest.Parse(t, text(t, m))
}

func text(t *testing.T, m *Metrics) []byte {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest("GET", Path, nil))
	if w.Code != http.StatusOK {
		t.Fatalf("the metrics are answered with %d: %s", w.Code, w.Body)
	}
	return w.Body.Bytes()
}

// ours returns the samples of m that do not come from the Go runtime, the process, or the
// time that something took.
func ours(t *testing.T, m *Metrics) metricstest.Samples {
	t.Helper()
	all := read(t, m)
	for key := range all {
		if !strings.HasPrefix(key, namespace) || strings.Contains(key, "_sum") || strings.HasPrefix(key, namespace+"_build_info") {
			delete(all, key)
		}
	}
	return all
}

// answering returns the route of a method and a path that answers with a status.
func answering(method, path string, status int) request.Route {
	return request.Route{Method: method, Path: path, Serve: func(c *request.Call) error {
		c.Writer().WriteHeader(status)
		if status == http.StatusSwitchingProtocols {
			return nil
		}
		_, err := io.WriteString(c.Writer(), "body")
		return err
	}}
}

// TestCalls counts requests of each kind, and many with made-up paths, methods and names,
// which make no series of their own.
func TestCalls(t *testing.T) {
	m := New(Options{Process: "test"})
	counted := 0
	h := request.New(request.Options{Count: m.CountCalls(func(*request.Call) { counted++ })}, []request.Route{
		answering("GET", "/a/{id}", 200), answering("POST", "/a/{id}", 201), answering("GET", "/socket", 101),
		{Method: "GET", Path: "/refuses", Serve: func(*request.Call) error { return budget.ErrTooMany }},
	})
	send := func(method, path string) {
		r := httptest.NewRequest(method, "/", nil)
		r.URL.Path, r.Method = path, method
		h.ServeHTTP(httptest.NewRecorder(), r)
	}
	send("HEAD", "/a/head")
	send("POST", "/a/1")
	send("GET", "/socket")
	send("GET", "/refuses")
	const many = 300
	for i := range many {
		send("GET", "/a/"+strconv.Itoa(i))
		send("GET", "/made/up/"+strconv.Itoa(i))
		send("MADEUP"+strconv.Itoa(i), "/a/1")
		send("MADEUP"+strconv.Itoa(i), "/made/up")
	}
	want := metricstest.Samples{
		`miramundo_http_requests_total{code="200",method="GET",route="/a/{id}"}`:          many,
		`miramundo_http_requests_total{code="200",method="HEAD",route="/a/{id}"}`:         1,
		`miramundo_http_requests_total{code="201",method="POST",route="/a/{id}"}`:         1,
		`miramundo_http_requests_total{code="101",method="GET",route="/socket"}`:          1,
		`miramundo_http_requests_total{code="429",method="GET",route="/refuses"}`:         1,
		`miramundo_http_requests_total{code="404",method="GET",route="unmatched"}`:        many,
		`miramundo_http_requests_total{code="404",method="OTHER",route="unmatched"}`:      many,
		`miramundo_http_requests_total{code="405",method="OTHER",route="unmatched"}`:      many,
		`miramundo_http_request_duration_seconds_count{method="GET",route="/a/{id}"}`:     many,
		`miramundo_http_request_duration_seconds_count{method="HEAD",route="/a/{id}"}`:    1,
		`miramundo_http_request_duration_seconds_count{method="POST",route="/a/{id}"}`:    1,
		`miramundo_http_request_duration_seconds_count{method="GET",route="/refuses"}`:    1,
		`miramundo_http_request_duration_seconds_count{method="GET",route="unmatched"}`:   many,
		`miramundo_http_request_duration_seconds_count{method="OTHER",route="unmatched"}`: 2 * many,
		`miramundo_http_response_bytes_total{method="GET",route="/a/{id}"}`:               4 * many,
		`miramundo_http_response_bytes_total{method="HEAD",route="/a/{id}"}`:              0,
		`miramundo_http_response_bytes_total{method="POST",route="/a/{id}"}`:              4,
		`miramundo_http_response_bytes_total{method="GET",route="/socket"}`:               0,
		`miramundo_http_faults_total{code="too_many_requests"}`:                           1,
		`miramundo_http_faults_total{code="not_found"}`:                                   2 * many,
		`miramundo_http_faults_total{code="method_not_allowed"}`:                          many,
	}
	got := ours(t, m)
	for _, route := range []string{`{method="GET",route="/refuses"}`, `{method="GET",route="unmatched"}`, `{method="OTHER",route="unmatched"}`} {
		key := "miramundo_http_response_bytes_total" + route
		if got[key] == 0 {
			t.Errorf("%s is 0: the body of a fault is not counted", key)
		}
		delete(got, key)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if counted != 4+4*many {
		t.Errorf("%d calls went on to the next counter, want all", counted)
	}
}

// openDB returns a database and a bus with the topic t in a folder of the test.
func openDB(t *testing.T) (store.DB, bus.Bus) {
	t.Helper()
	db, b, err := wire.Open(t.Context(), wire.Config{
		Backend: wire.Embedded, DataDir: t.TempDir(), Topology: bus.Topology{"t": {"t"}}, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close(); db.Close() })
	return db, b
}

// TestDocuments counts the documents of a route and those of no request.
func TestDocuments(t *testing.T) {
	m := New(Options{Process: "test"})
	inner, _ := openDB(t)
	db := m.DB(inner)
	if _, ok := store.LocalOf(db); !ok {
		t.Error("the local database behind the counting one is not found")
	}
	doc := map[string]int{"n": 1}
	no := errors.New("no")
	work := func(ctx context.Context) error {
		query := store.Query{Collection: "c"}
		err := errors.Join(
			db.Set(ctx, "c/1", doc), db.Create(ctx, "c/2", doc), db.Increment(ctx, "c/2", map[string]int64{"n": 1}), // 3 writes
			db.Get(ctx, "c/1", &doc), // 1 read
			db.Update(ctx, func(tx store.Tx) error { // 3 reads, 2 writes, 1 delete
				_, err := tx.GetAll([]store.Path{"c/1", "c/3"})
				return errors.Join(err, tx.Get("c/2", &doc), tx.Set("c/3", doc), tx.Increment("c/3", map[string]int64{"n": 1}), tx.Delete("c/2"))
			}),
			db.Delete(ctx, "c/3"), // 1 delete
		)
		if failed := db.Update(ctx, func(tx store.Tx) error { return errors.Join(tx.Set("c/4", doc), no) }); !errors.Is(failed, no) {
			t.Errorf("the transaction ends with %v", failed)
		}
		if exists := db.Create(ctx, "c/1", doc); !errors.Is(exists, store.ErrExists) {
			t.Errorf("creating a document again ends with %v", exists)
		}
		for range db.Query(ctx, query) { // 1 read
		}
		for range db.Query(ctx, store.Query{Collection: "empty"}) { // 1 read
		}
		_, counting := db.Count(ctx, query)               // 1 read
		_, getting := db.GetAll(ctx, []store.Path{"c/1"}) // 1 read
		for range db.Watch(ctx, "c/1") {                  // 1 read
			break
		}
		for range db.WatchQuery(ctx, query) { // 1 read
			break
		}
		return errors.Join(err, counting, getting, db.Delete(ctx, "c/1")) // 1 delete
	}
	h := request.New(request.Options{}, []request.Route{{Method: "PUT", Path: "/a/{id}", Serve: func(c *request.Call) error { return work(c) }}})
	if err := work(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("PUT", "/a/1", nil))
		if w.Code != http.StatusOK {
			t.Errorf("status %d: %s", w.Code, w.Body)
		}
	}
	want := metricstest.Samples{
		`miramundo_store_documents_total{method="",operation="read",route="background"}`:   10,
		`miramundo_store_documents_total{method="",operation="write",route="background"}`:  5,
		`miramundo_store_documents_total{method="",operation="delete",route="background"}`: 3,
		`miramundo_store_documents_total{method="PUT",operation="read",route="/a/{id}"}`:   20,
		`miramundo_store_documents_total{method="PUT",operation="write",route="/a/{id}"}`:  10,
		`miramundo_store_documents_total{method="PUT",operation="delete",route="/a/{id}"}`: 6,
	}
	if d := cmp.Diff(want, ours(t, m)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// full returns metrics in which every part of the service is counted.
func full(t *testing.T) *Metrics {
	t.Helper()
	m := New(Options{Process: "all", Build: "abc1234"})
	inner, b := openDB(t)
	db := m.DB(inner)
	h := request.New(request.Options{Count: m.CountCalls(nil)}, []request.Route{{Method: "GET", Path: "/a", Serve: func(c *request.Call) error {
		return db.Get(c, "c/1", &struct{}{})
	}}})
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/a", nil))
	m.RefusedByBudget()("search")
	m.Guesses()("METRICS_TOKEN")
	for _, e := range []bus.Event{{Data: []byte("a")}, {Data: []byte("b")}, {Data: []byte("c"), Failure: "why"}} {
		var err error
		if e.Failure == "" {
			err = b.Publish(t.Context(), "t", e)
		} else {
			err = b.Reject(t.Context(), "t", e)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	m.ReadBus(b, []string{"t", "unknown"})
	m.ReadBackups(func() (time.Time, error) { return noon, nil })
	m.ReadCatalog(func() (Catalog, bool) { return Catalog{"v1", noon, 7, true}, true })
	m.CountFetches()("ok", time.Second)
	m.ReadHop(func() Hop { return Hop{map[string]Pool{"fetches": {3, 2}}, 1024, 5} })
	m.ReadChat(func() (sockets, rooms int) { return 4, 2 })
	m.ScheduleJob("reload", time.Hour)
	m.ScheduleJob("reload", time.Hour) // another function opened the same job
	m.BeginJob("reload", noon)(noon.Add(time.Minute), true)
	m.BeginJob("reload", noon.Add(time.Hour))(noon.Add(time.Hour+time.Second), false)
	away := &away{DB: inner}
	set := overlay.NewSet(away, slog.New(slog.DiscardHandler), time.Now)
	set.Follow(t.Context(), overlay.Subject{
		Name: "catalog", Head: "c/head", Pause: time.Hour,
		Load: func(context.Context, store.Doc) error { return errors.New("no") }, Failed: func(context.Context, error) {},
	})
	m.ReadFollowers(set)
	return m
}

// An away is a database that does not answer.
type away struct{ store.DB }

func (a *away) GetAll(context.Context, []store.Path) ([]store.Doc, error) {
	return nil, errors.New("away")
}

// TestReadings checks what is read when the metrics are asked for.
func TestReadings(t *testing.T) {
	got := ours(t, full(t))
	for key := range got {
		if strings.HasPrefix(key, "miramundo_http") || strings.HasPrefix(key, "miramundo_store") {
			delete(got, key)
		}
	}
	behind := `miramundo_follower_behind_seconds{follower="catalog"}`
	oldest := `miramundo_bus_oldest_event_timestamp_seconds{subscription="t"}`
	if _, ok := got[behind]; !ok || got[oldest] < timestamp(noon) {
		t.Errorf("behind and oldest are %v and %v", got[behind], got[oldest])
	}
	delete(got, behind)
	delete(got, oldest)
	want := metricstest.Samples{
		`miramundo_backup_last_success_timestamp_seconds`:                 timestamp(noon),
		`miramundo_budget_refusals_total{budget="search"}`:                1,
		`miramundo_bus_dead_letters{subscription="t"}`:                    1,
		`miramundo_bus_failing_events{subscription="t"}`:                  0,
		`miramundo_bus_waiting_events{subscription="t"}`:                  2,
		`miramundo_catalog_channels`:                                      7,
		`miramundo_catalog_info{version="v1"}`:                            1,
		`miramundo_catalog_loaded`:                                        1,
		`miramundo_catalog_problem`:                                       1,
		`miramundo_catalog_synced_timestamp_seconds`:                      timestamp(noon),
		`miramundo_chat_rooms`:                                            2,
		`miramundo_chat_sockets`:                                          4,
		`miramundo_followers`:                                             1,
		`miramundo_followers_unloaded`:                                    1,
		`miramundo_hop_cache_bytes`:                                       1024,
		`miramundo_hop_cache_entries`:                                     5,
		`miramundo_hop_fetch_duration_seconds_count`:                      1,
		`miramundo_hop_fetches_total{outcome="ok"}`:                       1,
		`miramundo_hop_places{pool="fetches",state="taken"}`:              3,
		`miramundo_hop_places{pool="fetches",state="waiting"}`:            2,
		`miramundo_job_interval_seconds{job_name="reload"}`:               3600,
		`miramundo_operator_guesses_total{token="METRICS_TOKEN"}`:         1,
		`miramundo_job_last_duration_seconds{job_name="reload"}`:          1,
		`miramundo_job_last_start_timestamp_seconds{job_name="reload"}`:   timestamp(noon.Add(time.Hour)),
		`miramundo_job_last_success_timestamp_seconds{job_name="reload"}`: timestamp(noon.Add(time.Minute)),
		`miramundo_job_runs_total{job_name="reload",outcome="failure"}`:   1,
		`miramundo_job_runs_total{job_name="reload",outcome="success"}`:   1,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestBackups checks what is shown where there is no backup, and where that is not known.
func TestBackups(t *testing.T) {
	const name = "miramundo_backup_last_success_timestamp_seconds"
	for _, test := range []struct {
		at    time.Time
		err   error
		want  float64
		shown bool
	}{
		{time.Time{}, nil, 0, true},
		{noon, nil, timestamp(noon), true},
		{noon, errors.New("no such folder"), 0, false},
	} {
		m := New(Options{Process: "all"})
		m.ReadBackups(func() (time.Time, error) { return test.at, test.err })
		if got, shown := ours(t, m)[name]; got != test.want || shown != test.shown {
			t.Errorf("%v, %v is shown as %v, %t", test.at, test.err, got, shown)
		}
	}
}

// TestNames compares the names of all metrics with testdata/metrics.txt, which the rules
// and the dashboard in infra/observe are checked against. Run with -update to write it.
func TestNames(t *testing.T) {
	var names []string
	for line := range strings.Lines(string(text(t, full(t)))) {
		if rest, ok := strings.CutPrefix(line, "# TYPE "); ok {
			names = append(names, rest)
		}
	}
	slices.Sort(names)
	got := strings.Join(names, "")
	const file = "testdata/metrics.txt"
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("run with -update (-want +got):\n%s", d)
	}
}

// TestNothing checks that a process without metrics has no hooks, and no database in front
// of its own.
func TestNothing(t *testing.T) {
	var m *Metrics
	db, b := openDB(t)
	m.ReadBus(b, []string{"t"})
	m.ReadBackups(nil)
	m.ReadCatalog(nil)
	m.ReadFollowers(nil)
	m.ReadHop(nil)
	m.ReadChat(nil)
	m.ScheduleJob("reload", time.Hour)
	m.BeginJob("reload", noon)(noon, true)
	if m.CountCalls(nil) != nil || m.RefusedByBudget() != nil || m.Guesses() != nil || m.CountFetches() != nil || m.DB(db) != db {
		t.Error("something is counted without metrics")
	}
}

// A discard is a writer that keeps only the header.
type discard struct{ header http.Header }

func (d discard) Header() http.Header         { return d.header }
func (d discard) Write(p []byte) (int, error) { return len(p), nil }
func (d discard) WriteHeader(int)             {}

// TestSteady checks that counting a call of a kind that was counted before allocates
// nothing.
func TestSteady(t *testing.T) {
	if info, ok := debug.ReadBuildInfo(); ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		t.Skip("under the race detector pools drop what they keep at random")
	}
	m := New(Options{})
	for _, path := range []string{"/a/1", "/unknown"} {
		r := httptest.NewRequest("GET", path, nil)
		allocations := func(count func(*request.Call)) float64 {
			h, w := request.New(request.Options{Count: count}, []request.Route{answering("GET", "/a/{id}", 200)}), discard{http.Header{}}
			return testing.AllocsPerRun(200, func() {
				clear(w.header)
				h.ServeHTTP(w, r)
			})
		}
		if without, with := allocations(nil), allocations(m.CountCalls(nil)); with > without {
			t.Errorf("%s: %v allocations, and %v without counting", path, with, without)
		}
	}
}

// BenchmarkCount measures what counting adds to a request, by counting one call many
// times.
func BenchmarkCount(b *testing.B) {
	count := New(Options{}).CountCalls(nil)
	h := request.New(request.Options{Count: func(c *request.Call) {
		b.ReportAllocs()
		b.ResetTimer()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				count(c)
			}
		})
	}}, []request.Route{answering("GET", "/a/{id}", 200)})
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/a/1", nil))
}
