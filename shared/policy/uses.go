package policy

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// environmentCalls are the functions that read the environment.
const environmentCalls = `os\.(Getenv|LookupEnv|Environ|ExpandEnv)|syscall\.(Getenv|Environ)`

// Environment checks that only package config reads the environment, so that
// every setting is declared there with its meaning. Commands take flags.
func Environment(t *Tree) []string {
	var found []string
	for _, f := range t.code() {
		if f.Dir == "shared/config" {
			continue
		}
		for call := range calls(f, environmentCalls) {
			found = append(found, t.at(call)+" reads the environment: take the value from shared/config, which declares every setting, or from a flag")
		}
	}
	return found
}

// Sleepless checks that no test sleeps, except under a fake clock.
func Sleepless(t *Tree) []string {
	var found []string
	for _, f := range t.Files {
		if !f.Test || slices.Contains(f.Imports, "testing/synctest") {
			continue
		}
		for call := range calls(f, `time\.Sleep`) {
			found = append(found, t.at(call)+" sleeps: wait for what happens, or take the clock as a field")
		}
	}
	return found
}

// calls returns the uses in f of functions of packages, as "os.Getenv".
func calls(f *File, pattern string) map[*ast.SelectorExpr]bool {
	uses := map[*ast.SelectorExpr]bool{}
	ast.Inspect(f.AST, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := sel.X.(*ast.Ident); ok && match(pattern, x.Name+"."+sel.Sel.Name) {
				uses[sel] = true
			}
		}
		return true
	})
	return uses
}

// route matches a literal that is a path or the beginning or end of one.
const route = `/\.?[\w{][\w{}$./:-]*`

// Routes checks that a path occurs in one file only, of the service or of what
// scripts serve: a duplicate will diverge. Tests may repeat paths, as clients do.
func Routes(t *Tree) []string {
	said := map[string]map[string]bool{}
	for _, f := range t.code() {
		for _, s := range literals(f) {
			if !match(route, s) {
				continue
			}
			if said[s] == nil {
				said[s] = map[string]bool{}
			}
			said[s][f.Path] = true
		}
	}
	var found []string
	for s, files := range said {
		if len(files) > 1 {
			found = append(found, fmt.Sprintf("%s is said in %s: give it one home below both, such as a constant beside its subject",
				s, strings.Join(slices.Sorted(maps.Keys(files)), ", ")))
		}
	}
	return found
}

// literals returns the string literals of f, without tags and imports.
func literals(f *File) []string {
	var all []string
	tags := map[*ast.BasicLit]bool{}
	ast.Inspect(f.AST, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field:
			tags[n.Tag] = true
		case *ast.BasicLit:
			if s, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING && !tags[n] {
				all = append(all, s)
			}
		}
		return true
	})
	return all
}
