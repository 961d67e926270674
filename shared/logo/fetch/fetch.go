// Package fetch is the job that fetches the logos of the catalog's channels and
// stations, and stores the pictures it makes from them.
//
// A run compares the catalog with the ledger of package logo (plan.go), requests
// the sources that are due from several hosts at a time (ask.go), and stores
// what they answered in batches. Sources that a run does not reach are due in the
// next, so a run may be stopped at any point.
//
// A failure counts against a source only when our own network works: a run in
// which nearly no host answers discards its failures and ends.
package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/job"
	"miramundo.dev/shared/logo"
	"miramundo.dev/shared/origin"
	"miramundo.dev/shared/store"
)

// Name is the name of the job.
const Name = "logos"

// Options are what the job needs.
type Options struct {
	DB      store.DB
	Catalog index.Viewer
	Plays   func(channel string) int64 // how often a channel was played; nil when unknown
	Client  *origin.Client
	Own     []string // addresses as "host:port" that are reached without a network
	Now     func() time.Time
	Limits  Limits
}

// Limits bound a run. Each has a default, which its zero value means.
type Limits struct {
	Time    time.Duration // for requests; 20 minutes by default
	Sources int           // URLs requested; 20,000 by default
	Workers int           // requests at a time, at most two of them to one host; 16 by default
	Batch   int           // channels stored at a time; 200 by default
	Answer  time.Duration // for a source to send its file; 10 s by default
}

// A Report is the result of a run.
type Report struct {
	Channels  int            `json:"channels"`  // that have a logo source
	Due       int            `json:"due"`       // URLs that are due
	Asked     int            `json:"asked"`     // of them, the others being left to the next run
	Fetched   int            `json:"fetched"`   // that sent a file
	Unchanged int            `json:"unchanged"` // that answered 304
	Made      map[string]int `json:"made"`      // logos by the format of their source
	Kept      map[string]int `json:"kept"`      // logos by the format they are stored in
	Skipped   map[string]int `json:"skipped"`   // files that no logo can be made from, by reason
	Failed    map[string]int `json:"failed"`    // URLs that failed, by fault
	Lost      int            `json:"lost"`      // channels that are gone or no longer have a source
	Moved     int            `json:"moved"`     // channels whose id changed, which keep their logo
	Deleted   int            `json:"deleted"`   // pictures that no channel has used for 30 days
	BytesIn   int64          `json:"bytes_in"`
	BytesOut  int64          `json:"bytes_out"` // of the logos made
	Left      int            `json:"left"`      // URLs that are still due
	Void      bool           `json:"void"`      // nearly no host answered: failures were not counted

	Steps map[string]int64 `json:"steps_ms"` // milliseconds that each step took
}

// NewJob returns the job that fetches the logos of the channels in o.Catalog.
// Its result is a *[Report]. A forced run counts failures even when nearly no
// host answers.
func NewJob(o Options) job.Job {
	return job.Job{Name: Name, Run: func(ctx context.Context, order job.Order) (any, error) {
		r := &run{Options: o, trust: order.Force, report: &Report{
			Made: map[string]int{}, Kept: map[string]int{}, Skipped: map[string]int{}, Failed: map[string]int{}, Steps: map[string]int64{},
		}}
		return r.report, r.do(ctx)
	}}
}

// A run is one run of the job.
type run struct {
	Options
	report *Report
	ledger *logo.Ledger
	trust  bool // failures count even when nearly no host answers

	pictures map[string]logo.Image  // of the batch, by id
	changes  map[string]*logo.State // of the batch, by channel
	size     int                    // of the pictures, in bytes
	network  origin.Outage
	doubted  []answer // failures that our own network may have caused
}

