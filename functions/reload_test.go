package functions

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/reload"
	"miramundo.dev/shared/job"
	"miramundo.dev/shared/origin"
	"miramundo.dev/shared/source/collect"
)

// An upstream serves the fixture's files, and what a test puts in their place.
type upstream struct {
	*httptest.Server

	mu      sync.Mutex
	instead map[string]http.HandlerFunc // by file name; guarded by mu
}

func newUpstream(t *testing.T) *upstream {
	u := &upstream{instead: map[string]http.HandlerFunc{}}
	u.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := path.Base(r.URL.Path)
		u.mu.Lock()
		h := u.instead[name]
		u.mu.Unlock()
		if h != nil {
			h(w, r)
			return
		}
		if name == "stations" {
			serveStations(w, r)
			return
		}
		http.ServeFile(w, r, "testdata/catalog/"+name)
	}))
	t.Cleanup(u.Close)
	return u
}

// serveStations answers as radio-browser does: a page, then an empty one.
func serveStations(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if o := r.FormValue("offset"); o != "" && o != "0" {
		io.WriteString(w, "[]")
		return
	}
	http.ServeFile(w, r, "testdata/catalog/stations.json")
}

func (u *upstream) set(name string, h http.HandlerFunc) {
	u.mu.Lock()
	defer u.mu.Unlock()
	clear(u.instead)
	if h != nil {
		u.instead[name] = h
	}
}

func body(s string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, s) }
}

// endless sends records of an array without end until the client disconnects.
func endless(w http.ResponseWriter, r *http.Request) {
	chunk := []byte(strings.Repeat(`{"id":"`+strings.Repeat("x", 1000)+`"},`, 64))
	io.WriteString(w, "[")
	for r.Context().Err() == nil {
		if _, err := w.Write(chunk); err != nil {
			return
		}
	}
}

