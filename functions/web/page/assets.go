package page

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"slices"

	"miramundo.dev/functions/web/static"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/site"
)

// The build writes scripts, styles and icons with a hash of their content in their
// names, and assets.json, which maps each plain name to its file. Pages refer to
// files by the plain name; the path in the page has the hash, so that browsers may
// cache the file for a year and load another path after a change.
//
// Scripts are split into chunks that import each other. A browser would discover
// an import only after it has parsed the importing file, one round trip later each
// time, so pages preload every chunk that they will run.

// Files is the endpoint of the built files that pages load.
var Files = []api.Endpoint{
	api.Bind((*Renderer).asset, api.Endpoint{
		Method:   "GET",
		Path:     site.AssetsPath + "{file}",
		Auth:     api.None,
		Summary:  "Get a file of the pages",
		Doc:      "Returns a script, style or image of the pages. The name contains a hash of the content, so a file never changes.",
		Faults:   []*fault.Error{fault.ErrNotFound},
		Cache:    api.Immutable,
		Produces: []string{"text/javascript", "text/css", "text/plain", "image/svg+xml", "application/json"},
		Page:     true,
	}),
}

// mediaTypes are the media types of the files that are served, by extension. Files
// with other extensions are embedded and not served.
var mediaTypes = map[string]string{
	".js":   "text/javascript; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".svg":  "image/svg+xml",
	".txt":  "text/plain; charset=utf-8",
	".json": "application/json",
}

// assets are the built files.
type assets struct {
	files   map[string]*api.Document // by the name in their path
	address map[string]string        // paths of files by their name without a hash, such as main.js
	entry   []string                 // paths of the scripts that main.js imports
	lazy    map[string][]string      // paths of the scripts that a module needs, by its name
}

// manifestFile is the file that leads to the others, and is not served.
const manifestFile = "assets.json"

// manifest is assets.json.
type manifest struct {
	Files map[string]string   `json:"files"`  // file names by their names without a hash
	Entry []string            `json:"begins"` // the chunks that the entry imports
	Lazy  map[string][]string `json:"later"`  // the chunks of each module that it imports when it is needed
}

// loadAssets reads the built files into memory. Without assets.json, in a tree
// where nothing was built, it returns no files. It panics when assets.json cannot
// be parsed: a build error, which any test of a page finds.
func loadAssets(from fs.FS) assets {
	a := assets{map[string]*api.Document{}, map[string]string{}, nil, map[string][]string{}}
	data, err := fs.ReadFile(from, manifestFile)
	if err != nil {
		return a // nothing was built
	}
	var m manifest
	if err := json.Unmarshal(data, &m); err != nil {
		panic(fmt.Sprintf("page: assets.json: %v", err))
	}
	entries, err := fs.ReadDir(from, ".")
	if err != nil {
		panic(fmt.Sprintf("page: %v", err)) // never: the folder is embedded
	}
	for _, entry := range entries {
		name := entry.Name()
		data, err := fs.ReadFile(from, name)
		if err != nil {
			panic(fmt.Sprintf("page: %v", err))
		}
		if mediaType, ok := mediaTypes[path.Ext(name)]; ok && name != manifestFile {
			a.files[name] = api.NewDocument(mediaType, data)
		}
	}
	for name, file := range m.Files {
		a.address[name] = site.AssetsPath + file
	}
	a.entry = addresses(m.Entry)
	for module, files := range m.Lazy {
		a.lazy[module] = addresses(files)
	}
	return a
}

// addresses returns the URL paths of files.
func addresses(files []string) []string {
	var all []string
	for _, file := range files {
		all = append(all, site.AssetsPath+file)
	}
	return all
}

// Shell returns the paths of the files that every page needs.
func (r *Renderer) Shell() []string {
	a := &r.assets
	var all []string
	for _, name := range []string{"main.css", "main.js", "icons.svg", "icon.svg"} {
		if address := a.address[name]; address != "" {
			all = append(all, address)
		}
	}
	return append(all, a.entry...)
}

// File returns a built file; nil when nothing was built.
func (r *Renderer) File(name string) []byte {
	if d := r.assets.files[path.Base(r.assets.address[name])]; d != nil {
		return d.Bytes()
	}
	return nil
}

// Data returns a built file that is not served, such as the names of cities; nil when
// nothing was built.
func (r *Renderer) Data(name string) []byte {
	data, err := fs.ReadFile(static.FS, path.Base(r.assets.address[name]))
	if err != nil {
		return nil
	}
	return data
}

// scripts returns the paths of the scripts to preload, each once: those that
// main.js imports, then those that modules need. Unknown modules are ignored.
func (a *assets) scripts(modules []string) []string {
	all := slices.Clone(a.entry)
	for _, module := range modules {
		for _, file := range a.lazy[module] {
			if !slices.Contains(all, file) {
				all = append(all, file)
			}
		}
	}
	return all
}

type assetIn struct {
	File string `path:"file" maxLength:"128" description:"Name of the file, with a hash of its content."`
}

// asset returns a built file by its name with the hash.
func (r *Renderer) asset(_ context.Context, in assetIn) (asset, error) {
	d, ok := r.assets.files[in.File]
	if !ok {
		return asset{}, fault.ErrNotFound
	}
	return asset{d}, nil
}

// An asset is a file that our pages load, and frames of them in other sites: a site that
// gives a frame no origin of its own (sandbox) would not get its scripts otherwise.
type asset struct{ *api.Document }

// Reply writes the file with headers that let any page load it, and keep search engines
// from listing it.
func (a asset) Reply(w http.ResponseWriter, r *http.Request) error {
	h := w.Header()
	h["Content-Security-Policy"] = []string{"default-src 'none'"}
	h["Access-Control-Allow-Origin"] = []string{"*"}
	h["Cross-Origin-Resource-Policy"] = []string{"cross-origin"}
	h["X-Robots-Tag"] = []string{"noindex"}
	return a.Document.Reply(w, r)
}
