package fetch

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/job"
	"miramundo.dev/shared/killtest"
	"miramundo.dev/shared/logo"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/embedded"
)

const killedChannels = 120

func killedView(t *testing.T, address string, edition int) view {
	sources := map[string]string{}
	for n := range killedChannels {
		sources[fmt.Sprintf("C%d.br", n)] = fmt.Sprintf("%s/%d/%d", address, edition, n+edition*killedChannels)
	}
	return viewOf(t, sources, index.Overlay{})
}

// logosForever is the child: it fetches one edition after another, and says
// which it begins.
func logosForever(t *testing.T, file, address string) {
	db, err := embedded.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	l := logosOn(db, time.Now, []string{strings.TrimPrefix(address, "http://")})
	l.Limits.Batch = 20
	for edition := 0; ; edition++ {
		l.Catalog = killedView(t, address, edition%3)
		killtest.Say("edition", edition)
		if _, err := NewJob(l).Run(t.Context(), job.Order{}); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLogosKilled kills a process in the middle of the job, several times. The
// database then holds every logo that is shown and none that the ledger lacks,
// and one more run fetches only what was left.
func TestLogosKilled(t *testing.T) {
	if args, ok := killtest.Child(t); ok {
		logosForever(t, args[0], args[1])
	}
	s := newSite(t)
	file := filepath.Join(t.TempDir(), "db")
	random := rand.New(rand.NewPCG(5, 6))
	for round := range 3 {
		last := fmt.Sprint("edition ", 1+random.IntN(2))
		killtest.Run(t, killtest.Plan{
			Args: []string{file, s.URL}, After: time.Duration(random.IntN(200)) * time.Millisecond,
			Hear: func(line string) bool { return line == last },
		})
		checkLogos(t, round, file)
	}
	db, err := embedded.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	l := logosOn(db, time.Now, allowed(s))
	l.Catalog = killedView(t, s.URL, 0)
	for _, due := range []int{left(t, db, s.URL), 0} {
		result, err := NewJob(l).Run(t.Context(), job.Order{})
		if got := result.(*Report); err != nil || got.Due != due || got.Asked != due {
			t.Errorf("%d sources are left, and %d were requested of %d; %v", due, got.Asked, got.Due, err)
		}
	}
	shown := shownBy(t, db)
	for n := range killedChannels {
		if id := idOf(t, n); shown[fmt.Sprintf("C%d.br", n)] != id {
			t.Fatalf("C%d.br shows %q, want %q", n, shown[fmt.Sprintf("C%d.br", n)], id)
		}
	}
}

// left returns of how many channels the books do not have the first edition.
func left(t *testing.T, db store.DB, address string) (n int) {
	t.Helper()
	l, _, err := logo.OpenLedger(t.Context(), db, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	for i := range killedChannels {
		if l.States[fmt.Sprintf("C%d.br", i)].Source != logo.SourceID(fmt.Sprintf("%s/0/%d", address, i)) {
			n++
		}
	}
	return n
}

// checkLogos checks a database that a process left which was killed.
func checkLogos(t *testing.T, round int, file string) {
	t.Helper()
	db, err := embedded.Open(file)
	if err != nil {
		t.Fatalf("round %d: %v", round, err)
	}
	defer db.Close()
	for channel, id := range shownBy(t, db) { // as readers find it, before anything is mended
		if _, err := logo.Get(t.Context(), db, id); err != nil {
			t.Errorf("round %d: %s shows %s: %v", round, channel, id, err)
		}
	}
	l, _, err := logo.OpenLedger(t.Context(), db, time.Now())
	if err != nil {
		t.Fatalf("round %d: %v", round, err)
	}
	for doc, err := range db.Query(t.Context(), store.Query{Collection: "logos"}) {
		if err != nil {
			t.Fatal(err)
		}
		if !l.Has(doc.ID) {
			t.Errorf("round %d: %s is stored, but in no ledger", round, doc.ID)
		}
	}
}
