// Package job runs named jobs, each in one process at a time, and stores how
// its last run went.
//
//	jobs/{name}             the Report of its last run
//	jobs/{name}/runs/{n}    the Reports of its last runs, for a job that keeps them
//	leases/{name}           the run in progress, and until when its lease is valid
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
	"strconv"
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
	// Keep is how many reports are stored, the last one included; with 0 the
	// last one only.
	Keep int
}

// A Report is the outcome of a run.
type Report struct {
	Job       string     `json:"job" description:"Name of the job."`
	StartedAt store.Time `json:"started_at" type:"string" format:"date-time" description:"Time at which the run started, in UTC."`
	Seconds   float64    `json:"seconds" description:"Duration of the run, in seconds."`
	OK        bool       `json:"ok"`
	Error     string     `json:"error,omitempty" description:"Error of a failed run."`
	Result    any        `json:"result" shape:"object" description:"Result of the run, an object that depends on the job."`
	Number    int        `json:"number,omitempty" description:"Number of the run, counted from 1; absent for a job that stores only its last report."`
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
		return rep.save(tx, j.Keep)
	}); e != nil {
		r.log.ErrorContext(ctx, "job report not saved", "job", j.Name, "err", e)
	}
	return rep, err
}

// save stores the report as that of the last run. With keep it is also stored in
// the place of the run that came keep runs before it.
func (rep *Report) save(tx store.Tx, keep int) error {
	if keep == 0 {
		return tx.Set(path(rep.Job), rep)
	}
	var last Report
	if err := tx.Get(path(rep.Job), &last); err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	rep.Number = last.Number + 1
	return errors.Join(tx.Set(path(rep.Job), rep), tx.Set(runs(rep.Job).Join(strconv.Itoa(rep.Number%keep)), rep))
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

// History returns the stored reports of a job, the newest first. It is empty for a
// job that stores only its last report.
func (r *Runner) History(ctx context.Context, name string) ([]Report, error) {
	var all []Report
	for doc, err := range r.db.Query(ctx, store.Query{Collection: runs(name)}) {
		var rep Report
		if err == nil {
			err = doc.Decode(&rep)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, rep)
	}
	slices.SortFunc(all, func(a, b Report) int { return b.Number - a.Number })
	return all, nil
}

// A Progress is a run of a job that has not ended.
type Progress struct {
	Since store.Time `json:"since" type:"string" format:"date-time" description:"Start of the run."`
	Where string     `json:"where" description:"Host and process of the run."`
}

// Runs returns the run of a job that is in progress in any process, or else the one
// that ended without a report, because its process was killed or lost the database; a
// run that ended with a report is neither. The run of a process that was killed is in
// progress for up to 30 seconds, and cut off from then until the next run begins.
func (r *Runner) Runs(ctx context.Context, name string) (running, cutOff *Progress, err error) {
	var l lease
	if err := r.db.Get(ctx, leasePath(name), &l); errors.Is(err, store.ErrNotFound) {
		return nil, nil, nil
	} else if err != nil {
		return nil, nil, err
	}
	p := &Progress{Since: l.Since, Where: l.Where}
	switch now := r.now(); {
	case l.keepsOut(now):
		return p, nil, nil
	case l.isCutOff(now):
		return nil, p, nil
	}
	return nil, nil, nil
}

func path(name string) store.Path { return store.Path("jobs/" + name) }

func runs(name string) store.Path { return path(name).Join("runs") }
