package follow

import (
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/sync/errgroup"

	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/library/public"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/wire/wiretest"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// backends runs f on an empty database of each kind that there is.
func backends(t *testing.T, f func(t *testing.T, db store.DB)) {
	wiretest.Each(t, os.Getenv("FIRESTORE_EMULATOR_HOST"), func(t *testing.T, db store.DB, _ int) { f(t, db) })
}

func pub(n int) *public.Publication {
	return &public.Publication{ID: fmt.Sprint("pub_", n), Owner: "g_owner", Name: fmt.Sprint("name-", n)}
}

func add(t *testing.T, db store.DB, owner identity.Owner, n int, folder string) Row {
	t.Helper()
	r, _, err := Add(t.Context(), db, owner, pub(n), folder, noon)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// count returns how many follow publication n.
func count(t *testing.T, db store.DB, n int) int {
	t.Helper()
	got, err := Count(t.Context(), db, pub(n).ID)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestAdd follows a library and a folder of it: both are one follower, until both are
// taken out.
func TestAdd(t *testing.T) {
	backends(t, func(t *testing.T, db store.DB) {
		whole, part := add(t, db, "g_1", 1, ""), add(t, db, "g_1", 1, "cat_1")
		if again, added, err := Add(t.Context(), db, "g_1", pub(1), "cat_1", noon.Add(time.Hour)); again != part || added || err != nil {
			t.Errorf("again: %+v, %t, %v", again, added, err)
		}
		add(t, db, "g_2", 1, "")
		f, err := Load(t.Context(), db, "g_1")
		want := []Row{
			{Publication: "pub_1", Name: "name-1", Since: store.At(noon)},
			{Publication: "pub_1", Folder: "cat_1", Name: "name-1", Since: store.At(noon)},
		}
		if diff := cmp.Diff(want, f.Rows, cmpopts.IgnoreFields(Row{}, "ID")); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		for _, step := range []struct {
			owner identity.Owner
			id    string
			found bool
			left  int
		}{
			{"g_2", whole.ID, false, 2}, {"g_1", whole.ID, true, 2}, {"g_1", whole.ID, false, 2}, {"g_1", part.ID, true, 1}, {"g_1", "", false, 1},
		} {
			if found, err := Remove(t.Context(), db, step.owner, step.id); found != step.found || err != nil || count(t, db, 1) != step.left {
				t.Errorf("%+v: %t, %v, %d followers", step, found, err, count(t, db, 1))
			}
		}
	})
}

// TestLimit follows too much, at once and from two sides, and one's own.
func TestLimit(t *testing.T) {
	db := wiretest.OpenDB(t)
	var g errgroup.Group
	for side := range 2 {
		g.Go(func() error {
			for i := range Max {
				if _, _, err := Add(t.Context(), db, "g_1", pub(i+side*Max/2), "", noon); err != nil && !errors.Is(err, ErrTooMany) {
					return err
				}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	f, err := Load(t.Context(), db, "g_1")
	if err != nil || len(f.Rows) != Max {
		t.Errorf("%d rows, %v", len(f.Rows), err)
	}
	if n, err := db.Count(t.Context(), store.Query{Collection: marks}); n != Max || err != nil {
		t.Errorf("%d marks, %v", n, err)
	}
	if _, _, err := Add(t.Context(), db, "g_owner", pub(1), "", noon); !errors.Is(err, ErrOwn) {
		t.Errorf("one's own: %v", err)
	}
}

// TestMove moves what a guest follows; what the account follows too stays.
func TestMove(t *testing.T) {
	backends(t, func(t *testing.T, db store.DB) {
		add(t, db, "g_1", 1, "")
		add(t, db, "g_1", 2, "")
		add(t, db, "g_1", 2, "cat_1")
		add(t, db, "p_1", 2, "")
		move := func() (m *Move) {
			err := db.Update(t.Context(), func(tx store.Tx) (err error) {
				if m, err = ReadMove(tx, "g_1", "p_1"); err != nil {
					return err
				}
				return m.Write(tx)
			})
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
		if m := move(); m.Moved != 2 || m.Left != 1 {
			t.Errorf("%d moved, %d left", m.Moved, m.Left)
		}
		if count(t, db, 1) != 1 || count(t, db, 2) != 2 {
			t.Errorf("%d and %d followers", count(t, db, 1), count(t, db, 2))
		}
		if m := move(); m.Moved != 0 || m.Left != 1 {
			t.Errorf("again: %d moved, %d left", m.Moved, m.Left)
		}
		for range 2 {
			for _, owner := range []identity.Owner{"g_1", "p_1"} {
				if err := RemoveAll(t.Context(), db, owner); err != nil {
					t.Fatal(err)
				}
			}
		}
		if count(t, db, 1) != 0 || count(t, db, 2) != 0 {
			t.Errorf("%d and %d followers of nobody", count(t, db, 1), count(t, db, 2))
		}
	})
}

// TestTold tells the number of followers only when it is large enough.
func TestTold(t *testing.T) {
	if got := Told(FewFollowers - 1); got != nil {
		t.Error(*got)
	}
	if got := Told(FewFollowers); got == nil || *got != FewFollowers {
		t.Error(got)
	}
}

// TestBroken returns the failures of the database.
func TestBroken(t *testing.T) {
	db := storetest.Broken()
	_, e1 := Load(t.Context(), db, "g_1")
	_, _, e2 := Add(t.Context(), db, "g_1", pub(1), "", noon)
	_, e3 := Remove(t.Context(), db, "g_1", "fol_1")
	_, e4 := Count(t.Context(), db, "pub_1")
	for i, err := range []error{e1, e2, e3, e4, RemoveAll(t.Context(), db, "g_1")} {
		if !errors.Is(err, storetest.ErrBroken) {
			t.Errorf("call %d: %v", i+1, err)
		}
	}
}
