package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"miramundo.dev/shared/site"
)

// worldScript draws the maps. It says there what the files are.
//
//go:embed world.mjs
var worldScript string

// worldFiles are the files that worldScript makes, each with its greatest size: the
// map is loaded by the page of a channel, and the globe by a phone.
var worldFiles = map[string]int{"world.svg": 120_000, "globe.json": 150_000, "cities.tsv": mostBytes}

// drawWorld returns the maps of the pages and the cities that places are named after,
// drawn from the packages in the folder modules. It needs Node, which npm comes with.
func drawWorld(modules string) (map[string][]byte, error) {
	root, err := filepath.Abs(filepath.Dir(modules))
	if err != nil {
		return nil, err
	}
	numbers, err := json.Marshal(site.CountryNumbers())
	if err != nil {
		return nil, err
	}
	var out, problem bytes.Buffer
	node := exec.Command("node", "--input-type=module", "--eval", worldScript)
	node.Dir, node.Stdin, node.Stdout, node.Stderr = root, bytes.NewReader(numbers), &out, &problem
	if err := node.Run(); err != nil {
		return nil, fmt.Errorf("draw the maps: %w: %s", err, strings.TrimSpace(problem.String()))
	}
	return worldOf(out.Bytes())
}

// worldOf reads what worldScript wrote. A file that is missing or too large, and a map
// that runs or loads anything, are errors.
func worldOf(out []byte) (map[string][]byte, error) {
	var texts map[string]string
	if err := json.Unmarshal(out, &texts); err != nil {
		return nil, fmt.Errorf("draw the maps: %w", err)
	}
	files := map[string][]byte{}
	for name, most := range worldFiles {
		files[name] = []byte(texts[name])
		if n := len(texts[name]); n == 0 || n > most {
			return nil, fmt.Errorf("draw the maps: %s has %d bytes, want 1 to %d", name, n, most)
		}
	}
	if err := picture(files["world.svg"]); err != nil {
		return nil, fmt.Errorf("world.svg: %w", err)
	}
	return files, nil
}
