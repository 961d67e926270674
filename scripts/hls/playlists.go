package main

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// A named playlist is a text with the name that rulings refer to.
type named struct {
	name string
	text []byte
}

// folder returns the playlists below a folder.
func folder(dir string) ([]named, error) {
	var all []named
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasPrefix(filepath.Ext(path), ".m3u") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		all = append(all, named{filepath.ToSlash(name), text})
		return err
	})
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("no playlists in %s", dir)
	}
	return all, err
}

// pieces are the parts of random references. Unusual ones are more frequent than in
// real playlists.
var pieces = []string{
	"/", "/", "/", ".", "..", "a", "b.ts", "%2e", "%2E", "%", "%20", ":", "?", "#", "\\", "//", "///", "@", " ", "é", "\u20ac", "\t",
	"http:", "https:", "HTTP://", "https://c.example", "data:", "skd://", "1", "-", "_", "~", "=", "&", "+", ";", ",", "|", "^", "<", "{", "}", "[", "'", "*", "!", "$",
}

// random returns playlists with random references, the same in every run.
func random() []named {
	r := rand.New(rand.NewPCG(1, 2))
	all := make([]named, 50)
	for i := range all {
		b := []byte("#EXTM3U\n#EXT-X-TARGETDURATION:1\n")
		for range 200 {
			b = append(b, "#EXTINF:1,\n"+reference(r)+"\n"...)
		}
		all[i] = named{fmt.Sprintf("random-%d.m3u8", i), b}
	}
	return all
}

// reference returns a random reference that cannot be read as a comment or an empty
// line.
func reference(r *rand.Rand) string {
	var b strings.Builder
	for range 1 + r.IntN(8) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	if s := strings.TrimSpace(b.String()); s != "" && s[0] != '#' {
		return b.String()
	}
	return "a" + b.String()
}
