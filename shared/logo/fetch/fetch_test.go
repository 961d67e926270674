package fetch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/snapshot"
	"miramundo.dev/shared/job"
	"miramundo.dev/shared/logo"
	"miramundo.dev/shared/logo/thumbnail"
	"miramundo.dev/shared/origin"
	"miramundo.dev/shared/overlay"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/embedded"
)

var logoNoon = time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC)

// A site serves logos, and counts what it is asked. The last part of a path is
// the number that the picture shows.
type site struct {
	*httptest.Server

	mu     sync.Mutex
	asked  map[string]int // requests by path
	now    map[string]int // requests under way, by host
	most   int            // of them at one time to one host
	broken bool           // whether all answer 500
	held   func(n int)    // called before request n is answered, from 1
}

func newSite(t testing.TB) *site {
	s := &site{asked: map[string]int{}, now: map[string]int{}}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

func (s *site) serve(w http.ResponseWriter, r *http.Request) {
	host, _, _ := strings.Cut(r.Host, ":")
	s.mu.Lock()
	s.asked[r.URL.Path]++
	s.now[host]++
	s.most = max(s.most, s.now[host])
	broken, held, n := s.broken, s.held, 0
	for _, times := range s.asked {
		n += times
	}
	s.mu.Unlock()
	if held != nil {
		held(n)
	}
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.now[host]--
	}()
	parts := strings.Split(r.URL.Path, "/")
	number, err := strconv.Atoi(parts[len(parts)-1])
	switch {
	case broken:
		w.WriteHeader(http.StatusInternalServerError)
		return
	case err != nil:
		fmt.Fprint(w, "<svg/>")
		return
	}
	tag := fmt.Sprintf(`"%d"`, number)
	w.Header().Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Header().Set("Content-Type", "text/html") // which is not what it is
	_, _ = w.Write(numbered(number))
}

