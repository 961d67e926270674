package release_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"miramundo.dev/shared/blob"
	"miramundo.dev/shared/catalog/block"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/rank"
	"miramundo.dev/shared/catalog/release"
	"miramundo.dev/shared/overlay"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/embedded"
	"miramundo.dev/shared/store/storetest"
)

// hooked is a database beside which something happens: once, at the first call
// of a kind on a path that begins with at, unless it is to wait.
type hooked struct {
	store.DB
	kind, at string
	wait     atomic.Bool // set until it may happen, and again when it has
	do       func()
}

func (h *hooked) hook(kind string, p store.Path) {
	if kind == h.kind && strings.HasPrefix(string(p), h.at) && h.wait.CompareAndSwap(false, true) {
		h.do()
	}
}

func (h *hooked) Set(ctx context.Context, p store.Path, doc any) error {
	h.hook("set", p)
	return h.DB.Set(ctx, p, doc)
}

func (h *hooked) Get(ctx context.Context, p store.Path, doc any) error {
	h.hook("get", p)
	return h.DB.Get(ctx, p, doc)
}

func (h *hooked) Query(ctx context.Context, q store.Query) iter.Seq2[store.Doc, error] {
	return func(yield func(store.Doc, error) bool) {
		h.hook("query", q.Collection)
		var docs []store.Doc
		for d, err := range h.DB.Query(ctx, q) {
			if err != nil {
				yield(d, err)
				return
			}
			docs = append(docs, d)
		}
		h.hook("queried", q.Collection)
		for _, d := range docs {
			if !yield(d, nil) {
				return
			}
		}
	}
}

// TestRollbackMeanwhile goes back while a reload publishes: the operator's
// word is not lost.
func TestRollbackMeanwhile(t *testing.T) {
	for _, word := range []release.Override{{}, {Manual: true}, {Manual: true, Force: true}} {
		db := open(t)
		a := &release.Archive{DB: db, Now: clock}
		good, bad, next := edition(t, "good", 3), edition(t, "bad", 3), edition(t, "next", 3)
		mustPublish(t, a, good)
		mustPublish(t, a, bad)
		during := &hooked{DB: db, kind: "set", at: "snapshots/", do: func() {
			if _, err := a.Rollback(t.Context(), good.Version()); err != nil {
				t.Error(err)
			}
		}}
		shown, err := publish(t.Context(), &release.Archive{DB: during, Now: clock}, next, word)
		if shown || (err != nil) != word.Manual {
			t.Errorf("%+v: Publish = %v, %v", word, shown, err)
		}
		if p, err := a.Current(t.Context()); err != nil || p.Version != good.Version() || !p.Held {
			t.Errorf("%+v: the rollback is lost: %+v, %v", word, p, err)
		}
	}
}

// TestTwoReloads publishes while another process does: neither loses to one
// that was compared with an older release.
func TestTwoReloads(t *testing.T) {
	db := open(t)
	a := &release.Archive{DB: db, Now: clock}
	first, slow, quick := edition(t, "first", 3), edition(t, "slow", 3), edition(t, "quick", 3)
	mustPublish(t, a, first)
	during := &release.Archive{Now: clock, DB: &hooked{DB: db, kind: "set", at: "snapshots/", do: func() { mustPublish(t, a, quick) }}}
	if shown, err := publish(t.Context(), during, slow, release.Override{}); shown || err == nil {
		t.Errorf("Publish = %v, %v", shown, err)
	}
	if !shows(follow(t.Context(), db), quick) {
		t.Error("the quicker reload is not shown")
	}
}

// TestPruneMeanwhile goes back to the oldest release when it is about to be
// pruned.
func TestPruneMeanwhile(t *testing.T) {
	db := open(t)
	now := noon
	a := &release.Archive{DB: db, Now: func() time.Time { now = now.Add(time.Hour); return now }}
	oldest := edition(t, "oldest", 3)
	mustPublish(t, a, oldest)
	for i := range 4 {
		mustPublish(t, a, edition(t, fmt.Sprint("e", i), 3))
	}
	during := &release.Archive{Now: a.Now, DB: &hooked{DB: db, kind: "query", at: "releases", do: func() {
		if _, err := a.Rollback(t.Context(), oldest.Version()); err != nil {
			t.Error(err)
		}
	}}}
	if _, err := publish(t.Context(), during, edition(t, "last", 3), release.Override{}); err != nil {
		t.Fatal(err)
	}
	if !shows(follow(t.Context(), db), oldest) {
		t.Error("what is shown has been pruned")
	}
}

