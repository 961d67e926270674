package main

import (
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
)

// modulesOf returns the modules that are in programs, the standard library among them,
// and the version that the programs were built at.
func modulesOf(programs []string) (modules []part, version string, err error) {
	known := map[string]*debug.Module{}
	for _, name := range programs {
		info, err := buildinfo.ReadFile(name)
		if err != nil {
			return nil, "", err
		}
		version = built(info)
		for _, m := range info.Deps {
			if m.Replace != nil {
				m = m.Replace
			}
			if other := known[m.Path]; other != nil && other.Version != m.Version {
				return nil, "", fmt.Errorf("%s: %s %s, where another program has %s: build all of one commit", name, m.Path, m.Version, other.Version)
			}
			known[m.Path] = m
		}
	}
	dirs, err := foldersOf(known)
	if err != nil {
		return nil, "", err
	}
	for path, m := range known {
		texts, err := textsOf(dirs[path])
		if err != nil {
			return nil, "", err
		}
		modules = append(modules, part{kind: "golang", name: path, version: m.Version, licences: identify(texts), texts: texts})
	}
	std, err := standardLibrary()
	if err != nil {
		return nil, "", err
	}
	modules = append(modules, std)
	sortParts(modules)
	return modules, version, nil
}

// built returns the commit of a program, or "devel" when it does not name one.
func built(info *debug.BuildInfo) string {
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value
		}
	}
	return "devel"
}

// foldersOf returns the folder of each module in the module cache.
func foldersOf(modules map[string]*debug.Module) (map[string]string, error) {
	args := []string{"mod", "download", "-json"}
	for path, m := range modules {
		args = append(args, path+"@"+m.Version)
	}
	out, err := exec.Command("go", args...).Output()
	if err != nil {
		return nil, fmt.Errorf("go mod download: %w", err)
	}
	dirs := map[string]string{}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var m struct{ Path, Dir string }
		switch err := d.Decode(&m); {
		case errors.Is(err, io.EOF):
			return dirs, nil
		case err != nil:
			return nil, err
		}
		dirs[m.Path] = m.Dir
	}
}

// standardLibrary returns the library that every program has.
func standardLibrary() (part, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return part{}, err
	}
	texts, err := textsOf(strings.TrimSpace(string(root)))
	return part{kind: "golang", name: "std", version: runtime.Version(), licences: identify(texts), texts: texts}, err
}
