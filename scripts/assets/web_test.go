package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// put writes files into a folder, by their names in it.
func put(t *testing.T, folder string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// sources are the packages and the sources of small pages.
func sources(t *testing.T) (modules, web string) {
	t.Helper()
	modules, web = t.TempDir(), t.TempDir()
	packages := map[string]string{"hls.js/dist/hls.worker.js": "0", "lib/package.json": `{"name":"lib","main":"lib.js"}`, "lib/lib.js": "export const lib = 'bundled'"}
	for _, name := range pageLicences {
		packages[name+"/LICENSE"] = "licence of " + name
	}
	for _, icon := range icons {
		packages["lucide-static/icons/"+icon[1]+".svg"] = `<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0h24"/></svg>`
	}
	for name, file := range npmPackage(leastFlags) {
		packages["country-flag-icons/"+name] = string(file.Data)
	}
	for _, name := range pageNotices {
		packages[name] = "notice " + name
	}
	put(t, modules, packages)
	put(t, web, map[string]string{
		"app/main.ts":   `import { a } from "./shared"; import("./late").then((m) => m.late(a as string));`,
		"app/late.ts":   `import { lib } from "lib"; import { a } from "./shared"; export const late = (x: string) => console.log(x, a, lib);`,
		"app/shared.ts": `export const a = "shared"; import("./later").then((m) => m.later());`, "app/later.ts": `export const later = () => console.log("later");`, "style/main.css": `@import "./one.css";`, "style/one.css": "p { color: red }", "style/viewer.css": "b { color: red }",
		"app/worker.ts": `console.log("worker");`, "app/embed.ts": `import { a } from "./shared"; console.log(a);`, "style/embed.css": "i { color: red }",
		markFile: plain, "static/README.md": "what this is", "static/static.go": "package static", "static/old-1.js": "gone",
	})
	return modules, web
}

// built returns the files of the pages, and what leads to them.
func built(t *testing.T, web string) (names []string, at index) {
	t.Helper()
	folder := os.DirFS(filepath.Join(web, "static"))
	entries, err := fs.ReadDir(folder, ".")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	data, err := fs.ReadFile(folder, manifest)
	if err != nil {
		return names, at
	}
	if err := json.Unmarshal(data, &at); err != nil {
		t.Fatal(err)
	}
	return names, at
}

func TestBuildPages(t *testing.T) {
	modules, web := sources(t)
	n, err := buildPages(modules, web, noMaps)
	if err != nil || n == 0 {
		t.Fatalf("the first build wrote %d, %v", n, err)
	}
	names, at := built(t, web)
	for _, name := range []string{"main.js", "main.css", "embed.js", "embed.css", "worker.js", "icons.svg", "flags.svg", "flags-more.svg", "icon.svg", "hls.worker.js", licenceFile} {
		if file := at.Files[name]; file == name || !slices.Contains(names, file) {
			t.Errorf("%s is in %q, of %q", name, file, names)
		}
	}
	if len(at.Begins) != 1 || !slices.Contains(names, at.Begins[0]) {
		t.Errorf("main.js begins with %q", at.Begins)
	}
	late := at.Later["late"]
	if len(at.Later) != 3 || len(at.Later["later"]) != 1 || !slices.Equal(at.Later["embed"], at.Begins) || len(late) != 2 || !strings.HasPrefix(late[0], "late-") || late[1] != at.Begins[0] {
		t.Errorf("later there are %q", at.Later)
	}
	if slices.Contains(names, "old-1.js") || !slices.Contains(names, readme) || !slices.Contains(names, "static.go") {
		t.Errorf("what is left: %q", names)
	}
	if n, err := buildPages(modules, web, noMaps); err != nil || n != 0 {
		t.Errorf("the second build wrote %d, %v", n, err)
	}
	put(t, web, map[string]string{"style/one.css": "p { color: blue }"})
	if n, err := buildPages(modules, web, noMaps); err != nil || n != 2 { // the styles, and what leads to them
		t.Errorf("the build of other styles wrote %d, %v", n, err)
	}
	if after, _ := built(t, web); len(after) != len(names) {
		t.Errorf("it left %q, after %q", after, names)
	}
}

// TestBuildPagesRefuses checks that what cannot be built is told, and leaves
// what was built.
func TestBuildPagesRefuses(t *testing.T) {
	for name, test := range map[string]struct{ file, text, want string }{
		"a slip of the pen": {"app/late.ts", "const = 1", "late.ts"},
		"nothing to import": {"app/late.ts", `import "nowhere"`, "nowhere"},
		"a mark that runs":  {markFile, "<svg><script/></svg>", "element script"},
	} {
		t.Run(name, func(t *testing.T) {
			modules, web := sources(t)
			if _, err := buildPages(modules, web, noMaps); err != nil {
				t.Fatal(err)
			}
			before, _ := built(t, web)
			put(t, web, map[string]string{test.file: test.text})
			if _, err := buildPages(modules, web, noMaps); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
			if after, _ := built(t, web); !slices.Equal(before, after) {
				t.Errorf("left %q, of %q", after, before)
			}
		})
	}
	modules, web := sources(t)
	if err := os.RemoveAll(filepath.Join(modules, "sortablejs")); err != nil {
		t.Fatal(err)
	}
	if _, err := buildPages(modules, web, noMaps); err == nil || !strings.Contains(err.Error(), "sortablejs") {
		t.Errorf("without a licence: %v", err)
	}
}

// noMaps draws no map.
func noMaps(string) (map[string][]byte, error) { return nil, nil }
