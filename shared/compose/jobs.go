package compose

import (
	"context"
	"fmt"
	"time"

	"miramundo.dev/shared/account/removal"
	"miramundo.dev/shared/catalog/dump"
	"miramundo.dev/shared/catalog/history"
	"miramundo.dev/shared/catalog/reload"
	"miramundo.dev/shared/config"
	"miramundo.dev/shared/fact/outbox"
	"miramundo.dev/shared/guide/match"
	"miramundo.dev/shared/guide/refresh"
	"miramundo.dev/shared/guide/setting"
	"miramundo.dev/shared/job"
	"miramundo.dev/shared/logo/fetch"
	"miramundo.dev/shared/nowplaying"
	"miramundo.dev/shared/origin"
	"miramundo.dev/shared/probe/measure"
	"miramundo.dev/shared/probe/round"
	"miramundo.dev/shared/social/companion"
	"miramundo.dev/shared/social/counting"
	"miramundo.dev/shared/social/report"
	"miramundo.dev/shared/source/collect"
	"miramundo.dev/shared/source/iptvorg"
)

// The methods below make the jobs of the service from its parts. The table of
// functions lists them with their schedules.

// openJobs makes the runner of the scheduled jobs.
func (p *Parts) openJobs() error {
	var all []job.Job
	for _, s := range p.options.Schedules {
		j, err := s.New(p)
		if err != nil {
			return err
		}
		if j.Name != s.Job {
			return fmt.Errorf("the schedule of the job %q makes the job %q", s.Job, j.Name)
		}
		all = append(all, p.traced(p.counted(s, j)))
	}
	p.Jobs = job.NewRunner(p.DB, p.Log, p.Now, all...)
	return nil
}

// client returns a client for the addresses that sources name.
func (p *Parts) client(o origin.Options) *origin.Client {
	o.UserAgent, o.Allow, o.Deny, o.Wrap = p.Config.UserAgent(), p.Config.OriginAllow, p.Config.OwnHosts(), p.Trace.Transport
	return origin.New(o)
}

// NowPlaying returns a reader of what radio stations play.
func (p *Parts) NowPlaying() *nowplaying.Reader {
	return nowplaying.New(p.client(origin.Options{MaxInFlight: nowplaying.MaxInFlight, Shoutcast: true}), p.Now)
}

// ReloadJob returns the job that builds the catalog from its sources.
func (p *Parts) ReloadJob() (job.Job, error) {
	o, plan := p.options, PlanOf(p.Config)
	if o.Plan != nil {
		plan = *o.Plan
	}
	if plan.Extra = o.Extra; plan.Extra == nil && p.Config.CatalogExtra != "" {
		var err error
		if plan.Extra, err = collect.Records(p.Config.CatalogExtra); err != nil {
			return job.Job{}, fmt.Errorf("CATALOG_EXTRA: %w", err)
		}
	}
	return reload.NewJob(reload.Options{
		Plan: plan, Archive: p.Archive, Now: p.Now,
		Collect: collect.Options{
			Client: p.client(origin.Options{}), Cache: collect.Documents(p.DB), Now: p.Now, Progress: o.Progress,
		},
	}), nil
}

// ChangesJob returns the job that records what changed between releases.
func (p *Parts) ChangesJob() (job.Job, error) {
	return history.NewJob(history.Options{DB: p.DB, Archive: p.Archive, Now: p.Now}), nil
}

