package library

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"miramundo.dev/shared/store"
)

// full returns a library that holds as much as it can, of channels with long
// ids and names.
func full(t testing.TB) *Library {
	t.Helper()
	l := &Library{}
	var plan []Category
	for i := range MaxCategories {
		c := Category{Name: fmt.Sprint("Notícias e esportes da região número ", i)}
		for k := range MaxGroups {
			g := Group{Name: fmt.Sprint("Canais locais, regionais e nacionais ", k)}
			for n := range MaxItems {
				g.Items = append(g.Items, Item{
					Channel: fmt.Sprintf("rb.960e57c5-0601-11e8-ae97-%06d%06d", i*MaxGroups+k, n), Stream: "s_0123456789abc",
					Name: "Rádio Universitária FM de São João do Município Distante, 107,9 MHz, alta qualidade", Radio: true, Country: "BR", Played: 1795348800,
				})
			}
			c.Groups = append(c.Groups, g)
		}
		plan = append(plan, c)
	}
	if m := l.Merge(plan); m.Added != MaxCategories*MaxGroups*MaxItems {
		t.Fatalf("merged %+v", m)
	}
	return l
}

// TestFullFits checks that a full library fits one document, with the longest
// names that its folders and sub-tabs may have.
func TestFullFits(t *testing.T) {
	db := embedded(t)
	l, err := Update(t.Context(), db, "g_ana", noon, func(l *Library) error {
		l.Categories = full(t).Categories
		name := strings.Repeat(england, MaxName)
		for i := range l.Categories {
			c := &l.Categories[i]
			if err := l.RenameCategory(c.ID, name); err != nil {
				return err
			}
			for k := range c.Groups {
				if err := l.ChangeGroup(c.Groups[k].ID, GroupChange{Name: &name}); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d items take %d bytes of at most %d", l.Len(), len(data), store.MaxSize)
	if l.Len() != 3840 {
		t.Errorf("%d items", l.Len())
	}
}

// BenchmarkUpdate writes a library that holds all but one item.
func BenchmarkUpdate(b *testing.B) {
	db := embedded(b)
	var id string
	if _, err := Update(b.Context(), db, "g_ana", noon, func(l *Library) error {
		l.Categories = full(b).Categories
		id = l.Categories[3].Groups[3].Items[3].ID
		return nil
	}); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Update(b.Context(), db, "g_ana", noon, func(l *Library) error { return l.Play(id, noon) }); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLoad reads a full library.
func BenchmarkLoad(b *testing.B) {
	db := embedded(b)
	if _, err := Update(b.Context(), db, "g_ana", noon, func(l *Library) error {
		l.Categories = full(b).Categories
		return nil
	}); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Load(b.Context(), db, "g_ana"); err != nil {
			b.Fatal(err)
		}
	}
}
