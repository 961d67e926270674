// Command concurrent runs a test command on what a race detector can find
// something in: the packages whose code starts goroutines, and of the packages
// that only synchronize them, such as by a mutex, the tests that start goroutines
// themselves. Of the packages in heavy, whose suites take most of the time, it also
// runs only such tests.
//
//	go run ./scripts/concurrent go test -race -short
//
// Sources are judged by their text: a go statement or the method Go of a group starts
// goroutines; an import of sync, sync/atomic, errgroup or testing/synctest synchronizes
// them. Everything else runs in the goroutine of its caller, and is covered by the tests of
// callers that have several.
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
	"path"
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

// run executes command on the packages below the working directory that start
// goroutines, and then on the tests that do so in the others. It executes both, also
// after the first failed.
func run(ctx context.Context, command []string) error {
	all, err := packages(".")
	if err != nil {
		return err
	}
	for _, dir := range heavy {
		if all[dir] == nil {
			return fmt.Errorf("the list heavy names the package %s, which does not exist", dir)
		}
	}
	whole, partly := choose(all)
	if len(whole) == 0 {
		return fmt.Errorf("no package here starts goroutines: run it in the root of the module")
	}
	fmt.Printf("%d of %d packages start goroutines\n", len(whole), len(all))
	failure := execute(ctx, command, whole...)
	for _, part := range partly {
		fmt.Printf("%d tests of %d packages start goroutines\n", len(part.tests), len(part.packages))
		if err := execute(ctx, command, slices.Concat([]string{"-run", "^(" + strings.Join(part.tests, "|") + ")$"}, part.packages)...); failure == nil {
			failure = err
		}
	}
	return failure
}

// A selection is packages with the tests that are run of them. The option -run chooses tests
// by their names in every package of a call: a heavy package gets a call of its own, so that
// it runs no test because of a name elsewhere.
type selection struct{ packages, tests []string }

// choose returns the packages of which every test is run, and the others of which some
// are.
func choose(all map[string]*pkg) (whole []string, partly []selection) {
	suites := map[string]bool{}
	for dir, p := range all {
		if name := path.Base(dir); strings.HasSuffix(name, "test") {
			for f := range p.code.reaching(nil) {
				suites[name+"."+f] = true
			}
		}
	}
	var light selection
	for _, dir := range slices.Sorted(maps.Keys(all)) {
		p := all[dir]
		tests := p.concurrentTests(suites)
		switch {
		case p.concurrent && !slices.Contains(heavy, dir):
			whole = append(whole, "./"+dir)
		case !p.concurrent && !p.synchronized || len(tests) == 0:
		case slices.Contains(heavy, dir):
			partly = append(partly, selection{[]string{"./" + dir}, tests})
		default:
			light.packages = append(light.packages, "./"+dir)
			light.tests = append(light.tests, tests...)
		}
	}
	if len(light.packages) > 0 {
		slices.Sort(light.tests)
		light.tests = slices.Compact(light.tests)
		partly = append(partly, light)
	}
	return whole, partly
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
	concurrent   bool   // the code starts goroutines
	synchronized bool   // the code or a test synchronizes goroutines
	code, tests  bodies // of its code, and of its test files
}

// Bodies are what functions and methods do, by their names.
type bodies struct {
	starts map[string]bool            // those that start goroutines
	calls  map[string]map[string]bool // the names that each mentions: x.Y as Y and as x.Y
}

func newBodies() bodies {
	return bodies{map[string]bool{}, map[string]map[string]bool{}}
}

// packages reads every Go source below root, by folder. Folders that the go
// command ignores are left out.
func packages(root string) (map[string]*pkg, error) {
	found := map[string]*pkg{}
	err := filepath.WalkDir(root, func(file string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if file != root && (name == "node_modules" || name == "testdata" || name == "bin" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		dir, err := filepath.Rel(root, filepath.Dir(file))
		if err != nil {
			return err
		}
		dir = filepath.ToSlash(dir)
		if found[dir] == nil {
			found[dir] = &pkg{code: newBodies(), tests: newBodies()}
		}
		return found[dir].add(file)
	})
	return found, err
}

// add reads one source of the package.
func (p *pkg) add(name string) error {
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, im := range file.Imports {
		imported, err := strconv.Unquote(im.Path.Value)
		if err != nil {
			return err
		}
		p.synchronized = p.synchronized || slices.Contains(synchronizing, imported)
	}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		starts, names := body(f)
		of := p.code
		if strings.HasSuffix(name, "_test.go") {
			of = p.tests
			p.synchronized = p.synchronized || starts
		} else {
			p.concurrent = p.concurrent || starts
		}
		of.add(f.Name.Name, starts, names)
	}
	return nil
}

// add adds what a function does to that of others with its name.
func (b bodies) add(name string, starts bool, names map[string]bool) {
	b.starts[name] = b.starts[name] || starts
	if b.calls[name] == nil {
		b.calls[name] = map[string]bool{}
	}
	maps.Copy(b.calls[name], names)
}

// body reports whether a function starts goroutines, and the names in it.
func body(f *ast.FuncDecl) (starts bool, names map[string]bool) {
	names = map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			starts = true
		case *ast.CallExpr: // of a WaitGroup or an errgroup, which may be a field
			method, ok := n.Fun.(*ast.SelectorExpr)
			starts = starts || ok && method.Sel.Name == "Go" && len(n.Args) == 1
		case *ast.SelectorExpr:
			names[n.Sel.Name] = true
			if of, ok := n.X.(*ast.Ident); ok {
				names[of.Name+"."+n.Sel.Name] = true
			}
			starts = starts || n.Sel.Name == "Parallel" || n.Sel.Name == "WaitGroup" || n.Sel.Name == "errgroup"
		case *ast.Ident:
			names[n.Name] = true
		}
		return true
	})
	return starts, names
}

// reaching returns the functions that start goroutines, themselves, by each other, or by
// one of the given functions of other packages, such as storetest.Run.
func (b bodies) reaching(others map[string]bool) map[string]bool {
	reaches := map[string]bool{}
	for f, starts := range b.starts {
		if starts {
			reaches[f] = true
		}
	}
	for changed := true; changed; {
		changed = false
		for f, names := range b.calls {
			if reaches[f] {
				continue
			}
			for name := range names {
				if reaches[name] || others[name] {
					reaches[f], changed = true, true
					break
				}
			}
		}
	}
	return reaches
}

// concurrentTests returns the names of the tests that start goroutines, with the given
// functions of packages of tests.
func (p *pkg) concurrentTests(suites map[string]bool) []string {
	tests := slices.Collect(maps.Keys(p.tests.reaching(suites)))
	tests = slices.DeleteFunc(tests, func(name string) bool { return !isTest(name) })
	slices.Sort(tests)
	return tests
}

func isTest(name string) bool {
	return strings.HasPrefix(name, "Test") && name != "TestMain"
}
