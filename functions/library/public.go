package library

import (
	"context"
	"errors"
	"net/url"
	"strconv"
	"time"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/budget"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/library"
	"miramundo.dev/shared/library/follow"
	"miramundo.dev/shared/library/public"
	"miramundo.dev/shared/moderation"
	"miramundo.dev/shared/store"
)

const (
	publicPath    = libraryPath + "/public"
	librariesPath = "/api/libraries"
	namedPath     = "/api/libraries/{name}"
)

// published are the endpoints by which callers publish their libraries, and read and copy
// what others publish.
var published = []api.Endpoint{
	api.Bind((*Server).getPublic, api.Endpoint{
		Name:   "get_own_public_library",
		Method: "GET", Path: publicPath, Auth: api.Guest,
		Summary: "Get what the caller publishes",
		Doc: "Returns the caller's public library exactly as everybody sees it, or published false. When the operator hid it, hidden " +
			"says why, and within a minute nobody else sees it.",
		Faults: faults(),
	}),
	api.Bind((*Server).putPublic, api.Endpoint{
		Name:   "publish_library",
		Method: "PUT", Path: publicPath, Auth: api.Guest, Budget: budget.Publications,
		Summary: "Publish folders of the library",
		Doc: "Publishes the chosen folders under a name, in place of what the caller published before, and returns what everybody sees: " +
			"the texts of this call and the folders, as they are at any time. A name that the caller leaves is reserved for the caller for " +
			"30 days, at most " + strconv.Itoa(public.MaxLeft) + " of them. With preview true nothing is stored, and a name that is only reserved is not refused.",
		Faults: faults(public.ErrWords, library.ErrNoCategory, public.ErrTaken, public.ErrNames, moderation.ErrMuted),
	}),
	api.Bind((*Server).removePublic, api.Endpoint{
		Name:   "unpublish_library",
		Method: "DELETE", Path: publicPath, Auth: api.Guest,
		Summary: "End the public library",
		Doc: "Ends the caller's public library: its page and its feeds answer 404 within a minute, and followers see it as gone. The library " +
			"itself stays. The name is reserved for the caller for 30 days.",
		Faults: []*fault.Error{fault.ErrUnavailable},
	}),
	api.Bind((*Server).open, api.Endpoint{
		Name: "get_public_library", Tool: true,
		Brief:  "name title about author feeds.m3u folders.name folders.slug folders.groups.name folders.groups.items.channel_id folders.groups.items.name",
		Method: "GET", Path: namedPath, Auth: api.None, Cache: api.Public(time.Minute),
		Summary: "Get a public library",
		Doc: "Returns the folders that somebody publishes under a name, with their sub-tabs and channels, and addresses of feeds that " +
			"contain no secret. An unknown name, a library that is not published any more and a hidden one answer the same 404.",
		Faults: faults(public.ErrUnknown),
	}),
	api.Bind((*Server).copyFolder, api.Endpoint{
		Name: "copy_public_folder", Tool: true,
		Brief: "id name slug created", Repeatable: true,
		Method: "POST", Path: namedPath + "/folders/{slug}/copy", Auth: api.Guest,
		Summary: "Copy a folder of a public library",
		Doc: "Adds a copy of the folder, with its sub-tabs and items, to the caller's library, which is then independent of the original, and returns the " +
			"updated library. The name gets a number when the caller has a folder of that name. While the caller has an unchanged " +
			"copy already, nothing changes and created is false.",
		Faults: faults(public.ErrUnknown, library.ErrNoCategory, library.ErrCategoryLimit, library.ErrItemLimit),
	}),
}

// A publicLibrary is what everybody sees of a library that is published.
type publicLibrary struct {
	Name      string         `json:"name" description:"Name in its addresses."`
	Title     string         `json:"title" description:"Title that the owner entered."`
	About     *string        `json:"about" description:"Description of the library; null when its owner wrote none."`
	Author    *string        `json:"author" description:"Name that the owner entered; null for an anonymous library."`
	Listed    bool           `json:"listed" description:"Whether search engines may show its page."`
	UpdatedAt string         `json:"updated_at" format:"date-time" description:"Time at which it was last published; changes of its folders do not count."`
	Followers *int           `json:"followers" description:"Number of callers that follow it or a folder of it; null below 5."`
	Feeds     feeds          `json:"feeds" description:"Feed addresses of the whole public library."`
	Folders   []publicFolder `json:"folders" nullable:"false" description:"Folders that are published, in the owner's order."`
	Links     publicLinks    `json:"_links"`
}

