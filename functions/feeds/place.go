package feeds

import (
	"cmp"
	"strings"

	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/rank"
	"miramundo.dev/shared/feed"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/library"
)

// The names of the files of the whole library and of guides.
const (
	libraryFile = "library"
	guideName   = "guia"
)

// libraryName is the title of the list of a whole library.
const libraryName = "Miramundo"

// A place names a part of a library as addresses do, by the slugs of a folder and a
// sub-tab, or as user names do. All of these are empty for the whole library.
type place struct {
	category, group string
	part            string // of a user name, in place of the slugs
	public          string // the name of a public library, in place of a token
}

// A part is the whole library, a folder or a sub-tab.
type part struct {
	library  *library.Library
	category *library.Category // nil for the whole library
	group    *library.Group    // nil for the whole library and for a folder
}

// find returns the part of l at a place, or ErrNoFeed.
func find(l *library.Library, at place) (p part, err error) {
	p.library = l
	ok := true
	if at.part != "" {
		p.category, p.group, ok = l.Part(at.part)
	}
	if at.category != "" {
		p.category, ok = l.Category(at.category)
	}
	if ok && at.group != "" {
		p.group, ok = p.category.Group(at.group)
	}
	if !ok {
		return part{}, library.ErrNoFeed
	}
	return p, nil
}

// file returns the name of the file of p without its ending. Guides have the same
// name everywhere.
func (p *part) file(format string) string {
	switch {
	case format == feed.XMLTV || format == feed.Archive:
		return guideName
	case p.group != nil:
		return p.category.Slug + "-" + p.group.Slug
	case p.category != nil:
		return p.category.Slug
	}
	return libraryFile
}

// A chooser turns items into entries.
type chooser struct {
	view    *index.View
	entries *index.Entries
	numbers map[string]int // of items and sub-tabs by id; nil for lists without numbers
}

// list returns the channels of p as a list, as v has them for a caller.
func (p *part) list(v *index.View, caller rank.Caller) *feed.List {
	return p.fill(&chooser{view: v, entries: v.Entries(int(i18n.EN), caller)})
}

// numbered returns the list of p with the numbers of its entries. They are those of the
// whole library, so that a channel has one number in all its lists.
func (p *part) numbered(v *index.View, caller rank.Caller) *feed.List {
	return p.fill(&chooser{view: v, entries: v.Entries(int(i18n.EN), caller), numbers: p.library.Numbers()})
}

// fill returns the list of p with the entries that c chooses.
func (p *part) fill(c *chooser) *feed.List {
	l := p.head(c.view.Links().Base)
	l.UpdatedAt = p.library.UpdatedAt.Time
	switch {
	case p.group != nil:
		l.Entries = c.add(nil, p.group, nil, p.group.Name)
	case p.category != nil:
		for i := range p.category.Groups {
			g := &p.category.Groups[i]
			l.Entries = c.add(l.Entries, g, []string{g.Name}, g.Name)
		}
	default:
		l.Entries = c.all(p.library)
	}
	return l
}

// all returns the entries of a whole library.
func (c *chooser) all(l *library.Library) []feed.Entry {
	list := make([]feed.Entry, 0, l.Len())
	for i := range l.Categories {
		folder := &l.Categories[i]
		for k := range folder.Groups {
			g := &folder.Groups[k]
			list = c.add(list, g, []string{folder.Name, g.Name}, folder.Name+" / "+g.Name)
		}
	}
	return list
}

// head returns the list of p without its entries, for the main host base.
func (p *part) head(base string) *feed.List {
	switch l := p.library; {
	case p.group != nil:
		f := l.GroupFeed(base, p.category, p.group)
		return head(feed.Group, p.category.Name+" / "+p.group.Name, f, string(f))
	case p.category != nil:
		f := l.CategoryFeed(base, p.category)
		return head(feed.Category, p.category.Name, f, string(f))
	default:
		f := l.Feed(base)
		return head(feed.Library, cmp.Or(l.Title, libraryName), f, strings.TrimSuffix(string(f), "/"+libraryFile))
	}
}

// head returns a list without entries, at a level of the library. Its guide is below
// the address guides.
func head(level, name string, f library.FeedBase, guides string) *feed.List {
	return &feed.List{Name: name, Level: level, Feeds: feed.AddressesOf(f.As), Guide: guides + "/" + guideName + "." + feed.Archive}
}

// add appends the items of a sub-tab without its doubles to list, each with its folders
// and the title of its group.
func (c *chooser) add(list []feed.Entry, g *library.Group, folders []string, group string) []feed.Entry {
	g.Unite(c.view.Current)
	for i := range g.Items {
		e := c.entry(&g.Items[i])
		e.Folders, e.Group = folders, group
		e.Number, e.GroupNumber = c.numbers[g.Items[i].ID], c.numbers[g.ID]
		list = append(list, e)
	}
	return list
}

// entry returns the entry of an item: with the channel as the catalog has it now or,
// when it does not have it, as it was when the item was added.
func (c *chooser) entry(it *library.Item) feed.Entry {
	if p, ok := c.entries.Of(it.Channel, it.Stream); ok {
		return feed.EntryOf(&p.Channel, p.Stream, c.view.Links())
	}
	return feed.Entry{
		Channel: it.Channel, Name: it.Name, Country: it.Country, Radio: it.Radio, Gone: true, API: c.view.Links().Channel(it.Channel),
	}
}
