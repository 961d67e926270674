package check

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"time"

	"miramundo.dev/scripts/bench/machine"
	"miramundo.dev/scripts/scale/capacity"
	"miramundo.dev/scripts/scale/world"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/build"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/chat"
	"miramundo.dev/shared/fact"
	"miramundo.dev/shared/social"
	"miramundo.dev/shared/source/collect"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/wire"
)

// How many calls are measured: those that write are another one each for a person.
const (
	measuredPeople = 300
	measuredReads  = 4000
	measuredWrites = 900
	rounds         = 3
)

// Measure measures what one call of each kind takes, each kind alone, and what else the
// model takes from a machine. Times are divided by the factor of the machine.
func Measure(ctx context.Context, m *capacity.Model) (found *world.Measurement, err error) {
	s, err := Start(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	c, err := gather(ctx, s.URL, measuredPeople)
	if err != nil {
		return nil, err
	}
	if found, err = s.measureCalls(ctx, m, c); err != nil {
		return nil, err
	}
	return found, measureStored(ctx, found)
}

// measureCalls measures the calls.
func (s *Stack) measureCalls(ctx context.Context, m *capacity.Model, c *crowd) (*world.Measurement, error) {
	found := &world.Measurement{Date: time.Now().UTC().Format(time.DateOnly), Machine: machine.Describe().CPU, Calls: map[string]world.Cost{}}
	for _, call := range m.Calls {
		if call.Assumed {
			continue
		}
		cost, times, err := s.median(ctx, c, m, call)
		if err != nil {
			return nil, err
		}
		found.Factor = times
		found.Calls[call.Name] = cost
		fmt.Fprintf(os.Stderr, "scale: %-10s %6.0f µs %7.0f bytes %5.2f reads %5.2f writes, on a machine %.2f times slower\n",
			call.Name, cost.Processor, cost.Bytes, cost.Documents.Reads, cost.Documents.Writes, found.Factor)
	}
	return found, nil
}

// median measures a call in several rounds, since a shared machine changes its speed; one
// that writes in a single one. It
// returns the round whose processor time is in the middle, divided by how many times
// slower the machine was then.
func (s *Stack) median(ctx context.Context, c *crowd, m *capacity.Model, call world.Priced) (cost world.Cost, times float64, err error) {
	type round struct {
		cost  world.Cost
		times float64
	}
	var all []round
	n := rounds
	if writes(call) {
		n = 1 // what people do again is not written again
	}
	for range n {
		before, err := slower(ctx)
		if err != nil {
			return cost, 0, err
		}
		cost, err := s.measure(ctx, c, m, call)
		if err != nil {
			return cost, 0, err
		}
		after, err := slower(ctx)
		if err != nil {
			return cost, 0, err
		}
		times := (before + after) / 2
		cost.Processor /= times
		all = append(all, round{cost, times})
	}
	slices.SortFunc(all, func(a, b round) int { return cmp.Compare(a.cost.Processor, b.cost.Processor) })
	middle := all[len(all)/2]
	return middle.cost, middle.times, nil
}

// writes reports whether a call writes documents or publishes facts.
func writes(c world.Priced) bool { return c.Documents.Writes > 0 || c.Facts > 0 }

// measure makes many calls of one kind, and returns what one takes on this machine.
func (s *Stack) measure(ctx context.Context, c *crowd, m *capacity.Model, call world.Priced) (cost world.Cost, err error) {
	n := measuredReads
	if writes(call) {
		n = measuredWrites
	}
	if call.Once {
		n = measuredPeople // the others publish nothing
	}
	return s.cost(ctx, c, call, Only(m, call.Name, n, measuredPeople, len(c.channels)))
}

// cost replays a day of calls of one kind, and returns what one of them took. What was
// published is counted before the end; without facts nothing is left to be done then.
func (s *Stack) cost(ctx context.Context, c *crowd, call world.Priced, d Day) (cost world.Cost, err error) {
	n := float64(len(d.steps))
	before, err := s.Settle(ctx)
	if err != nil {
		return cost, err
	}
	if _, err := c.replay(ctx, d, 0); err != nil {
		return cost, err
	}
	read := s.Counts
	if call.Facts > 0 {
		read = s.Settle
	}
	after, err := read(ctx)
	if err != nil {
		return cost, err
	}
	took := after.less(before)
	return world.Cost{
		Requests: len(d.steps), Processor: took.Processor * 1e6 / n, Bytes: took.Bytes / n,
		Documents: world.Documents{Reads: took.Reads / n, Writes: took.Writes / n},
	}, nil
}

// slower returns how much slower this machine is now than that of the goals.
func slower(ctx context.Context) (float64, error) {
	ds, err := collect.Load(ctx, collect.Sample(), collect.Options{})
	if err != nil {
		return 0, err
	}
	reg, _ := build.Register(ds, nil, time.Now())
	ix, err := index.Build(reg)
	if err != nil {
		return 0, err
	}
	g, err := machine.NewGauge(index.NewView(ix, index.Overlay{}, catalog.LinkBase{Base: "https://miramundo.example", Hop: "https://hop.miramundo.example", Legacy: "https://legacy.miramundo.example"}))
	if err != nil {
		return 0, err
	}
	var f machine.Factor
	f.Add(g)
	return f.Readings[0], nil
}

// measureStored measures what is read and written by other processes than the stack.
func measureStored(ctx context.Context, found *world.Measurement) (err error) {
	dir, err := os.MkdirTemp("", "scale")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	db, events, err := wire.Open(ctx, wire.Config{Backend: wire.Embedded, DataDir: dir, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, events.Close(), db.Close()) }()
	if found.Decode, err = decode(ctx, db, found.Factor); err != nil {
		return err
	}
	found.ChannelBytes, err = channelBytes(ctx, db)
	return err
}

// decode returns the µs in which an instance reads the presence of another one, with 1,000
// sockets in as many rooms.
func decode(ctx context.Context, db store.DB, times float64) (float64, error) {
	const instances, rooms, reads = 20, 1000, 20
	now := time.Now()
	r := chat.New(chat.Options{DB: db, Free: true, Now: func() time.Time { return now }})
	sockets := map[string]int{}
	for i := range rooms {
		sockets[fmt.Sprintf("Channel%d.br", i)] = 1
	}
	for i := range instances {
		if err := r.Announce(ctx, fmt.Sprint(i), sockets); err != nil {
			return 0, err
		}
	}
	start := machine.ProcessCPU()
	for range reads {
		now = now.Add(6 * time.Second) // what was read is remembered for five
		if _, err := r.Watching(ctx, "Channel0.br"); err != nil {
			return 0, err
		}
	}
	took := machine.ProcessCPU() - start
	return took.Seconds() * 1e6 / instances / reads / times, nil
}

// channelBytes returns what a channel takes in a shard of the counts, without detail.
func channelBytes(ctx context.Context, db store.DB) (float64, error) {
	const channels = 5000
	var changed []social.Counted
	for i := 0; len(changed) < channels; i++ {
		id := fmt.Sprintf("Channel%d.br", i)
		if social.ShardOf(id) != 0 {
			continue
		}
		at := store.At(time.Date(2026, 11, 1, 0, 0, i%86400, 0, time.UTC))
		changed = append(changed, social.Counted{
			Channel: id, Ledger: fact.Ledger{Revision: int64(1 + i%100)},
			Counts: social.Counts{Plays: int64(1 + i%977), Fails: int64(i % 31), Played: int64(i % 499), Favorites: int64(i % 7), LastOKAt: at},
		})
	}
	if err := social.ShowCounts(ctx, db, 0, changed); err != nil {
		return 0, err
	}
	var kept struct {
		Data []byte `json:"data"`
	}
	err := db.Get(ctx, "overlays/social/shards/0", &kept)
	return float64(len(kept.Data)) / channels, err
}

// Save writes what was measured into a file.
func Save(found *world.Measurement, file string) error {
	text, err := json.MarshalIndent(found, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o644)
}
