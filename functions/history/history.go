// Package history is the function that keeps which channels a caller played, how
// often and when.
package history

import (
	"context"
	"strconv"
	"time"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/page"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/keptlist"
	"miramundo.dev/shared/social/kept"
	"miramundo.dev/shared/store"
)

const path = "/api/history"

// ErrAbsent means that a channel is not in the caller's history.
var ErrAbsent = fault.New(fault.NotFound, "history_not_found")

// Endpoints is this function's part of the API.
var Endpoints = []api.Endpoint{
	api.Bind((*Server).list, api.Endpoint{
		Name: "get_history", Tool: true,
		Brief:  "total next_offset items.channel_id items.name items.country items.plays items.last_at",
		Method: "GET", Path: path, Auth: api.Guest,
		Summary: "List the caller's history",
		Doc: "Returns a page of the channels that the caller played, most recent first, with the number of plays and the first and " +
			"last time of each. The first page lists apart, as gone, the channels that left the catalog, with what became of them.",
		Faults: []*fault.Error{catalog.ErrNotLoaded, fault.ErrUnavailable},
	}),
	api.Bind((*Server).add, api.Endpoint{
		Name: "add_to_history", Tool: true,
		Method: "POST", Path: path, Auth: api.Guest,
		Summary: "Record a play in the history",
		Doc: "Adds one play of the channel to the caller's history, moves it to the top, and returns its count. A history holds " +
			strconv.Itoa(kept.MaxHistory) + " channels: one more drops the oldest. It does not count as a public play; POST /api/play-report does.",
		Faults: []*fault.Error{catalog.ErrNoChannel, catalog.ErrNotLoaded, fault.ErrUnavailable},
	}),
	api.Bind((*Server).clear, api.Endpoint{
		Name: "clear_history", Tool: true,
		Method: "DELETE", Path: path, Auth: api.Guest,
		Summary: "Clear the history",
		Doc:     "Deletes every row of the caller's history, which cannot be undone. Public counters do not change.",
		Faults:  []*fault.Error{fault.ErrUnavailable},
	}),
	api.Bind((*Server).remove, api.Endpoint{
		Name: "remove_from_history", Tool: true,
		Method: "DELETE", Path: path + keptlist.RowPath, Auth: api.Guest,
		Summary: "Remove a channel from the history",
		Doc: "Deletes one channel's row from the caller's history, with its number of plays. It answers 404 when the channel is not " +
			"in the history.",
		Faults: []*fault.Error{ErrAbsent, fault.ErrUnavailable},
	}),
}

// A Server answers for the histories in a database.
type Server struct {
	db      store.DB
	catalog index.DatedViewer
	links   catalog.LinkBase
	now     func() time.Time
}

// New returns a server of the histories in db. v provides the channels, and links
// the addresses of the service.
func New(db store.DB, v index.DatedViewer, links catalog.LinkBase, now func() time.Time) *Server {
	return &Server{db: db, catalog: v, links: links, now: now}
}

// An item is a channel in a history.
type item struct {
	ChannelID    string  `json:"channel_id"`
	Name         string  `json:"name"`
	Country      *string `json:"country" description:"ISO 3166-1 alpha-2."`
	LogoURL      *string `json:"logo_url" format:"uri"`
	PlayableHint bool    `json:"playable_hint" description:"Whether the last check found a usable stream."`
	Plays        int     `json:"plays" description:"Number of the caller's plays."`
	FirstAt      string  `json:"first_at" format:"date-time" description:"Time of the first play, in UTC."`
	LastAt       string  `json:"last_at" format:"date-time" description:"Time of the last play, in UTC."`
	Stale        bool    `json:"stale" description:"Whether the catalog is more than two days old."`
	API          string  `json:"api" format:"uri" description:"Detail record of the channel."`
}

// A list is a page of a history.
type list struct {
	Items []item `json:"items" nullable:"false"`
	page.Position
	Gone []catalog.GoneChannel `json:"gone,omitempty" nullable:"false" description:"Channels of the whole list that the catalog does not show; absent when there are none, and on all pages but the first."`
	Max  int                   `json:"max" description:"Maximum number of channels in a history; one more drops the oldest."`
}

