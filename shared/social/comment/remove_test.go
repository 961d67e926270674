package comment

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
)

// TestRemoveAll removes more comments than one transaction does, and nobody else's:
// each is a fact once, and the pace goes last.
func TestRemoveAll(t *testing.T) {
	backends(t, func(t *testing.T, db store.DB, _ int) {
		for i := range Batch + 1 {
			at := time.Date(2026, 11, 22, 0, 4*i, 0, 0, time.UTC) // as many as an hour allows
			if _, err := post(t, db, "a_1", "A.br", fmt.Sprint(i), at); err != nil {
				t.Fatal(err)
			}
		}
		other, err := post(t, db, "a_2", "A.br", "stays", time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC))
		if err != nil {
			t.Fatal(err)
		}
		said := 0
		for _, err := range All(t.Context(), db, "a_1") {
			if err != nil {
				t.Fatal(err)
			}
			said++
		}
		if said != Batch+1 {
			t.Errorf("All yields %d comments, want %d", said, Batch+1)
		}
		for _, want := range []struct {
			more    bool
			letters int
		}{{true, Batch}, {true, 1}, {false, 0}, {false, 0}} {
			more, letters, err := RemoveAll(t.Context(), db, "a_1", other.CreatedAt.Time)
			if more != want.more || len(letters) != want.letters || err != nil {
				t.Errorf("more %t with %d letters, %v; want %+v", more, len(letters), err, want)
			}
			if err := db.Get(t.Context(), PacePath("a_1"), &Pace{}); more == errors.Is(err, store.ErrNotFound) {
				t.Errorf("more %t, the pace: %v", more, err)
			}
		}
		left, err := Newest(t.Context(), db, "A.br", 10)
		if err != nil || len(left) != 1 || left[0].ID != other.ID {
			t.Errorf("%v is left, %v", left, err)
		}
	})
	if _, _, err := RemoveAll(t.Context(), storetest.Broken(), "a_1", time.Time{}); !errors.Is(err, storetest.ErrBroken) {
		t.Errorf("without a database: %v", err)
	}
}
