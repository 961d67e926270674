package library

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/store"
)

// named returns a library with folders.
func named(t *testing.T, owner identity.Owner, token string, names ...string) *Library {
	t.Helper()
	l := &Library{Owner: owner, Token: token}
	for _, name := range names {
		if _, err := l.AddCategory(name); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

// namesOf returns the names of the folders of l.
func namesOf(l *Library) (names []string) {
	for i := range l.Categories {
		names = append(names, l.Categories[i].Name)
	}
	return names
}

// tokens returns n tokens.
func tokens(n int) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprint("token", i))
	}
	return all
}

func TestTake(t *testing.T) {
	eight := strings.Split("abcdefgh", "")
	full := func(l *Library) { l.Taken = tokens(MaxTaken) }
	large := func(l *Library) { // 640 KiB, as no caller could fill a folder
		l.Categories[0].Groups[0].Items = []Item{{Name: strings.Repeat("x", 640<<10)}}
	}
	none := func(*Library) {}
	for _, test := range []struct {
		name     string
		mine     *Library
		theirs   *Library
		prepare  [2]func(*Library)
		want     Content
		have     []string // names of folders afterwards
		left     []string
		token    string
		taken    int
		leftover string // the token that is left
	}{
		{"nothing", named(t, "a_1", "mine"), named(t, "g_1", ""), [2]func(*Library){none, none}, Content{}, nil, nil, "mine", 0, ""},
		{"a feed alone", named(t, "a_1", "mine"), named(t, "g_1", "theirs"), [2]func(*Library){none, none}, Content{Feeds: 1}, nil, nil, "mine", 1, ""},
		{"into nothing", named(t, "a_1", ""), named(t, "g_1", "theirs", "x", "y"), [2]func(*Library){none, none},
			Content{Categories: 2, Groups: 2, Feeds: 1}, []string{"x", "y"}, nil, "theirs", 0, ""},
		{"the same slug", named(t, "a_1", "mine", "Rádio", "x"), named(t, "g_1", "theirs", "radio", "y"), [2]func(*Library){none, none},
			Content{Categories: 1, Groups: 1, Feeds: 1}, []string{"Rádio", "x", "y"}, []string{"radio"}, "mine", 1, ""},
		{"little room", named(t, "a_1", "mine", eight[:6]...), named(t, "g_1", "theirs", "x", "y", "z"), [2]func(*Library){none, none},
			Content{Categories: 2, Groups: 2, Feeds: 1}, append(eight[:6:6], "x", "y"), []string{"z"}, "mine", 1, ""},
		{"no room for a token", named(t, "a_1", "mine"), named(t, "g_1", "theirs", "x"), [2]func(*Library){full, none},
			Content{Categories: 1, Groups: 1}, []string{"x"}, nil, "mine", MaxTaken, "theirs"},
		{"a large folder before a small one", named(t, "a_1", "mine", "large"), named(t, "g_1", "theirs", "too large", "small"), [2]func(*Library){large, large},
			Content{Categories: 1, Groups: 1, Feeds: 1}, []string{"large", "small"}, []string{"too large"}, "mine", 1, ""},
	} {
		test.prepare[0](test.mine)
		test.prepare[1](test.theirs)
		if d := cmp.Diff(test.want, test.mine.Take(test.theirs)); d != "" {
			t.Errorf("%s: moved (-want +got):\n%s", test.name, d)
		}
		if d := cmp.Diff([2][]string{test.have, test.left}, [2][]string{namesOf(test.mine), namesOf(test.theirs)}); d != "" {
			t.Errorf("%s: folders there and here (-want +got):\n%s", test.name, d)
		}
		if m := test.mine; m.Token != test.token || len(m.Taken) != test.taken || test.theirs.Token != test.leftover {
			t.Errorf("%s: the tokens %q and %q; %q is left", test.name, m.Token, m.Taken, test.theirs.Token)
		}
		if _, err := store.Encode(test.mine); err != nil {
			t.Errorf("%s: the library cannot be stored: %v", test.name, err)
		}
	}
}

// moveAll moves what one library has to another.
func moveAll(t *testing.T, db store.DB, from, to identity.Owner) (moved, left Content) {
	t.Helper()
	err := db.Update(t.Context(), func(tx store.Tx) error {
		m, err := ReadMove(tx, from, to)
		if err != nil {
			return err
		}
		moved, left = m.Moved, m.Left
		return m.Write(tx, noon)
	})
	if err != nil {
		t.Fatal(err)
	}
	return moved, left
}

