// Package round is the job that measures the streams of the catalog that are due.
//
// A run takes about five minutes at most, and leaves the streams that it does not reach
// to the next. It should therefore run again as soon as it has ended, or every
// five minutes. Workers measure, one goroutine hands out tasks and collects the
// results (round.go), the agenda keeps each host below its limit (agenda.go), and
// results are stored in batches, so that a run may be stopped at any point.
//
// Results are void when our own network seems to fail: thousands of streams
// would be marked offline at once. The rule is in network.go.
package round

import (
	"context"
	"errors"
	"slices"
	"time"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/release"
	"miramundo.dev/shared/job"
	"miramundo.dev/shared/probe"
	"miramundo.dev/shared/store"
)

// Name is the name of the job.
const Name = "probe"

// Options are the parts that the job uses. All but Plays, Own and Limits are
// required.
type Options struct {
	DB       store.DB
	Catalog  *release.Live
	Plays    func(channel string) int64 // how often a channel was played; nil when unknown
	Measurer probe.Measurer
	Own      []string // addresses, as written in URLs, that are reached without a network
	Now      func() time.Time
	Limits   Limits
}

// NewJob returns the job that measures the streams of o.Catalog. Its result is a
// *[Report]. A forced run believes its results even when nearly no origin
// answers.
func NewJob(o Options) job.Job {
	return job.Job{Name: Name, Run: func(ctx context.Context, order job.Order) (any, error) {
		view, err := o.Catalog.View()
		if errors.Is(err, catalog.ErrNotLoaded) {
			return NewReport(), nil // before the first release there is nothing to measure
		}
		if err != nil {
			return NewReport(), err
		}
		r := Round{
			Measurer: o.Measurer,
			Keeper:   probe.Book{DB: o.DB, Checks: []func(store.Tx) error{job.Fence(ctx)}},
			Targets:  targets(view, o.plays), Own: o.Own, Trust: order.Force, Now: o.Now, Limits: o.Limits,
		}
		return r.Run(ctx)
	}}
}

// measurable are the kinds of streams that can be measured.
var measurable = []string{catalog.StreamHLS, catalog.StreamDASH, catalog.StreamTS, catalog.StreamFLV, catalog.StreamAudio}

// targets returns the measurable streams that the catalog shows. Blocked streams
// are not measured.
func targets(v *index.View, playsOf func(channel string) int64) []probe.Target {
	var list []probe.Target
	for _, r := range v.Index().Records() {
		plays := playsOf(r.ID)
		for i := range r.Streams {
			s := &r.Streams[i]
			if !slices.Contains(measurable, s.Kind) {
				continue
			}
			if _, shown := v.Stream(s.ID.String()); !shown {
				continue
			}
			list = append(list, probe.Target{
				ID: s.ID, URL: s.URL, Kind: s.Kind, Referrer: s.Referrer, UserAgent: s.UserAgent, Popularity: plays,
			})
		}
	}
	return list
}

// plays returns how often a channel was played, 0 when that is unknown.
func (o *Options) plays(channel string) int64 {
	if o.Plays == nil {
		return 0
	}
	return o.Plays(channel)
}
