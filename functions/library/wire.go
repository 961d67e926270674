package library

import (
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/library"
)

// A Library is the library of an owner as the API returns it.
type Library struct {
	Owner      string     `json:"owner" description:"Identifier of the owner; it is not a credential."`
	Feeds      feeds      `json:"feeds" description:"Feed addresses of the whole library."`
	Categories []category `json:"categories" nullable:"false" description:"Folders, in the owner's order."`
}

// feeds are the addresses of one feed in each format. They contain the secret token.
type feeds struct {
	M3U  string `json:"m3u" format:"uri"`
	M3U8 string `json:"m3u8" format:"uri"`
	JSON string `json:"json" format:"uri"`
	XSPF string `json:"xspf" format:"uri"`
}

type category struct {
	ID          string  `json:"id" description:"Id: cat_ followed by letters and digits."`
	Name        string  `json:"name"`
	Slug        string  `json:"slug" description:"Part of its feed addresses; changes with the name."`
	Sort        int     `json:"sort" description:"Its position, from 0."`
	LastGroupID *string `json:"last_group_id" description:"Id of the sub-tab with the last played item; null when nothing was played."`
	API         string  `json:"api" format:"uri" description:"Address at which it is renamed and deleted."`
	Feeds       feeds   `json:"feeds" description:"Feed addresses of the folder."`
	Groups      []group `json:"groups" nullable:"false" description:"Sub-tabs, in the owner's order."`
}

type group struct {
	ID         string  `json:"id" description:"Id: grp_ followed by letters and digits."`
	Name       string  `json:"name"`
	Slug       string  `json:"slug" description:"Part of its feed addresses; changes with the name."`
	Sort       int     `json:"sort" description:"Its position in the folder, from 0."`
	LastItemID *string `json:"last_item_id" description:"Id of the item that was played last; null when nothing was played."`
	API        string  `json:"api" format:"uri" description:"Address at which it is changed and deleted."`
	Feeds      feeds   `json:"feeds" description:"Feed addresses of the sub-tab."`
	Items      []item  `json:"items" nullable:"false" description:"Channels, in the owner's order."`
}

type item struct {
	ID           string  `json:"id" description:"Id: itm_ followed by letters and digits."`
	ChannelID    string  `json:"channel_id"`
	StreamID     *string `json:"stream_id" description:"The stream that the owner chose; null for the best one."`
	Name         string  `json:"name" description:"Name of the channel; for a stale item, its name when it was added."`
	Country      *string `json:"country" description:"ISO 3166-1 alpha-2."`
	LogoURL      *string `json:"logo_url" format:"uri"`
	PlayableHint bool    `json:"playable_hint" description:"Whether the last check found a usable stream."`
	Kind         string  `json:"kind" enum:"tv,radio"`
	Sort         int     `json:"sort" description:"Its position in the sub-tab, from 0."`
	LastPlayedAt *string `json:"last_played_at" format:"date-time"`
	Stale        bool    `json:"stale" description:"Whether the channel has left the catalog."`
	API          string  `json:"api" format:"uri" description:"Address at which it is changed and deleted."`

	Gone *catalog.GoneChannel `json:"gone,omitempty" description:"Fate of the channel of a stale item; absent for any other item."`
}

// show returns l as the API shows it, with its channels as v has them.
func (s *Server) show(l *library.Library, v *index.View) *Library {
	out := &Library{Owner: string(l.Owner), Feeds: feedsOf(l.Feed(s.links.Base)), Categories: make([]category, len(l.Categories))}
	for i := range l.Categories {
		c := &l.Categories[i]
		out.Categories[i] = category{
			ID: c.ID, Name: c.Name, Slug: c.Slug, Sort: i, LastGroupID: catalog.TextOrNil(c.LastGroup),
			API: s.links.Base + categoriesPath + "/" + c.ID, Feeds: feedsOf(l.CategoryFeed(s.links.Base, c)),
			Groups: make([]group, len(c.Groups)),
		}
		for k := range c.Groups {
			out.Categories[i].Groups[k] = s.group(l, c, k, v)
		}
	}
	return out
}

// feedsOf returns the addresses of a feed.
func feedsOf(f library.FeedBase) feeds {
	return feeds{M3U: f.As("m3u"), M3U8: f.As("m3u8"), JSON: f.As("json"), XSPF: f.As("xspf")}
}

// group returns sub-tab k of c as the API shows it.
func (s *Server) group(l *library.Library, c *library.Category, k int, v *index.View) group {
	g := &c.Groups[k]
	out := group{
		ID: g.ID, Name: g.Name, Slug: g.Slug, Sort: k, LastItemID: catalog.TextOrNil(g.LastItem),
		API: s.links.Base + groupsPath + "/" + g.ID, Feeds: feedsOf(l.GroupFeed(s.links.Base, c, g)),
		Items: make([]item, len(g.Items)),
	}
	for n := range g.Items {
		out.Items[n] = s.item(&g.Items[n], n, v)
	}
	return out
}

// item returns an item as the API shows it: with the channel as the catalog has it
// now or, when it does not have it, as it was when the item was added.
func (s *Server) item(it *library.Item, n int, v *index.View) item {
	out := item{
		ID: it.ID, ChannelID: it.Channel, StreamID: catalog.TextOrNil(it.Stream), Name: it.Name, Country: catalog.TextOrNil(it.Country),
		Kind: it.Kind().String(), Sort: n, LastPlayedAt: it.PlayedAt(), Stale: true, API: s.links.Base + itemsPath + "/" + it.ID,
	}
	c, ok := v.Summary(it.Channel)
	if !ok {
		gone := v.Missing(it.Channel)
		if gone.Name == nil { // the item says more than the catalog
			gone.Name, gone.Country, gone.Kind = catalog.TextOrNil(it.Name), out.Country, out.Kind
		}
		out.Gone = &gone
		return out
	}
	out.ChannelID, out.Name, out.Country, out.Kind = c.ID, c.Name, catalog.TextOrNil(c.Country), c.Kind.String()
	out.LogoURL, out.PlayableHint, out.Stale = c.LogoURL, c.Playable, false
	return out
}
