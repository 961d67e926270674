package upstream

import (
	"context"
	"net/netip"
	"time"

	"miramundo.dev/hop/upstream/lowlatency"
)

// This file answers low-latency players, which ask for a segment or part that
// is not published yet and expect the response to wait for it (blocking
// playlist reload, RFC 8216bis 6.2.5.2). Waiting holds connections to
// origins, so a request waits only if the playlist supports it and the
// segment is about to come; everything else is answered from the cache or
// refused.

// directed returns a playlist that meets the directives of r. Directives that
// the cached playlist meets are answered at once, and those that no
// well-behaved player sends are refused, so that only a few requests can hold
// the origin.
func (c *Cache) directed(ctx context.Context, r Request, now time.Time) (*Copy, error) {
	whole := c.rendering(&r, lowlatency.Directives{}, now)
	known, err := c.recent(ctx, whole, r.Client, now)
	if err != nil {
		return nil, err
	}
	if !known.Info.CanSkip {
		r.Directives.Skip = ""
	}
	verdict := r.Directives.Judge(known.Info)
	front := whole.newest.Load()
	if verdict == lowlatency.TooFar && front != nil {
		verdict = max(lowlatency.Upcoming, r.Directives.Judge(*front)) // the cached whole playlist is behind the delta playlist
	}
	if verdict == lowlatency.TooFar && !now.Before(known.fresh) {
		if known, err = c.await(ctx, whole, r.Client, c.renew(ctx, whole, r.Client, whole.Kept(), now, false)); err != nil {
			return nil, err
		}
		verdict = r.Directives.Judge(known.Info)
	}
	switch verdict {
	case lowlatency.Ignored:
		return c.current(ctx, whole, r.Client, now)
	case lowlatency.Available:
		return known, nil
	case lowlatency.TooFar:
		return nil, lowlatency.ErrTooFar
	}
	n := r.Directives.Lane(known.Info)
	if n == lowlatency.FurtherLane && front != nil {
		n = r.Directives.Lane(*front)
	}
	return c.fetchDirected(ctx, r, n, now)
}

// recent returns the last copy of v if it is recent enough to judge
// directives by, or else a new one.
func (c *Cache) recent(ctx context.Context, v *rendering, client netip.Prefix, now time.Time) (*Copy, error) {
	if o := v.Kept(); o != nil && o.copy != nil && now.Before(o.copy.stale) {
		return o.copy, nil
	}
	return c.current(ctx, v, client, now)
}

// fetchDirected returns what the origin answers to the directives of r, in
// lane n. Callers with the same directives wait for one request, and none
// gets an older copy meanwhile.
func (c *Cache) fetchDirected(ctx context.Context, r Request, n int, now time.Time) (*Copy, error) {
	v := c.rendering(&r, r.Directives, now)
	v.lane.Store(int32(n))
	o := v.Kept()
	if o != nil && now.Before(o.until) {
		return o.answer(now)
	}
	return c.await(ctx, v, r.Client, c.renew(ctx, v, r.Client, o, now, false))
}
