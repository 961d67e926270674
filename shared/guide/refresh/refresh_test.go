package refresh_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/guide"
	"miramundo.dev/shared/guide/gather"
	"miramundo.dev/shared/guide/match"
	"miramundo.dev/shared/guide/pin"
	"miramundo.dev/shared/guide/refresh"
	"miramundo.dev/shared/guide/setting"
	"miramundo.dev/shared/job"
	"miramundo.dev/shared/origin"
	"miramundo.dev/shared/overlay"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/embedded"
	"miramundo.dev/shared/store/storetest"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// xmltvOf returns a guide of channels with one programme in each hour of three
// days from the day of a moment on, titled as said.
func xmltvOf(now time.Time, title string, channels ...string) string {
	var b strings.Builder
	b.WriteString("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<tv>\n")
	for _, c := range channels {
		fmt.Fprintf(&b, "<channel id=%q><display-name>%s</display-name></channel>\n", c, c)
	}
	start := now.UTC().Truncate(24 * time.Hour)
	for _, c := range channels {
		for h := range 72 {
			from := start.Add(time.Duration(h) * time.Hour).Format("20060102150405 -0700")
			fmt.Fprintf(&b, "<programme start=%q channel=%q><title>%s</title><desc>About %s at %d</desc></programme>\n", from, c, title, title, h)
		}
	}
	b.WriteString("</tv>\n")
	return b.String()
}

// A rig is a job with its database, clock, catalog and a server of guides.
type rig struct {
	refresh.Options
	t      *testing.T
	server *httptest.Server

	mu    sync.Mutex
	now   time.Time
	files map[string]string           // by path
	odd   map[string]http.HandlerFunc // likewise, in their place
	asked map[string]int              // answers with a body
	names []string                    // ids of the catalog
}

func newRig(t *testing.T, sources string) *rig {
	t.Helper()
	db, err := embedded.Open(filepath.Join(t.TempDir(), "db"))
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, now: noon, files: map[string]string{}, odd: map[string]http.HandlerFunc{}, asked: map[string]int{}}
	r.names = []string{"A.br", "B.br", "C.br", "D.br"}
	r.server = httptest.NewServer(http.HandlerFunc(r.serve))
	t.Cleanup(func() { r.server.Close(); db.Close() })
	r.Options = refresh.Options{
		DB: db, Now: r.clock,
		Client:  origin.New(origin.Options{Allow: []string{r.server.Listener.Addr().String()}}),
		Catalog: func(context.Context) (*match.Matcher, error) { return matcherOf(r.names), nil },
	}
	r.use(sources)
	return r
}

// runner returns a runner of the job with the options as they are now.
func (r *rig) runner() *job.Runner {
	return job.NewRunner(r.DB, slog.New(slog.DiscardHandler), r.clock, refresh.NewJob(r.Options))
}

func matcherOf(ids []string) *match.Matcher {
	return match.New(func(yield func(match.Listing) bool) {
		for _, id := range ids {
			if !yield(match.Listing{ID: id, Names: []string{id}}) {
				return
			}
		}
	}, nil, nil)
}

// use has the job read sources, "@" standing for the server.
func (r *rig) use(sources string) {
	r.t.Helper()
	var err error
	if r.Sources, err = setting.Parse(strings.ReplaceAll(sources, "@", r.server.URL)); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) clock() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.now
}

func (r *rig) pass(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now = r.now.Add(d)
}

// serve serves the files with an ETag of their own.
func (r *rig) serve(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	text, ok := r.files[req.URL.Path]
	odd := r.odd[req.URL.Path]
	r.mu.Unlock()
	if odd != nil {
		odd(w, req)
		return
	}
	if !ok {
		http.NotFound(w, req)
		return
	}
	etag := fmt.Sprintf("\"%x\"", sha256.Sum256([]byte(text)))
	w.Header().Set("ETag", etag)
	if req.Header.Get("If-None-Match") == etag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	r.mu.Lock()
	r.asked[req.URL.Path]++
	r.mu.Unlock()
	io.WriteString(w, text)
}

// set has the server serve a text at a path, or what a handler says.
func (r *rig) set(path, text string, odd http.HandlerFunc) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.files[path], r.odd[path] = text, odd
}

// run runs the job and returns what it says of its sources.
func (r *rig) run(o job.Order) (*refresh.Report, error) {
	r.t.Helper()
	rep, err := r.runner().Run(r.t.Context(), refresh.Name, o)
	if rep == nil {
		r.t.Fatal(err)
	}
	return rep.Result.(*refresh.Report), err
}

