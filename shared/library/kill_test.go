package library

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/killtest"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/wire"
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
func writeForever(t *testing.T, dir, number string) {
	run, err := strconv.Atoi(number)
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
		killtest.Say("kept", l.Owner, l.Revision, sumOf(l), l.Token)
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

// TestKilled kills a process that writes libraries, at random points. What it
// had acknowledged is there, and nothing is half done: a library is as one write
// made it, its token opens it, and no other token is kept.
func TestKilled(t *testing.T) {
	if args, ok := killtest.Child(t); ok {
		writeForever(t, args[0], args[1])
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
	killtest.Run(t, killtest.Plan{Args: []string{dir, fmt.Sprint(run)}, After: later, Hear: func(line string) bool {
		if _, err := fmt.Sscanf(line, "kept %s %d %s %s", &last.owner, &last.revision, &last.sum, &last.token); err != nil {
			t.Errorf("run %d: the child says %q: %v", run, line, err)
		}
		n--
		return n == 0
	}})
	return last
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
