// Package favorites is the function that keeps the favorite channels of callers, and
// counts for each channel how many people have it as a favorite.
package favorites

import (
	"context"
	"strconv"
	"time"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/page"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/fact/outbox"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/keptlist"
	"miramundo.dev/shared/social"
	"miramundo.dev/shared/social/kept"
	"miramundo.dev/shared/store"
)

const path = "/api/favorites"

// ErrAbsent means that a channel is not a favorite of the caller.
var ErrAbsent = fault.New(fault.NotFound, "favorite_not_found")

// Endpoints is this function's part of the API.
var Endpoints = []api.Endpoint{
	api.Bind((*Server).list, api.Endpoint{
		Name: "get_favorites", Tool: true,
		Brief:  "total next_offset items.channel_id items.name items.country items.created_at",
		Method: "GET", Path: path, Auth: api.Guest,
		Summary: "List the caller's favorites",
		Doc: "Returns a page of the caller's favorite channels, most recently added first, each with the number of people who " +
			"favorited it. The first page lists apart, as gone, the favorites that left the catalog, with what became of them.",
		Faults: []*fault.Error{catalog.ErrNotLoaded, fault.ErrUnavailable},
	}),
	api.Bind((*Server).add, api.Endpoint{
		Name: "add_favorite", Tool: true,
		Repeatable: true,
		Method:     "POST", Path: path, Auth: api.Guest,
		Summary: "Add a favorite",
		Doc: "Adds the channel to the caller's favorites and returns how many people favorited it. Repeating it changes nothing. A " +
			"caller can have " + strconv.Itoa(kept.MaxFavorites) + " favorites.",
		Faults: []*fault.Error{catalog.ErrNoChannel, catalog.ErrNotLoaded, kept.ErrFull, fault.ErrUnavailable},
	}),
	api.Bind((*Server).remove, api.Endpoint{
		Name: "remove_favorite", Tool: true,
		Method: "DELETE", Path: path + keptlist.RowPath, Auth: api.Guest,
		Summary: "Remove a favorite",
		Doc: "Removes the channel from the caller's favorites and returns how many people still favorite it. It answers 404 when the " +
			"channel was not a favorite.",
		Faults: []*fault.Error{ErrAbsent, fault.ErrUnavailable},
	}),
}

// Options are what a Server is made from.
type Options struct {
	DB      store.DB
	Outbox  *outbox.Outbox
	Overlay *social.Overlay  // the counts that lists show; nil has none
	People  *identity.People // names the networks of favorites
	Catalog index.DatedViewer
	Links   catalog.LinkBase
	Now     func() time.Time
}

// A Server answers for the favorites in a database.
type Server struct {
	Options
	recent recent
}

// New returns a server of the favorites in o.DB.
func New(o Options) *Server { return &Server{Options: o} }

// An item is a channel among favorites.
type item struct {
	ChannelID    string  `json:"channel_id"`
	Name         string  `json:"name"`
	Country      *string `json:"country" description:"ISO 3166-1 alpha-2."`
	Quality      *string `json:"quality" description:"Best known quality, such as 1080p."`
	LogoURL      *string `json:"logo_url" format:"uri"`
	PlayableHint bool    `json:"playable_hint" description:"Whether the last check found a usable stream."`
	Favorites    int     `json:"favorites" description:"Number of people who favorited the channel; it may be some seconds old."`
	CreatedAt    string  `json:"created_at" format:"date-time"`
	Stale        bool    `json:"stale" description:"Whether the catalog is more than two days old."`
	API          string  `json:"api" format:"uri" description:"Detail record of the channel."`
}

// A list is a page of favorites.
type list struct {
	Items []item `json:"items" nullable:"false"`
	page.Position
	Gone []catalog.GoneChannel `json:"gone,omitempty" nullable:"false" description:"Channels of the whole list that the catalog does not show; absent when there are none, and on all pages but the first."`
	Max  int                   `json:"max" description:"Maximum number of favorites of a caller."`
}

func (s *Server) list(ctx context.Context, in page.In) (out list, err error) {
	p, err := keptlist.Page(ctx, keptlist.Source[kept.Favorite]{Catalog: s.Catalog, Load: s.rows, Now: s.Now}, in, s.item)
	if err != nil {
		return out, err
	}
	return list{p.Items, in.Of(p.Total, s.Links.Base+path), p.Gone, kept.MaxFavorites}, nil
}

func (s *Server) rows(ctx context.Context, owner identity.Owner) ([]kept.Favorite, error) {
	f, err := kept.LoadFavorites(ctx, s.DB, owner)
	return f.Rows, err
}