// must is run without an error.
func (r *rig) must() *refresh.Report {
	r.t.Helper()
	rep, err := r.run(job.Order{})
	if err != nil {
		r.t.Fatal(err)
	}
	return rep
}

// shown returns what channels show now, and how many programmes of today and
// tomorrow they have.
func (r *rig) shown() map[string]string {
	r.t.Helper()
	ctx, cancel := context.WithCancel(r.t.Context())
	defer cancel()
	live := guide.Follow(ctx, overlay.NewSet(r.DB, slog.New(slog.DiscardHandler), time.Now))
	shown := map[string]string{}
	now := r.clock()
	for id := range live.Channels(now) {
		text := "nothing"
		if n := live.Now(id, now); n != nil && n.Now != nil {
			text = n.Now.Title
		}
		for _, day := range []time.Time{now, now.Add(24 * time.Hour)} {
			if d, err := live.Day(id, day, now); err == nil {
				text += fmt.Sprint(" ", len(d.Programmes))
			}
		}
		shown[id] = text
	}
	return shown
}

func (r *rig) check(what string, want map[string]string) {
	r.t.Helper()
	if diff := cmp.Diff(want, r.shown()); diff != "" {
		r.t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestGuide(t *testing.T) {
	r := newRig(t, "@/one.xml?key=SECRET,@/two.xml.gz#name=second")
	r.set("/one.xml", xmltvOf(noon, "one", "A.br", "B.br@SD", "Nowhere"), nil)
	r.set("/two.xml.gz", xmltvOf(noon, "two", "b.BR", "C.br"), nil)
	rep := r.must()
	r.check("at first", map[string]string{"A.br": "one 24 24", "B.br": "one 24 24", "C.br": "two 24 24"})
	one := rep.Sources[0]
	want := refresh.SourceReport{
		Name: "one", Location: r.server.URL + "/one.xml", Bytes: int64(len(r.files["/one.xml"])), FetchedAt: store.At(noon), SHA256: one.SHA256,
		Found: gather.Found{
			Declared: 3, Matched: 2, Channels: 2, Programmes: 96, Unmatched: 1,
			Sample: []gather.Unmatched{{ID: "Nowhere", Name: "Nowhere", Reason: "no channel of the catalog has its id or name"}},
		},
	}
	if diff := cmp.Diff(want, one); diff != "" || len(one.SHA256) != 64 {
		t.Errorf("-want +got:\n%s", diff)
	}
	if rep.Day != "2026-11-22" || rep.Kept.Channels != 3 || rep.Kept.Programmes != 144 {
		t.Errorf("%+v", rep)
	}

	r.pass(time.Hour)
	rep = r.must()
	for _, s := range rep.Sources {
		if !s.Unchanged || s.Bytes != 0 || !s.FetchedAt.Equal(noon.Add(time.Hour)) || s.Problem != "" {
			t.Errorf("an hour later: %+v", s)
		}
	}
	if rep.Sources[0].Earlier != 2 || rep.Sources[1].Earlier != 1 || rep.Kept.Shards != 0 || r.asked["/one.xml"] != 1 {
		t.Errorf("an hour later: %+v", rep)
	}

	r.pass(24 * time.Hour)
	if rep = r.must(); rep.Sources[0].Unchanged || r.asked["/one.xml"] != 2 {
		t.Errorf("the next day the file must be read for it: %+v", rep.Sources[0])
	}
	r.check("the next day", map[string]string{"A.br": "one 24 24", "B.br": "one 24 24", "C.br": "two 24 24"})

	r.names = append(r.names, "Nowhere")
	r.must()
	r.check("with another catalog", map[string]string{"A.br": "one 24 24", "B.br": "one 24 24", "C.br": "two 24 24", "Nowhere": "one 24 24"})
	if _, err := r.run(job.Order{Force: true}); err != nil || r.asked["/one.xml"] != 4 {
		t.Errorf("forced: %v, asked %d times", err, r.asked["/one.xml"])
	}
	r.use("")
	r.must()
	r.check("without sources", map[string]string{})
}

// TestGuideFailures spoils one source in each way: what it gave stays, the
// reason is reported, and the other source is not touched.
func TestGuideFailures(t *testing.T) {
	good := xmltvOf(noon, "one", "A.br", "B.br", "C.br")
	text := func(s string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, s) }
	}
	for name, test := range map[string]struct {
		answer http.HandlerFunc
		want   string
	}{
		"gone":    {http.NotFound, "status 404"},
		"refused": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }, "refuses access"},
		"not guarded": {func(w http.ResponseWriter, q *http.Request) {
			http.Redirect(w, q, "http://127.0.0.1:1/", http.StatusFound)
		}, "not allowed"},
		"empty":          {text(""), "empty"},
		"a page":         {text("<!doctype html><html><body>Not found</body></html>"), ""},
		"cut":            {text(good[:len(good)/2]), "middle"},
		"without an end": {text(strings.TrimSuffix(good, "</tv>\n")), "middle"},
		"cut in transit": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", fmt.Sprint(len(good)))
			io.WriteString(w, good[:len(good)/2])
		}, ""},
		"no channels":    {text("<tv></tv>"), "no channel of the catalog"},
		"of other days":  {text(xmltvOf(noon.AddDate(0, 0, -9), "one", "A.br", "B.br", "C.br")), "no channel of the catalog"},
		"of others":      {text(xmltvOf(noon, "one", "X", "Y", "Z")), "no channel of the catalog"},
		"of few of them": {text(xmltvOf(noon, "one", "A.br")), "1 channels where 3"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, "@/one.xml,@/two.xml")
			r.set("/one.xml", good, nil)
			r.set("/two.xml", xmltvOf(noon, "two", "D.br"), nil)
			r.must()
			r.set("/one.xml", "", test.answer)
			r.set("/two.xml", xmltvOf(noon, "new", "D.br"), nil)
			s := r.must().Sources[0]
			if s.Problem == "" || !strings.Contains(s.Problem, test.want) || s.Earlier != 3 || !s.FetchedAt.Equal(noon) {
				t.Errorf("reported %+v", s)
			}
			r.check("what it gave", map[string]string{"A.br": "one 24 24", "B.br": "one 24 24", "C.br": "one 24 24", "D.br": "new 24 24"})
			if name != "gone" {
				return
			}
			r.pass(24 * time.Hour)
			r.must()
			r.check("a day later", map[string]string{"A.br": "one 24", "B.br": "one 24", "C.br": "one 24", "D.br": "new 24 24"})
			r.pass(24 * time.Hour)
			r.must()
			if got := r.shown(); got["B.br"] != "" || got["D.br"] != "new 24" && got["D.br"] != "new 24 24" {
				t.Errorf("two days later: %v", got)
			}
		})
	}
}

