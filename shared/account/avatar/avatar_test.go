package avatar

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/account"
	"miramundo.dev/shared/account/throttle"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/keyring/keyringtest"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/wire/wiretest"
)

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

func clock() time.Time { return noon }

func newPhotos(db store.DB) *Photos {
	return NewPhotos(db, throttle.New(db, keyringtest.Ring("a key of photos that is long enough"), clock), clock)
}

// create stores a new account.
func create(t *testing.T, db store.DB) identity.Owner {
	t.Helper()
	a := account.New("ana@mira.example", "ana@mira.example", account.Profile{Theme: "system"}, noon)
	if err := db.Update(t.Context(), func(tx store.Tx) error { return account.Create(tx, a) }); err != nil {
		t.Fatal(err)
	}
	return a.ID
}

// marked returns whether an account is marked as having a photo.
func marked(t *testing.T, db store.DB, owner identity.Owner) bool {
	t.Helper()
	a, err := account.Load(t.Context(), db, owner)
	if err != nil {
		t.Fatal(err)
	}
	return a.Avatar
}

// TestPhotos stores, replaces and removes the photo of an account.
func TestPhotos(t *testing.T) {
	wiretest.Each(t, os.Getenv("FIRESTORE_EMULATOR_HOST"), func(t *testing.T, db store.DB, _ int) {
		p, owner := newPhotos(db), create(t, db)
		if _, err := p.Get(t.Context(), owner); !errors.Is(err, fault.ErrNotFound) || marked(t, db, owner) {
			t.Errorf("before: %v", err)
		}
		for _, upload := range [][]byte{pngOf(t, quarters(90, 70)), jpegOf(t, photo(700, 500))} {
			set, err := p.Set(t.Context(), owner, upload)
			if err != nil {
				t.Fatal(err)
			}
			got, err := p.Get(t.Context(), owner)
			if d := cmp.Diff(set, got); d != "" || err != nil || !marked(t, db, owner) {
				t.Errorf("%v (-want +got):\n%s", err, d)
			}
		}
		for range 2 { // the second call finds no photo to remove
			if err := p.Remove(t.Context(), owner); err != nil {
				t.Error(err)
			}
			if _, err := p.Get(t.Context(), owner); !errors.Is(err, fault.ErrNotFound) || marked(t, db, owner) {
				t.Errorf("after: %v", err)
			}
		}
	})
}

// TestRefusedUpload checks that a file of which no photo is made leaves the photo as
// it is.
func TestRefusedUpload(t *testing.T) {
	db := wiretest.OpenDB(t)
	p, owner := newPhotos(db), create(t, db)
	before, err := p.Set(t.Context(), owner, pngOf(t, quarters(90, 70)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Set(t.Context(), owner, []byte("<svg/>")); !errors.Is(err, ErrImage) {
		t.Errorf("an SVG: %v", err)
	}
	after, err := p.Get(t.Context(), owner)
	if d := cmp.Diff(before, after); d != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, d)
	}
}

// TestTooMany checks that somebody who has photos made without end is slowed down, and
// nobody else.
func TestTooMany(t *testing.T) {
	db := wiretest.OpenDB(t)
	p, owner := newPhotos(db), create(t, db)
	for n := range throttle.PhotoOfAccount.Free {
		if _, err := p.Set(t.Context(), owner, pngOf(t, quarters(9, 9))); err != nil {
			t.Fatalf("photo %d: %v", n, err)
		}
	}
	if _, err := p.Set(t.Context(), owner, pngOf(t, quarters(9, 9))); !errors.Is(err, throttle.ErrTooMany) {
		t.Errorf("one more: %v", err)
	}
	other := identity.NewOwner(identity.Person)
	if _, err := p.Set(t.Context(), other, pngOf(t, quarters(9, 9))); !errors.Is(err, identity.ErrEnded) {
		t.Errorf("another account, which does not exist: %v", err)
	}
}

// TestNoAccount checks that no photo is stored of an account that is deleted.
func TestNoAccount(t *testing.T) {
	p := newPhotos(wiretest.OpenDB(t))
	owner := identity.NewOwner(identity.Person)
	if _, err := p.Set(t.Context(), owner, pngOf(t, quarters(90, 70))); !errors.Is(err, identity.ErrEnded) {
		t.Errorf("Set: %v", err)
	}
	if _, err := p.Get(t.Context(), owner); !errors.Is(err, fault.ErrNotFound) {
		t.Errorf("Get: %v", err)
	}
}

// TestOneAtATime checks that a photo waits until another one is made, and not longer
// than its caller.
func TestOneAtATime(t *testing.T) {
	db := wiretest.OpenDB(t)
	p, owner := newPhotos(db), create(t, db)
	p.seat <- struct{}{} // another photo is being made
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.make(ctx, pngOf(t, quarters(90, 70))); !errors.Is(err, fault.ErrUnavailable) {
		t.Errorf("with a caller who leaves: %v", err)
	}
	result := make(chan error)
	go func() {
		_, err := p.Set(t.Context(), owner, pngOf(t, quarters(90, 70)))
		result <- err
	}()
	<-p.seat
	if err := <-result; err != nil {
		t.Errorf("once the other is made: %v", err)
	}
}

// TestBroken checks that a database that fails is not an account without a photo.
func TestBroken(t *testing.T) {
	p := newPhotos(storetest.Broken())
	if _, err := p.Get(t.Context(), "a_1"); !errors.Is(err, fault.ErrUnavailable) {
		t.Errorf("Get: %v", err)
	}
	if _, err := p.Set(t.Context(), "a_1", pngOf(t, quarters(90, 70))); !errors.Is(err, identity.ErrUnavailable) {
		t.Errorf("Set: %v", err)
	}
	if err := p.Remove(t.Context(), "a_1"); !errors.Is(err, fault.ErrUnavailable) {
		t.Errorf("Remove: %v", err)
	}
}
