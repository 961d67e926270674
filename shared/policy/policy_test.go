package policy

import (
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// TestRepository holds the repository to its rules.
func TestRepository(t *testing.T) {
	tree, err := Read(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	if len(tree.Files) < 10 {
		t.Fatalf("found %d source files: the root of the repository is elsewhere", len(tree.Files))
	}
	for _, r := range Rules {
		t.Run(r.Name, func(t *testing.T) {
			found := r.Check(tree)
			slices.Sort(found)
			for _, f := range found {
				t.Error(f)
			}
		})
	}
}

// TestRules breaks every rule, and stays just within it.
func TestRules(t *testing.T) {
	broken := map[string]bool{}
	for _, test := range []struct {
		rule string
		file string
		text string
		want string // part of what is found; empty when the file is right
	}{
		{"imports", "shared/store/store.go", `import "miramundo.dev/shared/fault"`, ""},
		{"imports", "shared/store/store.go", `import "miramundo.dev/shared/catalog"`, "below all subjects"},
		{"imports", "shared/fault/fault.go", `import "miramundo.dev/shared/store"`, "depends on nothing"},
		{"imports", "shared/catalog/index/a.go", `import "miramundo.dev/shared/store"`, "without a database"},
		{"imports", "shared/catalog/release/a.go", `import "miramundo.dev/shared/store"`, ""},
		{"imports", "shared/api/a.go", `import "miramundo.dev/shared/catalog"`, "serves every subject"},
		{"imports", "shared/api/request/a.go", `import "miramundo.dev/shared/credential"`, ""},
		{"imports", "shared/api/request/a.go", `import "miramundo.dev/shared/catalog"`, "imports no subject"},
		{"imports", "shared/api/a.go", `import "miramundo.dev/shared/credential"`, "serves every subject"},
		{"imports", "shared/credential/a.go", `import "miramundo.dev/shared/store"`, "verified by identity"},
		{"imports", "hop/server/a.go", `import "miramundo.dev/shared/credential"`, ""},
		{"imports", "functions/media/a.go", `import "miramundo.dev/functions/facets"`, "deployed apart"},
		{"imports", "functions/web/list/a.go", `import "miramundo.dev/functions/web/channel"`, "no other page"},
		{"imports", "functions/web/list/a.go", `import "miramundo.dev/functions/web/page"`, ""},
		{"imports", "functions/web/page/a.go", `import "miramundo.dev/functions/web/part"`, "imports no page"},
		{"imports", "functions/describe/prose/a.go", `import "miramundo.dev/functions/describe/directory"`, "no other document"},
		{"imports", "functions/describe/prose/a.go", `import "miramundo.dev/functions/describe/profile"`, ""},
		{"imports", "functions/web/a.go", `import "miramundo.dev/functions/web/list"`, ""},
		{"imports", "functions/functions.go", `import "miramundo.dev/functions/facets"`, ""},
		{"imports", "shared/chat/a.go", `import "miramundo.dev/functions/facets"`, "names a channel by its id"},
		{"imports", "hop/server/a.go", `import "miramundo.dev/functions/facets"`, "holds no functions"},
		{"imports", "hop/main.go", `import "miramundo.dev/hop/server"`, ""},
		{"imports", "functions/media/a.go", `import "miramundo.dev/shared/store/embedded"`, "only wire opens a leaf"},
		{"imports", "shared/apitest/a.go", `import "miramundo.dev/shared/wire/cloud"`, "only programs have the cloud's clients"},
		{"imports", "shared/wire/a.go", `import "miramundo.dev/shared/store/embedded"`, ""},
		{"imports", "functions/media/a.go", `import "miramundo.dev/shared/store/storetest"`, "only tests import"},
		{"imports", "functions/media/a_test.go", `import "miramundo.dev/shared/store/storetest"`, ""},
		{"imports", "functions/catalog/a.go", `import "miramundo.dev/shared/catalog/index/show"`, "layers of the index"},
		{"imports", "shared/catalog/index/show/a.go", `import "miramundo.dev/shared/catalog/index/search"`, ""},
		{"imports", "shared/novelty/a.go", `import "miramundo.dev/shared/fault"`, "stands in no layer"},
		{"imports of tests", "shared/store/a_test.go", `import "miramundo.dev/functions"`, "below what uses it"},
		{"imports of tests", "shared/store/a_test.go", `import "miramundo.dev/shared/blob"`, ""},
		{"vendors", "shared/store/a.go", `import "cloud.google.com/go/firestore"`, "stays in its leaves"},
		{"vendors", "shared/store/firestore/a.go", `import "cloud.google.com/go/firestore"`, ""},
		{"vendors", "shared/store/a_test.go", `import "cloud.google.com/go/firestore"`, ""},
		{"vendors", "shared/store/a.go", `import "example.com/novelty"`, "name the packages"},
		{"vendors", "shared/store/a.go", `import "encoding/json"`, ""},
		{"http", "shared/catalog/a.go", `import "net/http"`, "use HTTP"},
		{"http", "shared/catalog/a.go", `import "net/url"`, ""},
		{"http", "shared/api/a.go", `import "net/http"`, ""},
		{"http", "shared/credential/a.go", `import "net/http"`, ""},
		{"names", "shared/util/a.go", ``, "named for its subject"},
		{"names", "shared/store/helpers/a.go", ``, "named for its subject"},
		{"names", "shared/store/a.go", ``, ""},
		{"documented", "shared/store/a.go", `func F() {}`, "exported F has no comment"},
		{"documented", "shared/store/a.go", "// F does.\nfunc F() {}", ""},
		{"documented", "shared/store/a.go", `type T int`, "exported T has no comment"},
		{"documented", "shared/store/a.go", "const (\n\tc = 1\n\tD = 2\n)", "exported D has no comment"},
		{"documented", "shared/store/a.go", "// What they are.\nconst (\n\tC = 1\n\tD = 2\n)", ""},
		{"documented", "shared/store/a.go", "type t int\nfunc (t) M() {}", ""},
		{"documented", "shared/store/a.go", "// T is.\ntype T[E any] int\nfunc (*T[E]) M() {}", "exported M has no comment"},
		{"documented", "shared/store/a.go", "// T is.\ntype T int\nfunc (T) Error() string { return `` }", ""},
		{"finished", "shared/store/a.go", "// TO" + "DO: the rest", "finish the work"},
		{"finished", "shared/store/a_test.go", "var x = 1 // FIX" + "ME", "finish the work"},
		{"finished", "shared/store/a.go", "// autodocks", ""},
		{"environment", "shared/store/a.go", "import \"os\"\nvar x = os.Getenv(`HOME`)", "shared/config"},
		{"environment", "functions/media/a.go", "import \"os\"\nvar f = os.LookupEnv", "shared/config"},
		{"environment", "scripts/dev/a.go", "import \"os\"\nvar x = os.Getenv(`CI`)", "from a flag"},
		{"environment", "shared/config/a.go", "import \"os\"\nvar x = os.Environ()", ""},
		{"environment", "shared/store/a_test.go", "import \"os\"\nvar x = os.Getenv(`HOME`)", ""},
		{"sleepless", "shared/store/a_test.go", "import \"time\"\nfunc f() { time.Sleep(1) }", "sleeps"},
		{"sleepless", "shared/store/a.go", "import \"time\"\nfunc f() { time.Sleep(1) }", ""},
		{"sleepless", "shared/store/a_test.go", "import \"time\"\nimport \"testing/synctest\"\nfunc f() { time.Sleep(1) }", ""},
	} {
		tree := read(t, fstest.MapFS{test.file: source(test.file, test.text)})
		if got := check(t, test.rule, tree); !expected(got, test.want) {
			t.Errorf("%s: %s with\n%s\nfound %q, want %q", test.rule, test.file, test.text, got, test.want)
		}
		broken[test.rule] = broken[test.rule] || test.want != ""
	}
	for _, name := range []string{"package comments", "routes"} { // the tests below break them
		broken[name] = true
	}
	for _, r := range Rules {
		if !broken[r.Name] {
			t.Errorf("no test breaks the rule %q", r.Name)
		}
	}
}

func TestPackageCommentsOnce(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	said := "// Package store keeps.\npackage store\n"
	for _, test := range []struct {
		name string
		tree fstest.MapFS
		want string
	}{
		{"once", fstest.MapFS{"store/a.go": file(said), "store/b.go": file("package store\n")}, ""},
		{"never", fstest.MapFS{"store/a.go": file("package store\n")}, "0 package comments"},
		{"twice", fstest.MapFS{"store/a.go": file(said), "store/b.go": file(said)}, "2 package comments"},
		{"other words", fstest.MapFS{"store/a.go": file("// It keeps.\npackage store\n")}, "opens with"},
		{"a command", fstest.MapFS{"scripts/dev/a.go": file("// Dev runs.\npackage main\n")}, ""},
		{"a command, said so", fstest.MapFS{"scripts/dev/a.go": file("// Command dev runs.\npackage main\n")}, ""},
		{"another command", fstest.MapFS{"scripts/dev/a.go": file("// Command run runs.\npackage main\n")}, "opens with"},
		{"tests alone", fstest.MapFS{"store/a_test.go": file("package store\n")}, ""},
	} {
		if got := PackageComments(read(t, test.tree)); !expected(got, test.want) {
			t.Errorf("%s: found %q, want %q", test.name, got, test.want)
		}
	}
}

func TestRoutesOnce(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte("package p\n" + text)} }
	path := "var p = `/api/channels/{id}`"
	for _, test := range []struct {
		name string
		tree fstest.MapFS
		want string
	}{
		{"once", fstest.MapFS{"a/a.go": file(path), "b/b.go": file("var q = `/api/other`")}, ""},
		{"twice", fstest.MapFS{"a/a.go": file(path), "b/b.go": file(path)}, "said in a/a.go, b/b.go"},
		{"by a script", fstest.MapFS{"a/a.go": file(path), "scripts/b/b.go": file(path)}, "said in a/a.go, scripts/b/b.go"},
		{"the end of a path", fstest.MapFS{"a/a.go": file("var p = base + `/{id}`"), "b/b.go": file("var p = base + `/{id}`")}, "/{id} is said in"},
		{"a slash alone", fstest.MapFS{"a/a.go": file("var p = `/`"), "b/b.go": file("var p = `/`")}, ""},
		{"by a test", fstest.MapFS{"a/a.go": file(path), "b/b_test.go": file(path)}, ""},
		{"in a tag", fstest.MapFS{"a/a.go": file(path), "b/b.go": file("type t struct { f int `/api/channels/{id}` }")}, ""},
	} {
		if got := Routes(read(t, test.tree)); !expected(got, test.want) {
			t.Errorf("%s: found %q, want %q", test.name, got, test.want)
		}
	}
}

