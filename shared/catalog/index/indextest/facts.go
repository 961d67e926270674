package indextest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
)

// facts are what an overlay knows, by ids that channels have now.
type facts struct {
	streams map[catalog.StreamID]*catalog.Measurement
	since   time.Time
	logos   map[string]string
	guides  map[string]*string // the sites; nil where not known
	uses    map[string]index.Use
}

func gather(reg *catalog.Register, o index.Overlay) facts {
	f := facts{since: o.OnlineSince, logos: map[string]string{}, guides: map[string]*string{}, uses: map[string]index.Use{}}
	if o.Streams != nil {
		f.streams = maps.Collect(o.Streams)
	}
	now := map[string]bool{}
	for i := range reg.Records {
		now[reg.Records[i].ID] = true
	}
	current := func(id string) string {
		for range 8 {
			if now[id] {
				break
			}
			id = reg.ChannelAliases[id]
		}
		return id
	}
	if o.Guides != nil {
		sites := maps.Collect(o.Guides)
		for _, id := range slices.Backward(slices.Sorted(maps.Keys(sites))) {
			f.guides[current(id)] = catalog.TextOrNil(sites[id])
		}
		for id, site := range sites {
			if now[id] {
				f.guides[id] = catalog.TextOrNil(site)
			}
		}
	}
	if o.Uses != nil {
		for id, use := range o.Uses {
			sum := f.uses[current(id)]
			f.uses[current(id)] = index.Use{Plays: sum.Plays + use.Plays, Favorites: sum.Favorites + use.Favorites}
		}
	}
	if o.Logos != nil {
		logos := maps.Collect(o.Logos)
		for _, id := range slices.Backward(slices.Sorted(maps.Keys(logos))) {
			f.logos[current(id)] = logos[id]
		}
		for id, logo := range logos {
			if now[id] {
				f.logos[id] = logo
			}
		}
	}
	return f
}

func (f *facts) playable(r *catalog.Record) bool {
	return slices.ContainsFunc(r.Streams, func(s catalog.StreamRecord) bool {
		m := f.streams[s.ID]
		switch {
		case m == nil:
			return s.Playable
		case m.Health.Status == "online":
			return !m.Closed
		}
		return s.Playable && !slices.Contains([]string{"offline", "timeout", "error"}, m.Health.Status)
	})
}

func (f *facts) health(r *catalog.Record) *catalog.MeasuredHealth {
	var h *catalog.MeasuredHealth
	var checked time.Time
	for _, s := range r.Streams {
		m := f.streams[s.ID]
		if m == nil {
			continue
		}
		if h == nil {
			h = new(catalog.MeasuredHealth)
		}
		if s := m.Health.Score; s != nil && (h.Score == nil || *h.Score < *s) {
			h.Score = s
		}
		h.Online = h.Online || !m.OnlineAt.IsZero() && m.OnlineAt.Sub(f.since) > 0
		if m.Health.CheckedAt == nil {
			continue
		}
		if at, err := time.Parse(time.RFC3339, *m.Health.CheckedAt); err == nil && at.After(checked) {
			checked, h.CheckedAt = at, m.Health.CheckedAt
		}
	}
	return h
}

// Overlay returns what probes, logos, guides and counters may know of a part of reg,
// made up by chance, the same for the same seed, beside what reg does not have. It
// blocks nothing.
func Overlay(seed uint64, reg *catalog.Register) index.Overlay {
	g := &generator{rand.New(rand.NewPCG(seed, 8))}
	streams, logos, guides := map[catalog.StreamID]*catalog.Measurement{7: {}, 8: nil}, map[string]string{"Nowhere.br": "x"}, map[string]string{"Nowhere.br": "x"}
	add := func(id string) {
		if g.chance(0.4) {
			logos[id] = fmt.Sprintf("%s%d", g.of([]string{"l", "L-_", "l", "a b", `"q"/`, "é&<"}), g.IntN(1+len(reg.Records)/2))
		}
		if g.chance(0.1) {
			guides[id] = g.of([]string{"", "a.example", "b.example", `"q"`})
		}
	}
	for i := range reg.Records {
		r := &reg.Records[i]
		add(r.ID)
		for _, s := range r.Streams {
			if g.chance(0.5) {
				streams[s.ID] = g.measurement(reg.BuiltAt)
			}
		}
	}
	for id := range reg.ChannelAliases {
		add(id)
	}
	return index.Overlay{
		Streams: maps.All(streams), OnlineSince: reg.BuiltAt.Add(-48 * time.Hour), Logos: maps.All(logos), Guides: maps.All(guides),
		Uses: maps.All(uses(seed, reg)),
	}
}

// uses returns how much some channels of reg are used, by ids that they have or
// had.
func uses(seed uint64, reg *catalog.Register) map[string]index.Use {
	g := &generator{rand.New(rand.NewPCG(seed, 9))}
	all := map[string]index.Use{"Nowhere.br": {Plays: 1}}
	add := func(id string) {
		if g.chance(0.2) {
			all[id] = index.Use{Plays: g.IntN(1 << g.IntN(14)), Favorites: g.IntN(1 << g.IntN(10))}
		}
	}
	for i := range reg.Records {
		add(reg.Records[i].ID)
	}
	for _, id := range slices.Sorted(maps.Keys(reg.ChannelAliases)) {
		add(id)
	}
	return all
}

// measurement returns what probes may know of a stream at some time before now.
func (g *generator) measurement(now time.Time) *catalog.Measurement {
	at := now.Add(-time.Duration(g.IntN(200)) * time.Hour)
	m := &catalog.Measurement{Closed: g.chance(0.1), CORS: g.chance(0.5)}
	m.Health.Status = g.of([]string{"online", "online", "offline", "blocked", "timeout", "error", "unknown", ""})
	if m.Health.Status == "online" || g.chance(0.3) {
		m.OnlineAt = at
	}
	if score := g.IntN(101); g.chance(0.9) {
		m.Health.Score = &score
	}
	if text := at.In(g.zone()).Format(time.RFC3339); g.chance(0.9) {
		m.Health.CheckedAt = &text
	}
	return m
}

// zone returns a time zone: UTC, as a rule.
func (g *generator) zone() *time.Location {
	if g.chance(0.9) {
		return time.UTC
	}
	return time.FixedZone("", (g.IntN(24)-12)*3600)
}
