package removal

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/account"
	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/account/factor"
	"miramundo.dev/shared/account/organization"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/library/public"
	"miramundo.dev/shared/mail"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/wire/wiretest"
)

func each(t *testing.T, test func(t *testing.T, w *world)) {
	wiretest.Each(t, os.Getenv("FIRESTORE_EMULATOR_HOST"), func(t *testing.T, db store.DB, _ int) { test(t, newWorld(t, db)) })
}

// TestDeletion follows an account from the request to its end: what is left of it
// before, and that nothing is left after, while another account keeps everything.
func TestDeletion(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ana, bea := w.signUp("Ana@mira.example"), w.signUp("bea@mira.example")
		w.fill(ana.Owner, "ana")
		w.fill(bea.Owner, "bea")
		has, hers := len(w.found(ana.Owner)), w.found(bea.Owner)
		due, err := w.schedule(ana, " ana@MIRA.example ")
		if err != nil || !due.Equal(noon.Add(Delay)) {
			t.Fatalf("due at %v, %v", due, err)
		}
		if got := w.run(Delay - time.Second); got != (Result{}) || len(w.found(ana.Owner)) != has {
			t.Errorf("a second before: %+v, %q is left", got, w.found(ana.Owner))
		}
		if got := w.run(time.Second); got != (Result{Accounts: 1}) || len(w.found(ana.Owner)) > 0 {
			t.Errorf("at the moment: %+v, %q is left", got, w.found(ana.Owner))
		}
		if f, c := w.counted("ana"); f != -favorites || c != 0 {
			t.Errorf("its favorites count %d and its comments %d, want %d and 0", f, c, -favorites)
		}
		if got := w.run(time.Hour); got != (Result{}) {
			t.Errorf("a second run: %+v", got)
		}
		if f, c := w.counted("bea"); f != 0 || c != comments || len(w.found(bea.Owner)) != len(hers) {
			t.Errorf("of another account %q is left; %d, %d", w.found(bea.Owner), f, c)
		}
		w.checkMails(due)
		again := w.signUp("ana@mira.example") // the address is free
		if got := w.found(again.Owner); len(got) != 3 {
			t.Errorf("a new account with the address has %q", got)
		}
	})
}

// checkMails checks the notice and the last mail, in the language and the time zone of
// the account.
func (w *world) checkMails(due time.Time) {
	w.t.Helper()
	if len(w.sent.list) != 2 {
		w.t.Fatalf("%d mails", len(w.sent.list))
	}
	notice, ok := w.sent.list[0].Content.(mail.DeletionScheduled)
	if !ok || notice.Day != "2026-12-07" || notice.SignIn != "https://mira.example/de/anmelden" && !strings.HasPrefix(notice.SignIn, "https://mira.example/de/") {
		w.t.Errorf("the notice is %+v of %v", notice, due)
	}
	if _, ok := w.sent.list[1].Content.(mail.Deleted); !ok || w.sent.list[1].To != "Ana@mira.example" || w.sent.list[1].Locale.Tag() != "de" {
		w.t.Errorf("the last mail is %+v", w.sent.list[1])
	}
}

// TestScheduled checks that a scheduled deletion ends every session, stops every key and
// takes the public library down at once.
func TestScheduled(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ana := w.signUp("ana@mira.example")
		w.fill(ana.Owner, "ana")
		_, err := public.Open(t.Context(), w.db, "library-ana")
		w.must(err)
		_, err = w.schedule(ana, "ana@mira.example")
		w.must(err)
		if _, err := public.Open(t.Context(), w.db, "library-ana"); !errors.Is(err, public.ErrUnknown) {
			t.Errorf("its public library: %v", err)
		}
		r, err := access.Load(t.Context(), w.db, ana.Owner)
		w.must(err)
		if len(r.Sessions) > 0 || r.Keys[0].Active() {
			t.Errorf("%d sessions; the key is active: %t", len(r.Sessions), r.Keys[0].Active())
		}
		if _, err := w.schedule(ana, "ana@mira.example"); !errors.Is(err, identity.ErrEnded) {
			t.Errorf("again with the same session: %v", err)
		}
	})
}

// TestUndone checks that signing in before the time, also at the last moment, keeps
// everything.
func TestUndone(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ana := w.signUp("ana@mira.example")
		w.fill(ana.Owner, "ana")
		before := w.found(ana.Owner)
		_, err := w.schedule(ana, "ana@mira.example")
		w.must(err)
		_, err = account.Update(t.Context(), w.db, ana.Owner, func(a *account.Account) error { // as a sign-in does
			a.DeleteAt = store.Time{}
			return nil
		})
		w.must(err)
		w.now = w.now.Add(Delay)
		w.must(w.begin(t.Context(), ana.Owner)) // a run that had found the account before
		got := w.run(time.Hour)
		after := w.found(ana.Owner)
		slices.Sort(before)
		slices.Sort(after)
		if d := cmp.Diff(before, after); d != "" || got != (Result{}) {
			t.Errorf("%+v (-want +got):\n%s", got, d)
		}
	})
}

