// Package changes is the function for programs that keep a copy of the catalog: it says
// what changed between releases, as JSON and as an Atom feed, and gives the files of the
// nightly dumps.
package changes

import (
	"context"
	"time"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/dump"
	"miramundo.dev/shared/catalog/history"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/store"
)

const (
	path      = "/api/changes"
	feedPath  = path + ".atom"
	dumpsPath = "/api/dumps"
	filesPath = "/dumps/"
)

// feedType is the media type of Atom feeds.
const feedType = "application/atom+xml; charset=utf-8"

// Endpoints is this function's part of the API.
var Endpoints = []api.Endpoint{
	api.Bind((*Server).changes, api.Endpoint{
		Name: "list_changes", Tool: true,
		Method: "GET", Path: path, Auth: api.None,
		Summary: "List the changes of the catalog",
		Doc: "Returns the entries that were added, changed, renamed or removed between releases in the last month, in the order in " +
			"which that was noticed. Call it again with since set to the cursor of the answer; where complete is false, fetch a dump.",
		Faults: []*fault.Error{catalog.ErrNotLoaded, fault.ErrInvalid, fault.ErrUnavailable},
		Cache:  api.Public(time.Minute),
	}),
	api.Bind((*Server).feed, api.Endpoint{
		Name:   "get_changes_feed",
		Method: "GET", Path: feedPath, Auth: api.None,
		Summary:  "Get the changes as an Atom feed",
		Doc:      "Returns the last 200 changes of the catalog as an Atom feed, the newest first, for feed readers. Programs that must miss none use GET /api/changes.",
		Produces: []string{"application/atom+xml"},
		Faults:   []*fault.Error{catalog.ErrNotLoaded, fault.ErrUnavailable},
		Cache:    api.Public(5 * time.Minute),
	}),
	api.Bind((*Server).dumps, api.Endpoint{
		Name:   "list_dumps",
		Method: "GET", Path: dumpsPath, Auth: api.None,
		Summary: "List the dumps of the catalog",
		Doc: "Returns the files of the last nightly dumps of the whole catalog, the newest dump first: the records as lines of JSON, tables in " +
			"CSV, a SQLite database, and checksums. Take one of these in place of reading the list page by page.",
		Faults: []*fault.Error{fault.ErrUnavailable},
		Cache:  api.Public(5 * time.Minute),
	}),
	api.Bind((*Server).file, api.Endpoint{
		Name:   "get_dump_file",
		Method: "GET", Path: filesPath + "{dump}/{file}", Auth: api.None,
		Summary:  "Get a file of a dump",
		Doc:      "Returns a file that GET /api/dumps lists; parts of it can be requested by Range. It never changes, and is there until the second dump after it.",
		Produces: []string{"application/gzip", "text/plain"},
		Expose:   []string{"Accept-Ranges", "Content-Range"},
		Faults:   []*fault.Error{fault.ErrNotFound, fault.ErrUnavailable},
		Cache:    api.Immutable, Uncrawled: true,
	}),
}

// Options are what a Server is made from.
type Options struct {
	DB      store.DB
	Catalog index.Viewer
	Links   catalog.LinkBase
	Now     func() time.Time
}

// A Server answers for changes and dumps.
type Server struct {
	catalog index.Viewer
	links   catalog.LinkBase
	log     *history.Log
	files   *dump.Reader
}

// New returns a server of what is recorded in o.DB.
func New(o Options) *Server {
	return &Server{catalog: o.Catalog, links: o.Links, log: history.NewLog(o.DB, o.Now), files: dump.NewReader(o.DB, o.Now)}
}

type kindIn struct {
	Kind string `query:"kind" default:"all" enum:"tv,radio,all" description:"Kind of entry."`
}

type changesIn struct {
	kindIn
	Since string `query:"since" maxLength:"64" description:"Cursor of an earlier answer, or a time by RFC 3339. Without it, the oldest change that is kept comes first."`
	Limit int    `query:"limit" default:"100" minimum:"1" cap:"1000" description:"Number of changes to return; more than 1000 is reduced to 1000."`
}

