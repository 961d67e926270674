package reload_test

import (
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"miramundo.dev/shared/blob"
	"miramundo.dev/shared/catalog/release"
	"miramundo.dev/shared/catalog/reload"
	"miramundo.dev/shared/job"
	"miramundo.dev/shared/source"
	"miramundo.dev/shared/source/collect"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/embedded"
)

var dataset = &source.Dataset{
	Channels: []source.Channel{{ID: "Aurora.br", Name: "Aurora", Country: "BR"}},
	Streams:  []source.Stream{{Channel: "Aurora.br", URL: "https://aurora.example/live.m3u8"}},
}

// TestUnreadable reloads over a release that cannot be read, such as one in
// another version's format: only a forced run replaces it.
func TestUnreadable(t *testing.T) {
	db, err := embedded.Open(filepath.Join(t.TempDir(), "db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	archive := &release.Archive{DB: db, Now: time.Now}
	j := reload.NewJob(reload.Options{Plan: collect.Plan{Extra: dataset}, Archive: archive, Now: time.Now})
	runner := job.NewRunner(db, slog.New(slog.DiscardHandler), time.Now, j)
	run := func(o job.Order) (*reload.Report, error) {
		rep, err := runner.Run(t.Context(), reload.Name, o)
		return rep.Result.(*reload.Report), err
	}
	first, err := run(job.Order{})
	if err != nil || !first.Shown {
		t.Fatalf("the first reload: %+v, %v", first, err)
	}
	if err := blob.Put(t.Context(), db, store.Path("snapshots").Join(first.Version), []byte("of another format")); err != nil {
		t.Fatal(err)
	}
	for _, o := range []job.Order{{}, {Manual: true}} {
		if got, err := run(o); err == nil || got.Shown || !strings.Contains(err.Error(), "a forced reload replaces it") {
			t.Errorf("%+v: shown %v, %v", o, got.Shown, err)
		}
	}
	if got, err := run(job.Order{Manual: true, Force: true}); err != nil || !got.Shown || got.Lost == "" || got.Version != first.Version {
		t.Errorf("forced: %+v, %v", got, err)
	}
	if got, err := run(job.Order{}); err != nil || !got.Shown || got.Lost != "" {
		t.Errorf("after that: %+v, %v", got, err)
	}
}

// TestTakenOver has another process take over the lease while a reload builds, as
// after a suspension: what the reload built is not shown.
func TestTakenOver(t *testing.T) {
	db, err := embedded.Open(filepath.Join(t.TempDir(), "db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	archive := &release.Archive{DB: db, Now: time.Now}
	takeOver := func() time.Time { // the register is dated when it is built
		lease := map[string]any{"holder": "another run", "until": store.At(time.Now().Add(time.Minute))}
		if err := db.Set(t.Context(), store.Path("leases").Join(reload.Name), lease); err != nil {
			t.Error(err)
		}
		return time.Now()
	}
	j := reload.NewJob(reload.Options{Plan: collect.Plan{Extra: dataset}, Archive: archive, Now: takeOver})
	_, err = job.NewRunner(db, slog.New(slog.DiscardHandler), time.Now, j).Run(t.Context(), reload.Name, job.Order{})
	if !errors.Is(err, job.ErrLost) {
		t.Errorf("the reload ends with %v, want ErrLost", err)
	}
	if p, err := archive.Current(t.Context()); !errors.Is(err, release.ErrNoVersion) {
		t.Errorf("it shows %+v, %v", p, err)
	}
}
