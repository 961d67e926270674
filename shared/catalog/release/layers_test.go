package release_test

import (
	"context"
	"iter"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/block"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/release"
	"miramundo.dev/shared/overlay"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/embedded"
	"miramundo.dev/shared/store/storetest"
)

// A scores is a layer that has found one stream online with a score.
type scores struct {
	changed chan struct{}
	laid    atomic.Int64 // how often
	during  func()       // runs while it is laid, when set

	mu    sync.Mutex
	score int
	at    time.Time
}

func newScores() *scores { return &scores{changed: make(chan struct{}, 1), at: noon} }

func (s *scores) Changed() <-chan struct{} { return s.changed }

func (s *scores) AddTo(o *index.Overlay) {
	s.laid.Add(1)
	s.mu.Lock()
	m := &catalog.Measurement{OnlineAt: s.at}
	score := s.score
	s.mu.Unlock()
	if s.during != nil {
		s.during()
	}
	m.Health.Status, m.Health.Score = "online", &score
	o.Streams = func(yield func(catalog.StreamID, *catalog.Measurement) bool) { yield(1, m) }
}

func (s *scores) set(score int) {
	s.mu.Lock()
	s.score = score
	s.mu.Unlock()
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// A laidLogos is a layer that gives C0.br a logo.
type laidLogos struct{ changed chan struct{} }

func (l laidLogos) Changed() <-chan struct{} { return l.changed }

func (l laidLogos) AddTo(o *index.Overlay) {
	o.Logos = func(yield func(channel, logo string) bool) { yield("C0.br", "logo") }
}

// health returns what l shows of C0.br, the channel of stream 1.
func health(t *testing.T, l *release.Live) catalog.MeasuredHealth {
	t.Helper()
	v, err := l.View()
	if err != nil {
		t.Fatal(err)
	}
	item, ok := v.Item("C0.br", 0)
	if !ok || item.HealthExt == nil {
		t.Fatalf("C0.br is %+v", item)
	}
	return *item.HealthExt
}

// score returns what l shows as the score of C0.br.
func score(t *testing.T, l *release.Live) int {
	t.Helper()
	return *health(t, l).Score
}

// A still is a database whose watches say nothing, so that a fake clock goes on
// without reading files: what is written is shown by Refresh.
type still struct{ store.DB }

func (still) Watch(ctx context.Context, _ store.Path) iter.Seq2[store.Doc, error] {
	return func(func(store.Doc, error) bool) { <-ctx.Done() }
}

func (still) WatchQuery(ctx context.Context, _ store.Query) iter.Seq2[[]store.Doc, error] {
	return func(func([]store.Doc, error) bool) { <-ctx.Done() }
}

// layered runs f under a fake clock with a Live of two layers, whose changes
// wait for pause, on a database with one release.
func layered(t *testing.T, pause time.Duration, f func(t *testing.T, db *storetest.Switch, l *release.Live, s *scores)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := newScores()
		file, err := embedded.Open(filepath.Join(t.TempDir(), "db"))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		db := storetest.NewSwitch(still{file})
		a := &release.Archive{DB: db, Now: clock}
		mustPublish(t, a, edition(t, "first", 3))
		ctx, cancel := context.WithCancel(t.Context())
		l := release.Follow(ctx, overlay.NewSet(db, slog.New(slog.DiscardHandler), clock), release.Options{
			Archive: a, Blocks: block.NewList(db), Pause: pause,
			Layers: []release.Layer{s, laidLogos{make(chan struct{}, 1)}},
		})
		f(t, db, l, s)
		cancel()
		synctest.Wait() // for all that Follow began: what stays fails the test
	})
}