type publicLinks struct {
	Self string `json:"self" format:"uri" description:"This document."`
	Page string `json:"page" format:"uri" description:"Its page for people."`
}

type publicFolder struct {
	Name   string        `json:"name"`
	Slug   string        `json:"slug" description:"Part of its addresses; changes with the name."`
	Feeds  feeds         `json:"feeds" description:"Feed addresses of the folder."`
	Copy   string        `json:"copy" format:"uri" description:"Address at which a caller copies the folder."`
	Groups []publicGroup `json:"groups" nullable:"false" description:"Sub-tabs, in the owner's order."`
}

type publicGroup struct {
	Name  string       `json:"name"`
	Slug  string       `json:"slug" description:"Unique in the folder; changes with the name."`
	Items []publicItem `json:"items" nullable:"false" description:"Channels, in the owner's order."`
}

type publicItem struct {
	ChannelID    string  `json:"channel_id"`
	StreamID     *string `json:"stream_id" description:"The stream that the owner chose; null for the best one."`
	Name         string  `json:"name" description:"Name of the channel; for a stale item, its name when it was added."`
	Country      *string `json:"country" description:"ISO 3166-1 alpha-2."`
	LogoURL      *string `json:"logo_url" format:"uri"`
	PlayableHint bool    `json:"playable_hint" description:"Whether the last check found a usable stream."`
	Kind         string  `json:"kind" enum:"tv,radio"`
	Stale        bool    `json:"stale" description:"Whether the channel has left the catalog."`
	API          string  `json:"api" format:"uri" description:"The channel's detail record."`

	Gone *catalog.GoneChannel `json:"gone,omitempty" description:"Fate of the channel of a stale item; absent for any other item."`
}

// showPublic returns what everybody sees of p and the library that it is of.
func (s *Server) showPublic(p *public.Publication, l *library.Library, followers int, v *index.View) *publicLibrary {
	base := s.links.Base
	shown := p.Of(l)
	shown.Unite(v.Current)
	out := &publicLibrary{
		Name: p.Name, Title: p.Title, About: catalog.TextOrNil(p.About), Author: catalog.TextOrNil(p.Author), Listed: p.Listed,
		UpdatedAt: p.UpdatedAt.UTC().Format(time.RFC3339), Followers: follow.Told(followers), Feeds: feedsOf(shown.Feed(base)),
		Folders: []publicFolder{}, Links: publicLinks{Self: base + librariesPath + "/" + p.Name, Page: base + library.PublicPath + p.Name},
	}
	for i := range shown.Categories {
		c := &shown.Categories[i]
		folder := publicFolder{
			Name: c.Name, Slug: c.Slug, Feeds: feedsOf(shown.CategoryFeed(base, c)), Copy: s.copyAddress(p, c), Groups: []publicGroup{},
		}
		for _, g := range c.Groups {
			group := publicGroup{Name: g.Name, Slug: g.Slug, Items: []publicItem{}}
			for k := range g.Items {
				group.Items = append(group.Items, s.publicItem(&g.Items[k], v))
			}
			folder.Groups = append(folder.Groups, group)
		}
		out.Folders = append(out.Folders, folder)
	}
	return out
}

// copyAddress returns where a folder of p is copied.
func (s *Server) copyAddress(p *public.Publication, c *library.Category) string {
	return s.links.Base + librariesPath + "/" + p.Name + "/folders/" + url.PathEscape(c.Slug) + "/copy"
}

