package access

import (
	"errors"
	"os"
	"testing"
	"time"

	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/wire/wiretest"
)

// TestSignOutEverywhere checks that it ends sessions and stops keys at once in its own
// process, and within five seconds in another one, which has just accepted them.
func TestSignOutEverywhere(t *testing.T) {
	wiretest.Each(t, os.Getenv("FIRESTORE_EMULATOR_HOST"), func(t *testing.T, db store.DB, _ int) {
		now := newClock()
		here, there := NewChecker(db, now.now), NewChecker(db, now.now)
		ana, bea := identity.NewOwner(identity.Person), identity.NewOwner(identity.Person)
		club := identity.NewOwner(identity.Organization)
		var phone, laptop, own, ofClub, beas string
		var kept Session
		begin(t, db, ana, func(r *Record) {
			phone, kept = r.Open(SignIn{Method: "mail"}, now.now())
			laptop, _ = r.Open(SignIn{Method: "mail"}, now.now())
			own, _, _ = r.AddKey("own", ana, now.now())
			r.Memberships = []Membership{{Organization: club, Role: Administrator}}
		})
		begin(t, db, club, func(r *Record) {
			ofClub, _, _ = r.AddKey("of ana", ana, now.now())
			beas, _, _ = r.AddKey("of bea", bea, now.now())
		})
		check := func(name string, c *Checker, accepted bool) {
			t.Helper()
			for _, shown := range []struct {
				what, session, key string
				stays              bool
			}{
				{"a session", laptop, "", false}, {"a key", "", own, false}, {"a key for the organization", "", ofClub, false},
				{"the excepted session", phone, "", true}, {"a key of another member", "", beas, true},
			} {
				var err error
				if shown.session != "" {
					_, err = c.Session(t.Context(), shown.session, "")
				} else {
					_, err = c.Key(t.Context(), shown.key)
				}
				if (err == nil) != (accepted || shown.stays) {
					t.Errorf("%s, %s: %v", name, shown.what, err)
				}
			}
		}
		check("here, before", here, true)
		check("there, before", there, true)
		if err := here.SignOutEverywhere(t.Context(), ana, kept.ID); err != nil {
			t.Fatal(err)
		}
		check("here, at once", here, false)
		now.advance(keepFor - time.Millisecond)
		check("there, for a moment", there, true)
		now.advance(time.Millisecond)
		check("there, after five seconds", there, false)
	})
}

// TestEndSession checks that a session is ended by its id, once, and only by its
// account.
func TestEndSession(t *testing.T) {
	db, now := wiretest.OpenDB(t), newClock()
	c := NewChecker(db, now.now)
	ana, bea := identity.NewOwner(identity.Person), identity.NewOwner(identity.Person)
	begin(t, db, bea, func(*Record) {})
	var s Session
	begin(t, db, ana, func(r *Record) { _, s = r.Open(SignIn{Method: "mail"}, now.now()) })
	for _, step := range []struct {
		who  identity.Owner
		id   string
		want error
	}{{bea, s.ID, ErrNoSession}, {ana, "unknown", ErrNoSession}, {ana, s.ID, nil}, {ana, s.ID, ErrNoSession}, {"a_gone", s.ID, identity.ErrEnded}} {
		if err := c.EndSession(t.Context(), step.who, step.id); !errors.Is(err, step.want) {
			t.Errorf("%s of %s: %v, want %v", step.id, step.who, err, step.want)
		}
	}
}

// TestEndingFails checks that a database that fails is not a session that has ended.
func TestEndingFails(t *testing.T) {
	c := NewChecker(storetest.Broken(), newClock().now)
	if err := c.SignOutEverywhere(t.Context(), "a_1", ""); !errors.Is(err, fault.ErrUnavailable) {
		t.Errorf("SignOutEverywhere: %v", err)
	}
	if err := c.EndSession(t.Context(), "a_1", "x"); !errors.Is(err, fault.ErrUnavailable) {
		t.Errorf("EndSession: %v", err)
	}
	gone := NewChecker(wiretest.OpenDB(t), newClock().now)
	if err := gone.SignOutEverywhere(t.Context(), "a_1", ""); !errors.Is(err, identity.ErrEnded) {
		t.Errorf("of nobody: %v", err)
	}
}
