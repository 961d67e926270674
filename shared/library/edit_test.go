package library

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/fault"
)

func fieldOf(err error, name string) string {
	f, _ := errors.AsType[*fault.Error](err)
	if f == nil {
		return ""
	}
	return fmt.Sprint(f.Fields[name])
}

// line writes words in one line.
func line(b *strings.Builder, parts ...string) {
	for _, p := range parts {
		b.WriteString(p)
		b.WriteByte(' ')
	}
	b.WriteByte('\n')
}

// format writes a library as text, for comparison: ids, order, and what was played
// last.
func format(l *Library) string {
	var b strings.Builder
	for _, c := range l.Categories {
		line(&b, c.ID, c.Name, c.LastGroup)
		for _, g := range c.Groups {
			line(&b, " ", g.ID, g.Name, g.LastItem)
			for _, it := range g.Items {
				line(&b, "   ", it.ID, it.Channel, it.Stream, strconv.FormatInt(it.Played, 10))
			}
		}
	}
	return b.String()
}

// checkWhole checks what holds of every library: bounds, unique ids and slugs,
// and that what was played last is there.
func checkWhole(t testing.TB, l *Library) {
	t.Helper()
	ids, slugs := map[string]bool{}, map[string]bool{}
	note := func(kind, id, slug string) {
		if !strings.HasPrefix(id, kind) || ids[id] || slugs[slug] && slug != "" {
			t.Fatalf("%s (slug %q) is twice there or no %s", id, slug, kind)
		}
		ids[id], slugs[slug] = true, slug != ""
	}
	if len(l.Categories) > MaxCategories {
		t.Fatalf("%d folders", len(l.Categories))
	}
	for _, c := range l.Categories {
		note(categoryPrefix, c.ID, c.Slug)
		if len(c.Groups) > MaxGroups {
			t.Fatalf("%d sub-tabs", len(c.Groups))
		}
		hasLast := c.LastGroup == ""
		for _, g := range c.Groups {
			note(groupPrefix, g.ID, c.Slug+"/"+g.Slug)
			hasLast = hasLast || g.ID == c.LastGroup
			if len(g.Items) > MaxItems {
				t.Fatalf("%d items", len(g.Items))
			}
			if at := slices.IndexFunc(g.Items, func(it Item) bool { return it.ID == g.LastItem }); at < 0 && g.LastItem != "" {
				t.Fatalf("the last item %s of %s is not there", g.LastItem, g.ID)
			}
			for _, it := range g.Items {
				note(itemPrefix, it.ID, "")
			}
		}
		if !hasLast {
			t.Fatalf("the last sub-tab %s of %s is not there", c.LastGroup, c.ID)
		}
	}
}

// A walk does one operation after another on a library and on a naive one.
type walk struct {
	*rand.Rand
	l *Library
	n *naive
}

var names = []string{"TV", "tv", "Notícias", "noticias", "⚽", "", "a\nb", strings.Repeat("x", 41), " Rádio "}

// id returns the id of something that is there, or sometimes of nothing.
func (w *walk) id(all []string) string {
	if len(all) == 0 || w.IntN(20) == 0 {
		return "cat_000000000000"
	}
	return all[w.IntN(len(all))]
}

func (w *walk) ids() (folders, tabs, things []string) {
	for _, f := range w.n.folders {
		folders = append(folders, f.id)
		for _, t := range f.tabs {
			tabs = append(tabs, t.id)
			for _, th := range t.things {
				things = append(things, th.id)
			}
		}
	}
	return folders, tabs, things
}

// step does one operation, and returns what it was, and what each of the two
// said of it.
func (w *walk) step() (what string, got, want error) {
	folders, tabs, things := w.ids()
	name, at := names[w.IntN(len(names))], w.IntN(14)
	switch op := w.IntN(20); {
	case op < 1:
		return w.addFolder(name)
	case op < 2:
		id := w.id(folders)
		return "rename folder", w.l.RenameCategory(id, name), w.n.rename(id, name)
	case op < 3:
		id := w.id(folders)
		return "move folder", w.l.MoveCategory(id, at), w.n.move(id, at)
	case op < 4 && w.IntN(16) == 0:
		id := w.id(folders)
		return "remove folder", w.l.RemoveCategory(id), w.n.remove(id)
	case op < 7:
		return w.addTab(w.id(folders), name)
	case op < 9:
		return w.changeTab(w.id(tabs), w.id(folders), name, at)
	case op < 10 && w.IntN(8) == 0:
		id := w.id(tabs)
		return "remove tab", w.l.RemoveGroup(id), w.n.removeTab(id)
	case op < 15:
		if len(tabs) > 1 && w.IntN(3) > 0 {
			tabs = tabs[:1] // so that some get full
		}
		return w.addThing(w.id(tabs), fmt.Sprint("C", w.IntN(1000)))
	case op < 17:
		return w.changeThing(w.id(things), w.id(tabs), at)
	case op < 18:
		id := w.id(things)
		return "remove thing", w.l.RemoveItem(id), w.n.removeThing(id)
	default:
		id := w.id(things)
		return "play", w.l.Play(id, time.Unix(int64(op), 0)), w.n.play(id, int64(op))
	}
}