// A changesPage is the answer of GET /api/changes.
type changesPage struct {
	Items     []change `json:"items" nullable:"false" description:"Changes in the order in which they were noticed."`
	Cursor    string   `json:"cursor" description:"Value of since for the next call. It is valid even when this answer has no changes."`
	More      bool     `json:"more" description:"Whether further changes are there already."`
	Complete  bool     `json:"complete" description:"Whether no change after since is missing from this answer and those before it."`
	KeptSince *string  `json:"kept_since" format:"date-time" description:"Time from which on every change is kept; null before the first release."`
	Dumps     string   `json:"dumps" format:"uri" description:"List of the dumps of the whole catalog."`
	API       string   `json:"api" format:"uri" description:"This list."`
}

// A change is one entry that differs between two releases.
type change struct {
	Op         string   `json:"op" enum:"added,changed,renamed,gone" description:"Kind of change; renamed when the id or the name of the entry is another one now."`
	ID         string   `json:"id" description:"Id of the channel or station."`
	Kind       string   `json:"kind" enum:"tv,radio" description:"tv or radio."`
	Name       string   `json:"name" description:"Display name; of an entry that is gone, its last one."`
	Country    *string  `json:"country" description:"ISO 3166-1 alpha-2."`
	Was        *was     `json:"was" description:"Id and name before; only of a renamed entry."`
	Fields     []string `json:"fields" nullable:"false" description:"Members of the record that changed, such as website or streams. Votes, clicks and results of checks are left out."`
	Reason     *string  `json:"reason" enum:"closed,blocked,vanished,merged" description:"Reason for which an entry is gone; null for others. merged: it was joined with another entry."`
	ReplacedBy *string  `json:"replaced_by" description:"Id of the entry that replaced one that is gone."`
	At         string   `json:"at" format:"date-time" description:"Time at which the change was noticed."`
	Release    string   `json:"release" description:"Release of the catalog that has the change."`
	Cursor     string   `json:"cursor" description:"Value of since that continues after this change."`
	API        *string  `json:"api" format:"uri" description:"Address of the record; null for an entry that is gone."`
}

// A was is a renamed entry before.
type was struct {
	ID   string `json:"id" description:"Id before, by which the entry is still found."`
	Name string `json:"name" description:"Name before."`
}

func (s *Server) changes(ctx context.Context, in changesIn) (*changesPage, error) {
	from, err := history.ParseCursor(in.Since)
	if err != nil {
		return nil, err
	}
	v, err := s.catalog.View()
	if err != nil {
		return nil, err
	}
	p, err := s.log.After(ctx, from, in.Limit, filter(v, in.Kind))
	if err != nil {
		return nil, err
	}
	out := &changesPage{
		Items: []change{}, Cursor: p.Next.String(), More: p.More, Complete: p.Whole, Dumps: s.links.Base + dumpsPath, API: s.links.Base + path,
	}
	if !p.Since.IsZero() {
		since := p.Since.Add(time.Second - 1).UTC().Format(time.RFC3339) // rounded up: nothing after it is missing
		out.KeptSince = &since
	}
	for _, e := range p.Entries {
		out.Items = append(out.Items, s.changeOf(v, &e))
	}
	return out, nil
}

// filter returns what accepts changes of a kind. A channel that the operator blocks is
// not named, whenever it changed, and even after it has left the catalog.
func filter(v *index.View, kind string) func(*history.Change) bool {
	return func(c *history.Change) bool {
		if kind != "all" && c.Kind != kind || v.Blocks(c.ID) || v.Blocks(c.WasID) {
			return false
		}
		_, known := v.Index().Resolve(c.ID)
		_, shown := v.Current(c.ID)
		return shown || !known
	}
}

// changeOf returns a change as the API shows it. A replacement is named only when v
// shows it, by the id that it has now.
func (s *Server) changeOf(v *index.View, e *history.Entry) change {
	c := change{
		Op: e.Op, ID: e.ID, Kind: e.Kind, Name: e.Name, Country: catalog.TextOrNil(e.Country), Fields: append([]string{}, e.Fields...),
		Reason: catalog.TextOrNil(e.Reason),
		At:     e.At.UTC().Format(time.RFC3339), Release: e.Release, Cursor: e.Next.String(),
	}
	if to, shown := v.Current(e.Became); shown {
		c.ReplacedBy = &to
	}
	if e.Op == history.Renamed {
		c.Was = &was{e.WasID, e.WasName}
	}
	if e.Op != history.Gone {
		address := s.links.Channel(e.ID)
		c.API = &address
	}
	return c
}
