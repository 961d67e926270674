package release_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/block"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/rank"
	"miramundo.dev/shared/catalog/release"
	"miramundo.dev/shared/overlay"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/embedded"
	"miramundo.dev/shared/store/storetest"
)

var noon = time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC)

func clock() time.Time { return noon }

func open(t *testing.T) *storetest.Switch {
	t.Helper()
	db, err := embedded.Open(filepath.Join(t.TempDir(), "db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return storetest.NewSwitch(db)
}

// edition returns an index of n channels whose names include the edition.
func edition(t *testing.T, name string, n int) *index.Index {
	t.Helper()
	reg := &catalog.Register{BuiltAt: noon}
	for i := range n {
		id := fmt.Sprintf("C%d.br", i)
		reg.Records = append(reg.Records, catalog.Record{
			ID: id, Name: fmt.Sprintf("%s %d", name, i), Country: "BR", Origin: "test",
			Streams: []catalog.StreamRecord{{
				ID: catalog.StreamID(i + 1), URL: fmt.Sprintf("https://h%d.example/live.m3u8", i), Kind: catalog.StreamHLS, Origin: "test", Playable: true,
			}},
		})
	}
	ix, err := index.Build(reg)
	if err != nil {
		t.Fatal(err)
	}
	return ix
}

func publish(ctx context.Context, a *release.Archive, ix *index.Index, w release.Override) (bool, error) {
	data, err := ix.Encode()
	if err != nil {
		return false, err
	}
	return a.Publish(ctx, release.Release{Version: ix.Version(), Channels: ix.Len(), Streams: ix.StreamLen()}, data, release.Pointer{SyncedAt: store.At(noon)}, w)
}

func mustPublish(t *testing.T, a *release.Archive, ix *index.Index) {
	t.Helper()
	if shown, err := publish(t.Context(), a, ix, release.Override{Manual: true}); err != nil || !shown {
		t.Fatalf("publish: %v, %v", shown, err)
	}
}

func follow(ctx context.Context, db store.DB) *release.Live {
	return release.Follow(ctx, overlay.NewSet(db, slog.New(slog.DiscardHandler), clock), release.Options{
		Archive: &release.Archive{DB: db, Now: clock}, Blocks: block.NewList(db), Retry: time.Millisecond,
	})
}

// eventually waits until ok holds of what l shows.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatal("never: " + what)
		}
	}
}

func shows(l *release.Live, ix *index.Index) bool {
	v, err := l.View()
	return err == nil && v.Version() == ix.Version()
}

// TestFollow checks that what is published is shown, by who was there before
// and by who comes later.
func TestFollow(t *testing.T) {
	db := open(t)
	l := follow(t.Context(), db)
	if _, err := l.View(); !errors.Is(err, catalog.ErrNotLoaded) {
		t.Errorf("View before the first release: %v", err)
	}
	if _, ok := l.Synced(); ok {
		t.Error("synced before the first release")
	}
	a := &release.Archive{DB: db, Now: clock}
	for _, name := range []string{"one", "two", "three"} {
		ix := edition(t, name, 3)
		mustPublish(t, a, ix)
		eventually(t, name+" is shown", func() bool { return shows(l, ix) })
		if !shows(follow(t.Context(), db), ix) {
			t.Errorf("who comes later does not see %s", name)
		}
	}
	if at, ok := l.Synced(); !ok || !at.Equal(noon) {
		t.Errorf("Synced = %v, %v", at, ok)
	}
}

// TestGuard checks that a release that would lose much is refused, and what
// lets it pass.
func TestGuard(t *testing.T) {
	a := &release.Archive{DB: open(t), Now: clock}
	big, smaller, tiny, none := edition(t, "big", 100), edition(t, "smaller", 80), edition(t, "tiny", 10), edition(t, "none", 0)
	for _, test := range []struct {
		name    string
		ix      *index.Index
		word    release.Override
		refused bool
	}{
		{"the first, empty", none, release.Override{}, true},
		{"the first", big, release.Override{}, false},
		{"a fifth less", smaller, release.Override{}, false},
		{"a tenth of it", tiny, release.Override{}, true},
		{"a tenth of it, by hand", tiny, release.Override{Manual: true}, true},
		{"empty, forced", none, release.Override{Force: true}, true},
		{"a tenth of it, forced", tiny, release.Override{Force: true}, false},
	} {
		before, _ := a.Current(t.Context())
		shown, err := publish(t.Context(), a, test.ix, test.word)
		if errors.Is(err, release.ErrRefused) != test.refused || shown == test.refused {
			t.Errorf("%s: shown %v, %v", test.name, shown, err)
		}
		if after, _ := a.Current(t.Context()); test.refused && after.Version != before.Version {
			t.Errorf("%s: refused, and yet the pointer moved", test.name)
		}
	}
}

