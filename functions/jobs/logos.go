package jobs

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
	"miramundo.dev/shared/social"
	"miramundo.dev/shared/store"
)

// Logos fetches the logos of the catalog's channels and stations, and keeps
// what it makes of them. What a run leaves is due in the next, so that it may be
// stopped at any point.
//
// The operator's force has it believe what it finds even when nearly no host
// answers.
type Logos struct {
	DB      store.DB
	Catalog interface{ View() (*index.View, error) }
	Plays   *social.Overlay // says what is played; nil when that is not known
	Client  *origin.Client
	Own     []string // addresses as "host:port" that are reached without a network
	Now     func() time.Time
	Limits  LogoLimits
}

// LogoLimits bound a run. The zero value of each has a meaning.
type LogoLimits struct {
	Time    time.Duration // for asking; the zero is 20 minutes
	Sources int           // addresses asked; the zero is 20,000
	Workers int           // at a time, two of them for one host; the zero is 16
	Batch   int           // channels kept at a time; the zero is 200
	Answer  time.Duration // for a source to send its file; the zero is 10 s
}

// A LogoReport says what a run found and did.
type LogoReport struct {
	Channels  int            `json:"channels"`  // that name a source
	Due       int            `json:"due"`       // addresses to be asked
	Asked     int            `json:"asked"`     // of them, the rest being left to the next run
	Fetched   int            `json:"fetched"`   // that answered with a file
	Unchanged int            `json:"unchanged"` // that answered that nothing is new
	Made      map[string]int `json:"made"`      // logos by the format of their source
	Kept      map[string]int `json:"kept"`      // logos by the format that they are kept in
	Skipped   map[string]int `json:"skipped"`   // files of which none is made, by reason
	Failed    map[string]int `json:"failed"`    // addresses that failed, by fault
	Lost      int            `json:"lost"`      // channels that are gone, or name no source any more
	Moved     int            `json:"moved"`     // channels that have another id now, and keep their logo
	Deleted   int            `json:"deleted"`   // pictures that no channel has had for 30 days
	BytesIn   int64          `json:"bytes_in"`
	BytesOut  int64          `json:"bytes_out"` // of the logos made
	Left      int            `json:"left"`      // addresses that are still due
	Void      bool           `json:"void"`      // nearly no host answered: failures were not counted

	Steps map[string]int64 `json:"steps_ms"` // milliseconds that each step took
}

// Job returns the job.
func (l *Logos) Job() job.Job {
	return job.Job{Name: "logos", Run: func(ctx context.Context, o job.Order) (any, error) {
		r := &logoRun{Logos: l, trust: o.Force, report: &LogoReport{
			Made: map[string]int{}, Kept: map[string]int{}, Skipped: map[string]int{}, Failed: map[string]int{}, Steps: map[string]int64{},
		}}
		return r.report, r.run(ctx)
	}}
}

// A logoRun is one run of the job.
type logoRun struct {
	*Logos
	report *LogoReport
	ledger *logo.Ledger
	trust  bool // what is found is believed

	pictures map[string]logo.Image  // of the batch, by id
	changes  map[string]*logo.State // of the batch, by channel
	size     int                    // of the pictures, in bytes
	network  network
	doubted  []asked // failures that may be our own network's
}

func (r *logoRun) run(ctx context.Context) error {
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
		return fmt.Errorf("open the books of logos: %w", err)
	}
	var p *plan
	r.step("plan", func() { p = r.plan(view) })
	r.report.Channels, r.report.Due, r.report.Lost, r.report.Moved = p.channels, p.due, p.lost, p.moved
	if err := r.ledger.Keep(ctx, nil, p.changes, r.Now()); err != nil {
		return fmt.Errorf("keep whose logos go: %w", err)
	}
	r.step("ask", func() { err = r.ask(ctx, p) })
	r.report.Left = r.report.Due - r.report.Asked
	return err
}

// step runs f and notes how long it took.
func (r *logoRun) step(name string, f func()) {
	start := time.Now()
	f()
	r.report.Steps[name] = time.Since(start).Milliseconds()
}

// Bounds of a run, unless its limits say otherwise.
const (
	logoTime    = 20 * time.Minute
	logoSources = 20_000
	logoWorkers = 16
	logoBatch   = 200
	logoBytes   = 8 << 20 // of the pictures of a batch
)

// ask asks the sources of a plan, and keeps what they answer in batches. What
// was answered when ctx ends is kept too.
func (r *logoRun) ask(ctx context.Context, p *plan) error {
	within, cancel := context.WithTimeout(ctx, cmp.Or(r.Limits.Time, logoTime))
	defer cancel()
	r.begin()
	kept := context.WithoutCancel(ctx)
	var failure error
	for a := range r.answers(within, p) {
		if failure != nil || r.report.Void {
			continue // those that were under way end
		}
		if failure = r.take(kept, a); failure != nil || r.report.Void {
			cancel()
		}
	}
	if failure != nil {
		return failure
	}
	if !r.report.Void {
		r.settle(r.network.lost(atEnd))
	}
	if err := r.flush(kept); err != nil {
		return err
	}
	return ctx.Err()
}

// begin starts a batch.
func (r *logoRun) begin() {
	r.pictures, r.changes, r.size = map[string]logo.Image{}, map[string]*logo.State{}, 0
}

// flush keeps the batch.
func (r *logoRun) flush(ctx context.Context) error {
	if err := r.ledger.Keep(ctx, r.pictures, r.changes, r.Now()); err != nil {
		return fmt.Errorf("keep logos: %w", err)
	}
	r.begin()
	return nil
}

// take adds an answer to the batch, and keeps the batch when it is full.
func (r *logoRun) take(ctx context.Context, a asked) error {
	r.report.Asked++
	r.count(a)
	if a.evidence {
		r.network.note(a.host, a.reached)
	}
	if a.reached {
		r.apply(a)
	} else {
		r.doubted = append(r.doubted, a)
	}
	if r.network.tried >= enough && len(r.network.hosts) >= fewHosts {
		r.settle(r.network.lost(enough))
	}
	if len(r.changes) >= cmp.Or(r.Limits.Batch, logoBatch) || r.size >= logoBytes {
		return r.flush(ctx)
	}
	return nil
}

// settle counts the failures that were doubted, or, when our own network is
// lost, forgets them and ends the run.
func (r *logoRun) settle(lost bool) {
	if r.report.Void = lost && !r.trust; r.report.Void {
		r.report.Asked -= len(r.doubted)
	} else {
		for _, a := range r.doubted {
			r.apply(a)
		}
	}
	r.doubted, r.network = nil, network{}
}

// apply gives the channels of a source what it answered.
func (r *logoRun) apply(a asked) {
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

// A network is what the sources that should answer tell of our own: those that
// did the last time, and those never asked.
type network struct {
	tried, answered int
	hosts           map[string]bool
}

// When it can be told whether our own network is lost.
const (
	enough   = 50 // sources, while a run goes on
	atEnd    = 20 // and when it has ended
	fewHosts = 10 // of as many hosts at least
	alive    = 50 // one of so many answers where there is a network
)

func (n *network) note(host string, answered bool) {
	if n.hosts == nil {
		n.hosts = map[string]bool{}
	}
	n.hosts[host] = true
	n.tried++
	if answered {
		n.answered++
	}
}

// lost reports whether at least so many sources were asked and nearly none
// answered.
func (n *network) lost(tried int) bool {
	return n.tried >= tried && len(n.hosts) >= fewHosts && n.answered*alive < n.tried
}
