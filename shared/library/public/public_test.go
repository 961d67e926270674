package public

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/library"
	"miramundo.dev/shared/moderation"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/wire/wiretest"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// backends runs f on an empty database of each kind that there is.
func backends(t *testing.T, f func(t *testing.T, db store.DB)) {
	wiretest.Each(t, os.Getenv("FIRESTORE_EMULATOR_HOST"), func(t *testing.T, db store.DB, _ int) { f(t, db) })
}

// folder gives an owner a folder with a channel that was played, and returns its id.
func folder(t *testing.T, db store.DB, owner identity.Owner, name string) (id string) {
	t.Helper()
	_, err := library.Update(t.Context(), db, owner, noon, func(l *library.Library) error {
		c, err := l.AddCategory(name)
		if err != nil {
			return err
		}
		id = c.ID
		_, it, err := l.AddItem(c.Groups[0].ID, library.Item{Channel: "A.br", Name: "A", Country: "BR"}, nil)
		if err != nil {
			return err
		}
		return l.Play(it.ID, noon)
	})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func put(ctx context.Context, db store.DB, owner identity.Owner, name string, at time.Time, folders ...string) (*Publication, error) {
	p, _, err := Put(ctx, db, owner, Draft{Name: name, Title: "Title of " + name, Folders: folders}, at)
	return p, err
}

// isShown reports whether strangers see a library under a name.
func isShown(t *testing.T, db store.DB, name string) bool {
	t.Helper()
	_, err := Open(t.Context(), db, name)
	if err != nil && !errors.Is(err, ErrUnknown) {
		t.Fatal(err)
	}
	return err == nil
}

// TestOf checks what strangers see: the folders that were chosen, and neither ids, tokens,
// the owner nor when something was played.
func TestOf(t *testing.T) {
	backends(t, func(t *testing.T, db store.DB) {
		id := folder(t, db, "g_ana", "News")
		folder(t, db, "g_ana", "Secret")
		if _, err := put(t.Context(), db, "g_ana", "news", noon, id); err != nil {
			t.Fatal(err)
		}
		p, l, err := Read(t.Context(), db, "news")
		if err != nil {
			t.Fatal(err)
		}
		want := &library.Library{
			Public: "news", Title: "Title of news", UpdatedAt: store.At(noon),
			Categories: []library.Category{{Name: "News", Slug: "news", Groups: []library.Group{{
				Name: "Geral", Slug: "geral", Items: []library.Item{{Channel: "A.br", Name: "A", Country: "BR"}},
			}}}},
		}
		if diff := cmp.Diff(want, p.Of(l)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if got := p.Text(l); got != "news\nTitle of news\nNews: Geral" {
			t.Errorf("the text is %q", got)
		}
		_, err = library.Update(t.Context(), db, "g_ana", noon, func(l *library.Library) error { return l.RemoveCategory(id) })
		if err != nil {
			t.Fatal(err)
		}
		if p, l, err := Read(t.Context(), db, "news"); err != nil || len(p.Of(l).Categories) > 0 || len(p.FolderIDs(l)) > 0 {
			t.Errorf("a deleted folder is shown, %v", err)
		}
	})
}

// TestSlugs checks the addresses of a folder whose slug stands for the whole library.
func TestSlugs(t *testing.T) {
	l := &library.Library{Categories: []library.Category{{ID: "a", Slug: "library"}, {ID: "b", Slug: "library-1"}, {ID: "c", Slug: "c"}}}
	p := &Publication{Name: "n", Folders: []string{"a", "b", "c"}}
	for slug, want := range map[string]string{"library-1-1": "a", "library-1": "b", "c": "c", "library": "", "": ""} {
		got := ""
		if c, ok := p.Folder(l, slug); ok {
			got = c.ID
		}
		if got != want {
			t.Errorf("%q is %q, want %q", slug, got, want)
		}
	}
	if l.Categories[0].Slug != "library" {
		t.Error("the library was changed")
	}
	shown := p.Of(l)
	if got := shown.CategoryFeed("https://mira.example", &shown.Categories[0]).As("m3u"); got != "https://mira.example/l/n/library-1-1.m3u" {
		t.Error(got)
	}
	if got := shown.Feed("https://mira.example").As("m3u"); got != "https://mira.example/l/n/library.m3u" {
		t.Error(got)
	}
}

// TestClean checks names and texts.
func TestClean(t *testing.T) {
	long := strings.Repeat("a", MaxName)
	for _, test := range []struct {
		d    Draft
		want string // parameter and reason of the refusal
	}{
		{Draft{Name: "abc"}, ""},
		{Draft{Name: long}, ""},
		{Draft{Name: "a-1-b"}, ""},
		{Draft{Name: "ab"}, "name form"},
		{Draft{Name: long + "a"}, "name form"},
		{Draft{Name: "-abc"}, "name form"},
		{Draft{Name: "abc-"}, "name form"},
		{Draft{Name: "xn--abc"}, "name form"},
		{Draft{Name: "Abc"}, "name form"},
		{Draft{Name: "a_c"}, "name form"},
		{Draft{Name: "a/c"}, "name form"},
		{Draft{Name: "a.c"}, "name form"},
		{Draft{Name: "rádio"}, "name form"},
		{Draft{Name: ""}, "name form"},
		{Draft{Name: "support"}, "name reserved"},
		{Draft{Name: "abc", Title: " "}, "title empty"},
		{Draft{Name: "abc", Title: strings.Repeat("ã", MaxTitle+1)}, "title too_long"},
		{Draft{Name: "abc", Title: "a\nb"}, "title control"},
		{Draft{Name: "abc", Title: "a\xffb"}, "title encoding"},
		{Draft{Name: "abc", About: "a\nb"}, ""},
		{Draft{Name: "abc", About: "a\u202eb"}, "about control"},
		{Draft{Name: "abc", About: strings.Repeat("ã", MaxAbout+1)}, "about too_long"},
		{Draft{Name: "abc", Author: " "}, ""},
		{Draft{Name: "abc", Author: "a\x00b"}, "author control"},
		{Draft{Name: "abc", Author: strings.Repeat("ã", MaxAuthor+1)}, "author too_long"},
		{Draft{Name: "abc", Folders: []string{}}, "folders number"},
		{Draft{Name: "abc", Folders: make([]string, library.MaxCategories+1)}, "folders number"},
	} {
		if test.d.Title == "" {
			test.d.Title = "T"
		}
		if test.d.Folders == nil {
			test.d.Folders = []string{"cat_1"}
		}
		_, err := test.d.Clean()
		got := ""
		if f, ok := errors.AsType[*fault.Error](err); ok {
			got = fmt.Sprint(f.Fields["param"], " ", f.Fields["reason"])
		}
		if got != test.want {
			t.Errorf("%+v: %q, want %q", test.d, got, test.want)
		}
	}
	d, err := Draft{Name: "abc", Title: " e\u0301\u200b ", Folders: []string{"b", "a", "b"}}.Clean()
	if err != nil || d.Title != "é" || !cmp.Equal(d.Folders, []string{"a", "b"}) {
		t.Errorf("%+v, %v", d, err)
	}
}

// TestRace has many owners ask for one name at once: one gets it, and the others publish
// nothing.
func TestRace(t *testing.T) {
	wiretest.Each(t, os.Getenv("FIRESTORE_EMULATOR_HOST"), func(t *testing.T, db store.DB, writers int) {
		var got atomic.Int32
		var g errgroup.Group
		g.SetLimit(writers)
		for i := range 20 {
			owner := identity.Owner(fmt.Sprint("g_", i))
			id := folder(t, db, owner, "News")
			g.Go(func() error {
				_, err := put(t.Context(), db, owner, "news", noon, id)
				if err == nil {
					got.Add(1)
				} else if !errors.Is(err, ErrTaken) {
					return err
				}
				return nil
			})
		}
		if err := g.Wait(); err != nil || got.Load() != 1 {
			t.Errorf("%d owners got the name, %v", got.Load(), err)
		}
		if n, err := db.Count(t.Context(), store.Query{Collection: "publications"}); n != 1 || err != nil {
			t.Errorf("%d publications, %v", n, err)
		}
	})
}

// TestRename leaves a name: it is reserved for its owner alone, and then free. The
// publication keeps its id.
func TestRename(t *testing.T) {
	backends(t, func(t *testing.T, db store.DB) {
		now := time.Now() // the databases hide what has expired
		ana, bea := folder(t, db, "g_ana", "A"), folder(t, db, "g_bea", "B")
		must := func(name string) *Publication {
			p, err := put(t.Context(), db, "g_ana", name, now, ana)
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		first := must("one")
		second := must("two")
		if first.ID != second.ID || isShown(t, db, "one") || !isShown(t, db, "two") {
			t.Errorf("%s became %s", first.ID, second.ID)
		}
		if _, err := put(t.Context(), db, "g_bea", "one", now, bea); !errors.Is(err, ErrTaken) {
			t.Errorf("the reserved name: %v, want ErrTaken", err)
		}
		must("one")
		for i := range MaxLeft - 1 { // "two" is the first
			must(fmt.Sprint("name-", i))
		}
		_, err := put(t.Context(), db, "g_ana", "last", now, ana)
		if !errors.Is(err, ErrNames) || fault.From(err).Fields["retry_after"] != int(reserved/time.Second) {
			t.Errorf("one name more: %v, %v", err, fault.From(err).Fields)
		}
		must("two")
		later := now.Add(reserved + time.Second)
		if _, err := put(t.Context(), db, "g_ana", "last", later, ana); err != nil {
			t.Errorf("when the names are free: %v", err)
		}
	})
}

// TestWithdraw ends a publication, and publishes another one with the name.
func TestWithdraw(t *testing.T) {
	backends(t, func(t *testing.T, db store.DB) {
		id, other := folder(t, db, "g_ana", "A"), folder(t, db, "g_bea", "B")
		first, err := put(t.Context(), db, "g_ana", "one", noon.AddDate(100, 0, 0), id)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []bool{true, false} {
			if done, err := Withdraw(t.Context(), db, "g_ana", noon.AddDate(100, 0, 0)); done != want || err != nil {
				t.Errorf("call %d: %t, %v", i, done, err)
			}
		}
		if p, err := OfOwner(t.Context(), db, "g_ana"); p != nil || err != nil || isShown(t, db, "one") {
			t.Errorf("%+v is left, %v", p, err)
		}
		if _, err := put(t.Context(), db, "g_bea", "one", noon.AddDate(100, 0, 1), other); !errors.Is(err, ErrTaken) {
			t.Errorf("the reserved name: %v", err)
		}
		again, err := put(t.Context(), db, "g_ana", "one", noon.AddDate(100, 0, 1), id)
		if err != nil || again.ID != first.ID || !isShown(t, db, "one") {
			t.Errorf("%+v, %v", again, err)
		}
	})
}

// TestReserved withdraws more names than may be reserved: the first of them are free, the
// owner can always end a publication, and what names the owner is removed with it.
func TestReserved(t *testing.T) {
	backends(t, func(t *testing.T, db store.DB) {
		now := time.Now()
		id, other := folder(t, db, "g_ana", "A"), folder(t, db, "g_bea", "B")
		for i := range MaxLeft + 2 {
			if _, err := put(t.Context(), db, "g_ana", fmt.Sprint("name-", i), now, id); err != nil {
				t.Fatal(err)
			}
			if done, err := Withdraw(t.Context(), db, "g_ana", now); !done || err != nil {
				t.Fatalf("name %d: %t, %v", i, done, err)
			}
		}
		for i := range MaxLeft + 2 {
			_, err := put(t.Context(), db, "g_bea", fmt.Sprint("name-", i), now, other)
			if taken := errors.Is(err, ErrTaken); taken != (i >= 2) || !taken && err != nil {
				t.Errorf("name %d for another: %v", i, err)
			}
		}
		if err := Remove(t.Context(), db, "g_ana", now); err != nil {
			t.Fatal(err)
		}
		for doc, err := range db.Query(t.Context(), store.Query{Collection: "public_libraries", Limit: 100}) {
			if err != nil {
				t.Fatal(err)
			}
			var c claim
			if err := doc.Decode(&c); err != nil || c.Owner == "g_ana" {
				t.Errorf("%s names the deleted owner, %v", doc.ID, err)
			}
		}
	})
}

// TestMoveOfNames moves the names that are reserved for a guest, also without a
// publication, of which the account keeps as many as it may. It can still withdraw.
func TestMoveOfNames(t *testing.T) {
	backends(t, func(t *testing.T, db store.DB) {
		now := time.Now()
		leaveAll := func(owner identity.Owner, names ...string) {
			id := folder(t, db, owner, "A")
			for _, name := range names {
				if _, err := put(t.Context(), db, owner, name, now, id); err != nil {
					t.Fatal(err)
				}
				if _, err := Withdraw(t.Context(), db, owner, now); err != nil {
					t.Fatal(err)
				}
			}
		}
		leaveAll("p_ana", "one", "two", "three", "four")
		leaveAll("g_ana", "five", "six", "seven")
		if m := moveAt(t, db, "g_ana", "p_ana", now); m.Moved != 0 || m.Left != 0 {
			t.Errorf("%+v", m)
		}
		id := folder(t, db, "p_ana", "B")
		if _, err := put(t.Context(), db, "p_ana", "seven", now, id); err != nil {
			t.Errorf("the name of the guest: %v", err)
		}
		if done, err := Withdraw(t.Context(), db, "p_ana", now); !done || err != nil || isShown(t, db, "seven") {
			t.Errorf("it cannot be withdrawn: %t, %v", done, err)
		}
	})
}

// TestMoveWithoutFolders leaves a publication with the guest when its folders stay there.
func TestMoveWithoutFolders(t *testing.T) {
	backends(t, func(t *testing.T, db store.DB) {
		err := db.Update(t.Context(), func(tx store.Tx) error {
			e, err := begin(tx, "g_ana", noon)
			if err != nil {
				return err
			}
			return e.put(&Publication{Name: "one", Title: "One", Folders: []string{"cat_stays"}}, store.Doc{})
		})
		if err != nil {
			t.Fatal(err)
		}
		if m := move(t, db, "g_ana", "p_ana"); m.Moved != 0 || m.Left != 1 {
			t.Errorf("%+v", m)
		}
		if p, err := Open(t.Context(), db, "one"); err != nil || p.Owner != "g_ana" {
			t.Errorf("%+v, %v", p, err)
		}
	})
}

// hide hides or shows a publication.
func hide(t *testing.T, db store.DB, ref string, why *Hiding) {
	t.Helper()
	err := db.Update(t.Context(), func(tx store.Tx) error {
		p, err := Lookup(tx, ref)
		if err != nil {
			return err
		}
		return p.Hide(tx, why)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestHidden checks that a hidden publication stays hidden when its owner changes,
// renames or withdraws it.
func TestHidden(t *testing.T) {
	backends(t, func(t *testing.T, db store.DB) {
		id := folder(t, db, "g_ana", "A")
		put := func(name string) *Publication {
			p, err := put(t.Context(), db, "g_ana", name, noon.AddDate(100, 0, 0), id)
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		p := put("one")
		why := &Hiding{Reason: "spam", Since: store.At(noon)}
		hide(t, db, "one", why)
		if isShown(t, db, "one") {
			t.Error("it is shown")
		}
		if put("two"); isShown(t, db, "two") {
			t.Error("it is shown under another name")
		}
		if _, err := Withdraw(t.Context(), db, "g_ana", noon.AddDate(100, 0, 0)); err != nil {
			t.Fatal(err)
		}
		mine, err := OfOwner(t.Context(), db, "g_ana")
		if diff := cmp.Diff(&Publication{ID: p.ID, Owner: "g_ana", UpdatedAt: store.At(noon.AddDate(100, 0, 0)), Hidden: why}, mine); err != nil || diff != "" {
			t.Errorf("when it is withdrawn: %v (-want +got):\n%s", err, diff)
		}
		if put("one"); isShown(t, db, "one") {
			t.Error("it is shown when it is published again")
		}
		if hide(t, db, p.ID, nil); !isShown(t, db, "one") {
			t.Error("it is not shown again")
		}
	})
}

// TestMuted refuses what a muted owner publishes.
func TestMuted(t *testing.T) {
	db := wiretest.OpenDB(t)
	id, now := folder(t, db, "g_ana", "A"), time.Now()
	if err := db.Set(t.Context(), moderation.MutePath("g_ana"), moderation.Mute{ExpireAt: store.At(now.Add(time.Hour))}); err != nil {
		t.Fatal(err)
	}
	if _, err := put(t.Context(), db, "g_ana", "one", now, id); !errors.Is(err, moderation.ErrMuted) {
		t.Errorf("%v, want ErrMuted", err)
	}
}

// absence begins or ends the absence of an owner.
func absence(t *testing.T, db store.DB, owner identity.Owner, begins bool) {
	t.Helper()
	err := db.Update(t.Context(), func(tx store.Tx) error {
		a, err := ReadAbsence(tx, owner)
		if err != nil {
			return err
		}
		if begins {
			return a.Begin(tx)
		}
		return a.End(tx)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestAbsence checks that nobody sees a publication while its owner is away, that its name
// stays, and that it is as before when the owner is back.
func TestAbsence(t *testing.T) {
	backends(t, func(t *testing.T, db store.DB) {
		absence(t, db, "g_bob", true) // who publishes nothing
		before, err := put(t.Context(), db, "g_ana", "news", noon, folder(t, db, "g_ana", "News"))
		if err != nil {
			t.Fatal(err)
		}
		other := folder(t, db, "g_eve", "Other")
		for _, away := range []bool{true, true, false, false} {
			absence(t, db, "g_ana", away)
			if isShown(t, db, "news") == away {
				t.Errorf("away %t: it is shown %t", away, !away)
			}
			if _, err := put(t.Context(), db, "g_eve", "news", noon, other); !errors.Is(err, ErrTaken) {
				t.Errorf("away %t: its name is given to another: %v", away, err)
			}
		}
		after, err := OfOwner(t.Context(), db, "g_ana")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(before, after); diff != "" {
			t.Errorf("back again (-before +after):\n%s", diff)
		}
	})
}

// TestAway checks that what is published, withdrawn, hidden or restored while the owner is
// away stays unseen, and is seen when the owner is back.
func TestAway(t *testing.T) {
	backends(t, func(t *testing.T, db store.DB) {
		id := folder(t, db, "g_ana", "News")
		publish := func(name string) {
			t.Helper()
			if _, err := put(t.Context(), db, "g_ana", name, noon, id); err != nil {
				t.Fatal(err)
			}
		}
		publish("news")
		absence(t, db, "g_ana", true)
		for name, change := range map[string]func(){
			"published again": func() { publish("news") },
			"withdrawn and published": func() {
				if _, err := Withdraw(t.Context(), db, "g_ana", noon); err != nil {
					t.Fatal(err)
				}
				publish("news")
			},
			"hidden and restored": func() {
				hide(t, db, "news", &Hiding{Reason: "spam"})
				hide(t, db, "news", nil)
			},
		} {
			if change(); isShown(t, db, "news") {
				t.Errorf("%s: it is shown", name)
			}
		}
		absence(t, db, "g_ana", false)
		if !isShown(t, db, "news") {
			t.Error("it is not shown when its owner is back")
		}
	})
}

// TestRemove deletes an owner: its names are reserved for nobody.
func TestRemove(t *testing.T) {
	backends(t, func(t *testing.T, db store.DB) {
		now := time.Now()
		id := folder(t, db, "g_ana", "A")
		for _, name := range []string{"one", "two"} {
			if _, err := put(t.Context(), db, "g_ana", name, now, id); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 {
			if err := Remove(t.Context(), db, "g_ana", now); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range []string{"one", "two"} {
			var c claim
			if err := db.Get(t.Context(), claimPath(name), &c); err != nil || c.Owner != "" || c.Publication != "" || c.ExpireAt == nil {
				t.Errorf("%s: %+v, %v", name, c, err)
			}
			if _, err := put(t.Context(), db, "g_ana", name, now, id); !errors.Is(err, ErrTaken) || isShown(t, db, name) {
				t.Errorf("%s: %v, want ErrTaken", name, err)
			}
		}
		if n, err := db.Count(t.Context(), store.Query{Collection: "publications"}); n != 0 || err != nil {
			t.Errorf("%d publications, %v", n, err)
		}
	})
}

// move moves the publication of a guest to an account.
func move(t *testing.T, db store.DB, from, to identity.Owner) *Move {
	t.Helper()
	return moveAt(t, db, from, to, noon.AddDate(100, 0, 0))
}

func moveAt(t *testing.T, db store.DB, from, to identity.Owner, now time.Time) (m *Move) {
	t.Helper()
	err := db.Update(t.Context(), func(tx store.Tx) (err error) {
		if m, err = ReadMove(tx, from, to, now, func(folder string) bool { return folder != "cat_stays" }); err != nil {
			return err
		}
		return m.Write(tx)
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestMove moves a publication with its reserved names; that of an account stays.
func TestMove(t *testing.T) {
	backends(t, func(t *testing.T, db store.DB) {
		at := noon.AddDate(100, 0, 0)
		id := folder(t, db, "g_ana", "A")
		for _, name := range []string{"one", "two"} {
			if _, err := put(t.Context(), db, "g_ana", name, at, id); err != nil {
				t.Fatal(err)
			}
		}
		if m := move(t, db, "g_ana", "p_ana"); m.Moved != 1 || m.Left != 0 {
			t.Errorf("%+v", m)
		}
		p, err := Open(t.Context(), db, "two")
		if err != nil || p.Owner != "p_ana" {
			t.Fatalf("%+v, %v", p, err)
		}
		if mine, err := OfOwner(t.Context(), db, "g_ana"); mine != nil || err != nil {
			t.Errorf("the guest has %+v, %v", mine, err)
		}
		his := folder(t, db, "p_ana", "A")
		if _, err := put(t.Context(), db, "p_ana", "one", at, his); err != nil {
			t.Errorf("the name that the guest left: %v", err)
		}
		if m := move(t, db, "g_ana", "p_ana"); m.Moved != 0 || m.Left != 0 {
			t.Errorf("again: %+v", m)
		}
		if _, err := put(t.Context(), db, "g_ana", "three", at, id); err != nil {
			t.Fatal(err)
		}
		if m := move(t, db, "g_ana", "p_ana"); m.Moved != 0 || m.Left != 1 || !isShown(t, db, "one") || !isShown(t, db, "three") {
			t.Errorf("a collision: %+v", m)
		}
	})
}

// TestBroken returns the failures of the database.
func TestBroken(t *testing.T) {
	db := storetest.Broken()
	_, e1 := Open(t.Context(), db, "one")
	_, e2 := OfOwner(t.Context(), db, "g_ana")
	_, e3 := put(t.Context(), db, "g_ana", "one", noon, "cat_1")
	_, e4 := Withdraw(t.Context(), db, "g_ana", noon)
	e5 := Remove(t.Context(), db, "g_ana", noon)
	for i, err := range []error{e1, e2, e3, e4, e5} {
		if !errors.Is(err, storetest.ErrBroken) {
			t.Errorf("call %d: %v", i+1, err)
		}
	}
	for _, name := range []string{"", "..", "a/b", "__x__", strings.Repeat("a", 2000), "publications"[:2]} {
		if _, err := Open(t.Context(), db, name); !errors.Is(err, ErrUnknown) {
			t.Errorf("%q: %v, want ErrUnknown without a read", name, err)
		}
	}
}