// TestAdrift leaves a snapshot that no release names: it stays for a day, since
// its Publish may be under way, and no longer.
func TestAdrift(t *testing.T) {
	db := open(t)
	if err := blob.Put(t.Context(), db, "snapshots/0123", []byte("of a Publish that was stopped")); err != nil {
		t.Fatal(err)
	}
	for i, test := range []struct {
		later time.Duration
		want  int
	}{{time.Hour, 2}, {25 * time.Hour, 2}, {26 * time.Hour, 3}} {
		a := &release.Archive{DB: db, Now: func() time.Time { return time.Now().Add(test.later) }}
		mustPublish(t, a, edition(t, fmt.Sprint("e", i), 3))
		if n, err := db.Count(t.Context(), store.Query{Collection: "snapshots"}); err != nil || n != test.want {
			t.Errorf("%d snapshots after %v, %v, want %d", n, test.later, err, test.want)
		}
	}
}

// TestGuardPlayable refuses a release in which all is there but little plays.
func TestGuardPlayable(t *testing.T) {
	a := &release.Archive{DB: open(t), Now: clock}
	for i, playable := range []int{80, 70, 10} {
		ix := edition(t, fmt.Sprint("e", i), 100)
		data, err := ix.Encode()
		if err != nil {
			t.Fatal(err)
		}
		r := release.Release{Version: ix.Version(), Channels: ix.Len(), Playable: playable}
		_, err = a.Publish(t.Context(), r, data, release.Pointer{}, release.Override{})
		if refused := playable == 10; errors.Is(err, release.ErrRefused) != refused {
			t.Errorf("%d of 100 play: %v", playable, err)
		}
	}
}

// blocked reports whether l shows a catalog without C0.br.
func blocked(l *release.Live) bool {
	v, err := l.View()
	if err != nil {
		return false
	}
	_, there := v.Channel("C0.br", 0, rank.Caller{})
	return !there
}

func addBlock(t *testing.T, db store.DB) {
	t.Helper()
	b, err := block.New(block.Channel, "C0.br", "test", noon)
	if err != nil {
		t.Fatal(err)
	}
	if err := block.NewList(db).Add(t.Context(), b); err != nil {
		t.Fatal(err)
	}
}

// TestBlockWhileLoading blocks a channel while a release is loading, which may
// take long: the block is shown at once.
func TestBlockWhileLoading(t *testing.T) {
	db := open(t)
	a := &release.Archive{DB: db, Now: clock}
	first, second := edition(t, "first", 3), edition(t, "second", 3)
	mustPublish(t, a, first)
	loading, proceed := make(chan struct{}), make(chan struct{})
	h := &hooked{DB: db, kind: "get", at: "snapshots/" + second.Version(), do: func() { close(loading); <-proceed }}
	l := follow(t.Context(), h)
	mustPublish(t, a, second)
	<-loading
	addBlock(t, db)
	eventually(t, "the block is shown while a release loads", func() bool { return blocked(l) && shows(l, first) })
	close(proceed)
	eventually(t, "the release is shown under the block", func() bool { return blocked(l) && shows(l, second) })
}

// TestLateRefresh reads the blocks, and shows what it has read after another
// block came: that one is not undone.
func TestLateRefresh(t *testing.T) {
	db := open(t)
	mustPublish(t, &release.Archive{DB: db, Now: clock}, edition(t, "first", 3))
	var l *release.Live
	refreshed := make(chan error, 1)
	h := &hooked{DB: db, kind: "queried", at: "blocks", do: func() {
		addBlock(t, db)
		go func() { refreshed <- l.Refresh(t.Context()) }()
		// Who shows the block now must not show what was read before it later.
		select {
		case err := <-refreshed:
			refreshed <- err
		case <-time.After(20 * time.Millisecond):
		}
	}}
	h.wait.Store(true)
	ctx, cancel := context.WithCancel(t.Context())
	l = follow(ctx, h)
	cancel() // it follows no more: nothing repairs what a Refresh spoils
	h.wait.Store(false)
	if err := errors.Join(l.Refresh(t.Context()), <-refreshed); err != nil {
		t.Fatal(err)
	}
	if !blocked(l) {
		t.Error("the block is undone")
	}
}

// TestDatabaseComes starts without a database: when it comes, and holds no
// release, nothing is said to be wrong.
func TestDatabaseComes(t *testing.T) {
	db := open(t)
	db.Off()
	l := follow(t.Context(), db)
	if l.State().Problem == "" {
		t.Error("without a database there is no problem")
	}
	db.On()
	eventually(t, "no problem", func() bool { return l.State().Problem == "" })
	var none *index.View
	if v, err := l.View(); v != none || err == nil {
		t.Errorf("View = %v, %v", v, err)
	}
}

