package removal

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/killtest"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/wire"
	"miramundo.dev/shared/wire/wiretest"
)

// open opens the embedded database in a folder.
func open(t *testing.T, dir string) (db store.DB, end func()) {
	t.Helper()
	db, events, err := wire.Open(t.Context(), wire.Config{Backend: wire.Embedded, DataDir: dir, Now: wiretest.Epoch})
	if err != nil {
		t.Fatal(err)
	}
	return db, func() {
		if err := errors.Join(events.Close(), db.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// steps is a database that reports each write.
type steps struct{ store.DB }

func (s steps) Update(ctx context.Context, f func(store.Tx) error) error {
	killtest.Say("step")
	return s.DB.Update(ctx, f)
}

func (s steps) Delete(ctx context.Context, p store.Path) error {
	killtest.Say("step")
	return s.DB.Delete(ctx, p)
}

// removeAll is the child process: it deletes the account that is due.
func removeAll(t *testing.T, dir string) {
	db, _ := open(t, dir)
	w := newWorld(t, steps{db})
	w.run(Delay)
	killtest.Say("done")
	<-t.Context().Done() // it is killed before
}

// TestKilled kills processes that delete an account, at random points. What is left
// then is the whole account or a removal, and the next run ends it: nothing is left,
// and everything that was counted in public is counted back once.
func TestKilled(t *testing.T) {
	if args, ok := killtest.Child(t); ok {
		removeAll(t, args[0])
	}
	runs := 50
	if testing.Short() {
		runs = 5
	}
	dir, rnd := filepath.Join(t.TempDir(), "data"), rand.New(rand.NewPCG(5, 5))
	atOnce, begun := 0, 0
	for n := range runs {
		name := fmt.Sprintf("run%d-", n)
		ana := prepare(t, dir, name)
		last, heard := 1+rnd.IntN(12), 0
		killtest.Run(t, killtest.Plan{
			Args: []string{dir}, After: time.Duration(rnd.IntN(1500)) * time.Microsecond,
			Hear: func(line string) bool { heard++; return heard >= last || line == "done" },
		})
		switch checkEnded(t, dir, name, ana) {
		case "account":
			atOnce++
		case "removal":
			begun++
		}
	}
	t.Logf("%d runs: killed %d times before the deletion began, %d times within it", runs, atOnce, begun)
	if begun == 0 && !testing.Short() { // a few runs may miss every deletion
		t.Error("no process was killed within a deletion")
	}
}

// prepare stores an account whose deletion is due, with everything that it can have.
func prepare(t *testing.T, dir, name string) identity.Owner {
	t.Helper()
	db, end := open(t, dir)
	defer end()
	w := newWorld(t, db)
	ana := w.signUp(name + "ana@mira.example")
	w.fill(ana.Owner, name)
	_, err := w.schedule(ana, name+"ana@mira.example")
	w.must(err)
	return ana.Owner
}

// checkEnded checks what a killed process left, ends the deletion, and returns how far
// it was: "account", "removal" or "".
func checkEnded(t *testing.T, dir, name string, owner identity.Owner) (was string) {
	t.Helper()
	db, end := open(t, dir)
	defer end()
	w := newWorld(t, db)
	left := w.found(owner)
	for _, doc := range left {
		if doc == "account" || doc == "removal" {
			was = doc
		}
	}
	switch {
	case was == "account" && len(left) != 21:
		t.Errorf("%s: the account is there, and of what it has %q", name, left)
	case was == "" && len(left) > 0:
		t.Errorf("%s: nothing says that %q must be deleted", name, left)
	}
	w.run(Delay)
	if left := w.found(owner); len(left) > 0 {
		t.Errorf("%s: %q is left", name, left)
	}
	if f, c := w.counted(name); f != -favorites || c != 0 {
		t.Errorf("%s: the favorites count %d and the comments %d, want %d and 0", name, f, c, -favorites)
	}
	return was
}