// publicItem returns an item as everybody sees it: with what the API shows of it to its
// owner, without what only the owner may know.
func (s *Server) publicItem(it *library.Item, v *index.View) publicItem {
	of := s.item(it, 0, v)
	return publicItem{
		ChannelID: of.ChannelID, StreamID: of.StreamID, Name: of.Name, Country: of.Country, LogoURL: of.LogoURL, PlayableHint: of.PlayableHint,
		Kind: of.Kind, Stale: of.Stale, API: s.links.Channel(of.ChannelID), Gone: of.Gone,
	}
}

// An ownPublic is what a caller publishes.
type ownPublic struct {
	Published bool           `json:"published" description:"Whether the caller publishes a library, also when it is hidden."`
	Hidden    *hiding        `json:"hidden" description:"Set when the operator hid the caller's public library; null otherwise."`
	Folders   []string       `json:"folders" nullable:"false" description:"Ids of the folders that the caller chose."`
	Public    *publicLibrary `json:"public" description:"The library as everybody sees it; null when none is published."`
}

// A hiding is why the caller's public library is hidden.
type hiding struct {
	Reason string `json:"reason" description:"Reason in the words of the operator."`
	Since  string `json:"since" format:"date-time" description:"Time at which it was hidden."`
}

// showOwn returns what the caller publishes; p is nil for nothing.
func (s *Server) showOwn(p *public.Publication, l *library.Library, followers int, v *index.View) ownPublic {
	out := ownPublic{Folders: []string{}}
	if p == nil {
		return out
	}
	if p.Hidden != nil {
		out.Hidden = &hiding{p.Hidden.Reason, p.Hidden.Since.UTC().Format(time.RFC3339)}
	}
	if p.Name == "" {
		return out
	}
	out.Published, out.Public = true, s.showPublic(p, l, followers, v)
	out.Folders = p.FolderIDs(l)
	return out
}

func (s *Server) getPublic(ctx context.Context, _ struct{}) (out ownPublic, err error) {
	owner, err := identity.OwnerOf(ctx)
	if err != nil {
		return out, err
	}
	v, err := s.catalog.View()
	if err != nil {
		return out, err
	}
	p, err := public.OfOwner(ctx, s.db, owner)
	if err != nil {
		return out, fault.OrUnavailable(err)
	}
	return s.ownOf(ctx, p, v)
}

// ownOf returns what an owner publishes with the library of the owner.
func (s *Server) ownOf(ctx context.Context, p *public.Publication, v *index.View) (out ownPublic, err error) {
	if p == nil || p.Name == "" {
		return s.showOwn(p, nil, 0, v), nil
	}
	l, err := library.Load(ctx, s.db, p.Owner)
	if err != nil {
		return out, fault.OrUnavailable(err)
	}
	return s.showOwn(p, l, s.followers.of(ctx, p.ID), v), nil
}

type publicIn struct {
	Name    string   `json:"name" required:"true" minLength:"1" maxLength:"64" description:"Name in the addresses: 3 to 30 lower-case letters a to z, digits and single hyphens within."`
	Title   string   `json:"title" required:"true" description:"Title, at most 60 characters (Unicode code points)."`
	About   string   `json:"about" description:"Description of the library, at most 500 characters, of one or more lines; empty for none."`
	Author  string   `json:"author" description:"Name to show, at most 40 characters; empty for an anonymous library."`
	Listed  bool     `json:"listed" description:"Whether search engines may show the page."`
	Folders []string `json:"folders" required:"true" minItems:"1" maxItems:"8" maxLength:"64" description:"Ids of the folders to publish; no others are public."`
	Preview bool     `json:"preview" description:"True returns what everybody would see, and stores nothing."`
}

func (s *Server) putPublic(ctx context.Context, in publicIn) (out ownPublic, err error) {
	owner, err := identity.OwnerOf(ctx)
	if err != nil {
		return out, err
	}
	v, err := s.catalog.View()
	if err != nil {
		return out, err
	}
	d := public.Draft{Name: in.Name, Title: in.Title, About: in.About, Author: in.Author, Listed: in.Listed, Folders: in.Folders}
	if in.Preview {
		return s.preview(ctx, owner, d, v)
	}
	p, l, err := public.Put(ctx, s.db, owner, d, s.now())
	if err != nil {
		return out, fault.OrUnavailable(err)
	}
	return s.showOwn(p, l, s.followers.of(ctx, p.ID), v), nil
}