// TestGuidePins pins a channel of a file that has not changed: the next run reads it
// again and shows its programmes, and once the pin is gone drops them.
func TestGuidePins(t *testing.T) {
	r := newRig(t, "@/one.xml,@/two.xml")
	r.set("/one.xml", xmltvOf(noon, "one", "A.br", "Regional 7"), nil)
	r.set("/two.xml", xmltvOf(noon, "two", "B.br", "Regional 7"), nil)
	r.must()
	r.check("without pins", map[string]string{"A.br": "one 24 24", "B.br": "two 24 24"})
	pins := pin.NewList(r.DB)
	pinned, err := pin.New("two", "Regional 7", "C.br", noon)
	if err != nil {
		t.Fatal(err)
	}
	if err := pins.Set(t.Context(), pinned); err != nil {
		t.Fatal(err)
	}
	if rep := r.must(); !rep.Sources[0].Unchanged || rep.Sources[1].Unchanged || rep.Sources[1].Matched != 2 {
		t.Errorf("pinned: %+v", rep.Sources)
	}
	r.check("pinned", map[string]string{"A.br": "one 24 24", "B.br": "two 24 24", "C.br": "two 24 24"})
	if rep := r.must(); !rep.Sources[1].Unchanged {
		t.Errorf("the same pin again: %+v", rep.Sources[1])
	}
	if err := pins.Remove(t.Context(), pinned.ID); err != nil {
		t.Fatal(err)
	}
	r.must()
	r.check("no longer pinned", map[string]string{"A.br": "one 24 24", "B.br": "two 24 24"})
}

// TestGuideMidnight reads a guide that says nothing of the new day but the end of a
// programme that began the evening before: it is on, and once it is over the file
// is out of date.
func TestGuideMidnight(t *testing.T) {
	r := newRig(t, "@/one.xml")
	r.set("/one.xml", `<tv><programme start="20261122230000 +0000" stop="20261123010000 +0000" channel="A.br"><title>Late</title></programme></tv>`, nil)
	r.pass(12*time.Hour + 30*time.Minute)
	r.must()
	r.check("half past midnight", map[string]string{"A.br": "Late 1"})
	r.pass(time.Hour)
	r.set("/one.xml", r.files["/one.xml"]+"\n", nil)
	if rep, err := r.run(job.Order{}); err == nil || !strings.Contains(rep.Sources[0].Problem, "today or tomorrow") {
		t.Errorf("half past one: %+v, %v", rep.Sources[0], err)
	}
}

