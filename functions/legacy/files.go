package legacy

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strings"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/site"
)

// The page and its own files, and the players that `make generate` takes from
// npm; without it, a README stands for them.
//
//go:embed page.html assets players
var files embed.FS

// mediaTypes are the media types of the served files, by extension.
var mediaTypes = map[string]string{
	".js":  "text/javascript; charset=utf-8",
	".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml",
	".txt": "text/plain; charset=utf-8",
}

// load registers the files of a folder under names that contain a hash of their
// content, such as player.0123456789abcdef.js for player.js. A changed file has
// another address, so that caches may keep each forever. Files of other types,
// such as the README, are skipped.
func (s *Server) load(from fs.FS, folder string) {
	names, err := fs.ReadDir(from, folder)
	if err != nil {
		panic(fmt.Sprintf("legacy: %v", err)) // never: the folders are embedded
	}
	for _, entry := range names {
		name := entry.Name()
		ext := path.Ext(name)
		mediaType, served := mediaTypes[ext]
		if !served {
			continue
		}
		data, err := fs.ReadFile(from, folder+"/"+name)
		if err != nil {
			panic(fmt.Sprintf("legacy: %v", err))
		}
		d := api.NewDocument(mediaType, data)
		hashed := strings.TrimSuffix(name, ext) + "." + d.ETag() + ext
		s.assets[hashed], s.address[name] = d, site.AssetsPath+hashed
	}
}

type assetIn struct {
	File string `path:"file" maxLength:"128" description:"Name of the file, with a hash of its content."`
}

func (s *Server) asset(_ context.Context, in assetIn) (asset, error) {
	d, ok := s.assets[in.File]
	if !ok {
		return asset{}, fault.ErrNotFound
	}
	return asset{d}, nil
}

// An asset is a file that only the page may use.
type asset struct{ *api.Document }

// Reply writes the file.
func (a asset) Reply(w http.ResponseWriter, r *http.Request) error {
	for _, name := range []string{"Content-Security-Policy", "Cross-Origin-Resource-Policy", "Referrer-Policy", "X-Robots-Tag"} {
		w.Header()[name] = headers[name]
	}
	return a.Document.Reply(w, r)
}
