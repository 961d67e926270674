// Package library is the function that stores the libraries of callers: channels in
// sub-tabs of folders. Every write answers with the whole library after the write.
package library

import (
	"context"
	"slices"
	"strconv"
	"time"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/budget"
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

// Faults of the endpoints that look for one part of a library.
var (
	noCategory = faults(library.ErrNoCategory)
	noGroup    = faults(library.ErrNoGroup)
	noItem     = faults(library.ErrNoItem)
)

// faults returns more with the faults that every endpoint may answer with.
func faults(more ...*fault.Error) []*fault.Error {
	return append(more, catalog.ErrNotLoaded, fault.ErrUnavailable)
}

// What agents get of a library that they changed: enough to see where things are.
const (
	briefFolders = "categories.id categories.name"
	briefSubtabs = briefFolders + " categories.groups.id categories.groups.name"
)

// Endpoints is this function's part of the API.
var Endpoints = slices.Concat(own, published, following)

// own are the endpoints about the caller's library.
var own = []api.Endpoint{
	api.Bind((*Server).get, api.Endpoint{
		Name: "get_library", Tool: true,
		Brief: "feeds categories.id categories.name categories.feeds.m3u categories.groups.id categories.groups.name " +
			"categories.groups.items.id categories.groups.items.channel_id categories.groups.items.name " +
			"categories.groups.items.stale",
		Method: "GET", Path: libraryPath, Auth: api.Guest,
		Summary: "Get the caller's library",
		Doc: "Returns all folders with their sub-tabs and items, and the feed addresses of each level. These addresses contain a " +
			"secret token: anyone who has one can read the feed. A caller without a library gets an empty one, of which nothing is stored " +
			"for a guest: its feed addresses answer 404 until the first change of the library, and stay the same.",
		Faults: faults(),
	}),
	api.Bind((*Server).addCategory, api.Endpoint{
		Name: "create_folder", Tool: true,
		Brief:  "id name slug group_id",
		Method: "POST", Path: categoriesPath, Auth: api.Guest,
		Summary: "Create a folder",
		Doc: "Creates a folder with one sub-tab called Geral, and returns the updated library with the new ids. A library holds " +
			strconv.Itoa(library.MaxCategories) + " folders.",
		Faults: faults(library.ErrName, library.ErrCategoryLimit),
	}),
	api.Bind((*Server).renameCategory, api.Endpoint{
		Name: "rename_folder", Tool: true,
		Brief:  briefFolders,
		Method: "PATCH", Path: categoriesPath + api.ByID, Auth: api.Guest,
		Summary: "Rename a folder",
		Doc: "Renames the folder and returns the updated library. The slug and the feed addresses change with the name, so players " +
			"that subscribed to the old ones need the new ones.",
		Faults: append(faults(library.ErrName), library.ErrNoCategory),
	}),
	api.Bind((*Server).moveCategory, api.Endpoint{
		Name: "move_folder", Tool: true,
		Brief: briefFolders, Repeatable: true,
		Method: "POST", Path: categoriesPath + api.ByID + "/position", Auth: api.Guest,
		Summary: "Move a folder",
		Doc: "Moves the folder to another position among the folders, and returns the updated library. Its id and its feed addresses " +
			"stay the same.",
		Faults: noCategory,
	}),
	api.Bind((*Server).removeCategory, api.Endpoint{
		Name: "delete_folder", Tool: true,
		Brief:  briefFolders,
		Method: "DELETE", Path: categoriesPath + api.ByID, Auth: api.Guest,
		Summary: "Delete a folder",
		Doc: "Deletes the folder with its sub-tabs and items, and returns the updated library. It cannot be undone, and the folder's " +
			"feed addresses stop working.",
		Faults: noCategory,
	}),
	api.Bind((*Server).addGroup, api.Endpoint{
		Name: "create_subtab", Tool: true,
		Brief:  "id name slug category_id",
		Method: "POST", Path: groupsPath, Auth: api.Guest,
		Summary: "Create a sub-tab",
		Doc: "Creates an empty sub-tab at the end of a folder, and returns the updated library with the new id. A folder holds " +
			strconv.Itoa(library.MaxGroups) + " sub-tabs.",
		Faults: faults(library.ErrNoCategory, library.ErrName, library.ErrGroupLimit),
	}),
	api.Bind((*Server).changeGroup, api.Endpoint{
		Name: "change_subtab", Tool: true,
		Brief:  briefSubtabs,
		Method: "PATCH", Path: groupsPath + api.ByID, Auth: api.Guest,
		Summary: "Rename or move a sub-tab",
		Doc: "Renames the sub-tab, moves it within its folder or to another folder, and returns the updated library. Only the " +
			"members that are sent change. A new name or folder changes its feed addresses.",
		Faults: faults(library.ErrNoGroup, library.ErrNoCategory, library.ErrName, library.ErrGroupLimit),
	}),
	api.Bind((*Server).removeGroup, api.Endpoint{
		Name: "delete_subtab", Tool: true,
		Brief:  briefSubtabs,
		Method: "DELETE", Path: groupsPath + api.ByID, Auth: api.Guest,
		Summary: "Delete a sub-tab",
		Doc: "Deletes the sub-tab with its items, and returns the updated library. It cannot be undone, and the sub-tab's feed " +
			"addresses stop working.",
		Faults: noGroup,
	}),
	api.Bind((*Server).addItem, api.Endpoint{
		Name: "add_item", Tool: true,
		Brief: "id group_id category_id", Repeatable: true,
		Method: "POST", Path: itemsPath, Auth: api.Guest,
		Summary: "Add a channel to a sub-tab",
		Doc: "Adds an item for the channel at the end of the sub-tab, which holds " + strconv.Itoa(library.MaxItems) + " items, and returns " +
			"the updated library with the item's id. When the sub-tab has the channel with that stream already, nothing changes and the " +
			"id is that item's. Without stream_id the item plays the best stream at the time.",
		Faults: faults(library.ErrNoGroup, catalog.ErrNoChannel, catalog.ErrNoStream, library.ErrItemLimit),
	}),
	api.Bind((*Server).changeItem, api.Endpoint{
		Name: "change_item", Tool: true,
		Brief:  briefSubtabs,
		Method: "PATCH", Path: itemsPath + api.ByID, Auth: api.Guest,
		Summary: "Move an item or change its stream",
		Doc: "Moves the item within its sub-tab or to another one, or sets the stream that it plays, and returns the updated " +
			"library. Only the members that are sent change. If its sub-tab then has the same channel and stream twice, the first " +
			"of the two stays.",
		Faults: faults(library.ErrNoItem, library.ErrNoGroup, catalog.ErrNoStream, library.ErrItemLimit),
	}),
	api.Bind((*Server).removeItem, api.Endpoint{
		Name: "remove_item", Tool: true,
		Brief:  briefSubtabs,
		Method: "DELETE", Path: itemsPath + api.ByID, Auth: api.Guest,
		Summary: "Remove an item from its sub-tab",
		Doc:     "Removes the item from its sub-tab, and returns the updated library. The channel stays in the catalog and in other sub-tabs.",
		Faults:  noItem,
	}),
	api.Bind((*Server).play, api.Endpoint{
		Name: "play_item", Tool: true,
		Brief: briefSubtabs, Repeatable: true,
		Method: "POST", Path: itemsPath + api.ByID + "/play", Auth: api.Guest,
		Summary: "Mark an item as last played",
		Doc: "Stores the item as the last one played in its sub-tab, and returns the updated library. It neither counts a public " +
			"play nor changes the history: POST /api/play-report and POST /api/history do.",
		Faults: noItem,
	}),
	api.Bind((*Server).rotate, api.Endpoint{
		Name:   "replace_feed_token",
		Method: "POST", Path: libraryPath + "/feed-token", Auth: api.Guest, Budget: budget.Rotations,
		Summary: "Replace the feed token",
		Doc: "Replaces the secret token in all feed addresses, and returns the library with the new ones. The old addresses stop " +
			"working at once, so every player needs a new one. Use it when an address became known to others.",
		Faults: faults(),
	}),
	api.Bind((*Server).importList, api.Endpoint{
		Name:   "import_into_library",
		Method: "POST", Path: libraryPath + "/import", Auth: api.Guest, Budget: budget.Imports, MaxBody: 1 << 20, Takes: []any{importable{}},
		Summary: "Import channels into the library",
		Doc: "Adds the channels of an M3U playlist or of a library backup, at most 1 MiB, and returns the updated library with a " +
			"report of the entries that were added and of those that match no channel of the catalog. With replace=1 everything " +
			"else in the library is deleted first.",
		Faults: faults(library.ErrBackup),
	}),
	api.Bind((*Server).export, api.Endpoint{
		Name:   "export_library",
		Method: "GET", Path: libraryPath + "/export", Auth: api.Guest,
		Summary: "Export the library",
		Doc: "Returns the whole library as a JSON file that the import accepts, without ids and without the feed token, with what the caller " +
			"publishes and follows, which an import leaves out. It works also while the catalog is not loaded.",
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

	followers counter
}

// New returns a server of the libraries in db. v provides the channels, and links
// the addresses of the service.
func New(db store.DB, v index.Viewer, links catalog.LinkBase, now func() time.Time) *Server {
	return &Server{db: db, catalog: v, links: links, now: now, followers: counter{db: db, now: now}}
}

func (s *Server) get(ctx context.Context, _ struct{}) (*Library, error) {
	speaker, ok := identity.SpeakerOf(ctx)
	if !ok {
		return nil, identity.ErrCredential
	}
	v, err := s.catalog.View()
	if err != nil {
		return nil, err
	}
	l, err := library.OpenFor(ctx, s.db, speaker, s.now())
	if err != nil {
		return nil, fault.OrUnavailable(err)
	}
	l.Unite(v.Current)
	return s.show(l, v), nil
}

// change applies change to the caller's library, stores it, and returns it as the
// API shows it. Doubles are removed first, so that positions count what the caller
// was shown, and again after the change, which may have made an item a double. change may be called several times; the last call is the one that is
// stored.
func (s *Server) change(ctx context.Context, change func(*library.Library, *index.View) error) (*Library, error) {
	speaker, ok := identity.SpeakerOf(ctx)
	if !ok {
		return nil, identity.ErrCredential
	}
	v, err := s.catalog.View()
	if err != nil {
		return nil, err // before anything is stored that could not be shown
	}
	l, err := library.UpdateFor(ctx, s.db, speaker, s.now(), func(l *library.Library) error {
		l.Unite(v.Current)
		if err := change(l, v); err != nil {
			return err
		}
		l.Unite(v.Current)
		return nil
	})
	if err != nil {
		return nil, fault.OrUnavailable(err)
	}
	return s.show(l, v), nil
}
