// Package jobs holds the work that runs on a schedule, one file for each job.
package jobs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/build"
	"miramundo.dev/shared/catalog/release"
	"miramundo.dev/shared/catalog/snapshot"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/job"
	"miramundo.dev/shared/source"
	"miramundo.dev/shared/source/collect"
	"miramundo.dev/shared/source/iptvorg"
	"miramundo.dev/shared/source/radiobrowser"
	"miramundo.dev/shared/store"
)

// CatalogReload reads the sources, builds the catalog of them and publishes
// it. It does nothing to what is shown until the last step, so that it may be
// stopped at any point.
type CatalogReload struct {
	Plan    collect.Plan
	Collect collect.Options
	Archive *release.Archive
	Now     func() time.Time
}

// ReloadReport says what a reload found and did.
type ReloadReport struct {
	Version string           `json:"version"`  // of the snapshot built
	Shown   bool             `json:"shown"`    // it is what the catalog shows now
	Held    bool             `json:"held"`     // it was not shown because a rollback holds the catalog
	Refused map[string]any   `json:"refused"`  // why it was not shown; null when it was not refused
	Bytes   int              `json:"bytes"`    // of the snapshot as stored
	Built   *build.Report    `json:"built"`    // what the sources gave
	Changes *release.Diff    `json:"changes"`  // against what was shown before; null the first time
	Lost    string           `json:"lost"`     // why the release before could not be read, when the operator goes on without it
	Files   []FileReport     `json:"files"`    // how each source file fared
	Steps   map[string]int64 `json:"steps_ms"` // milliseconds that each step took
}

// A FileReport says how one source file fared.
type FileReport struct {
	Name      string     `json:"name"`
	Location  string     `json:"location"`
	Problem   string     `json:"problem"` // empty when all is well
	Kept      bool       `json:"kept"`    // the last good body was used instead
	Items     int        `json:"itens"`
	Skipped   int        `json:"skipped"`
	Bytes     int64      `json:"bytes"`
	FetchedAt store.Time `json:"fetched_at"`
	SHA256    string     `json:"sha256"`
}

// Job returns the job.
func (c *CatalogReload) Job() job.Job {
	return job.Job{Name: "catalog-reload", Run: func(ctx context.Context, o job.Order) (any, error) {
		r := &reload{CatalogReload: c, order: o, report: &ReloadReport{Steps: map[string]int64{}}}
		return r.report, r.run(ctx)
	}}
}

// A reload is one run of the job.
type reload struct {
	*CatalogReload
	order  job.Order
	report *ReloadReport
	mu     sync.Mutex // guards report.Steps
}

func (r *reload) run(ctx context.Context) error {
	before, ds, err := r.read(ctx)
	if err != nil {
		return err
	}
	reg := r.register(ds, before)
	if before != nil {
		r.step("compare", func() { r.report.Changes = before.Compare(reg.Records) })
	}
	p := release.Pointer{SyncedAt: store.At(synced(reg.Sources)), Sources: reg.Sources}
	data, err := r.pack(reg)
	if err != nil {
		return err
	}
	r.step("publish", func() { err = r.publish(ctx, p, data) })
	return err
}

// read reads the release that is shown and the sources, at once.
func (r *reload) read(ctx context.Context) (before *release.Before, ds *source.Dataset, err error) {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() (err error) { before, err = r.before(ctx); return err })
	group.Go(func() (err error) { ds, err = r.collect(ctx); return err })
	err = group.Wait()
	return before, ds, err
}

// step runs f and notes how long it took.
func (r *reload) step(name string, f func()) {
	start := time.Now()
	f()
	took := time.Since(start).Milliseconds()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.report.Steps[name] = took
}

// before returns what must be known of the release that is shown, nil before
// the first. A release that is kept but cannot be read is an error, since
// without it the ids of streams would change, until the operator says to go on.
func (r *reload) before(ctx context.Context) (before *release.Before, err error) {
	p, err := r.Archive.Current(ctx)
	if errors.Is(err, release.ErrNoVersion) {
		return nil, nil
	}
	if err != nil {
		return nil, fault.ErrUnavailable.Because(err)
	}
	r.step("remember", func() { before, err = r.Archive.Before(ctx, p.Version) })
	if err != nil && r.order.Force && ctx.Err() == nil {
		r.report.Lost = err.Error()
		return nil, nil
	}
	return before, err
}

// pack makes the snapshot of reg.
func (r *reload) pack(reg *catalog.Register) (data []byte, err error) {
	var c *snapshot.Columns
	r.step("pack", func() { c, err = snapshot.Pack(reg) })
	if err != nil {
		return nil, fmt.Errorf("pack the register: %w", err)
	}
	r.step("encode", func() { data, err = c.Encode() })
	r.report.Version, r.report.Bytes = c.Version, len(data)
	return data, err
}

// collect reads the sources.
func (r *reload) collect(ctx context.Context) (ds *source.Dataset, err error) {
	plan := r.Plan
	if r.order.Force {
		plan.Accept = everyFile()
	}
	r.step("collect", func() { ds, err = collect.Load(ctx, plan, r.Collect) })
	return ds, err
}

// register builds the register of the sources.
func (r *reload) register(ds *source.Dataset, before *release.Before) (reg *catalog.Register) {
	for _, f := range ds.Files {
		r.report.Files = append(r.report.Files, fileReport(f))
	}
	var old *catalog.Register
	if before != nil {
		old = before.Register
	}
	r.step("build", func() { reg, r.report.Built = build.Register(ds, old, r.Now()) })
	return reg
}

func everyFile() []string {
	names := []string{radiobrowser.Part.Name}
	for _, p := range iptvorg.Parts {
		names = append(names, p.Name)
	}
	return names
}

func fileReport(f source.File) FileReport {
	return FileReport{
		Name: f.Name, Location: f.Location, Problem: f.Problem, Kept: f.Kept, Items: f.Items, Skipped: f.Skipped,
		Bytes: f.Bytes, FetchedAt: store.At(f.FetchedAt), SHA256: f.SHA256,
	}
}

func (r *reload) publish(ctx context.Context, p release.Pointer, data []byte) error {
	built := r.report.Built
	rel := release.Release{
		Version: r.report.Version, Channels: built.Channels, Stations: built.Stations, Streams: built.Streams, Playable: built.Playable,
	}
	shown, err := r.Archive.Publish(ctx, rel, data, p, release.Word{Force: r.order.Force, Manual: r.order.Manual})
	if errors.Is(err, release.ErrRefused) {
		r.report.Refused = fault.From(err).Fields
	}
	r.report.Shown, r.report.Held = shown, !shown && err == nil
	return err
}

// essential are the files without which there is no catalog.
var essential = []string{"iptv-org/channels", "iptv-org/feeds", "iptv-org/streams", "radio-browser/stations"}

// synced returns when the catalog was last in step with its sources: when the
// one of the essential files that is oldest was last confirmed.
func synced(sources []catalog.Source) time.Time {
	var at time.Time
	for _, s := range sources {
		if slices.Contains(essential, s.Name) && !s.Missing && (at.IsZero() || s.FetchedAt.Before(at)) {
			at = s.FetchedAt
		}
	}
	return at
}