// TestRefusals checks which requests are refused, and that they change nothing.
func TestRefusals(t *testing.T) {
	w := newWorld(t, wiretest.OpenDB(t))
	ana := w.signUp("ana@mira.example")
	ofNobody := ana
	ofNobody.Session = "unknown"
	for _, test := range []struct {
		name         string
		who          identity.Speaker
		confirmation string
		later        time.Duration
		change       func(*account.Account)
		want         error
	}{
		{"another address", ana, "bea@mira.example", 0, nil, ErrConfirmation},
		{"no confirmation", ana, "", 0, nil, ErrConfirmation},
		{"a session that is over", ofNobody, "ana@mira.example", 0, nil, identity.ErrEnded},
		{"a sign-in that is not recent", ana, "ana@mira.example", access.Recent, nil, identity.ErrReauth},
		{"a sign-in without the second factor", ana, "ana@mira.example", 0, func(a *account.Account) { a.TOTP = &factor.Authenticator{} }, identity.ErrReauth},
	} {
		w.now = noon.Add(test.later)
		if test.change != nil {
			_, err := account.Update(t.Context(), w.db, ana.Owner, func(a *account.Account) error { test.change(a); return nil })
			w.must(err)
		}
		if _, err := w.schedule(test.who, test.confirmation); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", test.name, err, test.want)
		}
	}
	a, err := account.Load(t.Context(), w.db, ana.Owner)
	w.must(err)
	if !a.DeleteAt.IsZero() || len(w.sent.list) > 0 {
		t.Errorf("the deletion is scheduled: %v, %v", a.DeleteAt, w.sent.list)
	}
}

// TestOrganizations checks that an organization is never left without an owner, and
// that one without members goes with its last member.
func TestOrganizations(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ana, bea := w.signUp("ana@mira.example"), w.signUp("bea@mira.example")
		all := organization.On(w.db, nil, func() time.Time { return w.now })
		alone, err := all.Create(t.Context(), ana.Owner, "Alone")
		w.must(err)
		w.fill(alone.ID, "alone")
		club, err := all.Create(t.Context(), ana.Owner, "Club")
		w.must(err)
		in, err := all.Invite(t.Context(), ana.Owner, club.ID, organization.Address{Shown: "bea@mira.example", Key: "bea@mira.example"}, access.Administrator)
		w.must(err)
		_, err = all.Accept(t.Context(), bea.Owner, in.Token)
		w.must(err)
		w.fill(club.ID, "club")

		_, err = w.schedule(ana, "ana@mira.example")
		if f := fault.From(err); !errors.Is(err, ErrLastOwner) || f.Fields["organization"] != "Club" {
			t.Fatalf("the last owner: %v", err)
		}
		w.must(all.SetRole(t.Context(), ana.Owner, club.ID, bea.Owner, access.Owner))
		_, err = w.schedule(ana, "ana@mira.example")
		w.must(err)
		if got := w.run(Delay); got != (Result{Accounts: 1}) {
			t.Errorf("the first run: %+v", got)
		}
		if got := w.found(alone.ID); slices.Contains(got, "organization") || slices.Contains(got, "access") || !slices.Contains(got, "library") {
			t.Errorf("of the organization without members %q is left", got)
		}
		if got := w.run(grace - time.Second); got != (Result{}) {
			t.Errorf("while its keys may still be accepted: %+v", got)
		}
		if got := w.run(time.Second); got != (Result{Organizations: 1}) || len(w.found(alone.ID)) > 0 {
			t.Errorf("the second run: %+v; %q is left", got, w.found(alone.ID))
		}
		if f, c := w.counted("alone"); f != -favorites || c != 0 {
			t.Errorf("what it had counts %d and %d", f, c)
		}
		r, err := access.Load(t.Context(), w.db, bea.Owner)
		w.must(err)
		if m, ok := r.Membership(club.ID); !ok || m.Role != access.Owner || len(w.found(club.ID)) != 19 {
			t.Errorf("the other organization: %+v, %q", m, w.found(club.ID))
		}
	})
}

// TestLastMail checks that a mail that cannot be sent is tried for a week, while
// everything else is deleted.
func TestLastMail(t *testing.T) {
	w := newWorld(t, wiretest.OpenDB(t))
	ana := w.signUp("ana@mira.example")
	_, err := w.schedule(ana, "ana@mira.example")
	w.must(err)
	w.sent.fail = mail.ErrNotSent
	w.now = w.now.Add(Delay)
	if got, err := w.Run(t.Context()); got != (Result{}) || !errors.Is(err, mail.ErrNotSent) {
		t.Errorf("%+v, %v", got, err)
	}
	if got := w.found(ana.Owner); len(got) != 1 || got[0] != "removal" {
		t.Errorf("%q is left, want the removal", got)
	}
	if got := w.run(mailFor); got != (Result{Accounts: 1}) || len(w.found(ana.Owner)) > 0 {
		t.Errorf("a week later: %+v, %q is left", got, w.found(ana.Owner))
	}
}

// TestBroken checks that a database that fails deletes nothing quietly.
func TestBroken(t *testing.T) {
	w := newWorld(t, storetest.Broken())
	if _, err := w.schedule(identity.Speaker{Account: "a_1"}, ""); !errors.Is(err, fault.ErrUnavailable) {
		t.Errorf("Schedule: %v", err)
	}
	if _, err := w.Run(t.Context()); !errors.Is(err, storetest.ErrBroken) {
		t.Errorf("Run: %v", err)
	}
}
