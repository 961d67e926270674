package account

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/wire/wiretest"
)

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// create stores a new account of an address, unless it has one.
func create(ctx context.Context, db store.DB, address string) (*Account, error) {
	a := New(address, strings.ToLower(address), Profile{Theme: "system"}, noon)
	return a, db.Update(ctx, func(tx store.Tx) error {
		if _, found, err := Find(tx, a.EmailKey); found || err != nil {
			return errors.Join(err, ErrTaken)
		}
		return Create(tx, a)
	})
}

// TestOneAccount makes the account of an address from many sides at once: there is
// one.
func TestOneAccount(t *testing.T) {
	wiretest.Each(t, os.Getenv("FIRESTORE_EMULATOR_HOST"), func(t *testing.T, db store.DB, _ int) {
		var created atomic.Int32
		var g errgroup.Group
		g.SetLimit(4)
		for range 8 {
			g.Go(func() error {
				_, err := create(t.Context(), db, "Ana@mira.example")
				if err == nil {
					created.Add(1)
				} else if !errors.Is(err, ErrTaken) {
					return err
				}
				return nil
			})
		}
		if err := g.Wait(); err != nil || created.Load() != 1 {
			t.Errorf("%d accounts, %v", created.Load(), err)
		}
	})
}

// TestAddress follows an account to another address, and to its end.
func TestAddress(t *testing.T) {
	wiretest.Each(t, os.Getenv("FIRESTORE_EMULATOR_HOST"), func(t *testing.T, db store.DB, _ int) {
		a, err := create(t.Context(), db, "Ana@mira.example")
		if err != nil {
			t.Fatal(err)
		}
		rename := func(shown, key string) error {
			return db.Update(t.Context(), func(tx store.Tx) error {
				a, err := Get(tx, a.ID)
				if err != nil {
					return err
				}
				return Rename(tx, a, shown, key)
			})
		}
		find := func(key string) (id identity.Owner) {
			if err := db.Update(t.Context(), func(tx store.Tx) (err error) { id, _, err = Find(tx, key); return err }); err != nil {
				t.Fatal(err)
			}
			return id
		}
		if err := rename("ANA@mira.example", "ana@mira.example"); err != nil || find("ana@mira.example") != a.ID {
			t.Errorf("the same address in capitals: %v", err)
		}
		if err := rename("bea@mira.example", "bea@mira.example"); err != nil || find("bea@mira.example") != a.ID || find("ana@mira.example") != "" {
			t.Errorf("another address: %v", err)
		}
		if _, err := create(t.Context(), db, "carl@mira.example"); err != nil {
			t.Fatal(err)
		}
		if err := rename("carl@mira.example", "carl@mira.example"); !errors.Is(err, store.ErrExists) || find("bea@mira.example") != a.ID {
			t.Errorf("the address of another account: %v", err)
		}
		stored, err := Load(t.Context(), db, a.ID)
		if err != nil || stored.Email != "bea@mira.example" {
			t.Errorf("%+v, %v", stored, err)
		}
		if err := db.Update(t.Context(), func(tx store.Tx) error {
			a, err := Get(tx, a.ID)
			if err != nil {
				return err
			}
			return Remove(tx, a)
		}); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(t.Context(), db, a.ID); !errors.Is(err, identity.ErrEnded) || find("bea@mira.example") != "" {
			t.Errorf("after its end: %v", err)
		}
	})
}

// TestProfile checks what a profile may hold, and why the rest is refused.
func TestProfile(t *testing.T) {
	db := wiretest.OpenDB(t)
	a, err := create(t.Context(), db, "ana@mira.example")
	if err != nil {
		t.Fatal(err)
	}
	revision := a.Profile.Revision
	for _, test := range []struct {
		name    string
		p       Profile
		refused string // the part and the reason
	}{
		{"the least", Profile{Theme: "system"}, ""},
		{"everything", Profile{Name: "  Ana 🎬 Ñandú ", Locale: "de", TimeZone: "America/Sao_Paulo", Theme: "dark"}, ""},
		{"a long name", Profile{Name: strings.Repeat("ã", MaxName), Theme: "light"}, ""},
		{"a longer name", Profile{Name: strings.Repeat("ã", MaxName+1), Theme: "light"}, "name too_long"},
		{"a name of two lines", Profile{Name: "a\nb", Theme: "light"}, "name control"},
		{"a name that turns around", Profile{Name: "a\u202eb", Theme: "light"}, "name control"},
		{"a name of no letters", Profile{Name: "a\xff", Theme: "light"}, "name encoding"},
		{"a locale that does not exist", Profile{Locale: "xx", Theme: "light"}, "locale not_listed"},
		{"a place that does not exist", Profile{TimeZone: "Mars/Olympus", Theme: "light"}, "timeZone not_listed"},
		{"a path", Profile{TimeZone: "../../etc/passwd", Theme: "light"}, "timeZone not_listed"},
		{"the server's own zone", Profile{TimeZone: "Local", Theme: "light"}, "timeZone not_listed"},
		{"no theme", Profile{}, "theme not_listed"},
	} {
		test.p.Revision = revision
		got, err := SetProfile(t.Context(), db, a.ID, test.p)
		refused := ""
		if f := fault.From(err); err != nil {
			if !errors.Is(err, ErrProfile) {
				t.Errorf("%s: %v", test.name, err)
			}
			refused = f.Fields["param"].(string) + " " + f.Fields["reason"].(string)
		} else {
			revision++
			want := test.p
			want.Name, want.Revision = strings.TrimSpace(want.Name), revision
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%s (-want +got):\n%s", test.name, d)
			}
		}
		if refused != test.refused {
			t.Errorf("%s: refused for %q, want %q", test.name, refused, test.refused)
		}
	}
}

// TestRevision has several people change a profile at once: one does, and the others
// learn the revision that it has now.
func TestRevision(t *testing.T) {
	wiretest.Each(t, os.Getenv("FIRESTORE_EMULATOR_HOST"), func(t *testing.T, db store.DB, _ int) {
		a, err := create(t.Context(), db, "ana@mira.example")
		if err != nil {
			t.Fatal(err)
		}
		var changed atomic.Int32
		var g errgroup.Group
		for range 4 {
			g.Go(func() error {
				_, err := SetProfile(t.Context(), db, a.ID, Profile{Theme: "dark", Revision: 1})
				if err == nil {
					changed.Add(1)
				} else if !errors.Is(err, ErrChanged) || fault.From(err).Fields["revision"] != int64(2) {
					return err
				}
				return nil
			})
		}
		if err := g.Wait(); err != nil || changed.Load() != 1 {
			t.Errorf("changed %d times, %v", changed.Load(), err)
		}
	})
}

// TestBroken checks that a database that fails is not an account that is gone.
func TestBroken(t *testing.T) {
	if _, err := Load(t.Context(), storetest.Broken(), "a_1"); !errors.Is(err, storetest.ErrBroken) {
		t.Errorf("Load: %v", err)
	}
	if _, err := SetProfile(t.Context(), storetest.Broken(), "a_1", Profile{Theme: "dark"}); !errors.Is(err, storetest.ErrBroken) {
		t.Errorf("SetProfile: %v", err)
	}
}