// preview returns what a draft would publish, as of now, by up to four reads. It refuses
// what publishing would refuse, except a name that is reserved for another owner.
func (s *Server) preview(ctx context.Context, owner identity.Owner, d public.Draft, v *index.View) (out ownPublic, err error) {
	d, err = d.Clean()
	if err != nil {
		return out, err
	}
	l, err := library.Load(ctx, s.db, owner)
	if err != nil {
		return out, fault.OrUnavailable(err)
	}
	p, err := d.As(l)
	if err != nil {
		return out, err
	}
	if err := s.mayPublish(ctx, owner, d.Name); err != nil {
		return out, fault.OrUnavailable(err)
	}
	p.UpdatedAt.Time = s.now()
	out = s.showOwn(p, l, 0, v)
	out.Published = false
	return out, nil
}

// mayPublish returns moderation.ErrMuted when an owner may not write, and public.ErrTaken
// when the publication of another owner has the name, also when it is hidden.
func (s *Server) mayPublish(ctx context.Context, owner identity.Owner, name string) error {
	return s.db.Update(ctx, func(tx store.Tx) error { // which writes nothing
		docs, err := tx.GetAll([]store.Path{moderation.MutePath(owner)})
		if err != nil {
			return err
		}
		if err := moderation.Check(docs[0], s.now()); err != nil {
			return err
		}
		other, err := public.Lookup(tx, name)
		switch {
		case errors.Is(err, public.ErrUnknown):
			return nil
		case err == nil && other.Owner != owner:
			return public.ErrTaken
		}
		return err
	})
}

// An unpublished is the answer when a public library has ended.
type unpublished struct {
	OK      bool `json:"ok" description:"Always true."`
	Removed bool `json:"removed" description:"False when the caller published nothing."`
}

func (s *Server) removePublic(ctx context.Context, _ struct{}) (out unpublished, err error) {
	owner, err := identity.OwnerOf(ctx)
	if err != nil {
		return out, err
	}
	done, err := public.Withdraw(ctx, s.db, owner, s.now())
	return unpublished{true, done}, fault.OrUnavailable(err)
}

type openIn struct {
	Name string `path:"name" maxLength:"64" description:"Name of the public library."`
}

// open reads three documents, and once in some minutes the number of followers.
func (s *Server) open(ctx context.Context, in openIn) (*publicLibrary, error) {
	v, err := s.catalog.View()
	if err != nil {
		return nil, err
	}
	p, l, err := public.Read(ctx, s.db, in.Name)
	if err != nil {
		return nil, fault.OrUnavailable(err)
	}
	return s.showPublic(p, l, s.followers.of(ctx, p.ID), v), nil
}

type copyIn struct {
	Name string `path:"name" maxLength:"64" description:"Name of the public library."`
	Slug string `path:"slug" maxLength:"256" description:"Slug of the folder."`
}

// A copied is a library with the copy of a folder.
type copied struct {
	*Library
	ID      string `json:"id" description:"Id of the copy."`
	Name    string `json:"name"`
	Slug    string `json:"slug"`
	Created bool   `json:"created" description:"False when the caller had an unchanged copy already."`
}

func (s *Server) copyFolder(ctx context.Context, in copyIn) (out copied, err error) {
	p, l, err := public.Read(ctx, s.db, in.Name)
	if err != nil {
		return out, fault.OrUnavailable(err)
	}
	from, ok := p.Of(l).Category(in.Slug)
	if !ok {
		return out, library.ErrNoCategory
	}
	out.Library, err = s.change(ctx, func(l *library.Library, v *index.View) error {
		for i := range from.Groups {
			from.Groups[i].Unite(v.Current)
		}
		c, created, err := l.AddCopy(from)
		if err == nil {
			out.ID, out.Name, out.Slug, out.Created = c.ID, c.Name, c.Slug, created
		}
		return err
	})
	return out, err
}
