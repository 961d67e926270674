package pin

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/embedded"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func openList(t *testing.T) *List {
	t.Helper()
	db, err := embedded.Open(filepath.Join(t.TempDir(), "db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return NewList(db)
}

func pinOf(t *testing.T, source, guideID, channel string) Pin {
	t.Helper()
	p, err := New(source, guideID, channel, noon)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestNew(t *testing.T) {
	channel := "AMCLatinAmerica.us"
	want := Pin{ID: "pin_0", Source: "mi", GuideID: "AMC ar", ChannelID: &channel, At: store.At(noon)}
	got := pinOf(t, "mi", " AMC ar ", channel)
	if len(got.ID) != 20 || !strings.HasPrefix(got.ID, "pin_") {
		t.Errorf("the id %q", got.ID)
	}
	want.ID = got.ID
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if again := pinOf(t, "mi", "AMC ar", ""); again.ID != got.ID || again.ChannelID != nil {
		t.Errorf("pinned to none: %+v", again)
	}
	if other := pinOf(t, "other", "AMC ar", channel); other.ID == got.ID {
		t.Error("the pins of two sources have one id")
	}
	for _, test := range []struct{ source, guideID, channel, param string }{
		{"", "a", "A.br", "source"},
		{strings.Repeat("s", 41), "a", "A.br", "source"},
		{"s", " ", "A.br", "guide_id"},
		{"s", "a\nb", "A.br", "guide_id"},
		{"s", "a\xff", "A.br", "guide_id"},
		{"s", strings.Repeat("é", 201), "A.br", "guide_id"},
		{"s", "a", "A\x00.br", "channel_id"},
		{"s", "a", strings.Repeat("A", 129), "channel_id"},
	} {
		if _, err := New(test.source, test.guideID, test.channel, noon); !errors.Is(err, ErrInvalid) || fault.From(err).Fields["param"] != test.param {
			t.Errorf("%q, %q, %q: %v", test.source, test.guideID, test.channel, err)
		}
	}
}

// TestList sets, replaces and removes pins.
func TestList(t *testing.T) {
	l := openList(t)
	check := func(what string, want ...Pin) {
		t.Helper()
		got, err := l.All(t.Context())
		if diff := cmp.Diff(want, got); err != nil || len(want)+len(got) > 0 && diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", what, err, diff)
		}
	}
	check("at first")
	one, two := pinOf(t, "s", "1", "A.br"), pinOf(t, "s", "2", "B.br")
	for _, p := range []Pin{one, two} {
		if err := l.Set(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	check("two", one, two)
	one = pinOf(t, "s", "1", "C.br")
	if err := l.Set(t.Context(), one); err != nil {
		t.Fatal(err)
	}
	check("replaced", two, one)
	if err := l.Remove(t.Context(), two.ID); err != nil {
		t.Fatal(err)
	}
	check("removed", one)
	for _, id := range []string{two.ID, "", "a/b"} {
		if err := l.Remove(t.Context(), id); !errors.Is(err, ErrNoPin) {
			t.Errorf("remove %q: %v", id, err)
		}
	}
}

// TestMax sets as many pins as there may be, of the longest texts: they fit the
// document, another does not, and one of them may still be replaced.
func TestMax(t *testing.T) {
	l := openList(t)
	long := func(i int) Pin {
		return pinOf(t, strings.Repeat("s", 40), fmt.Sprintf("%03d%s", i, strings.Repeat("\U0001F4FA", MaxGuideID-3)), strings.Repeat("\U0001F4FA", 128))
	}
	var s stored
	for i := range Max {
		s.Pins = append(s.Pins, long(i))
	}
	if err := l.db.Set(t.Context(), at, s); err != nil {
		t.Fatal(err)
	}
	if err := l.Set(t.Context(), long(Max)); !errors.Is(err, ErrTooMany) {
		t.Errorf("one more: %v", err)
	}
	if err := l.Set(t.Context(), long(0)); err != nil {
		t.Errorf("one of them again: %v", err)
	}
}

func TestSet(t *testing.T) {
	pins := []Pin{pinOf(t, "s", "1", "A.br"), pinOf(t, "other", "1", "B.br"), pinOf(t, "s", "2", "")}
	set := Of(pins, "s")
	if diff := cmp.Diff(Set{"1": "A.br", "2": ""}, set); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	sums := map[string]bool{Set(nil).Sum(): true, set.Sum(): true, Of(pins, "other").Sum(): true, Of(pins[:1], "s").Sum(): true}
	if len(sums) != 4 || Of(pins, "none").Sum() != "" || set.Sum() != Of(pins, "s").Sum() {
		t.Errorf("the sums %v", sums)
	}
}
