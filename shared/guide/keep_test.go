package guide

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/overlay"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/embedded"
	"miramundo.dev/shared/store/storetest"
)

func openDB(t testing.TB) store.DB {
	t.Helper()
	db, err := embedded.Open(filepath.Join(t.TempDir(), "db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// keep keeps what sources give on a day, by the names of channels: "one: A B"
// says that the source one has the channels A and B.
func keep(t *testing.T, db store.DB, day time.Time, sources []string, given ...[]string) Kept {
	t.Helper()
	c := Change{Window: WindowOf(day), Sources: sources}
	for _, list := range given {
		grids := map[string]Grid{}
		for _, channel := range list[1:] {
			ps := []Programme{
				{Start: day.Add(time.Hour), Stop: day.Add(2 * time.Hour), Title: list[0] + " today", Desc: "d"},
				{Start: day.Add(25 * time.Hour), Stop: day.Add(26 * time.Hour), Title: list[0] + " tomorrow", Desc: "d"},
			}
			grids[channel], _ = NewGrid(list[0], list[0], c.Window, ps)
		}
		c.Add(list[0], grids)
	}
	kept, err := c.Keep(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	return kept
}

// held returns who has which channels, and how many of their programmes are
// left.
func held(t *testing.T, db store.DB, day time.Time) map[string]string {
	t.Helper()
	s, err := Load(t.Context(), db, WindowOf(day))
	if err != nil || s.Broken {
		t.Fatal(s, err)
	}
	l := follow(t, db)
	for channel, of := range s.Held {
		s.Held[channel] = fmt.Sprint(of, " ", len(l.Programmes(channel, day)))
	}
	return s.Held
}

func follow(t *testing.T, db store.DB) *Live {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	return Follow(ctx, overlay.NewSet(db, slog.New(slog.DiscardHandler), time.Now))
}

// TestKeep lets sources come, fail, lose channels and go over several days.
func TestKeep(t *testing.T) {
	db := openDB(t)
	both := []string{"one", "two"}
	check := func(what string, day time.Time, want map[string]string) {
		t.Helper()
		if diff := cmp.Diff(want, held(t, db, day)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	keep(t, db, today, both, []string{"one", "A", "B"}, []string{"two", "B", "C"})
	check("the first source that has a channel has it", today, map[string]string{"A": "one 2", "B": "one 2", "C": "two 2"})
	keep(t, db, today, both, []string{"two", "A", "B", "C", "D"})
	check("the first was not read", today, map[string]string{"A": "one 2", "B": "one 2", "C": "two 2", "D": "two 2"})
	if kept := keep(t, db, today, both, []string{"two", "A", "B", "C", "D"}); kept.Shards != 0 || kept.Channels != 4 || kept.Programmes != 8 {
		t.Errorf("the same again: %+v", kept)
	}
	keep(t, db, today, both, []string{"one", "A"}, []string{"two", "B", "C"})
	check("both have fewer", today, map[string]string{"A": "one 2", "B": "two 2", "C": "two 2"})
	keep(t, db, today.Add(day), both, []string{"one", "A"})
	check("the second fails the next day", today.Add(day), map[string]string{"A": "one 2", "B": "two 1", "C": "two 1"})
	keep(t, db, today.Add(2*day), both)
	check("both fail after that", today.Add(2*day), map[string]string{"A": "one 1"})
	keep(t, db, today.Add(2*day), []string{"two", "one"}, []string{"two", "A", "E"})
	check("the second is preferred", today.Add(2*day), map[string]string{"A": "two 2", "E": "two 2"})
	keep(t, db, today.Add(2*day), []string{"one"})
	check("the second is none any more", today.Add(2*day), map[string]string{})
}

// TestKeepTails lets a programme run from the second day of a guide into the day
// after it, and gives grids of which only such an end is left: any grid that begins
// is preferred to them.
func TestKeepTails(t *testing.T) {
	db := openDB(t)
	tail := gridOf(t, "one", programmes("-1:00-1:00 Night"))
	whole := gridOf(t, "two", programmes("1:00-2:00 News", "47:30-48:30 Late"))
	store := func(day time.Time, given map[string]Grid) {
		c := Change{Window: WindowOf(day), Sources: []string{"one", "two"}}
		for _, source := range c.Sources {
			if g, ok := given[source]; ok {
				c.Add(source, map[string]Grid{"A": g})
			}
		}
		if _, err := c.Keep(t.Context(), db); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		name  string
		days  int
		given map[string]Grid
		want  string
	}{
		{"a tail alone", 0, map[string]Grid{"one": tail}, "one 1"},
		{"a whole grid of a later source, the first not read", 0, map[string]Grid{"two": whole}, "two 2"},
		{"both", 0, map[string]Grid{"one": tail, "two": whole}, "two 2"},
		{"the tail again, the second not read", 0, map[string]Grid{"one": tail}, "two 2"},
		{"two days later, neither read", 2, nil, "two 1"},
		{"three days later", 3, nil, ""},
	} {
		day := today.AddDate(0, 0, test.days)
		store(day, test.given)
		if got := held(t, db, day)["A"]; got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func TestKeepChecks(t *testing.T) {
	db := openDB(t)
	lost := errors.New("another has taken its place")
	c := Change{Window: WindowOf(today), Sources: []string{"one"}}
	c.Add("one", map[string]Grid{"A": gridOf(t, "one", programmes("8:00-9:00 A"))})
	if _, err := c.Keep(t.Context(), db, func(store.Tx) error { return lost }); !errors.Is(err, lost) {
		t.Errorf("kept: %v", err)
	}
	if got := held(t, db, today); len(got) > 0 {
		t.Errorf("kept %v", got)
	}
}

// TestKeepStopped has the database fail after each number of writes. What is
// kept then is of each channel the guide before or after, and a second Keep
// completes it.
func TestKeepStopped(t *testing.T) {
	sw := storetest.NewSwitch(openDB(t))
	channels := []string{"one", "A", "B", "C", "D", "E", "F", "G", "H"}
	keep(t, sw, today, []string{"one"}, channels)
	for n := range 4 {
		date := today.Add(time.Duration(n+1) * day)
		c := Change{Window: WindowOf(date), Sources: []string{"one"}}
		grids := map[string]Grid{}
		for _, channel := range channels[1:] {
			grids[channel], _ = NewGrid("one", "", c.Window, []Programme{{Start: date, Stop: date.Add(time.Hour), Title: "new"}})
		}
		c.Add("one", grids)
		sw.OffAfter(n)
		_, err := c.Keep(t.Context(), sw)
		sw.On()
		if (err == nil) != (n >= 64) {
			t.Fatalf("after %d writes: %v", n, err)
		}
		if got := held(t, sw, date); len(got) > len(channels)-1 {
			t.Errorf("after %d writes: %v", n, got)
		}
		if _, err := c.Keep(t.Context(), sw); err != nil {
			t.Fatal(err)
		}
		if got := held(t, sw, date); len(got) != len(channels)-1 || got["A"] != "one 1" {
			t.Errorf("completed after %d writes: %v", n, got)
		}
	}
}

// small is a database whose documents take a tenth of what they may elsewhere.
type small struct{ store.DB }

func (s small) Update(ctx context.Context, f func(store.Tx) error) error {
	return s.DB.Update(ctx, func(tx store.Tx) error { return f(smallTx{tx}) })
}

type smallTx struct{ store.Tx }

func (s smallTx) Set(p store.Path, doc any) error {
	if data, err := json.Marshal(doc); err != nil || len(data) > store.MaxSize/10 {
		return errors.Join(store.ErrTooLarge, err)
	}
	return s.Tx.Set(p, doc)
}

// TestKeepTooLarge keeps more in one shard than fits: first the descriptions
// of tomorrow go, and the rest of it after them.
func TestKeepTooLarge(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	letters := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte('!' + rnd.IntN(90))
		}
		return string(b)
	}
	one := func(perDay, title, desc int) Grid {
		var ps []Programme
		for m := 0; m < 2*24*60; m += 24 * 60 / perDay {
			start := today.Add(time.Duration(m) * time.Minute)
			ps = append(ps, Programme{Start: start, Title: "t" + letters(title), Desc: letters(desc)})
		}
		return gridOf(t, "one", ps)
	}
	for _, test := range []struct {
		channels, perDay, title, desc int
		want                          Kept
	}{
		{10, 6, 8, 100, Kept{Channels: 10, Programmes: 120}},
		{30, 6, 8, 290, Kept{Channels: 30, Programmes: 360, WithoutLateDescs: 1}},
		{60, 6, 8, 290, Kept{Channels: 60, Programmes: 720, WithoutDescs: 1}},
		{60, 6, 150, 20, Kept{Channels: 60, Programmes: 360, WithoutTomorrow: 1}},
		{120, 6, 150, 0, Kept{Channels: 60, Programmes: 360, WithoutTomorrow: 1, LeftOut: 60}},
	} {
		db := small{openDB(t)}
		c := Change{Window: WindowOf(today), Sources: []string{"one"}}
		grids := map[string]Grid{}
		for i := 0; len(grids) < test.channels; i++ {
			if id := fmt.Sprint("Channel", i, ".br"); shardOf(id) == 5 {
				grids[id] = one(test.perDay, test.title, test.desc)
			}
		}
		c.Add("one", grids)
		kept, err := c.Keep(t.Context(), db)
		test.want.Shards = 1
		if diff := cmp.Diff(test.want, kept); err != nil || diff != "" {
			t.Errorf("%d channels: %v (-want +got):\n%s", test.channels, err, diff)
		}
	}
}

func TestNotes(t *testing.T) {
	db := openDB(t)
	at := store.At(today.Add(time.Hour))
	if err := KeepNotes(t.Context(), db, func(old []Note) []Note {
		return append(old, Note{Name: "one", SHA256: "aa", FetchedAt: at, Items: 7}, Note{Name: "two"})
	}); err != nil {
		t.Fatal(err)
	}
	want := []catalog.Source{{Name: "xmltv/one", SHA256: "aa", FetchedAt: at.Time, Items: 7}, {Name: "xmltv/two", Missing: true}}
	l := follow(t, db)
	if diff := cmp.Diff(want, l.Sources()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	s, err := Load(t.Context(), db, WindowOf(today))
	if err != nil || len(s.Notes) != 2 || s.Broken {
		t.Errorf("loaded %+v, %v", s, err)
	}
}

// TestFollow sees what is kept after it began.
func TestFollow(t *testing.T) {
	db := openDB(t)
	l := follow(t, db)
	if got := slices.Collect(l.Channels(today)); got != nil {
		t.Fatalf("before: %v", got)
	}
	keep(t, db, today, []string{"one"}, []string{"one", "A", "B"})
	late := time.After(time.Minute)
	for len(slices.Collect(l.Channels(today))) < 2 {
		select {
		case <-l.Changed():
		case <-late:
			t.Fatal("it is not told")
		}
	}
	if now := l.Now("A", today.Add(time.Hour)); now == nil || now.Now.Title != "one today" {
		t.Errorf("now %+v", now)
	}
}

// TestBrokenShard has a shard and notes that are not what was written.
func TestBrokenShard(t *testing.T) {
	db := openDB(t)
	keep(t, db, today, []string{"one"}, []string{"one", "A", "B"})
	l := follow(t, db)
	for _, n := range []int{shardOf("A"), notesShard} {
		if err := kind.Update(t.Context(), db, n, func([]byte) ([]byte, error) { return []byte("nonsense"), nil }); err != nil {
			t.Fatal(err)
		}
		if err := l.show(n, []byte("nonsense")); err == nil {
			t.Errorf("shard %d is shown", n)
		}
	}
	if l.Now("A", today.Add(time.Hour)) == nil {
		t.Error("what was shown is gone")
	}
	s, err := Load(t.Context(), db, WindowOf(today))
	if err != nil || !s.Broken || s.Held["B"] != "one" || s.Held["A"] != "" || s.Notes != nil {
		t.Errorf("loaded %+v, %v", s, err)
	}
	keep(t, db, today, []string{"one"}, []string{"one", "A", "B"})
	if err := KeepNotes(t.Context(), db, func(old []Note) []Note { return append(old, Note{Name: "one"}) }); err != nil {
		t.Error(err)
	}
	if s, err := Load(t.Context(), db, WindowOf(today)); err != nil || s.Broken || len(s.Held) != 2 || len(s.Notes) != 1 {
		t.Errorf("mended: %+v, %v", s, err)
	}
}
