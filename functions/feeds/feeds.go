// Package feeds is the function that serves libraries to players, as playlists and
// programme guides that they subscribe to, or by the API of Xtream Codes (xtream.go).
//
// Players request a feed again and again, mostly unchanged, and all of them at
// once when an evening begins. A feed costs two reads of the database; the file
// that was written from them is cached as long as the library, the catalog, the
// caller's country and the guide stay the same (shelf.go). Guides are the expensive
// files, so only one is written at a time.
package feeds

import (
	"context"
	"slices"
	"strings"
	"time"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/rank"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/feed"
	"miramundo.dev/shared/library"
	"miramundo.dev/shared/store"
)

// Paths below which the lists of a library, of a folder and of a sub-tab are, and
// their guides.
const (
	libraryPath  = library.FeedsPath + "{token}"
	foldersPath  = libraryPath + "/c"
	categoryPath = foldersPath + oneCategory
	oneCategory  = "/{category}"
	groupsPath   = categoryPath + "/g"
	groupPath    = groupsPath + "/{group}"
)

// perOwner lets only the player's own cache store a list, and makes it revalidate
// each time: the address is a secret, and the owner may replace it at any moment.
const perOwner api.Cache = "private, no-cache"

// Endpoints is this function's part of the API.
var Endpoints = append([]api.Endpoint{
	api.Bind((*Server).library, endpoint("get_library_feed", libraryPath, "Get the feed of a library",
		"Returns all channels of a library as a playlist, or their programmes as an XMLTV guide: the file name decides.",
		slices.Concat(wholeLibrary.lists(), wholeLibrary.guides()))),
	api.Bind((*Server).category, endpoint("get_folder_feed", foldersPath, "Get the feed of a folder",
		"Returns the channels of one folder as a playlist.", oneFolder.lists())),
	api.Bind((*Server).categoryGuide, endpoint("get_folder_guide", categoryPath, "Get the guide of a folder",
		"Returns the programmes of one folder's channels as an XMLTV guide.", oneFolder.guides())),
	api.Bind((*Server).group, endpoint("get_subtab_feed", groupsPath, "Get the feed of a sub-tab",
		"Returns the channels of one sub-tab as a playlist.", oneSubtab.lists())),
	api.Bind((*Server).groupGuide, endpoint("get_subtab_guide", groupPath, "Get the guide of a sub-tab",
		"Returns the programmes of one sub-tab's channels as an XMLTV guide.", oneSubtab.guides())),
}, slices.Concat(published, xtream)...)

// endpoint returns the endpoint of the files below path.
func endpoint(name, path, summary, doc string, files []api.File) api.Endpoint {
	var types []string
	for _, f := range files {
		if f.Media != feed.JSONType && !slices.Contains(types, f.Media) {
			types = append(types, f.Media)
		}
	}
	return api.Endpoint{
		Name: name, Method: "GET", Path: path + api.FileWildcard, Auth: api.None, Summary: summary, Doc: doc + secret, Cache: perOwner,
		Faults: failures, Produces: types, Files: files, Uncrawled: true,
	}
}

var failures = []*fault.Error{library.ErrNoFeed, catalog.ErrNotLoaded, fault.ErrUnavailable}

// A Server writes the feeds of the libraries in a database.
type Server struct {
	db      store.DB
	catalog index.Viewer
	guides  Guide
	now     func() time.Time
	shelf   shelf
	writing chan struct{} // holds a value while a guide is written
}

// New returns a server of the libraries in db. v provides their channels, and g the
// programmes of the channels.
func New(db store.DB, v index.Viewer, g Guide, now func() time.Time) *Server {
	return &Server{db: db, catalog: v, guides: g, now: now, writing: make(chan struct{}, 1)}
}

type libraryIn struct {
	Token string `path:"token" maxLength:"4096" description:"Feed token of the library, a secret that grants reading."`
	File  string `path:"file" maxLength:"4096" description:"library.m3u, library.m3u8, library.json or library.xspf for a playlist; guia.xml or guia.xml.gz for the guide."`
}

func (s *Server) library(ctx context.Context, in libraryIn) (listFile, error) {
	if format, ok := guides[in.File]; ok {
		f, err := s.feed(ctx, in.Token, place{}, format)
		return listFile{f}, err
	}
	name, format, ok := cut(in.File)
	if !ok || name != libraryFile {
		return listFile{}, library.ErrNoFeed
	}
	f, err := s.feed(ctx, in.Token, place{}, format)
	return listFile{f}, err
}

type categoryIn struct {
	Token string `path:"token" maxLength:"4096" description:"Feed token of the library, a secret that grants reading."`
	File  string `path:"file" maxLength:"4096" description:"Slug of the folder, followed by .m3u, .m3u8, .json or .xspf."`
}

