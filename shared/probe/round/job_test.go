package round_test

import (
	"context"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/catalog/block"
	"miramundo.dev/shared/catalog/release"
	"miramundo.dev/shared/catalog/reload"
	"miramundo.dev/shared/fact"
	"miramundo.dev/shared/job"
	"miramundo.dev/shared/overlay"
	"miramundo.dev/shared/probe"
	"miramundo.dev/shared/probe/round"
	"miramundo.dev/shared/social"
	"miramundo.dev/shared/source"
	"miramundo.dev/shared/source/collect"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/embedded"
)

// watched has streams of every kind, and some that are blocked.
var watched = &source.Dataset{
	Channels: []source.Channel{
		{ID: "Aurora.br", Name: "Aurora", Country: "BR"},
		{ID: "Brisa.br", Name: "Brisa", Country: "BR"},
		{ID: "Calma.br", Name: "Calma", Country: "BR"},
	},
	Streams: []source.Stream{
		{Channel: "Aurora.br", URL: "https://aurora.example/live.m3u8", Referrer: "https://aurora.example/", UserAgent: "Player/1"},
		{Channel: "Aurora.br", URL: "https://aurora.example/live.mpd"},
		{Channel: "Aurora.br", URL: "rtmp://aurora.example/live"},
		{Channel: "Aurora.br", URL: "https://www.youtube.com/watch?v=abcdefghijk"},
		{Channel: "Aurora.br", URL: "https://blocked.example/live.m3u8"},
		{Channel: "Brisa.br", URL: "https://brisa.example/live.ts"},
		{Channel: "Calma.br", URL: "https://calma.example/live.m3u8"},
	},
}

// A meter finds all streams alike, and remembers what it measured.
type meter struct {
	found probe.Result
	mu    sync.Mutex
	asked map[string]probe.Target // by URL
}

func (m *meter) Measure(_ context.Context, t probe.Target) probe.Result {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked[t.URL] = t
	r := m.found
	r.At = time.Now()
	return r
}

// A stage is a catalog with the job that measures it.
type stage struct {
	db      store.DB
	catalog *release.Live
	meter   *meter
	runner  *job.Runner
}

// newStage publishes a dataset, or no catalog when it is nil.
func newStage(t *testing.T, ds *source.Dataset) *stage {
	t.Helper()
	db, err := embedded.Open(filepath.Join(t.TempDir(), "db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	log := slog.New(slog.DiscardHandler)
	archive, blocks := &release.Archive{DB: db, Now: time.Now}, block.NewList(db)
	plays := social.Counted{Channel: "Brisa.br", Ledger: fact.Ledger{Revision: 1}, Counts: social.Counts{Plays: 5, Played: 7}}
	if err := social.ShowCounts(t.Context(), db, social.ShardOf("Brisa.br"), []social.Counted{plays}); err != nil {
		t.Fatal(err)
	}
	for kind, value := range map[string]string{block.Host: "blocked.example", block.Channel: "Calma.br"} {
		b, err := block.New(kind, value, "asked for", time.Now())
		if err == nil {
			err = blocks.Add(t.Context(), b)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	set := overlay.NewSet(db, log, time.Now)
	counts := social.FollowOverlay(t.Context(), set)
	if err := counts.Loaded(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := &stage{db: db, meter: &meter{asked: map[string]probe.Target{}}}
	s.catalog = release.Follow(t.Context(), set, release.Options{Archive: archive, Blocks: blocks})
	load := reload.NewJob(reload.Options{Plan: collect.Plan{Extra: ds}, Archive: archive, Now: time.Now})
	measure := round.NewJob(round.Options{DB: db, Catalog: s.catalog, Plays: counts.Plays, Measurer: s.meter, Now: time.Now})
	s.runner = job.NewRunner(db, log, time.Now, load, measure)
	if ds != nil {
		if _, err := s.runner.Run(t.Context(), reload.Name, job.Order{}); err != nil {
			t.Fatal(err)
		}
		if err := s.catalog.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func (s *stage) probe(t *testing.T, o job.Order) *round.Report {
	t.Helper()
	rep, err := s.runner.Run(t.Context(), round.Name, o)
	if err != nil {
		t.Fatal(err)
	}
	return rep.Result.(*round.Report)
}

// TestProbe measures what the catalog shows and can be measured, once, and
// shows what it found.
func TestProbe(t *testing.T) {
	s := newStage(t, watched)
	s.meter.found = probe.Result{Status: probe.Online, Height: 720, Answered: true, Requests: 3}
	rep := s.probe(t, job.Order{})
	want := []string{"https://aurora.example/live.m3u8", "https://aurora.example/live.mpd", "https://brisa.example/live.ts"}
	if d := cmp.Diff(want, slices.Sorted(maps.Keys(s.meter.asked))); d != "" {
		t.Fatalf("measured (-want +got):\n%s", d)
	}
	if rep.Due != 3 || rep.Kept != 3 || rep.Requests != 9 || rep.Found[probe.Online] != 3 {
		t.Errorf("unexpected report: %+v", rep)
	}
	aurora, brisa := s.meter.asked[want[0]], s.meter.asked[want[2]]
	if aurora.Referrer != "https://aurora.example/" || aurora.UserAgent != "Player/1" || aurora.Kind != "hls" || aurora.Popularity != 0 {
		t.Errorf("%+v", aurora)
	}
	if brisa.Kind != "ts" || brisa.Popularity != 12 {
		t.Errorf("%+v", brisa)
	}
	live := probe.Follow(t.Context(), overlay.NewSet(s.db, slog.New(slog.DiscardHandler), time.Now))
	for url, target := range s.meter.asked {
		if m, ok := live.Look(target.ID); !ok || m.Health.Status != "online" || *m.Health.Resolution != "720p" {
			t.Errorf("%s is shown as %+v", url, m)
		}
	}
	if again := s.probe(t, job.Order{Manual: true}); again.Due != 0 || again.Measured != 0 || again.Targets != 3 {
		t.Errorf("run again: %+v", again)
	}
}

// TestProbeNothing runs before there is a catalog.
func TestProbeNothing(t *testing.T) {
	if rep := newStage(t, nil).probe(t, job.Order{}); rep.Targets != 0 || rep.Measured != 0 {
		t.Errorf("unexpected report: %+v", rep)
	}
}

// TestProbeForced believes that a whole catalog is dead only at the operator's
// word.
func TestProbeForced(t *testing.T) {
	ds := &source.Dataset{}
	for i := range 40 {
		id := string(rune('A'+i/26)) + string(rune('a'+i%26))
		ds.Channels = append(ds.Channels, source.Channel{ID: id + ".br", Name: id, Country: "BR"})
		ds.Streams = append(ds.Streams, source.Stream{Channel: id + ".br", URL: "https://" + id + ".example/live.m3u8"})
	}
	s := newStage(t, ds)
	s.meter.found = probe.Result{Status: probe.Offline, Reason: "no_host", Requests: 1}
	if rep := s.probe(t, job.Order{Manual: true}); rep.Void == "" || rep.Kept != 0 {
		t.Errorf("not forced: %+v", rep)
	}
	if rep := s.probe(t, job.Order{Manual: true, Force: true}); rep.Void != "" || rep.Kept != 40 {
		t.Errorf("forced: %+v", rep)
	}
}
