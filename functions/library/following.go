package library

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"time"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/page"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/library"
	"miramundo.dev/shared/library/follow"
	"miramundo.dev/shared/library/public"
	"miramundo.dev/shared/store"
)

const followingPath = "/api/following"

// following are the endpoints about what callers follow.
var following = []api.Endpoint{
	api.Bind((*Server).listFollowing, api.Endpoint{
		Name:   "list_following",
		Method: "GET", Path: followingPath, Auth: api.Guest,
		Summary: "List what the caller follows",
		Doc: "Returns a page of the public libraries and folders that the caller follows, the newest first, with their folders as they " +
			"are now; GET /api/libraries/{name} has the channels. What is not public any more is gone, and stays in the list until the " +
			"caller takes it out. With library the list has only what the caller follows of that public library, without what is gone.",
		Faults: []*fault.Error{fault.ErrUnavailable},
	}),
	api.Bind((*Server).follow, api.Endpoint{
		Name:       "follow_library",
		Repeatable: true,
		Method:     "POST", Path: followingPath, Auth: api.Guest,
		Summary: "Follow a public library or folder",
		Doc: "Adds a public library, or one folder of it, to what the caller follows, at most " + strconv.Itoa(follow.Max) + ", and returns " +
			"it. Only the number of followers is public, from " + strconv.Itoa(follow.FewFollowers) + " up, and never who they are. Repeating it changes nothing.",
		Faults: []*fault.Error{public.ErrUnknown, library.ErrNoCategory, follow.ErrTooMany, follow.ErrOwn, fault.ErrUnavailable},
	}),
	api.Bind((*Server).unfollow, api.Endpoint{
		Name:   "unfollow_library",
		Method: "DELETE", Path: followingPath + api.ByID, Auth: api.Guest,
		Summary: "Remove a followed public library",
		Doc:     "Takes an entry out of what the caller follows. An entry that the caller does not have answers removed false.",
		Faults:  []*fault.Error{fault.ErrUnavailable},
	}),
}

// A followed is a public library or a folder of one that a caller follows.
type followed struct {
	ID      string           `json:"id" description:"Id of the entry, valid for this caller alone."`
	Library string           `json:"library" description:"Name of the public library; when it is gone, its name when it was followed."`
	Title   *string          `json:"title" description:"Title of the library; null when it is gone."`
	Author  *string          `json:"author" description:"Name that the owner entered; null for an anonymous library."`
	Folder  *string          `json:"folder" description:"Slug of the folder that is followed; null for the whole library, and when it is gone."`
	Gone    bool             `json:"gone" description:"True when the library or the folder is not public any more."`
	Since   string           `json:"since" format:"date-time" description:"Time at which the caller followed it."`
	Folders []followedFolder `json:"folders" nullable:"false" description:"The folder that is followed, or all folders of the library, as they are now."`
	Page    *string          `json:"page" format:"uri" description:"Page of the library for people; null when it is gone."`
	API     string           `json:"api" format:"uri" description:"Address at which the caller follows it no longer."`
}

type followedFolder struct {
	Name     string `json:"name"`
	Slug     string `json:"slug"`
	Channels int    `json:"channels" description:"Number of channels in the folder."`
	Feeds    feeds  `json:"feeds" description:"Feed addresses of the folder."`
}

// showFollowed returns a row with the publication that it follows, which may be nil or
// hidden, and the library of its owner.
func (s *Server) showFollowed(r follow.Row, p *public.Publication, l *library.Library) followed {
	out := followed{
		ID: r.ID, Library: r.Name, Gone: true, Since: r.Since.UTC().Format(time.RFC3339), Folders: []followedFolder{},
		API: s.links.Base + followingPath + "/" + r.ID,
	}
	if !p.Shown() {
		return out
	}
	shown := p.Of(l)
	for i := range shown.Categories {
		c := &shown.Categories[i]
		if of, ok := p.Folder(l, c.Slug); r.Folder != "" && (!ok || of.ID != r.Folder) {
			continue
		}
		one := library.Library{Categories: []library.Category{*c}}
		out.Folders = append(out.Folders, followedFolder{c.Name, c.Slug, one.Len(), feedsOf(shown.CategoryFeed(s.links.Base, c))})
	}
	if r.Folder != "" && len(out.Folders) == 0 {
		return out
	}
	page := s.links.Base + library.PublicPath + p.Name
	out.Gone, out.Library, out.Title, out.Author, out.Page = false, p.Name, &p.Title, catalog.TextOrNil(p.Author), &page
	if r.Folder != "" {
		out.Folder = &out.Folders[0].Slug
	}
	return out
}

type followingIn struct {
	Limit   int    `query:"limit" default:"10" minimum:"1" cap:"10" description:"Number of items on the page; more than 10 is reduced to 10."`
	Offset  int    `query:"offset" default:"0" minimum:"0" maximum:"100000000" description:"Number of items to skip."`
	Library string `query:"library" maxLength:"64" description:"Name of a public library, to list only its entries; empty for those of every library."`
}

// followingList is a page of what a caller follows.
type followingList struct {
	Items []followed `json:"items" nullable:"false"`
	page.Position
	Max int `json:"max" description:"Number of libraries and folders that a caller can follow."`
}

