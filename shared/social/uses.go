package social

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"
	"sync/atomic"
	"time"
)

// The catalog rates channels also by how much they are used. A rating need not be
// fresh, and each change of one makes the catalog order all its records again. So
// the counters are not followed but sampled every few minutes, off the path of
// requests, and a sample that equals the last one changes nothing.

// SampleEvery is how often counters are sampled for ratings.
const SampleEvery = 5 * time.Minute

// maxUses is how many channels a sample has, those that are used most: about 2 MB.
const maxUses = 20_000

// A Use is how much people use a channel.
type Use struct{ Plays, Favorites int }

// Uses are samples of how much the channels of an [Overlay] are used. The methods
// may be called concurrently, and never wait.
type Uses struct {
	overlay *Overlay
	sample  atomic.Pointer[map[string]Use] // is replaced as a whole
	changed chan struct{}
}

// SampleUses samples the counters of o every so often until ctx is done, for the
// first time when all of them have come. It returns at once.
func SampleUses(ctx context.Context, o *Overlay, every time.Duration) *Uses {
	u := &Uses{overlay: o, changed: make(chan struct{}, 1)}
	u.sample.Store(&map[string]Use{})
	go u.run(ctx, every)
	return u
}

// All returns the channels of the last sample. What it yields does not change.
func (u *Uses) All() iter.Seq2[string, Use] { return maps.All(*u.sample.Load()) }

// Changed returns a channel that holds a token when a sample differed from the one
// before it since a token was last taken.
func (u *Uses) Changed() <-chan struct{} { return u.changed }

func (u *Uses) run(ctx context.Context, every time.Duration) {
	if u.overlay.Loaded(ctx) != nil {
		return
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		u.take()
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// take samples the counters as they are now.
func (u *Uses) take() {
	now := mostUsed(u.overlay.uses(), maxUses)
	if maps.Equal(now, *u.sample.Load()) {
		return
	}
	u.sample.Store(&now)
	select {
	case u.changed <- struct{}{}:
	default: // a signal is already pending
	}
}

// uses returns the channels that are used.
func (o *Overlay) uses() map[string]Use {
	all := map[string]Use{}
	for n := range o.shards {
		shard := o.shards[n].Load()
		if shard == nil {
			continue
		}
		for channel, c := range *shard {
			if use := c.use(); use != (Use{}) {
				all[channel] = use
			}
		}
	}
	return all
}

// Use returns how much a channel is used, as far as it may move the channel in lists; zero
// when it has no counts.
func (o *Overlay) Use(channel string) Use {
	c, ok := o.Counts(channel)
	if !ok {
		return Use{}
	}
	return c.use()
}

// use returns how much a channel is used, as far as it may move the channel in lists:
// by the networks that are heard, and not by the counters of owners. A favorite that
// ended takes its voice along only when fewer owners than networks are left, and
// favorites of fewer than MinNetworks networks say nothing.
func (c *Counts) use() Use {
	u := Use{Plays: int(max(c.Heard.Plays, 0)), Favorites: int(max(min(c.Favorites, c.Heard.Favorites), 0))}
	if u.Favorites < MinNetworks {
		u.Favorites = 0
	}
	return u
}

// mostUsed returns the n channels of all that are used most.
func mostUsed(all map[string]Use, n int) map[string]Use {
	if len(all) <= n {
		return all
	}
	order := slices.SortedFunc(maps.Keys(all), func(a, b string) int {
		x, y := all[a], all[b]
		return cmp.Or(cmp.Compare(y.Plays+y.Favorites, x.Plays+x.Favorites), cmp.Compare(a, b))
	})
	for _, channel := range order[n:] {
		delete(all, channel)
	}
	return all
}
