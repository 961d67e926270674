package library

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// known finds every item of a backup as it was.
func known(_ int, it *BackupItem) (Item, bool) {
	out := Item{Channel: it.Channel, Name: it.Name, Radio: it.Kind == "radio"}
	if it.Stream != nil {
		out.Stream = *it.Stream
	}
	if it.Country != nil {
		out.Country = *it.Country
	}
	return out, true
}

// text returns a backup as it is saved.
func text(t testing.TB, b *Backup) []byte {
	t.Helper()
	data, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestBackup saves random libraries and puts them back: into nothing, where
// they are the same but for ids, and into themselves, where nothing changes.
func TestBackup(t *testing.T) {
	now := time.Unix(1000, 0).UTC()
	for seed := range uint64(20) {
		w := &walk{rand.New(rand.NewPCG(seed, 2)), &Library{}, &naive{}}
		for range 400 {
			w.step()
		}
		dropRepeated(w.l)
		saved := text(t, w.l.Backup(now))
		b, err := ParseBackup(saved)
		if w.l.Len() == 0 || err != nil {
			t.Fatalf("seed %d: %d items, %v", seed, w.l.Len(), err)
		}
		fresh := &Library{}
		m := fresh.Merge(b.Plan(now, known))
		checkWhole(t, fresh)
		if d := cmp.Diff(string(saved), string(text(t, fresh.Backup(now)))); d != "" || m != (Merged{Added: w.l.Len()}) {
			t.Fatalf("seed %d: put back (%+v) it is another (-want +got):\n%s", seed, m, d)
		}
		before := format(w.l)
		m = w.l.Merge(b.Plan(now, known))
		if d := cmp.Diff(before, format(w.l)); d != "" || m != (Merged{Repeated: w.l.Len()}) {
			t.Fatalf("seed %d: put into itself (%+v) it is another (-want +got):\n%s", seed, m, d)
		}
	}
}

// dropRepeated removes items that show what another of their sub-tab shows.
func dropRepeated(l *Library) {
	for i := range l.Categories {
		for k := range l.Categories[i].Groups {
			g := &l.Categories[i].Groups[k]
			seen := map[string]bool{}
			for at := 0; at < len(g.Items); {
				key := g.Items[at].Channel + "|" + g.Items[at].Stream
				if !seen[key] {
					seen[key] = true
					at++
					continue
				}
				if err := l.RemoveItem(g.Items[at].ID); err != nil {
					panic(err)
				}
			}
		}
	}
}

func channels(n int) (items []Item) {
	for i := range n {
		items = append(items, Item{Channel: fmt.Sprint("C", i)})
	}
	return items
}

// TestMergeCaps puts more into a library than it holds.
func TestMergeCaps(t *testing.T) {
	l := &Library{}
	if _, err := l.AddCategory("TV"); err != nil {
		t.Fatal(err)
	}
	var plan []Category
	for i := range 9 {
		c := Category{Name: fmt.Sprint("Folder ", i)}
		for k := range 13 {
			c.Groups = append(c.Groups, Group{Name: fmt.Sprint("Tab ", k), Items: channels(41)})
		}
		plan = append(plan, c)
	}
	m := l.Merge(plan)
	checkWhole(t, l)
	added := 7 * 12 * 40 // one folder was there
	if want := (Merged{Added: added, OverCap: 9*13*41 - added}); m != want || l.Len() != added {
		t.Errorf("merged %+v, want %+v", m, want)
	}
	if again := l.Merge(plan[:1]); again != (Merged{Repeated: 12 * 40, OverCap: 13*41 - 12*40}) {
		t.Errorf("merged again: %+v", again)
	}
}

// TestMergeNames puts into a library what others have named.
func TestMergeNames(t *testing.T) {
	l := &Library{}
	if _, err := l.AddCategory("TV"); err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("x", 500)
	l.Merge([]Category{
		{Name: " TV ", Groups: []Group{{Name: "Geral", Items: channels(1)}}},
		{Name: "tv", Slug: "tv-7", Groups: []Group{{Name: "\u202enews\n", Items: channels(1)}}},
		{Name: "Rádio", Slug: "admin", Groups: []Group{{Name: long, Slug: "../..", Items: channels(1)}}},
		{Name: "", Groups: []Group{{}}},
	})
	checkWhole(t, l)
	var got []string
	for _, c := range l.Categories {
		for _, g := range c.Groups {
			got = append(got, fmt.Sprintf("%s=%s/%s=%s:%d", c.Name, c.Slug, g.Name, g.Slug, len(g.Items)))
		}
	}
	want := []string{
		"TV=tv/Geral=geral:1", "tv=tv-7/news=news:1",
		"Rádio=radio/" + long[:40] + "=" + long[:40] + ":1", "Geral=geral/Geral=geral:0",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestParseBackupRefusals(t *testing.T) {
	for reason, list := range map[string][]string{
		"syntax":   {``, `x`, `[]`, `{"categories":{}}`, `{"categories":[{"groups":[{"items":[{"channel_id":1}]}]}]}`, strings.Repeat(`[`, 100_000), `{"categories":[{}]}x`},
		"version":  {`{"v":2,"categories":[{}]}`, `{"v":-1,"categories":[{}]}`},
		"empty":    {`{}`, `null`, `{"v":1,"categories":[]}`, `{"v":1,"categories":null}`},
		"too_many": {`{"categories":[` + strings.Repeat(`{},`, maxParts) + `{}]}`, `{"categories":[{"groups":[` + strings.Repeat(`{},`, maxParts) + `{}]}]}`},
	} {
		for _, s := range list {
			if _, err := ParseBackup([]byte(s)); !errors.Is(err, ErrBackup) || fieldOf(err, "reason") != reason {
				t.Errorf("ParseBackup(%.60q) = %v, want reason %s", s, err, reason)
			}
		}
	}
}

// TestPlayedBefore reads moments that others have written.
func TestPlayedBefore(t *testing.T) {
	now := time.Unix(1000, 0)
	for s, want := range map[string]int64{
		"1970-01-01T00:10:00Z": 600, "1970-01-01T00:20:00Z": 0, "9999-12-31T23:59:59Z": 0, "1969-01-01T00:00:00Z": 0,
		"yesterday": 0, "": 0, "1970-01-01T01:10:00+01:00": 600,
	} {
		if got := playedBefore(&s, now); got != want {
			t.Errorf("playedBefore(%q) = %d, want %d", s, got, want)
		}
	}
	if got := playedBefore(nil, now); got != 0 {
		t.Errorf("playedBefore(nil) = %d", got)
	}
}

// FuzzBackup puts any text into a library that already holds something: it
// stays whole, and what it then saves can be put back.
func FuzzBackup(f *testing.F) {
	f.Add([]byte(`{"v":1,"categories":[{"name":"TV","slug":"tv","groups":[{"name":"Geral","slug":"geral","last":true,"items":[{"channel_id":"A.br","stream_id":"s_1","name":"A","kind":"radio","country":"BR","last_played_at":"2026-11-22T12:00:00Z","last":true}]}]}]}`))
	f.Add([]byte(`{"categories":[{"name":"tv","slug":"tv-2"},{"name":"\u202e","groups":[{"name":"x","items":[{},{}]}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := ParseBackup(data)
		if err != nil {
			return
		}
		l := &Library{}
		if _, err := l.AddCategory("TV"); err != nil {
			t.Fatal(err)
		}
		l.Merge(b.Plan(noon, known))
		checkWhole(t, l)
		again, err := ParseBackup(text(t, l.Backup(noon)))
		if err != nil {
			t.Fatal(err)
		}
		fresh := &Library{}
		if m := fresh.Merge(again.Plan(noon, known)); m.Added != l.Len() || len(fresh.Categories) != len(l.Categories) {
			t.Fatalf("put back %+v of %d items", m, l.Len())
		}
	})
}

// TestMergeLast checks that a library goes on knowing itself what was played
// last, and learns it where it does not know.
func TestMergeLast(t *testing.T) {
	plan := []Category{{Name: "TV", LastGroup: "grp_b", Groups: []Group{
		{ID: "grp_a", Name: "A", Items: []Item{{ID: "itm_1", Channel: "1"}}, LastItem: "itm_1"},
		{ID: "grp_b", Name: "B", Items: []Item{{ID: "itm_2", Channel: "2"}, {ID: "itm_3", Channel: "3"}}, LastItem: "itm_3"},
	}}}
	l := &Library{}
	c, _ := l.AddCategory("TV")
	_, g, _ := l.AddGroup(c.ID, "A")
	_, it, _ := l.AddItem(g.ID, Item{Channel: "mine"}, nil)
	if err := l.Play(it.ID, noon); err != nil {
		t.Fatal(err)
	}
	own := it.ID
	l.Merge(plan)
	a, _ := l.Categories[0].Group("a")
	b, _ := l.Categories[0].Group("b")
	if l.Categories[0].LastGroup != a.ID || a.LastItem != own || b.LastItem != b.Items[1].ID {
		t.Errorf("last %s of %+v", l.Categories[0].LastGroup, l.Categories[0].Groups)
	}
	fresh := &Library{}
	fresh.Merge(plan)
	if c := fresh.Categories[0]; c.LastGroup != c.Groups[1].ID || c.Groups[0].LastItem != c.Groups[0].Items[0].ID {
		t.Errorf("last %s of %+v", c.LastGroup, c.Groups)
	}
	checkWhole(t, l)
}
