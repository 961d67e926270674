package claim

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/billing"
	"miramundo.dev/shared/billing/pass"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/library"
	"miramundo.dev/shared/library/follow"
	"miramundo.dev/shared/library/public"
	"miramundo.dev/shared/moderation"
	"miramundo.dev/shared/social/comment"
	"miramundo.dev/shared/social/kept"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/wire/wiretest"
)

// documents returns the documents of an owner that are stored.
func documents(t *testing.T, db store.DB, owner identity.Owner) (paths []store.Path) {
	t.Helper()
	docs, err := db.GetAll(t.Context(), []store.Path{
		library.Path(owner), kept.FavoritesPath(owner), kept.HistoryPath(owner), comment.PacePath(owner),
		billing.ListPath(owner), pass.Path(owner),
	})
	must(t, err)
	for _, d := range docs {
		if d.Decode != nil {
			paths = append(paths, d.Path)
		}
	}
	return paths
}

// TestRun moves everything of a guest to an account that has things of its own.
func TestRun(t *testing.T) {
	backends(t, func(t *testing.T, db store.DB) {
		comments := 2*comment.Batch + 1
		fill(t, db, ana, 3)
		fill(t, db, guest, comments)
		before := ledgerOf(t, db, guest, ana)
		if d := cmp.Diff(Result{Moved: filled(comments)}, run(t, db, of(guest, ana))); d != "" {
			t.Errorf("the claim (-want +got):\n%s", d)
		}
		after := ledgerOf(t, db, guest, ana)
		checkOnce(t, before, after)
		want := map[string]int{"folder": 2, "item": 4, "favorite": 4, "played": 6, "comment": comments + 3, "feed": 2, "purchase": 2}
		if d := cmp.Diff(want, after.count(ana)); d != "" {
			t.Errorf("rows of the account (-want +got):\n%s", d)
		}
		if d := cmp.Diff([]store.Path{library.Path(guest)}, documents(t, db, guest)); d != "" { // see library.Move
			t.Errorf("the guest's documents (-want +got):\n%s", d)
		}
		for range 2 {
			if d := cmp.Diff(Result{}, run(t, db, of(guest, ana))); d != "" {
				t.Errorf("a repeated claim (-want +got):\n%s", d)
			}
		}
		if d := cmp.Diff(after, ledgerOf(t, db, guest, ana)); d != "" {
			t.Errorf("rows after repeated claims (-first +repeated):\n%s", d)
		}
	})
}

// TestNothing claims guests that own nothing. Nothing is stored for them.
func TestNothing(t *testing.T) {
	backends(t, func(t *testing.T, db store.DB) {
		fill(t, db, ana, 1)
		if d := cmp.Diff(Result{}, run(t, db, of(guest, ana))); d != "" {
			t.Errorf("the claim (-want +got):\n%s", d)
		}
		var s state
		if err := db.Get(t.Context(), Path(guest), &s); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("the claim of nothing is stored: %+v, %v", s, err)
		}
		if known, err := Known(t.Context(), db, guest); known || err != nil {
			t.Errorf("a guest without anything is known: %t, %v", known, err)
		}
	})
}

// TestKnown checks when an old guest counts as known: while it owns something, and
// for a while after everything was claimed.
func TestKnown(t *testing.T) {
	backends(t, func(t *testing.T, db store.DB) {
		must(t, addHistory(t.Context(), db, guest, noon, "A.br"))
		for _, step := range []string{"before", "after"} {
			if known, err := Known(t.Context(), db, guest); !known || err != nil {
				t.Errorf("%s the claim: known %t, %v", step, known, err)
			}
			run(t, db, Claim{Guest: guest, Account: ana, At: wiretest.Epoch(), Shown: everything}) // the clock of the database
		}
		must(t, addHistory(t.Context(), db, guest, noon, "B.br"))
		run(t, db, Claim{Guest: guest, Account: ana, At: wiretest.Epoch().Add(-keepFor), Shown: everything})
		if known, err := Known(t.Context(), db, guest); known || err != nil {
			t.Errorf("long after the claim: known %t, %v", known, err)
		}
	})
}