func TestReadRefusesWhatDoesNotParse(t *testing.T) {
	if _, err := Read(fstest.MapFS{"a.go": {Data: []byte("package")}}); err == nil {
		t.Error("Read of half a file gave no error")
	}
}

func TestReadLeavesOutWhatIsNotOurs(t *testing.T) {
	tree := read(t, fstest.MapFS{
		"node_modules/x/a.go": {Data: []byte("not Go")},
		"x/testdata/a.go":     {Data: []byte("not Go")},
		".cache/a.go":         {Data: []byte("not Go")},
		"x/a.go":              {Data: []byte("package x\nimport `miramundo.dev/shared/store`\n")},
	})
	if len(tree.Files) != 1 || tree.Files[0].Imports[0] != "shared/store" {
		t.Errorf("Read = %+v, want x/a.go alone", tree.Files)
	}
}

// source makes a Go file of text, with a package comment unless it is a test.
func source(file, text string) *fstest.MapFile {
	dir := file[:strings.LastIndex(file, "/")]
	name := dir[strings.LastIndex(dir, "/")+1:]
	return &fstest.MapFile{Data: []byte("// Package " + name + " is an example.\npackage " + name + "\n\n" + text + "\n")}
}

func read(t *testing.T, fsys fstest.MapFS) *Tree {
	t.Helper()
	tree, err := Read(fsys)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func check(t *testing.T, rule string, tree *Tree) []string {
	t.Helper()
	i := slices.IndexFunc(Rules, func(r Rule) bool { return r.Name == rule })
	if i < 0 {
		t.Fatalf("there is no rule %q", rule)
	}
	return Rules[i].Check(tree)
}

// expected reports whether what was found is one finding with want in it, or
// nothing when want is empty.
func expected(found []string, want string) bool {
	if want == "" {
		return len(found) == 0
	}
	return len(found) == 1 && strings.Contains(found[0], want)
}