func (s *site) change(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

// times returns how often a path was asked.
func (s *site) times(path string) (n int) {
	s.change(func() { n = s.asked[path] })
	return n
}

// numbered returns a PNG that differs by n.
func numbered(n int) []byte {
	im := image.NewNRGBA(image.Rect(0, 0, 16, 16))
	for i := range 256 {
		im.SetNRGBA(i%16, i/16, color.NRGBA{R: uint8(n), G: uint8(n >> 8), B: uint8(i), A: 255})
	}
	var b bytes.Buffer
	if err := png.Encode(&b, im); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// A view is a catalog that does not change.
type view struct{ shown *index.View }

func (v view) View() (*index.View, error) {
	if v.shown == nil {
		return nil, catalog.ErrNotLoaded
	}
	return v.shown, nil
}

// viewOf returns a catalog of channels that have logos at addresses.
func viewOf(t testing.TB, sources map[string]string, o index.Overlay) view {
	t.Helper()
	return viewOn(t, registerOf(sources), o)
}

func registerOf(sources map[string]string) *catalog.Register {
	reg := &catalog.Register{BuiltAt: logoNoon}
	for id, address := range sources {
		reg.Records = append(reg.Records, catalog.Record{ID: id, Kind: catalog.TV, Name: id, Country: "BR", Origin: "iptv-org", LogoSource: address})
	}
	return reg
}

func viewOn(t testing.TB, reg *catalog.Register, o index.Overlay) view {
	t.Helper()
	c, err := snapshot.Pack(reg)
	if err != nil {
		t.Fatal(err)
	}
	data, err := c.Encode()
	if err != nil {
		t.Fatal(err)
	}
	ix, err := index.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	return view{index.NewView(ix, o, catalog.LinkBase{})}
}

// A rig runs the job with a database and a clock of its own.
type rig struct {
	t   *testing.T
	db  store.DB
	job Options
	now time.Time
}

func newRig(t *testing.T, sites ...*site) *rig {
	db, err := embedded.Open(filepath.Join(t.TempDir(), "db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	b := &rig{t: t, db: db, now: logoNoon}
	b.job = logosOn(db, func() time.Time { return b.now }, allowed(sites...))
	return b
}

// runner returns a runner of the job with the options as they are now.
func (b *rig) runner() *job.Runner {
	return job.NewRunner(b.db, slog.New(slog.DiscardHandler), func() time.Time { return b.now }, NewJob(b.job))
}

func allowed(sites ...*site) []string {
	var list []string
	for _, s := range sites {
		list = append(list, s.Listener.Addr().String())
	}
	return list
}

func logosOn(db store.DB, now func() time.Time, allow []string) Options {
	const patience = time.Minute // only stops what hangs
	return Options{DB: db, Now: now, Limits: Limits{Answer: patience}, Client: origin.New(origin.Options{
		MaxBytes: thumbnail.MaxSource, MaxInFlight: 16, PerHost: 2, Allow: allow, Header: patience,
	})}
}

// run runs the job with a catalog and returns its report.
func (b *rig) run(v view, o job.Order) *Report {
	b.t.Helper()
	b.job.Catalog = v
	rep, err := b.runner().Run(b.t.Context(), Name, o)
	if err != nil {
		b.t.Fatal(err)
	}
	return rep.Result.(*Report)
}

// shown returns what readers see.
func (b *rig) shown() map[string]string { return shownBy(b.t, b.db) }

func shownBy(t *testing.T, db store.DB) map[string]string {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	return maps.Collect(logo.Follow(ctx, overlay.NewSet(db, slog.New(slog.DiscardHandler), time.Now)).All())
}

// idOf returns the id of the logo that is made of numbered(n).
func idOf(t testing.TB, n int) string {
	t.Helper()
	im, err := thumbnail.Make(numbered(n))
	if err != nil {
		t.Fatal(err)
	}
	return im.ID()
}

// TestLogos walks channels through what happens to their logos.
func TestLogos(t *testing.T) {
	s := newSite(t)
	b := newRig(t, s)
	sources := map[string]string{
		"A.br": s.URL + "/1", "B.br": s.URL + "/2", "Same.br": s.URL + "/1", "Equal.br": s.URL + "/x/1",
		"Svg.br": s.URL + "/logo.svg", "None.br": "", "Inner.br": "http://192.168.0.1/logo.png",
	}
	if got := b.run(view{}, job.Order{}); got.Due != 0 {
		t.Errorf("before the first release: %+v", got)
	}
	first := b.run(viewOf(t, sources, index.Overlay{}), job.Order{})
	want := &Report{
		Channels: 6, Due: 5, Asked: 5, Fetched: 4, Made: map[string]int{"png": 3}, Kept: first.Kept, Skipped: map[string]int{"svg": 1},
		Failed: map[string]int{"origin_refused": 1}, BytesIn: first.BytesIn, BytesOut: first.BytesOut, Steps: first.Steps,
	}
	if diff := cmp.Diff(want, first); diff != "" {
		t.Errorf("the first run (-want +got):\n%s", diff)
	}
	all := map[string]string{"A.br": idOf(t, 1), "B.br": idOf(t, 2), "Same.br": idOf(t, 1), "Equal.br": idOf(t, 1)}
	if diff := cmp.Diff(all, b.shown()); diff != "" {
		t.Errorf("readers see (-want +got):\n%s", diff)
	}
	if n := s.times("/1"); n != 1 {
		t.Errorf("the source of two channels was fetched %d times", n)
	}
	im, err := logo.Get(t.Context(), b.db, idOf(t, 1))
	if err != nil || im.ID() != idOf(t, 1) {
		t.Errorf("the logo is not stored: %v", err)
	}

	b.now = b.now.Add(24 * time.Hour)
	if got := b.run(viewOf(t, sources, index.Overlay{}), job.Order{}); got.Due != 1 || got.Failed["origin_refused"] != 1 {
		t.Errorf("a day later: %+v", got)
	}
	b.now = logoNoon.Add(34 * 24 * time.Hour)
	if got := b.run(viewOf(t, sources, index.Overlay{}), job.Order{}); got.Unchanged != 3 || got.Fetched != 1 {
		t.Errorf("a month later: %+v", got)
	}

	sources["A.br"] = s.URL + "/7" // at once
	delete(sources, "B.br")
	if got := b.run(viewOf(t, sources, index.Overlay{}), job.Order{}); got.Due != 1 || got.Made["png"] != 1 || got.Lost != 1 {
		t.Errorf("with other sources: %+v", got)
	}
	all["A.br"] = idOf(t, 7)
	delete(all, "B.br")
	if diff := cmp.Diff(all, b.shown()); diff != "" {
		t.Errorf("then readers see (-want +got):\n%s", diff)
	}

	s.change(func() { s.broken = true })
	b.now = b.now.Add(34 * 24 * time.Hour)
	if got := b.run(viewOf(t, sources, index.Overlay{}), job.Order{}); got.Failed["origin_failed"] != 4 || got.Deleted != 1 {
		t.Errorf("when sources fail: %+v", got)
	}
	if diff := cmp.Diff(all, b.shown()); diff != "" {
		t.Errorf("when sources fail readers see (-want +got):\n%s", diff)
	}
	if _, err := logo.Get(t.Context(), b.db, idOf(t, 2)); !errors.Is(err, logo.ErrNoLogo) {
		t.Errorf("a picture without a channel for 30 days: %v", err)
	}
	if got := b.run(viewOf(t, sources, index.Overlay{}), job.Order{}); got.Due != 0 {
		t.Errorf("run again at once: %+v", got)
	}
}

// TestBlockedLogos checks that the logo of a blocked channel is not asked for,
// and not lost.
func TestBlockedLogos(t *testing.T) {
	s := newSite(t)
	b := newRig(t, s)
	sources := map[string]string{"A.br": s.URL + "/1"}
	blocked := index.Overlay{BlockedChannels: []string{"A.br"}}
	if got := b.run(viewOf(t, sources, blocked), job.Order{}); got.Due != 0 {
		t.Errorf("while it is blocked: %+v", got)
	}
	b.run(viewOf(t, sources, index.Overlay{}), job.Order{})
	if got := b.run(viewOf(t, sources, blocked), job.Order{}); got.Lost != 0 || len(b.shown()) != 1 {
		t.Errorf("blocked later: %+v", got)
	}
}

// TestRenamedLogos checks that a channel which has another id now keeps its logo,
// without its source being asked.
func TestRenamedLogos(t *testing.T) {
	s := newSite(t)
	b := newRig(t, s)
	b.run(viewOf(t, map[string]string{"Old.br": s.URL + "/1", "Older.br": s.URL + "/2"}, index.Overlay{}), job.Order{})
	s.change(func() { s.broken = true })
	b.now = b.now.Add(time.Hour)
	reg := registerOf(map[string]string{"New.br": s.URL + "/1", "Other.br": ""})
	reg.ChannelAliases = map[string]string{"Old.br": "New.br", "Older.br": "Other.br"}
	for _, want := range []Report{{Channels: 1, Moved: 1, Lost: 1}, {Channels: 1}} {
		got := b.run(viewOn(t, reg, index.Overlay{}), job.Order{})
		if got.Moved != want.Moved || got.Lost != want.Lost || got.Due != 0 {
			t.Errorf("moved %d, lost %d, due %d; want %+v", got.Moved, got.Lost, got.Due, want)
		}
		if diff := cmp.Diff(map[string]string{"New.br": idOf(t, 1)}, b.shown()); diff != "" {
			t.Errorf("readers see (-want +got):\n%s", diff)
		}
	}
}

// TestLogoLimits checks that a run keeps its limit and that the next goes on,
// that what is played comes first, and that no host is asked more than twice at
// a time.
func TestLogoLimits(t *testing.T) {
	s := newSite(t)
	b := newRig(t, s)
	sources := map[string]string{}
	for n := range 40 {
		sources[fmt.Sprintf("C%d.br", n)] = fmt.Sprintf("%s/%d", s.URL, n)
	}
	b.job.Limits.Sources, b.job.Limits.Batch = 25, 4
	if got := b.run(viewOf(t, sources, index.Overlay{}), job.Order{}); got.Asked != 25 || got.Left != 15 || len(b.shown()) != 25 {
		t.Errorf("the first run: %+v", got)
	}
	if got := b.run(viewOf(t, sources, index.Overlay{}), job.Order{}); got.Asked != 15 || got.Left != 0 || len(b.shown()) != 40 {
		t.Errorf("the second run: %+v", got)
	}
	s.change(func() {
		for path, n := range s.asked {
			if n != 1 {
				t.Errorf("%s was requested %d times", path, n)
			}
		}
		if s.most > 2 {
			t.Errorf("%d requests at a time to one host", s.most)
		}
	})
}

// TestLogoOrder checks the order of tasks, and that those of a host have two
// lanes.
func TestLogoOrder(t *testing.T) {
	made := func(address string, plays int64, s logo.State) *task {
		return &task{address: address, source: address, host: address[:1], plays: plays, channels: []holder{{"x", s}}}
	}
	tasks := map[string]*task{}
	for _, one := range []*task{
		made("a1", 0, logo.State{}), made("a2", 5, logo.State{}), made("a3", 9, logo.State{Checked: 9, Next: 7}),
		made("a4", 0, logo.State{Checked: 9, Next: 3}), made("b1", 7, logo.State{}), made("b2", 0, logo.State{Checked: 9, Next: 1}),
	} {
		tasks[one.address] = one
	}
	var got []string
	for _, lane := range lanes(tasks) {
		var names []string
		for _, one := range lane {
			names = append(names, one.address)
		}
		got = append(got, strings.Join(names, " "))
	}
	if diff := cmp.Diff([]string{"b1", "a2 a3", "a1 a4", "b2"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestOwnNetwork checks that a run in which nobody can be reached counts no
// failures, unless the operator says so.
func TestOwnNetwork(t *testing.T) {
	s := newSite(t)
	nobody, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer nobody.Close() // of this port nothing else can listen at all addresses meanwhile
	port := nobody.Addr().(*net.TCPAddr).Port
	b := newRig(t, s)
	sources, allow := map[string]string{}, allowed(s)
	for n := range 60 {
		host := fmt.Sprintf("127.0.1.%d:%d", n+1, port)
		allow = append(allow, host)
		sources[fmt.Sprintf("C%d.br", n)] = "http://" + host + "/1"
	}
	b.job.Client = origin.New(origin.Options{Allow: allow})
	for _, test := range []struct {
		name  string
		own   bool
		order job.Order
		void  bool
		left  int
	}{
		{"a cut cable", false, job.Order{}, true, 60},
		{"again", false, job.Order{}, true, 60},
		{"by force", false, job.Order{Force: true}, false, 0},
	} {
		got := b.run(viewOf(t, sources, index.Overlay{}), test.order)
		if got.Void != test.void || got.Left != test.left {
			t.Errorf("%s: %+v", test.name, got)
		}
	}
}

// TestLogosEnd checks that a run that is canceled keeps what was answered.
func TestLogosEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := newSite(t)
	s.held = func(n int) {
		if n == 2 {
			cancel()
		}
	}
	b := newRig(t, s)
	b.job.Limits.Workers = 1
	b.job.Catalog = viewOf(t, map[string]string{"A.br": s.URL + "/1", "B.br": s.URL + "/2", "C.br": s.URL + "/3"}, index.Overlay{})
	rep, err := b.runner().Run(ctx, Name, job.Order{})
	got := rep.Result.(*Report)
	if !errors.Is(err, context.Canceled) || got.Asked == 0 || got.Asked > 2 || got.Asked != len(b.shown()) || len(got.Failed) > 0 {
		t.Errorf("%+v, %v: %d are shown", got, err, len(b.shown()))
	}
}
