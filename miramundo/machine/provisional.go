package machine

import (
	"context"
	"time"
)

// liveInterval is how often AwaitLive asks the live sources.
const liveInterval = 10 * time.Minute

// Provisional reports whether the sample is shown although nobody asked for it, because
// the live sources gave nothing.
func (m *Machine) Provisional() bool { return m.Catalog == "" && m.Config.Catalog == Sample }

// AwaitLive returns when the live sources answer, at the earliest ten minutes from now,
// or when ctx is done. Load then shows them.
func (m *Machine) AwaitLive(ctx context.Context) { await(ctx, probe(m.Config)) }

// await returns when answers returns no error, or when ctx is done.
func await(ctx context.Context, answers func(context.Context) error) {
	tick := time.NewTicker(liveInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		within, cancel := context.WithTimeout(ctx, probeTime)
		err := answers(within)
		cancel()
		if err == nil {
			return
		}
	}
}
