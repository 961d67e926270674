package vitrine

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/job"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/usage"
	"miramundo.dev/shared/visit"
)

// Job is the name of the job that publishes the numbers.
const Job = "vitrine"

// Options are what the job uses.
type Options struct {
	DB      store.DB
	Uses    Uses
	Catalog func(context.Context) (*CatalogNumbers, error) // nil result when no catalog is loaded
	Now     func() time.Time
}

// A Report is the result of a run.
type Report struct {
	Days  int   `json:"days"`  // that were counted
	Calls int64 `json:"calls"` // of the last 7 days
}

// NewJob returns the job that publishes the numbers. A run that is repeated publishes
// the same numbers: it adds nothing to what was there.
func NewJob(o Options) job.Job {
	return job.Job{Name: Job, Run: func(ctx context.Context, _ job.Order) (any, error) { return o.run(ctx) }}
}

func (o Options) run(ctx context.Context) (*Report, error) {
	in, err := o.read(ctx)
	if err != nil {
		return nil, err
	}
	exact := Fold(in)
	p := Publication{At: store.At(in.Now)}
	if p.Public, err = json.Marshal(exact.Rounded()); err != nil {
		return nil, err
	}
	if p.Operator, err = json.Marshal(exact); err != nil {
		return nil, err
	}
	if err := o.DB.Set(ctx, current, p); err != nil {
		return nil, err
	}
	r := &Report{Days: exact.Windows.Month.Days}
	for _, route := range exact.Routes {
		r.Calls += route.Calls
	}
	return r, nil
}

// read reads what the numbers are made from: eight documents for each day.
func (o Options) read(ctx context.Context) (in Input, err error) {
	in = Input{Now: o.Now(), Uses: o.Uses}
	before, err := Read(ctx, o.DB)
	switch {
	case err == nil:
		public, _, err := before.Decode()
		if err != nil {
			return in, err
		}
		in.Since = public.Since
	case !errors.Is(err, store.ErrNotFound):
		return in, err
	}
	today := identity.DayOf(in.Now)
	names := make([]string, Series)
	for i := range names {
		names[i] = (today - Series + 1 + identity.Day(i)).String()
	}
	used, err := usage.Read(ctx, o.DB, names...)
	if err != nil {
		return in, err
	}
	seen, err := visit.Read(ctx, o.DB, names...)
	if err != nil {
		return in, err
	}
	for i, day := range names {
		in.Days = append(in.Days, Measured{day, used[i], seen[i]})
	}
	in.Catalog, err = o.Catalog(ctx)
	return in, err
}
