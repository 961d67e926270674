package fetch

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/job"
	"miramundo.dev/shared/logo"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/embedded"
)

// killedLogos names the database of the child of TestLogosKilled and the address
// of its site.
const killedLogos, killedSite = "MIRAMUNDO_TEST_LOGOS", "MIRAMUNDO_TEST_LOGOS_SITE"

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
		fmt.Println("edition", edition)
		if _, err := NewJob(l).Run(t.Context(), job.Order{}); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLogosKilled kills a process in the middle of the job, again and again.
// Whoever opens the database then finds every logo that is shown kept, none kept
// that nobody knows, and needs no more than what was left.
func TestLogosKilled(t *testing.T) {
	if file := os.Getenv(killedLogos); file != "" {
		logosForever(t, file, os.Getenv(killedSite))
	}
	s := newSite(t)
	file := filepath.Join(t.TempDir(), "db")
	random := rand.New(rand.NewPCG(5, 6))
	for round := range 3 {
		killLogos(t, file, s.URL, 1+random.IntN(2), time.Duration(random.IntN(200))*time.Millisecond)
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
			t.Errorf("%d sources are left, and %d were asked of %d; %v", due, got.Asked, got.Due, err)
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

// killLogos starts a child, and kills it a while after it has begun its n-th
// edition.
func killLogos(t *testing.T, file, address string, n int, later time.Duration) {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run=^TestLogosKilled$", "-test.v")
	child.Env = append(os.Environ(), killedLogos+"="+file, killedSite+"="+address)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprint("edition ", n)
	for lines := bufio.NewScanner(out); lines.Scan() && lines.Text() != want; {
	}
	<-time.After(later)
	_ = child.Process.Kill()
	_ = child.Wait() // it was killed
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
			t.Errorf("round %d: nobody knows of %s", round, doc.ID)
		}
	}
}
