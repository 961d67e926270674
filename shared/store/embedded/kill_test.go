package embedded_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync/atomic"
	"testing"

	"miramundo.dev/shared/killtest"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/embedded"
)

// writers is how many transactions a child has under way.
const writers = 4

// child makes transactions of three writes without end, and says the id of each
// that has been acknowledged.
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
				killtest.Say(id)
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

// TestKill kills a writing process at random moments, repeatedly: every
// acknowledged write is stored, and no transaction is stored in part.
func TestKill(t *testing.T) {
	if args, ok := killtest.Child(t); ok {
		t.Fatal(child(args[0], args[1]))
	}
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
	killtest.Run(t, killtest.Plan{Args: []string{path, round}, Hear: func(id string) bool {
		ids = append(ids, id)
		return len(ids) == n+1
	}})
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