// TestMoved checks what a guest finds whose library moved: an empty one, with another
// token from its next look on, and never with the token that opens the account's.
func TestMoved(t *testing.T) {
	backends(t, func(t *testing.T, db store.DB, _ int) {
		ana := identity.NewGuest("g_ana", "the secret of ana")
		first, err := UpdateFor(t.Context(), db, ana, noon, addCategory("TV"))
		if err != nil {
			t.Fatal(err)
		}
		moveAll(t, db, ana.Owner, "a_ana")
		opened, err := OpenFor(t.Context(), db, ana, noon)
		if err != nil || opened.Token == "" || opened.Token == first.Token || opened.Revision <= first.Revision || len(opened.Categories) != 0 {
			t.Fatalf("the guest's library at revision %d, before at %d, %v:\n%s", opened.Revision, first.Revision, err, format(opened))
		}
		if l, err := ByToken(t.Context(), db, opened.Token); err != nil || l.Owner != ana.Owner {
			t.Errorf("the guest's token opens %+v, %v", l, err)
		}
		if l, err := ByToken(t.Context(), db, first.Token); err != nil || l.Owner != "a_ana" || l.Token != first.Token {
			t.Errorf("the token that moved opens %+v, %v", l, err)
		}
		if _, err := UpdateFor(t.Context(), db, ana, noon, addCategory("TV")); err != nil {
			t.Errorf("the guest's next folder: %v", err)
		}
		moved, left := moveAll(t, db, ana.Owner, "a_ana")
		if moved != (Content{Feeds: 1}) || left != (Content{Categories: 1, Groups: 1}) {
			t.Errorf("the second move: %+v, left %+v", moved, left)
		}
		if l, err := Load(t.Context(), db, ana.Owner); err != nil || l.Token != "" {
			t.Errorf("a library with a folder and without a token: %+v, %v", l, err)
		}
		if l, err := OpenFor(t.Context(), db, ana, noon); err != nil || l.Token == "" || len(l.Categories) != 1 {
			t.Errorf("what is left, when the guest looks at it: %+v, %v", l, err)
		}
	})
}

// moving moves a library between the two reads of a feed.
type moving struct {
	store.DB
	t    *testing.T
	from store.Path
}

func (m *moving) GetAll(ctx context.Context, ps []store.Path) ([]store.Doc, error) {
	if ps[0] == m.from {
		m.from = ""
		moveAll(m.t, m.DB, "g_ana", "a_ana")
	}
	return m.DB.GetAll(ctx, ps)
}

// TestMovedWhileRead reads a feed while the library moves.
func TestMovedWhileRead(t *testing.T) {
	db := embedded(t)
	l, err := Update(t.Context(), db, "g_ana", noon, addCategory("TV"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := ByToken(t.Context(), &moving{db, t, Path("g_ana")}, l.Token)
	if err != nil || got.Owner != "a_ana" || len(got.Categories) != 1 {
		t.Errorf("the feed shows %+v, %v", got, err)
	}
}

// TestRotateTaken checks that a new token ends all tokens that a library had.
func TestRotateTaken(t *testing.T) {
	backends(t, func(t *testing.T, db store.DB, _ int) {
		var old []string
		for _, owner := range []identity.Owner{"a_ana", "g_one", "g_two"} {
			l, err := Update(t.Context(), db, owner, noon, addCategory(string(owner)))
			if err != nil {
				t.Fatal(err)
			}
			if old = append(old, l.Token); owner != "a_ana" {
				moveAll(t, db, owner, "a_ana")
			}
		}
		rotated, err := Update(t.Context(), db, "a_ana", noon, func(l *Library) error { l.RotateToken(); return nil })
		if err != nil || len(rotated.Categories) != 3 || len(rotated.Taken) != 0 {
			t.Fatalf("the library with a new token: %+v, %v", rotated, err)
		}
		for _, token := range old {
			if l, err := ByToken(t.Context(), db, token); !errors.Is(err, ErrNoFeed) {
				t.Errorf("an old token opens %+v, %v", l, err)
			}
		}
		if n := count(t, db, "feeds"); n != 1 {
			t.Errorf("%d feed documents are stored, want 1", n)
		}
	})
}
