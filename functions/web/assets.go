package web

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"slices"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/fault"
)

// What `make generate` built; without it, a README stands for it, and pages
// come without styles and scripts.
//
//go:embed static
var static embed.FS

const assetsPath = "/assets/"

// files are what pages load.
var files = []api.Endpoint{
	api.Bind((*Server).asset, api.Endpoint{
		Method:   "GET",
		Path:     assetsPath + "{file}",
		Auth:     api.None,
		Doc:      "A file of the pages, by a name that changes with its content.",
		Faults:   []*fault.Error{fault.ErrNotFound},
		Cache:    api.Immutable,
		Produces: []string{"text/javascript", "text/css", "text/plain", "image/svg+xml"},
		Page:     true,
	}),
}

// mediaTypes are those of the files that are served.
var mediaTypes = map[string]string{
	".js":  "text/javascript; charset=utf-8",
	".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml",
	".txt": "text/plain; charset=utf-8",
}

// Assets are the files that the build made.
type assets struct {
	files   map[string]*api.Document // by the name in their address
	address map[string]string        // of a file by its own name, such as main.js
	begins  []string                 // addresses of the scripts that main.js loads at once
	later   map[string][]string      // and of those that it loads for a page, by the module's name
}

// manifest is the file that leads from names to files.
type manifest struct {
	Files  map[string]string   `json:"files"`
	Begins []string            `json:"begins"` // the chunks that the entry imports
	Later  map[string][]string `json:"later"`  // the chunks of each module that it imports when it is needed
}

// loadAssets reads what the build made. What it made it must be able to read:
// anything else is a defect of the build, which the first test finds.
func loadAssets(from fs.FS) assets {
	a := assets{map[string]*api.Document{}, map[string]string{}, nil, map[string][]string{}}
	data, err := fs.ReadFile(from, "static/assets.json")
	if err != nil {
		return a // nothing was built
	}
	var m manifest
	if err := json.Unmarshal(data, &m); err != nil {
		panic(fmt.Sprintf("web: assets.json: %v", err))
	}
	entries, err := fs.ReadDir(from, "static")
	if err != nil {
		panic(fmt.Sprintf("web: %v", err)) // never: the folder is embedded
	}
	for _, entry := range entries {
		name := entry.Name()
		data, err := fs.ReadFile(from, "static/"+name)
		if err != nil {
			panic(fmt.Sprintf("web: %v", err))
		}
		if mediaType, ok := mediaTypes[path.Ext(name)]; ok {
			a.files[name] = api.NewDocument(mediaType, data)
		}
	}
	for name, file := range m.Files {
		a.address[name] = assetsPath + file
	}
	a.begins = addresses(m.Begins)
	for module, files := range m.Later {
		a.later[module] = addresses(files)
	}
	return a
}

func addresses(files []string) []string {
	var all []string
	for _, file := range files {
		all = append(all, assetsPath+file)
	}
	return all
}

// scripts returns the addresses of what a page runs besides main.js, of which
// that loads some modules. There need not be a module of each name.
func (a *assets) scripts(modules []string) []string {
	all := slices.Clone(a.begins)
	for _, module := range modules {
		for _, file := range a.later[module] {
			if !slices.Contains(all, file) {
				all = append(all, file)
			}
		}
	}
	return all
}

type assetIn struct {
	File string `path:"file" maxLength:"128" description:"Its name, with a hash of its content."`
}

func (s *Server) asset(_ context.Context, in assetIn) (asset, error) {
	d, ok := s.assets.files[in.File]
	if !ok {
		return asset{}, fault.ErrNotFound
	}
	return asset{d}, nil
}

// An asset is a file that only pages may use.
type asset struct{ *api.Document }

// Reply writes the file.
func (a asset) Reply(w http.ResponseWriter, r *http.Request) error {
	h := w.Header()
	h["Content-Security-Policy"] = []string{"default-src 'none'"}
	h["Cross-Origin-Resource-Policy"] = []string{"same-origin"}
	h["X-Robots-Tag"] = []string{"noindex"}
	return a.Document.Reply(w, r)
}
