package embedded_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/embedded"
)

const childFile = "STORE_CHILD_FILE"

func TestMain(m *testing.M) {
	if path := os.Getenv(childFile); path != "" {
		panic(child(path, os.Args[len(os.Args)-1]))
	}
	os.Exit(m.Run())
}

// writers is how many transactions a child has under way.
const writers = 4

// child makes transactions of three writes for ever, and names each that has
// been acknowledged on its output.
func child(path, round string) error {
	db, err := embedded.Open(path)
	if err != nil {
		return err
	}
	failed := make(chan error)
	var last atomic.Int64
	for range writers {
		go func() {
			for {
				id := fmt.Sprintf("%s-%d", round, last.Add(1))
				if err := writeThree(db, id); err != nil {
					failed <- err
				}
				fmt.Println(id)
			}
		}()
	}
	return <-failed
}

// writeThree keeps a document in two places and counts it, at once.
func writeThree(db store.DB, id string) error {
	return db.Update(context.Background(), func(tx store.Tx) error {
		return errors.Join(
			tx.Create(store.Path("left").Join(id), map[string]string{"id": id}),
			tx.Create(store.Path("right").Join(id), map[string]string{"id": id}),
			tx.Increment("sums/all", map[string]int64{"n": 1}))
	})
}

// TestKill kills a writing process at random moments, again and again: every
// write that it was told of is there, and nothing is half done.
func TestKill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	acknowledged := map[string]bool{}
	for round := range 6 {
		for _, id := range killed(t, path, fmt.Sprint(round), rand.IntN(150)) {
			acknowledged[id] = true
		}
		db := openAt(t, path)
		left, right := collection(t, db, "left"), collection(t, db, "right")
		for id := range acknowledged {
			if !left[id] {
				t.Errorf("round %d: write %s was acknowledged and is lost", round, id)
			}
		}
		var sum struct{ N int }
		err := db.Get(t.Context(), "sums/all", &sum)
		if err != nil || len(left) != len(right) || sum.N != len(left) {
			t.Errorf("round %d: %d left, %d right, %d counted, %v", round, len(left), len(right), sum.N, err)
		}
		if most := len(acknowledged) + (round+1)*writers; len(left) > most {
			t.Errorf("round %d: %d writes are there, %d were acknowledged", round, len(left), len(acknowledged))
		}
	}
}

// killed runs a child until it has acknowledged n writes and one more, kills
// it, and returns what it acknowledged.
func killed(t *testing.T, path, round string, n int) (ids []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], round)
	cmd.Env = append(os.Environ(), childFile+"="+path)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		ids = append(ids, lines.Text())
		if len(ids) == n+1 {
			_ = cmd.Process.Kill()
		}
	}
	_, _ = io.Copy(io.Discard, out)
	if err := cmd.Wait(); err == nil || len(ids) <= n {
		t.Fatalf("child acknowledged %d writes and ended with %v", len(ids), err)
	}
	return ids
}

// collection returns the ids of a collection.
func collection(t *testing.T, db store.DB, p store.Path) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	for d, err := range db.Query(t.Context(), store.Query{Collection: p}) {
		if err != nil {
			t.Fatal(err)
		}
		found[d.ID] = true
	}
	return found
}