func (w *walk) addFolder(name string) (string, error, error) {
	c, got := w.l.AddCategory(name)
	clean, want := CleanName(name)
	if want == nil && len(w.n.folders) == 8 {
		want = ErrCategoryLimit
	}
	if got == nil && want == nil {
		w.n.folders = append(w.n.folders, &folder{id: c.ID, name: clean, tabs: []*tab{{id: c.Groups[0].ID, name: "Geral"}}})
	}
	return "add folder", got, want
}

func (w *walk) addTab(id, name string) (string, error, error) {
	_, g, got := w.l.AddGroup(id, name)
	_, f := w.n.folder(id)
	clean, want := CleanName(name)
	switch {
	case f == nil:
		want = ErrNoCategory
	case want == nil && len(f.tabs) == 12:
		want = ErrGroupLimit
	}
	if got == nil && want == nil {
		f.tabs = append(f.tabs, &tab{id: g.ID, name: clean})
	}
	return "add tab", got, want
}

func (w *walk) changeTab(id, to, name string, at int) (string, error, error) {
	var change GroupChange
	if w.IntN(2) == 0 {
		change.Name = &name
	}
	if w.IntN(2) == 0 {
		change.Category = &to
	}
	if w.IntN(2) == 0 {
		change.Position = &at
	}
	return "change tab", w.l.ChangeGroup(id, change), w.n.changeTab(id, change)
}

func (w *walk) addThing(id, channel string) (string, error, error) {
	_, it, got := w.l.AddItem(id, Item{Channel: channel, Name: channel}, nil)
	_, _, t := w.n.tab(id)
	var want error
	switch {
	case t == nil:
		want = ErrNoGroup
	case slices.ContainsFunc(t.things, func(th *thing) bool { return th.channel == channel && th.stream == "" }):
	case len(t.things) == 40:
		want = ErrItemLimit
	case got == nil:
		t.things = append(t.things, &thing{id: it.ID, channel: channel})
	}
	return "add thing", got, want
}

func (w *walk) changeThing(id, to string, at int) (string, error, error) {
	var change ItemChange
	if w.IntN(2) == 0 {
		change.Group = &to
	}
	if w.IntN(2) == 0 {
		change.Position = &at
	}
	if w.IntN(2) == 0 {
		change.Stream = func(channel string) (string, error) {
			if at == 0 {
				return "", fault.ErrInvalid
			}
			return channel + "-stream", nil
		}
	}
	return "change thing", w.l.ChangeItem(id, change), w.n.changeThing(id, change)
}

// TestRandomEdits does thousands of operations on libraries and on naive ones:
// both say the same of each and hold the same after it, refusals included.
func TestRandomEdits(t *testing.T) {
	full, said := 0, map[string]int{}
	seeds := uint64(10)
	if testing.Short() {
		seeds = 2
	}
	for seed := range seeds {
		w := &walk{rand.New(rand.NewPCG(seed, 1)), &Library{}, &naive{}}
		before := ""
		for i := range 2000 {
			what, got, want := w.step()
			if (got == nil) != (want == nil) || got != nil && !errors.Is(got, want) {
				t.Fatalf("seed %d, step %d: %s = %v, want %v", seed, i, what, got, want)
			}
			after := format(w.l)
			if got != nil && after != before {
				t.Fatalf("seed %d, step %d: %s was refused with %v and changed the library", seed, i, what, got)
			}
			if want := w.n.format(); after != want {
				t.Fatalf("seed %d, step %d: after %s (-want +got):\n%s", seed, i, what, cmp.Diff(want, after))
			}
			if before = after; i%50 == 0 {
				checkWhole(t, w.l)
			}
			if got != nil {
				said[got.Error()]++
			}
		}
		full = max(full, w.l.Len())
	}
	for _, err := range []error{ErrCategoryLimit, ErrGroupLimit, ErrItemLimit, ErrNoCategory, ErrNoGroup, ErrNoItem, ErrName} {
		if said[err.Error()] == 0 {
			t.Errorf("no step was refused with %v", err)
		}
	}
	if full < 200 {
		t.Errorf("the fullest library had %d items: the steps do not go far", full)
	}
}

