// Package job knows the work that runs on a schedule or at an operator's word:
// by which names it is called, and how it last went.
//
// It keeps these documents:
//
//	jobs/{name}    the Report of its last run
package job

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"
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
	Error     string     `json:"error,omitempty" description:"Why it failed."`
	Result    any        `json:"result" description:"What the job says of its work; an object of its own."`
}

// A Runner runs jobs, each at most once at a time in this process.
type Runner struct {
	db   store.DB
	log  *slog.Logger
	now  func() time.Time
	jobs []Job

	mu      sync.Mutex
	running map[string]bool // guarded by mu
}

// NewRunner returns a runner of jobs that keeps its reports in db.
func NewRunner(db store.DB, log *slog.Logger, now func() time.Time, jobs ...Job) *Runner {
	return &Runner{db: db, log: log, now: now, jobs: jobs, running: map[string]bool{}}
}

// Names lists the jobs.
func (r *Runner) Names() []string {
	var names []string
	for _, j := range r.jobs {
		names = append(names, j.Name)
	}
	return names
}

// Run runs a job and returns its report. It returns ErrUnknown, ErrRunning, or
// the error of the job with the report.
func (r *Runner) Run(ctx context.Context, name string, o Order) (*Report, error) {
	i := slices.IndexFunc(r.jobs, func(j Job) bool { return j.Name == name })
	if i < 0 {
		return nil, ErrUnknown
	}
	if !r.begin(name) {
		return nil, ErrRunning
	}
	defer r.end(name)
	start := r.now()
	result, err := guarded(ctx, r.jobs[i], o)
	rep := &Report{
		Job: name, StartedAt: store.At(start), Seconds: r.now().Sub(start).Seconds(),
		OK: err == nil, Result: result,
	}
	if err != nil {
		rep.Error = err.Error()
	}
	r.log.InfoContext(ctx, "job done", "job", name, "ok", rep.OK, "seconds", rep.Seconds, "err", rep.Error)
	if e := r.db.Set(context.WithoutCancel(ctx), path(name), rep); e != nil {
		r.log.ErrorContext(ctx, "job report not kept", "job", name, "err", e)
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

func (r *Runner) begin(name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.running[name] {
		return false
	}
	r.running[name] = true
	return true
}

func (r *Runner) end(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.running, name)
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
