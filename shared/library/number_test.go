package library

import (
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/catalog"
)

// Ids with the same number at the first attempt, which a search found.
const (
	oneID   = "itm_000000001471"
	otherID = "itm_000000022703"
)

// TestNumberStays checks the numbers that players have kept: they are written here as
// they were computed first.
func TestNumberStays(t *testing.T) {
	want := map[string]int{"itm_abcdefghijkl": 1325689463, "grp_abcdefghijkl": 645824220, oneID: 1800069712, otherID: 1174528213}
	if d := cmp.Diff(want, numbersOf(slices.Collect(maps.Keys(want)))); d != "" {
		t.Error(d)
	}
}

// TestNumbersShared checks ids with one number: it names neither, whatever their order, and
// each has it back when it is alone.
func TestNumbersShared(t *testing.T) {
	shared := numberOf(oneID, 0)
	if shared != numberOf(otherID, 0) {
		t.Fatal("the ids of the test differ in their numbers")
	}
	both := numbersOf([]string{oneID, otherID, oneID})
	if d := cmp.Diff(both, numbersOf([]string{otherID, oneID})); d != "" {
		t.Errorf("the order changes the numbers: %s", d)
	}
	if len(both) != 2 || both[oneID] == both[otherID] || both[oneID] == shared || both[otherID] == shared {
		t.Errorf("numbers %v, shared is %d", both, shared)
	}
	if alone := numbersOf([]string{otherID}); alone[otherID] != shared {
		t.Errorf("alone it is %d", alone[otherID])
	}
}

// TestNumbers checks that all parts of a full library have numbers of their own, which
// neither moves nor other items change.
func TestNumbers(t *testing.T) {
	l := full(t)
	before := l.Numbers()
	if len(before) != MaxCategories*MaxGroups*(1+MaxItems) {
		t.Fatalf("%d numbers", len(before))
	}
	seen := map[int]bool{}
	for id, n := range before {
		if n < 1 || n > math.MaxInt32 || seen[n] {
			t.Fatalf("%s has %d", id, n)
		}
		seen[n] = true
	}
	first, last := &l.Categories[0].Groups[0], l.Categories[MaxCategories-1]
	if err := l.RemoveItem(first.Items[3].ID); err != nil {
		t.Fatal(err)
	}
	if err := l.ChangeItem(last.Groups[0].Items[0].ID, ItemChange{Group: &first.ID, Position: new(0)}); err != nil {
		t.Fatal(err)
	}
	if err := l.MoveCategory(last.ID, 0); err != nil {
		t.Fatal(err)
	}
	if err := l.RenameCategory(last.ID, "Renamed"); err != nil {
		t.Fatal(err)
	}
	for id, n := range l.Numbers() {
		if before[id] != n {
			t.Errorf("%s was %d and is %d", id, before[id], n)
		}
	}
}

// TestNewItemID checks that a new item gets no number that another has.
func TestNewItemID(t *testing.T) {
	l := new(Library)
	c, err := l.AddCategory("One")
	if err != nil {
		t.Fatal(err)
	}
	c.Groups[0].Items = []Item{{ID: oneID, Channel: "A.br"}}
	taken := l.taken()
	if !taken[numberOf(oneID, 0)] || !taken[numberOf(c.Groups[0].ID, 0)] {
		t.Fatalf("taken are %v", taken)
	}
	_, it, err := l.AddItem(c.Groups[0].ID, ItemOf("B.br", "", catalog.TV, ""), nil)
	if err != nil || taken[numberOf(it.ID, 0)] {
		t.Errorf("%+v, %v", it, err)
	}
	drawn := []string{oneID, otherID, "itm_abcdefghijkl"}
	draw := func() string {
		id := drawn[0]
		drawn = drawn[1:]
		return id
	}
	if id := freeID(taken, draw); id != "itm_abcdefghijkl" || !taken[numberOf(id, 0)] {
		t.Errorf("of ids with taken numbers it takes %s", id)
	}
}
