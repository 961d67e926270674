package embedded

import "context"

// Drop deletes what is too old, now.
func Drop(b *Bus, ctx context.Context) (int64, error) { return b.dropOld(ctx) }
