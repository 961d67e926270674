package kept

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/social"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/wire/wiretest"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func after(n int) time.Time { return noon.Add(time.Duration(n) * time.Second) }

// everything is a catalog that has whatever is asked for.
func everything(id string) (string, bool) { return id, true }

// renamed is a catalog in which Old.br is New.br now, and Gone.br is not there.
func renamed(id string) (string, bool) {
	if id == "Old.br" {
		return "New.br", true
	}
	return id, id != "Gone.br"
}

// backends runs f on an empty database of each kind that there is.
func backends(t *testing.T, f func(t *testing.T, db store.DB, writers int)) {
	wiretest.Each(t, os.Getenv("FIRESTORE_EMULATOR_HOST"), f)
}

func channelsOf(h *History) (ids []string) {
	for _, r := range h.Rows {
		ids = append(ids, r.Channel)
	}
	return ids
}

func TestPlay(t *testing.T) {
	h := new(History)
	h.Play("A", after(0), everything)
	h.Play("B", after(1), everything)
	got := h.Play("A", after(2), everything)
	if diff := gocmp.Diff(Played{"A", 2, store.At(after(0)), store.At(after(2))}, got); diff != "" {
		t.Errorf("row (-want +got):\n%s", diff)
	}
	if diff := gocmp.Diff([]string{"A", "B"}, channelsOf(h)); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
	if got := h.Play("A", after(1), everything); !got.LastAt.Equal(after(2)) {
		t.Errorf("a clock that runs behind sets the last play back to %v", got.LastAt)
	}
}

// TestHistoryRenamed checks that a channel stays one channel when the catalog
// calls it anew.
func TestHistoryRenamed(t *testing.T) {
	h := new(History)
	h.Play("Old.br", after(0), everything)
	h.Play("Gone.br", after(1), everything)
	if got := h.Play("New.br", after(2), renamed); got.Plays != 2 || got.Channel != "New.br" || len(h.Rows) != 2 {
		t.Errorf("row %v of %v", got, h.Rows)
	}
	if !h.Remove("Old.br", renamed) || !h.Remove("Gone.br", renamed) || h.Remove("Other.br", renamed) || len(h.Rows) != 0 {
		t.Errorf("left: %v", h.Rows)
	}
}

func TestHistoryClear(t *testing.T) {
	h := new(History)
	if h.Clear() {
		t.Error("an empty history was changed")
	}
	h.Play("A", noon, everything)
	if !h.Clear() || len(h.Rows) != 0 {
		t.Errorf("left: %v", h.Rows)
	}
}

// TestHistoryModel compares a history with one that is sorted from all plays.
func TestHistoryModel(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	h, model, full := new(History), map[string]Played{}, false
	for n := range 3000 {
		id := fmt.Sprint("C", rnd.IntN(2*MaxHistory))
		if rnd.IntN(10) == 0 {
			_, there := model[id]
			if h.Remove(id, everything) != there {
				t.Fatalf("step %d: removal of %s, there: %t", n, id, there)
			}
			delete(model, id)
			continue
		}
		m, there := model[id]
		if !there {
			m = Played{Channel: id, FirstAt: store.At(after(n))}
		}
		m.Plays, m.LastAt = m.Plays+1, store.At(after(n))
		model[id] = m
		if len(model) > MaxHistory {
			delete(model, newestFirst(model)[MaxHistory].Channel)
		}
		h.Play(id, after(n), everything)
		if want := newestFirst(model); !slices.Equal(want, h.Rows) {
			t.Fatalf("step %d (-model +history):\n%s", n, gocmp.Diff(want, h.Rows))
		}
		full = full || len(h.Rows) == MaxHistory
	}
	if !full {
		t.Error("the cap was never reached")
	}
}

func newestFirst(model map[string]Played) []Played {
	var list []Played
	for _, p := range model {
		list = append(list, p)
	}
	slices.SortFunc(list, func(a, b Played) int { return b.LastAt.Compare(a.LastAt.Time) })
	return list
}

// deltas sums the favorites that were published, by channel.
func deltas(sum map[string]int, changes []social.Favorite) map[string]int {
	for _, c := range changes {
		if sum[c.Channel] += c.Delta; sum[c.Channel] == 0 {
			delete(sum, c.Channel)
		}
	}
	return sum
}