// TestRollback goes back, and checks that reloads on schedule leave it there.
func TestRollback(t *testing.T) {
	db := open(t)
	a, l := &release.Archive{DB: db, Now: clock}, follow(t.Context(), db)
	good, bad, next := edition(t, "good", 3), edition(t, "bad", 3), edition(t, "next", 3)
	mustPublish(t, a, good)
	mustPublish(t, a, bad)
	if _, err := a.Rollback(t.Context(), good.Version()); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the earlier release is shown", func() bool { return shows(l, good) })
	if shown, err := publish(t.Context(), a, next, release.Override{}); shown || err != nil {
		t.Errorf("a reload on schedule was shown over a rollback: %v, %v", shown, err)
	}
	mustPublish(t, a, next)
	eventually(t, "a reload by hand is shown", func() bool { return shows(l, next) })
	for _, version := range []string{"", "0123", "../current", "zz"} {
		if _, err := a.Rollback(t.Context(), version); !errors.Is(err, release.ErrNoVersion) {
			t.Errorf("Rollback(%q) = %v, want ErrNoVersion", version, err)
		}
	}
}

// TestPrune checks that few releases are kept, the current one among them, and
// nothing of the others.
func TestPrune(t *testing.T) {
	db := open(t)
	now := noon
	a := &release.Archive{DB: db, Now: func() time.Time { now = now.Add(time.Hour); return now }}
	var last *index.Index
	for i := range 8 {
		last = edition(t, fmt.Sprint("e", i), 3)
		mustPublish(t, a, last)
	}
	rs, err := a.Releases(t.Context())
	if err != nil || len(rs) != 5 || rs[0].Version != last.Version() {
		t.Fatalf("releases %+v, %v", rs, err)
	}
	n, err := db.Count(t.Context(), store.Query{Collection: "snapshots"})
	if err != nil || n != 5 {
		t.Errorf("%d snapshots, %v, want 5", n, err)
	}
}

// TestInterrupted cuts publishing off after each of its writes. What is shown
// is whole: the old or the new, and publishing again mends it.
func TestInterrupted(t *testing.T) {
	old, next := edition(t, "old", 50), edition(t, "next", 50)
	for writes, done := 0, false; !done; writes++ {
		if writes > 50 {
			t.Fatal("publishing does not end")
		}
		db := open(t)
		a := &release.Archive{DB: db, Now: clock}
		mustPublish(t, a, old)
		db.OffAfter(writes)
		_, err := publish(t.Context(), a, next, release.Override{})
		done = err == nil
		db.On()
		l := follow(t.Context(), db)
		if !shows(l, old) && !shows(l, next) || done && !shows(l, next) {
			t.Fatalf("after %d writes neither the old nor the new is shown: %+v", writes, l.State())
		}
		mustPublish(t, a, next)
		if !shows(follow(t.Context(), db), next) {
			t.Errorf("after %d writes and another try the new is not shown", writes)
		}
	}
}

// TestNoDatabase takes the database away while the catalog is shown.
func TestNoDatabase(t *testing.T) {
	db := open(t)
	a, l := &release.Archive{DB: db, Now: clock}, follow(t.Context(), db)
	first, second := edition(t, "first", 3), edition(t, "second", 3)
	mustPublish(t, a, first)
	eventually(t, "the first is shown", func() bool { return shows(l, first) })
	db.Off()
	if err := l.Refresh(t.Context()); err == nil {
		t.Error("Refresh without a database is no error")
	}
	if !shows(l, first) || l.State().Problem == "" || l.Database(t.Context()) == nil {
		t.Errorf("without a database: shows %v, state %+v", shows(l, first), l.State())
	}
	db.On()
	mustPublish(t, a, second)
	if err := l.Refresh(t.Context()); err != nil || !shows(l, second) || l.State().Problem != "" {
		t.Errorf("with the database back: %v, state %+v", err, l.State())
	}
}

