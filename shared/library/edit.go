package library

import (
	"crypto/rand"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// DefaultGroup is the name of the sub-tab that a new folder has.
const DefaultGroup = "Geral"

// Prefixes of ids.
const (
	categoryPrefix = "cat_"
	groupPrefix    = "grp_"
	itemPrefix     = "itm_"
)

// idLen is how many characters an id has after its prefix. They hold 60 bits,
// which is plenty for the few thousand ids of one library.
const idLen = 12

// newID returns a random id.
func newID(prefix string) string { return prefix + strings.ToLower(rand.Text()[:idLen]) }

// find returns the position of the folder with an id.
func (l *Library) find(id string) (at int, ok bool) {
	at = slices.IndexFunc(l.Categories, func(c Category) bool { return c.ID == id })
	return at, at >= 0
}

// A groupPlace is where a sub-tab is.
type groupPlace struct {
	c  *Category
	at int // in c.Groups
}

func (p groupPlace) group() *Group { return &p.c.Groups[p.at] }

func (l *Library) findGroup(id string) (groupPlace, error) {
	for i := range l.Categories {
		c := &l.Categories[i]
		if at := slices.IndexFunc(c.Groups, func(g Group) bool { return g.ID == id }); at >= 0 {
			return groupPlace{c, at}, nil
		}
	}
	return groupPlace{}, ErrNoGroup
}

// An itemPlace is where an item is.
type itemPlace struct {
	groupPlace
	at int // in the items of the sub-tab
}

func (p itemPlace) item() *Item { return &p.group().Items[p.at] }

func (l *Library) findItem(id string) (itemPlace, error) {
	for i := range l.Categories {
		c := &l.Categories[i]
		for k := range c.Groups {
			for at := range c.Groups[k].Items {
				if c.Groups[k].Items[at].ID == id {
					return itemPlace{groupPlace{c, k}, at}, nil
				}
			}
		}
	}
	return itemPlace{}, ErrNoItem
}

// AddCategory adds a folder at the end, with the sub-tab DefaultGroup.
func (l *Library) AddCategory(name string) (*Category, error) {
	name, err := CleanName(name)
	if err != nil {
		return nil, err
	}
	if len(l.Categories) >= MaxCategories {
		return nil, ErrCategoryLimit
	}
	l.Categories = append(l.Categories, Category{ID: newID(categoryPrefix), Name: name, Slug: l.slug(name, "")})
	c := &l.Categories[len(l.Categories)-1]
	c.add(DefaultGroup)
	return c, nil
}

// AddCopy adds a copy of a folder of another library at the end, with new ids, and
// reports true. When l has a copy that
// nobody changed since, as when a call is repeated, it returns that folder and changes
// nothing. The name gets a
// number when a folder has it. It returns ErrCategoryLimit when l is full.
func (l *Library) AddCopy(from *Category) (c *Category, added bool, err error) {
	for i := range l.Categories {
		if c := &l.Categories[i]; c.copies(from) {
			return c, false, nil
		}
	}
	if len(l.Categories) >= MaxCategories {
		return nil, false, ErrCategoryLimit
	}
	name := l.freeName(from.Name)
	l.Categories = append(l.Categories, Category{ID: newID(categoryPrefix), Name: name, Slug: l.slug(name, "")})
	c, taken := &l.Categories[len(l.Categories)-1], l.taken()
	for i := range from.Groups {
		g := c.add(from.Groups[i].Name)
		for _, it := range from.Groups[i].Items {
			g.add(Item{Channel: it.Channel, Stream: it.Stream, Name: it.Name, Radio: it.Radio, Country: it.Country}, taken)
		}
	}
	return c, true, nil
}

// copies reports whether c has the name of another folder, possibly with the number of a
// copy, and the same channels in the same sub-tabs.
func (c *Category) copies(from *Category) bool {
	return (c.Name == from.Name || isNumbered(c.Name, from.Name)) && slices.EqualFunc(c.Groups, from.Groups, func(a, b Group) bool {
		return a.Name == b.Name && slices.EqualFunc(a.Items, b.Items, Item.same)
	})
}

// isNumbered reports whether name is other with a number, as freeName returns it.
func isNumbered(name, other string) bool {
	for n := 2; n <= MaxCategories+1; n++ {
		if name == numbered(other, n) {
			return true
		}
	}
	return false
}

// freeName returns name, with the first free number from 2 when a folder has it.
func (l *Library) freeName(name string) string {
	free := name
	for n := 2; slices.ContainsFunc(l.Categories, func(c Category) bool { return c.Name == free }); n++ {
		free = numbered(name, n)
	}
	return free
}

// numbered returns name with a number, cut to the length of a name.
func numbered(name string, n int) string {
	suffix := " " + strconv.Itoa(n)
	for uniseg.GraphemeClusterCount(name) > MaxName-len(suffix) || len(name) > maxNameBytes-len(suffix) {
		_, size := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-size]
	}
	return strings.TrimRight(name, " ") + suffix
}