func TestFavorites(t *testing.T) {
	f := new(Favorites)
	for i, id := range []string{"A", "B", "A"} {
		changes, err := f.Add(id, after(i), everything)
		if err != nil || len(changes) != 1 && i < 2 || len(changes) != 0 && i == 2 {
			t.Errorf("add %s: %v, %v", id, changes, err)
		}
	}
	want := []Favorite{{"B", store.At(after(1))}, {"A", store.At(after(0))}}
	if diff := gocmp.Diff(want, f.Rows); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if got := f.Remove("C", noon, everything); got != nil {
		t.Errorf("removing a missing favorite publishes %v", got)
	}
	if got := f.Remove("A", noon, everything); len(got) != 1 || got[0].Channel != "A" || got[0].Delta != -1 {
		t.Errorf("removal publishes %v", got)
	}
}

// TestFavoritesRenamed checks that counters are changed under the names that
// they were changed under before.
func TestFavoritesRenamed(t *testing.T) {
	f := new(Favorites)
	sum := map[string]int{}
	add := func(id string, shown Shown) {
		changes, err := f.Add(id, noon, shown)
		if err != nil {
			t.Fatal(err)
		}
		deltas(sum, changes)
	}
	add("Old.br", everything)
	add("New.br", renamed)
	if diff := gocmp.Diff(map[string]int{"Old.br": 1}, sum); diff != "" {
		t.Errorf("one channel by two names (-want +got):\n%s", diff)
	}
	f = new(Favorites)
	add("Old.br", everything)
	add("New.br", everything)
	add("Gone.br", everything)
	sum = map[string]int{"Old.br": 1, "New.br": 1, "Gone.br": 1}
	deltas(sum, f.Remove("New.br", noon, renamed))
	deltas(sum, f.Remove("Gone.br", noon, renamed))
	if len(sum) != 0 || len(f.Rows) != 0 {
		t.Errorf("left: %v, counted: %v", f.Rows, sum)
	}
}

// TestFavoritesFull fills favorites, also beyond channels that have vanished.
func TestFavoritesFull(t *testing.T) {
	f, sum := new(Favorites), map[string]int{}
	gone := func(id string) (string, bool) { return id, id[0] != 'G' }
	fill := func(letter string, n int, shown Shown) (err error) {
		for i := range n {
			changes, e := f.Add(fmt.Sprint(letter, i), after(i), shown)
			deltas(sum, changes)
			err = cmp.Or(err, e)
		}
		return err
	}
	if err := fill("G", MaxFavorites, everything); err != nil {
		t.Fatal(err)
	}
	if err := fill("H", 1, everything); !errors.Is(err, ErrFull) {
		t.Errorf("one more: %v, want ErrFull", err)
	}
	if err := fill("A", MaxFavorites, gone); err != nil {
		t.Errorf("those that vanished take room: %v", err)
	}
	if err := fill("B", 1, gone); !errors.Is(err, ErrFull) {
		t.Errorf("one more: %v, want ErrFull", err)
	}
	if len(f.Rows) != maxRows {
		t.Fatalf("%d rows", len(f.Rows))
	}
	deltas(sum, f.Remove("A7", noon, gone))
	if err := fill("B", 2, gone); !errors.Is(err, ErrFull) {
		t.Errorf("two in the room of one: %v", err)
	}
	f.Rows = f.Rows[:len(f.Rows):len(f.Rows)]
	all := func(id string) (string, bool) { return id, id == "A0" }
	if err := fill("A", 1, gone); err != nil {
		t.Error(err)
	}
	if err := fill("Z", 1, all); err != nil || len(f.Rows) != maxRows {
		t.Errorf("the oldest that vanished makes no room: %d rows, %v", len(f.Rows), err)
	}
	if f.Has("G0", everything) || !f.Has("Z0", everything) {
		t.Error("another than the oldest made room")
	}
	checkPublished(t, f, sum)
}

// checkPublished checks that the published facts add up to what is kept.
func checkPublished(t *testing.T, f *Favorites, sum map[string]int) {
	t.Helper()
	want := map[string]int{}
	for _, r := range f.Rows {
		want[r.Channel]++
	}
	if diff := gocmp.Diff(want, sum); diff != "" {
		t.Errorf("favorites and the facts published of them (-kept +published):\n%s", diff)
	}
}

