// Command concurrent runs a test command on what a race detector can find
// something in: the packages whose code or tests start goroutines or synchronize
// them, and of the packages in heavy, whose suites take most of the time, the
// tests that do so themselves.
//
//	go run ./scripts/concurrent go test -race -short
//
// A package is chosen by its source text: a go statement, or an import of sync,
// sync/atomic, errgroup or testing/synctest. Everything else runs in the
// goroutine of its caller, and is covered by the tests of callers that have several.
package main

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// heavy lists the packages of which only single tests are run.
var heavy = []string{"functions"}

// synchronizing lists the imports of code that runs in several goroutines.
var synchronizing = []string{"sync", "sync/atomic", "golang.org/x/sync/errgroup", "testing/synctest"}

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: concurrent COMMAND..., such as: concurrent go test -race")
		os.Exit(2)
	}
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run executes command on the concurrent packages below the working directory,
// and then on the concurrent tests of each heavy package. It executes all of
// them, also after one failed.
func run(ctx context.Context, command []string) error {
	all, err := packages(".")
	if err != nil {
		return err
	}
	var whole []string
	for dir, p := range all {
		if p.concurrent && !slices.Contains(heavy, dir) {
			whole = append(whole, "./"+dir)
		}
	}
	if len(whole) == 0 {
		return fmt.Errorf("no package here starts goroutines: run it in the root of the module")
	}
	slices.Sort(whole)
	fmt.Printf("%d of %d packages are concurrent\n", len(whole), len(all))
	failure := execute(ctx, command, whole...)
	for _, dir := range heavy {
		p := all[dir]
		if p == nil {
			return fmt.Errorf("there is no package %s", dir)
		}
		tests := p.concurrentTests()
		if len(tests) == 0 {
			return fmt.Errorf("no test of ./%s starts goroutines", dir)
		}
		fmt.Printf("%d of %d tests of ./%s are concurrent\n", len(tests), p.tests(), dir)
		if err := execute(ctx, command, "-run", "^("+strings.Join(tests, "|")+")$", "./"+dir); failure == nil {
			failure = err
		}
	}
	return failure
}

func execute(ctx context.Context, command []string, more ...string) error {
	c := exec.CommandContext(ctx, command[0], slices.Concat(command[1:], more)...)
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	if err := c.Run(); err != nil {
		return fmt.Errorf("%s: %w", strings.Join(command, " "), err)
	}
	return nil
}

// A pkg is what the sources in one folder say about goroutines.
type pkg struct {
	concurrent bool                       // some source starts or synchronizes goroutines
	starts     map[string]bool            // functions of test files that do so
	calls      map[string]map[string]bool // functions and methods of test files, and the names that each mentions
}

// packages reads every Go source below root, by folder. Folders that the go
// command ignores are left out.
func packages(root string) (map[string]*pkg, error) {
	found := map[string]*pkg{}
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if path != root && (name == "node_modules" || name == "testdata" || name == "bin" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		dir, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		dir = filepath.ToSlash(dir)
		if found[dir] == nil {
			found[dir] = &pkg{starts: map[string]bool{}, calls: map[string]map[string]bool{}}
		}
		return found[dir].add(path)
	})
	return found, err
}

// add reads one source of the package.
func (p *pkg) add(path string) error {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, im := range file.Imports {
		imported, err := strconv.Unquote(im.Path.Value)
		if err != nil {
			return err
		}
		p.concurrent = p.concurrent || slices.Contains(synchronizing, imported)
	}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		starts, names := body(f)
		p.concurrent = p.concurrent || starts
		if strings.HasSuffix(path, "_test.go") {
			p.starts[f.Name.Name] = p.starts[f.Name.Name] || starts
			if p.calls[f.Name.Name] == nil {
				p.calls[f.Name.Name] = map[string]bool{}
			}
			maps.Copy(p.calls[f.Name.Name], names)
		}
	}
	return nil
}

// body reports whether a function starts goroutines, and the names in it.
func body(f *ast.FuncDecl) (starts bool, names map[string]bool) {
	names = map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			starts = true
		case *ast.SelectorExpr:
			names[n.Sel.Name] = true
			starts = starts || n.Sel.Name == "Parallel" || n.Sel.Name == "WaitGroup" || n.Sel.Name == "errgroup"
		case *ast.Ident:
			names[n.Name] = true
		}
		return true
	})
	return starts, names
}

// concurrentTests returns the names of the tests that start goroutines,
// themselves or by a function of the package's test files.
func (p *pkg) concurrentTests() []string {
	reaches := maps.Clone(p.starts)
	for changed := true; changed; {
		changed = false
		for f, names := range p.calls {
			if reaches[f] {
				continue
			}
			for name := range names {
				if reaches[name] {
					reaches[f], changed = true, true
					break
				}
			}
		}
	}
	var tests []string
	for f, is := range reaches {
		if is && isTest(f) {
			tests = append(tests, f)
		}
	}
	slices.Sort(tests)
	return tests
}

// tests returns how many tests the package has.
func (p *pkg) tests() int {
	n := 0
	for f := range p.calls {
		if isTest(f) {
			n++
		}
	}
	return n
}

func isTest(name string) bool {
	return strings.HasPrefix(name, "Test") && name != "TestMain"
}
