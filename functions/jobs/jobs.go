// Package jobs is the private function that the scheduler calls to run the jobs
// of the service.
//
// It stands on a host of its own and accepts only calls of the scheduler's service
// account. A run by the scheduler is an automatic one: unlike a run at the
// operator's request (POST /api/admin/jobs/{name}), it never overrides a job's
// own caution, and a scheduled reload of the catalog does not undo a rollback.
package jobs

import (
	"context"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/job"
)

// Faults of this function.
var (
	ErrCaller = fault.New(fault.Unauthenticated, "invalid_scheduler_token")
	ErrFailed = fault.New(fault.Unavailable, "job_failed") // its field report is the job.Report
)

// Endpoints is this function's part of the API, none of it public.
var Endpoints = []api.Endpoint{
	api.Bind((*Server).run, api.Endpoint{
		Name:    "run_scheduled_job",
		Method:  "POST",
		Path:    "/jobs/{name}",
		Auth:    api.None, // the scheduler shows a credential of its own, which the handler verifies
		Summary: "Run a job for the scheduler",
		Doc: "Runs a job as an automatic run, which never overrides the job's own caution, and returns its report once it is done. A " +
			"job that failed answers 503 with the report, so that the scheduler retries it. Only the scheduler's service account " +
			"may call it.",
		Credential: api.JobsToken,
		Faults:     []*fault.Error{ErrCaller, ErrFailed, job.ErrUnknown, job.ErrRunning, fault.ErrUnavailable},
		SameOrigin: true,
	}),
}

// A Runner runs a job by its name, to its end. [job.Runner] implements it.
type Runner interface {
	// RunToEnd returns the report of the run, with an error when the job failed;
	// without a report when it could not begin.
	RunToEnd(ctx context.Context, name string, o job.Order) (*job.Report, error)
}

// A Verifier checks an Authorization header. It returns nil for a call of the
// scheduler, ErrCaller for any other, and fault.ErrUnavailable when it cannot
// find out.
type Verifier func(ctx context.Context, authorization string) error

// A Server runs jobs for the scheduler.
type Server struct {
	runner Runner
	verify Verifier
}

// New returns a server that has runner run the jobs that verified callers name.
func New(runner Runner, verify Verifier) *Server { return &Server{runner, verify} }

type runIn struct {
	Name          string `path:"name" maxLength:"64" description:"Name of the job, such as catalog-reload."`
	Authorization string `header:"Authorization" maxLength:"8192" description:"The scheduler's OIDC token, as a bearer token."`
}

// run runs a job to its end, even when the scheduler stops waiting. A job that
// failed is answered with a fault, so that the scheduler shows the failure and
// tries again.
func (s *Server) run(ctx context.Context, in runIn) (*job.Report, error) {
	if err := s.verify(ctx, in.Authorization); err != nil {
		return nil, err
	}
	report, err := s.runner.RunToEnd(ctx, in.Name, job.Order{})
	switch {
	case report == nil:
		return nil, fault.OrUnavailable(err)
	case err != nil:
		return nil, ErrFailed.With("report", report).Because(err)
	}
	return report, nil
}