// listFollowing reads one document, and two for each library of the page. With the name of
// a library it reads that library alone.
func (s *Server) listFollowing(ctx context.Context, in followingIn) (out followingList, err error) {
	owner, err := identity.OwnerOf(ctx)
	if err != nil {
		return out, err
	}
	f, err := follow.Load(ctx, s.db, owner)
	if err != nil {
		return out, fault.OrUnavailable(err)
	}
	slices.Reverse(f.Rows)
	of, api := page.In{Limit: in.Limit, Offset: in.Offset}, s.links.Base+followingPath
	if in.Library != "" {
		items, err := s.followedOf(ctx, in.Library, f.Rows)
		if err != nil {
			return out, fault.OrUnavailable(err)
		}
		out = followingList{Items: page.Cut(of, items), Position: of.Of(len(items), api), Max: follow.Max}
		if out.Next != nil {
			*out.Next += "&library=" + in.Library // which needs no escape, since it is a name
		}
		return out, nil
	}
	out = followingList{Items: []followed{}, Position: of.Of(len(f.Rows), api), Max: follow.Max}
	rows := page.Cut(of, f.Rows)
	found, libraries, err := s.followedLibraries(ctx, rows)
	if err != nil {
		return out, fault.OrUnavailable(err)
	}
	for _, r := range rows {
		p := found[r.Publication]
		if l := libraries[r.Publication]; l == nil {
			p = nil
		}
		out.Items = append(out.Items, s.showFollowed(r, p, libraries[r.Publication]))
	}
	return out, nil
}

// followedOf returns what rows follow of the public library with a name, without what is
// gone, by up to three reads. It returns nothing for a name that is not public.
func (s *Server) followedOf(ctx context.Context, name string, rows []follow.Row) (items []followed, err error) {
	if len(rows) == 0 {
		return nil, nil
	}
	p, err := public.Open(ctx, s.db, name)
	if errors.Is(err, public.ErrUnknown) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	rows = slices.DeleteFunc(rows, func(r follow.Row) bool { return r.Publication != p.ID })
	if len(rows) == 0 {
		return nil, nil
	}
	l, err := library.Load(ctx, s.db, p.Owner)
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		if it := s.showFollowed(r, p, l); !it.Gone {
			items = append(items, it)
		}
	}
	return items, nil
}

// followedLibraries reads the publications of rows, and the libraries of those that are
// shown, by the ids of the publications.
func (s *Server) followedLibraries(ctx context.Context, rows []follow.Row) (map[string]*public.Publication, map[string]*library.Library, error) {
	var ids []string
	for _, r := range rows {
		if !slices.Contains(ids, r.Publication) {
			ids = append(ids, r.Publication)
		}
	}
	found, err := public.Find(ctx, s.db, ids)
	if err != nil {
		return nil, nil, err
	}
	var paths []store.Path
	var shown []string
	for _, id := range ids {
		if p := found[id]; p.Shown() {
			paths, shown = append(paths, library.Path(p.Owner)), append(shown, id)
		}
	}
	libraries := map[string]*library.Library{}
	if len(paths) == 0 {
		return found, libraries, nil
	}
	docs, err := s.db.GetAll(ctx, paths)
	if err != nil {
		return nil, nil, err
	}
	for i, doc := range docs {
		if doc.Decode == nil {
			continue
		}
		l := &library.Library{}
		if err := doc.Decode(l); err != nil {
			return nil, nil, err
		}
		libraries[shown[i]] = l
	}
	return found, libraries, nil
}

type followIn struct {
	Library string `json:"library" required:"true" minLength:"1" maxLength:"64" description:"Name of the public library."`
	Folder  string `json:"folder" maxLength:"256" description:"Slug of the folder to follow; empty or absent for the whole library."`
}

// A follows is the answer when something is followed.
type follows struct {
	OK       bool     `json:"ok" description:"Always true."`
	Created  bool     `json:"created" description:"False when the caller followed it already."`
	Followed followed `json:"followed" description:"The entry."`
}

func (s *Server) follow(ctx context.Context, in followIn) (out follows, err error) {
	owner, err := identity.OwnerOf(ctx)
	if err != nil {
		return out, err
	}
	p, l, err := public.Read(ctx, s.db, in.Library)
	if err != nil {
		return out, fault.OrUnavailable(err)
	}
	folder := ""
	if in.Folder != "" {
		c, ok := p.Folder(l, in.Folder)
		if !ok {
			return out, library.ErrNoCategory
		}
		folder = c.ID
	}
	row, added, err := follow.Add(ctx, s.db, owner, p, folder, s.now())
	if err != nil {
		return out, fault.OrUnavailable(err)
	}
	return follows{true, added, s.showFollowed(row, p, l)}, nil
}

type unfollowIn struct {
	ID string `path:"id" maxLength:"64" description:"Id of the entry."`
}

func (s *Server) unfollow(ctx context.Context, in unfollowIn) (out unpublished, err error) {
	owner, err := identity.OwnerOf(ctx)
	if err != nil {
		return out, err
	}
	found, err := follow.Remove(ctx, s.db, owner, in.ID)
	return unpublished{true, found}, fault.OrUnavailable(err)
}

const (
	countedFor  = 5 * time.Minute // how long a number of followers is remembered
	maxCounters = 1000
)

// A counter remembers how many follow the publications that were read lately, so that a
// page that many visit does not count its followers each time.
type counter struct {
	db  store.DB
	now func() time.Time

	mu   sync.Mutex
	seen map[string]counted // by publication; guarded by mu
}

type counted struct {
	n  int
	at time.Time
}

// of returns how many follow a publication; 0, which is not shown, when they cannot be
// counted: what is published is shown all the same.
func (c *counter) of(ctx context.Context, publication string) int {
	c.mu.Lock()
	known, ok := c.seen[publication]
	c.mu.Unlock()
	if age := c.now().Sub(known.at); ok && age >= 0 && age < countedFor {
		return known.n
	}
	n, err := follow.Count(ctx, c.db, publication)
	if err != nil {
		return 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen == nil || len(c.seen) >= maxCounters {
		c.seen = map[string]counted{}
	}
	c.seen[publication] = counted{n, c.now()}
	return n
}
