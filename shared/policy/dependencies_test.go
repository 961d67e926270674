package policy

import (
	"os"
	"testing"
	"testing/fstest"
)

// TestEveryDependencyIsExplained holds docs/dependencies.md to go.mod and to
// every package.json.
func TestEveryDependencyIsExplained(t *testing.T) {
	found, err := Dependencies(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		t.Error(f)
	}
}

func TestDependencies(t *testing.T) {
	const (
		page = "## Go modules\n| `example.com/a` | why |\n## npm packages\n| `b` | why |\n## By hand\n| `c` | lines |\n"
		mod  = "module x\n\nrequire (\n\texample.com/a v1.0.0\n\texample.com/d v1.0.0 // indirect\n)\n"
		npm  = `{"dependencies": {"b": "1.0.0"}}`
	)
	for _, test := range []struct {
		name           string
		page, mod, npm string
		want           string // part of the only finding; empty for none
	}{
		{"all explained", page, mod, npm, ""},
		{"a block more", page, mod + "require (\n\texample.com/e v1.0.0\n)\n", npm, "go.mod requires example.com/e"},
		{"a line more", page, mod + "require example.com/e v1.0.0\n", npm, "go.mod requires example.com/e"},
		{"an indirect line more", page, mod + "require example.com/e v1.0.0 // indirect\n", npm, ""},
		{"a replacement is not a requirement", page, mod + "replace example.com/e => ../e\n", npm, ""},
		{"a package more", page, mod, `{"dependencies": {"b": "1.0.0", "f": "1.0.0"}}`, "package.json requires f"},
		{"a package of the build more", page, mod, `{"dependencies": {"b": "1"}, "devDependencies": {"f": "1"}}`, "package.json requires f"},
		{"a module less", page, "module x\n", npm, "explains example.com/a"},
		{"a package less", page, mod, `{}`, "explains b"},
		{"a path", page + "In `scripts/x/package.json` and `scripts/x`.\n", mod, npm, ""},
		{"a path that is gone", page + "In `scripts/y`.\n", mod, npm, "names scripts/y"},
		{"explained under the other heading", "## npm packages\n| `example.com/a` |\n| `b` |\n## Go modules\n", "module x\n", `{"dependencies": {"b": "1", "example.com/a": "1"}}`, ""},
	} {
		found, err := Dependencies(fstest.MapFS{
			"docs/dependencies.md":        {Data: []byte(test.page)},
			"go.mod":                      {Data: []byte(test.mod)},
			"scripts/x/package.json":      {Data: []byte(test.npm)},
			"node_modules/y/package.json": {Data: []byte(`{"dependencies": {"z": "1"}}`)},
		})
		if err != nil || !expected(found, test.want) {
			t.Errorf("%s: found %q, %v; want %q", test.name, found, err, test.want)
		}
	}
}

func TestDependenciesRefusesWhatItCannotRead(t *testing.T) {
	whole := func() fstest.MapFS {
		return fstest.MapFS{"docs/dependencies.md": {}, "go.mod": {}, "package.json": {Data: []byte("{}")}}
	}
	if found, err := Dependencies(whole()); err != nil || len(found) > 0 {
		t.Fatalf("an empty repository: %q, %v", found, err)
	}
	for name, text := range map[string]string{"docs/dependencies.md": "", "go.mod": "", "package.json": "{"} {
		tree := whole()
		if delete(tree, name); text != "" {
			tree[name] = &fstest.MapFile{Data: []byte(text)}
		}
		if _, err := Dependencies(tree); err == nil {
			t.Errorf("no error without a readable %s", name)
		}
	}
}
