// Package job knows the work that runs on a schedule or at an operator's word:
// by which names it is called, and how it last went.
//
// It keeps these documents:
//
//	jobs/{name}      the Report of its last run
//	leases/{name}    who runs it, and until when that holds
//
// A lease lets one process at a time run a job. It is renewed while the job
// runs and ends by itself when the process dies.
package job

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"time"

	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/store"
)

// Faults of jobs.
var (
	ErrUnknown = fault.New(fault.NotFound, "unknown_job")
	ErrRunning = fault.New(fault.Conflict, "job_running")
)

// An Order says how a run was asked for.
type Order struct {
	Manual bool // by the operator, not by the clock
	Force  bool // even against the job's own caution
}

// A Job is work with a name.
type Job struct {
	Name string
	// Run does the work. What it returns goes into the report, also when it
	// fails; it must encode as a JSON object.
	Run func(ctx context.Context, o Order) (result any, err error)
}

// A Report says how a run of a job went.
type Report struct {
	Job       string     `json:"job"`
	StartedAt store.Time `json:"started_at" type:"string" format:"date-time"`
	Seconds   float64    `json:"seconds"`
	OK        bool       `json:"ok"`
	Error     string     `json:"error,omitempty" description:"Error of a failed run."`
	Result    any        `json:"result" description:"Result of the run, an object that depends on the job."`
}

// A Runner runs jobs, each at most once at a time over all processes that share
// a database.
type Runner struct {
	db   store.DB
	log  *slog.Logger
	now  func() time.Time
	tick func(time.Duration) (<-chan time.Time, func()) // ticks, until the function is called
	jobs []Job
}

// NewRunner returns a runner of jobs that keeps its reports in db.
func NewRunner(db store.DB, log *slog.Logger, now func() time.Time, jobs ...Job) *Runner {
	return &Runner{db: db, log: log, now: now, jobs: jobs, tick: func(d time.Duration) (<-chan time.Time, func()) {
		t := time.NewTicker(d)
		return t.C, t.Stop
	}}
}

// Names lists the jobs.
func (r *Runner) Names() []string {
	var names []string
	for _, j := range r.jobs {
		names = append(names, j.Name)
	}
	return names
}

// Run runs a job and returns its report. It returns ErrUnknown, ErrRunning, the
// fault.ErrUnavailable of a database that does not answer, or the error of the
// job with the report: ErrLost when it did not keep its lease.
func (r *Runner) Run(ctx context.Context, name string, o Order) (rep *Report, err error) {
	i := slices.IndexFunc(r.jobs, func(j Job) bool { return j.Name == name })
	if i < 0 {
		return nil, ErrUnknown
	}
	if e := r.holding(ctx, name, func(ctx context.Context) { rep, err = r.report(ctx, r.jobs[i], o) }); e != nil {
		return nil, e
	}
	return rep, err
}

// report runs j and keeps the report of it, unless another process has taken
// its place.
func (r *Runner) report(ctx context.Context, j Job, o Order) (*Report, error) {
	start := r.now()
	result, err := guarded(ctx, j, o)
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
		r.log.ErrorContext(ctx, "job report not kept", "job", j.Name, "err", e)
	}
	return rep, err
}

// guarded runs j and makes an error of a panic, so that one job's defect does
// not end the process that runs them all.
func guarded(ctx context.Context, j Job, o Order) (result any, err error) {
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