func (s *Server) category(ctx context.Context, in categoryIn) (listFile, error) {
	name, format, ok := cut(in.File)
	if !ok {
		return listFile{}, library.ErrNoFeed
	}
	f, err := s.feed(ctx, in.Token, place{category: name}, format)
	return listFile{f}, err
}

type groupIn struct {
	Token    string `path:"token" maxLength:"4096" description:"Feed token of the library, a secret that grants reading."`
	Category string `path:"category" maxLength:"4096" description:"Slug of the folder."`
	File     string `path:"file" maxLength:"4096" description:"Slug of the sub-tab, followed by .m3u, .m3u8, .json or .xspf."`
}

func (s *Server) group(ctx context.Context, in groupIn) (listFile, error) {
	name, format, ok := cut(in.File)
	if !ok {
		return listFile{}, library.ErrNoFeed
	}
	f, err := s.feed(ctx, in.Token, place{category: in.Category, group: name}, format)
	return listFile{f}, err
}

// cut splits the name of a file into a slug and a format. A slug may contain dots.
func cut(name string) (slug, format string, ok bool) {
	at := strings.LastIndexByte(name, '.')
	if at <= 0 {
		return "", "", false
	}
	return name[:at], name[at+1:], slices.Contains(library.Formats, name[at+1:])
}

type categoryGuideIn struct {
	Token    string `path:"token" maxLength:"4096" description:"Feed token of the library, a secret that grants reading."`
	Category string `path:"category" maxLength:"4096" description:"Slug of the folder."`
	File     string `path:"file" maxLength:"4096" description:"guia.xml or guia.xml.gz: the XMLTV guide, plain or in gzip."`
}

func (s *Server) categoryGuide(ctx context.Context, in categoryGuideIn) (file, error) {
	return s.guide(ctx, in.Token, place{category: in.Category}, in.File)
}

type groupGuideIn struct {
	Token    string `path:"token" maxLength:"4096" description:"Feed token of the library, a secret that grants reading."`
	Category string `path:"category" maxLength:"4096" description:"Slug of the folder."`
	Group    string `path:"group" maxLength:"4096" description:"Slug of the sub-tab."`
	File     string `path:"file" maxLength:"4096" description:"guia.xml or guia.xml.gz: the XMLTV guide, plain or in gzip."`
}

func (s *Server) groupGuide(ctx context.Context, in groupGuideIn) (file, error) {
	return s.guide(ctx, in.Token, place{category: in.Category, group: in.Group}, in.File)
}

// A listFile is a file whose JSON form has a schema.
type listFile struct{ file }

// Schema returns the shape of a list in JSON.
func (listFile) Schema() any { return feed.ChannelList{} }

// feed returns the file of a place in the library that a token opens, in a format.
// It reads two documents, and of a public library three.
func (s *Server) feed(ctx context.Context, token string, at place, format string) (file, error) {
	v, err := s.catalog.View()
	if err != nil {
		return file{}, err
	}
	caller := rank.Caller{Country: api.CountryOf(ctx), Now: s.now()}
	k := key{token: token, place: at, format: cachedAs(format), country: caller.Country, period: caller.Now.Unix() / fresh}
	if k.format == feed.Archive {
		k.shown = s.guides.Version()
	}
	var f file
	known := func(version library.Version) (ok bool) {
		k.version = version
		f, ok = s.shelf.get(v, k)
		return ok
	}
	var l *library.Library
	if at.public != "" {
		l, err = s.published(ctx, at.public, &k, known)
	} else {
		l, err = library.ByTokenUnless(ctx, s.db, token, known)
	}
	if err != nil {
		return file{}, fault.OrUnavailable(err)
	}
	if l != nil {
		p, err := find(l, at)
		if err != nil {
			return file{}, err
		}
		if f, err = s.write(ctx, p, v, k, caller); err != nil {
			return file{}, err
		}
	}
	f.plain = format == feed.XMLTV
	return f, nil
}

// write returns the list or guide of p in the format of k, and caches it. Guides
// are written one at a time: that of a full library takes some work, and several
// players request it together.
func (s *Server) write(ctx context.Context, p part, v *index.View, k key, caller rank.Caller) (f file, err error) {
	if k.format == lineup {
		f = lineupOf(p.numbered(v, caller))
		s.shelf.put(v, k, f)
		return f, nil
	}
	if k.format != feed.Archive {
		f.Content = api.Content(p.list(v, caller).As(k.format, p.file(k.format)))
		s.shelf.put(v, k, f)
		return f, nil
	}
	select {
	case s.writing <- struct{}{}:
		defer func() { <-s.writing }()
	case <-ctx.Done():
		return file{}, fault.ErrUnavailable.Because(ctx.Err())
	}
	if f, ok := s.shelf.get(v, k); ok {
		return f, nil
	}
	f = s.archive(p.list(v, caller), caller.Now)
	s.shelf.put(v, k, f)
	return f, nil
}
