package embedded

import (
	"context"
	"time"
)

// Drop deletes what was too old at an earlier time and is too old now.
func Drop(b *Bus, ctx context.Context, before time.Time) (int64, error) {
	return b.dropOld(ctx, before.Add(-b.o.Retry.Keep), b.oldest())
}

// Mend makes due what a clock that was ahead has put off.
func Mend(b *Bus, ctx context.Context) (int64, error) { return b.mendDue(ctx) }