// drip sends a byte from time to time until the client disconnects.
func drip(w http.ResponseWriter, r *http.Request) {
	w.WriteHeader(http.StatusOK)
	for {
		io.WriteString(w, "[")
		w.(http.Flusher).Flush()
		select {
		case <-r.Context().Done():
			return
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// bomb returns 300 MiB of zeros as gzip: one member, again and again.
func bomb() []byte {
	var member bytes.Buffer
	zw := gzip.NewWriter(&member)
	zw.Write(make([]byte, 1<<20))
	zw.Close()
	return bytes.Repeat(member.Bytes(), 300)
}

// reloading returns the functions with a catalog that is reloaded from u.
func (u *upstream) reloading(t *testing.T) http.Handler {
	d := deps(t, openEmbedded(t), collect.Place{})
	d.Jobs = job.NewRunner(d.DB, d.Log, d.Now, reload.NewJob(reload.Options{
		Plan:    collect.Plan{IPTVOrg: collect.Place{URL: u.URL + "/"}, Radio: collect.Place{URL: u.URL}},
		Archive: d.Archive, Now: d.Now,
		Collect: collect.Options{
			Cache: collect.Documents(d.DB), Now: d.Now, Timeout: time.Second,
			Client: origin.New(origin.Options{Allow: []string{strings.TrimPrefix(u.URL, "http://")}}),
		},
	}))
	return mux(t, d)
}

// askOperator decodes the answer to a request of the operator into v.
func askOperator(t *testing.T, h http.Handler, method, path, body string, v any) {
	t.Helper()
	res, text := apitest.Do(t, h, method, path, body, "Content-Type", "application/json", "Authorization", "Bearer "+operatorToken)
	if err := json.Unmarshal([]byte(text), v); err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%s %s: %s %s, %v", method, path, res.Status, text, err)
	}
}

// A refusalsShown is what the reload, the operator's state and health show of
// refusals.
type refusalsShown struct {
	Report, Overridden, State, Health []catalog.Refusal
	Kept                              int // files that health shows as kept
}

// TestRefusals reloads from a source that has renamed a column: the refusal is in
// the answer, in the operator's state and in health, with all files of the source
// as they were. A forced reload says what it overrides.
func TestRefusals(t *testing.T) {
	u := newUpstream(t)
	h := u.reloading(t)
	v := apitest.Validating(t, h, documents(t)...)
	show := func(order string) (s refusalsShown) {
		t.Helper()
		var answer struct {
			Result struct{ Refusals, Overridden []catalog.Refusal }
		}
		askOperator(t, v, "POST", "/api/admin/catalogo/reload", order, &answer)
		var state struct{ Refusals []catalog.Refusal }
		askOperator(t, v, "GET", "/api/admin/catalogo", "", &state)
		var health struct {
			Sources map[string]struct {
				Kept     bool
				Problem  string
				Refusals []catalog.Refusal
			}
		}
		askOperator(t, v, "GET", "/api/health", "", &health)
		for _, src := range health.Sources {
			s.Health = append(s.Health, src.Refusals...)
			if src.Kept && src.Problem != "" {
				s.Kept++
			}
		}
		s.Report, s.Overridden, s.State = answer.Result.Refusals, answer.Result.Overridden, state.Refusals
		return s
	}
	channels, err := os.ReadFile("testdata/catalog/channels.json")
	if err != nil {
		t.Fatal(err)
	}
	refused := []catalog.Refusal{{
		File: "iptv-org/channels", Figure: "column", Column: "is_nsfw", Before: 1, Limit: 1, Reason: `it has no column "is_nsfw"`,
	}}
	for _, test := range []struct {
		name, order string
		broken      bool
		want        refusalsShown
	}{
		{"good", "{}", false, refusalsShown{}},
		{"is_nsfw renamed", "{}", true, refusalsShown{Report: refused, State: refused, Health: refused, Kept: 13}},
		{"forced", `{"force":true}`, true, refusalsShown{Overridden: refused}},
		{"accepted", "{}", true, refusalsShown{}},
	} {
		u.set("", nil)
		if test.broken {
			u.set("channels.json", body(strings.ReplaceAll(string(channels), `"is_nsfw"`, `"nsfw"`)))
		}
		if diff := cmp.Diff(test.want, show(test.order), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// TestHostileSources reloads from sources that fail in every way that sources
// do. The catalog stays as it was, and the report explains each failure.
func TestHostileSources(t *testing.T) {
	u := newUpstream(t)
	h := u.reloading(t)
	reload := func() (status map[string]any) {
		t.Helper()
		askOperator(t, h, "POST", "/api/admin/catalogo/reload", "{}", &status)
		return status["result"].(map[string]any)
	}
	total := func() float64 {
		t.Helper()
		_, text := apitest.Do(t, h, "GET", "/api/channels?kind=all&playable=0&limit=1", "")
		var page struct{ Total float64 }
		if err := json.Unmarshal([]byte(text), &page); err != nil {
			t.Fatal(err)
		}
		return page.Total
	}
	reload()
	want := total()
	if want != 16 {
		t.Fatalf("the catalog holds %v records at first, want 16", want)
	}
	packed := bomb()
	files := []string{"channels.json", "streams.json", "stations"}
	if testing.Short() {
		files = files[2:] // each is waited for alike
	}
	for _, test := range []struct {
		name string
		h    http.HandlerFunc
	}{
		{"missing", http.NotFound},
		{"forbidden", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }},
		{"failing", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }},
		{"empty", body("")},
		{"an empty list", body("[]")},
		{"cut", body(`[{"id":"Aurora.br","name":"Aurora"},{"id":"Be`)},
		{"a page of HTML", body("<!doctype html><title>Maintenance</title>")},
		{"an object", body(`{"error":"maintenance"}`)},
		{"a tenth of it", body(`[{"id":"Aurora.br","name":"Aurora","channel":"Aurora.br","url":"https://x.example/1.m3u8","stationuuid":"00000000-0000-4000-8000-000000000001"}]`)},
		{"records of nonsense", body(`[1,"two",null,[],{"id":5}]`)},
		{"endless", endless},
		{"a slow drip", drip},
		{"a bomb", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			w.Write(packed)
		}},
		{"a redirect to a private address", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://169.254.169.254/latest/meta-data/", http.StatusFound)
		}},
	} {
		for _, file := range files {
			t.Run(test.name+"/"+file, func(t *testing.T) {
				u.set(file, test.h)
				defer u.set("", nil)
				result := reload()
				if got := total(); got != want {
					t.Errorf("the catalog holds %v records, want %v", got, want)
				}
				if f := fileOf(result, file); f["problem"] == "" || f["kept"] != true {
					t.Errorf("the report does not explain it: %v", f)
				}
			})
		}
	}
	if result := reload(); fileOf(result, "channels.json")["problem"] != "" {
		t.Errorf("with the sources whole again: %v", result["files"])
	}
}

// fileOf returns the report of a reload about a file.
func fileOf(result map[string]any, file string) map[string]any {
	for _, f := range result["files"].([]any) {
		name := f.(map[string]any)["name"].(string)
		if strings.HasSuffix(name, "/"+strings.TrimSuffix(file, ".json")) {
			return f.(map[string]any)
		}
	}
	return nil
}

// TestStale checks that health marks a source as stale when no reload has
// confirmed it for three days.
func TestStale(t *testing.T) {
	d := deps(t, openEmbedded(t), fixture)
	later := noon.Add(72 * time.Hour)
	d.Now = func() time.Time { return later }
	_, text := apitest.Do(t, mux(t, d), "GET", "/api/health", "")
	var health struct {
		Catalog struct {
			Stale bool
			Age   int `json:"age_hours"`
		}
		Sources map[string]struct{ Stale bool }
	}
	if err := json.Unmarshal([]byte(text), &health); err != nil {
		t.Fatal(err)
	}
	if !health.Catalog.Stale || health.Catalog.Age != 72 || !health.Sources["iptv-org/streams"].Stale {
		t.Errorf("after three days: %s", text)
	}
}
