package compose

import (
	"context"
	"errors"
	"slices"

	"miramundo.dev/shared/job"
	"miramundo.dev/shared/metrics"
	"miramundo.dev/shared/trace"
)

// everything is the name of a process that runs several functions, as its metrics show it.
const everything = "all"

// openMetrics has the process counted where METRICS_PORT is set, and its documents
// too. The bus is read for the events that the processes receive.
func (p *Parts) openMetrics(processes []Process) {
	if p.Config.MetricsPort == 0 {
		return
	}
	p.Metrics = metrics.New(metrics.Options{Process: nameOf(processes), Build: p.Config.Build})
	p.DB = p.Metrics.DB(p.DB)
	var subscriptions []string
	for _, process := range processes {
		subscriptions = append(subscriptions, process.Receives...)
	}
	slices.Sort(subscriptions)
	p.Metrics.ReadBus(p.Bus, slices.Compact(subscriptions))
}

// catalogState returns what the metrics show of the catalog.
func (p *Parts) catalogState() (metrics.Catalog, bool) {
	state := p.Catalog.State()
	c := metrics.Catalog{Version: state.Version, Problem: state.Problem != ""}
	v, err := p.Catalog.View()
	if err != nil {
		return c, false
	}
	c.Channels = v.Index().Len()
	at, ok := p.Catalog.Synced()
	c.Synced = at
	return c, ok
}

// openTrace has the process traced where a collector is named.
func (p *Parts) openTrace(ctx context.Context, processes []Process) (err error) {
	if p.Config.TraceEndpoint == "" {
		return nil
	}
	p.Trace, err = trace.New(ctx, trace.Options{
		Endpoint: p.Config.TraceEndpoint, Process: nameOf(processes), Build: p.Config.Build, Share: p.Config.TraceShare, Log: p.Log,
	})
	if err == nil {
		p.close = append(p.close, p.Trace.Close)
	}
	return err
}

// nameOf returns the name of what runs processes.
func nameOf(processes []Process) string {
	if len(processes) == 1 {
		return processes[0].Name
	}
	return everything
}

var errPanic = errors.New("compose: the job panicked")

// traced returns j with its runs traced.
func (p *Parts) traced(j job.Job) job.Job {
	if p.Trace == nil {
		return j
	}
	run := j.Run
	j.Run = func(ctx context.Context, o job.Order) (result any, err error) {
		ctx, span := p.Trace.Begin(ctx, "job "+j.Name)
		err = errPanic // unless run returns
		defer func() { span.End(err) }()
		return run(ctx, o)
	}
	return j
}

// counted returns j with its runs counted.
func (p *Parts) counted(s Schedule, j job.Job) job.Job {
	if p.Metrics == nil {
		return j
	}
	p.Metrics.ScheduleJob(j.Name, s.Every)
	run := j.Run
	j.Run = func(ctx context.Context, o job.Order) (result any, err error) {
		end, ok := p.Metrics.BeginJob(j.Name, p.Now()), false
		defer func() { end(p.Now(), ok) }() // also after a panic, which the runner recovers from
		result, err = run(ctx, o)
		ok = err == nil
		return result, err
	}
	return j
}
