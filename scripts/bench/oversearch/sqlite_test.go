package oversearch

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/scripts/bench/sqlitepeer"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/index/indextest"
)

// TestSQLiteAnswersTheSame checks that the peer gives the same answers as the
// index, so that comparing their times is fair. The overlay has what probes
// find in production too: channels with a health and no score, and streams
// that stopped or started to be playable since the release.
func TestSQLiteAnswersTheSame(t *testing.T) {
	reg := indextest.Synthetic(1, 3000)
	ix, err := index.Build(reg)
	if err != nil {
		t.Fatal(err)
	}
	v := index.NewView(ix, indextest.Overlay(seedChosen, reg), links)
	db, err := sqlitepeer.Fill(t.Context(), filepath.Join(t.TempDir(), "peer.db"), v)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, c := range workload(reg) {
		t.Run(c.name, func(t *testing.T) {
			if len(c.queries) < peerQueries {
				t.Fatalf("the catalog gives %d queries, want %d", len(c.queries), peerQueries)
			}
			for _, q := range c.queries[:peerQueries] {
				docs, total, err := db.Ask(t.Context(), &q)
				if err != nil {
					t.Fatal(err)
				}
				wantDocs, want := v.Find(q)
				if diff := cmp.Diff(wantDocs, docs); diff != "" || total != want {
					t.Errorf("%+v: total %d, want %d; docs (-index +SQLite):\n%s", q, total, want, diff)
				}
			}
		})
	}
}
