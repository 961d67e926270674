// Package job runs named jobs, each in one process at a time, and stores how
// its last run went.
//
//	jobs/{name}      the Report of its last run
//	leases/{name}    the run in progress, and until when its lease is valid
//
// A lease lets one process at a time run a job. It is renewed while the job
// runs, and expires by itself when the process dies.
package job

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime/debug"
	"slices"
	"time"

	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/store"
)

// Faults of jobs.
var (
	ErrUnknown = fault.New(fault.NotFound, "unknown_job")

	// ErrRunning is returned for a job that another run holds. Its fields say
	// since when (since) and in which process of which host (where).
	ErrRunning = fault.New(fault.Conflict, "job_running")
)

// An Order says how a run was requested.
type Order struct {
	Manual bool // by the operator, not by the scheduler
	Force  bool // run even if the job's own checks advise against it
}

// A Job is work with a name.
type Job struct {
	Name string
	// Run does the work. Its result is stored in the report, also when it
	// fails; it must encode as a JSON object.
	Run func(ctx context.Context, o Order) (result any, err error)
}

// A Report is the outcome of a run.
type Report struct {
	Job       string     `json:"job"`
	StartedAt store.Time `json:"started_at" type:"string" format:"date-time"`
	Seconds   float64    `json:"seconds"`
	OK        bool       `json:"ok"`
	Error     string     `json:"error,omitempty" description:"Error of a failed run."`
	Result    any        `json:"result" description:"Result of the run, an object that depends on the job."`
}

// A Runner runs jobs, each at most once at a time among all processes that
// share a database. Its methods may be called concurrently.
type Runner struct {
	db    store.DB
	log   *slog.Logger
	now   func() time.Time
	where string                                         // this process, as its leases name it
	tick  func(time.Duration) (<-chan time.Time, func()) // returns a ticker, and a function that stops it
	jobs  []Job
}

// NewRunner returns a runner of jobs that stores its reports in db.
func NewRunner(db store.DB, log *slog.Logger, now func() time.Time, jobs ...Job) *Runner {
	return &Runner{db: db, log: log, now: now, where: thisProcess(), jobs: jobs, tick: func(d time.Duration) (<-chan time.Time, func()) {
		t := time.NewTicker(d)
		return t.C, t.Stop
	}}
}

// thisProcess names this process among those that share a database.
func thisProcess() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown host"
	}
	return fmt.Sprintf("%s, process %d", host, os.Getpid())
}

// Names returns the names of the jobs.
func (r *Runner) Names() []string {
	var names []string
	for _, j := range r.jobs {
		names = append(names, j.Name)
	}
	return names
}

// Run runs a job and returns its report. It returns ErrUnknown, ErrRunning,
// fault.ErrUnavailable when the database does not answer, or the error of the
// job together with the report: ErrLost when the run lost its lease.
func (r *Runner) Run(ctx context.Context, name string, o Order) (*Report, error) {
	return r.run(ctx, ctx, name, o)
}

// RunToEnd runs a job as Run does, but to its end, whatever becomes of ctx: a
// request that asked for a job may be canceled long before. The deadline of ctx
// is how long the run may take to begin.
func (r *Runner) RunToEnd(ctx context.Context, name string, o Order) (*Report, error) {
	lasting := context.WithoutCancel(ctx)
	acquiring := lasting
	if deadline, ok := ctx.Deadline(); ok {
		within, cancel := context.WithDeadline(lasting, deadline)
		defer cancel()
		acquiring = within
	}
	return r.run(acquiring, lasting, name, o)
}

// run acquires the lease of a job within the context acquiring, and runs the job
// with ctx.
func (r *Runner) run(acquiring, ctx context.Context, name string, o Order) (rep *Report, err error) {
	i := slices.IndexFunc(r.jobs, func(j Job) bool { return j.Name == name })
	if i < 0 {
		return nil, ErrUnknown
	}
	if e := r.withLease(acquiring, ctx, name, func(ctx context.Context) { rep, err = r.report(ctx, r.jobs[i], o) }); e != nil {
		return nil, e
	}
	return rep, err
}

// report runs j and stores its report, unless another process holds the lease
// by then.
func (r *Runner) report(ctx context.Context, j Job, o Order) (*Report, error) {
	start := r.now()
	result, err := runSafely(ctx, j, o)
	if lost := context.Cause(ctx); errors.Is(lost, ErrLost) {
		err = ErrLost.Because(err)
	}
	rep := &Report{
		Job: j.Name, StartedAt: store.At(start), Seconds: r.now().Sub(start).Seconds(),
		OK: err == nil, Result: result,
	}
	if err != nil {
		rep.Error = err.Error()
	}
	r.log.InfoContext(ctx, "job done", "job", j.Name, "ok", rep.OK, "seconds", rep.Seconds, "err", rep.Error)
	fence, kept := Fence(ctx), context.WithoutCancel(ctx)
	if e := r.db.Update(kept, func(tx store.Tx) error {
		if err := fence(tx); err != nil {
			return err
		}
		return tx.Set(path(j.Name), rep)
	}); e != nil {
		r.log.ErrorContext(ctx, "job report not saved", "job", j.Name, "err", e)
	}
	return rep, err
}

// runSafely runs j and returns a panic as an error, so that a defect of one
// job does not end the process.
func runSafely(ctx context.Context, j Job, o Order) (result any, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("job %s: panic: %v\n%s", j.Name, p, debug.Stack())
		}
	}()
	return j.Run(ctx, o)
}

// Last returns the report of a job's last run, or nil before the first.
func (r *Runner) Last(ctx context.Context, name string) (*Report, error) {
	var rep Report
	err := r.db.Get(ctx, path(name), &rep)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	return &rep, err
}

func path(name string) store.Path { return store.Path("jobs/" + name) }
