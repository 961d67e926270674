package reports

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/bus/bustest"
	queue "miramundo.dev/shared/bus/embedded"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/index/indextest"
	"miramundo.dev/shared/fact"
	"miramundo.dev/shared/fact/outbox"
	"miramundo.dev/shared/health"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/keyring/keyringtest"
	"miramundo.dev/shared/overlay"
	"miramundo.dev/shared/social"
	"miramundo.dev/shared/social/report"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/embedded"
	"miramundo.dev/shared/store/embedded/sqlite"
	"miramundo.dev/shared/store/storetest"
)

// noon is when these tests begin.
var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

const operator = "operator-token-of-the-tests"

// speaker has the token of a request be its owner.
type speaker struct{}

func (speaker) Speaker(_ context.Context, shown identity.Credentials, _ identity.Class) (identity.Speaker, error) {
	owner := shown.GuestToken
	if owner == "" {
		return identity.Speaker{}, identity.ErrCredential
	}
	s := identity.Speaker{Owner: identity.Owner(owner), Guest: true}
	if since, ok := ages[owner]; ok {
		s.Since = noon.Add(-since)
	}
	return s, nil
}

// ages are how long some owners have been known; the others have always been.
var ages = map[string]time.Duration{"new": 0, "nearly": health.KnownAfter - 1, "known": health.KnownAfter}

var people = identity.NewPeople(keyringtest.Ring("a key of the tests, of 32 letters or so"))

// A world is a service of reports with what it stands on.
type world struct {
	db      store.DB
	queue   bus.Bus
	bus     *line
	view    *index.View
	channel string
	log     *bytes.Buffer
	clock   atomic.Pointer[time.Time]
	overlay *social.Overlay
	http.Handler
}

func (w *world) now() time.Time { return *w.clock.Load() }

func (w *world) pass(d time.Duration) {
	now := w.now().Add(d)
	w.clock.Store(&now)
}

// A line is a bus that can be cut.
type line struct {
	bus.Bus
	cut atomic.Bool
}

func (l *line) Publish(ctx context.Context, topic string, events ...bus.Event) error {
	if l.cut.Load() {
		return bustest.ErrBroken
	}
	return l.Bus.Publish(ctx, topic, events...)
}

type viewer struct{ view *index.View }

func (v viewer) View() (*index.View, error) {
	if v.view == nil {
		return nil, catalog.ErrNotLoaded
	}
	return v.view, nil
}

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{log: new(bytes.Buffer)}
	w.clock.Store(&noon)
	f, err := sqlite.Open(filepath.Join(t.TempDir(), "db"))
	if err != nil {
		t.Fatal(err)
	}
	db, err := embedded.On(f.Share(), w.now)
	if err != nil {
		t.Fatal(err)
	}
	w.db = db
	if w.queue, err = queue.On(f, social.Topology(), queue.Options{Log: slog.New(slog.DiscardHandler)}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.queue.Close(); db.Close() })
	w.bus = &line{Bus: w.queue}
	reg := indextest.Synthetic(1, 20)
	ix, err := index.Build(reg)
	if err != nil {
		t.Fatal(err)
	}
	w.view, w.channel = index.NewView(ix, index.Overlay{}, catalog.LinkBase{}), reg.Records[0].ID
	w.serve(w.db)
	return w
}

// serve has a new process answer, over db.
func (w *world) serve(db store.DB) {
	log := slog.New(slog.NewTextHandler(w.log, nil))
	box := &outbox.Outbox{DB: db, Bus: w.bus, Log: log, Now: w.now, Shelves: []outbox.Shelf{report.Shelf}}
	s := New(Options{Outbox: box, Catalog: viewer{w.view}, Overlay: w.overlay, People: people, BaseURL: "https://mira.example", Now: w.now})
	w.Handler = request.Handler(request.Options{
		Log: log, Now: w.now, Auth: speaker{}, CountryHeader: "X-Country",
		Tokens: map[string]string{api.MetricsToken: operator},
	}, s, Endpoints)
}

