package guest

import (
	"math"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"miramundo.dev/shared/identity"
)

// every is how often a network gets another token, once it has had those that it gets
// at once: as many as a household or an office needs. A token costs nothing to make, but
// each counts as a person where plays and comments are counted.
const every = 30 * time.Second

// maxNetworks is how many networks are counted separately, in about 2 MiB. Networks
// beyond that share one allowance.
const maxNetworks = 1 << 14

// A limit counts the tokens of each network in this process alone: a network has its
// allowance once per instance of the function.
type limit struct {
	now    func() time.Time
	atOnce int // tokens that a network gets at once
	mu     sync.Mutex
	by     map[netip.Prefix]*rate.Limiter // guarded by mu
	others *rate.Limiter                  // shared by the networks beyond maxNetworks
	swept  time.Time                      // guarded by mu
}

func newLimit(atOnce int, now func() time.Time) *limit {
	l := &limit{now: now, atOnce: atOnce, by: map[netip.Prefix]*rate.Limiter{}}
	l.others = l.newLimiter()
	return l
}

func (l *limit) newLimiter() *rate.Limiter { return rate.NewLimiter(rate.Every(every), l.atOnce) }

// take takes one token from the allowance of the network of a, or returns ErrTooMany
// with the seconds to wait. Callers without an address share one allowance.
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
	one := l.newLimiter()
	l.by[network] = one
	return one
}

// sweep forgets the networks that have their whole allowance again. It does so at
// most once in the time in which an allowance grows by one.
func (l *limit) sweep(now time.Time) {
	if now.Sub(l.swept) < every {
		return
	}
	l.swept = now
	for network, one := range l.by {
		if one.TokensAt(now) >= float64(l.atOnce) {
			delete(l.by, network)
		}
	}
}
