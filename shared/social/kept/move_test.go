package kept

import (
	"fmt"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/store"
)

// favoritesOf returns favorites that were added at the given seconds, last first.
func favoritesOf(channels map[string]int) *Favorites {
	f := new(Favorites)
	for at := 2000; at >= 0; at-- {
		for channel, added := range channels {
			if added == at {
				f.Rows = append(f.Rows, Favorite{channel, store.At(after(at))})
			}
		}
	}
	return f
}

// numbered returns n channels that were added in the order of their numbers, from a
// second on.
func numbered(name string, n, from int) map[string]int {
	all := map[string]int{}
	for i := range n {
		all[fmt.Sprint(name, i)] = from + i
	}
	return all
}

func favoritesIn(f *Favorites) (ids []string) {
	for _, r := range f.Rows {
		ids = append(ids, r.Channel)
	}
	return ids
}

func TestTakeFavorites(t *testing.T) {
	for _, test := range []struct {
		name         string
		mine, theirs map[string]int
		have, left   []string
	}{
		{"in order", map[string]int{"A": 1, "C": 5}, map[string]int{"B": 3, "D": 7}, []string{"D", "C", "B", "A"}, nil},
		{"the same", map[string]int{"A": 1}, map[string]int{"A": 3, "B": 4}, []string{"B", "A"}, []string{"A"}},
		{"the same by its id before", map[string]int{"New.br": 1}, map[string]int{"Old.br": 2}, []string{"New.br"}, []string{"Old.br"}},
		{"the same by its id now", map[string]int{"Old.br": 1}, map[string]int{"New.br": 2}, []string{"Old.br"}, []string{"New.br"}},
		{"the same, which is gone", map[string]int{"Gone.br": 1}, map[string]int{"Gone.br": 2}, []string{"Gone.br"}, []string{"Gone.br"}},
		{"two of one channel", map[string]int{}, map[string]int{"Old.br": 1, "New.br": 2}, []string{"New.br", "Old.br"}, nil},
	} {
		f, from := favoritesOf(test.mine), favoritesOf(test.theirs)
		if n := f.Take(from, renamed); n != len(test.theirs)-len(test.left) {
			t.Errorf("%s: %d moved", test.name, n)
		}
		if d := gocmp.Diff([2][]string{test.have, test.left}, [2][]string{favoritesIn(f), favoritesIn(from)}); d != "" {
			t.Errorf("%s: there and here (-want +got):\n%s", test.name, d)
		}
	}
}

// TestTakeFavoritesFull checks that a full list takes channels that the catalog does
// not show, which count in its document only.
func TestTakeFavoritesFull(t *testing.T) {
	f, from := favoritesOf(numbered("mine", MaxFavorites-1, 0)), favoritesOf(map[string]int{"B": 4, "Gone.br": 3, "A": 2})
	if n := f.Take(from, renamed); n != 2 || len(f.Rows) != MaxFavorites+1 {
		t.Errorf("%d moved, %d are there", n, len(f.Rows))
	}
	if d := gocmp.Diff([]string{"A"}, favoritesIn(from)); d != "" {
		t.Errorf("left (-want +got):\n%s", d)
	}
	if _, err := f.Add("C", noon, renamed); err == nil {
		t.Error("one more favorite is added to a full list")
	}
	f, from = favoritesOf(numbered("mine", maxRows-1, 0)), favoritesOf(numbered("theirs", 3, 0))
	gone := func(id string) (string, bool) { return id, false }
	if n := f.Take(from, gone); n != 1 || len(f.Rows) != maxRows || len(from.Rows) != 2 {
		t.Errorf("%d moved into a full document of %d", n, len(f.Rows))
	}
}

func TestTakeHistory(t *testing.T) {
	mine, theirs := new(History), new(History)
	for i, channel := range []string{"A", "Old.br"} {
		mine.Play(channel, after(10*i), everything)
	}
	for i, channel := range []string{"B", "New.br", "C"} {
		theirs.Play(channel, after(1+5*i), everything)
	}
	if n := mine.Take(theirs, renamed); n != 2 {
		t.Errorf("%d moved, want 2", n)
	}
	if d := gocmp.Diff([2][]string{{"C", "Old.br", "B", "A"}, {"New.br"}}, [2][]string{channelsOf(mine), channelsOf(theirs)}); d != "" {
		t.Errorf("there and here (-want +got):\n%s", d)
	}
	for i := range MaxHistory {
		mine.Play(fmt.Sprint("more", i), after(100+i), everything)
	}
	mine.Rows = mine.Rows[1:]
	theirs.Play("Last", after(1000), everything)
	theirs.Play("Newest", after(1001), everything)
	if n := mine.Take(theirs, everything); n != 1 || mine.Rows[0].Channel != "Newest" || len(mine.Rows) != MaxHistory {
		t.Errorf("%d moved into the room for one; first is %+v of %d", n, mine.Rows[0], len(mine.Rows))
	}
}
