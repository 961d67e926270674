// Package reload is the job that rebuilds the catalog from its sources.
//
// A run reads every source and the release that is shown, builds a register
// from both, packs it into a snapshot and publishes that as a release. Nothing
// that readers see changes before the last step, so a run may be stopped at any
// point. The previous release is needed because streams keep their ids across
// releases.
//
// What is wrong is refused at three places. Package collect refuses the files of
// a source that cannot be right. The register built from the others is compared
// with the current release (package release): when the figures of TV or radio
// are too far below, the source of that kind is replaced by its last good files
// and the register is built again, so that the other kind goes on. A release
// that is refused even so is not published. The files of a source become its
// last good ones only when a release made from them is shown.
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
	"miramundo.dev/shared/store"
)

// Name is the name of the job.
const Name = "catalog-reload"

// keepReports is how many reports of reloads are stored: those of five days, with
// their differences and refusals.
const keepReports = 20

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

	Refusals   []catalog.Refusal `json:"refusals"`   // why files, or the release, were not taken
	Overridden []catalog.Refusal `json:"overridden"` // refusals in spite of which a forced reload took them
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

	Refusals   []catalog.Refusal `json:"refusals"`   // why the file was not taken
	Overridden []catalog.Refusal `json:"overridden"` // refusals in spite of which a forced reload took it
}

// NewJob returns the job that reads the sources of o.Plan and publishes the
// catalog built from them. Its result is a *[Report].
//
// A forced run takes source files and publishes a release that the guards
// refuse, lists in its report what it overrides, and goes on when the previous
// release cannot be read.
func NewJob(o Options) job.Job {
	return job.Job{Name: Name, Keep: keepReports, Run: func(ctx context.Context, order job.Order) (any, error) {
		r := &run{Options: o, order: order, report: &Report{
			Steps: map[string]int64{}, Refusals: []catalog.Refusal{}, Overridden: []catalog.Refusal{},
		}}
		return r.report, r.do(ctx)
	}}
}

// A run is one run of the job.
type run struct {
	Options
	order   job.Order
	report  *Report
	release release.Release // what is published, measured by build
	mu      sync.Mutex      // guards report.Steps
}

func (r *run) do(ctx context.Context) error {
	before, sources, err := r.read(ctx)
	if err != nil {
		return err
	}
	defer func() { r.report.addFiles(sources.Files()) }()
	reg, err := r.build(ctx, sources, before)
	if err != nil {
		return err
	}
	if before != nil {
		r.step("compare", func() { r.report.Changes = before.Compare(reg.Records) })
	}
	p := release.Pointer{
		SyncedAt: store.At(synced(reg.Sources)), Sources: withRefusals(reg.Sources, sources.Files(), r.report.Refusals),
	}
	data, err := r.pack(reg)
	if err != nil {
		return err
	}
	r.step("publish", func() { err = r.publish(ctx, p, data) })
	if r.report.Shown {
		r.step("save", func() { sources.Save(ctx) })
	}
	return err
}

// read reads the current release and the sources concurrently.
func (r *run) read(ctx context.Context) (before *release.Before, sources *collect.Collection, err error) {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() (err error) { before, err = r.before(ctx); return err })
	group.Go(func() (err error) { sources, err = r.collect(ctx); return err })
	err = group.Wait()
	return before, sources, err
}

// build builds the register, and builds it again when a source was left because
// the catalog made from it falls too far below the current release.
func (r *run) build(ctx context.Context, sources *collect.Collection, before *release.Before) (*catalog.Register, error) {
	defer sources.Drop()
	for {
		reg := r.register(sources.Dataset(), before)
		r.measure(reg, before)
		refusals, err := r.Archive.Check(ctx, r.release)
		switch {
		case err != nil:
			return nil, fault.OrUnavailable(err)
		case r.order.Force:
			r.report.Overridden = append(r.report.Overridden, refusals...)
			return reg, nil
		case !leaveSources(ctx, sources, refusals):
			r.report.Refusals = append(r.report.Refusals, refusals...)
			return reg, nil
		}
	}
}

// measure counts what the guards compare with the current release.
func (r *run) measure(reg *catalog.Register, before *release.Before) {
	built := r.report.Built
	r.release = release.Release{Channels: built.Channels, Stations: built.Stations, Streams: built.Streams, Playable: built.Playable}
	for i := range reg.Records {
		switch rec := &reg.Records[i]; {
		case !rec.Playable():
		case rec.Kind == catalog.Station:
			r.release.PlayableStations++
		default:
			r.release.PlayableChannels++
		}
	}
	if before != nil {
		r.release.ChannelIDs, r.release.StationIDs = before.Survive(reg)
	}
}

// leaveSources replaces the sources that refusals are about by their last good
// files, and reports whether it could replace one.
func leaveSources(ctx context.Context, sources *collect.Collection, refusals []catalog.Refusal) (left bool) {
	bySource := map[string][]source.Refusal{}
	for _, refusal := range refusals {
		name := source.Part{Name: refusal.File}.Source()
		bySource[name] = append(bySource[name], source.Refusal(refusal))
	}
	for name, of := range bySource {
		if sources.Leave(ctx, name, of) {
			left = true
		}
	}
	return left
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
	if err != nil {
		err = fmt.Errorf("read the current release, without which ids would be lost; a forced reload replaces it: %w", err)
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

// collect reads the sources. A forced run takes every file that can be read.
func (r *run) collect(ctx context.Context) (sources *collect.Collection, err error) {
	plan := r.Plan
	plan.Force = r.order.Force
	r.step("collect", func() { sources, err = collect.Collect(ctx, plan, r.Collect) })
	return sources, err
}

// register builds the register from the sources.
func (r *run) register(ds *source.Dataset, before *release.Before) (reg *catalog.Register) {
	var old *catalog.Register
	if before != nil {
		old = before.Register
	}
	r.step("build", func() { reg, r.report.Built = build.Register(ds, old, r.Now()) })
	return reg
}

// publish stores the snapshot as a release, and shows it unless the archive
// refuses it, a rollback holds the catalog, or another run has taken over: the ids
// in the snapshot continue a release that may no longer be the current one.
func (r *run) publish(ctx context.Context, p release.Pointer, data []byte) error {
	r.release.Version = r.report.Version
	allowed := release.Override{Force: r.order.Force, Manual: r.order.Manual, Fence: job.Fence(ctx)}
	shown, err := r.Archive.Publish(ctx, r.release, data, p, allowed)
	r.report.Shown, r.report.Held = shown, !shown && err == nil
	if errors.Is(err, release.ErrRefused) {
		r.report.Refused = fault.From(err).Fields
		return errors.Join(err, r.Archive.Note(ctx, p.Sources))
	}
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