// TestGuideAllFail has no source answer, at first and later.
func TestGuideAllFail(t *testing.T) {
	r := newRig(t, "@/one.xml")
	rep, err := r.run(job.Order{})
	if err == nil {
		t.Error("it went well")
	}
	if text, err := json.Marshal(rep); err != nil || strings.Contains(string(text), "fetched_at") {
		t.Errorf("a file that was never fetched: %s, %v", text, err)
	}
	state, err := guide.Load(t.Context(), r.DB, guide.WindowOf(noon))
	if err != nil || len(state.Notes) != 1 || !state.Notes[0].FetchedAt.IsZero() {
		t.Errorf("noted %+v, %v", state, err)
	}
	r.set("/one.xml", xmltvOf(noon, "one", "A.br"), nil)
	r.must()
	r.set("/one.xml", "", http.NotFound)
	if _, err := r.run(job.Order{}); err == nil {
		t.Error("it went well")
	}
	r.check("what it gave", map[string]string{"A.br": "one 24 24"})
}

// TestGuideGivenUp has a source give up a channel that another has, which is as
// it was: it must be read all the same.
func TestGuideGivenUp(t *testing.T) {
	r := newRig(t, "@/one.xml,@/two.xml")
	r.set("/one.xml", xmltvOf(noon, "one", "A.br", "B.br"), nil)
	r.set("/two.xml", xmltvOf(noon, "two", "B.br", "C.br"), nil)
	r.must()
	r.set("/one.xml", xmltvOf(noon, "one", "A.br"), nil)
	r.must()
	r.check("given up", map[string]string{"A.br": "one 24 24", "B.br": "two 24 24", "C.br": "two 24 24"})
	r.use("@/two.xml,@/one.xml")
	r.set("/one.xml", xmltvOf(noon, "one", "A.br", "C.br"), nil)
	r.must()
	r.check("the other way round", map[string]string{"A.br": "one 24 24", "B.br": "two 24 24", "C.br": "two 24 24"})
	r.set("/one.xml", xmltvOf(noon, "one", "A.br", "B.br", "C.br"), nil)
	r.must()
	r.use("@/one.xml,@/two.xml")
	r.must()
	r.check("as before, of the same files", map[string]string{"A.br": "one 24 24", "B.br": "one 24 24", "C.br": "one 24 24"})
	r.set("/one.xml", xmltvOf(noon, "one", "A.br", "C.br"), nil)
	r.must()
	r.use("@/one.xml")
	r.must()
	r.check("one alone", map[string]string{"A.br": "one 24 24", "C.br": "one 24 24"})
}

// TestGuideGivenUpThenStopped ends the run after a channel was given up and
// before the source that has it was read.
func TestGuideGivenUpThenStopped(t *testing.T) {
	r := newRig(t, "@/one.xml,@/two.xml")
	r.Batch = -1 // the first is kept before the second is read
	r.set("/one.xml", xmltvOf(noon, "one", "A.br", "B.br"), nil)
	r.set("/two.xml", xmltvOf(noon, "two", "B.br", "C.br"), nil)
	r.must()
	ctx, stop := context.WithCancel(t.Context())
	r.set("/one.xml", xmltvOf(noon, "one", "A.br"), nil)
	two := r.files["/two.xml"]
	r.set("/two.xml", two, func(w http.ResponseWriter, _ *http.Request) { stop(); w.WriteHeader(http.StatusInternalServerError) })
	if _, err := r.runner().Run(ctx, refresh.Name, job.Order{}); !errors.Is(err, context.Canceled) {
		t.Fatalf("stopped: %v", err)
	}
	r.check("stopped", map[string]string{"A.br": "one 24 24", "C.br": "two 24 24"})
	r.set("/two.xml", two, nil)
	r.must()
	r.check("run again", map[string]string{"A.br": "one 24 24", "B.br": "two 24 24", "C.br": "two 24 24"})
}

