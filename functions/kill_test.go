package functions

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/job"
	"miramundo.dev/shared/killtest"
	"miramundo.dev/shared/source"
	"miramundo.dev/shared/source/collect"
	"miramundo.dev/shared/store/embedded"
)

// edition returns the n-th edition of a catalog, whose number is in all names, so
// that a mixture of two would show.
func edition(n int) *source.Dataset {
	ds := &source.Dataset{}
	for i := range 3000 {
		id := fmt.Sprintf("C%d.br", i)
		ds.Channels = append(ds.Channels, source.Channel{ID: id, Name: fmt.Sprintf("Edition %d channel %d", n, i), Country: "BR"})
		ds.Streams = append(ds.Streams, source.Stream{Channel: id, URL: fmt.Sprintf("https://h%d.example/%d.m3u8", i, n)})
	}
	return ds
}

// reloadForever is the child process: it publishes one edition after another,
// and reports the number of each before it does.
func reloadForever(t *testing.T, file string) {
	db, err := embedded.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	d := deps(t, db, collect.Place{})
	for n := 1; ; n++ {
		killtest.Say("edition", n)
		if _, err := reloadOf(d, collect.Plan{Extra: edition(n)}).Run(t.Context(), job.Order{Manual: true}); err != nil {
			t.Fatal(err)
		}
	}
}

// TestProcessKilledWhileReloading kills a reloading process at random points. The database then
// contains one whole edition.
func TestProcessKilledWhileReloading(t *testing.T) {
	t.Parallel()
	if args, ok := killtest.Child(t); ok {
		reloadForever(t, args[0])
	}
	file := filepath.Join(t.TempDir(), "db")
	rnd := rand.New(rand.NewPCG(7, 7))
	rounds := 12
	if testing.Short() {
		rounds = 3
	}
	for round := range rounds {
		last := fmt.Sprint("edition ", 1+rnd.IntN(3))
		killtest.Run(t, killtest.Plan{
			Args: []string{file}, After: time.Duration(rnd.IntN(150)) * time.Millisecond,
			Hear: func(line string) bool { return line == last },
		})
		checkWhole(t, round, file)
	}
}

func checkWhole(t *testing.T, round int, file string) {
	t.Helper()
	db, err := embedded.Open(file)
	if err != nil {
		t.Fatalf("round %d: %v", round, err)
	}
	defer db.Close()
	a := deps(t, db, collect.Place{}).Archive
	p, err := a.Current(t.Context())
	if err != nil {
		if round == 0 {
			return // killed before the first was published
		}
		t.Fatalf("round %d: %v", round, err)
	}
	data, err := a.Load(t.Context(), p.Version)
	if err != nil {
		t.Fatalf("round %d: %v", round, err)
	}
	ix, err := index.Decode(data)
	if err != nil {
		t.Fatalf("round %d: %v", round, err)
	}
	var n, i int
	for k, r := range ix.Records() {
		var m int
		if _, err := fmt.Sscanf(r.Name, "Edition %d channel %d", &m, &i); err != nil || k > 0 && m != n {
			t.Fatalf("round %d: editions %d and %d in one catalog (%q, %v)", round, n, m, r.Name, err)
		}
		n = m
	}
	if ix.Len() != 3000 {
		t.Errorf("round %d: %d records, want 3000", round, ix.Len())
	}
}
