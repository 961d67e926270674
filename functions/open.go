package functions

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/block"
	"miramundo.dev/shared/catalog/release"
	"miramundo.dev/shared/catalog/reload"
	"miramundo.dev/shared/config"
	"miramundo.dev/shared/guide"
	"miramundo.dev/shared/job"
	"miramundo.dev/shared/origin"
	"miramundo.dev/shared/overlay"
	"miramundo.dev/shared/social"
	"miramundo.dev/shared/source"
	"miramundo.dev/shared/source/collect"
	"miramundo.dev/shared/wire"
)

// Local is what only the local stack adds to its dependencies.
type Local struct {
	Extra    *source.Dataset        // records beside those of the sources
	Progress func(collect.Progress) // told how far a reload has come
}

// Open opens what c names: the database, the bus, and the catalog in it, which
// it follows until ctx is done. Close releases them.
func Open(ctx context.Context, c config.Config, log *slog.Logger, l Local) (d Deps, close func() error, err error) {
	guides, err := guide.Parse(c.GuideSources)
	if err != nil {
		return Deps{}, nil, fmt.Errorf("GUIDE_SOURCES: %w", err)
	}
	db, events, err := wire.Open(ctx, wire.Config{
		Backend: wire.Backend(c.Backend), DataDir: c.DataDir, Project: c.Project,
		FirestoreHost: c.FirestoreHost, PubSubHost: c.PubSubHost,
		Topology: social.Topology(), Log: log,
	})
	if err != nil {
		return Deps{}, nil, err
	}
	d = Deps{Config: c, Log: log, Now: time.Now, DB: db, Bus: events}
	d.Archive = &release.Archive{DB: db, Now: d.Now}
	d.Blocks = block.NewList(db)
	d.Followers = overlay.NewSet(db, log, d.Now)
	d.Catalog = release.Follow(ctx, d.Followers, release.Options{
		Archive: d.Archive, Blocks: d.Blocks,
		Links: d.links(), Layers: d.measured(ctx),
	})
	d.Overlay = social.FollowOverlay(ctx, d.Followers)
	d.Jobs = job.NewRunner(db, log, d.Now, d.reload(l), d.guides(guides), d.logos(), d.probe(),
		d.sweepReports(), d.sweepOutbox(), d.refreshOverlay())
	return d, func() error { return errors.Join(events.Close(), db.Close()) }, nil
}

// links says where the parts of the service are.
func (d Deps) links() catalog.LinkBase {
	return catalog.LinkBase{Base: d.Config.BaseURL, Hop: d.Config.HopURL, Legacy: d.Config.LegacyURL}
}

// reload returns the job that reads the sources that the configuration names.
func (d Deps) reload(l Local) job.Job {
	plan := Plan(d.Config.Catalog, d.Config)
	plan.Extra = l.Extra
	return reload.NewJob(reload.Options{
		Plan: plan, Archive: d.Archive, Now: d.Now,
		Collect: collect.Options{
			Client:   d.client(origin.Options{}),
			Cache:    collect.Documents(d.DB),
			Now:      d.Now,
			Progress: l.Progress,
		},
	})
}

// Plan says which sources a catalog setting means: "live", "sample" or a
// folder.
func Plan(setting string, c config.Config) collect.Plan {
	switch setting {
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
	place := collect.Folder(setting)
	return collect.Plan{IPTVOrg: place, Radio: place}
}
