// Package policy checks the rules of the whole repository: which packages may
// import which, how packages are named, and what must be documented.
//
// It reads the source files itself. A test that ran the go command would not
// be run again after a file has changed: go test would repeat its old result
// from the cache.
package policy

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A Rule is a rule of the repository.
type Rule struct {
	Name  string
	Check func(*Tree) []string // what breaks it, each with its place and reason
}

// Rules are the rules of this repository.
var Rules = []Rule{
	{"imports", Imports},
	{"imports of tests", TestImports},
	{"vendors", Vendors},
	{"http", HTTP},
	{"package comments", PackageComments},
	{"names", Names},
	{"documented", Documented},
	{"finished", Finished},
	{"environment", Environment},
	{"sleepless", Sleepless},
	{"routes", Routes},
}

// Module is the module path of the repository.
const Module = "miramundo.dev"

// A Tree is the Go source of a repository.
type Tree struct {
	Files []*File // in the order of their paths
	fset  *token.FileSet
}

// A File is one Go source file.
type File struct {
	Path    string // from the root of the repository, with slashes
	Dir     string // of the package
	Test    bool   // named *_test.go
	Imports []string
	AST     *ast.File
}

// skipped are folders that hold no source of ours, and those that the go command
// skips by their first letter: programs that stand alone.
var skipped = regexp.MustCompile(`^([._].+|node_modules|testdata|vendor|bin)$`)

// Read parses the Go files below the root of fsys. Imports of the module are
// kept without the module's path: "shared/store".
func Read(fsys fs.FS) (*Tree, error) {
	t := &Tree{fset: token.NewFileSet()}
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && skipped.MatchString(d.Name()):
			return fs.SkipDir
		case d.IsDir() || path.Ext(name) != ".go":
			return nil
		}
		return t.add(fsys, name)
	})
	return t, err
}

func (t *Tree) add(fsys fs.FS, name string) error {
	text, err := fs.ReadFile(fsys, name)
	if err != nil {
		return err
	}
	parsed, err := parser.ParseFile(t.fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	f := &File{Path: name, Dir: path.Dir(name), Test: strings.HasSuffix(name, "_test.go"), AST: parsed}
	for _, im := range parsed.Imports {
		s, err := strconv.Unquote(im.Path.Value)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		f.Imports = append(f.Imports, strings.TrimPrefix(s, Module+"/"))
	}
	t.Files = append(t.Files, f)
	return nil
}

// code yields the files that are not tests.
func (t *Tree) code() []*File {
	return slices.DeleteFunc(slices.Clone(t.Files), func(f *File) bool { return f.Test })
}

// dirs returns the files of each package, by its folder.
func (t *Tree) dirs() map[string][]*File {
	dirs := map[string][]*File{}
	for _, f := range t.Files {
		dirs[f.Dir] = append(dirs[f.Dir], f)
	}
	return dirs
}

// at returns the position of a node in the form that editors understand.
func (t *Tree) at(n ast.Node) string {
	p := t.fset.Position(n.Pos())
	return fmt.Sprintf("%s:%d", p.Filename, p.Line)
}

// local reports whether an import, as Read keeps it, is of the module.
func local(im string) bool {
	return match(`(shared|functions|hop|chatroom|scripts|infra|miramundo)(/.*)?`, im)
}

// standard reports whether an import is of the standard library, whose paths
// have no dot in their first element.
func standard(im string) bool {
	first, _, _ := strings.Cut(im, "/")
	return !strings.Contains(first, ".") && !local(im)
}

var compiled sync.Map // of *regexp.Regexp, by pattern

// match reports whether the whole of s matches pattern.
func match(pattern, s string) bool {
	re, ok := compiled.Load(pattern)
	if !ok {
		re, _ = compiled.LoadOrStore(pattern, regexp.MustCompile("^(?:"+pattern+")$"))
	}
	return re.(*regexp.Regexp).MatchString(s)
}
