package upstream

import (
	"context"
	"errors"
	"time"
)

// directed returns a playlist that meets directives. Those that ask for what
// is known are met by it at once, and those that ask for what nobody can have
// are refused; so only a few can make the origin wait.
func (c *Cache) directed(ctx context.Context, r Request, now time.Time) (*Copy, error) {
	whole := c.view(&r, Directives{}, now)
	known, err := c.known(ctx, whole, now)
	if err != nil {
		return nil, err
	}
	if !known.Info.CanSkip {
		r.Directives.Skip = ""
	}
	verdict := r.Directives.judge(known.Info)
	front := whole.front.Load()
	if verdict == beyond && front != nil {
		verdict = max(ahead, r.Directives.judge(*front)) // there is not what is known in whole
	}
	if verdict == beyond && !now.Before(known.fresh) {
		if known, err = c.await(ctx, c.renew(ctx, whole, whole.kept.Load(), now)); err != nil {
			return nil, err
		}
		verdict = r.Directives.judge(known.Info)
	}
	switch verdict {
	case plain:
		return c.current(ctx, whole, now)
	case there:
		return known, nil
	case beyond:
		return nil, invalid(msnParam, errors.New("the playlist is far from there"))
	}
	n := r.Directives.lane(known.Info)
	if n == furtherLane && front != nil {
		n = r.Directives.lane(*front)
	}
	return c.changed(ctx, r, n, now)
}

// known returns the last copy that a view has, when it is not too old to be
// judged by, or else a new one.
func (c *Cache) known(ctx context.Context, v *view, now time.Time) (*Copy, error) {
	if o := v.kept.Load(); o != nil && o.copy != nil && now.Before(o.copy.stale) {
		return o.copy, nil
	}
	return c.current(ctx, v, now)
}

// changed returns what the origin answers to the directives of r, in lane n.
// Everyone who asks for the same waits together, and nobody is shown an older
// one meanwhile.
func (c *Cache) changed(ctx context.Context, r Request, n int, now time.Time) (*Copy, error) {
	v := c.view(&r, r.Directives, now)
	v.lane.Store(int32(n))
	o := v.kept.Load()
	if o != nil && now.Before(o.until) {
		return o.answer(now)
	}
	return c.await(ctx, c.renew(ctx, v, o, now))
}
