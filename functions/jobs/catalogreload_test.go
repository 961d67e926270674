package jobs_test

import (
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"miramundo.dev/functions/jobs"
	"miramundo.dev/shared/blob"
	"miramundo.dev/shared/catalog/release"
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

// TestUnreadable reloads over a release that cannot be read, as one of another
// program's format: the clock leaves it, and the operator's word replaces it.
func TestUnreadable(t *testing.T) {
	db, err := embedded.Open(filepath.Join(t.TempDir(), "db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	archive := &release.Archive{DB: db, Now: time.Now}
	c := &jobs.CatalogReload{Plan: collect.Plan{Extra: dataset}, Archive: archive, Now: time.Now}
	runner := job.NewRunner(db, slog.New(slog.DiscardHandler), time.Now, c.Job())
	reload := func(o job.Order) (*jobs.ReloadReport, error) {
		rep, err := runner.Run(t.Context(), "catalog-reload", o)
		return rep.Result.(*jobs.ReloadReport), err
	}
	first, err := reload(job.Order{})
	if err != nil || !first.Shown {
		t.Fatalf("the first reload: %+v, %v", first, err)
	}
	if err := blob.Put(t.Context(), db, store.Path("snapshots").Join(first.Version), []byte("of another format")); err != nil {
		t.Fatal(err)
	}
	for _, o := range []job.Order{{}, {Manual: true}} {
		if got, err := reload(o); err == nil || got.Shown {
			t.Errorf("%+v: shown %v, %v", o, got.Shown, err)
		}
	}
	if got, err := reload(job.Order{Manual: true, Force: true}); err != nil || !got.Shown || got.Lost == "" || got.Version != first.Version {
		t.Errorf("forced: %+v, %v", got, err)
	}
	if got, err := reload(job.Order{}); err != nil || !got.Shown || got.Lost != "" {
		t.Errorf("after that: %+v, %v", got, err)
	}
}
