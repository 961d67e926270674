package admin

import (
	"context"
	"errors"
	"slices"
	"time"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/catalog/release"
	"miramundo.dev/shared/catalog/reload"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/job"
	"miramundo.dev/shared/store"
)

const (
	jobsPath = "/api/admin/jobs"
	jobPath  = "/api/admin/jobs/{name}"
)

// jobs are the endpoints of the jobs.
var jobs = []api.Endpoint{
	api.Bind((*Server).jobs, api.Endpoint{
		Name:   "list_jobs",
		Method: "GET", Path: jobsPath, Auth: api.Operator,
		Summary: "List the jobs",
		Doc: "Returns every job with how often it is scheduled, how its last run went, when the next one is due, the run that is in " +
			"progress, and one that was cut off. The reports of the runs are in GET /api/admin/jobs/{name}.",
		Faults: []*fault.Error{fault.ErrUnavailable},
	}),
	api.Bind((*Server).job, api.Endpoint{
		Name:   "get_job",
		Method: "GET", Path: jobPath, Auth: api.Operator,
		Summary: "Get the reports of a job",
		Doc: "Returns a job with the report of its last run and of the runs before it that are stored, the newest first: 20 of " +
			"catalog-reload, each with its refusals and differences, 30 of guide, and none of the others.",
		Faults: []*fault.Error{job.ErrUnknown, fault.ErrUnavailable},
	}),
	api.Bind((*Server).run, api.Endpoint{
		Name:   "run_job",
		Method: "POST", Path: jobPath, Auth: api.Operator,
		Summary: "Run a job by hand",
		Doc: "Runs a job to its end and returns its report, also when the job failed. Only one run of a job is possible at a time: " +
			"another one answers 409 job_running, whose fields since and where say when and in which process the run in progress " +
			"began. The lease of a process that was killed holds a job for at most 30 seconds.",
		Faults: []*fault.Error{job.ErrUnknown, job.ErrRunning, release.ErrRefused, fault.ErrUnavailable},
	}),
}

// A Schedule is how often a job runs.
type Schedule struct {
	Job   string
	Every time.Duration
}

// A jobState is a job as it stands.
type jobState struct {
	Name         string        `json:"name"`
	EverySeconds int           `json:"every_seconds" description:"Seconds between scheduled runs."`
	Running      *job.Progress `json:"running" description:"Run in progress; null when the job does not run."`
	CutOff       *job.Progress `json:"cut_off" description:"Run that ended without a report, because its process was killed or lost the database; null after a run that ended. The next run, scheduled or by hand, begins from the start."`
	Last         *lastRun      `json:"last" description:"Last run that ended; null before the first."`
	DueAt        *store.Time   `json:"due_at" type:"string" format:"date-time" description:"Time at which the next scheduled run is due, reckoned from the start of the last one; null before the first."`
	ClockAhead   bool          `json:"clock_ahead" description:"True when the last run is stamped with a time to come, because the clock of its process was ahead. It is due now, and the next run sets that right."`
}

// A lastRun is a report without the result.
type lastRun struct {
	StartedAt store.Time `json:"started_at" type:"string" format:"date-time" description:"Time at which the run started, in UTC."`
	Seconds   float64    `json:"seconds" description:"Duration of the run, in seconds."`
	OK        bool       `json:"ok"`
	Error     string     `json:"error" description:"Error of a failed run; empty when it succeeded."`
}

// jobList is the answer with all jobs.
type jobList struct {
	Items []jobState `json:"items" nullable:"false"`
	Total int        `json:"total"`
}

func (s *Server) jobs(ctx context.Context, _ struct{}) (*jobList, error) {
	out := &jobList{Items: []jobState{}}
	for _, name := range s.Jobs.Names() {
		state, _, err := s.stateOf(ctx, name)
		if err != nil {
			return nil, fault.OrUnavailable(err)
		}
		out.Items = append(out.Items, state)
	}
	out.Total = len(out.Items)
	return out, nil
}

// stateOf returns a job as it stands and the report of its last run, or nil.
func (s *Server) stateOf(ctx context.Context, name string) (jobState, *job.Report, error) {
	out := jobState{Name: name}
	running, cutOff, err := s.Jobs.Runs(ctx, name)
	if err != nil {
		return out, nil, err
	}
	rep, err := s.Jobs.Last(ctx, name)
	if err != nil {
		return out, nil, err
	}
	every := time.Duration(0)
	if i := slices.IndexFunc(s.Schedules, func(one Schedule) bool { return one.Job == name }); i >= 0 {
		every = s.Schedules[i].Every
	}
	out.EverySeconds, out.Running, out.CutOff = int(every/time.Second), running, cutOff
	if rep != nil {
		due := store.At(rep.StartedAt.Add(every))
		if out.ClockAhead = rep.StartedAt.Ahead(s.Now()); out.ClockAhead {
			due = store.At(s.Now())
		}
		out.Last, out.DueAt = &lastRun{StartedAt: rep.StartedAt, Seconds: rep.Seconds, OK: rep.OK, Error: rep.Error}, &due
	}
	return out, rep, nil
}

type jobIn struct {
	Name string `path:"name" maxLength:"64" description:"Name of the job, such as catalog-reload."`
}

// jobReports is a job with its stored reports.
type jobReports struct {
	jobState
	Reports []job.Report `json:"reports" nullable:"false" description:"Stored reports, the newest first; empty before the first run."`
}

func (s *Server) job(ctx context.Context, in jobIn) (*jobReports, error) {
	if !slices.Contains(s.Jobs.Names(), in.Name) {
		return nil, job.ErrUnknown
	}
	state, last, err := s.stateOf(ctx, in.Name)
	if err != nil {
		return nil, fault.OrUnavailable(err)
	}
	reports, err := s.Jobs.History(ctx, in.Name)
	if err != nil {
		return nil, fault.OrUnavailable(err)
	}
	if last != nil && !slices.ContainsFunc(reports, func(r job.Report) bool { return r.Number == last.Number }) {
		reports = append([]job.Report{*last}, reports...)
	}
	return &jobReports{jobState: state, Reports: append([]job.Report{}, reports...)}, nil
}

type runIn struct {
	Name  string `path:"name" maxLength:"64" description:"Name of the job, such as catalog-reload."`
	Force bool   `json:"force" description:"True runs the job even where it would refuse its result."`
}

func (s *Server) run(ctx context.Context, in runIn) (*job.Report, error) {
	return s.runJob(ctx, in.Name, in.Force)
}

// runJob runs a job to its end, even when the caller hangs up. A job that failed is
// answered with its report and not with a fault, unless it never began or its
// result was refused.
func (s *Server) runJob(ctx context.Context, name string, force bool) (*job.Report, error) {
	rep, err := s.Jobs.RunToEnd(ctx, name, job.Order{Manual: true, Force: force})
	if rep == nil || errors.Is(err, release.ErrRefused) {
		return nil, err
	}
	if name == reload.Name && rep.OK {
		_ = s.Live.Refresh(context.WithoutCancel(ctx)) // status shows a failure
	}
	return rep, nil
}
