package jobs

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
	"miramundo.dev/shared/social"
	"miramundo.dev/shared/store"
)

// Probe measures the streams of the catalog that are due. A run takes some
// minutes, and what it leaves is due in the next: it is to run again as soon as
// it has ended, or every five minutes.
//
// The operator's force has it believe what it finds even when nearly no origin
// answers.
type Probe struct {
	DB       store.DB
	Catalog  *release.Live
	Plays    *social.Overlay // says what is played; nil when that is not known
	Measurer probe.Measurer
	Own      []string // addresses, as they stand in URLs, that are reached without a network
	Now      func() time.Time
	Limits   probe.Limits
}

// Job returns the job.
func (p *Probe) Job() job.Job {
	return job.Job{Name: "probe", Run: func(ctx context.Context, o job.Order) (any, error) {
		view, err := p.Catalog.View()
		if errors.Is(err, catalog.ErrNotLoaded) {
			return probe.NewReport(), nil // there is nothing to measure before the first release
		}
		if err != nil {
			return probe.NewReport(), err
		}
		round := probe.Round{
			Measurer: p.Measurer,
			Keeper:   probe.Book{DB: p.DB, Checks: []func(store.Tx) error{job.Fence(ctx)}},
			Targets:  p.targets(view), Own: p.Own, Trust: o.Force, Now: p.Now, Limits: p.Limits,
		}
		return round.Run(ctx)
	}}
}

// measurable are the kinds of streams that can be measured.
var measurable = []string{catalog.StreamHLS, catalog.StreamDASH, catalog.StreamTS, catalog.StreamFLV, catalog.StreamAudio}

// targets returns the streams to measure: those that the catalog shows and that
// can be.
func (p *Probe) targets(v *index.View) []probe.Target {
	var list []probe.Target
	for _, r := range v.Index().Records() {
		plays := p.plays(r.ID)
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

// plays returns how often a channel has been played.
func (p *Probe) plays(channel string) int64 {
	if p.Plays == nil {
		return 0
	}
	c, ok := p.Plays.Counts(channel)
	if !ok {
		return 0
	}
	return c.Plays + c.Played
}
