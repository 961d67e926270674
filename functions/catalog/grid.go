package catalog

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"miramundo.dev/shared/api"
	paging "miramundo.dev/shared/api/page"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/fault"
)

const gridPath = "/api/guide/grid"

// A grid is the programmes of several channels within some hours. All of it comes from
// memory: the index selects and orders the channels, and the guide has the programmes of
// each, without their descriptions, which are compressed.

// maxGridIDs is the greatest number of channels that a request for a grid names: as many as a page has.
const maxGridIDs = 50

// lastYear is the last one that RFC 3339 can write.
const lastYear = 9999

// gridEndpoint is the guide of many channels.
var gridEndpoint = api.Bind((*Server).grid, api.Endpoint{
	Name: "get_guide_grid", Tool: true,
	Brief: "from to total next_offset items.channel_id items.name items.programas.inicio items.programas.fim " +
		"items.programas.titulo",
	Method:  "GET",
	Path:    gridPath,
	Auth:    api.None,
	Summary: "List programmes of many channels",
	Doc: "Returns a page of channels, each with its programmes in a window of at most 24 hours, in order and without descriptions. " +
		"The channels are those that have a guide and match the filters, most popular first, or those named by ids, in that order; " +
		"unknown ids are left out. Guides cover today and tomorrow in UTC; a channel without programmes in the window has an empty list.",
	Faults: []*fault.Error{catalog.ErrNotLoaded},
	Cache:  api.Public(soon),
})

type gridIn struct {
	IDs      string `query:"ids" maxLength:"4000" description:"Catalog ids of at most 50 channels, separated by commas. With ids, every filter but guide, limit and offset are ignored."`
	Guide    bool   `query:"guide" default:"0" description:"1 keeps of the channels named by ids those that have a guide for today or tomorrow."`
	Country  string `query:"country" maxLength:"32" description:"Country of the channel, ISO 3166-1 alpha-2."`
	Category string `query:"category" maxLength:"64" description:"Catalog category id of the channel."`
	Kind     string `query:"kind" default:"tv" enum:"tv,radio,all" description:"Kind of channel; radio stations are included only by radio and all."`
	Playable bool   `query:"playable" default:"0" description:"1 keeps only channels with a usable stream."`
	From     string `query:"from" maxLength:"20" pattern:"^([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z)?$" description:"Start of the window in UTC, such as 2026-11-28T20:00:00Z; the full hour before now by default."`
	Hours    int    `query:"hours" default:"6" minimum:"1" cap:"24" description:"Length of the window in hours; more than 24 is reduced to 24."`
	paging.In
}

// A gridRow is a channel with its programmes.
type gridRow struct {
	ChannelID    string              `json:"channel_id"`
	Name         string              `json:"name" description:"Name of the channel."`
	Kind         string              `json:"kind" enum:"tv,radio"`
	Country      *string             `json:"country" description:"ISO 3166-1 alpha-2."`
	LogoURL      *string             `json:"logo_url" format:"uri"`
	PlayableHint bool                `json:"playable_hint" description:"Whether the last check found a usable stream."`
	Programmes   []catalog.Programme `json:"programas" nullable:"false" description:"Programmes of which a part is in the window, in order."`
}

// A gridPage is a page of rows.
type gridPage struct {
	From  string    `json:"from" format:"date-time" description:"Start of the window, in UTC."`
	To    string    `json:"to" format:"date-time" description:"End of the window, in UTC."`
	Items []gridRow `json:"items" nullable:"false"`
	paging.Position
}

// A gridSheet is a page of rows that is sent with the address of the next one.
type gridSheet struct{ gridPage }

// Schema returns the shape of the page.
func (gridSheet) Schema() any { return gridPage{} }

// Reply writes the page.
func (s gridSheet) Reply(w http.ResponseWriter, r *http.Request) error {
	s.Next = nextAddress(s.Position, r)
	text, err := plain(s.gridPage)
	if err != nil {
		return err
	}
	return api.WriteJSON(w, r, text)
}

func (s *Server) grid(_ context.Context, in gridIn) (out gridSheet, err error) {
	v, err := s.Catalog.View()
	if err != nil {
		return out, err
	}
	from, err := startOf(in.From, s.Now().UTC())
	if err != nil {
		return out, err
	}
	to := from.Add(time.Duration(in.Hours) * time.Hour)
	if to.Year() > lastYear {
		return out, fault.ErrInvalid.With("param", "from")
	}
	ids, total, err := s.gridIDs(v, &in)
	if err != nil {
		return out, err
	}
	out.gridPage = gridPage{from.Format(time.RFC3339), to.Format(time.RFC3339), make([]gridRow, 0, len(ids)), in.Of(total, s.Links.Base+gridPath)}
	for _, id := range ids {
		if c, ok := v.Summary(id); ok {
			out.Items = append(out.Items, s.gridRow(&c, from, to))
		}
	}
	return out, nil
}

// startOf returns the time that a text is, or without one the full hour before now.
func startOf(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return now.Truncate(time.Hour), nil
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return t, fault.ErrInvalid.With("param", "from")
	}
	return t, nil
}

// gridIDs returns the ids of the channels of a page, and how many there are on all pages.
func (s *Server) gridIDs(v *index.View, in *gridIn) (ids []string, total int, err error) {
	if in.IDs == "" {
		q := s.query(filter.Selection{Country: in.Country, Category: in.Category, Kind: in.Kind, Playable: in.Playable, Sort: filter.ByPopularity}, in.Limit, in.Offset)
		q.Scheduled = true
		docs, total := v.Find(q)
		for _, doc := range docs {
			ids = append(ids, v.ID(doc))
		}
		return ids, total, nil
	}
	if strings.Count(in.IDs, ",") >= maxGridIDs {
		return nil, 0, fault.ErrInvalid.With("param", "ids").With("reason", "too_many").With("bound", maxGridIDs)
	}
	in.In = paging.In{Limit: maxGridIDs}
	for named := range strings.SplitSeq(in.IDs, ",") {
		id, ok := v.Current(strings.TrimSpace(named))
		if ok && !slices.Contains(ids, id) && (!in.Guide || s.hasGuide(id)) {
			ids = append(ids, id)
		}
	}
	return ids, len(ids), nil
}

// hasGuide reports whether a channel has a programme today or tomorrow, in UTC.
func (s *Server) hasGuide(id string) bool {
	today := s.Now().UTC().Truncate(24 * time.Hour)
	return len(s.Guide.Between(id, today, today.Add(48*time.Hour))) > 0
}

// gridRow returns a channel with its programmes in a window.
func (s *Server) gridRow(c *index.Summary, from, to time.Time) gridRow {
	ps := s.Guide.Between(c.ID, from, to)
	row := gridRow{
		ChannelID: c.ID, Name: c.Name, Kind: c.Kind.String(), Country: catalog.TextOrNil(c.Country), LogoURL: c.LogoURL,
		PlayableHint: c.Playable, Programmes: make([]catalog.Programme, len(ps)),
	}
	for i := range ps {
		row.Programmes[i] = *ps[i].Wire()
	}
	return row
}