// TestCollisions claims a guest whose rows the account has too. They stay, and move
// once the account does not have them any more.
func TestCollisions(t *testing.T) {
	backends(t, func(t *testing.T, db store.DB) {
		renamed := func(id string) (string, bool) {
			if id == "Old.br" {
				return "New.br", true
			}
			return id, id != "Gone.br"
		}
		c := Claim{Guest: guest, Account: ana, At: noon, Shown: renamed}
		later := noon.Add(time.Hour)
		_, err := addFolders(t.Context(), db, ana, "TV", "Rádio")
		_, err2 := addFolders(t.Context(), db, guest, "Esporte", "RADIO")
		must(t, errors.Join(err, err2,
			addFavorites(t.Context(), db, ana, noon, "Same.br", "New.br", "Gone.br"),
			addFavorites(t.Context(), db, guest, later, "Mine.br", "Gone.br", "Old.br", "Same.br"),
			addHistory(t.Context(), db, ana, noon, "Old.br", "Same.br"),
			addHistory(t.Context(), db, guest, later, "Same.br", "New.br", "Mine.br")))
		want := Result{
			Moved: Rows{Categories: 1, Groups: 1, Items: 2, Favorites: 1, History: 1, Feeds: 1},
			Left:  Rows{Categories: 1, Groups: 1, Items: 2, Favorites: 3, History: 2},
		}
		if d := cmp.Diff(want, run(t, db, c)); d != "" {
			t.Errorf("the claim (-want +got):\n%s", d)
		}
		want.Moved = Rows{}
		if d := cmp.Diff(want, run(t, db, c)); d != "" {
			t.Errorf("a repeated claim (-want +got):\n%s", d)
		}
		l, err := library.Update(t.Context(), db, ana, noon, func(l *library.Library) error { return l.RenameCategory(l.Categories[1].ID, "Música") })
		must(t, err)
		if got := run(t, db, c); got.Moved != (Rows{Categories: 1, Groups: 1, Items: 2}) || len(l.Taken) != 1 {
			t.Errorf("after the account renamed its folder: %+v", got)
		}
	})
}

// TestFull claims a guest for an account that has little room.
func TestFull(t *testing.T) {
	backends(t, func(t *testing.T, db store.DB) {
		number := func(n int, format string) (all []string) {
			for i := range n {
				all = append(all, fmt.Sprintf(format, i))
			}
			return all
		}
		_, err := addFolders(t.Context(), db, ana, number(library.MaxCategories-1, "Mine %d")...)
		_, err2 := addFolders(t.Context(), db, guest, number(3, "Folder %d")...)
		must(t, errors.Join(err, err2,
			addFavorites(t.Context(), db, ana, noon, number(kept.MaxFavorites-2, "mine%d")...),
			addFavorites(t.Context(), db, guest, noon, number(5, "guest%d")...),
			addHistory(t.Context(), db, ana, noon, number(kept.MaxHistory-1, "mine%d")...),
			addHistory(t.Context(), db, guest, noon, number(4, "guest%d")...)))
		want := Result{
			Moved: Rows{Categories: 1, Groups: 1, Items: 2, Favorites: 2, History: 1, Feeds: 1},
			Left:  Rows{Categories: 2, Groups: 2, Items: 4, Favorites: 3, History: 3},
		}
		before := ledgerOf(t, db, guest, ana)
		if d := cmp.Diff(want, run(t, db, of(guest, ana))); d != "" {
			t.Errorf("the claim (-want +got):\n%s", d)
		}
		checkOnce(t, before, ledgerOf(t, db, guest, ana))
	})
}

// TestFeed checks that the guest's feed address shows the account's library, and that
// replacing the account's token ends it.
func TestFeed(t *testing.T) {
	backends(t, func(t *testing.T, db store.DB) {
		mine, err := addFolders(t.Context(), db, ana, "Mine")
		must(t, err)
		theirs, err := addFolders(t.Context(), db, guest, "Theirs")
		must(t, err)
		run(t, db, of(guest, ana))
		for _, token := range []string{mine.Token, theirs.Token} {
			l, err := library.ByToken(t.Context(), db, token)
			if err != nil || l.Owner != ana || len(l.Categories) != 2 || l.Token != mine.Token {
				t.Fatalf("a token opens %+v, %v", l, err)
			}
		}
		_, err = library.Update(t.Context(), db, ana, noon, func(l *library.Library) error { l.RotateToken(); return nil })
		must(t, err)
		for _, token := range []string{mine.Token, theirs.Token} {
			if l, err := library.ByToken(t.Context(), db, token); !errors.Is(err, library.ErrNoFeed) {
				t.Errorf("a replaced token opens %+v, %v", l, err)
			}
		}
		next, err := addFolders(t.Context(), db, guest, "Again")
		must(t, err)
		if l, err := library.ByToken(t.Context(), db, next.Token); err != nil || l.Owner != guest || next.Token == theirs.Token {
			t.Errorf("the guest's next token opens %+v, %v", l, err)
		}
	})
}

