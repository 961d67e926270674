package library

import (
	"slices"
	"strings"

	"github.com/rivo/uniseg"
	"golang.org/x/text/unicode/norm"
)

// A Merged counts the items of a merge by what became of them.
type Merged struct {
	Added    int // now in the library
	Repeated int // in the sub-tab before, with the same stream
	OverCap  int // left out, because the folders, the sub-tab or its items are full
}

// Merge adds folders with their sub-tabs and items to l. A folder or sub-tab goes
// into the existing one with the same slug or, when it has no slug, with the same
// name; names are changed to valid ones. Every item gets a new id. The item and
// sub-tab played last are taken over where l has none.
func (l *Library) Merge(list []Category) (m Merged) {
	taken := l.taken()
	for i := range list {
		from := &list[i]
		c := l.named(from.Name, from.Slug)
		for k := range from.Groups {
			if c == nil {
				m.OverCap += len(from.Groups[k].Items)
				continue
			}
			c.merge(from, &from.Groups[k], taken, &m)
		}
	}
	return m
}

// named returns the folder with a slug, if that is a slug of the name, or else with
// the name. It adds the folder when there is none, and returns nil when l is full.
func (l *Library) named(name, slug string) *Category {
	name = FitName(name)
	bySlug := isSlugOf(slug, name)
	for i := range l.Categories {
		if c := &l.Categories[i]; bySlug && c.Slug == slug || !bySlug && c.Name == name {
			return c
		}
	}
	if len(l.Categories) >= MaxCategories {
		return nil
	}
	if !bySlug {
		slug = l.slug(name, "")
	}
	l.Categories = append(l.Categories, Category{ID: newID(categoryPrefix), Name: name, Slug: slug})
	return &l.Categories[len(l.Categories)-1]
}

// named returns the sub-tab with a slug or a name, in the same way.
func (c *Category) named(name, slug string) *Group {
	name = FitName(name)
	bySlug := isSlugOf(slug, name)
	for i := range c.Groups {
		if g := &c.Groups[i]; bySlug && g.Slug == slug || !bySlug && g.Name == name {
			return g
		}
	}
	if len(c.Groups) >= MaxGroups {
		return nil
	}
	g := c.add(name)
	if bySlug {
		g.Slug = slug
	}
	return g
}

// isSlugOf reports whether slug is the slug of name, or that with a number which
// freeSlug appends.
func isSlugOf(slug, name string) bool {
	number, ok := strings.CutPrefix(slug, slugOf(name))
	if number == "" {
		return ok
	}
	digits, dashed := strings.CutPrefix(number, "-")
	return ok && dashed && digits != "" && len(digits) <= 3 && strings.Trim(digits, "0123456789") == ""
}

// merge adds group, a sub-tab of the folder from, to c, and counts its items in m. The
// numbers of new items are not taken.
func (c *Category) merge(from *Category, group *Group, taken map[int]bool, m *Merged) {
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
		added := g.add(it, taken)
		if g.LastItem == "" && group.LastItem != "" && group.LastItem == was {
			g.LastItem = added.ID
		}
		m.Added++
	}
}

// same reports whether two items are the same channel and stream.
func (it Item) same(other Item) bool { return it.Channel == other.Channel && it.Stream == other.Stream }

// FitName returns the valid name that is nearest to name, which comes from an
// uploaded file: without the characters that CleanName refuses, cut to the length
// that it takes. When nothing is left it returns DefaultGroup.
func FitName(name string) string {
	name = strings.ToValidUTF8(name, "")
	name = strings.Join(strings.FieldsFunc(name, func(r rune) bool { return r == ' ' || forbidden(r) }), " ")
	if fit, err := CleanName(cutName(norm.NFC.String(name))); err == nil {
		return fit
	}
	return DefaultGroup
}

// cutName cuts name to MaxName characters and maxNameBytes bytes.
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