func (s *Server) item(e keptlist.Entry[kept.Favorite]) item {
	c := e.Channel
	return item{
		ChannelID: c.ID, Name: c.Name, Country: catalog.TextOrNil(c.Country), Quality: catalog.TextOrNil(c.Quality), LogoURL: c.LogoURL,
		PlayableHint: c.Playable, Favorites: s.public(c.ID), CreatedAt: e.Row.Since.UTC().Format(time.RFC3339),
		Stale: e.Stale, API: s.Links.Channel(c.ID),
	}
}

// public returns how many people have a channel as a favorite, the caller included.
// It comes from memory: the number that this process answered lately, or else that
// of the overlay.
func (s *Server) public(channel string) int {
	if n, ok := s.recent.last(channel, s.Now()); ok {
		return max(n, 1)
	}
	c, ok := s.Overlay.Counts(channel)
	if !ok {
		return 1
	}
	return max(int(c.Favorites), 1)
}

type addIn struct {
	ChannelID string `json:"channel_id" required:"true" minLength:"1" maxLength:"256" description:"Catalog id of the channel."`
}

// An added is the answer when a channel was added.
type added struct {
	OK        bool   `json:"ok" description:"Always true."`
	Favorited bool   `json:"favorited" description:"Always true."`
	Created   bool   `json:"created" description:"False when the channel was a favorite already."`
	ChannelID string `json:"channel_id"`
	Favorites int    `json:"favorites" description:"Number of people who favorited the channel, the caller included."`
}

func (s *Server) add(ctx context.Context, in addIn) (out added, err error) {
	v, err := s.Catalog.View()
	if err != nil {
		return out, err
	}
	c, ok := v.Summary(in.ChannelID)
	if !ok {
		return out, v.NotFound(in.ChannelID)
	}
	made, n, err := s.change(ctx, c.ID, func(f *kept.Favorites) ([]social.Favorite, error) {
		changes, err := f.Add(c.ID, s.Now(), v.Current)
		if len(changes) > 0 {
			changes[0].Network = s.network(ctx, changes[0]) // of the new favorite; others make room
		}
		return changes, err
	})
	return added{true, true, made, c.ID, max(n, 1)}, err
}

// network returns the name of the caller's network in f.
func (s *Server) network(ctx context.Context, f social.Favorite) string {
	id := s.People.WiderNetwork(identity.Caller{Addr: api.AddrOf(ctx)}, identity.DayOf(f.At))
	return social.NetworkOf(id, f.Channel)
}

type removeIn struct {
	ChannelID string `path:"channel_id" maxLength:"256" description:"Catalog id of the channel."`
}

// A removed is the answer when a channel was removed.
type removed struct {
	OK        bool   `json:"ok" description:"Always true."`
	Favorited bool   `json:"favorited" description:"Always false."`
	ChannelID string `json:"channel_id"`
	Favorites int    `json:"favorites" description:"Number of people who favorite the channel."`
}

func (s *Server) remove(ctx context.Context, in removeIn) (out removed, err error) {
	v, _ := s.Catalog.View() // without a catalog, channels are found by their stored ids
	id := in.ChannelID
	if now, ok := v.Current(id); ok {
		id = now
	}
	_, n, err := s.change(ctx, id, func(f *kept.Favorites) ([]social.Favorite, error) {
		changes := f.Remove(in.ChannelID, s.Now(), v.Current)
		if len(changes) == 0 {
			return nil, ErrAbsent
		}
		return changes, nil
	})
	return removed{OK: true, ChannelID: id, Favorites: n}, err
}

// change applies change to the caller's favorites, stores them and publishes what
// changed. It returns whether anything changed, and how many people have the channel
// as a favorite now.
func (s *Server) change(ctx context.Context, channel string, change func(*kept.Favorites) ([]social.Favorite, error)) (changed bool, n int, err error) {
	who, err := identity.OwnerOf(ctx)
	if err != nil {
		return false, 0, err
	}
	changes, letters, err := kept.UpdateFavorites(ctx, s.DB, who, change)
	if err != nil {
		return false, 0, fault.OrUnavailable(err)
	}
	for _, c := range changes {
		s.recent.add(c, s.Now())
	}
	n = s.count(ctx, channel)
	s.Outbox.Send(ctx, letters...)
	return len(changes) > 0, n, nil
}

// count returns how many people have a channel as a favorite: the number counted so
// far and the changes of this process that are not counted yet. The change itself is
// stored by now, so a database that fails here is no error: the number of the
// overlay is taken instead.
func (s *Server) count(ctx context.Context, channel string) int {
	counted, err := social.ReadCounted(ctx, s.DB, channel)
	if err != nil {
		if c, ok := s.Overlay.Counts(channel); ok {
			counted.Counts = *c
		}
	}
	return s.recent.total(channel, &counted, s.Now())
}
