package catalog

import (
	"context"
	"net/url"
	"strconv"
	"strings"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/rank"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/feed"
)

// A list is a search exported as a playlist, to which media players subscribe: its
// address, with every filter, is the feed. The four formats are built from one
// feed.List and differ only in how they are written.

// lists are the endpoints of the formats.
var lists = []api.Endpoint{
	api.Bind((*Server).listM3U, listEndpoint(feed.M3U, feed.M3UType)),
	api.Bind((*Server).listM3U8, listEndpoint(feed.M3U8, feed.M3UType)),
	api.Bind((*Server).listJSON, listEndpoint(feed.JSON)),
	api.Bind((*Server).listXSPF, listEndpoint(feed.XSPF, feed.XSPFType)),
}

// listEndpoint returns the endpoint of a format, with the media types that it
// produces; none for JSON.
func listEndpoint(format string, types ...string) api.Endpoint {
	return api.Endpoint{
		Name:    "export_channels_" + format,
		Method:  "GET",
		Path:    catalog.ChannelsPath + "." + format,
		Auth:    api.None,
		Summary: "Export a search as " + strings.ToUpper(format),
		Doc: "Returns the channels that match, at most 500, as a playlist for media players; each entry plays the channel's best " +
			"stream. A player can subscribe to the address, filters included. To read search results, use GET /api/channels, which " +
			"has pages and totals.",
		Faults:   []*fault.Error{catalog.ErrNotLoaded},
		Cache:    api.Private,
		Produces: types,
	}
}

type listIn struct {
	filter.Selection
	Limit  int    `query:"limit" default:"500" minimum:"1" cap:"500" description:"Number of channels in the list; more than 500 is reduced to 500."`
	Offset int    `query:"offset" default:"0" minimum:"0" maximum:"100000000" description:"Number of matches to skip."`
	Lang   string `query:"lang" maxLength:"16" description:"Language of the groups: pt, en, es, fr or de. Without it, Accept-Language decides."`
}

func (s *Server) listM3U(ctx context.Context, in listIn) (api.Content, error) {
	return s.list(ctx, &in, feed.M3U)
}

func (s *Server) listM3U8(ctx context.Context, in listIn) (api.Content, error) {
	return s.list(ctx, &in, feed.M3U8)
}

func (s *Server) listXSPF(ctx context.Context, in listIn) (api.Content, error) {
	return s.list(ctx, &in, feed.XSPF)
}

func (s *Server) listJSON(ctx context.Context, in listIn) (jsonList, error) {
	c, err := s.list(ctx, &in, feed.JSON)
	return jsonList{c}, err
}

// A jsonList is a list in JSON.
type jsonList struct{ api.Content }

// Schema returns the shape of the list.
func (jsonList) Schema() any { return feed.ChannelList{} }

// list returns the matches of a search in a format. Each entry has the best
// stream of its channel for the caller's country.
func (s *Server) list(ctx context.Context, in *listIn, format string) (api.Content, error) {
	v, err := s.Catalog.View()
	if err != nil {
		return api.Content{}, err
	}
	q := s.query(in.Selection, in.Limit, in.Offset)
	if err := q.CheckOrder(); err != nil {
		return api.Content{}, err
	}
	setCaller(ctx, &q, in.Lang)
	if err := s.setWorks(ctx, v, &q); err != nil {
		return api.Content{}, err
	}
	docs, _ := v.Find(q)
	l := feed.List{
		Name: listName(q.Q), Level: feed.Search, Feeds: in.addresses(v.Links().Channels()), UpdatedAt: v.BuiltAt(),
		Entries: make([]feed.Entry, len(docs)),
	}
	locale, caller := int(api.LocaleOf(ctx)), rank.Caller{Country: api.CountryOf(ctx), Now: s.Now()}
	entries := v.Entries(locale, caller)
	for i, doc := range docs {
		p := entries.At(doc)
		l.Entries[i] = feed.EntryOf(&p.Channel, p.Stream, v.Links())
		l.Entries[i].Group = groupOf(&p.Channel)
	}
	return api.Content(l.As(format, "channels")), nil
}

// listName returns the name of the list of a search for q, as players show it.
func listName(q string) string {
	if q == "" {
		return "Miramundo"
	}
	return "Miramundo: " + q
}

// groupOf returns the group in which players show a channel: its first category,
// or its kind when it has none.
func groupOf(c *catalog.Listing) string {
	switch {
	case c.Category != "":
		return c.Category
	case c.Kind == catalog.Station:
		return "Radio"
	}
	return "TV"
}

// addresses returns the address of the list in each format, below base. It
// contains the parameters that differ from their defaults, as the caller wrote
// them.
func (in *listIn) addresses(base string) feed.Addresses {
	query := url.Values{}
	for _, p := range in.Pairs() {
		query.Set(p[0], p[1])
	}
	if in.Lang != "" {
		query.Set("lang", in.Lang)
	}
	if in.Limit != listLimit {
		query.Set("limit", strconv.Itoa(in.Limit))
	}
	if in.Offset != 0 {
		query.Set("offset", strconv.Itoa(in.Offset))
	}
	more := ""
	if len(query) > 0 {
		more = "?" + query.Encode()
	}
	return feed.AddressesOf(func(format string) string { return base + "." + format + more })
}

// listLimit is the default and the greatest limit of a list, as listIn declares
// it.
const listLimit = 500
