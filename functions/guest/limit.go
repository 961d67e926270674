package guest

import (
	"math"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"miramundo.dev/shared/identity"
)

// How many guests may come from a network: as many as a household or an office
// brings at once, then one in a while. A guest costs the service nothing, but
// each counts as a person where plays and comments are counted.
const (
	atOnce = 30
	every  = 30 * time.Second
)

// maxNetworks is how many networks are told apart, in about 2 MiB. Those that
// come when there is no room share one allowance.
const maxNetworks = 1 << 14

// A limit counts the guests of each network, in this process alone: as many
// instances as there are, as many times a network has its allowance.
type limit struct {
	now    func() time.Time
	mu     sync.Mutex
	by     map[netip.Prefix]*rate.Limiter // guarded by mu
	others *rate.Limiter                  // of networks that there is no room for
	swept  time.Time                      // guarded by mu
}

func newLimit(now func() time.Time) *limit {
	return &limit{now: now, by: map[netip.Prefix]*rate.Limiter{}, others: newLimiter()}
}

func newLimiter() *rate.Limiter { return rate.NewLimiter(rate.Every(every), atOnce) }

// take lets one guest come from the network of a, or returns ErrTooMany with
// when to come again. Callers without an address are of one network.
func (l *limit) take(a netip.Addr) error {
	now := l.now()
	r := l.of(identity.Network(a), now).ReserveN(now, 1)
	wait := r.DelayFrom(now)
	if wait == 0 {
		return nil
	}
	r.CancelAt(now)
	return ErrTooMany.With("retry_after", int(math.Ceil(wait.Seconds())))
}

// of returns the limiter of a network.
func (l *limit) of(network netip.Prefix, now time.Time) *rate.Limiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	if one, ok := l.by[network]; ok {
		return one
	}
	if len(l.by) >= maxNetworks {
		l.sweep(now)
	}
	if len(l.by) >= maxNetworks {
		return l.others
	}
	one := newLimiter()
	l.by[network] = one
	return one
}

// sweep forgets the networks that have their whole allowance again. It looks no
// more often than allowances grow.
func (l *limit) sweep(now time.Time) {
	if now.Sub(l.swept) < every {
		return
	}
	l.swept = now
	for network, one := range l.by {
		if one.TokensAt(now) >= atOnce {
			delete(l.by, network)
		}
	}
}