func (s *Server) list(ctx context.Context, in page.In) (out list, err error) {
	p, err := keptlist.Page(ctx, keptlist.Source[kept.Played]{Catalog: s.catalog, Load: s.rows, Now: s.now}, in, s.item)
	if err != nil {
		return out, err
	}
	return list{p.Items, in.Of(p.Total, s.links.Base+path), p.Gone, kept.MaxHistory}, nil
}

func (s *Server) rows(ctx context.Context, owner identity.Owner) ([]kept.Played, error) {
	h, err := kept.LoadHistory(ctx, s.db, owner)
	return h.Rows, err
}

func (s *Server) item(e keptlist.Entry[kept.Played]) item {
	c := e.Channel
	return item{
		ChannelID: c.ID, Name: c.Name, Country: catalog.TextOrNil(c.Country), LogoURL: c.LogoURL, PlayableHint: c.Playable,
		Plays: e.Row.Plays, FirstAt: stamp(e.Row.FirstAt), LastAt: stamp(e.Row.LastAt), Stale: e.Stale, API: s.links.Channel(c.ID),
	}
}

func stamp(t store.Time) string { return t.UTC().Format(time.RFC3339) }

type addIn struct {
	ChannelID string `json:"channel_id" required:"true" minLength:"1" maxLength:"256" description:"Catalog id of the channel."`
}

// A played is the answer to a play.
type played struct {
	ChannelID string  `json:"channel_id"`
	Plays     int     `json:"plays" description:"Number of the caller's plays, this one included."`
	LastAt    *string `json:"last_at" format:"date-time" description:"Time of the last play, in UTC; null before the first."`
	API       string  `json:"api" format:"uri" description:"Detail record of the channel."`
}

func (s *Server) add(ctx context.Context, in addIn) (out played, err error) {
	who, err := identity.OwnerOf(ctx)
	if err != nil {
		return out, err
	}
	v, err := s.catalog.View()
	if err != nil {
		return out, err
	}
	c, ok := v.Summary(in.ChannelID)
	if !ok {
		return out, v.NotFound(in.ChannelID)
	}
	var row kept.Played
	err = kept.UpdateHistory(ctx, s.db, who, func(h *kept.History) bool {
		row = h.Play(c.ID, s.now(), v.Current)
		return true
	})
	if err != nil {
		return out, fault.OrUnavailable(err)
	}
	last := stamp(row.LastAt)
	return played{c.ID, row.Plays, &last, s.links.Channel(c.ID)}, nil
}

// A cleared is the answer when a history was cleared.
type cleared struct {
	OK      bool `json:"ok" description:"Always true."`
	Cleared bool `json:"cleared" description:"Always true."`
	Total   int  `json:"total" description:"Always 0."`
}

func (s *Server) clear(ctx context.Context, _ struct{}) (out cleared, err error) {
	who, err := identity.OwnerOf(ctx)
	if err != nil {
		return out, err
	}
	if err := kept.UpdateHistory(ctx, s.db, who, (*kept.History).Clear); err != nil {
		return out, fault.OrUnavailable(err)
	}
	return cleared{OK: true, Cleared: true}, nil
}

type removeIn struct {
	ChannelID string `path:"channel_id" maxLength:"256" description:"Catalog id of the channel."`
}

// A removed is the answer when a channel was removed from a history.
type removed struct {
	OK      bool   `json:"ok" description:"Always true."`
	Removed string `json:"removed" description:"Id of the channel."`
}

func (s *Server) remove(ctx context.Context, in removeIn) (out removed, err error) {
	who, err := identity.OwnerOf(ctx)
	if err != nil {
		return out, err
	}
	v, _ := s.catalog.View() // without a catalog, channels are found by their stored ids
	found := false
	err = kept.UpdateHistory(ctx, s.db, who, func(h *kept.History) bool {
		found = h.Remove(in.ChannelID, v.Current)
		return found
	})
	if err != nil {
		return out, fault.OrUnavailable(err)
	}
	if !found {
		return out, ErrAbsent
	}
	return removed{true, in.ChannelID}, nil
}
