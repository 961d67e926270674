package policy

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// dependencyPage is the page that says why each dependency is used. The first
// cell of a row of its tables is the name of a dependency.
const dependencyPage = "docs/dependencies.md"

// Headings of the page, with the tables of the two kinds of dependencies.
const (
	goHeading  = "Go modules"
	npmHeading = "npm packages"
)

// Dependencies compares the dependencies of a repository with those that its
// page explains, and returns what is missing on either side, and paths on the page
// that do not exist. It looks at the direct requirements of go.mod and at the
// packages of each package.json.
func Dependencies(fsys fs.FS) ([]string, error) {
	page, err := fs.ReadFile(fsys, dependencyPage)
	if err != nil {
		return nil, err
	}
	gomod, err := fs.ReadFile(fsys, "go.mod")
	if err != nil {
		return nil, err
	}
	packages, err := npmPackages(fsys)
	if err != nil {
		return nil, err
	}
	explained := dependencyRows(string(page))
	return slices.Concat(
		differences("go.mod", explained[goHeading], requirements(string(gomod))),
		differences("a package.json", explained[npmHeading], packages),
		absent(fsys, string(page)),
	), nil
}

var pathOnPage = regexp.MustCompile("`((?:docs|functions|hop|miramundo|scripts|shared)/[^`*{}]+)`")

// absent returns a finding for each path of the repository that a page names and
// that does not exist.
func absent(fsys fs.FS, page string) []string {
	var found []string
	for _, name := range pathOnPage.FindAllStringSubmatch(page, -1) {
		if _, err := fs.Stat(fsys, strings.TrimSuffix(name[1], "/")); err != nil {
			found = append(found, fmt.Sprintf("%s names %s, which does not exist", dependencyPage, name[1]))
		}
	}
	return found
}

// differences returns a finding for each name that is explained or used alone.
func differences(file string, explained, used []string) []string {
	var found []string
	for _, name := range used {
		if !slices.Contains(explained, name) {
			found = append(found, fmt.Sprintf("%s requires %s: %s must say why, and what it costs", file, name, dependencyPage))
		}
	}
	for _, name := range explained {
		if !slices.Contains(used, name) {
			found = append(found, fmt.Sprintf("%s explains %s, which %s does not require", dependencyPage, name, file))
		}
	}
	return found
}

var dependencyRow = regexp.MustCompile("^\\| `([^`]+)` \\|")

// dependencyRows returns the names in the tables of a page, by the heading above
// the table.
func dependencyRows(page string) map[string][]string {
	rows := map[string][]string{}
	heading := ""
	for line := range strings.Lines(page) {
		if title, ok := strings.CutPrefix(line, "## "); ok {
			heading = strings.TrimSpace(title)
		}
		if cells := dependencyRow.FindStringSubmatch(line); cells != nil {
			rows[heading] = append(rows[heading], cells[1])
		}
	}
	return rows
}

// requirements returns the modules that a go.mod requires directly.
func requirements(gomod string) []string {
	var modules []string
	inBlock := false
	for line := range strings.Lines(gomod) {
		line, comment, _ := strings.Cut(strings.TrimSpace(line), "//")
		fields := strings.Fields(line)
		switch {
		case len(fields) == 2 && fields[0] == "require" && fields[1] == "(":
			inBlock = true
			continue
		case len(fields) == 1 && fields[0] == ")":
			inBlock = false
		case len(fields) == 3 && fields[0] == "require":
			fields = fields[1:]
		case !inBlock:
			continue
		}
		if len(fields) == 2 && strings.TrimSpace(comment) != "indirect" {
			modules = append(modules, fields[0])
		}
	}
	return modules
}

// npmPackages returns the packages that the package.json files of a repository
// name, in order and without repetition.
func npmPackages(fsys fs.FS) ([]string, error) {
	var names []string
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && skipped.MatchString(d.Name()):
			return fs.SkipDir
		case d.IsDir() || path.Base(name) != "package.json":
			return nil
		}
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		var file struct{ Dependencies, DevDependencies map[string]string }
		if err := json.Unmarshal(text, &file); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for _, list := range []map[string]string{file.Dependencies, file.DevDependencies} {
			for name := range list {
				names = append(names, name)
			}
		}
		return nil
	})
	slices.Sort(names)
	return slices.Compact(names), err
}
