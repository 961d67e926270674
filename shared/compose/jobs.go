package compose

import (
	"context"
	"fmt"
	"time"

	"miramundo.dev/shared/catalog/reload"
	"miramundo.dev/shared/config"
	"miramundo.dev/shared/fact/outbox"
	"miramundo.dev/shared/guide"
	"miramundo.dev/shared/guide/gather"
	"miramundo.dev/shared/guide/refresh"
	"miramundo.dev/shared/job"
	"miramundo.dev/shared/logo/fetch"
	"miramundo.dev/shared/origin"
	"miramundo.dev/shared/probe/measure"
	"miramundo.dev/shared/probe/round"
	"miramundo.dev/shared/social/counting"
	"miramundo.dev/shared/social/report"
	"miramundo.dev/shared/source/collect"
)

// openJobs makes the runner of every job of the service.
func (p *Parts) openJobs(o Options) error {
	sources, err := guide.Parse(p.Config.GuideSources)
	if err != nil {
		return fmt.Errorf("GUIDE_SOURCES: %w", err)
	}
	p.Jobs = job.NewRunner(p.DB, p.Log, p.Now,
		p.reloadJob(o), p.guideJob(sources), p.logosJob(), p.probeJob(), p.outboxJob(), p.countsJob())
	return nil
}

// client returns a client for the addresses that sources name.
func (p *Parts) client(o origin.Options) *origin.Client {
	o.UserAgent, o.Allow, o.Deny = p.Config.UserAgent(), p.Config.OriginAllow, p.Config.OwnHosts()
	return origin.New(o)
}

// reloadJob returns the job that builds the catalog from its sources.
func (p *Parts) reloadJob(o Options) job.Job {
	plan := PlanOf(p.Config)
	if o.Plan != nil {
		plan = *o.Plan
	}
	if o.Extra != nil {
		plan.Extra = o.Extra
	}
	return reload.NewJob(reload.Options{
		Plan: plan, Archive: p.Archive, Now: p.Now,
		Collect: collect.Options{
			Client: p.client(origin.Options{}), Cache: collect.Documents(p.DB), Now: p.Now, Progress: o.Progress,
		},
	})
}

// PlanOf returns the sources that the setting CATALOG names: those of "live",
// those of "sample", or a folder.
func PlanOf(c config.Config) collect.Plan {
	switch c.Catalog {
	case "live":
		plan := collect.Live()
		plan.IPTVOrg.URL = c.IPTVOrg
		if c.RadioBrowser != "" {
			plan.Radio = collect.Place{URL: c.RadioBrowser}
		}
		return plan
	case "sample":
		return collect.Sample()
	}
	place := collect.Folder(c.Catalog)
	return collect.Plan{IPTVOrg: place, Radio: place}
}

// guideJob returns the job that reads the programme guides.
func (p *Parts) guideJob(sources []guide.Source) job.Job {
	return refresh.NewJob(refresh.Options{
		DB: p.DB, Sources: sources, Now: p.Now, Client: p.client(origin.Options{}),
		Catalog: func(context.Context) (*gather.Matcher, error) {
			v, err := p.Catalog.View()
			if err != nil {
				return nil, err
			}
			return refresh.MatcherOf(v.Index()), nil
		},
	})
}

// logosJob returns the job that fetches the logos of the catalog.
func (p *Parts) logosJob() job.Job {
	return fetch.NewJob(fetch.Options{
		DB: p.DB, Catalog: p.Catalog, Plays: p.Social.Plays, Own: p.Config.OriginAllow, Now: p.Now,
		Client: p.client(origin.Options{PerHost: 2, MaxInFlight: 16}),
	})
}

// probeJob returns the job that measures the streams of the catalog as a page
// would play them, with one request at a time to a host.
func (p *Parts) probeJob() job.Job {
	return round.NewJob(round.Options{
		DB: p.DB, Catalog: p.Catalog, Plays: p.Social.Plays, Own: p.Config.OriginAllow, Now: p.Now,
		Measurer: measure.New(measure.Options{
			Origin: p.client(origin.Options{
				PerHost: 1, Shoutcast: true, MaxInFlight: 128, Header: 10 * time.Second, Timeout: 15 * time.Second,
			}),
			Page: p.Config.BaseURL,
		}),
	})
}

// Outbox returns the outbox of facts, with every shelf that it sweeps.
func (p *Parts) Outbox() *outbox.Outbox {
	return &outbox.Outbox{DB: p.DB, Bus: p.Bus, Log: p.Log, Now: p.Now, Shelves: []outbox.Shelf{report.Shelf}}
}

func (p *Parts) outboxJob() job.Job {
	return job.Job{Name: outbox.Job, Run: func(ctx context.Context, _ job.Order) (any, error) {
		sent, err := p.Outbox().Sweep(ctx)
		return map[string]int{"sent": sent}, err
	}}
}

func (p *Parts) countsJob() job.Job {
	return job.Job{Name: counting.Job, Run: func(ctx context.Context, _ job.Order) (any, error) {
		return counting.Refresh(ctx, p.DB)
	}}
}
