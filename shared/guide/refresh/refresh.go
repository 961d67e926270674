// Package refresh is the job that reads the programme guides the operator
// configured, and stores what channels of the catalog broadcast today and
// tomorrow.
//
// A channel is taken whole from the first source that has it. When a source
// fails, is cut off, or has lost most of its channels, what it gave before stays
// until its days are over.
//
// A run may be stopped at any point: a source is noted as read only after what
// it gave is stored, and a noted source is read again only when its file has
// changed. Sources are stored in batches, because a shard holds channels of many
// sources and every instance reads each new version of a shard.
package refresh

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/guide"
	"miramundo.dev/shared/guide/gather"
	"miramundo.dev/shared/guide/match"
	"miramundo.dev/shared/guide/pin"
	"miramundo.dev/shared/guide/setting"
	"miramundo.dev/shared/job"
	"miramundo.dev/shared/origin"
	"miramundo.dev/shared/source/collect"
	"miramundo.dev/shared/store"
)

// Name is the name of the job.
const Name = "guide"

// keepReports is how many reports are stored. A source whose file has not changed is
// not read, and a file changes once a day at most sources: what was found of it then
// is in a report of the last 30 hours.
const keepReports = 30

// Options are what the job needs.
type Options struct {
	DB      store.DB
	Client  *origin.Client
	Sources []setting.Source                              // the preferred ones first
	Catalog func(context.Context) (*match.Matcher, error) // matches the catalog's channels
	Now     func() time.Time

	// Batch is how long the programmes of a source may wait to be stored
	// together with those of the sources read after it. 2 minutes when zero; when
	// negative each source is stored by itself.
	Batch time.Duration

	// The limits of reading one source. When one ends the reading, the source is
	// left as it was, and its report says which.
	MaxBytes  int64         // of its file, as received and unpacked; 300 MiB when zero
	MaxTime   time.Duration // to fetch and read it; 20 seconds when zero
	MaxMemory int64         // bytes for its programmes; 256 MiB when zero
}

// MatcherOf returns a matcher of the channels in ix, with what the register says of
// them besides.
func MatcherOf(ix *index.Index, d *match.Directory) *match.Matcher {
	aliases, _ := ix.Aliases()
	return match.New(listings(ix), aliases, d)
}

// listings yields the names by which guides may call the channels of ix.
func listings(ix *index.Index) iter.Seq[match.Listing] {
	return func(yield func(match.Listing) bool) {
		for _, r := range ix.Records() {
			names := append([]string{r.Name}, r.AltNames...)
			if !yield(match.Listing{ID: r.ID, Names: names, Country: r.Country, Feed: r.FeedName}) {
				return
			}
		}
	}
}

// A Report is the result of a run.
type Report struct {
	Day     string           `json:"day"` // the first of the two
	Sources []SourceReport   `json:"sources"`
	Kept    guide.Kept       `json:"kept"`
	Steps   map[string]int64 `json:"steps_ms"` // milliseconds that each step took
}

// A SourceReport is the result of reading one source.
type SourceReport struct {
	Name      string     `json:"name"`
	Location  string     `json:"location"`            // without the query of a URL, which may hold a secret
	Problem   string     `json:"problem"`             // empty when the source is good
	Limit     string     `json:"limit"`               // that ended the reading: bytes, time, memory or items; empty when none did
	Earlier   int        `json:"earlier"`             // channels that still show what an earlier run read
	Unchanged bool       `json:"unchanged"`           // the file has not changed since it was last read
	Bytes     int64      `json:"bytes"`               // of the file as received
	FetchedAt store.Time `json:"fetched_at,omitzero"` // absent when the source was never fetched
	SHA256    string     `json:"sha256"`
	gather.Found
}

// errAllFailed is the error of a run in which every source failed.
var errAllFailed = errors.New("no source of the guide could be read")

// NewJob returns the job that reads the sources of o. Its result is a
// *[Report]. A forced run reads every source whether or not it has changed, and
// accepts what it gives however little that is.
func NewJob(o Options) job.Job {
	return job.Job{Name: Name, Keep: keepReports, Run: func(ctx context.Context, order job.Order) (any, error) {
		o.limits()
		r := &run{Options: o, order: order, fence: job.Fence(ctx), window: guide.WindowOf(o.Now())}
		r.report = &Report{Day: r.window.From.Format(time.DateOnly), Sources: []SourceReport{}, Steps: map[string]int64{}}
		return r.report, r.do(ctx)
	}}
}

// A run is one run of the job.
type run struct {
	Options
	order   job.Order
	fence   func(store.Tx) error
	window  guide.Window
	matcher *match.Matcher
	pins    []pin.Pin
	state   *guide.State
	report  *Report

	lost  bool // some channel lost its source: one of the later sources may have it
	done  int  // sources processed so far
	batch batch
}

// A batch holds what was read and is not stored yet.
type batch struct {
	since  time.Time // when it was started
	change guide.Change
	notes  map[string]guide.Note
}