// TestCorrupt checks that a release that cannot be read leaves the old one
// shown.
func TestCorrupt(t *testing.T) {
	db := open(t)
	a, l := &release.Archive{DB: db, Now: clock}, follow(t.Context(), db)
	good := edition(t, "good", 3)
	mustPublish(t, a, good)
	data, err := edition(t, "bad", 3).Encode()
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 1
	if _, err := a.Publish(t.Context(), release.Release{Version: "bad0", Channels: 3}, data, release.Pointer{}, release.Override{}); err != nil {
		t.Fatal(err)
	}
	if err := l.Refresh(t.Context()); err == nil {
		t.Error("a corrupt snapshot was taken")
	}
	if !shows(l, good) || l.State().Problem == "" || l.State().Version != good.Version() {
		t.Errorf("state %+v", l.State())
	}
	if !shows(follow(t.Context(), db), good) {
		// A new instance has nothing to go on showing.
		if _, err := follow(t.Context(), db).View(); !errors.Is(err, catalog.ErrNotLoaded) {
			t.Errorf("a new instance shows %v", err)
		}
	}
	if _, err := a.Rollback(t.Context(), "bad0"); !errors.Is(err, release.ErrNoVersion) {
		t.Errorf("Rollback to a corrupt release = %v, want ErrNoVersion", err)
	}
	if _, err := a.Rollback(t.Context(), good.Version()); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the good one again, without a problem", func() bool { return shows(l, good) && l.State().Problem == "" })
}

// TestReaders reads all the time while releases and blocks come and go.
func TestReaders(t *testing.T) {
	db := open(t)
	a, l := &release.Archive{DB: db, Now: clock}, follow(t.Context(), db)
	mustPublish(t, a, edition(t, "e", 20))
	eventually(t, "the first is shown", func() bool { _, err := l.View(); return err == nil })
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				v, err := l.View()
				if err != nil {
					t.Error(err)
					return
				}
				if _, ok := v.Channel("C0.br", 0, rank.Caller{}); !ok {
					t.Error("a channel is missing during a reload")
					return
				}
				v.Search(index.Query{Selection: filter.Selection{Q: "e", Kind: "tv", Playable: true, Sort: "name"}, Limit: 20}, 0, nil)
			}
		})
	}
	b, err := block.New(block.Channel, "C1.br", "test", noon)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		mustPublish(t, a, edition(t, fmt.Sprint("e", i), 20))
		if err := block.NewList(db).Add(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		if err := l.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		if v, _ := l.View(); v.Len() != 19 {
			t.Errorf("%d channels are shown under a block, want 19", v.Len())
		}
		if err := block.NewList(db).Remove(t.Context(), b.ID); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	readers.Wait()
}

// TestCompare checks what a reload reports.
func TestCompare(t *testing.T) {
	stream := func(n int, url string) catalog.StreamRecord {
		return catalog.StreamRecord{ID: catalog.StreamID(n), URL: "https://x.example/" + url, Kind: catalog.StreamHLS, Origin: "test"}
	}
	before := &catalog.Register{Records: []catalog.Record{
		{ID: "same", Name: "Same", Streams: []catalog.StreamRecord{stream(1, "a"), stream(2, "b")}},
		{ID: "renamed", Name: "Old"},
		{ID: "gone", Name: "Gone", Streams: []catalog.StreamRecord{stream(3, "c")}},
		{ID: "radio", Name: "R", Kind: catalog.Station, Radio: &catalog.Radio{Votes: 1}},
	}}
	next := &catalog.Register{Records: []catalog.Record{
		{ID: "radio", Name: "R", Kind: catalog.Station, Radio: &catalog.Radio{Votes: 2}},
		{ID: "new", Name: "New", Streams: []catalog.StreamRecord{stream(4, "d")}},
		{ID: "renamed", Name: "New name"},
		{ID: "same", Name: "Same", Streams: []catalog.StreamRecord{stream(1, "a"), stream(2, "moved")}},
	}}
	ix, err := index.Build(before)
	if err != nil {
		t.Fatal(err)
	}
	d := release.Remember(ix).Compare(next.Records)
	for _, test := range []struct {
		what                      string
		got                       release.Changes
		came, went, changed, same int
	}{
		{"channels", d.Channels, 1, 1, 1, 1},
		{"stations", d.Stations, 0, 0, 0, 1},
		{"streams", d.Streams, 1, 1, 1, 1},
	} {
		if g := test.got; g.Came != test.came || g.Went != test.went || g.Changed != test.changed || g.Same != test.same {
			t.Errorf("%s: %+v, want came %d, went %d, changed %d, same %d", test.what, g, test.came, test.went, test.changed, test.same)
		}
	}
}