// TestWriters writes the lists of one owner from many sides at once: nothing is
// lost, and no cap is passed.
func TestWriters(t *testing.T) {
	backends(t, func(t *testing.T, db store.DB, writers int) {
		const owner = identity.Owner("g_1")
		each := MaxFavorites/writers + 1 // together more than fit
		if writers < 50 {
			each = 5
		}
		var full atomic.Int32
		var g errgroup.Group
		for w := range writers {
			g.Go(func() error {
				for i := range each {
					err := UpdateHistory(t.Context(), db, owner, func(h *History) bool {
						h.Play("shared", after(i), everything)
						return true
					})
					if err != nil {
						return err
					}
					_, _, err = UpdateFavorites(t.Context(), db, owner, func(f *Favorites) ([]social.Favorite, error) {
						return f.Add(fmt.Sprintf("C%d.%d", w, i), after(i), everything)
					})
					if errors.Is(err, ErrFull) {
						full.Add(1)
					} else if err != nil {
						return err
					}
				}
				return nil
			})
		}
		if err := g.Wait(); err != nil {
			t.Fatal(err)
		}
		h, err := LoadHistory(t.Context(), db, owner)
		if err != nil || len(h.Rows) != 1 || h.Rows[0].Plays != writers*each {
			t.Errorf("history %v, %v; want %d plays", h.Rows, err, writers*each)
		}
		f, err := LoadFavorites(t.Context(), db, owner)
		want := min(writers*each, MaxFavorites)
		if err != nil || len(f.Rows) != want || int(full.Load()) != writers*each-want {
			t.Errorf("%d favorites, %d refused, %v; want %d of %d", len(f.Rows), full.Load(), err, want, writers*each)
		}
		checkLetters(t, db, f)
	})
}

// checkLetters checks that there is a letter for each favorite.
func checkLetters(t *testing.T, db store.DB, f *Favorites) {
	t.Helper()
	sum := map[string]int{}
	for doc, err := range db.Query(t.Context(), store.Query{Collection: "outbox"}) {
		var l struct {
			Data []byte `json:"data"`
		}
		if err == nil {
			err = doc.Decode(&l)
		}
		if err != nil {
			t.Fatal(err)
		}
		change, err := social.FavoriteOf(bus.Event{Data: l.Data})
		if err != nil {
			t.Fatal(err)
		}
		deltas(sum, []social.Favorite{change})
	}
	checkPublished(t, f, sum)
}

// TestNothingHalf lets the database fail at the write: neither the favorite nor
// its letter is there.
func TestNothingHalf(t *testing.T) {
	backends(t, func(t *testing.T, db store.DB, _ int) {
		refused := errors.New("refused")
		_, letters, err := UpdateFavorites(t.Context(), db, "g_1", func(f *Favorites) ([]social.Favorite, error) {
			changes, _ := f.Add("A", noon, everything)
			return append(changes, social.Favorite{Key: "no key"}), nil
		})
		if err == nil || letters != nil {
			t.Fatalf("an event of no form: %v, %v", letters, err)
		}
		_, _, err = UpdateFavorites(t.Context(), db, "g_1", func(f *Favorites) ([]social.Favorite, error) {
			return nil, refused
		})
		if !errors.Is(err, refused) {
			t.Fatalf("a change that is refused: %v", err)
		}
		f, err := LoadFavorites(t.Context(), db, "g_1")
		if err != nil || len(f.Rows) != 0 {
			t.Errorf("favorites %v, %v", f.Rows, err)
		}
		checkLetters(t, db, f)
	})
}

// TestBroken passes on what a database says that does not answer.
func TestBroken(t *testing.T) {
	db := storetest.Broken()
	_, e1 := LoadHistory(t.Context(), db, "g_1")
	_, e2 := LoadFavorites(t.Context(), db, "g_1")
	e3 := UpdateHistory(t.Context(), db, "g_1", (*History).Clear)
	_, _, e4 := UpdateFavorites(t.Context(), db, "g_1", func(*Favorites) ([]social.Favorite, error) { return nil, nil })
	for i, err := range []error{e1, e2, e3, e4} {
		if !errors.Is(err, storetest.ErrBroken) {
			t.Errorf("call %d: %v", i, err)
		}
	}
}

// BenchmarkPlay plays a channel of a full history.
func BenchmarkPlay(b *testing.B) {
	h := new(History)
	for i := range MaxHistory {
		h.Play(fmt.Sprint("C", i), after(i), everything)
	}
	b.ReportAllocs()
	for b.Loop() {
		h.Play("C100", noon, everything)
	}
}
