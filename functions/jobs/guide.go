package jobs

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
	"miramundo.dev/shared/job"
	"miramundo.dev/shared/origin"
	"miramundo.dev/shared/source/collect"
	"miramundo.dev/shared/store"
)

// Guide reads the programme guides that the operator named, and keeps what
// channels of the catalog show today and tomorrow.
//
// The first source that has a channel has it whole. Of a source that fails, is
// not whole, or has lost most of its channels, what it gave before stays until
// it is out of date. It may be stopped at any point: a source is noted as read
// only after what it gave is kept, and one that is noted is read again only when
// it has changed.
type Guide struct {
	DB      store.DB
	Client  *origin.Client
	Sources []guide.Source
	Catalog func(context.Context) (*gather.Matcher, error) // of the channels there are
	Now     func() time.Time

	// Batch is how long what was read may wait until it is kept, together with
	// what is read meanwhile: a shard holds channels of many sources, and each
	// writing of it is read by every instance. 2 minutes when zero; when negative
	// each source is kept by itself.
	Batch time.Duration

	MaxMemory int64 // for the programmes of one source while it is read; 256 MiB when zero
}

// Matcher returns the matcher of the channels that an index has.
func Matcher(ix *index.Index) *gather.Matcher {
	aliases, _ := ix.Aliases()
	return gather.NewMatcher(listings(ix), aliases)
}

func listings(ix *index.Index) iter.Seq[gather.Listing] {
	return func(yield func(gather.Listing) bool) {
		for _, r := range ix.Records() {
			names := append([]string{r.Name}, r.AltNames...)
			if !yield(gather.Listing{ID: r.ID, Names: names, Country: r.Country, Feed: r.FeedName}) {
				return
			}
		}
	}
}

// GuideReport says what a run found and did.
type GuideReport struct {
	Day     string              `json:"day"` // the first of the two
	Sources []GuideSourceReport `json:"sources"`
	Kept    guide.Kept          `json:"kept"`
	Steps   map[string]int64    `json:"steps_ms"` // milliseconds that each step took
}

// GuideSourceReport says how one source fared.
type GuideSourceReport struct {
	Name      string     `json:"name"`
	Location  string     `json:"location"`            // without the query of an address, which may hold a secret
	Problem   string     `json:"problem"`             // empty when all is well
	Earlier   int        `json:"earlier"`             // channels that show what it gave before
	Unchanged bool       `json:"unchanged"`           // it is as it was when it was last read
	Bytes     int64      `json:"bytes"`               // of the file as it came
	FetchedAt store.Time `json:"fetched_at,omitzero"` // absent when never
	SHA256    string     `json:"sha256"`
	gather.Found
}

// errAllFailed ends a run in which no source was good.
var errAllFailed = errors.New("no source of the guide could be read")

// Job returns the job.
func (g *Guide) Job() job.Job {
	return job.Job{Name: "guide", Run: func(ctx context.Context, o job.Order) (any, error) {
		r := &guideRun{Guide: g, order: o, fence: job.Fence(ctx), window: guide.WindowOf(g.Now())}
		r.report = &GuideReport{Day: r.window.From.Format(time.DateOnly), Sources: []GuideSourceReport{}, Steps: map[string]int64{}}
		return r.report, r.run(ctx)
	}}
}

// A guideRun is one run of the job.
type guideRun struct {
	*Guide
	order   job.Order
	fence   func(store.Tx) error
	window  guide.Window
	matcher *gather.Matcher
	state   *guide.State
	report  *GuideReport

	lost  bool // a channel was given up: a source that was not shown may have it
	done  int  // how many sources the run is done with
	batch guideBatch
}

// A guideBatch is what was read and is not yet kept.
type guideBatch struct {
	since  time.Time // when it was begun
	change guide.Change
	notes  map[string]guide.Note
}

func (r *guideRun) run(ctx context.Context) (err error) {
	r.step("catalog", func() { r.matcher, err = r.Catalog(ctx) })
	if err != nil {
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

// step runs f and notes how long it took, with what steps of the name took
// before.
func (r *guideRun) step(name string, f func()) {
	start := time.Now()
	f()
	r.report.Steps[name] += time.Since(start).Milliseconds()
}

// holdsForeign reports whether channels show what a source gave that is none
// any more.
func (r *guideRun) holdsForeign() bool {
	for _, source := range r.state.Held {
		if !slices.Contains(r.names(), source) {
			return true
		}
	}
	return false
}

func (r *guideRun) names() []string {
	names := make([]string, len(r.Sources))
	for i := range r.Sources {
		names[i] = r.Sources[i].Name
	}
	return names
}

// source reads one source and puts what it gives into the batch. It reports
// whether it is good.
func (r *guideRun) source(ctx context.Context, s *guide.Source) bool {
	rep := GuideSourceReport{Name: s.Name, Location: location(s)}
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

// holds returns how many channels show what a source gave before.
func (r *guideRun) holds(source string) (n int) {
	for _, of := range r.state.Held {
		if of == source {
			n++
		}
	}
	return n
}

// givesUp reports whether a source has no longer a channel that shows it.
func (r *guideRun) givesUp(source string, grids map[string]guide.Grid) bool {
	for channel, of := range r.state.Held {
		if _, has := grids[channel]; of == source && !has {
			return true
		}
	}
	return false
}

// begin begins a batch.
func (r *guideRun) begin() {
	r.batch = guideBatch{
		since: r.Now(), notes: map[string]guide.Note{},
		change: guide.Change{Window: r.window, Sources: r.names()},
	}
}

// keep keeps the batch, then notes its sources, and begins another. When a
// channel was given up, it notes first that the sources to come must be read
// whole, for if this run ends here, the next would not know.
func (r *guideRun) keep(ctx context.Context) (err error) {
	if r.lost && r.done < len(r.Sources) {
		if err := r.note(ctx, nil); err != nil {
			return err
		}
	}
	written := r.report.Kept.Shards
	r.step("keep", func() { r.report.Kept, err = r.batch.change.Keep(ctx, r.DB, r.fence) })
	r.report.Kept.Shards += written
	if err != nil {
		return fmt.Errorf("keep the guide: %w", err)
	}
	if err := r.note(ctx, r.batch.notes); err != nil {
		return err
	}
	r.begin()
	return nil
}

// note replaces notes of the sources, and drops those of what is no source any
// more. The sources that the run has not come to are noted as to be read, if a
// channel was given up.
func (r *guideRun) note(ctx context.Context, fresh map[string]guide.Note) error {
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

// noteOf returns the note of a source, and whether there is one.
func noteOf(notes []guide.Note, name string) (guide.Note, bool) {
	i := slices.IndexFunc(notes, func(n guide.Note) bool { return n.Name == name })
	if i < 0 {
		return guide.Note{Name: name}, false
	}
	return notes[i], true
}
