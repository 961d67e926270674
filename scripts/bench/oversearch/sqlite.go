package oversearch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"miramundo.dev/scripts/bench/sqlitepeer"
	"miramundo.dev/scripts/bench/table"
	"miramundo.dev/shared/catalog/index"
)

// peerQueries is how many searches of each class are made on the peer, which
// needs milliseconds for each.
const peerQueries = 7

// sqlitePart runs the mix on SQLite FTS5, and compares its answers and its times
// with those of the index. The times of SQLite are wall time, because it may use
// other threads.
func sqlitePart(ctx context.Context, t *table.Table, v *index.View, work []class, mix time.Duration, g goal) error {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	start := time.Now()
	db, err := sqlitepeer.Fill(ctx, filepath.Join(dir, "peer.db"), v)
	if err != nil {
		return err
	}
	defer db.Close()
	built := time.Since(start)
	runtime.GC()
	var mean time.Duration
	same, compared := 0, 0
	for _, c := range work {
		if c.weight == 0 {
			continue
		}
		var took []time.Duration
		for _, q := range c.queries[:min(len(c.queries), peerQueries)] {
			start := time.Now()
			ids, total, err := db.Ask(ctx, &q)
			if err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			took = append(took, time.Since(start))
			docs, want := v.Find(q)
			compared++
			if total == want && slices.Equal(ids, docs) {
				same++
			}
		}
		mean += median(took) * time.Duration(c.weight) / 100
	}
	ratio := float64(mean) / float64(mix)
	t.Row("SQLite FTS5: filled in, s", fmt.Sprintf("%.1f", built.Seconds()))
	t.Row("SQLite FTS5: mix mean, µs", table.Micros(mean))
	t.Row("SQLite FTS5: same answers", fmt.Sprintf("%d of %d", same, compared))
	t.Goal("times slower than the index", fmt.Sprintf("%.0f", ratio), fmt.Sprintf("%.0f", g.ratio), ratio >= g.ratio)
	return nil
}
