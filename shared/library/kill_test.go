package library

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/wire"
)

// Where the child of TestKilled writes, and which run it is.
const (
	killDirEnv = "MIRAMUNDO_TEST_LIBRARY"
	killRunEnv = "MIRAMUNDO_TEST_LIBRARY_RUN"
)

// sumOf names the content of a library.
func sumOf(l *Library) string {
	data, err := json.Marshal(l)
	if err != nil {
		panic(err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}

// ownerOfRun returns the owner that a run writes for: every third run goes on
// with the one before it.
func ownerOfRun(run int) identity.Owner { return identity.Owner(fmt.Sprint("g_", run-run%3)) }

// writeForever is the child: it says of each write that was acknowledged which
// revision it made, with what content.
func writeForever(t *testing.T, dir string) {
	run, err := strconv.Atoi(os.Getenv(killRunEnv))
	if err != nil {
		t.Fatal(err)
	}
	db := open(t, wire.Config{Backend: wire.Embedded, DataDir: dir})
	rnd := rand.New(rand.NewPCG(uint64(run), 3))
	for {
		l, err := Update(t.Context(), db, ownerOfRun(run), noon, func(l *Library) error {
			change(l, rnd.IntN(20))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println("kept", l.Owner, l.Revision, sumOf(l), l.Token)
	}
}

// change changes much of a library at once.
func change(l *Library, at int) {
	switch at {
	case 0:
		l.RotateToken()
	case 1:
		l.Clear()
	default:
		var list []Category
		for i := range 4 {
			list = append(list, Category{Name: fmt.Sprint("Folder ", i), Groups: []Group{{Name: fmt.Sprint("Tab ", at%6), Items: channels(2 * at)}}})
		}
		l.Merge(list)
	}
}

// An acknowledged write is what a child said last.
type acknowledged struct {
	owner      identity.Owner
	revision   int64
	sum, token string
}

// TestKilled kills a process that writes libraries, at points of no plan. What
// it had acknowledged is there, and nothing is half done: a library is as one
// write made it, its token opens it, and no other token is kept.
func TestKilled(t *testing.T) {
	if dir := os.Getenv(killDirEnv); dir != "" {
		writeForever(t, dir)
	}
	runs := 200
	if testing.Short() {
		runs = 20
	}
	dir := filepath.Join(t.TempDir(), "data")
	rnd := rand.New(rand.NewPCG(7, 7))
	for run := range runs {
		last := killWriter(t, dir, run, 1+rnd.IntN(12), time.Duration(rnd.IntN(8000))*time.Microsecond)
		checkKept(t, dir, run, last)
	}
}

// killWriter starts a child, kills it a while after its n-th write, and
// returns the last that it acknowledged.
func killWriter(t *testing.T, dir string, run, n int, later time.Duration) (last acknowledged) {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run=^TestKilled$", "-test.v")
	child.Env = append(os.Environ(), killDirEnv+"="+dir, fmt.Sprint(killRunEnv, "=", run))
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if !last.read(lines.Text()) {
			continue
		}
		if n--; n == 0 {
			time.AfterFunc(later, func() { child.Process.Kill() })
		}
	}
	_ = child.Wait() // it was killed
	if n > 0 {
		t.Fatalf("run %d ended by itself", run)
	}
	return last
}

// read takes what a line says of a write; one that was cut off says nothing.
func (a *acknowledged) read(line string) bool {
	var got acknowledged
	if _, err := fmt.Sscanf(line, "kept %s %d %s %s", &got.owner, &got.revision, &got.sum, &got.token); err != nil || len(got.token) != tokenLen {
		return false
	}
	*a = got
	return true
}

func checkKept(t *testing.T, dir string, run int, last acknowledged) {
	t.Helper()
	db, events, err := wire.Open(t.Context(), wire.Config{Backend: wire.Embedded, DataDir: dir})
	if err != nil {
		t.Fatalf("run %d: %v", run, err)
	}
	defer events.Close()
	defer db.Close()
	l, err := Load(t.Context(), db, last.owner)
	if err != nil {
		t.Fatalf("run %d: %v", run, err)
	}
	checkWhole(t, l)
	switch {
	case l.Revision == last.revision && (sumOf(l) != last.sum || l.Token != last.token):
		t.Fatalf("run %d: revision %d is not as it was acknowledged", run, l.Revision)
	case l.Revision != last.revision && l.Revision != last.revision+1: // the one under way may be kept
		t.Fatalf("run %d: revision %d is kept, %d was acknowledged", run, l.Revision, last.revision)
	}
	if got, err := ByToken(t.Context(), db, l.Token); err != nil || got.Revision != l.Revision {
		t.Fatalf("run %d: its own token opens %+v, %v", run, got, err)
	}
	if tokens, owners := count(t, db, "feeds"), count(t, db, "libraries"); tokens != owners {
		t.Fatalf("run %d: %d tokens are kept of %d libraries", run, tokens, owners)
	}
}

func count(t *testing.T, db store.DB, collection store.Path) int {
	t.Helper()
	n, err := db.Count(t.Context(), store.Query{Collection: collection})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
