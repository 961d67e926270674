package release

import (
	"context"
	"errors"
	"fmt"
	"math"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/source/iptvorg"
	"miramundo.dev/shared/source/radiobrowser"
	"miramundo.dev/shared/store"
)

// The guards compare a release with the current one, TV and radio apart: radio
// has four times the records, so in a sum the loss of all playable channels would
// not show. Each figure names the source file that it comes from. Ids are judged
// twice, since callers keep them: most must lead somewhere, and most must be
// unchanged, because a source that renames all of them at once is broken even
// when each new id can be found. Channels that were closed or blocked must not
// appear in numbers either: somebody asked for that.

// Shares of the current release that a new one must have.
const (
	minRecords  = 0.8
	minPlayable = 0.8
	minIDs      = 0.8
	minSameIDs  = 0.7
	maxShown    = 0.05 // of the closed and blocked channels
)

// shownSlack is the number of closed and blocked channels that may always be
// shown again.
const shownSlack = 5

// guard returns ErrRefused when too much would be lost with r. A release without
// any record is refused even when it is forced.
func (a *Archive) guard(ctx context.Context, r Release, w Override) error {
	if r.Channels+r.Stations == 0 {
		return ErrRefused.With("channels", 0).With("stations", 0)
	}
	if w.Force {
		return nil
	}
	before, err := a.current(ctx)
	if err != nil || before == nil {
		return err
	}
	refusals := compare(*before, r)
	if len(refusals) == 0 {
		return nil
	}
	return ErrRefused.
		With("channels", r.Channels).With("channels_before", before.Channels).
		With("stations", r.Stations).With("stations_before", before.Stations).
		With("playable", r.Playable).With("playable_before", before.Playable).
		With("refusals", refusals)
}

// Check returns what speaks against replacing the current release by r.
func (a *Archive) Check(ctx context.Context, r Release) ([]catalog.Refusal, error) {
	before, err := a.current(ctx)
	if err != nil || before == nil {
		return nil, err
	}
	return compare(*before, r), nil
}

// current returns the current release, nil before the first.
func (a *Archive) current(ctx context.Context) (*Release, error) {
	p, err := a.Current(ctx)
	if errors.Is(err, ErrNoVersion) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	r := new(Release)
	err = a.DB.Get(ctx, releasePath(p.Version), r)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	return r, err
}

// compare returns the figures of r that are too far below those of before.
func compare(before, r Release) []catalog.Refusal {
	var c comparison
	tv, radio := iptvorg.ChannelsPart, radiobrowser.Part.Name
	c.records(tv, "channels", r.Channels, before.Channels)
	c.records(radio, "stations", r.Stations, before.Stations)
	if before.PlayableChannels+before.PlayableStations == 0 { // not counted apart yet
		c.playable(iptvorg.StreamsPart, "channels and stations", r.Playable, before.Playable)
	} else {
		c.playable(iptvorg.StreamsPart, "channels", r.PlayableChannels, before.PlayableChannels)
		c.playable(radio, "stations", r.PlayableStations, before.PlayableStations)
	}
	c.ids(tv, "channels", r.ChannelIDs)
	c.ids(radio, "stations", r.StationIDs)
	return c.refusals
}

// A comparison collects refusals.
type comparison struct{ refusals []catalog.Refusal }

func (c *comparison) records(file, kind string, now, before int) {
	c.atLeast(minRecords, catalog.Refusal{File: file, Figure: catalog.FigureRecords, Value: now, Before: before},
		"the catalog would have %d "+kind+" where it has %d, and must have %d")
}

func (c *comparison) playable(file, kind string, now, before int) {
	c.atLeast(minPlayable, catalog.Refusal{File: file, Figure: catalog.FigurePlayable, Value: now, Before: before},
		"the catalog would have %d playable "+kind+" where it has %d, and must have %d")
}

func (c *comparison) ids(file, kind string, s *Survival) {
	if s == nil {
		return
	}
	c.atLeast(minIDs, catalog.Refusal{File: file, Figure: catalog.FigureIDs, Value: s.Kept, Before: s.Before},
		"%d of the %d ids of "+kind+" would exist or lead on, and %d must")
	c.atLeast(minSameIDs, catalog.Refusal{File: file, Figure: catalog.FigureSameIDs, Value: s.Same, Before: s.Before},
		"%d of the %d ids of "+kind+" would exist unchanged, and %d must")
	c.hidden(file, s)
}

// hidden refuses a release that shows many channels that were closed or blocked.
func (c *comparison) hidden(file string, s *Survival) {
	limit := max(shownSlack, int(maxShown*float64(s.Hidden)))
	if s.Shown > limit {
		c.refusals = append(c.refusals, catalog.Refusal{
			File: file, Figure: catalog.FigureHidden, Value: s.Shown, Before: s.Hidden, Limit: limit,
			Reason: fmt.Sprintf("%d of the %d channels that are closed or blocked would be shown, and %d may", s.Shown, s.Hidden, limit),
		})
	}
}

// atLeast refuses a value below a share of the one before. The format has the
// value, the one before and the limit.
func (c *comparison) atLeast(share float64, r catalog.Refusal, format string) {
	r.Limit = int(math.Ceil(float64(r.Before)*share - 1e-9)) // 100 × 0.7 is a little more than 70
	if r.Value < r.Limit {
		r.Reason = fmt.Sprintf(format, r.Value, r.Before, r.Limit)
		c.refusals = append(c.refusals, r)
	}
}

// Survive returns how many ids of each kind in the release before reg has. Ids of
// an origin that reg has no record of are not counted: the operator has removed
// or replaced that source.
func (b *Before) Survive(reg *catalog.Register) (channels, stations *Survival) {
	now, origins := make(map[string]bool, len(reg.Records)), map[string]bool{}
	for i := range reg.Records {
		now[reg.Records[i].ID] = true
		origins[reg.Records[i].Origin] = true
	}
	channels, stations = new(Survival), new(Survival)
	for id, r := range b.records {
		if !origins[r.origin] {
			continue
		}
		s := channels
		if r.kind == catalog.Station {
			s = stations
		}
		s.Before++
		if now[id] {
			s.Same++
			s.Kept++
		} else if reg.ChannelAliases[id] != "" {
			s.Kept++
		}
	}
	for _, g := range b.Register.Gone {
		if g.Reason == catalog.GoneVanished || g.Kind == catalog.Station {
			continue
		}
		channels.Hidden++
		if now[g.ID] {
			channels.Shown++
		}
	}
	return channels, stations
}

// Note writes what the last reload refused into the sources of the current
// release, which stays as it is.
func (a *Archive) Note(ctx context.Context, sources []catalog.Source) error {
	tried := make(map[string]catalog.Source, len(sources))
	for _, s := range sources {
		tried[s.Name] = s
	}
	err := a.DB.Update(ctx, func(tx store.Tx) error {
		var p Pointer
		if err := tx.Get(pointerPath, &p); err != nil {
			return err
		}
		for i := range p.Sources {
			s := &p.Sources[i]
			if t, ok := tried[s.Name]; ok {
				s.Kept, s.Problem, s.Refusals = t.Kept, t.Problem, t.Refusals
			}
		}
		return tx.Set(pointerPath, p)
	})
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	return err
}