// forgetful is a database that knows of no blocks for now.
type forgetful struct {
	store.DB
	off atomic.Bool
}

var errForgot = errors.New("no answer")

func (f *forgetful) Query(ctx context.Context, q store.Query) iter.Seq2[store.Doc, error] {
	if f.off.Load() {
		return func(yield func(store.Doc, error) bool) { yield(store.Doc{}, errForgot) }
	}
	return f.DB.Query(ctx, q)
}

func (f *forgetful) WatchQuery(ctx context.Context, q store.Query) iter.Seq2[[]store.Doc, error] {
	if f.off.Load() {
		return func(yield func([]store.Doc, error) bool) { yield(nil, errForgot) }
	}
	return f.DB.WatchQuery(ctx, q)
}

// TestBlocksUnknown starts on a database that answers for the release and not for
// the blocks: nothing is shown until it is known what must not be.
func TestBlocksUnknown(t *testing.T) {
	db := open(t)
	ix := edition(t, "first", 3)
	mustPublish(t, &release.Archive{DB: db, Now: clock}, ix)
	addBlock(t, db)
	f := &forgetful{DB: db}
	f.off.Store(true)
	loaded := make(chan struct{})
	l := follow(t.Context(), &hooked{DB: f, kind: "get", at: "snapshots/", do: func() { close(loaded) }})
	<-loaded
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for range 20 {
		<-tick.C
		if v, err := l.View(); err == nil {
			t.Fatalf("shows %s without its blocks", v.Version())
		}
	}
	f.off.Store(false)
	eventually(t, "the release is shown under the block", func() bool { return shows(l, ix) && blocked(l) })
}

// TestBlockMuted blocks a channel while no watch delivers anything, as in a
// container without a processor between requests: ten seconds later the first
// answer shows the block, for one read of each head and those of the blocks.
func TestBlockMuted(t *testing.T) {
	db := open(t)
	mustPublish(t, &release.Archive{DB: db, Now: clock}, edition(t, "first", 3))
	line := storetest.NewLine(db)
	meter := storetest.NewMeter(line)
	now := noon
	set := overlay.NewSet(meter, slog.New(slog.DiscardHandler), func() time.Time { return now })
	line.Mute()
	l := release.Follow(t.Context(), set, release.Options{Archive: &release.Archive{DB: meter, Now: clock}, Blocks: block.NewList(meter)})
	addBlock(t, db)
	now = now.Add(overlay.MaxAge + time.Second)
	before := meter.Ops()
	if err := set.Confirm(t.Context()); err != nil || !blocked(l) {
		t.Errorf("blocked: %v, %v", blocked(l), err)
	}
	if ops := meter.Ops().Less(before); ops != (storetest.Ops{Reads: 2 + 1 + 1}) {
		t.Errorf("that costs %+v", ops)
	}
}

// TestFrozen loses the connection without an error: what is shown stays, and is
// known to be old.
func TestFrozen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		file, err := embedded.Open(filepath.Join(t.TempDir(), "db"))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		first := edition(t, "first", 3)
		mustPublish(t, &release.Archive{DB: file, Now: clock}, first)
		line := storetest.NewLine(still{file})
		set := overlay.NewSet(line, slog.New(slog.DiscardHandler), time.Now)
		ctx, cancel := context.WithCancel(t.Context())
		l := release.Follow(ctx, set, release.Options{Archive: &release.Archive{DB: line, Now: clock}, Blocks: block.NewList(line)})
		line.Freeze()
		addBlock(t, file)
		time.Sleep(time.Minute)
		if err := set.Confirm(ctx); err == nil {
			t.Error("a frozen connection confirms what is shown")
		}
		var names []string
		for _, lag := range set.Stale(time.Now()) {
			names = append(names, lag.Name)
		}
		if !shows(l, first) || blocked(l) || !slices.Equal(names, []string{"blocks", "catalog"}) {
			t.Errorf("shows the first: %v, blocked: %v, stale: %q", shows(l, first), blocked(l), names)
		}
		line.Thaw()
		time.Sleep(overlay.MaxAge)
		if err := set.Confirm(ctx); err != nil || !blocked(l) || len(set.Stale(time.Now())) > 0 {
			t.Errorf("after that: blocked %v, stale %v, %v", blocked(l), set.Stale(time.Now()), err)
		}
		cancel()
		synctest.Wait()
	})
}