const firefox = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:133.0) Gecko/20100101 Firefox/133.0"

// send sends a report and returns the status and the answer.
func (w *world) send(t testing.TB, owner, channel, result string) (int, Reported) {
	t.Helper()
	body := fmt.Sprintf(`{"channel_id":%q,%s}`, channel, result)
	r := httptest.NewRequest("POST", "/api/play-report", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", firefox)
	r.Header.Set("X-Country", "BR")
	r.Header.Set("X-Guest-Token", owner)
	r.RemoteAddr = "203.0.113.77:1000"
	answer := httptest.NewRecorder()
	w.ServeHTTP(answer, r)
	var out Reported
	if err := json.Unmarshal(answer.Body.Bytes(), &out); err != nil {
		t.Fatalf("%v in %s", err, answer.Body)
	}
	return answer.Code, out
}

// report sends a report that must be accepted, and returns the answer.
func (w *world) report(t testing.TB, owner, result string) Reported {
	t.Helper()
	status, out := w.send(t, owner, w.channel, result)
	if status != http.StatusOK {
		t.Fatalf("a report answers %d", status)
	}
	return out
}

// events takes n events from the bus.
func (w *world) events(t testing.TB, n int) map[string]social.Report {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	got := map[string]social.Report{}
	var mu sync.Mutex
	err := w.queue.Receive(ctx, social.Reports, func(_ context.Context, e bus.Event) error {
		r, err := social.ReportOf(e)
		if err != nil {
			t.Error(err)
		}
		mu.Lock()
		defer mu.Unlock()
		if got[r.Key] = r; len(got) == n {
			cancel()
		}
		return nil
	})
	if err != nil || len(got) != n {
		t.Fatalf("%d events come, %v, want %d", len(got), err, n)
	}
	return got
}

// TestEvent checks what is published, kept and listed of a report.
func TestEvent(t *testing.T) {
	w := newWorld(t)
	w.report(t, "ana", `"ok":false,"code":"codec"`)
	for key, got := range w.events(t, 1) {
		want := social.Report{
			Key: key, Channel: w.channel, Code: "codec", Browser: "Firefox", OS: "Windows", Country: "BR", At: noon,
			Network: networkOf("203.0.113.1", w.channel),
		}
		if diff := cmp.Diff(want, got); diff != "" || strings.Contains(key, "ana") {
			t.Errorf("event (-want +got):\n%s", diff)
		}
		var kept report.Record
		if err := w.db.Get(t.Context(), store.Path("reports").Join(key), &kept); err != nil {
			t.Fatal(err)
		}
		stored := report.Record{
			Channel: w.channel, Code: "codec", IP: "203.0.113.77", Browser: "Firefox", OS: "Windows", Country: "BR",
			Day: "2026-11-22", At: store.At(noon), ExpireAt: store.At(noon.AddDate(0, 0, 30)),
			Network: want.Network,
		}
		if diff := cmp.Diff(stored, kept); diff != "" {
			t.Errorf("record (-want +got):\n%s", diff)
		}
	}
	if log := w.log.String(); strings.Contains(log, "203.0.113.77") || strings.Contains(log, "ana") {
		t.Errorf("the log has the address or the credential: %s", log)
	}
}

// networkOf returns the name of the wider network of an address on the day of the tests.
func networkOf(addr, channel string) string {
	id := people.WiderNetwork(identity.Caller{Addr: netip.MustParseAddr(addr)}, identity.DayOf(noon))
	return social.NetworkOf(id, channel)
}

// TestDoubtful checks which reports have half a voice: those of owners who have been
// known for less than a week, also when they wait for the bus.
func TestDoubtful(t *testing.T) {
	w := newWorld(t)
	w.bus.cut.Store(true)
	want := map[string]bool{"new": true, "nearly": true, "known": false, "always": false}
	for owner := range want {
		w.report(t, owner, `"ok":true`)
	}
	w.bus.cut.Store(false)
	if _, err := w.outbox(w.db).Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := w.events(t, len(want))
	for owner, doubtful := range want {
		key := keyOf(identity.Owner(owner), social.Report{Channel: w.channel, OK: true, At: noon})
		if r := got[key]; r.Doubtful != doubtful || r.Network != networkOf("203.0.113.254", w.channel) {
			t.Errorf("%s: %+v", owner, r)
		}
	}
}

// TestContradicts checks which reports a probe makes doubtful.
func TestContradicts(t *testing.T) {
	online, offline := &catalog.MeasuredHealth{Online: true}, &catalog.MeasuredHealth{}
	for _, test := range []struct {
		measured *catalog.MeasuredHealth
		ok, want bool
	}{
		{nil, true, false}, {nil, false, false}, {online, true, false}, {online, false, true}, {offline, true, true}, {offline, false, false},
	} {
		if got := contradicts(test.measured, test.ok); got != test.want {
			t.Errorf("%+v contradicts %t: %t", test.measured, test.ok, got)
		}
	}
}

// TestOnce reports one result by many requests at once: one of them counts.
func TestOnce(t *testing.T) {
	w := newWorld(t)
	var counted atomic.Int64
	var all sync.WaitGroup
	for n := range 50 {
		all.Go(func() {
			if w.report(t, fmt.Sprint("owner", n%5), `"ok":true`).Counted {
				counted.Add(1)
			}
		})
	}
	all.Wait()
	if counted.Load() != 5 {
		t.Errorf("the reports of 5 people count %d times", counted.Load())
	}
	w.events(t, 5)
}

// TestNext counts reports of another day, result, channel or person.
func TestNext(t *testing.T) {
	w := newWorld(t)
	for _, step := range []struct {
		owner, result string
		after         time.Duration
		want          bool
	}{
		{"ana", `"ok":true`, 0, true},
		{"ana", `"ok":true`, 0, false},
		{"ana", `"ok":false`, 0, true},
		{"ana", `"ok":false,"code":"geo"`, 0, false},
		{"bob", `"ok":true`, 0, true},
		{"ana", `"ok":true`, 12*time.Hour - time.Second, false},
		{"ana", `"ok":true`, time.Second, true},
	} {
		w.pass(step.after)
		out := w.report(t, step.owner, step.result)
		if out.Counted != step.want || (out.Reason == again) == step.want {
			t.Errorf("%s %s at %s: %+v", step.owner, step.result, w.now(), out)
		}
	}
}

// TestStats has the answer hold this report whether or not the overlay does.
func TestStats(t *testing.T) {
	w := newWorld(t)
	if out := w.report(t, "ana", `"ok":true`); out.Stats.Plays != 1 || out.Stats.YourPlays != 1 || out.Stats.Health != nil {
		t.Errorf("the first report: %+v", out.Stats)
	}
	if out := w.report(t, "ana", `"ok":true`); out.Counted || out.Stats.Plays != 1 {
		t.Errorf("the same again, before it is shown: %+v", out)
	}
	shown := social.Counted{Channel: w.channel, Ledger: fact.Ledger{Revision: 1}}
	for _, r := range w.events(t, 1) {
		shown.Apply(r)
	}
	show(t, w, shown)
	if out := w.report(t, "ana", `"ok":true`); out.Stats.Plays != 1 {
		t.Errorf("and after it is shown: %+v", out.Stats)
	}
	w.report(t, "bob", `"ok":true`)
	if out := w.report(t, "eve", `"ok":false,"code":"cors"`); out.Stats.Plays != 1 || out.Stats.Fails != 1 || *out.Stats.YourFailCode != "cors" || out.Stats.LastFailCode != nil {
		t.Errorf("of another, with what is shown: %+v", out.Stats)
	}
	if out := w.report(t, "zoe", `"ok":true`); out.Stats.Plays != 2 || out.Stats.Fails != 0 {
		t.Errorf("a report has changed what is shown: %+v", out.Stats)
	}
}

// show has the overlay of w show counts.
func show(t *testing.T, w *world, c social.Counted) {
	t.Helper()
	if err := social.ShowCounts(t.Context(), w.db, social.ShardOf(c.Channel), []social.Counted{c}); err != nil {
		t.Fatal(err)
	}
	w.overlay = social.FollowOverlay(t.Context(), overlay.NewSet(w.db, slog.New(slog.DiscardHandler), time.Now))
	if err := w.overlay.Loaded(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.serve(w.db)
}

// outbox returns the outbox of another process, over db.
func (w *world) outbox(db store.DB) *outbox.Outbox {
	return &outbox.Outbox{
		DB: db, Bus: w.bus, Log: slog.New(slog.DiscardHandler), Now: w.now, Shelves: []outbox.Shelf{report.Shelf},
	}
}

// TestCut cuts the bus: reports are taken all the same, and published once it
// is back, by another process.
func TestCut(t *testing.T) {
	w := newWorld(t)
	w.bus.cut.Store(true)
	for n := range 3 {
		if out := w.report(t, fmt.Sprint("owner", n), `"ok":true`); !out.Counted {
			t.Errorf("report %d is not counted", n)
		}
	}
	o := w.outbox(w.db)
	if n, err := o.Sweep(t.Context()); n != 0 || !errors.Is(err, bustest.ErrBroken) {
		t.Errorf("while it is cut Sweep = %d, %v", n, err)
	}
	w.bus.cut.Store(false)
	w.report(t, "late", `"ok":true`) // the bus is not asked again for a moment
	if n, err := o.Sweep(t.Context()); n != 4 || err != nil {
		t.Errorf("Sweep = %d, %v, want 4", n, err)
	}
	if n, err := o.Sweep(t.Context()); n != 0 || err != nil {
		t.Errorf("again Sweep = %d, %v, want 0", n, err)
	}
	w.pass(5 * time.Second)
	w.report(t, "later", `"ok":true`)
	if n, err := o.Sweep(t.Context()); n != 0 || err != nil {
		t.Errorf("after a report that was published Sweep = %d, %v, want 0", n, err)
	}
	w.events(t, 5)
}

// TestAgainElsewhere repeats a report from another place: the answer has the
// report that counts, and not one of that place.
func TestAgainElsewhere(t *testing.T) {
	w := newWorld(t)
	s := New(Options{Outbox: w.outbox(w.db), Catalog: viewer{w.view}, People: people, Now: w.now})
	first := social.Report{Key: strings.Repeat("a", 64), Channel: w.channel, Code: "geo", Browser: "Chrome", OS: "Android", Country: "PT", At: noon}
	if _, err := report.Put(t.Context(), s.o.Outbox, first, ""); err != nil {
		t.Fatal(err)
	}
	got, lack := s.missing(t.Context(), first.Key, social.Counts{})
	if diff := cmp.Diff(first, got); diff != "" || !lack {
		t.Errorf("what the counts lack, %t (-want +got):\n%s", lack, diff)
	}
	var has social.Counts
	has.Apply(first)
	if _, lack := s.missing(t.Context(), first.Key, has); lack {
		t.Error("counts that have the report lack it")
	}
}

// TestDatabaseFails takes the database away between any two steps: a report
// that was acknowledged is kept and published, and one that was not can be sent
// again, and then counts once.
func TestDatabaseFails(t *testing.T) {
	for _, cut := range []bool{false, true} {
		w := newWorld(t)
		s := storetest.NewSwitch(w.db)
		w.bus.cut.Store(cut)
		w.serve(s)
		for n := range 20 {
			s.OffAfter(n % 2)
			owner := fmt.Sprint("owner", n)
			status, _ := w.send(t, owner, w.channel, `"ok":true`)
			if want := []int{503, 200}[n%2]; status != want {
				t.Fatalf("with %d writes left a report answers %d, want %d", n%2, status, want)
			}
			s.On()
			if out := w.report(t, owner, `"ok":true`); out.Counted != (n%2 == 0) {
				t.Errorf("sent again: %+v", out)
			}
		}
		w.bus.cut.Store(false)
		if _, err := w.outbox(w.db).Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.events(t, 20)
	}
}

// TestNoCatalog answers 503 before a catalog is loaded.
func TestNoCatalog(t *testing.T) {
	w := newWorld(t)
	w.view = nil
	w.serve(w.db)
	if status, _ := w.send(t, "ana", w.channel, `"ok":true`); status != http.StatusServiceUnavailable {
		t.Errorf("answers %d, want 503", status)
	}
}

// page reads a page of the operator's list.
func page(t *testing.T, w *world, query string) ReportPage {
	t.Helper()
	r := httptest.NewRequest("GET", listPath+query, nil)
	r.Header.Set("Authorization", "Bearer "+operator)
	answer := httptest.NewRecorder()
	w.ServeHTTP(answer, r)
	var p ReportPage
	if err := json.Unmarshal(answer.Body.Bytes(), &p); err != nil || answer.Code != http.StatusOK {
		t.Fatalf("%s answers %d %s", query, answer.Code, answer.Body)
	}
	return p
}

// TestList walks the pages: each report is on one, the newest first.
func TestList(t *testing.T) {
	w := newWorld(t)
	for n := range 25 {
		w.pass(time.Second)
		w.report(t, fmt.Sprint("owner", n), []string{`"ok":true`, `"ok":false,"code":"geo"`}[n%2])
	}
	var at []string
	for next := 0; ; {
		p := page(t, w, fmt.Sprintf("?limit=10&offset=%d", next))
		for _, r := range p.Items {
			at = append(at, r.At)
		}
		if p.NextOffset == nil {
			break
		}
		next = *p.NextOffset
	}
	for n, got := range at {
		if want := w.now().Add(-time.Duration(n) * time.Second).Format(time.RFC3339); got != want {
			t.Errorf("report %d is of %s, want %s", n, got, want)
		}
	}
	if fails := page(t, w, "?ok=0&limit=50").Items; len(at) != 25 || len(fails) != 12 {
		t.Errorf("%d reports and %d failures are listed", len(at), len(fails))
	}
	w.pass(report.RetentionDays * 24 * time.Hour)
	if left := page(t, w, "").Items; len(left) != 0 {
		t.Errorf("%d reports are listed after %d days", len(left), report.RetentionDays)
	}
}

// TestNoDatabase answers the operator 503.
func TestNoDatabase(t *testing.T) {
	w := newWorld(t)
	w.serve(storetest.Broken())
	r := httptest.NewRequest("GET", listPath, nil)
	r.Header.Set("Authorization", "Bearer "+operator)
	answer := httptest.NewRecorder()
	if w.ServeHTTP(answer, r); answer.Code != http.StatusServiceUnavailable {
		t.Errorf("answers %d %s, want 503", answer.Code, answer.Body)
	}
}

// TestOps holds what a report costs before it is counted: one write, and the
// deletion that ends it. A repeated report costs one read more.
func TestOps(t *testing.T) {
	w := newWorld(t)
	meter := storetest.NewMeter(w.db)
	w.serve(meter)
	w.report(t, "ana", `"ok":true`)
	if diff := cmp.Diff(storetest.Ops{Writes: 1, Deletes: 1}, meter.Ops()); diff != "" {
		t.Errorf("a report (-want +got):\n%s", diff)
	}
	before := meter.Ops()
	w.report(t, "ana", `"ok":true`)
	if diff := cmp.Diff(storetest.Ops{Reads: 1, Writes: 1, Deletes: 1}, meter.Ops().Less(before)); diff != "" {
		t.Errorf("the same again (-want +got):\n%s", diff)
	}
}

func BenchmarkReport(b *testing.B) {
	w := newWorld(b)
	n := 0
	for b.Loop() {
		n++
		w.report(b, fmt.Sprint("owner", n), `"ok":true`)
	}
}
