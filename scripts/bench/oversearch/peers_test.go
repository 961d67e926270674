package oversearch

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/scripts/bench/searchpeers"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/index/indextest"
)

// TestPeersAnswerTheSame checks that the peers give the same answers as the index, so
// that comparing their times is fair. The overlay has what probes find in production
// too: channels with a health and no score, and streams that stopped or started to be
// playable since the release. The scan, which also finds words within others, must
// give the same answers to searches without words.
func TestPeersAnswerTheSame(t *testing.T) {
	reg := indextest.Synthetic(1, 3000)
	ix, err := index.Build(reg)
	if err != nil {
		t.Fatal(err)
	}
	v := index.NewView(ix, indextest.Overlay(seedChosen, reg), links)
	for _, m := range peerMakers {
		dir := t.TempDir()
		for _, folder := range []string{filepath.Dir(dir), dir} { // a database runs as another user
			if err := os.Chmod(folder, 0o711); err != nil {
				t.Fatal(err)
			}
		}
		p, err := m.make(t.Context(), dir, v)
		if errors.Is(err, searchpeers.ErrNotInstalled) {
			t.Logf("not tested: %v", err)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range workload(reg) {
			if c.words() && !m.exact {
				continue
			}
			t.Run(p.Name()+"/"+c.name, func(t *testing.T) {
				if len(c.queries) < peerQueries {
					t.Fatalf("the catalog gives %d queries, want %d", len(c.queries), peerQueries)
				}
				for _, q := range c.queries[:peerQueries] {
					docs, total, err := p.Ask(t.Context(), &q)
					if err != nil {
						t.Fatal(err)
					}
					wantDocs, want := v.Find(q)
					if diff := cmp.Diff(wantDocs, docs); diff != "" || total != want {
						t.Errorf("%+v: total %d, want %d; docs (-index +peer):\n%s", q, total, want, diff)
					}
				}
			})
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}