// TestSlugsOfEdits checks what renaming and moving do to addresses.
func TestSlugsOfEdits(t *testing.T) {
	l := &Library{}
	a, _ := l.AddCategory("TV")
	aID, gID := a.ID, a.Groups[0].ID
	b, _ := l.AddCategory("tv")
	bID := b.ID
	check := func(what string, want ...string) {
		t.Helper()
		var got []string
		for _, c := range l.Categories {
			for _, g := range c.Groups {
				got = append(got, c.Slug+"/"+g.Slug)
			}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", what, d)
		}
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check("made", "tv/geral", "tv-2/geral")
	must(l.RenameCategory(bID, "tv"))
	check("renamed to its name", "tv/geral", "tv-2/geral")
	must(l.RenameCategory(bID, "TV"))
	check("renamed to what gives its slug", "tv/geral", "tv-2/geral")
	must(l.ChangeGroup(gID, GroupChange{Category: &bID}))
	check("moved", "tv-2/geral", "tv-2/geral-2")
	must(l.RemoveCategory(aID))
	check("the other is gone", "tv-2/geral", "tv-2/geral-2")
	must(l.RenameCategory(bID, "Rádio"))
	check("renamed", "radio/geral", "radio/geral-2")
	name := "Samba"
	must(l.ChangeGroup(gID, GroupChange{Name: &name}))
	check("tab renamed", "radio/geral", "radio/samba")
}

func TestShortName(t *testing.T) {
	for in, want := range map[string]string{
		"Aurora":                         "Aurora",
		strings.Repeat("word ", 20):      strings.TrimSpace(strings.Repeat("word ", 14)),
		strings.Repeat("é", 60):          strings.Repeat("é", 36),
		"x" + strings.Repeat("é", 60):    "x" + strings.Repeat("é", 35),
		strings.Repeat("x", maxItemName): strings.Repeat("x", maxItemName),
		strings.Repeat("日", maxItemName): strings.Repeat("日", 24),
	} {
		if got := ShortName(in); got != want {
			t.Errorf("ShortName(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestAddCopy copies a folder: with new ids, under a free name, once while the copy is
// unchanged, and not at all into a full library.
func TestAddCopy(t *testing.T) {
	from := &Category{ID: "cat_other", Name: "News", Slug: "news", LastGroup: "grp_other", Groups: []Group{
		{ID: "grp_other", Name: "Geral", Slug: "geral", LastItem: "itm_other", Items: []Item{{ID: "itm_other", Channel: "A.br", Stream: "s_1", Name: "A", Country: "BR", Played: 7}}},
		{Name: "Empty", Slug: "empty"},
	}}
	l := &Library{Owner: "g_1"}
	if _, err := l.AddCategory("News"); err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{true, false} {
		c, added, err := l.AddCopy(from)
		if err != nil || added != want || c.Name != "News 2" || c.Slug != "news-2" || len(l.Categories) != 2 {
			t.Fatalf("copy %d: %+v, %t, %v", i, c, added, err)
		}
		it := c.Groups[0].Items[0]
		if c.ID == from.ID || c.LastGroup != "" || c.Groups[0].ID == "grp_other" || c.Groups[0].LastItem != "" || it.ID == "itm_other" || it.Played != 0 || it.Stream != "s_1" || len(c.Groups) != 2 {
			t.Errorf("copy %d is %+v", i, c)
		}
	}
	l.Categories[1].Groups[0].Items = nil // the copy was changed
	if c, added, err := l.AddCopy(from); !added || err != nil || c.Name != "News 3" {
		t.Errorf("%+v, %t, %v", c, added, err)
	}
	for len(l.Categories) < MaxCategories {
		if _, err := l.AddCategory("Full"); err != nil {
			t.Fatal(err)
		}
	}
	if _, added, err := l.AddCopy(&Category{Name: "More"}); added || !errors.Is(err, ErrCategoryLimit) || len(l.Categories) != MaxCategories {
		t.Errorf("into a full library: %t, %v", added, err)
	}
}

// TestNumbered checks that a name with a number is a valid name.
func TestNumbered(t *testing.T) {
	for name, want := range map[string]string{
		"News": "News 2", strings.Repeat("a", MaxName): strings.Repeat("a", MaxName-2) + " 2", strings.Repeat("a", MaxName-3) + " bc": strings.Repeat("a", MaxName-3) + " 2",
	} {
		got := numbered(name, 2)
		if clean, err := CleanName(got); got != want || clean != got || err != nil {
			t.Errorf("%q: %q, %v", name, got, err)
		}
	}
}
