package oversearch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"miramundo.dev/scripts/bench/report"
	"miramundo.dev/scripts/bench/searchpeers"
	"miramundo.dev/shared/catalog/index"
)

// peerQueries is how many searches of each class are made on a peer, which needs
// milliseconds for each.
const peerQueries = 7

// maxListed bounds how many searches with other answers are listed for a peer.
const maxListed = 5

// A maker of a peer fills it with the records of a view. It may use the folder dir.
type peerMaker struct {
	make  func(ctx context.Context, dir string, v *index.View) (searchpeers.Peer, error)
	exact bool // it must give the answers of the index, and is judged; otherwise it finds more
}

var peerMakers = []peerMaker{
	{func(ctx context.Context, dir string, v *index.View) (searchpeers.Peer, error) {
		return searchpeers.SQLite(ctx, filepath.Join(dir, "peer.db"), v)
	}, true},
	{func(ctx context.Context, dir string, v *index.View) (searchpeers.Peer, error) {
		return searchpeers.Postgres(ctx, filepath.Join(dir, "postgres"), v)
	}, true},
	{func(_ context.Context, _ string, v *index.View) (searchpeers.Peer, error) { return searchpeers.Scan(v) }, false},
}

// peersPart runs the searches with the spec's orders on each peer, and compares its
// answers, and its times for the mix, with those of the index. The times of peers are
// wall time, because they may use other threads and processes.
func peersPart(ctx context.Context, t *report.Report, v *index.View, work []class, mix time.Duration, g goal) error {
	t.Head("peer", "filled in s", "mix of medians, µs", "times slower", "goal", "", "same answers")
	var other []string
	for _, m := range peerMakers {
		p, err := askPeer(ctx, m, v, work)
		if errors.Is(err, searchpeers.ErrNotInstalled) {
			other = append(other, "not measured: "+err.Error())
			continue
		}
		if err != nil {
			return err
		}
		ratio := float64(p.mean) / float64(mix)
		asked, verdict := "", ""
		if m.exact {
			asked, verdict = fmt.Sprintf("≥ %.0f", g.ratio), report.Verdict(ratio >= g.ratio)
			other = append(other, p.other[:min(len(p.other), maxListed)]...)
		}
		t.Row(p.name, fmt.Sprintf("%.1f", p.filled.Seconds()), report.Micros(p.mean), fmt.Sprintf("%.0f", ratio), asked, verdict, p.agreement(m.exact))
	}
	for _, line := range other {
		t.Note("%s", line)
	}
	return nil
}

// askPeer fills a peer and asks it the first searches of each class.
func askPeer(ctx context.Context, m peerMaker, v *index.View, work []class) (p *peer, err error) {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o711); err != nil { // a database runs as another user
		return nil, err
	}
	start := time.Now()
	db, err := m.make(ctx, dir, v)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	p = &peer{Peer: db, name: db.Name(), filled: time.Since(start), view: v}
	runtime.GC()
	for _, c := range work {
		took, err := p.ask(ctx, c)
		if err != nil {
			return nil, fmt.Errorf("%s, %s: %w", p.name, c.name, err)
		}
		if len(took) > 0 {
			p.mean += median(took) * time.Duration(c.weight) / 100
		}
	}
	return p, nil
}

// A peer is asked what the index is asked, and its answers are compared.
type peer struct {
	searchpeers.Peer
	name     string
	filled   time.Duration
	mean     time.Duration // of the mix
	view     *index.View
	compared int
	other    []string // the searches with other answers, and how these differ
}

// ask asks the first searches of c, and returns the time that each took.
func (p *peer) ask(ctx context.Context, c class) (took []time.Duration, err error) {
	for _, q := range c.queries[:min(len(c.queries), peerQueries)] {
		start := time.Now()
		docs, total, err := p.Ask(ctx, &q)
		if err != nil {
			return nil, err
		}
		took = append(took, time.Since(start))
		p.compared++
		if why := p.difference(&q, docs, total); why != "" {
			p.other = append(p.other, fmt.Sprintf("%s, %s, %+v: %s", p.name, c.name, q.Selection, why))
		}
	}
	return took, nil
}

// agreement says how many answers are those of the index. A peer that must agree is
// judged.
func (p *peer) agreement(exact bool) string {
	text := fmt.Sprintf("%d of %d", p.compared-len(p.other), p.compared)
	if exact {
		text += ", " + report.Verdict(len(p.other) == 0)
	}
	return text
}

// difference returns how the answer of the peer to q differs from that of the index,
// or "" when it does not.
func (p *peer) difference(q *index.Query, docs []uint32, total int) string {
	want, wantTotal := p.view.Find(*q)
	if total != wantTotal {
		return fmt.Sprintf("it finds %d, the index %d", total, wantTotal)
	}
	for i := range want {
		if i >= len(docs) || docs[i] != want[i] {
			return fmt.Sprintf("the index has %q at place %d, the peer does not", p.view.Index().Record(int(want[i])).Name, i+1)
		}
	}
	return ""
}
