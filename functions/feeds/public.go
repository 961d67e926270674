package feeds

import (
	"context"
	"errors"
	"slices"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/library"
	"miramundo.dev/shared/library/public"
)

// The feeds of a public library are below its page as those of the owner are below the
// feed token, and are written and cached in the same way.

// publicPath is the path below which the lists of a public library are, and its guide.
const publicPath = library.PublicPath + "{name}"

// published are the endpoints of the feeds of public libraries. Whole libraries and
// folders share one path.
var published = []api.Endpoint{
	api.Bind((*Server).public, publicEndpoint("get_public_feed", publicPath, "Get the feed of a public library",
		"Returns all channels of a public library or of one of its folders as a playlist, or their programmes as an XMLTV guide: the file name decides.",
		slices.Concat(wholePublic.lists(), onePublic.lists(), wholePublic.guides()))),
	api.Bind((*Server).publicGuide, publicEndpoint("get_public_folder_guide", publicPath+oneCategory, "Get the guide of a public folder",
		"Returns the programmes of the channels of one folder of a public library as an XMLTV guide.", onePublic.guides())),
}

// publicEndpoint returns the endpoint of the files of public libraries below path.
func publicEndpoint(name, path, summary, doc string, files []api.File) api.Endpoint {
	e := endpoint(name, path, summary, "", files)
	e.Doc = doc + open
	return e
}

type publicIn struct {
	Name string `path:"name" maxLength:"64" description:"Name of the public library."`
	File string `path:"file" maxLength:"4096" description:"library.m3u, library.m3u8, library.json or library.xspf for a playlist, or the slug of a folder in place of library; guia.xml or guia.xml.gz for the guide."`
}

func (s *Server) public(ctx context.Context, in publicIn) (listFile, error) {
	at := place{public: in.Name}
	if format, ok := guides[in.File]; ok {
		f, err := s.feed(ctx, "", at, format)
		return listFile{f}, err
	}
	name, format, ok := cut(in.File)
	if !ok {
		return listFile{}, library.ErrNoFeed
	}
	if name != public.WholeSlug {
		at.category = name
	}
	f, err := s.feed(ctx, "", at, format)
	return listFile{f}, err
}

type publicGuideIn struct {
	Name     string `path:"name" maxLength:"64" description:"Name of the public library."`
	Category string `path:"category" maxLength:"4096" description:"Slug of the folder."`
	File     string `path:"file" maxLength:"4096" description:"guia.xml or guia.xml.gz: the XMLTV guide, plain or in gzip."`
}

func (s *Server) publicGuide(ctx context.Context, in publicGuideIn) (file, error) {
	return s.guide(ctx, "", place{public: in.Name, category: in.Category}, in.File)
}

// published returns what everybody may see of the library that is published under a name,
// or nil when known reports true for its version. It completes k before that.
func (s *Server) published(ctx context.Context, name string, k *key, known func(library.Version) bool) (*library.Library, error) {
	p, err := public.Open(ctx, s.db, name)
	if errors.Is(err, public.ErrUnknown) {
		return nil, library.ErrNoFeed
	}
	if err != nil {
		return nil, err
	}
	k.published = p.UpdatedAt.UnixMicro()
	l, err := library.LoadUnless(ctx, s.db, p.Owner, known)
	if err != nil || l == nil {
		return nil, err
	}
	return p.Of(l), nil
}
