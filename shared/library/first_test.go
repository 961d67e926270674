package library

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/store"
)

// TestFirstToken keeps the first token of a guest as it has always been: guests may
// have it in their players before it is stored. Only guests have one.
func TestFirstToken(t *testing.T) {
	for want, s := range map[string]identity.Speaker{
		"y64edrrx6ek5mfgcycydz6hdfe": identity.NewGuest("g_ana", "the secret of ana"),
		"br2z62scc3ueeneaftwuffyj5s": identity.NewGuest("g_bob", "the secret of bob"),
		"":                           {Owner: "a_ana", Account: "a_ana"},
	} {
		if got := FirstToken(s); got != want {
			t.Errorf("the first token of %s is %q, want %q", s.Owner, got, want)
		}
	}
}

// TestFirst checks what is read and stored for a library that is not stored yet.
func TestFirst(t *testing.T) {
	backends(t, func(t *testing.T, db store.DB, _ int) {
		c := &counted{DB: db}
		ana, account := identity.NewGuest("g_ana", "the secret of ana"), identity.Speaker{Owner: "a_ana"}
		step := func(what string, want [2]int32, err error) {
			t.Helper()
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			if got := c.cost(); got != want {
				t.Errorf("%s: %d reads and %d writes, want %d and %d", what, got[0], got[1], want[0], want[1])
			}
		}
		nothing := func(*Library) error { return nil }
		empty := &Library{Owner: "g_ana", Token: FirstToken(ana)}
		opened, err := OpenFor(t.Context(), c, ana, noon)
		step("a guest opens nothing", [2]int32{1, 0}, err)
		if d := cmp.Diff(empty, opened); d != "" {
			t.Errorf("opened (-want +got):\n%s", d)
		}
		unchanged, err := UpdateFor(t.Context(), c, ana, noon, nothing)
		step("a guest changes nothing", [2]int32{1, 0}, err)
		if d := cmp.Diff(empty, unchanged); d != "" {
			t.Errorf("unchanged (-want +got):\n%s", d)
		}
		if _, err := UpdateFor(t.Context(), c, ana, noon, addCategory("")); !errors.Is(err, ErrName) {
			t.Errorf("a refused first write: %v", err)
		}
		if _, err := ByToken(t.Context(), c, empty.Token); !errors.Is(err, ErrNoFeed) {
			t.Errorf("the feed of what is not stored: %v", err)
		}
		c.cost()
		stored, err := UpdateFor(t.Context(), c, ana, noon, addCategory("TV"))
		step("the first write", [2]int32{1, 2}, err)
		byToken, err := ByToken(t.Context(), c, empty.Token)
		step("its feed", [2]int32{2, 0}, err)
		if d := cmp.Diff(stored, byToken); d != "" || stored.Token != empty.Token {
			t.Errorf("the feed of %s has (-stored +got):\n%s", stored.Token, d)
		}
		cleared, err := UpdateFor(t.Context(), c, ana, noon, func(l *Library) error { l.Clear(); return nil })
		step("a stored library is emptied", [2]int32{1, 1}, err)
		again, err := OpenFor(t.Context(), c, ana, noon)
		step("and opened", [2]int32{1, 0}, err)
		if d := cmp.Diff(cleared, again); d != "" {
			t.Errorf("the emptied library (-want +got):\n%s", d)
		}
		_, err = OpenFor(t.Context(), c, account, noon)
		step("an account opens nothing", [2]int32{3, 2}, err)
	})
}