// TestLimits claims a guest that has no rows, but a mute, hidden authors and a pass. The
// mute follows to the account, and stays in force for the guest, whose token works on.
func TestLimits(t *testing.T) {
	backends(t, func(t *testing.T, db store.DB) {
		must(t, db.Update(t.Context(), func(tx store.Tx) error {
			hidden := moderation.Hidden{Owners: []moderation.HiddenOwner{{Owner: bob, Name: "Bob"}}}
			var p pass.Passes
			p.ExtendChat(noon)
			return errors.Join(
				tx.Set(moderation.MutePath(guest), moderation.Mute{ExpireAt: store.At(time.Now().Add(time.Hour))}),
				tx.Set(moderation.HiddenPath(guest), hidden), tx.Set(pass.Path(guest), p))
		}))
		for range 2 {
			if d := cmp.Diff(Result{}, run(t, db, of(guest, ana))); d != "" {
				t.Errorf("the claim (-want +got):\n%s", d)
			}
			docs, err := db.GetAll(t.Context(), []store.Path{moderation.MutePath(ana), moderation.MutePath(guest)})
			must(t, err)
			for _, doc := range docs {
				if err := moderation.Check(doc, time.Now()); !errors.Is(err, moderation.ErrMuted) {
					t.Errorf("%s: %v", doc.Path, err)
				}
			}
			hidden, err := moderation.HiddenBy(t.Context(), db, ana)
			must(t, err)
			owned, err := pass.Of(t.Context(), db, ana)
			must(t, err)
			if _, valid := owned.Chat(noon); !valid || !hidden.Has(bob) {
				t.Errorf("the account has %+v and hides %+v", owned, hidden)
			}
		}
	})
}

// TestCost checks how many documents a claim takes, and one that finds nothing.
func TestCost(t *testing.T) {
	meter := storetest.NewMeter(open(t, filepath.Join(t.TempDir(), "data")))
	fill(t, meter, ana, 1)
	fill(t, meter, guest, 0)
	must(t, meter.Delete(t.Context(), comment.PacePath(guest)))
	commented := newGuest()
	fill(t, meter, commented, comment.Batch-1)
	for _, step := range []struct {
		name  string
		guest identity.Owner
		want  storetest.Ops
	}{
		{"a guest without comments", guest, storetest.Ops{Reads: 18, Writes: 8, Deletes: 4}},
		{"the same again", guest, storetest.Ops{Reads: 18}},
		{"a guest with 49 comments", commented, storetest.Ops{Reads: 119, Writes: 60, Deletes: 5}},
		{"a guest that owns nothing", newGuest(), storetest.Ops{Reads: 18}},
	} {
		before := meter.Ops()
		run(t, meter, of(step.guest, ana))
		if d := cmp.Diff(step.want, meter.Ops().Less(before)); d != "" {
			t.Errorf("%s (-want +got):\n%s", step.name, d)
		}
	}
}

// TestRefused checks which pairs cannot be claimed.
func TestRefused(t *testing.T) {
	organization := identity.Owner("o_aaaaaaaaaaaaaaaaaaaaaaaa")
	for _, c := range []Claim{of("", ana), of(bob, ana), of(organization, ana), of(guest, guest), of(guest, organization), of(guest, "")} {
		if r, err := New(storetest.Broken()).Run(t.Context(), c); !errors.Is(err, ErrGuest) {
			t.Errorf("%s claimed by %s: %+v, %v; want ErrGuest", c.Guest, c.Account, r, err)
		}
	}
}