func (r *run) do(ctx context.Context) (err error) {
	r.step("catalog", func() { r.matcher, err = r.Catalog(ctx) })
	if err != nil {
		return err
	}
	if r.pins, err = pin.NewList(r.DB).All(ctx); err != nil {
		return err
	}
	r.step("remember", func() { r.state, err = guide.Load(ctx, r.DB, r.window) })
	if err != nil {
		return err
	}
	r.lost = r.state.Broken || r.holdsForeign()
	r.begin()
	failed := 0
	for i := range r.Sources {
		if len(r.batch.notes) > 0 && r.Now().Sub(r.batch.since) >= cmp.Or(r.Batch, 2*time.Minute) {
			if err := r.keep(ctx); err != nil {
				return err
			}
		}
		if !r.source(ctx, &r.Sources[i]) {
			failed++
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if err := r.keep(ctx); err != nil {
		return err
	}
	if failed > 0 && failed == len(r.Sources) {
		return errAllFailed
	}
	return nil
}

// step runs f and adds the time it took to that of the earlier steps of the
// same name.
func (r *run) step(name string, f func()) {
	start := time.Now()
	f()
	r.report.Steps[name] += time.Since(start).Milliseconds()
}

// holdsForeign reports whether a channel shows programmes of a source that is no
// longer configured.
func (r *run) holdsForeign() bool {
	for _, source := range r.state.Held {
		if !slices.Contains(r.names(), source) {
			return true
		}
	}
	return false
}

// names returns the names of the sources, in order.
func (r *run) names() []string {
	names := make([]string, len(r.Sources))
	for i := range r.Sources {
		names[i] = r.Sources[i].Name
	}
	return names
}

// source reads one source and adds what it gives to the batch. It reports
// whether the source is good.
func (r *run) source(ctx context.Context, s *setting.Source) bool {
	rep := SourceReport{Name: s.Name, Location: location(s)}
	var note guide.Note
	var grids map[string]guide.Grid
	var err error
	r.step("read", func() { note, grids, err = r.read(ctx, s, &rep) })
	switch {
	case errors.Is(err, errUnchanged):
		rep.Unchanged, rep.Earlier, err = true, r.holds(s.Name), nil
	case err != nil:
		rep.Problem, rep.Earlier = collect.Problem(err), r.holds(s.Name)
	default:
		r.lost = r.lost || r.givesUp(s.Name, grids)
		r.batch.change.Add(s.Name, grids)
	}
	rep.FetchedAt, rep.SHA256 = note.FetchedAt, note.SHA256
	r.batch.notes[s.Name] = note
	r.done++
	r.report.Sources = append(r.report.Sources, rep)
	return err == nil
}

// holds returns how many channels show programmes of a source.
func (r *run) holds(source string) (n int) {
	for _, of := range r.state.Held {
		if of == source {
			n++
		}
	}
	return n
}

// givesUp reports whether a source no longer has some channel that shows its
// programmes.
func (r *run) givesUp(source string, grids map[string]guide.Grid) bool {
	for channel, of := range r.state.Held {
		if _, has := grids[channel]; of == source && !has {
			return true
		}
	}
	return false
}

// begin starts a new batch.
func (r *run) begin() {
	r.batch = batch{
		since: r.Now(), notes: map[string]guide.Note{},
		change: guide.Change{Window: r.window, Sources: r.names()},
	}
}

// keep stores the batch, then the notes of its sources, and starts another. When
// a channel has lost its source, keep first notes that the sources still to come
// must be read whole: if this run ends here, the next one would not know.
func (r *run) keep(ctx context.Context) (err error) {
	if r.lost && r.done < len(r.Sources) {
		if err := r.note(ctx, nil); err != nil {
			return err
		}
	}
	written := r.report.Kept.Shards
	r.step("keep", func() { r.report.Kept, err = r.batch.change.Keep(ctx, r.DB, r.fence) })
	r.report.Kept.Shards += written
	if err != nil {
		return fmt.Errorf("store the guide: %w", err)
	}
	if err := r.note(ctx, r.batch.notes); err != nil {
		return err
	}
	r.begin()
	return nil
}

// note replaces the notes in fresh, and drops those of sources that are no longer
// configured. When a channel has lost its source, the sources that the run has
// not reached are noted as unread.
func (r *run) note(ctx context.Context, fresh map[string]guide.Note) error {
	names := r.names()
	return guide.KeepNotes(ctx, r.DB, func(old []guide.Note) []guide.Note {
		var notes []guide.Note
		for i, name := range names {
			note, ok := fresh[name]
			if !ok {
				note, ok = noteOf(old, name)
			}
			if r.lost && i >= r.done {
				note.SHA256 = ""
			}
			if ok {
				notes = append(notes, note)
			}
		}
		return notes
	}, r.fence)
}

// noteOf returns the note of a source, and whether notes has one.
func noteOf(notes []guide.Note, name string) (guide.Note, bool) {
	i := slices.IndexFunc(notes, func(n guide.Note) bool { return n.Name == name })
	if i < 0 {
		return guide.Note{Name: name}, false
	}
	return notes[i], true
}