// DumpJob returns the job that writes the whole catalog into files.
func (p *Parts) DumpJob() (job.Job, error) {
	return dump.NewJob(dump.Options{DB: p.DB, Catalog: p.Catalog, Now: p.Now}), nil
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

// GuideSources returns the sources of programme guides. Its error names the setting
// that is wrong.
func (p *Parts) GuideSources() ([]setting.Source, error) {
	sources, err := setting.Parse(p.Config.GuideSources)
	if err != nil {
		return nil, fmt.Errorf("GUIDE_SOURCES: %w", err)
	}
	return sources, nil
}

// GuideJob returns the job that reads the programme guides.
func (p *Parts) GuideJob() (job.Job, error) {
	sources, err := p.GuideSources()
	if err != nil {
		return job.Job{}, err
	}
	return refresh.NewJob(refresh.Options{
		DB: p.DB, Sources: sources, Now: p.Now, Client: p.client(origin.Options{}),
		Catalog: p.guideMatcher,
	}), nil
}

// guideMatcher returns what matches the channels of guides with those of the
// catalog: the catalog that is shown, and what the last reload read of feeds and of
// the lists of sites.
func (p *Parts) guideMatcher(ctx context.Context) (*match.Matcher, error) {
	v, err := p.Catalog.View()
	if err != nil {
		return nil, err
	}
	ds, err := collect.Saved(ctx, collect.Documents(p.DB), iptvorg.Named("iptv-org/feeds", "iptv-org/regions", iptvorg.GuidesPart)...)
	if err != nil {
		return nil, err
	}
	return refresh.MatcherOf(v.Index(), match.NewDirectory(ds)), nil
}

// CompanionsJob returns the job that counts which channels people keep together.
func (p *Parts) CompanionsJob() (job.Job, error) {
	return companion.NewJob(companion.Options{DB: p.DB, Catalog: p.Catalog, Social: p.Social}), nil
}

// LogosJob returns the job that fetches the logos of the catalog.
func (p *Parts) LogosJob() (job.Job, error) {
	return fetch.NewJob(fetch.Options{
		DB: p.DB, Catalog: p.Catalog, Plays: p.Social.Plays, Own: p.Config.OriginAllow, Now: p.Now,
		Client: p.client(origin.Options{PerHost: 2, MaxInFlight: 16}),
	}), nil
}

// ProbeJob returns the job that measures the streams of the catalog as a page
// would play them, with one request at a time to a host.
func (p *Parts) ProbeJob() (job.Job, error) {
	return round.NewJob(round.Options{
		DB: p.DB, Catalog: p.Catalog, Plays: p.Social.Plays, Own: p.Config.OriginAllow, Now: p.Now,
		Measurer: measure.New(measure.Options{
			Origin: p.client(origin.Options{
				PerHost: 1, Shoutcast: true, MaxInFlight: 128, Header: 10 * time.Second, Timeout: 15 * time.Second,
			}),
			Page: p.Config.BaseURL,
		}),
	}), nil
}

// Outbox returns the outbox of facts, with every shelf that it sweeps.
func (p *Parts) Outbox() *outbox.Outbox {
	return &outbox.Outbox{DB: p.DB, Bus: p.Bus, Log: p.Log, Now: p.Now, Shelves: []outbox.Shelf{report.Shelf}}
}

// OutboxJob returns the job that publishes the facts that could not be published
// when they were stored.
func (p *Parts) OutboxJob() (job.Job, error) {
	return job.Job{Name: outbox.Job, Run: func(ctx context.Context, _ job.Order) (any, error) {
		sent, err := p.Outbox().Sweep(ctx)
		return map[string]int{"sent": sent}, err
	}}, nil
}

// Removals returns what deletes accounts, with the outbox where the process has a bus.
func (p *Parts) Removals() *removal.Removals {
	return removal.New(removal.Options{
		DB: p.DB, Access: p.Access, Mail: p.Mail, Outbox: p.Outbox(), Base: p.Config.BaseURL, Log: p.Log, Now: p.Now,
	})
}

// RemovalsJob returns the job that deletes the accounts that are due.
func (p *Parts) RemovalsJob() (job.Job, error) {
	return job.Job{Name: removal.Job, Run: func(ctx context.Context, _ job.Order) (any, error) {
		return p.Removals().Run(ctx)
	}}, nil
}

// CountsJob returns the job that shows the counters that have changed.
func (p *Parts) CountsJob() (job.Job, error) {
	return job.Job{Name: counting.Job, Run: func(ctx context.Context, _ job.Order) (any, error) {
		return counting.Refresh(ctx, p.DB, p.Now())
	}}, nil
}