// TestInterrupted lets the database fail after each write of a claim, and repeats the
// claim. No row is lost or owned twice meanwhile, and the repeated claim ends it.
func TestInterrupted(t *testing.T) {
	backends(t, func(t *testing.T, db store.DB) {
		comments := 2 * comment.Batch
		for writes := range 5 { // one of everything else, three of comments, and one too many
			guest, account := newGuest(), newAccount()
			fill(t, db, guest, comments)
			before := ledgerOf(t, db, guest, account)
			broken := storetest.NewSwitch(db)
			broken.OffAfter(writes)
			r, err := New(broken).Run(t.Context(), of(guest, account))
			switch {
			case writes == 0 && errors.Is(err, identity.ErrUnavailable):
			case writes > 0 && writes < 4 && errors.Is(err, ErrPending):
			case writes == 4 && err == nil && r.Moved == filled(comments):
				continue
			default:
				t.Errorf("a claim after %d writes: %+v, %v", writes, r, err)
			}
			checkOnce(t, before, ledgerOf(t, db, guest, account))
			broken.On()
			if d := cmp.Diff(Result{Moved: filled(comments)}, run(t, broken, of(guest, account))); d != "" {
				t.Errorf("a claim repeated after %d writes (-want +got):\n%s", writes, d)
			}
			checkOnce(t, before, ledgerOf(t, db, guest, account))
			if n := ledgerOf(t, db, guest, account).count(guest); len(n) > 0 {
				t.Errorf("after a claim that was repeated after %d writes the guest has %v", writes, n)
			}
			must(t, db.Delete(t.Context(), Path(guest)))
		}
	})
}

// TestPendingAndMore repeats a pending claim after the guest has written more.
func TestPendingAndMore(t *testing.T) {
	backends(t, func(t *testing.T, db store.DB) {
		fill(t, db, guest, comment.Batch)
		broken := storetest.NewSwitch(db)
		broken.OffAfter(1)
		if r, err := New(broken).Run(t.Context(), of(guest, ana)); !errors.Is(err, ErrPending) {
			t.Fatalf("the interrupted claim: %+v, %v", r, err)
		}
		must(t, addFavorites(t.Context(), db, guest, noon, "Later.br"))
		want := filled(comment.Batch)
		want.Favorites++
		if d := cmp.Diff(Result{Moved: want}, run(t, db, of(guest, ana))); d != "" {
			t.Errorf("the repeated claim (-want +got):\n%s", d)
		}
	})
}

// TestPendingForAnother claims a guest while the claim of another account is pending.
// What that claim had begun to move goes to its own account.
func TestPendingForAnother(t *testing.T) {
	backends(t, func(t *testing.T, db store.DB) {
		comments := 2 * comment.Batch
		fill(t, db, guest, comments)
		broken := storetest.NewSwitch(db)
		broken.OffAfter(2)
		if r, err := New(broken).Run(t.Context(), of(guest, ana)); !errors.Is(err, ErrPending) {
			t.Fatalf("the interrupted claim: %+v, %v", r, err)
		}
		must(t, addFavorites(t.Context(), db, guest, noon, "Later.br"))
		broken.On()
		broken.OffAfter(1)
		if r, err := New(broken).Run(t.Context(), of(guest, bob)); !errors.Is(err, ErrPending) {
			t.Fatalf("the interrupted claim of the other account: %+v, %v", r, err)
		}
		if d := cmp.Diff(Result{Moved: Rows{Favorites: 1}}, run(t, db, of(guest, bob))); d != "" {
			t.Errorf("the claim of the other account (-want +got):\n%s", d)
		}
		rows := ledgerOf(t, db, guest, ana, bob)
		if got := rows.count(ana)["comment"]; got != comments {
			t.Errorf("the first account has %d comments, want %d", got, comments)
		}
		if d := cmp.Diff(map[string]int{"favorite": 1}, rows.count(bob)); d != "" {
			t.Errorf("rows of the other account (-want +got):\n%s", d)
		}
		if d := cmp.Diff(Result{}, run(t, db, of(guest, ana))); d != "" {
			t.Errorf("the first account's repeated claim (-want +got):\n%s", d)
		}
	})
}

// TestPendingForGone claims a guest a day after the claim of another account was
// interrupted. What is pending goes to the account that asks for it now.
func TestPendingForGone(t *testing.T) {
	backends(t, func(t *testing.T, db store.DB) {
		comments := 2 * comment.Batch
		fill(t, db, guest, comments)
		broken := storetest.NewSwitch(db)
		broken.OffAfter(2)
		if r, err := New(broken).Run(t.Context(), of(guest, ana)); !errors.Is(err, ErrPending) {
			t.Fatalf("the interrupted claim: %+v, %v", r, err)
		}
		c := of(guest, bob)
		c.At = noon.Add(holdFor)
		if d := cmp.Diff(Result{Moved: Rows{Comments: comment.Batch}}, run(t, db, c)); d != "" {
			t.Errorf("the claim of the other account (-want +got):\n%s", d)
		}
		if d := cmp.Diff(map[string]int{"comment": comment.Batch}, ledgerOf(t, db, guest, ana, bob).count(bob)); d != "" {
			t.Errorf("rows of the other account (-want +got):\n%s", d)
		}
	})
}