// TestGuideStopped has the database fail after each number of writes while a
// channel goes from one source to another. What is shown then is of each
// channel as it was or is to be, or nothing; the next run completes it.
func TestGuideStopped(t *testing.T) {
	r := newRig(t, "@/one.xml,@/two.xml")
	sw := storetest.NewSwitch(r.DB)
	r.Batch, r.DB = -1, sw
	r.set("/two.xml", xmltvOf(noon, "two", "B.br", "C.br"), nil)
	run := func() error {
		_, err := refresh.NewJob(r.Options).Run(t.Context(), job.Order{})
		return err
	}
	for n := range 134 {
		if n > 2 && n < 64 || n > 68 && n < 130 || testing.Short() && n%2 > 0 {
			continue // a shard is as good as another
		}
		r.set("/one.xml", xmltvOf(noon, "one", "A.br", "B.br"), nil)
		if err := run(); err != nil {
			t.Fatal(err)
		}
		r.set("/one.xml", xmltvOf(noon, "new", "A.br"), nil)
		sw.OffAfter(n)
		err := run()
		sw.On()
		if err != nil && !errors.Is(err, storetest.ErrBroken) {
			t.Fatalf("after %d writes: %v", n, err)
		}
		got := r.shown()
		for channel, want := range map[string]string{"A.br": "one 24 24|new 24 24", "B.br": "one 24 24||two 24 24", "C.br": "two 24 24"} {
			if !slices.Contains(strings.Split(want, "|"), got[channel]) {
				t.Errorf("after %d writes %s shows %q", n, channel, got[channel])
			}
		}
		if err := run(); err != nil {
			t.Fatal(err)
		}
		r.check(fmt.Sprint("completed after ", n, " writes"), map[string]string{"A.br": "new 24 24", "B.br": "two 24 24", "C.br": "two 24 24"})
	}
}

// TestGuideLost has another process take the place of a run while it reads.
func TestGuideLost(t *testing.T) {
	r := newRig(t, "@/one.xml")
	r.set("/one.xml", "", func(w http.ResponseWriter, q *http.Request) {
		if err := r.DB.Set(q.Context(), "leases/guide", map[string]any{"holder": "another", "until": store.At(noon.Add(time.Hour))}); err != nil {
			w.WriteHeader(http.StatusInternalServerError)
		}
		io.WriteString(w, xmltvOf(noon, "one", "A.br"))
	})
	if _, err := r.runner().Run(t.Context(), refresh.Name, job.Order{}); !errors.Is(err, job.ErrLost) {
		t.Errorf("the run: %v", err)
	}
	r.check("nothing", map[string]string{})
}

func TestGuideMemory(t *testing.T) {
	r := newRig(t, "@/one.xml")
	r.set("/one.xml", xmltvOf(noon, "one", "A.br", "B.br"), nil)
	r.MaxMemory = 108*135 + 300 // of 54 hours of two channels, the titles alone
	if rep := r.must(); !rep.Sources[0].Lean {
		t.Errorf("%+v", rep.Sources[0])
	}
	r.check("without descriptions", map[string]string{"A.br": "one 24 24", "B.br": "one 24 24"})
	r.MaxMemory = 1000
	r.pass(24 * time.Hour)
	if rep, err := r.run(job.Order{}); err == nil || rep.Sources[0].Limit != "memory" || !strings.Contains(rep.Sources[0].Problem, "memory") {
		t.Errorf("%+v, %v", rep.Sources[0], err)
	}
	r.check("what it gave", map[string]string{"A.br": "one 24", "B.br": "one 24"})
}

func TestGuideFiles(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "one.xml")
	r := newRig(t, file+","+dir+"#name=folder,"+filepath.Join(dir, "missing.xml")+",/dev/zero")
	write := func(title string) {
		if err := os.WriteFile(file, []byte(xmltvOf(noon, title, "A.br")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("one")
	rep := r.must()
	r.check("a file", map[string]string{"A.br": "one 24 24"})
	for i, want := range []string{"", "not name a regular file", "not there", "not name a regular file"} {
		if got := rep.Sources[i].Problem; want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("source %d: %q, want %q", i, got, want)
		}
	}
	if rep = r.must(); !rep.Sources[0].Unchanged || rep.Sources[0].Problem != "" {
		t.Errorf("the same file: %+v", rep.Sources[0])
	}
	write("another")
	if rep = r.must(); rep.Sources[0].Unchanged {
		t.Error("another file is reported as unchanged")
	}
	r.check("another file", map[string]string{"A.br": "another 24 24"})
}

// TestGuideCatalog has no catalog: the job leaves all as it is.
func TestGuideCatalog(t *testing.T) {
	r := newRig(t, "@/one.xml")
	r.set("/one.xml", xmltvOf(noon, "one", "A.br"), nil)
	r.must()
	none := errors.New("no catalog")
	r.Catalog = func(context.Context) (*match.Matcher, error) { return nil, none }
	if _, err := r.run(job.Order{}); !errors.Is(err, none) {
		t.Errorf("without a catalog: %v", err)
	}
	r.check("without a catalog", map[string]string{"A.br": "one 24 24"})
	if !slices.Contains(r.runner().Names(), refresh.Name) {
		t.Error("the job has another name")
	}
}
