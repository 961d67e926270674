package oversearch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"miramundo.dev/scripts/bench/sqlitepeer"
	"miramundo.dev/scripts/bench/table"
	"miramundo.dev/shared/catalog/index"
)

// peerQueries is how many searches of each class are made on the peer, which
// needs milliseconds for each.
const peerQueries = 7

// sqlitePart runs the searches with the spec's orders on SQLite FTS5, and compares
// its answers, and its times for the mix, with those of the index. The times of SQLite are wall time, because it may use
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
	p := &peer{db: db, view: v}
	var mean time.Duration
	for _, c := range work {
		took, err := p.ask(ctx, c)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		mean += median(took) * time.Duration(c.weight) / 100
	}
	ratio := float64(mean) / float64(mix)
	t.Row("SQLite FTS5: filled in, s", fmt.Sprintf("%.1f", built.Seconds()))
	t.Row("SQLite FTS5: mix mean, µs", table.Micros(mean))
	t.Goal("SQLite FTS5: same answers", fmt.Sprintf("%d of %d", p.compared-len(p.other), p.compared), "all", len(p.other) == 0)
	for _, line := range p.other {
		t.Row("  " + line)
	}
	t.Goal("times slower than the index", fmt.Sprintf("%.0f", ratio), fmt.Sprintf("%.0f", g.ratio), ratio >= g.ratio)
	return nil
}

// A peer asks SQLite what the index is asked, and compares the answers.
type peer struct {
	db       *sqlitepeer.DB
	view     *index.View
	compared int
	other    []string // the searches with other answers, and how these differ
}

// ask asks the first searches of c, and returns the time that each took.
func (p *peer) ask(ctx context.Context, c class) (took []time.Duration, err error) {
	for _, q := range c.queries[:min(len(c.queries), peerQueries)] {
		start := time.Now()
		docs, total, err := p.db.Ask(ctx, &q)
		if err != nil {
			return nil, err
		}
		took = append(took, time.Since(start))
		p.compared++
		if why := p.difference(&q, docs, total); why != "" {
			p.other = append(p.other, fmt.Sprintf("%s, %+v: %s", c.name, q.Selection, why))
		}
	}
	return took, nil
}

// difference returns how the answer of SQLite to q differs from that of the
// index, or "" when it does not.
func (p *peer) difference(q *index.Query, docs []uint32, total int) string {
	want, wantTotal := p.view.Find(*q)
	if total != wantTotal {
		return fmt.Sprintf("SQLite finds %d, the index %d", total, wantTotal)
	}
	for i := range want {
		if i >= len(docs) || docs[i] != want[i] {
			return fmt.Sprintf("the index has %q at place %d, SQLite does not", p.view.Index().Record(int(want[i])).Name, i+1)
		}
	}
	return ""
}