// TestManyComments claims a guest with more comments than one call moves.
func TestManyComments(t *testing.T) {
	backends(t, func(t *testing.T, db store.DB) {
		comments := maxBatches*comment.Batch + 1
		for left := comments; left > 0; left -= min(left, 400) {
			must(t, addComments(t.Context(), db, guest, min(left, 400)))
		}
		if r, err := New(db).Run(t.Context(), of(guest, ana)); !errors.Is(err, ErrPending) {
			t.Fatalf("the first call: %+v, %v", r, err)
		}
		if r := run(t, db, of(guest, ana)); r.Moved != (Rows{Comments: comments}) {
			t.Errorf("the second call: %+v", r)
		}
	})
}

// TestPace checks that the comments of the last hour count for the account, and that
// the account's list of comments is read again.
func TestPace(t *testing.T) {
	backends(t, func(t *testing.T, db store.DB) {
		n := 0
		post := func(owner identity.Owner) error {
			n++ // no text is repeated
			c, err := comment.New(owner, "A.br", "", fmt.Sprint("hello ", n), noon)
			must(t, err)
			_, err = comment.Post(t.Context(), db, c)
			return err
		}
		for range comment.PerHour - 1 {
			must(t, post(guest))
		}
		c := of(guest, ana)
		c.At = noon.Add(time.Minute)
		run(t, db, c)
		var p comment.Pace
		if err := db.Get(t.Context(), comment.PacePath(ana), &p); err != nil || !p.ChangedAt.Equal(c.At) {
			t.Errorf("the account's comments changed at %v, %v; want %v", p.ChangedAt, err, c.At)
		}
		must(t, post(ana))
		if err := post(ana); !errors.Is(err, comment.ErrLimit) {
			t.Errorf("one comment too many in an hour: %v", err)
		}
	})
}

// TestCanceled checks that a call whose caller is gone is reported as pending only
// when the claim has begun.
func TestCanceled(t *testing.T) {
	backends(t, func(t *testing.T, db store.DB) {
		fill(t, db, guest, 1)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if r, err := New(db).Run(ctx, of(guest, ana)); !errors.Is(err, identity.ErrUnavailable) {
			t.Errorf("a call that was canceled: %+v, %v", r, err)
		}
	})
}

// TestPublic moves what a guest publishes and follows, with the folders that it shows. What
// collides stays with the guest.
func TestPublic(t *testing.T) {
	backends(t, func(t *testing.T, db store.DB) {
		publish := func(owner identity.Owner, name, folder string) {
			l, err := addFolders(t.Context(), db, owner, folder)
			must(t, err)
			_, _, err = public.Put(t.Context(), db, owner, public.Draft{Name: name, Title: name, Folders: []string{l.Categories[len(l.Categories)-1].ID}}, noon)
			must(t, err)
		}
		for _, row := range []struct {
			owner identity.Owner
			id    string
		}{{guest, "pub_1"}, {guest, "pub_2"}, {ana, "pub_2"}} {
			_, _, err := follow.Add(t.Context(), db, row.owner, &public.Publication{ID: row.id, Owner: bob}, "", noon)
			must(t, err)
		}
		publish(guest, "one", "TV")
		want := Result{Moved: Rows{Categories: 1, Groups: 1, Items: 2, Feeds: 1, Public: 1, Following: 1}, Left: Rows{Following: 1}}
		if d := cmp.Diff(want, run(t, db, of(guest, ana))); d != "" {
			t.Errorf("the claim (-want +got):\n%s", d)
		}
		p, l, err := public.Read(t.Context(), db, "one")
		if err != nil || p.Owner != ana || len(p.Of(l).Categories) != 1 {
			t.Errorf("%+v, %v", p, err)
		}
		publish(guest, "two", "Radio")
		want = Result{Moved: Rows{Categories: 1, Groups: 1, Items: 2, Feeds: 1}, Left: Rows{Public: 1, Following: 1}}
		if d := cmp.Diff(want, run(t, db, of(guest, ana))); d != "" {
			t.Errorf("a second claim (-want +got):\n%s", d)
		}
		if p, err := public.OfOwner(t.Context(), db, ana); err != nil || p.Name != "one" {
			t.Errorf("the account publishes %+v, %v", p, err)
		}
	})
}
