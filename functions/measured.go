package functions

import (
	"context"
	"sync"
	"time"

	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/release"
	"miramundo.dev/shared/guide"
	"miramundo.dev/shared/guide/gather"
	"miramundo.dev/shared/guide/refresh"
	"miramundo.dev/shared/job"
	"miramundo.dev/shared/logo"
	"miramundo.dev/shared/logo/fetch"
	"miramundo.dev/shared/origin"
	"miramundo.dev/shared/probe"
	"miramundo.dev/shared/probe/measure"
	"miramundo.dev/shared/probe/round"
)

// The parts of the catalog that jobs find out between reloads.
type (
	probeLayer struct{ *probe.Live }
	logoLayer  struct{ *logo.Live }
	guideLayer struct {
		*guide.Live
		now func() time.Time
	}
)

func (l probeLayer) Lay(o *index.Overlay) { o.Streams = l.All() }
func (l logoLayer) Lay(o *index.Overlay)  { o.Logos = l.All() }
func (l guideLayer) Lay(o *index.Overlay) { o.Guides = l.Channels(l.now()) }

// measured follows what jobs found out, and returns it as layers of the
// catalog. It sets d.Guide where the function that is served tells of
// programmes, and where all are.
func (d *Deps) measured(ctx context.Context) []release.Layer {
	var probes *probe.Live
	var logos *logo.Live
	var first sync.WaitGroup
	first.Go(func() { probes = probe.Follow(ctx, d.Followers) })
	first.Go(func() { logos = logo.Follow(ctx, d.Followers) })
	if f, ok := Find(d.Config.Target); !ok || f.guides {
		first.Go(func() { d.Guide = guide.Follow(ctx, d.Followers) })
	}
	first.Wait()
	layers := []release.Layer{probeLayer{probes}, logoLayer{logos}}
	if d.Guide != nil {
		layers = append(layers, guideLayer{d.Guide, d.Now})
	}
	return layers
}

// client returns one that asks the addresses that sources name.
func (d Deps) client(o origin.Options) *origin.Client {
	o.UserAgent, o.Allow, o.Deny = d.Config.UserAgent(), d.Config.OriginAllow, d.Config.OwnHosts()
	return origin.New(o)
}

// probe returns the job that measures the streams of the catalog: as a page
// would, with one request at a time to a host.
func (d Deps) probe() job.Job {
	return round.NewJob(round.Options{
		DB: d.DB, Catalog: d.Catalog, Plays: d.Overlay.Plays, Own: d.Config.OriginAllow, Now: d.Now,
		Measurer: measure.New(measure.Options{
			Origin: d.client(origin.Options{PerHost: 1, Shoutcast: true, MaxInFlight: 128, Header: 10 * time.Second, Timeout: 15 * time.Second}),
			Page:   d.Config.BaseURL,
		}),
	})
}

// logos returns the job that fetches the logos of the catalog.
func (d Deps) logos() job.Job {
	return fetch.NewJob(fetch.Options{
		DB: d.DB, Catalog: d.Catalog, Plays: d.Overlay.Plays, Own: d.Config.OriginAllow, Now: d.Now,
		Client: d.client(origin.Options{PerHost: 2, MaxInFlight: 16}),
	})
}

// guides returns the job that reads the guides of the sources.
func (d Deps) guides(sources []guide.Source) job.Job {
	return refresh.NewJob(refresh.Options{
		DB: d.DB, Sources: sources, Now: d.Now,
		Client: d.client(origin.Options{}),
		Catalog: func(context.Context) (*gather.Matcher, error) {
			v, err := d.Catalog.View()
			if err != nil {
				return nil, err
			}
			return refresh.MatcherOf(v.Index()), nil
		},
	})
}
