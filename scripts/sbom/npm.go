package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// packagesOf returns the npm packages that browsers are served: those of the lock file
// in dir that are not only for development, as npm installed them there.
func packagesOf(dir string) ([]part, error) {
	data, err := os.ReadFile(filepath.Join(dir, "package-lock.json"))
	if err != nil {
		return nil, err
	}
	var lock struct {
		Packages map[string]struct {
			Version, License string
			Dev, DevOptional bool
		}
	}
	if err := json.Unmarshal(data, &lock); err != nil {
		return nil, fmt.Errorf("package-lock.json: %w", err)
	}
	var all []part
	for path, p := range lock.Packages {
		if path == "" || p.Dev || p.DevOptional {
			continue
		}
		texts, err := textsOf(filepath.Join(dir, path))
		if err != nil {
			return nil, fmt.Errorf("%w: make generate installs it", err)
		}
		_, name, _ := strings.Cut(path, "node_modules/")
		if i := strings.LastIndex(name, "node_modules/"); i >= 0 {
			name = name[i+len("node_modules/"):]
		}
		all = append(all, part{kind: "npm", name: name, version: p.Version, licences: alternatives(p.License), texts: texts})
	}
	sortParts(all)
	return all, nil
}

// alternatives returns the licences of an expression of SPDX: of alternatives the first
// that is allowed, and all that hold together.
func alternatives(expression string) []string {
	if expression == "" {
		return nil
	}
	expression = strings.Trim(expression, "()")
	for choice := range strings.SplitSeq(expression, " OR ") {
		if p := []part{{licences: strings.Split(choice, " AND ")}}; check(p) == nil {
			return p[0].licences
		}
	}
	return []string{expression}
}