func (r *run) do(ctx context.Context) error {
	view, err := r.Catalog.View()
	if errors.Is(err, catalog.ErrNotLoaded) {
		return nil // there is nothing to fetch before the first release
	}
	if err != nil {
		return err
	}
	r.step("open", func() {
		r.ledger, r.report.Deleted, err = logo.OpenLedger(ctx, r.DB, r.Now(), job.Fence(ctx))
	})
	if err != nil {
		return fmt.Errorf("open the ledger of logos: %w", err)
	}
	var p *plan
	r.step("plan", func() { p = r.plan(view) })
	r.report.Channels, r.report.Due, r.report.Lost, r.report.Moved = p.channels, p.due, p.lost, p.moved
	if err := r.ledger.Keep(ctx, nil, p.changes, r.Now()); err != nil {
		return fmt.Errorf("store the plan: %w", err)
	}
	r.step("ask", func() { err = r.ask(ctx, p) })
	r.report.Left = r.report.Due - r.report.Asked
	return err
}

// step runs f and records how long it took.
func (r *run) step(name string, f func()) {
	start := time.Now()
	f()
	r.report.Steps[name] = time.Since(start).Milliseconds()
}

// The defaults of Limits, and the most bytes of pictures in a batch.
const (
	defaultTime    = 20 * time.Minute
	defaultSources = 20_000
	defaultWorkers = 16
	defaultBatch   = 200
	defaultAnswer  = 10 * time.Second
	maxBatchBytes  = 8 << 20
)

// ask requests the sources of a plan, and stores their answers in batches. It
// also stores what was answered before ctx ended.
func (r *run) ask(ctx context.Context, p *plan) error {
	within, cancel := context.WithTimeout(ctx, cmp.Or(r.Limits.Time, defaultTime))
	defer cancel()
	r.begin()
	kept := context.WithoutCancel(ctx)
	var failure error
	for a := range r.answers(within, p) {
		if failure != nil || r.report.Void {
			continue // drain the requests under way
		}
		if failure = r.take(kept, a); failure != nil || r.report.Void {
			cancel()
		}
	}
	if failure != nil {
		return failure
	}
	if !r.report.Void {
		r.settle(r.network.Likely(atEnd, fewHosts))
	}
	if err := r.flush(kept); err != nil {
		return err
	}
	return ctx.Err()
}

// begin starts a batch.
func (r *run) begin() {
	r.pictures, r.changes, r.size = map[string]logo.Image{}, map[string]*logo.State{}, 0
}

// flush stores the batch, and starts another.
func (r *run) flush(ctx context.Context) error {
	if err := r.ledger.Keep(ctx, r.pictures, r.changes, r.Now()); err != nil {
		return fmt.Errorf("store logos: %w", err)
	}
	r.begin()
	return nil
}

// take adds an answer to the batch, and stores the batch when it is full.
func (r *run) take(ctx context.Context, a answer) error {
	r.report.Asked++
	r.count(a)
	if a.evidence {
		r.network.Add(a.host, a.reached)
	}
	if a.reached {
		r.apply(a)
	} else {
		r.doubted = append(r.doubted, a)
	}
	if r.network.Enough(enough, fewHosts) {
		r.settle(r.network.Likely(enough, fewHosts))
	}
	if len(r.changes) >= cmp.Or(r.Limits.Batch, defaultBatch) || r.size >= maxBatchBytes {
		return r.flush(ctx)
	}
	return nil
}

// settle counts the doubted failures, or, when our own network is lost, discards
// them and voids the run.
func (r *run) settle(lost bool) {
	if r.report.Void = lost && !r.trust; r.report.Void {
		r.report.Asked -= len(r.doubted)
	} else {
		for _, a := range r.doubted {
			r.apply(a)
		}
	}
	r.doubted, r.network = nil, origin.Outage{}
}

// apply records an answer in the state of every channel that names the source.
func (r *run) apply(a answer) {
	for _, c := range a.channels {
		var s logo.State
		switch now := r.Now(); {
		case a.err != nil:
			s = c.state.Failed(a.source, now)
		case a.unchanged:
			s = c.state.Unchanged(now)
		default:
			s = c.state.Answered(a.source, a.etag, a.modified, a.id, now)
		}
		r.changes[c.id] = &s
	}
	if a.id != "" && r.pictures[a.id].Data == nil {
		r.pictures[a.id] = a.picture
		r.size += len(a.picture.Data)
	}
}

// How many requests to sources that never failed make a judgement on our own
// network.
const (
	enough   = 50 // sources requested, during a run
	atEnd    = 20 // sources requested, at its end
	fewHosts = 10 // hosts requested
)