// TestLayers shows what layers know at once, and what changes after the pause,
// a burst of changes as one.
func TestLayers(t *testing.T) {
	layered(t, 0, func(t *testing.T, _ *storetest.Switch, l *release.Live, s *scores) {
		if got := health(t, l); *got.Score != 0 || !got.Online {
			t.Errorf("at first %+v", got)
		}
		v, _ := l.View()
		if item, _ := v.Item("C0.br", 0); item.LogoURL == nil {
			t.Error("the second layer is not shown")
		}
		before := s.laid.Load()
		for i := range 50 {
			s.set(20 + i)
			time.Sleep(100 * time.Millisecond)
		}
		synctest.Wait()
		if got := score(t, l); got != 0 {
			t.Errorf("after 5 s of changes it shows %d", got)
		}
		time.Sleep(3*time.Second + time.Millisecond)
		synctest.Wait()
		if got := score(t, l); got != 69 {
			t.Errorf("after 8 s it shows %d", got)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if n := s.laid.Load() - before; n > 2 {
			t.Errorf("a burst costs %d swaps", n)
		}
	})
}

// TestLayersPause changes a layer all the time: there are never two swaps within
// the pause, and no change takes longer than twice the pause.
func TestLayersPause(t *testing.T) {
	const pause = 4 * time.Second
	layered(t, pause, func(t *testing.T, _ *storetest.Switch, l *release.Live, s *scores) {
		before := s.laid.Load()
		const seconds = 100
		for i := range seconds {
			s.set(i)
			time.Sleep(time.Second)
			synctest.Wait()
			if got := score(t, l); got < i-int(2*pause/time.Second) {
				t.Fatalf("after %d s it shows what was known at %d s", i+1, got)
			}
		}
		if n := s.laid.Load() - before; n > seconds/int64(pause/time.Second) {
			t.Errorf("%d swaps in %d s", n, seconds)
		}
	})
}

// TestLayerMeanwhile changes a layer while it is laid: the change is shown too.
func TestLayerMeanwhile(t *testing.T) {
	layered(t, time.Second, func(t *testing.T, _ *storetest.Switch, l *release.Live, s *scores) {
		time.Sleep(time.Minute)
		s.during = sync.OnceFunc(func() { s.set(2) })
		s.set(1)
		time.Sleep(time.Second + time.Millisecond)
		synctest.Wait()
		if got := score(t, l); got != 1 {
			t.Errorf("after the pause it shows %d", got)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if got := score(t, l); got != 2 {
			t.Errorf("what changed meanwhile is shown as %d", got)
		}
	})
}

// TestLayersOtherSwap blocks a channel in the pause: that shows the layers too,
// and there is nothing left to swap for.
func TestLayersOtherSwap(t *testing.T) {
	layered(t, time.Minute, func(t *testing.T, db *storetest.Switch, l *release.Live, s *scores) {
		time.Sleep(time.Hour)
		s.set(7)
		synctest.Wait()
		before := s.laid.Load()
		b, err := block.New(block.Channel, "C1.br", "test", noon)
		if err != nil {
			t.Fatal(err)
		}
		if err := block.NewList(db).Add(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		if err := l.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := score(t, l); got != 7 {
			t.Errorf("under the block it shows %d", got)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if n := s.laid.Load() - before; n != 1 {
			t.Errorf("a block and a change cost %d swaps", n)
		}
	})
}

// TestLayersProblem changes a layer while the database is away: the change is
// shown, and so is the problem.
func TestLayersProblem(t *testing.T) {
	layered(t, time.Second, func(t *testing.T, db *storetest.Switch, l *release.Live, s *scores) {
		db.Off()
		if err := l.Refresh(t.Context()); err == nil {
			t.Error("Refresh without a database is no error")
		}
		before := l.State()
		s.set(9)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if got := score(t, l); got != 9 {
			t.Errorf("without a database it shows %d", got)
		}
		if after := l.State(); before.Problem == "" || after != before {
			t.Errorf("the state was %+v and is %+v", before, after)
		}
	})
}

// TestLayersBeforeRelease has layers that change before there is anything to
// show.
func TestLayersBeforeRelease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScores()
		file, err := embedded.Open(filepath.Join(t.TempDir(), "db"))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		db := still{file}
		ctx, cancel := context.WithCancel(t.Context())
		a := &release.Archive{DB: db, Now: clock}
		l := release.Follow(ctx, overlay.NewSet(db, slog.New(slog.DiscardHandler), clock), release.Options{Archive: a, Blocks: block.NewList(db), Layers: []release.Layer{s}})
		s.set(5)
		time.Sleep(time.Minute)
		synctest.Wait()
		if v, err := l.View(); err == nil {
			t.Errorf("shows %s of nothing", v.Version())
		}
		mustPublish(t, a, edition(t, "first", 3))
		if err := l.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := score(t, l); got != 5 {
			t.Errorf("shows %d", got)
		}
		cancel()
		synctest.Wait()
	})
}

// TestOnlineSince counts a channel as online by when the sources were last
// confirmed, and counts anew when they are.
func TestOnlineSince(t *testing.T) {
	layered(t, time.Second, func(t *testing.T, db *storetest.Switch, l *release.Live, s *scores) {
		s.mu.Lock()
		s.at = noon.Add(-catalog.StaleAfter + time.Second) // the release is of noon
		s.mu.Unlock()
		s.set(1)
		time.Sleep(time.Minute)
		synctest.Wait()
		if !health(t, l).Online {
			t.Error("a channel that was online 48 h before the reload, less a second, is not online")
		}
		p, err := (&release.Archive{DB: db, Now: clock}).Current(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		p.SyncedAt = store.At(noon.Add(time.Second))
		if err := db.Set(t.Context(), "catalog/current", p); err != nil {
			t.Fatal(err)
		}
		if err := l.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		if health(t, l).Online {
			t.Error("a channel that was online 48 h before the reload is online")
		}
	})
}
