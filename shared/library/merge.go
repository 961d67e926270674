package library

import (
	"slices"
	"strings"

	"github.com/rivo/uniseg"
	"golang.org/x/text/unicode/norm"
)

// A Merged says what became of items that were to be put into a library.
type Merged struct {
	Added    int // are now in it
	Repeated int // were in the sub-tab already, with the same stream
	OverCap  int // found no room
}

// Merge adds folders with all that is in them. What has the slug of one that l
// has, or without a slug its name, goes into that one; names are made to fit.
// Ids are given anew, and what was played last in a folder or sub-tab stays so
// where l knows nothing better.
func (l *Library) Merge(list []Category) (m Merged) {
	for i := range list {
		from := &list[i]
		c := l.named(from.Name, from.Slug)
		for k := range from.Groups {
			if c == nil {
				m.OverCap += len(from.Groups[k].Items)
				continue
			}
			c.merge(from, &from.Groups[k], &m)
		}
	}
	return m
}

// named returns the folder with a name, and with its slug when it has one that
// it can have; made when there is none, nil when there is no room.
func (l *Library) named(name, slug string) *Category {
	name = FitName(name)
	told := isSlugOf(slug, name)
	for i := range l.Categories {
		if c := &l.Categories[i]; told && c.Slug == slug || !told && c.Name == name {
			return c
		}
	}
	if len(l.Categories) >= MaxCategories {
		return nil
	}
	if !told {
		slug = l.slug(name, "")
	}
	l.Categories = append(l.Categories, Category{ID: newID(categoryPrefix), Name: name, Slug: slug})
	return &l.Categories[len(l.Categories)-1]
}

// named returns the sub-tab with a name, likewise.
func (c *Category) named(name, slug string) *Group {
	name = FitName(name)
	told := isSlugOf(slug, name)
	for i := range c.Groups {
		if g := &c.Groups[i]; told && g.Slug == slug || !told && g.Name == name {
			return g
		}
	}
	if len(c.Groups) >= MaxGroups {
		return nil
	}
	g := c.add(name)
	if told {
		g.Slug = slug
	}
	return g
}

// isSlugOf reports whether slug is one that a name may have.
func isSlugOf(slug, name string) bool {
	number, ok := strings.CutPrefix(slug, slugOf(name))
	if number == "" {
		return ok
	}
	digits, dashed := strings.CutPrefix(number, "-")
	return ok && dashed && digits != "" && len(digits) <= 3 && strings.Trim(digits, "0123456789") == ""
}

// merge adds a sub-tab of the folder from to c.
func (c *Category) merge(from *Category, group *Group, m *Merged) {
	g := c.named(group.Name, group.Slug)
	if g == nil {
		m.OverCap += len(group.Items)
		return
	}
	if c.LastGroup == "" && from.LastGroup != "" && from.LastGroup == group.ID {
		c.LastGroup = g.ID
	}
	for _, it := range group.Items {
		if at := slices.IndexFunc(g.Items, it.same); at >= 0 {
			m.Repeated++
			continue
		}
		if len(g.Items) >= MaxItems {
			m.OverCap++
			continue
		}
		was := it.ID
		added := g.add(it)
		if g.LastItem == "" && group.LastItem != "" && group.LastItem == was {
			g.LastItem = added.ID
		}
		m.Added++
	}
}

// same reports whether two items show the same.
func (it Item) same(other Item) bool { return it.Channel == other.Channel && it.Stream == other.Stream }

// FitName returns the name that is nearest to one that comes from elsewhere:
// without what CleanName refuses, cut to what it takes. For what holds no name
// it is DefaultGroup.
func FitName(name string) string {
	name = strings.ToValidUTF8(name, "")
	name = strings.Join(strings.FieldsFunc(name, func(r rune) bool { return r == ' ' || forbidden(r) }), " ")
	if fit, err := CleanName(cutName(norm.NFC.String(name))); err == nil {
		return fit
	}
	return DefaultGroup
}

// cutName cuts a name after as many characters as a name may have.
func cutName(name string) string {
	end, state := 0, -1
	for n, rest := 0, name; rest != "" && n < MaxName; n++ {
		var letter string
		letter, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if end+len(letter) > maxNameBytes {
			break
		}
		end += len(letter)
	}
	return name[:end]
}