// slug returns a slug for name that no folder has, besides the one with the id
// except.
func (l *Library) slug(name, except string) string {
	return freeSlug(name, func(slug string) bool {
		c, ok := l.Category(slug)
		return ok && c.ID != except
	})
}

// slug returns a slug for name that no sub-tab of c has, besides the one with the
// id except.
func (c *Category) slug(name, except string) string {
	return freeSlug(name, func(slug string) bool {
		g, ok := c.Group(slug)
		return ok && g.ID != except
	})
}

// add adds a sub-tab whose name was cleaned before.
func (c *Category) add(name string) *Group {
	c.Groups = append(c.Groups, Group{ID: newID(groupPrefix), Name: name, Slug: c.slug(name, "")})
	return &c.Groups[len(c.Groups)-1]
}

// RenameCategory changes the name of a folder, and with it the slug.
func (l *Library) RenameCategory(id, name string) error {
	at, ok := l.find(id)
	if !ok {
		return ErrNoCategory
	}
	name, err := CleanName(name)
	if err != nil {
		return err
	}
	if c := &l.Categories[at]; c.Name != name {
		c.Name, c.Slug = name, l.slug(name, id)
	}
	return nil
}

// MoveCategory puts a folder at a position, counted from 0; past the end means
// last.
func (l *Library) MoveCategory(id string, position int) error {
	at, ok := l.find(id)
	if !ok {
		return ErrNoCategory
	}
	move(l.Categories, at, position)
	return nil
}

// RemoveCategory removes a folder with its sub-tabs and items.
func (l *Library) RemoveCategory(id string) error {
	at, ok := l.find(id)
	if !ok {
		return ErrNoCategory
	}
	l.Categories = slices.Delete(l.Categories, at, at+1)
	return nil
}

// AddGroup adds a sub-tab at the end of a folder.
func (l *Library) AddGroup(category, name string) (*Category, *Group, error) {
	at, ok := l.find(category)
	if !ok {
		return nil, nil, ErrNoCategory
	}
	name, err := CleanName(name)
	if err != nil {
		return nil, nil, err
	}
	c := &l.Categories[at]
	if len(c.Groups) >= MaxGroups {
		return nil, nil, ErrGroupLimit
	}
	return c, c.add(name), nil
}

// RemoveGroup removes a sub-tab with its items.
func (l *Library) RemoveGroup(id string) error {
	p, err := l.findGroup(id)
	if err != nil {
		return err
	}
	p.remove()
	return nil
}

// remove takes the sub-tab out of its folder and returns it.
func (p groupPlace) remove() Group {
	g := *p.group()
	p.c.Groups = slices.Delete(p.c.Groups, p.at, p.at+1)
	if p.c.LastGroup == g.ID {
		p.c.LastGroup = ""
	}
	return g
}

// A GroupChange lists the changes to a sub-tab; nil fields stay as they are.
type GroupChange struct {
	Name     *string
	Category *string // id of the folder to move it to, at the end
	Position *int    // in its folder, from 0; past the end means last
}

// ChangeGroup changes a sub-tab. When it moves to another folder it keeps its
// items, and gets another slug if its own is taken there.
func (l *Library) ChangeGroup(id string, change GroupChange) error {
	p, err := l.findGroup(id)
	if err != nil {
		return err
	}
	name := p.group().Name
	if change.Name != nil {
		if name, err = CleanName(*change.Name); err != nil {
			return err
		}
	}
	if p, err = l.moveGroup(p, change.Category); err != nil {
		return err
	}
	if g := p.group(); g.Name != name {
		g.Name, g.Slug = name, p.c.slug(name, g.ID)
	}
	if change.Position != nil {
		move(p.c.Groups, p.at, *change.Position)
	}
	return nil
}

