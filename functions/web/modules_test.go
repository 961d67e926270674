package web_test

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// moduleImport matches what names another module of ours: an import or export,
// of types alone too, and a module that is loaded when it is needed.
var moduleImport = regexp.MustCompile(`(?:\bfrom|\bimport)\s*\(?\s*"(\.[^"]*)"`)

// modulesOf returns the modules that each source imports, by path.
func modulesOf(sources map[string]string) map[string][]string {
	all := map[string][]string{}
	for name, source := range sources {
		all[name] = nil
		for _, m := range moduleImport.FindAllStringSubmatch(comment.ReplaceAllString(source, ""), -1) {
			all[name] = append(all[name], path.Join(path.Dir(name), m[1])+".ts")
		}
	}
	return all
}

// cycleIn returns a cycle among modules, with the same module first and last, or
// nil when the modules have no cycle.
func cycleIn(imports map[string][]string) []string {
	done := map[string]bool{}
	var trail []string
	var visit func(name string) []string
	visit = func(name string) []string {
		if i := slices.Index(trail, name); i >= 0 {
			return append(slices.Clone(trail[i:]), name)
		}
		if done[name] {
			return nil
		}
		trail = append(trail, name)
		for _, next := range imports[name] {
			if cycle := visit(next); cycle != nil {
				return cycle
			}
		}
		trail, done[name] = trail[:len(trail)-1], true
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(imports)) {
		if cycle := visit(name); cycle != nil {
			return cycle
		}
	}
	return nil
}

func TestCycleIn(t *testing.T) {
	for name, test := range map[string]struct {
		sources map[string]string
		want    []string
	}{
		"none":          {map[string]string{"a.ts": `import { b } from "./b";`, "b.ts": `import { c } from "./p/c";`, "p/c.ts": `import x from "hls.js";`}, nil},
		"a diamond":     {map[string]string{"a.ts": "import \"./b\";\nimport \"./c\";", "b.ts": `import "./d";`, "c.ts": `import "./d";`, "d.ts": ""}, nil},
		"two":           {map[string]string{"a.ts": `import { b } from "./b";`, "b.ts": `import { a } from "./a";`}, []string{"a.ts", "b.ts", "a.ts"}},
		"itself":        {map[string]string{"a.ts": `export * from "./a";`}, []string{"a.ts", "a.ts"}},
		"types alone":   {map[string]string{"a.ts": `import type { B } from "./b";`, "b.ts": `import type { A } from "./a";`}, []string{"a.ts", "b.ts", "a.ts"}},
		"when needed":   {map[string]string{"a.ts": `await import("./p/b")`, "p/b.ts": `import type { A } from "../a";`}, []string{"a.ts", "p/b.ts", "a.ts"}},
		"in a comment":  {map[string]string{"a.ts": `// import "./b"`, "b.ts": `import "./a";`}, nil},
		"behind a tail": {map[string]string{"a.ts": `import "./b";`, "b.ts": `import "./c";`, "c.ts": `import "./b";`}, []string{"b.ts", "c.ts", "b.ts"}},
	} {
		if diff := cmp.Diff(test.want, cycleIn(modulesOf(test.sources))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestModules checks that the scripts import no module in a cycle: each can then
// be read, and loaded, after those that it needs. Types count too, since a file
// whose types need another cannot be understood without it.
func TestModules(t *testing.T) {
	sources := read(t, inScripts, inParts)
	imports := modulesOf(sources)
	for name, all := range imports {
		for _, of := range all {
			if _, ok := sources[of]; !ok {
				t.Errorf("%s imports %s, which does not exist", name, of)
			}
		}
	}
	if cycle := cycleIn(imports); cycle != nil {
		t.Errorf("modules import each other: %s", strings.Join(cycle, " → "))
	}
}
