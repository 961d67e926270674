package moderation_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/moderation"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/wire/wiretest"
)

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// backends runs f on an empty database of each kind that there is.
func backends(t *testing.T, f func(t *testing.T, db store.DB, writers int)) {
	wiretest.Each(t, os.Getenv("FIRESTORE_EMULATOR_HOST"), f)
}

// until returns a mute that ends after a time.
func until(after time.Duration) moderation.Mute {
	return moderation.Mute{Reason: "spam", Since: store.At(noon), ExpireAt: store.At(noon.Add(after))}
}

// TestCheck reads a mute before and after its end.
func TestCheck(t *testing.T) {
	decode := func(doc any) error {
		*doc.(*moderation.Mute) = until(time.Hour)
		return nil
	}
	broken := func(any) error { return errors.New("broken") }
	for name, test := range map[string]struct {
		doc   store.Doc
		after time.Duration
		want  string
	}{
		"without a mute":      {store.Doc{}, 0, ""},
		"at its beginning":    {store.Doc{Decode: decode}, 0, "muted"},
		"just before it ends": {store.Doc{Decode: decode}, time.Hour - time.Microsecond, "muted"},
		"at its end":          {store.Doc{Decode: decode}, time.Hour, ""},
		"unreadable":          {store.Doc{Decode: broken}, 0, "broken"},
	} {
		err := moderation.Check(test.doc, noon.Add(test.after))
		if got := fmt.Sprint(err); got != test.want && (err != nil || test.want != "") {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
		if errors.Is(err, moderation.ErrMuted) && fault.From(err).Fields["until"] != "2026-11-23T13:00:00Z" {
			t.Errorf("%s: %v", name, fault.From(err).Fields)
		}
	}
}

// hide stores owners as hidden by a viewer.
func hide(t *testing.T, db store.DB, viewer identity.Owner, owners ...identity.Owner) {
	t.Helper()
	err := db.Update(t.Context(), func(tx store.Tx) error {
		h, err := moderation.ReadHidden(tx, viewer)
		if err != nil {
			return err
		}
		for _, o := range owners {
			if _, err := h.Add(moderation.HiddenOwner{Owner: o, Name: "Vega", Since: store.At(noon)}); err != nil {
				return err
			}
		}
		return h.Put(tx, viewer)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// hidden returns the owners that a viewer hides.
func hidden(t *testing.T, db store.DB, viewer identity.Owner) (owners []identity.Owner) {
	t.Helper()
	h, err := moderation.HiddenBy(t.Context(), db, viewer)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range h.Owners {
		owners = append(owners, o.Owner)
	}
	return owners
}

// TestHidden hides owners and shows them again, each by the id of its viewer alone.
func TestHidden(t *testing.T) {
	backends(t, func(t *testing.T, db store.DB, _ int) {
		hide(t, db, "g_ana", "g_bob", "g_eve", "g_bob")
		hide(t, db, "g_eve", "g_bob")
		if d := cmp.Diff([]identity.Owner{"g_bob", "g_eve"}, hidden(t, db, "g_ana")); d != "" {
			t.Fatalf("hidden (-want +got):\n%s", d)
		}
		bob := moderation.HiddenOwner{Owner: "g_bob"}
		mine, other := bob.ID("g_ana"), bob.ID("g_eve")
		if mine == other || strings.Contains(mine, "bob") {
			t.Errorf("the ids are %q and %q", mine, other)
		}
		for _, step := range []struct {
			id    string
			found bool
			left  []identity.Owner
		}{
			{other, false, []identity.Owner{"g_bob", "g_eve"}},
			{"g_bob", false, []identity.Owner{"g_bob", "g_eve"}},
			{mine, true, []identity.Owner{"g_eve"}},
			{mine, false, []identity.Owner{"g_eve"}},
			{moderation.HiddenOwner{Owner: "g_eve"}.ID("g_ana"), true, nil},
		} {
			found, err := moderation.Unhide(t.Context(), db, "g_ana", step.id)
			if d := cmp.Diff(step.left, hidden(t, db, "g_ana")); d != "" || found != step.found || err != nil {
				t.Errorf("%s: found %t, %v (-want +got):\n%s", step.id, found, err, d)
			}
		}
		if d := cmp.Diff([]identity.Owner{"g_bob"}, hidden(t, db, "g_eve")); d != "" {
			t.Errorf("the list of another viewer (-want +got):\n%s", d)
		}
	})
}

// TestTooManyHidden fills a list.
func TestTooManyHidden(t *testing.T) {
	var h moderation.Hidden
	for i := range moderation.MaxHidden {
		if changed, err := h.Add(moderation.HiddenOwner{Owner: identity.Owner(fmt.Sprint("g_", i))}); !changed || err != nil {
			t.Fatalf("owner %d: %t, %v", i, changed, err)
		}
	}
	if changed, err := h.Add(moderation.HiddenOwner{Owner: "g_0"}); changed || err != nil {
		t.Errorf("a repetition: %t, %v", changed, err)
	}
	if changed, err := h.Add(moderation.HiddenOwner{Owner: "g_more"}); changed || !errors.Is(err, moderation.ErrTooManyHidden) {
		t.Errorf("one more: %t, %v", changed, err)
	}
}

// move moves what a guest has to an account, and reports whether there was something.
func move(t *testing.T, db store.DB) (found bool) {
	t.Helper()
	err := db.Update(t.Context(), func(tx store.Tx) error {
		m, err := moderation.ReadMove(tx, "g_ana", "a_ana")
		if err != nil {
			return err
		}
		found = m.Found
		return m.Write(tx)
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// mutedUntil returns when the mute of an owner ends; the zero time without one.
func mutedUntil(t *testing.T, db store.DB, owner identity.Owner) time.Time {
	t.Helper()
	var m moderation.Mute
	if err := db.Get(t.Context(), moderation.MutePath(owner), &m); err != nil && !errors.Is(err, store.ErrNotFound) {
		t.Fatal(err)
	}
	return m.ExpireAt.Time
}

// TestMoveMute claims guests: the later end of two mutes is in force for the account,
// and the guest stays muted.
func TestMoveMute(t *testing.T) {
	const long = 100 * 365 * 24 * time.Hour // so that the databases find them in force
	for name, test := range map[string]struct {
		guest, account, want time.Duration
		found                bool
	}{
		"neither":            {0, 0, 0, false},
		"the guest alone":    {long, 0, long, true},
		"the account alone":  {0, long, long, false},
		"the guest longer":   {long + time.Hour, long, long + time.Hour, true},
		"the guest as long":  {long, long, long, false},
		"the account longer": {long, long + time.Hour, long + time.Hour, false},
	} {
		t.Run(name, func(t *testing.T) {
			db := wiretest.OpenDB(t)
			for owner, after := range map[identity.Owner]time.Duration{"g_ana": test.guest, "a_ana": test.account} {
				if after == 0 {
					continue
				}
				if err := db.Set(t.Context(), moderation.MutePath(owner), until(after)); err != nil {
					t.Fatal(err)
				}
			}
			guest := mutedUntil(t, db, "g_ana")
			if found := move(t, db); found != test.found {
				t.Errorf("found %t, want %t", found, test.found)
			}
			var want time.Time
			if test.want > 0 {
				want = noon.Add(test.want)
			}
			if got := mutedUntil(t, db, "a_ana"); !got.Equal(want) {
				t.Errorf("the account is muted until %v, want %v", got, want)
			}
			if got := mutedUntil(t, db, "g_ana"); !got.Equal(guest) {
				t.Errorf("the guest is muted until %v, want %v", got, guest)
			}
		})
	}
}

// TestMoveHidden claims a guest's list: the account hides itself never, and what it has
// no room for stays with the guest.
func TestMoveHidden(t *testing.T) {
	backends(t, func(t *testing.T, db store.DB, _ int) {
		hide(t, db, "a_ana", "g_bob", "g_x")
		hide(t, db, "g_ana", "a_ana", "g_bob", "g_eve")
		if !move(t, db) || move(t, db) {
			t.Error("the list does not move once")
		}
		if d := cmp.Diff([]identity.Owner{"g_bob", "g_x", "g_eve"}, hidden(t, db, "a_ana")); d != "" {
			t.Errorf("the account hides (-want +got):\n%s", d)
		}
		if got := hidden(t, db, "g_ana"); got != nil {
			t.Errorf("the guest hides %v", got)
		}
		var many []identity.Owner
		for i := range moderation.MaxHidden - 1 {
			many = append(many, identity.Owner(fmt.Sprint("g_", i)))
		}
		hide(t, db, "g_ana", many...)
		move(t, db)
		if got := len(hidden(t, db, "a_ana")); got != moderation.MaxHidden {
			t.Errorf("the account hides %d", got)
		}
		if d := cmp.Diff(many[moderation.MaxHidden-3:], hidden(t, db, "g_ana")); d != "" {
			t.Errorf("left with the guest (-want +got):\n%s", d)
		}
	})
}

// TestRemove deletes what limits and filters of an owner, twice.
func TestRemove(t *testing.T) {
	db := wiretest.OpenDB(t)
	hide(t, db, "a_ana", "g_bob")
	hide(t, db, "a_bob", "g_bob")
	if err := db.Set(t.Context(), moderation.MutePath("a_ana"), until(100*365*24*time.Hour)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := moderation.Remove(t.Context(), db, "a_ana"); err != nil {
			t.Fatal(err)
		}
	}
	if got := hidden(t, db, "a_ana"); got != nil || !mutedUntil(t, db, "a_ana").IsZero() {
		t.Errorf("left: %v", got)
	}
	if got := hidden(t, db, "a_bob"); len(got) != 1 {
		t.Errorf("another's list: %v", got)
	}
}

// TestAuthorKey checks that a key is stable and does not contain the owner.
func TestAuthorKey(t *testing.T) {
	ana := moderation.AuthorKey("g_ana")
	if ana != moderation.AuthorKey("g_ana") || ana == moderation.AuthorKey("g_bob") || strings.Contains(ana, "ana") || len(ana) != 20 {
		t.Errorf("the keys are %q and %q", ana, moderation.AuthorKey("g_bob"))
	}
}