// moveGroup moves a sub-tab to the end of another folder.
func (l *Library) moveGroup(p groupPlace, category *string) (groupPlace, error) {
	if category == nil || *category == p.c.ID {
		return p, nil
	}
	at, ok := l.find(*category)
	if !ok {
		return p, ErrNoCategory
	}
	to := &l.Categories[at]
	if len(to.Groups) >= MaxGroups {
		return p, ErrGroupLimit
	}
	g := p.remove()
	if _, taken := to.Group(g.Slug); taken {
		g.Slug = to.slug(g.Name, g.ID)
	}
	to.Groups = append(to.Groups, g)
	return groupPlace{to, len(to.Groups) - 1}, nil
}

// AddItem adds a channel at the end of a sub-tab, and gives the item its id. When the
// sub-tab has the channel with the same stream already, it returns that item and changes
// nothing.
func (l *Library) AddItem(group string, it Item, current Current) (*Category, *Item, error) {
	p, err := l.findGroup(group)
	if err != nil {
		return nil, nil, err
	}
	g := p.group()
	for i := range g.Items {
		if known := &g.Items[i]; known.Stream == it.Stream && current.of(known.Channel) == current.of(it.Channel) {
			return p.c, known, nil
		}
	}
	if len(g.Items) >= MaxItems {
		return nil, nil, ErrItemLimit
	}
	return p.c, g.add(it, l.taken()), nil
}

// add adds a copy of it with a new id, whose number is not taken.
func (g *Group) add(it Item, taken map[int]bool) *Item {
	it.ID = newItemID(taken)
	it.Name = ShortName(it.Name)
	g.Items = append(g.Items, it)
	return &g.Items[len(g.Items)-1]
}

// RemoveItem removes an item from its sub-tab.
func (l *Library) RemoveItem(id string) error {
	p, err := l.findItem(id)
	if err != nil {
		return err
	}
	p.remove()
	return nil
}

// remove takes the item out of its sub-tab and returns it.
func (p itemPlace) remove() Item {
	g, it := p.group(), *p.item()
	g.Items = slices.Delete(g.Items, p.at, p.at+1)
	if g.LastItem == it.ID {
		g.LastItem = ""
	}
	return it
}

// An ItemChange lists the changes to an item; nil fields stay as they are.
type ItemChange struct {
	Group    *string // id of the sub-tab to move it to, at the end
	Position *int    // in its sub-tab, from 0; past the end means last

	// Stream returns the id of the stream to pin to an item of the channel, or ""
	// for none.
	Stream func(channel string) (string, error)
}

// ChangeItem changes an item.
func (l *Library) ChangeItem(id string, change ItemChange) error {
	p, err := l.findItem(id)
	if err != nil {
		return err
	}
	stream := p.item().Stream
	if change.Stream != nil {
		if stream, err = change.Stream(p.item().Channel); err != nil {
			return err
		}
	}
	if p, err = l.moveItem(p, change.Group); err != nil {
		return err
	}
	p.item().Stream = stream
	if change.Position != nil {
		move(p.group().Items, p.at, *change.Position)
	}
	return nil
}

// moveItem moves an item to the end of another sub-tab.
func (l *Library) moveItem(p itemPlace, group *string) (itemPlace, error) {
	if group == nil || *group == p.group().ID {
		return p, nil
	}
	to, err := l.findGroup(*group)
	if err != nil {
		return p, err
	}
	g := to.group()
	if len(g.Items) >= MaxItems {
		return p, ErrItemLimit
	}
	g.Items = append(g.Items, p.remove())
	return itemPlace{to, len(g.Items) - 1}, nil
}

// Play marks an item as the last played of its sub-tab, and the sub-tab as the
// last played of its folder.
func (l *Library) Play(id string, at time.Time) error {
	p, err := l.findItem(id)
	if err != nil {
		return err
	}
	p.item().Played = at.Unix()
	p.group().LastItem = id
	p.c.LastGroup = p.group().ID
	return nil
}

// move moves the element at position from to position to; past the end means last.
func move[T any](list []T, from, to int) {
	to = min(max(to, 0), len(list)-1)
	e := list[from]
	copy(list[from:], list[from+1:])
	copy(list[to+1:], list[to:len(list)-1])
	list[to] = e
}

// maxItemName bounds the stored name of a channel, in bytes. The name is shown only
// when the catalog does not have the channel, and a full library must fit into one
// document.
const maxItemName = 72

// ShortName returns name cut to the size in which an item stores it: after a word
// where there is one in the second half, or else after a letter.
func ShortName(name string) string {
	if len(name) <= maxItemName {
		return name
	}
	cut := strings.LastIndexByte(name[:maxItemName], ' ')
	if cut < maxItemName/2 {
		cut = len(strings.ToValidUTF8(name[:maxItemName], ""))
	}
	return name[:cut]
}
