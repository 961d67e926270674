// Package library is the function by which people keep channels in folders:
// every write answers with the whole library as it then is.
package library

import (
	"context"
	"time"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/library"
	"miramundo.dev/shared/store"
)

// Paths of what a library is made of.
const (
	libraryPath    = "/api/library"
	categoriesPath = "/api/categories"
	groupsPath     = "/api/groups"
	itemsPath      = "/api/items"
)

// Faults that any call may end in, and any that looks for part of a library.
var (
	noCategory = faults(library.ErrNoCategory)
	noGroup    = faults(library.ErrNoGroup)
	noItem     = faults(library.ErrNoItem)
)

// faults returns those that any call may end in, and more.
func faults(more ...*fault.Error) []*fault.Error {
	return append(more, catalog.ErrNotLoaded, fault.ErrUnavailable)
}

// Endpoints is this function's part of the API.
var Endpoints = []api.Endpoint{
	api.Bind((*Server).get, api.Endpoint{
		Method: "GET", Path: libraryPath, Auth: api.Guest, Tool: "get_library",
		Doc:    "The caller's library, with the addresses of its feeds.",
		Faults: faults(),
	}),
	api.Bind((*Server).addCategory, api.Endpoint{
		Method: "POST", Path: categoriesPath, Auth: api.Guest, Tool: "create_category",
		Doc:    "The library with a new folder, which has one sub-tab called Geral.",
		Faults: faults(library.ErrName, library.ErrCategoryLimit),
	}),
	api.Bind((*Server).renameCategory, api.Endpoint{
		Method: "PATCH", Path: categoriesPath + "/{id}", Auth: api.Guest, Tool: "rename_category",
		Doc:    "The library with a folder renamed; its slug and the addresses of its feeds change with its name.",
		Faults: append(faults(library.ErrName), library.ErrNoCategory),
	}),
	api.Bind((*Server).moveCategory, api.Endpoint{
		Method: "POST", Path: categoriesPath + "/{id}/position", Auth: api.Guest, Tool: "move_category",
		Doc:    "The library with a folder at another position.",
		Faults: noCategory,
	}),
	api.Bind((*Server).removeCategory, api.Endpoint{
		Method: "DELETE", Path: categoriesPath + "/{id}", Auth: api.Guest, Tool: "delete_category",
		Doc:    "The library without a folder and what was in it.",
		Faults: noCategory,
	}),
	api.Bind((*Server).addGroup, api.Endpoint{
		Method: "POST", Path: groupsPath, Auth: api.Guest, Tool: "create_group",
		Doc:    "The library with a new sub-tab.",
		Faults: faults(library.ErrNoCategory, library.ErrName, library.ErrGroupLimit),
	}),
	api.Bind((*Server).changeGroup, api.Endpoint{
		Method: "PATCH", Path: groupsPath + "/{id}", Auth: api.Guest, Tool: "change_group",
		Doc:    "The library with a sub-tab renamed, at another position or in another folder.",
		Faults: faults(library.ErrNoGroup, library.ErrNoCategory, library.ErrName, library.ErrGroupLimit),
	}),
	api.Bind((*Server).removeGroup, api.Endpoint{
		Method: "DELETE", Path: groupsPath + "/{id}", Auth: api.Guest, Tool: "delete_group",
		Doc:    "The library without a sub-tab and what was in it.",
		Faults: noGroup,
	}),
	api.Bind((*Server).addItem, api.Endpoint{
		Method: "POST", Path: itemsPath, Auth: api.Guest, Tool: "add_item",
		Doc:    "The library with a channel added to a sub-tab.",
		Faults: faults(library.ErrNoGroup, catalog.ErrNoChannel, catalog.ErrNoStream, library.ErrItemLimit),
	}),
	api.Bind((*Server).changeItem, api.Endpoint{
		Method: "PATCH", Path: itemsPath + "/{id}", Auth: api.Guest, Tool: "change_item",
		Doc:    "The library with an item at another position, in another sub-tab or with another stream.",
		Faults: faults(library.ErrNoItem, library.ErrNoGroup, catalog.ErrNoStream, library.ErrItemLimit),
	}),
	api.Bind((*Server).removeItem, api.Endpoint{
		Method: "DELETE", Path: itemsPath + "/{id}", Auth: api.Guest, Tool: "remove_item",
		Doc:    "The library without an item; the channel stays in the catalog.",
		Faults: noItem,
	}),
	api.Bind((*Server).play, api.Endpoint{
		Method: "POST", Path: itemsPath + "/{id}/play", Auth: api.Guest, Tool: "play_item",
		Doc:    "The library with an item marked as the last played of its sub-tab; no public play is counted.",
		Faults: noItem,
	}),
	api.Bind((*Server).rotate, api.Endpoint{
		Method: "POST", Path: libraryPath + "/feed-token", Auth: api.Guest,
		Doc:    "The library with new addresses of its feeds; the old ones are dead when the call returns.",
		Faults: faults(),
	}),
	api.Bind((*Server).importList, api.Endpoint{
		Method: "POST", Path: libraryPath + "/import", Auth: api.Guest, MaxBody: 1 << 20,
		Doc:    "The library with the channels of an M3U list or of a backup, and a report of what was not matched.",
		Faults: faults(library.ErrBackup),
	}),
	api.Bind((*Server).export, api.Endpoint{
		Method: "GET", Path: libraryPath + "/export", Auth: api.Guest,
		Doc:    "All that the library holds, as a file that import takes; without ids and feed token.",
		Faults: []*fault.Error{fault.ErrUnavailable},
	}),
}

// A Server answers for the libraries in a database.
type Server struct {
	db      store.DB
	catalog index.Viewer
	links   catalog.LinkBase
	now     func() time.Time
	lists   finders
}

// New returns a server of the libraries in db, of channels that v shows.
func New(db store.DB, v index.Viewer, links catalog.LinkBase, now func() time.Time) *Server {
	return &Server{db: db, catalog: v, links: links, now: now}
}

func (s *Server) get(ctx context.Context, _ struct{}) (*Library, error) {
	owner, err := identity.OwnerOf(ctx)
	if err != nil {
		return nil, err
	}
	v, err := s.catalog.View()
	if err != nil {
		return nil, err
	}
	l, err := library.Open(ctx, s.db, owner, s.now())
	if err != nil {
		return nil, fault.OrUnavailable(err)
	}
	return s.show(l, v), nil
}

// change changes the caller's library, and shows it as it then is. What a
// change notes of its last run is what was kept.
func (s *Server) change(ctx context.Context, change func(*library.Library, *index.View) error) (*Library, error) {
	owner, err := identity.OwnerOf(ctx)
	if err != nil {
		return nil, err
	}
	v, err := s.catalog.View()
	if err != nil {
		return nil, err // before anything is kept that could not be shown
	}
	l, err := library.Update(ctx, s.db, owner, s.now(), func(l *library.Library) error { return change(l, v) })
	if err != nil {
		return nil, fault.OrUnavailable(err)
	}
	return s.show(l, v), nil
}
