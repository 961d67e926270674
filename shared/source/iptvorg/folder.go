package iptvorg

import (
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"miramundo.dev/shared/source"
)

// Folders that each layout may be in, in order of preference: the
// tables are newer than what the API serves.
var (
	tableFolders    = []string{"database/data", "data", "."}
	playlistFolders = []string{"iptv/streams", "streams", "."}
	apiFolders      = []string{"api", "."}
)

// maxPlaylists is the greatest number of playlists in a folder.
const maxPlaylists = 10_000

// opener returns the Open of the part with a file name.
func opener(file string) func(fs.FS) (io.ReadCloser, string, error) {
	return func(folder fs.FS) (io.ReadCloser, string, error) {
		if "iptv-org/"+file == StreamsPart {
			if body, dir, err := openPlaylists(folder); !errors.Is(err, fs.ErrNotExist) {
				return body, dir, err
			}
		}
		for _, name := range candidatePaths(file) {
			f, err := folder.Open(name)
			if !errors.Is(err, fs.ErrNotExist) {
				return f, name, err
			}
		}
		return nil, "", fs.ErrNotExist
	}
}

// candidatePaths returns the paths that a file may have.
func candidatePaths(file string) []string {
	var names []string
	for _, dir := range tableFolders {
		names = append(names, path.Join(dir, file+".csv"), path.Join(dir, file+".csv.gz"))
	}
	for _, dir := range apiFolders {
		names = append(names, path.Join(dir, file+".json"), path.Join(dir, file+".json.gz"))
	}
	return names
}

// openPlaylists concatenates the playlists of a folder.
func openPlaylists(folder fs.FS) (io.ReadCloser, string, error) {
	for _, dir := range playlistFolders {
		names, err := fs.Glob(folder, path.Join(dir, "*.m3u"))
		if err != nil {
			return nil, "", err
		}
		if len(names) > maxPlaylists {
			return nil, dir, source.ErrTooMany
		}
		if len(names) > 0 {
			slices.Sort(names)
			return &joined{folder: folder, names: names}, path.Join(dir, "*.m3u"), nil
		}
	}
	return nil, "", fs.ErrNotExist
}

// joined concatenates playlists, each after a line with its name (see
// [Heading]).
type joined struct {
	folder fs.FS
	names  []string // not yet opened
	open   fs.File
	from   io.Reader
}

func (j *joined) Read(p []byte) (int, error) {
	for {
		if j.from == nil {
			if len(j.names) == 0 {
				return 0, io.EOF
			}
			if err := j.next(); err != nil {
				return 0, err
			}
		}
		n, err := j.from.Read(p)
		if n > 0 || !errors.Is(err, io.EOF) {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return n, err
		}
		if err := j.Close(); err != nil {
			return 0, err
		}
	}
}

func (j *joined) next() error {
	name := j.names[0]
	f, err := j.folder.Open(name)
	if err != nil {
		return err
	}
	j.names, j.open = j.names[1:], f
	heading := Heading(strings.TrimSuffix(path.Base(name), ".m3u"))
	j.from = io.MultiReader(strings.NewReader(heading), f)
	return nil
}

// Close closes the playlist that is being read.
func (j *joined) Close() error {
	if j.open == nil {
		return nil
	}
	err := j.open.Close()
	j.open, j.from = nil, nil
	return err
}
