// Package reload is the job that rebuilds the catalog from its sources.
//
// A run reads every source and the release that is shown, builds a register
// from both, packs it into a snapshot and publishes that as a release. Nothing
// that readers see changes before the last step, so a run may be stopped at any
// point. The previous release is needed because streams keep their ids across
// releases.
package reload

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

// Name is the name of the job.
const Name = "catalog-reload"

// Options are what the job needs.
type Options struct {
	Plan    collect.Plan    // the sources
	Collect collect.Options // how they are read
	Archive *release.Archive
	Now     func() time.Time
}

// A Report is the result of a reload.
type Report struct {
	Version string           `json:"version"`  // of the snapshot built
	Shown   bool             `json:"shown"`    // the catalog shows it now
	Held    bool             `json:"held"`     // it was not shown because a rollback holds the catalog
	Refused map[string]any   `json:"refused"`  // why it was not shown; null when it was not refused
	Bytes   int              `json:"bytes"`    // of the snapshot as stored
	Built   *build.Report    `json:"built"`    // what the sources gave
	Changes *release.Diff    `json:"changes"`  // compared with the previous release; null the first time
	Lost    string           `json:"lost"`     // why the previous release could not be read, when a forced reload goes on without it
	Files   []FileReport     `json:"files"`    // how each source file fared
	Steps   map[string]int64 `json:"steps_ms"` // milliseconds that each step took
}

// A FileReport is the result of reading one source file.
type FileReport struct {
	Name      string     `json:"name"`
	Location  string     `json:"location"`
	Problem   string     `json:"problem"` // empty when the file is good
	Kept      bool       `json:"kept"`    // the last good body was used instead
	Items     int        `json:"itens"`
	Skipped   int        `json:"skipped"`
	Bytes     int64      `json:"bytes"`
	FetchedAt store.Time `json:"fetched_at"`
	SHA256    string     `json:"sha256"`
}

// NewJob returns the job that reads the sources of o.Plan and publishes the
// catalog built from them. Its result is a *[Report].
//
// A forced run accepts source files that lost most of their records, publishes
// a release that the archive would refuse, and goes on when the previous
// release cannot be read.
func NewJob(o Options) job.Job {
	return job.Job{Name: Name, Run: func(ctx context.Context, order job.Order) (any, error) {
		r := &run{Options: o, order: order, report: &Report{Steps: map[string]int64{}}}
		return r.report, r.do(ctx)
	}}
}

// A run is one run of the job.
type run struct {
	Options
	order  job.Order
	report *Report
	mu     sync.Mutex // guards report.Steps
}

func (r *run) do(ctx context.Context) error {
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

// read reads the current release and the sources concurrently.
func (r *run) read(ctx context.Context) (before *release.Before, ds *source.Dataset, err error) {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() (err error) { before, err = r.before(ctx); return err })
	group.Go(func() (err error) { ds, err = r.collect(ctx); return err })
	err = group.Wait()
	return before, ds, err
}

// step runs f and records how long it took.
func (r *run) step(name string, f func()) {
	start := time.Now()
	f()
	took := time.Since(start).Milliseconds()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.report.Steps[name] = took
}

// before returns what a reload needs of the current release; nil when there is
// none yet. A release that is stored but cannot be read is an error unless the
// run is forced, since without it the ids of streams would change.
func (r *run) before(ctx context.Context) (before *release.Before, err error) {
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

// pack encodes reg as a snapshot.
func (r *run) pack(reg *catalog.Register) (data []byte, err error) {
	var c *snapshot.Columns
	r.step("pack", func() { c, err = snapshot.Pack(reg) })
	if err != nil {
		return nil, fmt.Errorf("pack the register: %w", err)
	}
	r.step("encode", func() { data, err = c.Encode() })
	r.report.Version, r.report.Bytes = c.Version, len(data)
	return data, err
}

// collect reads the sources. A forced run accepts every file as it is.
func (r *run) collect(ctx context.Context) (ds *source.Dataset, err error) {
	plan := r.Plan
	if r.order.Force {
		plan.Accept = everyFile()
	}
	r.step("collect", func() { ds, err = collect.Load(ctx, plan, r.Collect) })
	return ds, err
}

// register builds the register from the sources, and reports on their files.
func (r *run) register(ds *source.Dataset, before *release.Before) (reg *catalog.Register) {
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

// everyFile returns the names of all source files.
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

// publish stores the snapshot as a release, and shows it unless the archive
// refuses it or a rollback holds the catalog.
func (r *run) publish(ctx context.Context, p release.Pointer, data []byte) error {
	built := r.report.Built
	rel := release.Release{
		Version: r.report.Version, Channels: built.Channels, Stations: built.Stations, Streams: built.Streams, Playable: built.Playable,
	}
	shown, err := r.Archive.Publish(ctx, rel, data, p, release.Override{Force: r.order.Force, Manual: r.order.Manual})
	if errors.Is(err, release.ErrRefused) {
		r.report.Refused = fault.From(err).Fields
	}
	r.report.Shown, r.report.Held = shown, !shown && err == nil
	return err
}

// essential are the files that a catalog cannot be built without.
var essential = []string{"iptv-org/channels", "iptv-org/feeds", "iptv-org/streams", "radio-browser/stations"}

// synced returns the time up to which the catalog reflects its sources: the
// earliest time at which one of the essential files was last fetched.
func synced(sources []catalog.Source) time.Time {
	var at time.Time
	for _, s := range sources {
		if slices.Contains(essential, s.Name) && !s.Missing && (at.IsZero() || s.FetchedAt.Before(at)) {
			at = s.FetchedAt
		}
	}
	return at
}
